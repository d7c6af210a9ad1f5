//! The list of what differs from the judge on purpose.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// `differences.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Differences {
    /// Callers' texts that only one of the two accepts.
    pub verdict: Listed,
    /// Calls of functions that the analyzer does not know, or types otherwise.
    pub types: Listed,
    /// Calls of functions whose rows the judge cannot give, or gives otherwise.
    #[cfg_attr(
        not(feature = "embedded"),
        expect(dead_code, reason = "rows are compared where there is an engine")
    )]
    pub calls: Listed,
    /// Queries whose rows the judge cannot give, or gives otherwise.
    #[cfg_attr(
        not(feature = "embedded"),
        expect(dead_code, reason = "rows are compared where there is an engine")
    )]
    pub rows: Listed,
}

/// Cases of the corpus, each with the reason why it may differ.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct Listed(BTreeMap<String, String>);

impl Differences {
    /// Reads the list.
    pub fn read() -> Self {
        toml::from_str(include_str!("differences.toml")).expect("differences.toml is well-formed")
    }
}

impl Listed {
    /// Fails unless the cases that were found to differ are exactly those listed.
    #[track_caller]
    pub fn check(&self, found: &BTreeMap<String, String>) {
        let unlisted: Vec<&str> = found
            .iter()
            .filter(|(case, _)| !self.0.contains_key(*case))
            .map(|(_, what)| what.as_str())
            .collect();
        let stale: BTreeSet<&String> = self.0.keys().filter(|c| !found.contains_key(*c)).collect();
        assert!(
            unlisted.is_empty() && stale.is_empty(),
            "{} differ:\n{}\nlisted, but do not differ: {stale:?}",
            unlisted.len(),
            unlisted.join("\n")
        );
    }
}
