//! The places that access tokens come from.
//!
//! Source: RFC 7523 (JWT bearer grant) and RFC 6749 section 6 (refresh token); Google Cloud
//! documentation, "OAuth 2.0 for server to server applications" and "View and query VM metadata".

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use gcp_auth::CustomServiceAccount;
use http_body_util::Full;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Request, Uri};
use serde::Deserialize;
use serde_json::json;

use super::Token;
use crate::warehouse::bigquery::http::Http;
use crate::warehouse::bigquery::settings::{Credentials, OpenError};

/// All that is asked for: BigQuery.
const SCOPE: &str = "https://www.googleapis.com/auth/bigquery";

/// Where the credentials of a person are changed for a token.
const GOOGLE_TOKEN_URI: &str = "https://oauth2.googleapis.com/token";

/// How long a signed request for a token is good.
const ASSERTION_SECONDS: i64 = 3600;

/// Why there is no token.
#[derive(Clone, Debug, thiserror::Error)]
pub(in super::super) enum AuthError {
    /// The next attempt may succeed.
    #[error("credentials: {0}")]
    Passing(String),
    /// It will not.
    #[error("credentials: {0}")]
    Failed(String),
}

/// A place that access tokens come from.
#[async_trait]
pub(in super::super) trait TokenSource: Send + Sync {
    /// Fetches a new token.
    ///
    /// # Errors
    /// There is none to be had.
    async fn fetch(&self, http: &Http) -> Result<Token, AuthError>;
}

/// Opens the place that the credentials name; none where none are wanted.
pub(super) fn open(credentials: &Credentials) -> Result<Option<Arc<dyn TokenSource>>, OpenError> {
    match credentials {
        Credentials::None => Ok(None),
        Credentials::Metadata(host) => Ok(Some(Arc::new(Metadata {
            uri: metadata_uri(host)?,
        }))),
        Credentials::File(path) => file(path).map(Some),
    }
}

/// Opens a file of credentials, by what it says it is.
fn file(path: &Path) -> Result<Arc<dyn TokenSource>, OpenError> {
    let failed = |message: String| OpenError::Credentials {
        path: path.to_owned(),
        message,
    };
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    // What serde says of a JSON text may quote it; where the mistake is, is enough.
    let unreadable = |error: serde_json::Error| {
        let (line, column) = (error.line(), error.column());
        failed(format!(
            "line {line}, column {column}: no credentials as JSON"
        ))
    };
    let kind: Kind = serde_json::from_str(&text).map_err(unreadable)?;
    match kind.ty.as_str() {
        "service_account" => {
            let key: KeyFile = serde_json::from_str(&text).map_err(unreadable)?;
            let account = CustomServiceAccount::from_json(&text).map_err(|_| {
                failed("its private key is not an RSA key in PKCS #8 form".to_owned())
            })?;
            let token_uri = uri(&key.token_uri).map_err(failed)?;
            Ok(Arc::new(ServiceAccount {
                account,
                key,
                token_uri,
            }))
        }
        "authorized_user" => {
            let user: UserFile = serde_json::from_str(&text).map_err(unreadable)?;
            let token_uri = user.token_uri.as_deref().unwrap_or(GOOGLE_TOKEN_URI);
            let token_uri = uri(token_uri).map_err(failed)?;
            Ok(Arc::new(Person { user, token_uri }))
        }
        _ => Err(failed(
            "its `type` is neither `service_account` nor `authorized_user`; others are not supported"
                .to_owned(),
        )),
    }
}

#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    ty: String,
}

#[derive(Deserialize)]
struct KeyFile {
    client_email: String,
    token_uri: String,
    private_key_id: Option<String>,
}

#[derive(Deserialize)]
struct UserFile {
    client_id: String,
    client_secret: String,
    refresh_token: String,
    token_uri: Option<String>,
}

fn uri(text: &str) -> Result<Uri, String> {
    text.parse::<Uri>()
        .ok()
        .filter(|uri| uri.scheme().is_some() && uri.host().is_some())
        .ok_or_else(|| "its `token_uri` is not a URL".to_owned())
}

/// A service account by its key.
struct ServiceAccount {
    account: CustomServiceAccount,
    key: KeyFile,
    token_uri: Uri,
}

#[async_trait]
impl TokenSource for ServiceAccount {
    async fn fetch(&self, http: &Http) -> Result<Token, AuthError> {
        let assertion = self.assertion(jiff::Timestamp::now().as_second())?;
        let form = form_urlencoded::Serializer::new(String::new())
            .append_pair("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")
            .append_pair("assertion", &assertion)
            .finish();
        post(http, &self.token_uri, form).await
    }
}

impl ServiceAccount {
    /// Returns the signed claim that a token is given for. `now` is in seconds since the Unix epoch.
    fn assertion(&self, now: i64) -> Result<String, AuthError> {
        let mut header = json!({"alg": "RS256", "typ": "JWT"});
        if let (Some(id), Some(header)) = (&self.key.private_key_id, header.as_object_mut()) {
            header.insert("kid".into(), id.as_str().into());
        }
        let claims = json!({
            "iss": self.key.client_email,
            "scope": SCOPE,
            "aud": self.key.token_uri,
            "iat": now,
            "exp": now + ASSERTION_SECONDS,
        });
        let part = |part: &serde_json::Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let mut text = format!("{}.{}", part(&header), part(&claims));
        let signature = self
            .account
            .signer()
            .sign(text.as_bytes())
            .map_err(|error| AuthError::Failed(error.to_string()))?;
        text.push('.');
        text.push_str(&URL_SAFE_NO_PAD.encode(signature));
        Ok(text)
    }
}

/// A person, by what `gcloud auth application-default login` left.
struct Person {
    user: UserFile,
    token_uri: Uri,
}

#[async_trait]
impl TokenSource for Person {
    async fn fetch(&self, http: &Http) -> Result<Token, AuthError> {
        let form = form_urlencoded::Serializer::new(String::new())
            .append_pair("grant_type", "refresh_token")
            .append_pair("client_id", &self.user.client_id)
            .append_pair("client_secret", &self.user.client_secret)
            .append_pair("refresh_token", &self.user.refresh_token)
            .finish();
        post(http, &self.token_uri, form).await
    }
}

/// The service account of the machine.
struct Metadata {
    uri: Uri,
}

fn metadata_uri(host: &str) -> Result<Uri, OpenError> {
    let text = format!(
        "http://{host}/computeMetadata/v1/instance/service-accounts/default/token?scopes={SCOPE}"
    );
    text.parse()
        .map_err(|_| OpenError::MetadataHost(host.to_owned()))
}

#[async_trait]
impl TokenSource for Metadata {
    async fn fetch(&self, http: &Http) -> Result<Token, AuthError> {
        let mut request = Request::new(Full::default());
        *request.uri_mut() = self.uri.clone();
        request
            .headers_mut()
            .insert("metadata-flavor", HeaderValue::from_static("Google"));
        token(http, request).await
    }
}

async fn post(http: &Http, uri: &Uri, form: String) -> Result<Token, AuthError> {
    let mut request = Request::new(Full::new(Bytes::from(form)));
    *request.method_mut() = hyper::Method::POST;
    *request.uri_mut() = uri.clone();
    request.headers_mut().insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/x-www-form-urlencoded"),
    );
    token(http, request).await
}

/// The answer to a request for a token.
#[derive(Deserialize)]
struct Granted {
    access_token: String,
    /// Seconds.
    expires_in: u64,
}

/// The answer to a request that is refused.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Refused {
    error: String,
    error_description: String,
}

async fn token(http: &Http, request: Request<Full<Bytes>>) -> Result<Token, AuthError> {
    let host = request.uri().host().unwrap_or_default().to_owned();
    // The time that the answer takes counts against the token.
    let asked = Instant::now();
    let reply = http
        .send(request)
        .await
        .map_err(|error| AuthError::Passing(format!("asking {host} for a token: {error}")))?;
    if !reply.status.is_success() {
        let refused: Refused = serde_json::from_slice(&reply.body).unwrap_or_default();
        let message = format!(
            "{host} gives no token: HTTP {} {} {}",
            reply.status.as_u16(),
            refused.error,
            refused.error_description
        );
        let passing = reply.status.is_server_error() || reply.status.as_u16() == 429;
        return Err(if passing {
            AuthError::Passing(message)
        } else {
            AuthError::Failed(message)
        });
    }
    // A cut-off answer may hold half of a token: its text is not shown.
    let granted: Granted = serde_json::from_slice(&reply.body)
        .map_err(|_| AuthError::Passing(format!("the token of {host} cannot be read")))?;
    let mut header = HeaderValue::from_str(&format!("Bearer {}", granted.access_token))
        .map_err(|_| AuthError::Failed(format!("the token of {host} is no header")))?;
    header.set_sensitive(true);
    Ok(Token {
        header,
        expires: asked + Duration::from_secs(granted.expires_in.min(24 * 3600)),
    })
}
