//! Redaction of personal data: which texts are replaced by [`REPLACEMENT`].
//!
//! A [`Redaction`] is a list of rules, each a regular expression of RE2. Applied to a text, each rule in
//! turn replaces every match of its expression in what the rules before it have left. Here is what the rules
//! are and what they do to one text; where a query applies them is decided by `rewrite::redact`.

mod matcher;
mod rules;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::catalog::is_identifier;
use super::re2;

pub use matcher::{BadKey, Redactor};
pub use rules::{BUILT_IN, BuiltIn};

/// What stands in the place of a match.
pub const REPLACEMENT: &str = "REDACTED";

/// Bytes of one regular expression of the operator.
const PATTERN_BYTES: usize = 1024;

/// The rules of one redaction, in the order in which they are applied. Never empty.
///
/// Two redactions are equal when they do the same to every text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(try_from = "Settings")]
pub struct Redaction {
    rules: Arc<[Rule]>,
}

/// A rule: every match of its pattern is replaced.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// Its name, an identifier.
    pub name: Cow<'static, str>,
    /// The regular expression, RE2. It never matches the empty text.
    pub pattern: Cow<'static, str>,
}

/// Why there is no redaction by these settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// A rule that is not built in.
    #[error("there is no rule `{0}`; there are {names}", names = rules::names())]
    Unknown(String),
    /// A pattern under a name that cannot be one.
    #[error(
        "the name `{0}` is not an identifier of letters, digits and `_`, or is that of a built-in rule"
    )]
    Name(String),
    /// A pattern that is too long.
    #[error("the pattern `{0}` has more than {PATTERN_BYTES} bytes")]
    Long(String),
    /// A pattern that RE2 does not take.
    #[error("the pattern `{name}`: {cause}")]
    Malformed {
        /// Its name.
        name: String,
        /// Why.
        cause: re2::Malformed,
    },
    /// A pattern that may split a character.
    #[error("the pattern `{0}` has \\C, which may match a part of a character")]
    SplitsCharacters(String),
    /// A pattern that would replace nothing by something.
    #[error("the pattern `{0}` can match the empty text")]
    Empty(String),
    /// No rule and no pattern.
    #[error("there is no rule and no pattern, so that nothing would be redacted")]
    Nothing,
}

/// A redaction as it is written: `[redaction]` of the configuration.
#[derive(serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    rules: Vec<String>,
    patterns: BTreeMap<String, String>,
}

impl Default for Settings {
    fn default() -> Self {
        let on = BUILT_IN.iter().filter(|rule| rule.default);
        Self {
            rules: on.map(|rule| rule.name.to_owned()).collect(),
            patterns: BTreeMap::new(),
        }
    }
}

impl TryFrom<Settings> for Redaction {
    type Error = RuleError;

    fn try_from(settings: Settings) -> Result<Self, RuleError> {
        let Settings { rules, patterns } = settings;
        Self::new(&rules, &patterns)
    }
}

impl Default for Redaction {
    /// Returns the built-in rules that are on unless the operator says otherwise.
    fn default() -> Self {
        let on = BUILT_IN.iter().filter(|rule| rule.default);
        Self {
            rules: on.map(Rule::from).collect(),
        }
    }
}

impl From<&BuiltIn> for Rule {
    fn from(rule: &BuiltIn) -> Self {
        Self {
            name: Cow::Borrowed(rule.name),
            pattern: Cow::Borrowed(rule.pattern),
        }
    }
}

impl Rule {
    /// Returns a short form that names the rule to an engine with the same built-in rules: the name of one of
    /// them, or `=` and a pattern.
    #[must_use]
    pub fn key(&self) -> Cow<'_, str> {
        match rules::built_in(&self.name) {
            Some(rule) => Cow::Borrowed(rule.name),
            None => Cow::Owned(format!("={}", self.pattern)),
        }
    }
}

impl Redaction {
    /// Returns the redaction by these built-in rules and these patterns of the operator, by name.
    ///
    /// The built-in rules come first and in their own order, so that no pattern can hide a part of what they
    /// look for.
    ///
    /// # Errors
    /// A rule that is unknown, a pattern that is malformed or can match the empty text, or none of both.
    pub fn new(rules: &[String], patterns: &BTreeMap<String, String>) -> Result<Self, RuleError> {
        if let Some(unknown) = rules.iter().find(|name| rules::built_in(name).is_none()) {
            return Err(RuleError::Unknown(unknown.clone()));
        }
        let chosen = BUILT_IN
            .iter()
            .filter(|rule| rules.iter().any(|r| r == rule.name));
        let mut all: Vec<Rule> = chosen.map(Rule::from).collect();
        for (name, pattern) in patterns {
            check(name, pattern)?;
            all.push(Rule {
                name: Cow::Owned(name.clone()),
                pattern: Cow::Owned(pattern.clone()),
            });
        }
        if all.is_empty() {
            return Err(RuleError::Nothing);
        }
        Ok(Self { rules: all.into() })
    }

    /// Returns the rules in the order in which they are applied.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }
}

/// Refuses a pattern that would not do what it is for.
fn check(name: &str, pattern: &str) -> Result<(), RuleError> {
    if !is_identifier(name) || rules::built_in(name).is_some() {
        return Err(RuleError::Name(name.to_owned()));
    }
    if pattern.len() > PATTERN_BYTES {
        return Err(RuleError::Long(name.to_owned()));
    }
    if pattern.contains("\\C") {
        return Err(RuleError::SplitsCharacters(name.to_owned()));
    }
    let malformed = |cause| RuleError::Malformed {
        name: name.to_owned(),
        cause,
    };
    re2::compile(pattern, false).map_err(malformed)?;
    if can_be_empty(pattern).map_err(malformed)? {
        return Err(RuleError::Empty(name.to_owned()));
    }
    Ok(())
}

/// Returns whether a well-formed pattern can match nothing, wherever that may be.
///
/// What `^`, `$`, `\b` and their like ask for is one character to the left and one to the right, or none.
/// Between each pair of kinds of them the pattern is given no room.
fn can_be_empty(pattern: &str) -> Result<bool, re2::Malformed> {
    for left in ["", "a", " ", "\n"] {
        for right in ["", "a", " ", "\n"] {
            let between = format!("\\A{left}(?:{pattern}){right}\\z");
            let text = format!("{left}{right}");
            if re2::compile(&between, false)?.is_match(text.as_bytes()) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
