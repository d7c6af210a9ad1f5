//! A service over a scripted warehouse, and calls of it without a socket.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{HeaderMap, Method, Request};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use tempfile::TempDir;

use super::scripted::Scripted;
use crate::compiler::Limits;
use crate::config::Config;
use crate::endpoint::Endpoints;
use crate::server::auth::{NewToken, Scope, SharedTokens, TokenStore};
use crate::server::{App, Clock, State};

/// The endpoints: `cached` for a minute and warmed, `warm` each second, `plain`, and `shop`, which a token may not call.
const FILES: [(&str, &str); 9] = [
    (
        "streams/s.json",
        r#"[{"name": "id", "type": "STRING"}, {"name": "project", "type": "STRING"},
            {"name": "timestamp", "type": "TIMESTAMP"}]"#,
    ),
    (
        "cached.toml",
        "id = 'afc4ed8f-6649-4adc-a5cb-55ee7c7884b6'\ncache_seconds = 60\n\
         cache_warming_seconds = 20\nsandbox = true\n\
         [parameters.project]\ntype = 'string'\nrequired = true\n\
         [parameters.since]\ntype = 'timestamp'\n",
    ),
    (
        "cached.sql",
        "WITH t AS (SELECT id, timestamp FROM s WHERE project = @project \
         AND (@since IS NULL OR timestamp > @since)) SELECT id FROM t",
    ),
    (
        "plain.toml",
        "id = '1fc4ed8f-6649-4adc-a5cb-55ee7c7884b6'\nsandbox = true\ntimeout_seconds = 5\n\
         [parameters.project]\ntype = 'string'\nrequired = true\n",
    ),
    (
        "plain.sql",
        "WITH t AS (SELECT id FROM s WHERE project = @project) SELECT id FROM t",
    ),
    (
        "warm.toml",
        "id = '4fc4ed8f-6649-4adc-a5cb-55ee7c7884b6'\ncache_seconds = 3600\n\
         cache_warming_seconds = 1\n",
    ),
    ("warm.sql", "SELECT id FROM s"),
    ("shop.toml", "id = '2fc4ed8f-6649-4adc-a5cb-55ee7c7884b6'\n"),
    ("shop.sql", "SELECT id FROM s"),
];

/// See the module.
pub(super) struct Service {
    pub(super) app: Arc<App>,
    pub(super) warehouse: Arc<Scripted>,
    pub(super) folder: TempDir,
    /// A token with the scopes `sandbox` and `refresh`.
    pub(super) token: String,
}

/// An answer that was read whole.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Service {
    pub(super) fn new() -> Self {
        Self::with(Config::default())
    }

    pub(super) fn with(config: Config) -> Self {
        let folder = TempDir::new().unwrap();
        for (name, text) in FILES {
            let path = folder.path().join("endpoints").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let tokens = folder.path().join("tokens.toml");
        let token = new_token(&tokens, "all", &[], &[Scope::Sandbox, Scope::Refresh]);
        let warehouse = Arc::new(Scripted::default());
        let state = load(folder.path(), config, &warehouse).unwrap();
        let tokens = SharedTokens::open(&tokens).unwrap();
        let app = Arc::new(App::new(state, tokens, Clock::Frozen(0)).unwrap());
        Self {
            app,
            warehouse,
            folder,
            token,
        }
    }

    /// Lets the clock stand at another instant.
    pub(super) fn at(self, now: jiff::Timestamp) -> Self {
        let app = Arc::into_inner(self.app).unwrap();
        let clock = Clock::Frozen(now.as_microsecond());
        Self {
            app: Arc::new(App { clock, ..app }),
            ..self
        }
    }

    /// Reads the folder again.
    pub(super) fn load(&self) -> State {
        let config = self.app.state().config.clone();
        load(self.folder.path(), config, &self.warehouse).unwrap()
    }

    /// Makes a token that is in force at once.
    pub(super) fn token(&self, name: &str, pins: &[(&str, &str)], scopes: &[Scope]) -> String {
        let token = new_token(&self.folder.path().join("tokens.toml"), name, pins, scopes);
        self.app.tokens.reload();
        token
    }

    pub(super) async fn get(&self, path: &str) -> Reply {
        self.get_with(path, &[]).await
    }

    /// Calls an endpoint: `name?query`, with more headers. A header that is given twice is sent twice.
    pub(super) async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        self.call(Method::GET, path, headers, "").await
    }

    pub(super) async fn call(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        let path = match path.starts_with('/') {
            true => path.to_owned(),
            false => format!("/api/endpoints/query/{path}"),
        };
        let mut request = Request::builder().method(method).uri(path);
        if !headers.iter().any(|(name, _)| *name == "x-api-key") {
            request = request.header("x-api-key", &self.token);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = Full::new(Bytes::from(body.to_owned()));
        let response = super::respond(&self.app, request.body(body).unwrap()).await;
        let (head, body) = response.into_parts();
        Reply {
            status: head.status.as_u16(),
            headers: head.headers,
            body: body.collect().await.unwrap().to_bytes(),
        }
    }
}

impl Reply {
    #[track_caller]
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    #[track_caller]
    pub(super) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        let value = value.unwrap_or_else(|| panic!("no {name}: {self:?}"));
        value.to_str().unwrap()
    }

    /// Returns the number of the run that gave this result.
    #[track_caller]
    pub(super) fn run(&self) -> u64 {
        assert_eq!(self.status, 200, "{self:?}");
        super::scripted::run_number(&self.json())
    }
}

/// Returns `name?project=a&sql=…`.
pub(super) fn sql(name: &str, sql: &str) -> String {
    let sql = utf8_percent_encode(sql, NON_ALPHANUMERIC);
    format!("{name}?project=a&sql={sql}")
}

/// Reads a folder over the warehouse.
pub(super) fn load(
    folder: &Path,
    config: Config,
    warehouse: &Arc<Scripted>,
) -> Result<State, String> {
    let endpoints = Endpoints::load(&folder.join("endpoints"), &Limits::default());
    let endpoints = endpoints.map_err(|errors| errors.to_string())?;
    Ok(State::new(config, endpoints, Arc::clone(warehouse) as _))
}

fn new_token(path: &Path, name: &str, pins: &[(&str, &str)], scopes: &[Scope]) -> String {
    let pins = pins.iter();
    let new = NewToken {
        pins: pins
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect(),
        scopes: scopes.iter().copied().collect(),
        ..plain_token(name)
    };
    TokenStore::open(path).unwrap().create(new).unwrap()
}

/// Makes a token that ends at an instant.
pub(super) fn new_token_until(path: &Path, name: &str, end: jiff::Timestamp) -> String {
    let new = NewToken {
        expires: Some(end),
        ..plain_token(name)
    };
    TokenStore::open(path).unwrap().create(new).unwrap()
}

fn plain_token(name: &str) -> NewToken {
    NewToken {
        name: name.into(),
        created: jiff::Timestamp::UNIX_EPOCH,
        expires: None,
        endpoints: vec!["cached".into(), "plain".into(), "warm".into()],
        pins: BTreeMap::new(),
        scopes: BTreeSet::new(),
    }
}
