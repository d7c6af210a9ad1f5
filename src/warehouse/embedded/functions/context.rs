//! What constant arguments were compiled to, kept for the rows of one batch.
//!
//! Patterns, formats, time zones and paths are nearly always constants, so the latest one is found
//! by one comparison; a column of them is served from a few recent ones.

use std::cell::RefCell;
use std::rc::Rc;

use crate::compiler::ir::DatePart;
use crate::compiler::strftime::Format;

use super::fault::Outcome;
use super::json_path::Path;
use super::pattern::Pattern;
use super::zone::Zone;

/// How many compiled arguments of one sort a batch keeps.
const KEPT: usize = 16;

/// Recently compiled arguments of one sort, the latest first.
pub(super) struct Memo<T> {
    entries: RefCell<Vec<(String, Outcome<Rc<T>>)>>,
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self {
            entries: RefCell::new(Vec::new()),
        }
    }
}

impl<T> Memo<T> {
    /// Returns what a text was compiled to, compiling it when it was not seen lately.
    pub(super) fn get(
        &self,
        text: &str,
        compile: impl FnOnce(&str) -> Outcome<T>,
    ) -> Outcome<Rc<T>> {
        let mut entries = self.entries.borrow_mut();
        if let Some((known, compiled)) = entries.first()
            && known == text
        {
            return compiled.clone();
        }
        if let Some(found) = entries.iter().position(|(known, _)| known == text) {
            let entry = entries.remove(found);
            let compiled = entry.1.clone();
            entries.insert(0, entry);
            return compiled;
        }
        let compiled = compile(text).map(Rc::new);
        entries.insert(0, (text.to_owned(), compiled.clone()));
        entries.truncate(KEPT);
        compiled
    }
}

/// Compiled arguments of one batch.
#[derive(Default)]
pub(super) struct Context {
    pub(super) patterns: Memo<Pattern>,
    pub(super) zones: Memo<Zone>,
    pub(super) parts: Memo<DatePart>,
    pub(super) formats: Memo<Format>,
    pub(super) paths: Memo<Path>,
}
