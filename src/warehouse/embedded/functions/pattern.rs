//! Compiled patterns, kept from batch to batch.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use ::regex::bytes::Regex;

use super::fault::{Fault, Outcome};
use crate::compiler::re2;

/// How many compiled patterns are kept for later batches.
const KEPT: usize = 64;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    regex: Regex,
}

/// The latest compiled patterns, by text and whether they match bytes.
static COMPILED: Mutex<VecDeque<(String, bool, Arc<Pattern>)>> = Mutex::new(VecDeque::new());

impl Pattern {
    /// Compiles a pattern for STRING values, or for BYTES.
    pub(super) fn new(pattern: &str, bytes: bool) -> Outcome<Self> {
        let known = {
            let cache = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
            cache
                .iter()
                .find(|(text, of_bytes, _)| text == pattern && *of_bytes == bytes)
                .map(|(_, _, compiled)| Arc::clone(compiled))
        };
        if let Some(known) = known {
            return Ok(known.as_ref().clone());
        }
        let compiled = Self {
            regex: re2::compile(pattern, bytes).map_err(|error| Fault::Value(error.to_string()))?,
        };
        let mut cache = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        cache.push_front((pattern.to_owned(), bytes, Arc::new(compiled.clone())));
        cache.truncate(KEPT);
        Ok(compiled)
    }

    /// Returns the engine.
    pub(super) fn regex(&self) -> &Regex {
        &self.regex
    }

    /// Returns how many capturing groups there are.
    pub(super) fn groups(&self) -> usize {
        self.regex.captures_len().saturating_sub(1)
    }
}
