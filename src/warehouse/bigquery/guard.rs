//! The dry-run guard: BigQuery itself is asked which tables a text reads before the text runs.
//!
//! The compiler already knows what it let through. This is the second opinion: a text that BigQuery reads
//! in another way than the compiler wrote it does not run. A text is known by every byte of it, literals
//! included, since a literal that ends too early is what could go wrong.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
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
}

impl Guard {
    pub(super) fn new() -> Self {
        Self {
            known: Mutex::new(LruCache::new(KNOWN)),
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

    /// What is remembered is right after every statement, so a panic elsewhere does not spoil it.
    fn lock(&self) -> MutexGuard<'_, LruCache<Shape, ()>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Compares the tables that BigQuery finds in a text with those that the compiler put there.
///
/// # Errors
/// The difference, for the operator.
pub(super) fn compare(expected: &BTreeSet<String>, found: &[TableReference]) -> Result<(), String> {
    let found: BTreeSet<String> = found
        .iter()
        .map(|t| format!("{}.{}.{}", t.project_id, t.dataset_id, t.table_id))
        .collect();
    if found == *expected {
        return Ok(());
    }
    let list = |tables: &mut dyn Iterator<Item = &String>| {
        let names: Vec<&str> = tables.map(String::as_str).collect();
        if names.is_empty() {
            "no table".to_owned()
        } else {
            names.join(", ")
        }
    };
    let mut message = format!(
        "the dry run reads {}, the compiler says {}",
        list(&mut found.iter()),
        list(&mut expected.iter())
    );
    let mut missing = expected.difference(&found).peekable();
    if missing.peek().is_some() {
        let missing = list(&mut missing);
        message += &format!(
            "; where {missing} is a view, BigQuery tells the tables behind it: a stream must be a table"
        );
    }
    Err(message)
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
        let expected = tables(&["p.d.a", "p.d.b"]);
        let view = |names: &str| {
            format!(
                "; where {names} is a view, BigQuery tells the tables behind it: a stream must be a table"
            )
        };
        for (found, reads, hint) in [
            (vec![], "no table", view("p.d.a, p.d.b")),
            (vec!["a"], "p.d.a", view("p.d.b")),
            (vec!["a", "b", "c"], "p.d.a, p.d.b, p.d.c", String::new()),
            (vec!["a", "B"], "p.d.B, p.d.a", view("p.d.b")),
        ] {
            let found: Vec<TableReference> = found.into_iter().map(reference).collect();
            let difference = compare(&expected, &found).expect_err(reads);
            let says = format!("the dry run reads {reads}, the compiler says p.d.a, p.d.b{hint}");
            assert_eq!(difference, says);
        }
        let found = [reference("b"), reference("a"), reference("a")];
        compare(&expected, &found).expect("the same");
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
