//! Labels of jobs: what is spent appears in the bill under them.
//!
//! Source: BigQuery documentation, "Requirements for labels": at most 64 of at most 63 characters,
//! lower-case letters, digits, `_` and `-`; a key begins with a letter. International letters, which
//! BigQuery also takes, are not used: each character counts the same way everywhere then.

use std::collections::BTreeMap;

use crate::warehouse::Terms;

const MAX_LABELS: usize = 64;
const MAX_CHARACTERS: usize = 63;

/// Returns the labels of a query: `endpoint`, `token`, and what the caller wants beside them.
pub(super) fn labels(terms: &Terms) -> BTreeMap<String, String> {
    let own = [("endpoint", &terms.endpoint), ("token", &terms.token)];
    let mut labels: BTreeMap<String, String> = own
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| (name.to_owned(), value(text)))
        .collect();
    for (name, text) in &terms.labels {
        if labels.len() == MAX_LABELS {
            break;
        }
        if let Some(key) = key(name) {
            // The two of ours are not for a caller to set, nor is one to be set twice.
            labels.entry(key).or_insert_with(|| value(text));
        }
    }
    labels
}

/// Returns a text as a value: lower case, other characters as `_`, cut to length.
fn value(text: &str) -> String {
    text.chars()
        .take(MAX_CHARACTERS)
        .map(|c| match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9' | '_' | '-') => c,
            _ => '_',
        })
        .collect()
}

/// Returns a text as a key; none where it does not begin with a letter.
fn key(text: &str) -> Option<String> {
    let key = value(text);
    key.starts_with(|c: char| c.is_ascii_lowercase())
        .then_some(key)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn labels_follow_the_rules() {
        let long = "x".repeat(100);
        let terms = Terms {
            endpoint: "logs.all".into(),
            token: "Grafana (EU) é".into(),
            labels: [
                ("Team", "SRE"),
                ("endpoint", "mine"),
                ("team", "again"),
                ("1st", "x"),
                ("", "x"),
                ("empty", ""),
                ("long", long.as_str()),
            ]
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .into(),
            ..Terms::until(Instant::now())
        };
        let cut = "x".repeat(63);
        let expected = [
            ("empty", ""),
            ("endpoint", "logs_all"),
            ("long", cut.as_str()),
            ("team", "sre"),
            ("token", "grafana__eu___"),
        ];
        let expected = expected.map(|(k, v)| (k.to_owned(), v.to_owned()));
        assert_eq!(labels(&terms), BTreeMap::from(expected));
        assert!(labels(&Terms::until(Instant::now())).is_empty());
    }

    #[test]
    fn there_are_at_most_64() {
        let terms = Terms {
            endpoint: "e".into(),
            labels: (0..100).map(|n| (format!("k{n}"), String::new())).collect(),
            ..Terms::until(Instant::now())
        };
        assert_eq!(labels(&terms).len(), 64);
    }
}
