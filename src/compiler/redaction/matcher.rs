//! Applying rules to a text.

use std::borrow::Cow;
use std::ops::Range;

use regex::bytes::Regex;

use super::rules::built_in;
use super::{REPLACEMENT, Redaction, Rule};
use crate::compiler::re2::{self, Malformed};

/// The compiled rules of a redaction.
#[derive(Clone, Debug)]
pub struct Redactor {
    rules: Vec<Compiled>,
}

/// A text that is the key of no rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadKey {
    /// No built-in rule has this name.
    #[error("there is no rule `{0}`")]
    Unknown(String),
    /// The pattern cannot be read.
    #[error(transparent)]
    Malformed(#[from] Malformed),
}

#[derive(Clone, Debug)]
struct Compiled {
    candidate: fn(&str) -> bool,
    regex: Regex,
}

impl From<&Redaction> for Redactor {
    fn from(redaction: &Redaction) -> Self {
        let keys: Vec<_> = redaction.rules().iter().map(Rule::key).collect();
        let keys = keys.iter().map(AsRef::as_ref);
        Self::from_keys(keys).expect("a redaction has well-formed patterns only")
    }
}

impl Redactor {
    /// Compiles rules, to be applied in this order, from what [`Rule::key`](super::Rule::key) gave of each.
    ///
    /// # Errors
    /// A key that is not of this form, or with a pattern that RE2 does not take.
    pub fn from_keys<'k>(keys: impl IntoIterator<Item = &'k str>) -> Result<Self, BadKey> {
        let compiled = keys.into_iter().map(|key| {
            let (candidate, pattern): (fn(&str) -> bool, &str) = match key.strip_prefix('=') {
                Some(pattern) => (|_| true, pattern),
                None => match built_in(key) {
                    Some(rule) => (rule.candidate, rule.pattern),
                    None => return Err(BadKey::Unknown(key.to_owned())),
                },
            };
            Ok(Compiled {
                candidate,
                regex: re2::compile(pattern, false)?,
            })
        });
        Ok(Self {
            rules: compiled.collect::<Result<_, _>>()?,
        })
    }

    /// Returns the text with every match replaced; the same text where there is none.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for rule in &self.rules {
            if let Some(redacted) = rule.apply(&text) {
                text = Cow::Owned(redacted);
            }
        }
        text
    }

    /// Returns one rule alone.
    #[must_use]
    pub fn of(rule: &Rule) -> Self {
        Self::from_keys([rule.key().as_ref()]).expect("a rule has a well-formed pattern")
    }

    /// Returns where something is found in a text, by each rule on its own.
    #[must_use]
    pub fn matches(&self, text: &str) -> Vec<Range<usize>> {
        let found = |rule: &Compiled| {
            let found = rule.regex.find_iter(text.as_bytes());
            found.map(|m| m.range()).collect::<Vec<_>>()
        };
        self.rules.iter().flat_map(found).collect()
    }
}

impl Compiled {
    /// Returns the text with every match replaced; `None` where there is none.
    fn apply(&self, text: &str) -> Option<String> {
        if !(self.candidate)(text) {
            return None;
        }
        match self
            .regex
            .replace_all(text.as_bytes(), REPLACEMENT.as_bytes())
        {
            Cow::Borrowed(_) => None,
            // No pattern takes a part of a character; if one did, nothing of the text would be shown.
            Cow::Owned(bytes) => {
                Some(String::from_utf8(bytes).unwrap_or_else(|_| REPLACEMENT.to_owned()))
            }
        }
    }
}
