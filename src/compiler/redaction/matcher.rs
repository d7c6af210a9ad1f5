//! Applying rules to a text.

use std::borrow::Cow;
use std::ops::Range;

use regex::bytes::Regex;

use super::{REPLACEMENT, Redaction, rules::BUILT_IN};
use crate::compiler::re2::{self, Malformed};

/// The compiled rules of a redaction.
#[derive(Clone, Debug)]
pub struct Redactor {
    rules: Vec<Compiled>,
}

#[derive(Clone, Debug)]
struct Compiled {
    candidate: fn(&str) -> bool,
    regex: Regex,
}

impl From<&Redaction> for Redactor {
    fn from(redaction: &Redaction) -> Self {
        let patterns = redaction.rules().iter().map(|rule| rule.pattern.as_ref());
        Self::new(patterns).expect("a redaction has well-formed patterns only")
    }
}

impl Redactor {
    /// Compiles patterns, to be applied in this order.
    ///
    /// # Errors
    /// A pattern that RE2 does not take.
    pub fn new<'p>(patterns: impl IntoIterator<Item = &'p str>) -> Result<Self, Malformed> {
        let compiled = patterns.into_iter().map(|pattern| {
            let known = BUILT_IN.iter().find(|rule| rule.pattern == pattern);
            let candidate: fn(&str) -> bool = match known {
                Some(rule) => rule.candidate,
                None => |_| true,
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

    /// Returns where each rule, on its own, finds something in a text.
    #[must_use]
    pub fn matches(&self, text: &str) -> Vec<Vec<Range<usize>>> {
        let ranges = |rule: &Compiled| {
            let found = rule.regex.find_iter(text.as_bytes());
            found.map(|m| m.range()).collect()
        };
        self.rules.iter().map(ranges).collect()
    }
}

impl Compiled {
    /// Returns the text with every match replaced; `None` where there is none.
    fn apply(&self, text: &str) -> Option<String> {
        if !(self.candidate)(text) {
            return None;
        }
        match self.regex.replace_all(text.as_bytes(), REPLACEMENT.as_bytes()) {
            Cow::Borrowed(_) => None,
            // No pattern takes a part of a character; if one did, nothing of the text would be shown.
            Cow::Owned(bytes) => {
                Some(String::from_utf8(bytes).unwrap_or_else(|_| REPLACEMENT.to_owned()))
            }
        }
    }
}
