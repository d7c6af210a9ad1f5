//! The flags that name what a call is made of, and loading it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use jiff::Timestamp;

use crate::compiler::ir::StreamName;
use crate::compiler::{AdHoc, Call, Compiled, Parameters, Target};
use crate::config::Config;
use crate::endpoint::{Argument, Endpoint, Endpoints};
use crate::server::Clock;

/// Which endpoints, under which configuration.
#[derive(Debug, clap::Args)]
pub(super) struct Source {
    /// The folder of endpoints [default: ./endpoints if there is one, else the built-in endpoints].
    #[arg(long, value_name = "DIR")]
    endpoints: Option<PathBuf>,
    /// The configuration file [default: ./logboom.toml if there is one].
    #[arg(long, value_name = "FILE", env = "LOGBOOM_CONFIG")]
    config: Option<PathBuf>,
}

impl Source {
    /// Returns the files that [`Self::load`] reads, as far as they are not built in.
    pub(super) fn paths(&self, config: &Config) -> Vec<PathBuf> {
        let file = self.config.clone();
        let file = file.unwrap_or_else(|| PathBuf::from(crate::config::DEFAULT_FILE));
        let mut paths = vec![file, config.endpoints.clone()];
        if let Some(tls) = &config.server.tls {
            paths.extend([tls.cert.clone(), tls.key.clone()]);
        }
        paths
    }

    /// Reads the configuration, with the flags on top.
    pub(super) fn config(&self) -> anyhow::Result<Config> {
        let mut config = load_config(self.config.as_deref())?;
        if let Some(folder) = &self.endpoints {
            config.endpoints.clone_from(folder);
        }
        Ok(config)
    }

    /// Reads configuration and endpoints. Every mistake in them is in the error.
    pub(super) fn load(&self) -> anyhow::Result<(Config, Endpoints)> {
        let config = self.config()?;
        // Only the folder that nobody named may be missing.
        let endpoints = if config.endpoints == Config::default().endpoints
            && self.endpoints.is_none()
            && !config.endpoints.exists()
        {
            Endpoints::built_in(&config.limits)
        } else {
            Endpoints::load(&config.endpoints, &config.limits)?
        };
        Ok((config, endpoints))
    }
}

/// Reads the configuration, with the environment of this process on top.
pub(super) fn load_config(file: Option<&Path>) -> anyhow::Result<Config> {
    // A variable that is not text is none of ours.
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Ok(Config::load(file, environment)?)
}

/// One call of an endpoint, as `compile` and `query` take it.
#[derive(Debug, clap::Args)]
pub(super) struct CallArgs {
    /// The endpoint, by name or id.
    name: String,
    /// A parameter of the endpoint; may be repeated.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parameter)]
    parameters: Vec<(String, String)>,
    /// A query over the sub-tables, in GoogleSQL.
    #[arg(long, value_name = "SQL", conflicts_with = "lql")]
    sql: Option<String>,
    /// A query over the sub-tables, in LQL.
    #[arg(long, value_name = "LQL")]
    lql: Option<String>,
    /// Redact personal data in the result.
    #[arg(long)]
    redact: bool,
    /// The engine to compile for [default: embedded; bigquery for `compile --lql`].
    #[arg(long, value_enum)]
    pub(super) target: Option<TargetName>,
    /// Print the query after every stage of the compiler, on standard error.
    #[arg(long)]
    trace: bool,
    /// The instant of the call [default: now].
    #[arg(long, value_name = "RFC3339")]
    now: Option<Timestamp>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    source: Source,
}

/// An engine, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum TargetName {
    /// BigQuery.
    Bigquery,
    /// The embedded engine.
    Embedded,
}

/// A compiled call with what it was compiled under.
pub(super) struct Prepared {
    /// The query.
    pub(super) compiled: Compiled,
    /// A query in LQL as SQL that a person would write.
    pub(super) explained: Option<String>,
    /// The endpoint that is called.
    pub(super) endpoint: Arc<Endpoint>,
    /// The configuration.
    pub(super) config: Config,
    /// All endpoints.
    pub(super) endpoints: Endpoints,
}

impl CallArgs {
    /// Compiles the call for an engine. A refused query is drawn on standard error and gives nothing.
    pub(super) fn prepare(&self, target: TargetName) -> anyhow::Result<Option<Prepared>> {
        let (config, endpoints) = self.source.load()?;
        let Some(endpoint) = endpoints.get(&self.name).cloned() else {
            let names: Vec<&str> = endpoints.iter().map(|e| e.name.as_str()).collect();
            bail!(
                "there is no endpoint `{}`; there are {}",
                self.name,
                names.join(", ")
            );
        };
        if self.ad_hoc().is_some() && !endpoint.sandbox {
            bail!(
                "the endpoint `{}` accepts no query of the caller",
                self.name
            );
        }
        let arguments: Vec<(String, Argument)> = self
            .parameters
            .iter()
            .map(|(name, value)| (name.clone(), Argument::Text(value.clone())))
            .collect();
        let bound = match endpoint.bind(&arguments) {
            Ok(bound) => bound,
            Err(diagnostics) => {
                eprint!("{}", diagnostics.render("parameters", ""));
                return Ok(None);
            }
        };
        if !bound.ignored.is_empty() {
            eprintln!("ignored parameters: {}", bound.ignored.join(", "));
        }
        let compiled = self.compile(&config, &endpoint, target, &bound.parameters);
        Ok(compiled.map(|(compiled, explained)| Prepared {
            compiled,
            explained,
            endpoint,
            config,
            endpoints,
        }))
    }

    /// Returns the query of the caller.
    pub(super) fn ad_hoc(&self) -> Option<AdHoc<'_>> {
        let sql = self.sql.as_deref().filter(|sql| !sql.trim().is_empty());
        let lql = self.lql.as_deref();
        sql.map(AdHoc::Sql).or(lql.map(AdHoc::Lql))
    }

    fn compile(
        &self,
        config: &Config,
        endpoint: &Endpoint,
        target: TargetName,
        parameters: &Parameters,
    ) -> Option<(Compiled, Option<String>)> {
        let target = match target {
            TargetName::Bigquery => Target::BigQuery {
                tables: tables(config),
            },
            TargetName::Embedded => Target::Embedded,
        };
        let redacted = self.redact || endpoint.redact_pii;
        let call = Call {
            ad_hoc: self.ad_hoc(),
            parameters,
            now: clock(self.now).now(),
            max_rows: endpoint.max_rows,
            redaction: redacted.then_some(&config.redaction),
            target: &target,
            limits: &config.limits,
        };
        let mut print = |stage: &str, text: &str| eprintln!("-- {stage}\n{text}\n");
        let trace: Option<crate::compiler::Trace<'_>> =
            if self.trace { Some(&mut print) } else { None };
        let compiled = crate::compiler::compile(&endpoint.query, &call, trace)
            .and_then(|compiled| Ok((compiled, crate::compiler::explain(&endpoint.query, &call)?)));
        match compiled {
            Ok(compiled) => Some(compiled),
            Err(diagnostics) => {
                let (language, text) = self.ad_hoc().map_or(("sql", ""), AdHoc::parts);
                eprint!("{}", diagnostics.render(language, text));
                None
            }
        }
    }
}

/// Returns the physical tables that are configured.
pub(super) fn tables(config: &Config) -> BTreeMap<StreamName, String> {
    config
        .streams
        .iter()
        .filter_map(|(name, stream)| Some((StreamName::new(name), stream.table.clone()?)))
        .collect()
}

/// Returns the clock that `--now` asks for.
pub(super) fn clock(now: Option<Timestamp>) -> Clock {
    now.map_or(Clock::System, |now| Clock::Frozen(now.as_microsecond()))
}

fn parameter(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .ok_or("write NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// The flags of a command that needs the embedded warehouse, in a build without it.
#[cfg(not(feature = "embedded"))]
#[derive(Debug, clap::Args)]
pub(super) struct NoEngine {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _rest: Vec<String>,
}

/// Says that this build cannot run queries by itself.
#[cfg(not(feature = "embedded"))]
pub(super) fn no_engine<T>() -> anyhow::Result<T> {
    bail!("this build has no embedded warehouse; build with the cargo feature `embedded`")
}
