//! BigQuery as the configuration and the environment of this process describe it.

use std::collections::BTreeSet;
use std::env;
use std::path::Path;

use anyhow::{Context, bail};

use super::source;
use crate::compiler::ir::StreamName;
use crate::config::Config;
use crate::endpoint::Endpoints;
use crate::warehouse::bigquery::{BigQuery, Credentials, Environment, Settings};

/// Opens BigQuery for these endpoints. Needs a tokio runtime.
///
/// # Errors
/// A setting is missing, or a stream that an endpoint reads has no table.
pub(super) fn open(config: &Config, endpoints: &Endpoints) -> anyhow::Result<BigQuery> {
    let settings = settings(config)?;
    let missing: BTreeSet<StreamName> = endpoints
        .iter()
        .flat_map(|endpoint| endpoint.query.reads())
        .filter(|stream| !settings.tables.contains_key(stream))
        .collect();
    if !missing.is_empty() {
        let missing: Vec<String> = missing
            .iter()
            .map(|stream| format!("[streams.{stream}]"))
            .collect();
        bail!(
            "the endpoints read streams without a `table`; add one to {}",
            missing.join(", ")
        );
    }
    BigQuery::open(settings).context("opening BigQuery")
}

/// Returns the settings. Besides the configuration, the variables count that Google's own clients follow,
/// and they are read nowhere else.
///
/// # Errors
/// No project is configured.
pub(super) fn settings(config: &Config) -> anyhow::Result<Settings> {
    let environment = Environment::read(env::home_dir(), |name| env::var(name).ok());
    settings_in(config, environment)
}

fn settings_in(config: &Config, environment: Environment) -> anyhow::Result<Settings> {
    let warehouse = &config.warehouse;
    let Some(project) = warehouse.project.clone() else {
        bail!("`project` of [warehouse] is missing: the project that queries run in");
    };
    let mut settings = Settings::new(project, source::tables(config));
    settings.api.clone_from(&warehouse.api);
    settings.location.clone_from(&warehouse.location);
    settings.maximum_bytes_billed = warehouse.maximum_bytes_billed;
    settings.ca_file.clone_from(&warehouse.ca_file);
    if let Some(emulator) = environment.emulator() {
        tracing::warn!(
            emulator,
            "BIGQUERY_EMULATOR_HOST is set: queries go there, without credentials and without the \
             comparison of tables, which an emulator does not tell"
        );
        settings.api = emulator;
        settings.guard = false;
        return Ok(settings);
    }
    settings.credentials = match warehouse.credentials.as_deref() {
        None => environment.default_credentials(),
        Some(path) if path == Path::new("metadata") => environment.metadata(),
        Some(path) => Credentials::File(path.to_owned()),
    };
    settings.proxy = environment.proxy;
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::warehouse::bigquery::{GOOGLE, Proxy};

    fn config(credentials: Option<&str>) -> Config {
        let mut config = Config::default();
        config.warehouse.project = Some("p".into());
        config.warehouse.location = Some("EU".into());
        config.warehouse.credentials = credentials.map(Into::into);
        config
    }

    #[test]
    fn credentials_are_those_of_the_configuration_or_the_default() {
        let environment = Environment {
            application_credentials: Some("/adc.json".into()),
            proxy: Proxy {
                url: Some("http://proxy:1".into()),
                except: None,
            },
            ..Environment::default()
        };
        let metadata = Credentials::Metadata("metadata.google.internal".into());
        for (configured, expected) in [
            (None, Credentials::File("/adc.json".into())),
            (Some("key.json"), Credentials::File("key.json".into())),
            (Some("metadata"), metadata),
        ] {
            let settings = settings_in(&config(configured), environment.clone()).unwrap();
            assert_eq!(settings.credentials, expected, "{configured:?}");
            assert_eq!(settings.api, GOOGLE);
            assert_eq!(settings.location.as_deref(), Some("EU"));
            assert_eq!(settings.proxy, environment.proxy);
            assert!(settings.guard);
        }
        assert!(settings_in(&Config::default(), environment).is_err());
    }

    #[test]
    fn an_emulator_gets_no_credentials() {
        let environment = Environment {
            emulator_host: Some("127.0.0.1:9050".into()),
            application_credentials: Some("/adc.json".into()),
            ..Environment::default()
        };
        let settings = settings_in(&config(Some("key.json")), environment).unwrap();
        assert_eq!(settings.api, "http://127.0.0.1:9050");
        assert_eq!(settings.credentials, Credentials::None);
        assert!(!settings.guard);
    }
}
