//! The set of endpoints: reading a folder, checking it as a whole, finding an endpoint.
//!
//! A folder holds `<name>.toml` and `<name>.sql` for each endpoint and `streams/<stream>.json` for each
//! stream. One broken file does not hide the mistakes in the others.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::compiler::catalog::{is_identifier, parse_schema};
use crate::compiler::ir::StreamName;
use crate::compiler::{
    self, Catalog, Code, Declaration, Diagnostic, Diagnostics, Limits, StoredQuery,
};
use crate::toml_text::Mistake;

use super::definition::{self, Definition};
use super::source::{Files, Source, Sources};
use super::{Endpoint, built_in};

/// The endpoints that are served and the streams they read.
#[derive(Clone, Debug, Default)]
pub struct Endpoints {
    by_name: BTreeMap<String, Arc<Endpoint>>,
    names: BTreeMap<Uuid, String>,
    catalog: Catalog,
}

/// One mistake in a folder of endpoints.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct LoadError {
    /// The file or folder it is in.
    pub file: String,
    /// What is wrong and where, ready to be shown; it begins with the file unless it quotes a query.
    pub message: String,
}

impl LoadError {
    /// Returns a mistake that is about a file as a whole.
    pub(super) fn in_file(file: &str, message: &str) -> Self {
        Self {
            file: file.to_owned(),
            message: format!("{file}: {message}"),
        }
    }
}

/// Every mistake in a folder of endpoints; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadErrors(pub Vec<LoadError>);

impl fmt::Display for LoadErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            f.write_str(error.message.trim_end())?;
        }
        Ok(())
    }
}

impl std::error::Error for LoadErrors {}

impl Endpoints {
    /// Loads the endpoints of a folder.
    ///
    /// # Errors
    /// Every mistake in every file.
    pub fn load(dir: &Path, limits: &Limits) -> Result<Endpoints, LoadErrors> {
        assemble(Sources::read(dir), limits)
    }

    /// Returns the endpoints that the binary carries in itself.
    ///
    /// `limits` bound callers. Where they are smaller than what these stored queries need, the queries
    /// are read under the default limits.
    #[must_use]
    pub fn built_in(limits: &Limits) -> Endpoints {
        assemble(built_in::sources(), limits)
            .or_else(|_| assemble(built_in::sources(), &Limits::default()))
            .expect("the shipped endpoints load under the default limits, which a test checks")
    }

    /// Returns the endpoint with this id or name.
    #[must_use]
    pub fn get(&self, id_or_name: &str) -> Option<&Arc<Endpoint>> {
        if let Ok(id) = Uuid::try_parse(id_or_name) {
            return self.by_name.get(self.names.get(&id)?);
        }
        self.by_name.get(id_or_name)
    }

    /// Returns all endpoints in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Endpoint>> {
        self.by_name.values()
    }

    /// Returns the streams that stored queries may read.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }
}

/// Checks all files and makes the set of them.
fn assemble(sources: Sources, limits: &Limits) -> Result<Endpoints, LoadErrors> {
    let Sources {
        streams,
        definitions,
        queries,
        mut errors,
    } = sources;
    let schemas = Schemas::read(&streams, &mut errors);
    let mut endpoints = Endpoints::default();
    let mut ids: BTreeMap<Uuid, &str> = BTreeMap::new();
    for (name, settings) in &definitions {
        let Some(settings) = settings else { continue };
        if !is_endpoint_name(name) {
            let message = "the name of an endpoint has letters, digits, `.`, `_` and `-`, starts \
                           with a letter and is no UUID";
            errors.push(LoadError::in_file(&settings.file, message));
        }
        let definition = definition::read(&settings.text).map_err(|mistakes| {
            errors.extend(mistakes.iter().map(|mistake| mistake_in(settings, mistake)));
        });
        if let Ok(definition) = &definition
            && let Some(taken) = ids.insert(*definition.id.get_ref(), name)
        {
            let message = format!("`id` is also that of the endpoint `{taken}`");
            let mistake = Mistake::at(definition.id.span(), message);
            errors.push(mistake_in(settings, &mistake));
        }
        let query = match queries.get(name) {
            Some(Some(query)) => query,
            Some(None) => continue,
            None => {
                let message = format!("there is no `{name}.sql` beside it");
                errors.push(LoadError::in_file(&settings.file, &message));
                continue;
            }
        };
        let prepared = match definition {
            Ok(definition) => {
                let digest = digest(settings, query, &streams);
                prepare(name, definition, query, digest, &schemas, limits).map(Some)
            }
            Err(()) => check_alone(query, &schemas, limits).map(|()| None),
        };
        match prepared {
            Ok(Some(endpoint)) => {
                endpoints.names.insert(endpoint.id, name.clone());
                endpoints.by_name.insert(name.clone(), Arc::new(endpoint));
            }
            Ok(None) => {}
            Err(diagnostics) => {
                errors.extend(
                    diagnostics
                        .iter()
                        .map(|d| diagnostic_in(d, settings, query)),
                );
            }
        }
    }
    for (name, query) in &queries {
        if let Some(query) = query
            && !definitions.contains_key(name)
        {
            let message = format!("there is no `{name}.toml` beside it");
            errors.push(LoadError::in_file(&query.file, &message));
        }
    }
    if !errors.is_empty() {
        return Err(LoadErrors(errors));
    }
    endpoints.catalog = schemas.catalog;
    Ok(endpoints)
}

/// The streams that could be read.
struct Schemas {
    catalog: Catalog,
    /// Whether they are all of the folder. While one is broken, a stream that is not found is no news.
    are_complete: bool,
}

impl Schemas {
    fn read(streams: &Files, errors: &mut Vec<LoadError>) -> Self {
        let mut catalog = Catalog::default();
        for (name, source) in streams {
            let Some(source) = source else { continue };
            if !name.split('.').all(is_identifier) {
                let message = "the name of a stream is an identifier, or several with dots between";
                errors.push(LoadError::in_file(&source.file, message));
                continue;
            }
            match parse_schema(&source.text) {
                Ok(columns) => catalog.insert(StreamName::new(name), columns),
                Err(message) => errors.push(LoadError::in_file(&source.file, &message)),
            }
        }
        let are_complete = catalog.streams().count() == streams.len();
        Self {
            catalog,
            are_complete,
        }
    }

    fn prepare(
        &self,
        query: &Source,
        declarations: &[Declaration],
        subtables: Option<&[String]>,
        limits: &Limits,
    ) -> Result<StoredQuery, Vec<Diagnostic>> {
        compiler::prepare(&query.text, &self.catalog, declarations, subtables, limits).map_err(
            |Diagnostics(mut found)| {
                found.retain(|d| self.are_complete || d.code != Code::UnknownTable);
                found
            },
        )
    }
}

/// Names stand in URLs and in metrics, where these characters need no escaping.
fn is_endpoint_name(name: &str) -> bool {
    name.len() <= 128
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
        && Uuid::try_parse(name).is_err()
}

fn prepare(
    name: &str,
    definition: Definition,
    query: &Source,
    digest: [u8; 32],
    schemas: &Schemas,
    limits: &Limits,
) -> Result<Endpoint, Vec<Diagnostic>> {
    let Definition {
        id,
        description,
        max_rows,
        cache_seconds,
        cache_warming_seconds,
        timeout_seconds,
        sandbox,
        subtables,
        redact_pii,
        maximum_bytes_billed,
        labels,
        unknown_parameters,
        parameters,
    } = definition;
    let declarations: Vec<Declaration> = parameters.iter().map(|p| p.declaration.clone()).collect();
    let query = schemas.prepare(query, &declarations, subtables.as_deref(), limits)?;
    if sandbox && query.subtables().is_empty() {
        let message = "`sandbox` is on, but the query has no sub-table to publish";
        return Err(vec![Diagnostic::general(Code::NotSandboxed, message)]);
    }
    Ok(Endpoint {
        id: id.into_inner(),
        name: name.to_owned(),
        description,
        max_rows,
        cache_seconds,
        cache_warming_seconds,
        timeout_seconds,
        sandbox,
        redact_pii,
        maximum_bytes_billed,
        labels,
        unknown_parameters,
        parameters,
        query,
        digest,
    })
}

/// Returns what tells these texts from all others. A text has its length before it.
fn digest(settings: &Source, query: &Source, streams: &Files) -> [u8; 32] {
    let mut digest = Sha256::new();
    let schemas = streams.values().flatten();
    for source in [settings, query].into_iter().chain(schemas) {
        digest.update(source.text.len().to_be_bytes());
        digest.update(source.text.as_bytes());
    }
    digest.finalize().into()
}

/// Looks for mistakes in a query whose declarations cannot be read.
fn check_alone(query: &Source, schemas: &Schemas, limits: &Limits) -> Result<(), Vec<Diagnostic>> {
    let Err(mut found) = schemas.prepare(query, &[], None, limits) else {
        return Ok(());
    };
    found.retain(|d| d.span.is_some() && d.code != Code::UndeclaredParameter);
    Err(found)
}

fn mistake_in(source: &Source, mistake: &Mistake) -> LoadError {
    LoadError {
        file: source.file.clone(),
        message: mistake.render(&source.file, &source.text),
    }
}

/// A diagnostic with a place is about the query; one without is about what the settings say of it.
fn diagnostic_in(diagnostic: &Diagnostic, settings: &Source, query: &Source) -> LoadError {
    if diagnostic.span.is_some() {
        return LoadError {
            file: query.file.clone(),
            message: diagnostic.render(&query.file, &query.text),
        };
    }
    let rendered = diagnostic.render(&settings.file, "");
    LoadError::in_file(&settings.file, rendered.trim_end())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const ID: &str = "id = 'afc4ed8f-6649-4adc-a5cb-55ee7c7884b6'\n";
    const STREAM: &str = r#"[{"name": "id", "type": "STRING"}]"#;

    /// Loads a folder with these files; messages call the folder `D`.
    #[track_caller]
    fn load(files: &[(&str, &str)]) -> Result<Endpoints, Vec<String>> {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Endpoints::load(dir.path(), &Limits::default()).map_err(|errors| {
            let place = dir.path().display().to_string();
            let messages = errors.0.iter().map(|e| e.message.replace(&place, "D"));
            messages.collect()
        })
    }

    #[test]
    fn every_broken_file_is_reported() {
        let found = load(&[
            ("a.toml", "id = 1\n"),
            ("a.sql", "SELECT 1"),
            ("b.toml", ID),
            ("c.sql", "SELECT 1"),
            ("9.toml", "max_row = 1\n"),
            ("9.sql", "SELECT 1"),
            ("notes.txt", "no endpoint"),
            (".hidden.toml", "no endpoint"),
            ("streams/edge.json", "["),
            ("streams/no-name.json", STREAM),
        ])
        .expect_err("most files are wrong");
        assert_eq!(
            found,
            [
                "D/streams/edge.json: EOF while parsing a list at line 1 column 1",
                "D/streams/no-name.json: the name of a stream is an identifier, or several with dots between",
                "D/9.toml: the name of an endpoint has letters, digits, `.`, `_` and `-`, starts with a \
                 letter and is no UUID",
                "D/9.toml:1:1: unknown field `max_row`, expected one of `id`, `description`, `max_rows`, \
                 `cache_seconds`, `cache_warming_seconds`, `timeout_seconds`, `sandbox`, `subtables`, `redact_pii`, \
                 `maximum_bytes_billed`, `labels`, `unknown_parameters`, `parameters`; did you mean `max_rows`?",
                "D/a.toml:1:6: invalid type: integer `1`, expected a string",
                "D/b.toml: there is no `b.sql` beside it",
                "D/c.sql: there is no `c.toml` beside it",
            ]
        );
    }

    #[test]
    fn a_query_is_checked_although_its_settings_are_broken() {
        let sql = "SELECT e.idd FROM edge AS e WHERE e.id = @p AND @p > 'a' AND e.ix = @q";
        let streams = ("streams/edge.json", STREAM);
        let found = load(&[("a.toml", "ix = 1"), ("a.sql", sql), streams]).expect_err("both wrong");
        let places: Vec<bool> = found.iter().map(|m| m.contains("D/a.sql:1:")).collect();
        assert_eq!(places, [false, true, true], "{found:#?}");
        let found = load(&[
            ("a.toml", "ix = 1"),
            ("a.sql", sql),
            ("streams/edge.json", "["),
        ])
        .expect_err("all wrong");
        assert_eq!(found.len(), 2, "{found:#?}");
    }

    #[test]
    fn a_folder_that_cannot_be_read_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let absent = dir.path().join("absent");
        let errors = Endpoints::load(&absent, &Limits::default()).expect_err("it is not there");
        assert_eq!(errors.0.len(), 1);
        assert_eq!(errors.0[0].file, absent.display().to_string());
    }

    #[cfg(unix)]
    #[test]
    fn an_unreadable_file_has_one_error() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.toml"), [0xff]).unwrap();
        fs::write(dir.path().join("a.sql"), "SELECT 1").unwrap();
        fs::write(dir.path().join("b.toml"), ID).unwrap();
        fs::create_dir(dir.path().join("b.sql")).unwrap();
        let errors = Endpoints::load(dir.path(), &Limits::default()).expect_err("unreadable");
        let files: Vec<&str> = errors
            .0
            .iter()
            .map(|e| e.file.rsplit('/').next().unwrap())
            .collect();
        assert_eq!(files, ["a.toml", "b.sql"]);
    }

    #[test]
    fn an_endpoint_is_found_by_id_and_name() {
        let sql = "WITH logs AS (SELECT e.id FROM edge AS e WHERE e.id = @p) SELECT id FROM logs";
        let toml = format!("{ID}sandbox = true\n[parameters.p]\ntype = 'string'\n");
        let endpoints = load(&[
            ("a.b.toml", &toml),
            ("a.b.sql", sql),
            ("streams/edge.json", STREAM),
        ])
        .unwrap_or_else(|e| panic!("{e:#?}"));
        let by_name = endpoints.get("a.b").expect("the name is known");
        assert_eq!(by_name.name, "a.b");
        for id in [
            "afc4ed8f-6649-4adc-a5cb-55ee7c7884b6",
            "AFC4ED8F-6649-4ADC-A5CB-55EE7C7884B6",
        ] {
            assert_eq!(endpoints.get(id).map(|e| e.id), Some(by_name.id), "{id}");
        }
        assert!(endpoints.get("a").is_none());
        assert!(
            endpoints
                .get("afc4ed8f-6649-4adc-a5cb-55ee7c7884b7")
                .is_none()
        );
    }

    #[test]
    fn settings_and_query_must_agree() {
        let streams = ("streams/edge.json", STREAM);
        let sql = "WITH logs AS (SELECT e.id FROM edge AS e) SELECT id FROM logs";
        let both = [
            ("a.toml", ID),
            ("a.sql", sql),
            ("b.toml", ID),
            ("b.sql", sql),
            streams,
        ];
        assert_eq!(
            load(&both).expect_err("one id twice"),
            ["D/b.toml:1:6: `id` is also that of the endpoint `a`"]
        );
        let sandbox = format!("{ID}sandbox = true\n");
        let found = load(&[
            ("a.toml", &sandbox),
            ("a.sql", "SELECT e.id FROM edge AS e"),
            streams,
        ])
        .expect_err("nothing to publish");
        assert!(found[0].contains("no sub-table to publish"), "{found:?}");
        let unused = format!("{ID}[parameters.p]\ntype = 'string'\n");
        let found =
            load(&[("a.toml", &unused), ("a.sql", sql), streams]).expect_err("`p` is unused");
        assert!(found[0].contains("LB406"), "{found:?}");
        let found = load(&[
            ("a.toml", ID),
            ("a.sql", "SELECT e.idd FROM edge AS e"),
            streams,
        ])
        .expect_err("no such column");
        assert!(found[0].contains("--> D/a.sql:1:10"), "{found:?}");
    }

    #[test]
    fn the_shipped_endpoints_load_under_the_default_limits() {
        let endpoints = assemble(built_in::sources(), &Limits::default())
            .unwrap_or_else(|errors| panic!("{errors}"));
        let found: Vec<&str> = endpoints.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(found, ["logs.all", "usage.api-counts"]);
        for (name, cache_seconds, cache_warming_seconds) in
            [("logs.all", 0, None), ("usage.api-counts", 900, Some(300))]
        {
            let endpoint = endpoints.get(name).unwrap();
            assert_eq!(endpoint.max_rows, 1000, "{name}");
            assert_eq!(endpoint.cache_seconds, cache_seconds, "{name}");
            assert_eq!(
                endpoint.cache_warming_seconds, cache_warming_seconds,
                "{name}"
            );
            assert!(endpoint.sandbox, "{name}");
            assert!(!endpoint.redact_pii, "{name}");
        }
        let logs = endpoints.get("logs.all").unwrap();
        for table in logs.query.subtables() {
            let names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
            assert_eq!(
                names,
                ["timestamp", "id", "event_message", "metadata"],
                "{}",
                table.name
            );
        }
        assert_eq!(logs.query.subtables().len(), 9);
    }
}
