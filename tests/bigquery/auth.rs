//! Access tokens: each source, keeping one, renewing it.

use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use logboom::warehouse::bigquery::{BigQuery, Credentials, OpenError, Settings};
use logboom::warehouse::{Warehouse as _, WarehouseError};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::fake::{Act, Fake, Habits, Op, failure};
use super::{query, settings, soon};

const PRIVATE_KEY: &str = include_str!("keys/account.pem");
const PUBLIC_KEY: &[u8] = include_bytes!("keys/account.public.der");

fn with_token() -> Habits {
    Habits {
        needs_token: true,
        ..Habits::default()
    }
}

fn open(fake: &Fake, credentials: Credentials) -> BigQuery {
    BigQuery::open(Settings {
        credentials,
        ..settings(fake)
    })
    .unwrap()
}

fn metadata(fake: &Fake) -> Credentials {
    Credentials::Metadata(fake.address.to_string())
}

/// Writes a file of credentials.
fn file(folder: &TempDir, json: &Json) -> Credentials {
    let path: PathBuf = folder.path().join("credentials.json");
    std::fs::write(&path, json.to_string()).unwrap();
    Credentials::File(path)
}

#[tokio::test]
async fn a_service_account_signs_for_its_token() {
    let fake = Fake::start(with_token()).await;
    let folder = TempDir::new().unwrap();
    let uri = format!("http://{}/token", fake.address);
    let key = json!({
        "type": "service_account",
        "project_id": "p",
        "private_key_id": "key-1",
        "private_key": PRIVATE_KEY,
        "client_email": "reader@p.example.test",
        "token_uri": uri,
    });
    let warehouse = open(&fake, file(&folder, &key));
    warehouse.run(&query("a"), soon()).await.unwrap();

    let asked = fake.seen(Op::Token);
    assert_eq!(asked.len(), 1);
    assert_eq!(
        asked[0].form["grant_type"],
        "urn:ietf:params:oauth:grant-type:jwt-bearer"
    );
    let (signed, signature) = asked[0].form["assertion"].rsplit_once('.').unwrap();
    let (header, claims) = signed.split_once('.').unwrap();
    let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).unwrap();
    let json = |part: &str| -> Json { serde_json::from_slice(&decode(part)).unwrap() };
    assert_eq!(
        json(header),
        json!({"alg": "RS256", "typ": "JWT", "kid": "key-1"})
    );
    let claims = json(claims);
    assert_eq!(claims["iss"], "reader@p.example.test");
    assert_eq!(claims["aud"], uri);
    assert_eq!(claims["scope"], "https://www.googleapis.com/auth/bigquery");
    let issued = claims["iat"].as_i64().unwrap();
    assert_eq!(claims["exp"].as_i64().unwrap() - issued, 3600);
    assert!((jiff::Timestamp::now().as_second() - issued).abs() < 60);
    let algorithms = rustls::crypto::ring::default_provider().signature_verification_algorithms;
    let is_signed = algorithms.all.iter().any(|algorithm| {
        algorithm
            .verify_signature(PUBLIC_KEY, signed.as_bytes(), &decode(signature))
            .is_ok()
    });
    assert!(is_signed);
}

#[tokio::test]
async fn a_person_has_a_refresh_token() {
    let fake = Fake::start(with_token()).await;
    let folder = TempDir::new().unwrap();
    let person = json!({
        "type": "authorized_user",
        "client_id": "id",
        "client_secret": "secret",
        "refresh_token": "refresh",
        "token_uri": format!("http://{}/token", fake.address),
    });
    let warehouse = open(&fake, file(&folder, &person));
    warehouse.run(&query("a"), soon()).await.unwrap();
    let form = &fake.seen(Op::Token)[0].form;
    for (name, value) in [
        ("grant_type", "refresh_token"),
        ("client_id", "id"),
        ("client_secret", "secret"),
        ("refresh_token", "refresh"),
    ] {
        assert_eq!(form[name], value);
    }
}

#[tokio::test]
async fn the_machine_is_asked_for_its_account() {
    let fake = Fake::start(with_token()).await;
    let warehouse = open(&fake, metadata(&fake));
    warehouse.run(&query("a"), soon()).await.unwrap();
    let asked = &fake.seen(Op::Token)[0];
    assert_eq!(
        asked.path,
        "/computeMetadata/v1/instance/service-accounts/default/token"
    );
    assert_eq!(asked.headers["metadata-flavor"], "Google");
    assert_eq!(asked.headers.get("authorization"), None);
}

#[tokio::test]
async fn many_wait_for_one_token() {
    let fake = Fake::start(with_token()).await;
    fake.script(
        Op::Token,
        [
            failure(503, "backendError", "later"),
            Act::After(std::time::Duration::from_millis(100)),
        ],
    );
    let warehouse = Arc::new(open(&fake, metadata(&fake)));
    let all: Vec<_> = (0..50)
        .map(|n| {
            let warehouse = Arc::clone(&warehouse);
            tokio::spawn(async move { warehouse.run(&query(&n.to_string()), soon()).await })
        })
        .collect();
    for one in all {
        one.await.unwrap().unwrap();
    }
    assert_eq!(fake.seen(Op::Token).len(), 2);
}

#[tokio::test]
async fn a_token_is_renewed_ahead_of_its_end() {
    let fake = Fake::start(Habits::default()).await;
    // Good for a while, but not for long: the next one is fetched while this one is used.
    let old = json!({"access_token": "old", "expires_in": 100});
    fake.script(Op::Token, [Act::Json(200, old)]);
    let warehouse = open(&fake, metadata(&fake));
    warehouse.run(&query("a"), soon()).await.unwrap();
    let used = &fake.seen(Op::Query)[0].headers["authorization"];
    assert_eq!(used, "Bearer old");
    fake.wait_until("a new token", |fake| fake.seen(Op::Token).len() == 2)
        .await;
    // It arrives while nobody waits for it; the old one is used until then.
    let used = |fake: &Fake| {
        let last = fake.seen(Op::Query).pop().unwrap();
        last.headers["authorization"].to_str().unwrap().to_owned()
    };
    for _ in 0..1000 {
        warehouse.run(&query("a"), soon()).await.unwrap();
        if used(&fake) != "Bearer old" {
            break;
        }
    }
    assert_eq!(used(&fake), "Bearer token-1");
    assert_eq!(fake.seen(Op::Token).len(), 2);
}

#[tokio::test]
async fn a_token_at_its_end_is_not_used() {
    let fake = Fake::start(Habits {
        token_seconds: 5,
        ..with_token()
    })
    .await;
    let warehouse = open(&fake, metadata(&fake));
    warehouse.run(&query("a"), soon()).await.unwrap();
    // One for the dry run, one for the query.
    assert_eq!(fake.seen(Op::Token).len(), 2);
}

#[tokio::test]
async fn a_token_that_is_refused_is_replaced_once() {
    let fake = Fake::start(with_token()).await;
    let warehouse = open(&fake, metadata(&fake));
    fake.script(
        Op::Query,
        [failure(401, "authError", "Invalid Credentials")],
    );
    warehouse.run(&query("a"), soon()).await.unwrap();
    assert_eq!(fake.seen(Op::Token).len(), 2);
    assert_eq!(fake.seen(Op::Query).len(), 2);

    fake.choose(|op| (op == Op::Query).then(|| failure(401, "authError", "Invalid Credentials")));
    let failed = warehouse.run(&query("a"), soon()).await;
    assert!(
        matches!(failed, Err(WarehouseError::Failure(_))),
        "{failed:?}"
    );
    assert_eq!(fake.seen(Op::Token).len(), 3);
}

#[tokio::test]
async fn refused_credentials_are_a_failure_without_secrets() {
    let fake = Fake::start(with_token()).await;
    let body = json!({"error": "invalid_grant", "error_description": "Account has been deleted"});
    fake.script(Op::Token, [Act::Json(400, body)]);
    let error = open(&fake, metadata(&fake))
        .run(&query("a"), soon())
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "engine failure: credentials: 127.0.0.1 gives no token: HTTP 400 invalid_grant Account has been deleted"
    );
}

#[tokio::test]
async fn files_that_are_no_credentials_are_said_so_without_their_text() {
    let fake = Fake::start(Habits::default()).await;
    let folder = TempDir::new().unwrap();
    for (json, expected) in [
        (json!("secret"), "line 1, column 8: no credentials as JSON"),
        (
            json!({"type": "external_account"}),
            "others are not supported",
        ),
        (
            json!({"type": "service_account", "client_email": "a", "token_uri": "http://a/t",
                   "private_key": "secret"}),
            "its private key is not an RSA key in PKCS #8 form",
        ),
        (
            json!({"type": "authorized_user", "client_id": "a", "client_secret": "secret",
                   "refresh_token": "secret", "token_uri": "nowhere"}),
            "its `token_uri` is not a URL",
        ),
    ] {
        let credentials = file(&folder, &json);
        let error = BigQuery::open(Settings {
            credentials,
            ..settings(&fake)
        })
        .unwrap_err();
        assert!(matches!(error, OpenError::Credentials { .. }));
        let text = error.to_string();
        assert!(text.contains(expected), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
}
