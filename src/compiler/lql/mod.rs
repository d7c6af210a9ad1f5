//! LQL: the filter language of sandboxed endpoints. `docs/lql.md` is its reference.
//!
//! Text becomes a tree of clauses ([`parse`]), and the tree becomes the typed IR that a caller's SQL becomes
//! as well ([`lower`]), over the same published sub-tables. What follows does not know the language.

pub mod ast;
mod chart;
pub(in crate::compiler) mod explain;
mod field;
mod grammar;
pub mod lower;
pub mod parse;
mod path;
mod time;
mod value;

use super::analyze::{Analyzed, Environment};
use super::diagnostic::Diagnostics;

/// Analyses an LQL text over the sub-tables of an environment; nothing when it has no clause. `now` is the
/// instant of the request, microseconds since the Unix epoch.
///
/// # Errors
/// Every reason to refuse the text, with places in it: all of its form, or else all of its meaning.
pub fn analyze(
    text: &str,
    environment: &Environment<'_>,
    now: i64,
) -> Result<Option<Analyzed>, Diagnostics> {
    let query = parse::parse(text, environment.limits)?;
    if query.is_empty() {
        return Ok(None);
    }
    lower::lower(&query, environment, now).map(Some)
}
