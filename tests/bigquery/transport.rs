//! TLS, proxies, connections.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use logboom::warehouse::bigquery::{
    BigQuery, Credentials, Environment, OpenError, Proxy, Settings,
};
use logboom::warehouse::{Warehouse as _, WarehouseError};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use super::fake::{Fake, Habits, Op};
use super::service::Folder;
use super::{open, query, settings, soon};

fn ca_file() -> Option<PathBuf> {
    Some(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bigquery/keys/ca.pem").into())
}

fn tls(fake: &Fake) -> Settings {
    Settings {
        api: format!("https://localhost:{}", fake.address.port()),
        ca_file: ca_file(),
        ..settings(fake)
    }
}

#[tokio::test]
async fn connections_are_used_again() {
    let fake = Fake::start(Habits::default()).await;
    let warehouse = open(&fake);
    for _ in 0..20 {
        warehouse.run(&query("a"), soon()).await.unwrap();
    }
    assert_eq!(fake.connections(), (1, 1));
    drop(warehouse);
    fake.wait_until("the end of the connection", |fake| {
        fake.connections().0 == 0
    })
    .await;
}

#[tokio::test]
async fn certificates_are_checked() {
    let fake = Fake::start_tls(Habits::default()).await;
    let warehouse = BigQuery::open(tls(&fake)).unwrap();
    warehouse.run(&query("a"), soon()).await.unwrap();
    assert_eq!(fake.connections().1, 1);

    let strict = Settings {
        ca_file: None,
        ..tls(&fake)
    };
    let warehouse = BigQuery::open(strict).unwrap();
    let failed = warehouse.run(&query("a"), soon()).await;
    match failed {
        Err(WarehouseError::Unavailable(message)) => {
            assert!(message.contains("invalid peer certificate"), "{message}");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_proxy_is_tunnelled_through() {
    let fake = Fake::start_tls(Habits::default()).await;
    let hop = ConnectProxy::start().await;
    let proxied = |except: Option<&str>| {
        BigQuery::open(Settings {
            proxy: Proxy {
                url: Some(format!("http://user:pass@{}", hop.address)),
                except: except.map(str::to_owned),
            },
            ..tls(&fake)
        })
        .unwrap()
    };
    proxied(None).run(&query("a"), soon()).await.unwrap();
    assert_eq!(hop.connections.load(Ordering::SeqCst), 1);
    let head = hop.heads.lock().unwrap().concat().to_lowercase();
    let port = fake.address.port();
    assert!(
        head.starts_with(&format!("connect localhost:{port} http/1.1")),
        "{head}"
    );
    assert!(
        head.contains("proxy-authorization: basic dxnlcjpwyxnz"),
        "{head}"
    );

    proxied(Some("localhost"))
        .run(&query("a"), soon())
        .await
        .unwrap();
    assert_eq!(hop.connections.load(Ordering::SeqCst), 1);
    assert!(!fake.seen(Op::Query).is_empty());
}

/// A proxy that knows CONNECT.
struct ConnectProxy {
    address: std::net::SocketAddr,
    connections: Arc<AtomicUsize>,
    heads: Arc<Mutex<Vec<String>>>,
}

impl ConnectProxy {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Self {
            address: listener.local_addr().unwrap(),
            connections: Arc::default(),
            heads: Arc::default(),
        };
        let (connections, heads) = (Arc::clone(&proxy.connections), Arc::clone(&proxy.heads));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(tunnel(BufReader::new(stream), Arc::clone(&heads)));
            }
        });
        proxy
    }
}

async fn tunnel(mut client: BufReader<TcpStream>, heads: Arc<Mutex<Vec<String>>>) {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        client.read_line(&mut line).await.unwrap();
        let is_last = line.trim().is_empty();
        lines.push(line);
        if is_last {
            break;
        }
    }
    let target = lines[0].split(' ').nth(1).unwrap().to_owned();
    heads.lock().unwrap().extend(lines);
    let mut server = TcpStream::connect(target).await.unwrap();
    client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
    // Either side may end it.
    let _ = copy_bidirectional(&mut client, &mut server).await;
}

#[tokio::test]
async fn what_cannot_be_used_is_said_at_the_start() {
    let fake = Fake::start(Habits::default()).await;
    let error = |settings: Settings| BigQuery::open(settings).unwrap_err();
    let with_proxy = |url: &str| Settings {
        proxy: Proxy {
            url: Some(url.to_owned()),
            except: None,
        },
        ..settings(&fake)
    };
    assert!(matches!(
        error(with_proxy("socks5://h:1")),
        OpenError::Proxy
    ));
    assert!(matches!(error(with_proxy("::")), OpenError::Proxy));
    let api = Settings {
        api: "localhost:9050".into(),
        ..settings(&fake)
    };
    assert!(matches!(error(api), OpenError::Api(_)));
    for (api, is_right) in [
        ("http://bigquery.example.test", false),
        ("http://127.0.0.1.example.test", false),
        ("https://bigquery.example.test", true),
        ("http://[::1]:9050", true),
        ("http://localhost:9050", true),
    ] {
        let opened = BigQuery::open(Settings {
            api: api.into(),
            credentials: Credentials::Metadata("127.0.0.1".into()),
            ..settings(&fake)
        });
        assert_eq!(opened.is_ok(), is_right, "{api}");
    }
    for file in [
        "/nowhere/ca.pem",
        concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
    ] {
        let settings = Settings {
            ca_file: Some(file.into()),
            ..settings(&fake)
        };
        assert!(
            matches!(error(settings), OpenError::CaFile { .. }),
            "{file}"
        );
    }
}

#[test]
fn the_environment_is_followed_as_google_does() {
    let read = |pairs: &[(&str, &str)]| {
        Environment::read(Some("/nowhere".into()), |name| {
            let found = pairs.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    };
    let nothing = read(&[]);
    assert_eq!(nothing.emulator(), None);
    assert_eq!(
        format!("{:?}", nothing.default_credentials()),
        r#"Metadata("metadata.google.internal")"#
    );
    assert_eq!(nothing.proxy, Proxy::default());
    let all = read(&[
        ("BIGQUERY_EMULATOR_HOST", "localhost:9050"),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/key.json"),
        ("GCE_METADATA_HOST", "169.254.169.254"),
        ("HTTPS_PROXY", ""),
        ("https_proxy", "http://proxy:1"),
        ("no_proxy", "localhost"),
    ]);
    assert_eq!(all.emulator().as_deref(), Some("http://localhost:9050"));
    assert_eq!(
        format!("{:?}", all.default_credentials()),
        r#"File("/key.json")"#
    );
    assert_eq!(
        format!("{:?}", all.metadata()),
        r#"Metadata("169.254.169.254")"#
    );
    assert_eq!(all.proxy.url.as_deref(), Some("http://proxy:1"));
    assert_eq!(all.proxy.except.as_deref(), Some("localhost"));
    let url = read(&[("BIGQUERY_EMULATOR_HOST", "https://emulator.test/")]);
    assert_eq!(url.emulator().as_deref(), Some("https://emulator.test"));
}

#[test]
fn a_server_without_its_warehouse_is_alive_and_not_ready() {
    const NOWHERE: &str = "127.0.0.1:1";
    let folder = Folder::new();
    let server = folder.serve(NOWHERE);
    let ask = ["healthcheck", "--listen", &server.address];
    let (code, _, told) = folder.run(NOWHERE, &ask);
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("/readyz answers 503"), "{told}");
    let (code, told, _) = folder.run(NOWHERE, &[&ask[..], &["--live"]].concat());
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(told.trim(), "{\"status\":\"ok\"}");
}
