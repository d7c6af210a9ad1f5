//! Compiled patterns, kept from batch to batch.
//!
//! A pattern builds its automaton while it matches. What one thread has built serves its later batches, and
//! threads do not wait for each other.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use ::regex::bytes::Regex;
use memchr::memmem::Finder;

use super::fault::{Fault, Outcome};
use crate::compiler::re2;

/// How many compiled patterns are kept for later batches.
const KEPT: usize = 64;

/// How many of them each thread keeps with what they have built.
const KEPT_BUILT: usize = 8;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    regex: Rc<Regex>,
    /// Finds the pattern where it is nothing but a text.
    literal: Option<Rc<Finder<'static>>>,
}

/// The latest patterns, by text and whether they match bytes.
type Latest<T> = VecDeque<(String, bool, T)>;

/// Those that were compiled. They match nothing themselves and so stay small.
static COMPILED: Mutex<Latest<Regex>> = Mutex::new(VecDeque::new());

thread_local! {
    static BUILT: RefCell<Latest<Pattern>> = const { RefCell::new(VecDeque::new()) };
}

fn find<T: Clone>(latest: &Latest<T>, pattern: &str, bytes: bool) -> Option<T> {
    let mut latest = latest.iter();
    latest
        .find(|(text, of_bytes, _)| text == pattern && *of_bytes == bytes)
        .map(|(_, _, found)| found.clone())
}

fn keep<T>(latest: &mut Latest<T>, most: usize, pattern: &str, bytes: bool, value: T) {
    latest.push_front((pattern.to_owned(), bytes, value));
    latest.truncate(most);
}

impl Pattern {
    /// Compiles a pattern for STRING values, or for BYTES.
    pub(super) fn new(pattern: &str, bytes: bool) -> Outcome<Self> {
        if let Some(built) = BUILT.with_borrow(|built| find(built, pattern, bytes)) {
            return Ok(built);
        }
        let found = Self {
            regex: Rc::new(compile(pattern, bytes)?),
            literal: is_literal(pattern, bytes).then(|| Rc::new(Finder::new(pattern).into_owned())),
        };
        BUILT.with_borrow_mut(|built| keep(built, KEPT_BUILT, pattern, bytes, found.clone()));
        Ok(found)
    }

    /// Returns the engine.
    pub(super) fn regex(&self) -> &Regex {
        &self.regex
    }

    /// Returns what finds the pattern where it is nothing but a text, and not an empty one.
    pub(super) fn literal(&self) -> Option<&Finder<'static>> {
        self.literal
            .as_deref()
            .filter(|text| !text.needle().is_empty())
    }

    /// Returns whether the pattern is somewhere in a value.
    pub(super) fn is_match(&self, value: &[u8]) -> bool {
        match &self.literal {
            Some(literal) => literal.find(value).is_some(),
            None => self.regex.is_match(value),
        }
    }

    /// Returns how many capturing groups there are.
    pub(super) fn groups(&self) -> usize {
        self.regex.captures_len().saturating_sub(1)
    }
}

/// Returns whether a pattern matches itself and nothing else. In one of bytes a character that is not of ASCII is one byte.
fn is_literal(pattern: &str, bytes: bool) -> bool {
    let is_plain = |c: char| !r"\.+*?()|[]{}^$".contains(c) && (!bytes || c.is_ascii());
    pattern.chars().all(is_plain)
}

fn compile(pattern: &str, bytes: bool) -> Outcome<Regex> {
    let compiled = || COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = find(&compiled(), pattern, bytes) {
        return Ok(known);
    }
    let regex = re2::compile(pattern, bytes).map_err(|error| Fault::Value(error.to_string()))?;
    keep(&mut compiled(), KEPT, pattern, bytes, regex.clone());
    Ok(regex)
}
