use super::*;

fn at(text: &str) -> jiff::Timestamp {
    text.parse().unwrap()
}

fn new_token(name: &str) -> NewToken {
    NewToken {
        name: name.into(),
        created: at("2026-01-01T00:00:00Z"),
        expires: Some(at("2026-02-01T00:00:00Z")),
        endpoints: vec!["logs.*".into()],
        pins: BTreeMap::from([("project".into(), "abc".into())]),
        scopes: BTreeSet::from([Scope::Sandbox]),
    }
}

fn store() -> (tempfile::TempDir, TokenStore) {
    let dir = tempfile::tempdir().unwrap();
    let store = TokenStore::open(&dir.path().join("tokens.toml")).unwrap();
    (dir, store)
}

#[test]
fn a_token_is_known_until_it_expires_or_is_revoked() {
    let (_dir, mut store) = store();
    assert!(!store.has_valid(at("2026-01-15T00:00:00Z")));
    let token = store.create(new_token("grafana")).unwrap();
    assert!(token.starts_with("lbk_"), "{token}");
    assert_eq!(token.len(), 47);

    let reopened = TokenStore::open(&store.path).unwrap();
    let during = at("2026-01-15T00:00:00Z");
    assert!(reopened.has_valid(during));
    assert!(!reopened.has_valid(at("2026-02-01T00:00:00Z")));
    let record = reopened
        .authenticate(&token, during)
        .expect("the token is good");
    assert_eq!(record.name, "grafana");
    assert_eq!(record.pins["project"], "abc");
    assert!(record.has_scope(Scope::Sandbox));
    assert!(!record.has_scope(Scope::Unredacted));
    assert_eq!(reopened.list(), store.list());

    assert_eq!(
        reopened.authenticate(&token, at("2026-02-01T00:00:00Z")),
        None
    );
    for wrong in [
        "",
        "lbk_",
        token.strip_suffix(|_: char| true).unwrap(),
        &format!("{token}A"),
        &token.to_uppercase(),
    ] {
        assert_eq!(reopened.authenticate(wrong, during), None, "{wrong}");
    }

    assert!(!store.revoke("other").unwrap());
    assert!(store.revoke("grafana").unwrap());
    assert!(TokenStore::open(&store.path).unwrap().list().is_empty());
    assert_eq!(store.authenticate(&token, during), None);
}

#[test]
fn the_file_and_debug_output_hold_no_secret() {
    let (_dir, mut store) = store();
    let token = store.create(new_token("grafana")).unwrap();
    let text = fs::read_to_string(&store.path).unwrap();
    let bits = token.strip_prefix(PREFIX).unwrap();
    assert!(!text.contains(bits), "{text}");
    let digest = URL_SAFE_NO_PAD.encode(TokenDigest::of(&token).0);
    assert!(text.contains(&digest), "{text}");
    let debug = format!("{store:?}");
    assert!(
        !debug.contains(&digest) && !debug.contains(&token),
        "{debug}"
    );
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_dir, mut store) = store();
    store.create(new_token("grafana")).unwrap();
    let mode = fs::metadata(&store.path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn two_stores_on_one_file_keep_the_tokens_of_each_other() {
    let (_dir, mut first) = store();
    let mut second = TokenStore::open(&first.path).unwrap();
    first.create(new_token("a")).unwrap();
    second.create(new_token("b")).unwrap();
    let names: Vec<&str> = second.list().iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(first.revoke("b").unwrap());
}

#[test]
fn malformed_tokens_are_refused() {
    let (_dir, mut store) = store();
    store.create(new_token("taken")).unwrap();
    type Change = fn(&mut NewToken);
    let cases: [(&str, Change); 7] = [
        ("there is a token `taken` already", |t| {
            t.name = "taken".into()
        }),
        (
            "the name of a token has 1 to 64 characters and no space around them",
            |t| {
                t.name = String::new();
            },
        ),
        (
            "the name of a token has 1 to 64 characters and no space around them",
            |t| {
                t.name = "a\nb".into();
            },
        ),
        (
            "`logs all` is no pattern for endpoints: write a name, with `*` for any characters",
            |t| t.endpoints = vec!["logs all".into()],
        ),
        ("the pin `project=` needs a parameter and a value", |t| {
            t.pins.insert("project".into(), String::new());
        }),
        ("the pin `=x` needs a parameter and a value", |t| {
            t.pins.insert(String::new(), "x".into());
        }),
        ("the token would expire before it is made", |t| {
            t.expires = Some(t.created)
        }),
    ];
    for (expected, change) in cases {
        let mut new = new_token("new");
        change(&mut new);
        let error = store.create(new).expect_err(expected);
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(store.list().len(), 1);
}

#[test]
fn patterns_match_names() {
    for (pattern, name, expected) in [
        ("logs.all", "logs.all", true),
        ("logs.all", "logs.al", false),
        ("*", "", true),
        ("*", "anything", true),
        ("logs.*", "logs.all", true),
        ("logs.*", "logs.", true),
        ("logs.*", "usage.logs.all", false),
        ("*.all", "logs.all", true),
        ("*.all", "logs.all.x", false),
        ("a*b*c", "abc", true),
        ("a*b*c", "axxbxxc", true),
        ("a*b*c", "acb", false),
        ("a*a", "a", false),
        ("a**b", "ab", true),
        ("*ab", "aab", true),
        ("*ab*ab", "abab", true),
        ("*ab*ab", "ab", false),
    ] {
        assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
    }
}

#[test]
fn a_malformed_file_is_an_error_that_shows_no_digest() {
    let (_dir, store) = store();
    let text = "[[token]]\nname = 'x'\ndigest = 'AAAAsecret'\ncreated = '2026-01-01T00:00:00Z'\n\
                endpoints = ['*']\nscopes = []\n";
    fs::write(&store.path, text).unwrap();
    let message = TokenStore::open(&store.path)
        .expect_err("no digest")
        .to_string();
    assert!(message.contains("tokens.toml:3:10"), "{message}");
    assert!(!message.contains("secret"), "{message}");
}
