//! Reading a request: credential, media types, query string and body.
//!
//! Nothing here knows an endpoint; what the names mean is decided by the endpoint's declaration.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Body;
use hyper::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
};
use percent_encoding::percent_decode;
use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::Value;

use super::error::{ApiError, Fault};
use crate::compiler::Code;
use crate::endpoint::Argument;

/// Holds the token.
pub(crate) const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// What a caller sent: a query of their own, and parameters in the order they came.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Arguments {
    /// GoogleSQL over the sub-tables; never blank.
    pub(crate) sql: Option<String>,
    /// LQL over the sub-tables; never blank.
    pub(crate) lql: Option<String>,
    /// Everything else, repeated names included.
    pub(crate) parameters: Vec<(String, Argument)>,
}

/// Returns the token: `X-API-KEY`, or else `Authorization: Bearer`.
///
/// `X-API-KEY` counts first, because a gateway in front may use `Authorization` for itself.
pub(crate) fn credential(headers: &HeaderMap) -> Result<&str, ApiError> {
    let unreadable = || {
        ApiError::new(
            Fault::Unauthenticated,
            "the token holds unreadable characters",
        )
    };
    if let Some(key) = only(headers, &X_API_KEY)? {
        return key.to_str().map(str::trim).map_err(|_| unreadable());
    }
    if let Some(value) = only(headers, &AUTHORIZATION)? {
        let value = value.to_str().map_err(|_| unreadable())?;
        if let Some((scheme, token)) = value.trim().split_once(' ')
            && scheme.eq_ignore_ascii_case("bearer")
        {
            return Ok(token.trim());
        }
    }
    Err(ApiError::new(
        Fault::Unauthenticated,
        "a token is required, in the header X-API-KEY or as Authorization: Bearer",
    ))
}

fn only<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a HeaderValue>, ApiError> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(ApiError::new(
            Fault::Unauthenticated,
            format!("the header {name} was sent more than once"),
        ));
    }
    Ok(first)
}

/// Returns the labels that the caller sets in `<PREFIX>-ENDPOINT-LABELS: key=value, …`, as far as their keys
/// are allowed. They are for the operator's books: what is not one is passed over.
pub(crate) fn labels(
    headers: &HeaderMap,
    prefix: &str,
    allowed: &[String],
) -> Vec<(String, String)> {
    headers
        .get_all(format!("{prefix}-ENDPOINT-LABELS"))
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|list| list.split(','))
        .filter_map(|label| label.split_once('='))
        .map(|(key, value)| (key.trim(), value.trim()))
        .filter(|(key, _)| {
            allowed
                .iter()
                .any(|allowed| allowed.eq_ignore_ascii_case(key))
        })
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// Returns whether the caller wants a result that is made now (RFC 9111, section 5.2.1.4).
pub(crate) fn wants_refresh(headers: &HeaderMap) -> bool {
    headers.get_all(CACHE_CONTROL).iter().any(|value| {
        let value = String::from_utf8_lossy(value.as_bytes());
        let mut directives = value.split(',').map(str::trim);
        directives.any(|directive| directive.eq_ignore_ascii_case("no-cache"))
    })
}

/// Reads a whole body of at most `limit` bytes, within `patience`.
pub(crate) async fn read_body<B>(
    body: B,
    limit: usize,
    patience: Duration,
) -> Result<Bytes, ApiError>
where
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let too_large = || {
        ApiError::new(
            Fault::BodyTooLarge,
            format!("the body is longer than {limit} bytes (server.max_body_bytes)"),
        )
    };
    if body.size_hint().lower() > u64::try_from(limit).unwrap_or(u64::MAX) {
        return Err(too_large());
    }
    match tokio::time::timeout(patience, Limited::new(body, limit).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(ApiError::new(Fault::Malformed, "the body ended early")),
        Err(_) => Err(ApiError::new(
            Fault::BodyTimeout,
            format!(
                "the body did not arrive within {} seconds (server.request_timeout_seconds)",
                patience.as_secs()
            ),
        )),
    }
}

/// Refuses a body that is not declared as JSON in UTF-8.
pub(crate) fn is_json(headers: &HeaderMap) -> Result<(), ApiError> {
    let declared = headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok());
    let mut parts = declared.unwrap_or("").split(';').map(str::trim);
    let json = parts
        .next()
        .is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"));
    let utf8 = parts
        .filter_map(|p| p.split_once('='))
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))
        .all(|(_, charset)| {
            charset
                .trim()
                .trim_matches('"')
                .eq_ignore_ascii_case("utf-8")
        });
    if json && utf8 {
        return Ok(());
    }
    Err(ApiError::new(
        Fault::UnsupportedMediaType,
        "a body must be application/json in UTF-8",
    ))
}

impl Arguments {
    /// Reads the query string and a body, which may be mixed. `sql` and `lql` of the query string count
    /// before those of the body.
    pub(crate) fn decode(query: Option<&str>, body: &[u8]) -> Result<Self, ApiError> {
        let mut arguments = Self::default();
        for pair in query.unwrap_or("").split('&').filter(|p| !p.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decode(name)?, decode(value)?);
            match name.as_str() {
                "sql" => set("sql", &mut arguments.sql, value)?,
                "lql" => set("lql", &mut arguments.lql, value)?,
                _ => arguments.parameters.push((name, Argument::Text(value))),
            }
        }
        if body.iter().all(u8::is_ascii_whitespace) {
            return Ok(arguments.without_blanks());
        }
        let (mut sql, mut lql) = (None, None);
        for (name, value) in object(body)? {
            match name.as_str() {
                "sql" => sql = text("sql", value)?,
                "lql" => lql = text("lql", value)?,
                _ => arguments.parameters.push((name, Argument::Json(value))),
            }
        }
        let mut arguments = arguments.without_blanks();
        arguments.sql = arguments.sql.or(sql);
        arguments.lql = arguments.lql.or(lql);
        Ok(arguments.without_blanks())
    }

    /// Takes a text of nothing as none: a form sends `sql=` when its field is empty.
    fn without_blanks(mut self) -> Self {
        let present = |text: &String| !text.trim().is_empty();
        self.sql = self.sql.filter(present);
        self.lql = self.lql.filter(present);
        self
    }
}

fn set(name: &str, slot: &mut Option<String>, value: String) -> Result<(), ApiError> {
    if slot.replace(value).is_some() {
        return Err(repeated(name));
    }
    Ok(())
}

fn repeated(name: &str) -> ApiError {
    ApiError::refusal(
        Code::RepeatedParameter,
        format!("parameter `{name}` is given more than once"),
    )
}

fn text(name: &str, value: Value) -> Result<Option<String>, ApiError> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Err(ApiError::refusal(
                Code::BadParameter,
                format!("parameter `{name}` must be a string"),
            ))
        }
    }
}

/// Decodes one part of `application/x-www-form-urlencoded` text. A `%` that starts no escape stands for
/// itself, as the URL standard has it.
fn decode(part: &str) -> Result<String, ApiError> {
    let spaced: Cow<'_, str> = if part.contains('+') {
        part.replace('+', " ").into()
    } else {
        part.into()
    };
    percent_decode(spaced.as_bytes())
        .decode_utf8()
        .map(Cow::into_owned)
        .map_err(|_| ApiError::new(Fault::Malformed, "the query string is not UTF-8"))
}

/// Reads a JSON object, in order. A name that is given twice is refused: which of the two would count
/// is a matter of taste between parsers.
fn object(body: &[u8]) -> Result<Vec<(String, Value)>, ApiError> {
    let body = std::str::from_utf8(body)
        .map_err(|_| ApiError::new(Fault::Malformed, "the body is not UTF-8"))?;
    let mut deserializer = serde_json::Deserializer::from_str(body);
    let pairs = deserializer
        .deserialize_map(Pairs)
        .and_then(|pairs| deserializer.end().map(|()| pairs))
        .map_err(|e| {
            ApiError::new(
                Fault::Malformed,
                format!("the body must be a JSON object: {e}"),
            )
        })?;
    let mut names: Vec<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find_map(|pair| match pair {
        [a, b] if a == b => Some(*a),
        _ => None,
    }) {
        return Err(repeated(twice));
    }
    Ok(pairs)
}

/// The members of an object as they come.
struct Pairs;

impl<'de> Visitor<'de> for Pairs {
    type Value = Vec<(String, Value)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of parameters")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(pairs)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(*name, HeaderValue::from_static(value));
        }
        map
    }

    #[test]
    fn credentials() {
        #[track_caller]
        fn check(pairs: &[(&'static str, &'static str)], expected: Option<&str>) {
            assert_eq!(credential(&headers(pairs)).ok(), expected, "{pairs:?}");
        }
        check(&[("x-api-key", "abc")], Some("abc"));
        check(&[("authorization", "Bearer abc")], Some("abc"));
        check(&[("authorization", "bearer  abc ")], Some("abc"));
        check(&[("authorization", "Basic abc")], None);
        check(&[("authorization", "Bearer")], None);
        check(
            &[("authorization", "Bearer gateway"), ("x-api-key", "abc")],
            Some("abc"),
        );
        check(&[("x-api-key", "a"), ("x-api-key", "b")], None);
        check(&[], None);
    }

    #[test]
    fn labels_with_allowed_keys() {
        #[track_caller]
        fn check(values: &[&'static str], expected: &[(&str, &str)]) {
            let pairs: Vec<_> = values
                .iter()
                .map(|&v| ("acme-endpoint-labels", v))
                .collect();
            let allowed = ["team".to_owned(), "Board".to_owned()];
            let found = labels(&headers(&pairs), "ACME", &allowed);
            let found: Vec<(&str, &str)> = found
                .iter()
                .map(|(key, value)| (key.as_str(), value.as_str()))
                .collect();
            assert_eq!(found, expected, "{values:?}");
        }
        check(&[], &[]);
        check(&["team=sre"], &[("team", "sre")]);
        check(
            &["TEAM = a=b , other=1", "board="],
            &[("TEAM", "a=b"), ("board", "")],
        );
        check(&["team", "=x", ",,", "endpoint=mine"], &[]);
    }

    #[test]
    fn content_type() {
        #[track_caller]
        fn check(value: &'static str, expected: bool) {
            let map = headers(&[("content-type", value)]);
            assert_eq!(is_json(&map).is_ok(), expected, "{value}");
        }
        check("application/json", true);
        check("application/json; charset=utf-8", true);
        check("Application/Json;Charset=\"UTF-8\"", true);
        check("application/json; charset=latin1", false);
        check("text/plain", false);
        assert!(is_json(&headers(&[])).is_err());
    }

    #[test]
    fn query_strings() {
        #[track_caller]
        fn check(query: &str, sql: Option<&str>, expected: &[(&str, &str)]) {
            let got = Arguments::decode(Some(query), b"").unwrap();
            let expected: Vec<_> = expected
                .iter()
                .map(|(name, value)| ((*name).to_owned(), Argument::Text((*value).to_owned())))
                .collect();
            assert_eq!(got.sql.as_deref(), sql, "{query}");
            assert_eq!(got.parameters, expected, "{query}");
        }
        check("", None, &[]);
        check("a=1&b=x%20y+z", None, &[("a", "1"), ("b", "x y z")]);
        check("a&a=2&=3&&", None, &[("a", ""), ("a", "2"), ("", "3")]);
        check("p=%C3%A9%2B&sql=select+1", Some("select 1"), &[("p", "é+")]);
        check("sql=", None, &[]);
        check("sql=+%0A", None, &[]);
        check("sql=--+x", Some("-- x"), &[]);
        check("sql=like+'%25a%'", Some("like '%a%'"), &[]);
        check("a=b=c", None, &[("a", "b=c")]);
    }

    #[test]
    fn bodies() {
        let got = Arguments::decode(
            Some("project=p&sql="),
            br#"{"sql":"select 1","lql":null,"n":1,"tags":["a"]}"#,
        )
        .unwrap();
        assert_eq!(
            got,
            Arguments {
                sql: Some("select 1".into()),
                lql: None,
                parameters: vec![
                    ("project".into(), Argument::Text("p".into())),
                    ("n".into(), Argument::Json(json!(1))),
                    ("tags".into(), Argument::Json(json!(["a"]))),
                ],
            }
        );
        let got = Arguments::decode(Some("sql=a"), br#"{"sql":"b"}"#).unwrap();
        assert_eq!(got.sql.as_deref(), Some("a"));
    }

    #[test]
    fn refusals() {
        #[track_caller]
        fn check(query: &str, body: &str, code: &str) {
            let error = Arguments::decode(Some(query), body.as_bytes()).unwrap_err();
            assert_eq!(error.codes(), code, "{query} {body}");
        }
        check("a=%ff", "", "LB608");
        check("%C3=1", "", "LB608");
        check("sql=a&sql=b", "", "LB407");
        check("", r#"{"a":1,"b":2,"a":3}"#, "LB407");
        check("", r#"{"sql":"a","sql":"a"}"#, "LB407");
        check("", r#"{"sql":7}"#, "LB402");
        check("", "[1]", "LB608");
        check("", "{} {}", "LB608");
        check("", &"[".repeat(100_000), "LB608");
        check("", &format!("{{\"a\":{}", "[".repeat(100_000)), "LB608");
    }

    #[tokio::test]
    async fn body_limit() {
        let body = |n: usize| http_body_util::Full::new(Bytes::from(vec![b' '; n]));
        let patience = Duration::from_secs(60);
        assert_eq!(read_body(body(8), 8, patience).await.unwrap().len(), 8);
        let error = read_body(body(9), 8, patience).await.unwrap_err();
        assert_eq!(error.codes(), "LB607");
    }
}
