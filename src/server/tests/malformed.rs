//! Bytes that are no HTTP, or HTTP that must not be let through: every one gets a 4xx, or no answer and
//! the end of the connection.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::connections::start;
use super::service::Service;

/// Sends bytes and returns the status of the first answer; `None` when the connection just ends.
async fn status(address: SocketAddr, bytes: &[u8]) -> Option<u16> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The server may have answered and closed before it has read everything.
    let _ = stream.write_all(bytes).await;
    let _ = stream.shutdown().await;
    let mut answer = Vec::new();
    let reading = stream.read_to_end(&mut answer);
    // A reset is an end, too.
    let _ = tokio::time::timeout(Duration::from_secs(60), reading)
        .await
        .expect("the connection ends");
    let text = String::from_utf8_lossy(&answer);
    let line = text
        .strip_prefix("HTTP/1.1 ")
        .or(text.strip_prefix("HTTP/1.0 "))?;
    Some(line.get(..3)?.parse().unwrap())
}

#[tokio::test]
async fn every_kind_gets_a_4xx() {
    let service = Service::new();
    let (address, _stop, _server) = start(service.app.clone()).await;
    let long = "x".repeat(70_000);
    let many = "a: b\r\n".repeat(200);
    let token = &service.token;
    let call = format!(
        "/api/endpoints/query/plain?project=a HTTP/1.1\r\nhost: a\r\nx-api-key: {token}\r\n"
    );
    let cases: Vec<(&str, String)> = vec![
        ("no method", " / HTTP/1.1\r\n\r\n".into()),
        ("no version", "GET /\r\n\r\n".into()),
        ("an unknown version", "GET / HTTP/9.9\r\n\r\n".into()),
        ("a broken version", "GET / HTP/1.1\r\n\r\n".into()),
        (
            "a method of odd characters",
            "G(T / HTTP/1.1\r\nhost: a\r\n\r\n".into(),
        ),
        (
            "a space in the target",
            "GET /a b HTTP/1.1\r\nhost: a\r\n\r\n".into(),
        ),
        (
            "a control character in the target",
            "GET /\u{1} HTTP/1.1\r\nhost: a\r\n\r\n".into(),
        ),
        ("no path", "GET  HTTP/1.1\r\nhost: a\r\n\r\n".into()),
        (
            "a header without colon",
            "GET / HTTP/1.1\r\nhost\r\n\r\n".into(),
        ),
        (
            "a header with a space in its name",
            "GET / HTTP/1.1\r\nho st: a\r\n\r\n".into(),
        ),
        (
            "a header without name",
            "GET / HTTP/1.1\r\n: a\r\n\r\n".into(),
        ),
        (
            "a header with NUL",
            "GET / HTTP/1.1\r\nhost: a\0b\r\n\r\n".into(),
        ),
        (
            "a folded header",
            "GET / HTTP/1.1\r\nhost: a\r\n b\r\n\r\n".into(),
        ),
        (
            "a long target",
            format!("GET /{long} HTTP/1.1\r\nhost: a\r\n\r\n"),
        ),
        (
            "a long header",
            format!("GET / HTTP/1.1\r\nhost: {long}\r\n\r\n"),
        ),
        (
            "many headers",
            format!("GET / HTTP/1.1\r\nhost: a\r\n{many}\r\n"),
        ),
        (
            "a length that is no number",
            format!("POST {call}content-length: x\r\n\r\n"),
        ),
        (
            "a negative length",
            format!("POST {call}content-length: -1\r\n\r\n"),
        ),
        (
            "two lengths",
            format!("POST {call}content-length: 1\r\ncontent-length: 2\r\n\r\nab"),
        ),
        (
            "a length beyond all bounds",
            format!("POST {call}content-length: 99999999999999999999\r\n\r\n"),
        ),
        (
            "a length and chunks",
            format!("POST {call}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
        ),
        (
            "an unknown coding",
            format!("POST {call}transfer-encoding: zip\r\n\r\n"),
        ),
        (
            "a chunk size that is no number",
            format!(
                "POST {call}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{{}}\r\n0\r\n\r\n"
            ),
        ),
        (
            "a body that ends early",
            format!("POST {call}content-type: application/json\r\ncontent-length: 90\r\n\r\n{{"),
        ),
        (
            "a path of dots",
            "GET /api/endpoints/query/../../etc/passwd HTTP/1.1\r\nhost: a\r\n\r\n".into(),
        ),
        (
            "a whole URL elsewhere",
            "GET http://elsewhere.test/ HTTP/1.1\r\nhost: a\r\n\r\n".into(),
        ),
        (
            "a proxy's CONNECT",
            "CONNECT elsewhere.test:443 HTTP/1.1\r\nhost: a\r\n\r\n".into(),
        ),
        (
            "an unknown method",
            "BREW /healthz HTTP/1.1\r\nhost: a\r\n\r\n".into(),
        ),
        (
            "a TLS greeting",
            "\u{16}\u{3}\u{1}\0\u{5}hello\r\n\r\n".into(),
        ),
    ];
    assert!(cases.len() > 24);
    let mut silent = Vec::new();
    for (what, bytes) in cases {
        match status(address, bytes.as_bytes()).await {
            Some(status) => assert!((400..500).contains(&status), "{what}: {status}"),
            None => silent.push(what),
        }
    }
    // The library closes these without a word; the callers are no HTTP clients.
    assert!(silent.len() <= 2, "{silent:?}");
    assert_eq!(service.warehouse.begun(), 0);
    // The server is well.
    let alive = b"GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    assert_eq!(status(address, alive).await, Some(200));
}
