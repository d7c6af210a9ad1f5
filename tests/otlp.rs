//! Traces: the real binary and a collector that takes what it sends.

#![expect(clippy::unwrap_used, reason = "what is not as expected fails the test")]

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use tempfile::TempDir;

const CONFIG: &str =
    "[warehouse]\nkind = 'bigquery'\nproject = 'p'\n[streams.s]\ntable = 'p.d.s'\n";
const SCHEMA: &str = r#"[{"name": "id", "type": "STRING"}, {"name": "project", "type": "STRING"}]"#;
const SETTINGS: &str = "id = '7f0d9a52-5f0e-4b45-9a0e-0f6f1f2f3f4f'\n[parameters.project]\ntype = 'string'\nrequired = true\n";
const SQL: &str = "SELECT id FROM s WHERE project = @project";
const PATH: &str = "/api/endpoints/query/ids";

/// What a collector got: the head of each request and its body.
type Got = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

/// Takes whatever is sent, at this URL.
fn collector() -> (String, Got) {
    let (port, got) = listen(take);
    (format!("http://127.0.0.1:{port}"), got)
}

/// Takes what those send who trust it and whom it trusts. Others get no further than the handshake.
fn private_collector(trusted: &Path) -> (String, Got) {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(certificate(trusted)).unwrap();
    let clients =
        WebPkiClientVerifier::builder_with_provider(roots.into(), Arc::clone(&provider)).build();
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(clients.unwrap())
        .with_single_cert(
            vec![certificate(&pem("first.cert.pem"))],
            PrivateKeyDer::from_pem_file(pem("first.key.pem")).unwrap(),
        );
    let config = Arc::new(config.unwrap());
    let (port, got) = listen(move |mut stream, got| {
        let mut tls = ServerConnection::new(Arc::clone(&config)).unwrap();
        // A client that is not trusted is told so.
        if tls.complete_io(&mut stream).is_ok() {
            take(StreamOwned::new(tls, stream), got);
        }
    });
    (format!("https://localhost:{port}"), got)
}

fn pem(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/tls")
        .join(name)
}

fn certificate(file: &Path) -> CertificateDer<'static> {
    CertificateDer::from_pem_file(file).unwrap()
}

/// Answers connections one after the other, on this port.
fn listen(answer: impl Fn(TcpStream, &Got) + Send + 'static) -> (u16, Got) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let got = Got::default();
    let taken = Arc::clone(&got);
    thread::spawn(move || {
        for stream in listener.incoming() {
            answer(stream.unwrap(), &taken);
        }
    });
    (port, got)
}

/// Takes one request.
fn take(stream: impl Read + Write, got: &Got) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(reader.read_line(&mut head).unwrap(), 0, "{head}");
    }
    head.make_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.unwrap().parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    got.lock().unwrap().push((head, body));
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    reader.get_mut().write_all(answer).unwrap();
}

/// Returns the binary in a folder, in an environment that has nothing of whoever runs the tests.
fn binary(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_logboom"));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("LOGBOOM_") || text.starts_with("OTEL_") {
            command.env_remove(name);
        }
    }
    // Nobody listens there.
    command
        .env("BIGQUERY_EMULATOR_HOST", "127.0.0.1:1")
        .current_dir(folder)
        .stdin(Stdio::null());
    command
}

struct Server {
    process: Child,
    address: String,
    token: String,
    _folder: TempDir,
}

impl Server {
    /// Starts with a collector and more of the exporter's settings.
    fn start(collector: &str, settings: &[(&str, PathBuf)]) -> Self {
        let folder = TempDir::new().unwrap();
        let endpoints = folder.path().join("endpoints");
        std::fs::create_dir_all(endpoints.join("streams")).unwrap();
        for (name, text) in [
            ("logboom.toml", CONFIG),
            ("endpoints/streams/s.json", SCHEMA),
            ("endpoints/ids.toml", SETTINGS),
            ("endpoints/ids.sql", SQL),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let create = ["token", "create", "--name", "all"];
        let created = binary(folder.path()).args(create).output().unwrap();
        let mut process = binary(folder.path())
            .args(["serve", "--listen", "127.0.0.1:0"])
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", collector)
            .envs(settings.iter().cloned())
            .env("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=t1")
            .env("OTEL_RESOURCE_ATTRIBUTES", "deployment=test")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = process.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        Self {
            process,
            address: line.trim().rsplit('/').next().unwrap().to_owned(),
            token: String::from_utf8(created.stdout).unwrap().trim().to_owned(),
            _folder: folder,
        }
    }

    /// Sends a request with these headers and returns its status and the head of its answer.
    fn get(&self, path: &str, headers: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: x\r\n{headers}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer)
    }

    fn terminate(mut self) -> Option<i32> {
        let id = self.process.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status().unwrap();
        self.process.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The part of a trace that a caller has.
const PARENT: u64 = 0x00f0_67aa_0ba9_02b7;

fn traceparent(trace: u128, flags: &str) -> String {
    format!("traceparent: 00-{trace:032x}-{PARENT:016x}-{flags}\r\n")
}

/// Returns the id of the span that an answer names.
fn named(answer: &str, trace: u128) -> u64 {
    let value = answer
        .lines()
        .find_map(|line| line.strip_prefix("traceresponse: "));
    let mut parts = value
        .unwrap_or_else(|| panic!("{answer}"))
        .split('-')
        .skip(1);
    assert_eq!(parts.next().unwrap(), format!("{trace:032x}"));
    u64::from_str_radix(parts.next().unwrap(), 16).unwrap()
}

#[test]
fn requests_are_spans_of_the_callers_trace() {
    let (address, got) = collector();
    let server = Server::start(&address, &[]);
    let key = format!("X-API-KEY: {}\r\n", server.token);
    // Which trace, whether it is recorded, and what the spans tell.
    let [refused, failed, stranger, unrecorded, probe] =
        [1, 2, 3, 4, 5].map(|n| 0xa0_0000 << 96 | n);

    let (status, answer) = server.get(PATH, &(key.clone() + &traceparent(refused, "01")));
    assert_eq!(status, 400, "{answer}");
    let span = named(&answer, refused);
    let slow = format!("{key}Request-Timeout: 1\r\n{}", traceparent(failed, "01"));
    let (status, answer) = server.get(&format!("{PATH}?project=secretvalue"), &slow);
    assert!(status >= 500, "{answer}");
    let unknown = format!(
        "X-API-KEY: lbk_secrettoken\r\n{}",
        traceparent(stranger, "01")
    );
    assert_eq!(server.get(PATH, &unknown).0, 401);
    let (status, answer) = server.get(PATH, &(key + &traceparent(unrecorded, "00")));
    assert_eq!(status, 400, "{answer}");
    assert!(answer.contains("-00\r\n"), "{answer}");
    assert_eq!(server.get("/healthz", &traceparent(probe, "01")).0, 200);
    let token = server.token.clone();
    assert_eq!(server.terminate(), Some(0));

    let got = got.lock().unwrap();
    for (head, _) in got.iter() {
        assert!(head.starts_with("post /v1/traces "), "{head}");
        assert!(
            head.contains("content-type: application/x-protobuf"),
            "{head}"
        );
        assert!(head.contains("x-tenant: t1"), "{head}");
    }
    let sent: Vec<u8> = got.iter().flat_map(|(_, body)| body.clone()).collect();
    let has = |bytes: &[u8]| sent.windows(bytes.len()).any(|window| window == bytes);
    for (trace, expected) in [
        (refused, true),
        (failed, true),
        (stranger, true),
        (unrecorded, false),
        (probe, false),
    ] {
        // Field 1 of a span, 16 bytes long.
        let field = [&[0x0a, 16][..], &trace.to_be_bytes()].concat();
        assert_eq!(has(&field), expected, "{trace:x}");
    }
    // Fields 2 and 4, 8 bytes long: the span itself and its parent.
    assert!(has(&[&[0x12, 8][..], &span.to_be_bytes()].concat()));
    assert!(has(&[&[0x22, 8][..], &PARENT.to_be_bytes()].concat()));
    for text in [
        "GET /api/endpoints/query/{endpoint}",
        "service.name",
        "deployment",
        "http.response.status_code",
        "logboom.endpoint",
        "ids",
        "LB401",
        "LB601",
        "error.type",
        "logboom.phase.auth_ms",
        "logboom.phase.run_ms",
    ] {
        assert!(has(text.as_bytes()), "{text}");
    }
    for secret in [token.as_str(), "secrettoken", "secretvalue", "SELECT"] {
        assert!(!has(secret.as_bytes()), "{secret}");
    }
}

#[test]
fn a_private_collector_is_trusted_by_its_own_certificate() {
    const TRUST: &str = "OTEL_EXPORTER_OTLP_CERTIFICATE";
    const CLIENT: &str = "OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE";
    const KEY: &str = "OTEL_EXPORTER_OTLP_CLIENT_KEY";
    let client = [
        (CLIENT, pem("second.cert.pem")),
        (KEY, pem("second.key.pem")),
    ];
    let trust = (TRUST, pem("first.cert.pem"));
    let [own, key] = client.clone();
    for (settings, arrives) in [
        (vec![trust.clone(), own.clone(), key.clone()], true),
        // By Mozilla's roots nobody knows it, and another's certificate is not its own.
        (vec![own.clone(), key.clone()], false),
        (vec![(TRUST, pem("second.cert.pem")), own, key], false),
        // It does not know the client.
        (vec![trust], false),
    ] {
        let (address, got) = private_collector(&pem("second.cert.pem"));
        let server = Server::start(&address, &settings);
        assert_eq!(server.get(PATH, &traceparent(7, "01")).0, 401);
        assert_eq!(server.terminate(), Some(0));
        let got = got.lock().unwrap();
        assert_eq!(!got.is_empty(), arrives, "{settings:?}");
        let posts = |(head, _): &(String, _)| head.starts_with("post /v1/traces ");
        assert!(got.iter().all(posts), "{settings:?}");
    }
}

#[test]
fn a_wish_that_cannot_be_met_stops_the_start() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("logboom.toml"), CONFIG).unwrap();
    std::fs::create_dir(folder.path().join("endpoints")).unwrap();
    for (name, value, expected) in [
        (
            "OTEL_EXPORTER_OTLP_PROTOCOL",
            "grpc",
            "there is only `http/protobuf`",
        ),
        (
            "OTEL_TRACES_EXPORTER",
            "zipkin",
            "there are `otlp` and `none`",
        ),
        (
            "OTEL_EXPORTER_OTLP_TIMEOUT",
            "soon",
            "OTEL_EXPORTER_OTLP_TIMEOUT is `soon`",
        ),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "no url", "OpenTelemetry"),
        (
            "OTEL_EXPORTER_OTLP_CERTIFICATE",
            "nowhere.pem",
            "OTEL_EXPORTER_OTLP_CERTIFICATE is `nowhere.pem`",
        ),
        (
            "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE",
            "logboom.toml",
            "`logboom.toml`, which holds no certificate",
        ),
        (
            "OTEL_EXPORTER_OTLP_CLIENT_KEY",
            "key.pem",
            "OTEL_EXPORTER_OTLP_CLIENT_KEY is set; a certificate",
        ),
    ] {
        let output = binary(folder.path())
            .args(["serve", "--listen", "127.0.0.1:0"])
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
            .env(name, value)
            .output()
            .unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains(expected), "{told}");
    }
}
