use super::overlay::parse;
use super::*;

fn env(variables: &[(&str, &str)]) -> impl Iterator<Item = (String, String)> {
    let owned: Vec<(String, String)> = variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    owned.into_iter()
}

#[test]
fn nothing_configured_is_the_default() {
    assert_eq!(parse("f", "", env(&[])).unwrap(), Config::default());
}

#[test]
fn every_setting_is_read() {
    let text = r#"
        endpoints = "e"
        tokens = "t.toml"
        [server]
        listen = "[::1]:9000"
        header_prefix = "ACME"
        request_timeout_seconds = 5
        max_body_bytes = 10
        max_head_bytes = 20
        cors_origins = ["https://a.example", "http://localhost:3000"]
        max_connections = 100
        max_queries = 7
        max_queued_queries = 0
        max_result_bytes = 1000
        max_outgoing_bytes = 2000
        shutdown_delay_seconds = 4
        tls = { cert = "c.pem", key = "k.pem" }
        admin_listen = "127.0.0.1:9001"
        [cache]
        capacity_bytes = 0
        warming_concurrency = 3
        [rate_limits]
        token = { requests = 600, seconds = 60 }
        [warehouse]
        kind = "embedded"
        data = "d"
        memory_limit_bytes = 30
        threads = 2
        max_concurrent = 3
        spill_dir = "s"
        project = "p-1"
        location = "EU"
        credentials = "key.json"
        maximum_bytes_billed = 5
        price_per_tib = 6.25
        ca_file = "ca.pem"
        api = "https://bigquery.example.test"
        [streams.edge]
        table = "my-project.logs.edge"
        [limits]
        tokens = 100
        [redaction]
        rules = ["ip", "jwt"]
        [redaction.patterns]
        account = 'acct-[0-9]+'
    "#;
    let expected = Config {
        server: Server {
            listen: "[::1]:9000".parse().unwrap(),
            header_prefix: "ACME".into(),
            request_timeout_seconds: 5,
            max_body_bytes: 10,
            max_head_bytes: 20,
            cors_origins: vec!["https://a.example".into(), "http://localhost:3000".into()],
            max_connections: nonzero(100),
            max_queries: nonzero(7),
            max_queued_queries: 0,
            max_result_bytes: 1000,
            max_outgoing_bytes: 2000,
            shutdown_delay_seconds: 4,
            tls: Some(Tls {
                cert: "c.pem".into(),
                key: "k.pem".into(),
            }),
            admin_listen: Some("127.0.0.1:9001".parse().unwrap()),
        },
        cache: Cache {
            capacity_bytes: 0,
            warming_concurrency: nonzero(3),
        },
        rate_limits: RateLimits {
            token: Some(RateLimit {
                requests: NonZeroU32::new(600).unwrap(),
                seconds: NonZeroU64::new(60).unwrap(),
            }),
            endpoint: None,
        },
        warehouse: Warehouse {
            kind: WarehouseKind::Embedded,
            data: "d".into(),
            memory_limit_bytes: 30,
            threads: Some(2),
            max_concurrent: 3,
            spill_dir: Some("s".into()),
            project: Some("p-1".into()),
            location: Some("EU".into()),
            credentials: Some("key.json".into()),
            maximum_bytes_billed: 5,
            price_per_tib: Some(6.25),
            ca_file: Some("ca.pem".into()),
            api: "https://bigquery.example.test".into(),
        },
        endpoints: "e".into(),
        tokens: "t.toml".into(),
        streams: BTreeMap::from([(
            "edge".into(),
            Stream {
                table: Some("my-project.logs.edge".into()),
            },
        )]),
        limits: Limits {
            tokens: 100,
            ..Limits::default()
        },
        redaction: Redaction::new(
            &["ip".into(), "jwt".into()],
            &BTreeMap::from([("account".into(), "acct-[0-9]+".into())]),
        )
        .unwrap(),
    };
    assert_eq!(parse("f", text, env(&[])).unwrap(), expected);
}

#[test]
fn the_environment_wins_over_the_file() {
    let text = "endpoints = 'e'\n[server]\nlisten = '127.0.0.1:1'\nheader_prefix = 'A'\n";
    let config = parse(
        "f",
        text,
        env(&[
            ("LOGBOOM_SERVER__LISTEN", "0.0.0.0:2"),
            (
                "LOGBOOM_SERVER__CORS_ORIGINS",
                "https://a.example, https://b.example",
            ),
            ("LOGBOOM_WAREHOUSE__THREADS", "4"),
            ("LOGBOOM_STREAMS__EDGE__TABLE", "p.d.t"),
            ("LOGBOOM_TOKENS", "12"),
            ("LOGBOOM_LIMITS__QUERY_BYTES", "99"),
            ("LOGBOOM_LOG", "debug"),
            ("PATH", "/bin"),
        ]),
    )
    .unwrap();
    assert_eq!(config.server.listen, "0.0.0.0:2".parse().unwrap());
    assert_eq!(config.server.header_prefix, "A");
    assert_eq!(
        config.server.cors_origins,
        ["https://a.example", "https://b.example"]
    );
    assert_eq!(config.warehouse.threads, Some(4));
    assert_eq!(config.streams["edge"].table.as_deref(), Some("p.d.t"));
    assert_eq!(config.endpoints, Path::new("e"));
    assert_eq!(config.tokens, Path::new("12"));
    assert_eq!(config.limits.query_bytes, 99);
}

#[test]
fn mistakes_in_the_file_have_a_place() {
    for (text, expected) in [
        (
            "[server]\nlisten = 'nowhere'",
            "f.toml:2:10: invalid socket address syntax",
        ),
        (
            "[server]\nlistn = ''",
            "f.toml:2:1: unknown field `listn`, expected one of `listen`, `header_prefix`, \
             `request_timeout_seconds`, `max_body_bytes`, `max_head_bytes`, `cors_origins`, \
             `max_connections`, `max_queries`, `max_queued_queries`, `max_result_bytes`, \
             `max_outgoing_bytes`, `shutdown_delay_seconds`, `tls`, `admin_listen`; did you mean `listen`?",
        ),
        (
            "[warehouse]\nkind = 'bigqery'",
            "f.toml:2:8: unknown variant `bigqery`, expected `embedded` or `bigquery`; \
             did you mean `bigquery`?",
        ),
        (
            "[warehouse]\nproject = 'a.b'",
            "f.toml:2:11: invalid value: string \"a.b\", expected the id of a project",
        ),
        (
            "[warehouse]\nprice_per_tib = -1.0",
            "f.toml:2:17: invalid value: floating point `-1.0`, expected a price, 0 or more",
        ),
        (
            "[warehouse]\nkind = 'embeded'",
            "f.toml:2:8: unknown variant `embeded`, expected `embedded` or `bigquery`; did you mean `embedded`?",
        ),
        (
            "[warehouse]\nthreads = 0",
            "f.toml:2:11: invalid value: integer `0`, expected a number above 0",
        ),
        (
            "[server]\nheader_prefix = 'a b'",
            "f.toml:2:17: invalid value: string \"a b\", expected 1 to 64 letters, digits and `-`",
        ),
        (
            "[streams.edge]\ntable = 'edge'",
            "f.toml:2:9: invalid value: string \"edge\", expected a table as `project.dataset.table`",
        ),
        (
            "[server]\ncors_origins = ['a.example']",
            "f.toml:2:16: invalid value: string \"a.example\", expected `*` or an origin such as \
             `https://logs.example.com`, without a path",
        ),
        (
            "[limits]\ndepth = 101",
            "f.toml:2:9: 101 is more than 100, the most that this limit can be",
        ),
        (
            "[redaction]\nrules = ['ips']",
            "f.toml:1:1: there is no rule `ips`; there are ip, email, jwt, bearer, card, phone",
        ),
        (
            "[redaction.patterns]\naccount = '[0-9]*'",
            "f.toml:1:2: the pattern `account` can match the empty text",
        ),
    ] {
        let error = parse("f.toml", text, env(&[])).expect_err(text);
        assert_eq!(error.to_string(), expected, "{text}");
    }
}

#[test]
fn a_wrong_variable_is_named_in_one_line() {
    for (name, value, expected) in [
        (
            "LOGBOOM_SERVER__REQUEST_TIMEOUT_SECONDS",
            "soon",
            "invalid type: string \"soon\", expected u64",
        ),
        (
            "LOGBOOM_SERVER__MAX_BODY_BYTES",
            "0",
            "invalid value: integer `0`, expected a number above 0",
        ),
        (
            "LOGBOOM_ENDPOINT",
            "x",
            "unknown field `endpoint`, expected one of `server`, `warehouse`, `endpoints`, `tokens`, \
             `streams`, `limits`, `redaction`, `cache`, `rate_limits`; did you mean `endpoints`?",
        ),
        (
            "LOGBOOM_ENDPOINTS__X",
            "x",
            "`endpoints` has no settings in it",
        ),
        ("LOGBOOM_", "x", "names no setting"),
    ] {
        let text = "endpoints = 'e'";
        let error = parse("f", text, env(&[(name, value)]))
            .expect_err(name)
            .to_string();
        assert_eq!(error, format!("environment variable {name}: {expected}"));
    }
}

#[test]
fn only_the_default_file_may_be_absent() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("absent.toml");
    let error = Config::load(Some(&path), env(&[])).expect_err("the file is absent");
    assert!(matches!(error, ConfigError::Read { .. }), "{error}");
    std::fs::write(&path, "tokens = 't'").unwrap();
    let config = Config::load(Some(&path), env(&[])).unwrap();
    assert_eq!(config.tokens, Path::new("t"));
}
