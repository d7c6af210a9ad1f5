//! Redaction: what each rule catches and what it leaves alone, by the tables in `redaction/`, and that nothing
//! of it can be told from an answer.

#[cfg(feature = "embedded")]
#[expect(dead_code, reason = "other tests read more of a case")]
#[path = "corpus/case.rs"]
mod case;
#[cfg(feature = "embedded")]
#[path = "redaction/leaks.rs"]
mod leaks;

use std::collections::BTreeMap;
use std::path::Path;

use logboom::compiler::redaction::{BUILT_IN, Redaction, Redactor, RuleError};
use serde::Deserialize;

/// The table of one rule.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Texts {
    /// A text, and what becomes of it.
    caught: Vec<(String, String)>,
    /// Texts that stay.
    kept: Vec<String>,
}

fn texts(rule: &str) -> Texts {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/redaction");
    let text = std::fs::read_to_string(folder.join(format!("{rule}.toml"))).expect("a table");
    toml::from_str(&text).expect("a well-formed table")
}

fn of(rules: &[&str], patterns: &[(&str, &str)]) -> Result<Redaction, RuleError> {
    let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
    let patterns: BTreeMap<String, String> = patterns
        .iter()
        .map(|(name, pattern)| ((*name).to_owned(), (*pattern).to_owned()))
        .collect();
    Redaction::new(&rules, &patterns)
}

#[test]
fn each_rule_catches_what_it_must_and_nothing_else() {
    let mut wrong = Vec::new();
    for rule in BUILT_IN {
        let Texts { caught, kept } = texts(rule.name);
        assert!(!caught.is_empty() && !kept.is_empty(), "{}", rule.name);
        let redactor = Redactor::from(&of(&[rule.name], &[]).expect("a rule"));
        let kept = kept.into_iter().map(|text| (text.clone(), text));
        for (text, expected) in caught.into_iter().chain(kept) {
            let given = redactor.redact(&text);
            if given != expected {
                wrong.push(format!(
                    "{}: {text}\n  gives    {given}\n  not      {expected}",
                    rule.name
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Two addresses of any lengths in the same surrounding leave the same text.
#[test]
fn what_is_left_does_not_depend_on_the_address() {
    let redactor = Redactor::from(&Redaction::default());
    let addresses = [
        "1.2.3.4",
        "10.0.0.1",
        "192.168.100.200",
        "::1",
        "fe80::1",
        "2001:db8::1",
        "2001:db8:1:22:333:4444:5:6",
        "::ffff:10.1.2.3",
    ];
    let surroundings = [
        "#",
        "x #",
        "# x",
        "(#)",
        "[#]:443",
        "\"#\"",
        "'#'",
        "<#>",
        "ip=#,",
        "ip=#&x=1",
        "ip: #;",
        "http://[#]/",
        "http://#/",
        "{\"a\":\"#\"}",
        "{\\\"a\\\":\\\"#\\\"}",
        "#/24",
        "# #",
        "#,#",
        "#;#|#",
        "a\\n#\\n",
        "\\u003c#\\u003e",
        "é#é",
        "x#",
        "from #.",
        "#\n#",
        "\t#\t",
        "ip#",
        "#%eth0",
        "bob@#",
        "=#=",
    ];
    for surrounding in surroundings {
        let of = |address: &str| surrounding.replace('#', address);
        let first = redactor.redact(&of("10.0.0.1")).into_owned();
        assert!(first.contains("REDACTED"), "{surrounding}: {first}");
        for address in addresses {
            let text = of(address);
            assert_eq!(redactor.redact(&text), first, "{text}");
        }
    }
}

#[test]
fn rules_are_applied_in_turn() {
    let redactor = Redactor::from(&Redaction::default());
    for (text, expected) in [
        ("bob@10.0.0.1", "REDACTED"),
        ("bob@[10.0.0.1]", "REDACTED]"),
        ("10.0.0.1@example.com", "REDACTED"),
        ("bob@x.fdab:cd01::1", "REDACTED"),
        ("bob@example.com10.0.0.1", "REDACTED"),
        ("bob@example.com 10.0.0.1", "REDACTED REDACTED"),
        ("Bearer abc123 +14155550123", "Bearer abc123 +14155550123"),
    ] {
        assert_eq!(redactor.redact(text), expected, "{text}");
    }
    let all: Vec<&str> = BUILT_IN.iter().map(|rule| rule.name).collect();
    let redactor = Redactor::from(&of(&all, &[("acct", "acct-[0-9]+")]).expect("rules"));
    let text = "Bearer abc123 +14155550123 4111111111111111 acct-7 10.0.0.1 a@b.co";
    let expected = "REDACTED REDACTED REDACTED REDACTED REDACTED REDACTED";
    assert_eq!(redactor.redact(text), expected);
}

#[test]
fn patterns_of_the_operator() {
    #[track_caller]
    fn check(pattern: &str, message: Option<&str>) {
        let made = of(&["ip"], &[("mine", pattern)]);
        match (made, message) {
            (Ok(_), None) => {}
            (Err(error), Some(message)) => {
                let text = error.to_string();
                assert!(text.contains(message), "{pattern}: {text}");
            }
            (made, _) => panic!("{pattern}: {made:?}"),
        }
    }
    for good in [
        "acct-[0-9]{6}",
        r"\d+",
        r"\bx\b",
        "(?i)secret",
        "^a$",
        "a|b",
        "é",
        r"(?m)^x",
    ] {
        check(good, None);
    }
    for empty in [
        "", "a*", "a?", "a|", "(?:)", "^", "$", r"\b", r"\B", r"\bx*", r"\bx*\b", "(?m)^", "x*$",
        r"\A\z", "(?m)^$", r"\B\b|\b",
    ] {
        check(empty, Some("can match the empty text"));
    }
    for bad in [
        "(",
        "[",
        "a**",
        "(?=a)",
        r"(a)\1",
        "(?<!a)b",
        "a{1001}",
        r"\p{Nope}",
    ] {
        check(
            bad,
            Some("the pattern `mine`: cannot parse regular expression"),
        );
    }
    check(r"\C", Some("a part of a character"));
    check(&"a".repeat(1025), Some("1024 bytes"));
    assert_eq!(
        of(&["nope"], &[]).unwrap_err().to_string(),
        "there is no rule `nope`; there are ip, email, jwt, bearer, card, phone"
    );
    assert_eq!(of(&[], &[]), Err(RuleError::Nothing));
    assert_eq!(
        of(&[], &[("ip", "x")]),
        Err(RuleError::Name("ip".to_owned()))
    );
    assert_eq!(
        of(&[], &[("a b", "x")]),
        Err(RuleError::Name("a b".to_owned()))
    );
    // Their own syntax is RE2's: `\d` is an ASCII digit, and a match never takes a part of a character.
    let redactor = Redactor::from(&of(&[], &[("n", r"\d+|[^a-z]x")]).expect("a pattern"));
    assert_eq!(redactor.redact("a1٣éx"), "aREDACTED٣REDACTED");
}

#[test]
fn the_default_is_addresses() {
    let names: Vec<String> = Redaction::default()
        .rules()
        .iter()
        .map(|r| r.name.to_string())
        .collect();
    assert_eq!(names, ["ip", "email"]);
}
