//! The dry-run guard: BigQuery itself is asked which tables a text reads before the text runs.
//!
//! The compiler already knows what it let through. This is the second opinion: a text that BigQuery reads
//! in another way than the compiler wrote it does not run. A text is known by every byte of it, literals
//! included, since a literal that ends too early is what could go wrong.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use sha2::{Digest as _, Sha256};

use super::wire::{QueryParameter, TableReference};

/// How many texts are remembered.
const KNOWN: NonZeroUsize = NonZeroUsize::new(20_000).expect("a number above 0");

/// A text and the types of its parameters.
pub(super) type Shape = [u8; 32];

/// The texts that may run.
#[derive(Debug)]
pub(super) struct Guard {
    known: Mutex<LruCache<Shape, ()>>,
    refused: AtomicU64,
}

impl Guard {
    pub(super) fn new() -> Self {
        Self {
            known: Mutex::new(LruCache::new(KNOWN)),
            refused: AtomicU64::new(0),
        }
    }

    /// Returns whether the text was found to be right before.
    pub(super) fn knows(&self, shape: &Shape) -> bool {
        self.lock().get(shape).is_some()
    }

    /// Notes that a text was found to be right.
    pub(super) fn remember(&self, shape: Shape) {
        self.lock().put(shape, ());
    }

    /// Compares the tables that BigQuery finds in a text with those that the compiler put there.
    ///
    /// # Errors
    /// The difference, for the operator. It has been counted.
    pub(super) fn compare(
        &self,
        expected: &BTreeSet<String>,
        found: &[TableReference],
    ) -> Result<(), String> {
        let found: BTreeSet<String> = found
            .iter()
            .map(|t| format!("{}.{}.{}", t.project_id, t.dataset_id, t.table_id))
            .collect();
        if found != *expected {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return Err(format!(
                "the dry run reads {found:?}, the compiler says {expected:?}"
            ));
        }
        Ok(())
    }

    /// Returns how many texts were refused since the start.
    pub(super) fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// What is remembered is right after every statement, so a panic elsewhere does not spoil it.
    fn lock(&self) -> MutexGuard<'_, LruCache<Shape, ()>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns what a text is known by.
pub(super) fn shape(sql: &str, parameters: &[QueryParameter]) -> Shape {
    let mut hash = Sha256::new();
    let mut add = |text: &str| {
        hash.update(text.len().to_le_bytes());
        hash.update(text);
    };
    add(sql);
    for parameter in parameters {
        add(&parameter.name);
        let mut ty = Some(&parameter.parameter_type);
        while let Some(named) = ty {
            add(named.name);
            ty = named.array_type.as_deref();
        }
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn reference(table: &str) -> TableReference {
        TableReference {
            project_id: "p".into(),
            dataset_id: "d".into(),
            table_id: table.into(),
        }
    }

    #[test]
    fn only_the_same_tables_pass() {
        let guard = Guard::new();
        let expected = tables(&["p.d.a", "p.d.b"]);
        for found in [
            vec![],
            vec![reference("a")],
            vec![reference("a"), reference("b"), reference("c")],
            vec![reference("a"), reference("B")],
        ] {
            guard.compare(&expected, &found).expect_err("differs");
        }
        assert_eq!(guard.refused(), 4);
        let found = [reference("b"), reference("a"), reference("a")];
        guard.compare(&expected, &found).expect("the same");
        assert_eq!(guard.refused(), 4);
    }

    #[test]
    fn what_is_known_is_bounded() {
        let guard = Guard::new();
        let number = |n: usize| shape(&n.to_string(), &[]);
        for n in 0..=KNOWN.get() {
            guard.remember(number(n));
        }
        assert!(!guard.knows(&number(0)));
        assert!(guard.knows(&number(1)));
    }
}
