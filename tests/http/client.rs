//! A blocking HTTP/1.1 client of one request per connection.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    /// Returns the first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Returns the body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// Returns the rows of a successful answer.
    #[track_caller]
    pub fn rows(&self) -> Vec<Value> {
        let json = self.json();
        assert_eq!(self.status, 200, "{json}");
        assert!(json.get("error").is_none(), "{json}");
        assert_eq!(
            self.header("content-type"),
            Some("application/json; charset=utf-8")
        );
        json["result"].as_array().expect("an array").clone()
    }

    /// Returns one column of a successful answer.
    #[track_caller]
    pub fn column(&self, name: &str) -> Vec<Value> {
        self.rows().iter().map(|row| row[name].clone()).collect()
    }

    /// Returns the error object of a failed answer, after checking what clients rely on.
    #[track_caller]
    pub fn error(&self, status: u16) -> Value {
        let json = self.json();
        assert_eq!(self.status, status, "{json}");
        assert!(json.get("result").is_none(), "{json}");
        let error = &json["error"];
        assert_eq!(error["code"], status, "{json}");
        assert_eq!(error["message"], json["message"], "{json}");
        assert!(error["status"].is_string(), "{json}");
        assert!(error["errors"][0]["reason"].is_string(), "{json}");
        assert_eq!(
            error["request_id"].as_str(),
            self.header("x-request-id"),
            "{json}"
        );
        error.clone()
    }
}

/// A request being put together.
pub struct Call<'a> {
    address: SocketAddr,
    method: &'a str,
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl<'a> Call<'a> {
    /// Returns a request for a path, without query string.
    pub fn new(address: SocketAddr, method: &'a str, path: &str) -> Self {
        Self {
            address,
            method,
            target: path.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Adds a parameter to the query string.
    pub fn param(mut self, name: &str, value: &str) -> Self {
        let pair = form_urlencoded::Serializer::new(String::new())
            .append_pair(name, value)
            .finish();
        self.target
            .push(if self.target.contains('?') { '&' } else { '?' });
        self.target.push_str(&pair);
        self
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets a JSON body.
    pub fn json(self, body: &str) -> Self {
        self.body("application/json", body.as_bytes())
    }

    /// Sets a body.
    pub fn body(mut self, content_type: &str, body: &[u8]) -> Self {
        self.body = body.to_vec();
        self.header("content-type", content_type)
            .header("content-length", &body.len().to_string())
    }

    /// Opens a connection and sends the request, without reading the answer.
    pub fn send(self) -> TcpStream {
        let mut head = format!(
            "{} {} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n",
            self.method, self.target
        );
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        let mut stream = TcpStream::connect(self.address).expect("connects");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("a timeout");
        stream.write_all(head.as_bytes()).expect("sends the head");
        // The server may refuse a body before it has read it.
        let _ = stream.write_all(&self.body);
        stream
    }

    /// Sends the request and reads the answer.
    #[track_caller]
    pub fn answer(self) -> Answer {
        let mut stream = self.send();
        let mut bytes = Vec::new();
        if let Err(error) = stream.read_to_end(&mut bytes) {
            assert!(!bytes.is_empty(), "no answer: {error}");
        }
        parse(&bytes)
    }
}

#[track_caller]
fn parse(bytes: &[u8]) -> Answer {
    let split = bytes
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .unwrap_or_else(|| panic!("no head: {}", String::from_utf8_lossy(bytes)));
    let head = String::from_utf8(bytes[..split].to_vec()).expect("a head of text");
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .and_then(|status| status.parse().ok())
        .expect("a status");
    let headers = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect();
    Answer {
        status,
        headers,
        body: bytes[split + 4..].to_vec(),
    }
}
