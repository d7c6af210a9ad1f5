//! Bounds the number of rows of the result.
//!
//! After this pass the outermost query has a LIMIT of at most `max_rows + 1`: one row more than the
//! result may have, so that a result that was cut off can be told from one that just fits.

use crate::compiler::ir::Statement;

/// Returns the statement with its outermost LIMIT bounded.
#[must_use]
pub fn limit(mut statement: Statement, max_rows: u64) -> Statement {
    let most = max_rows.saturating_add(1);
    let asked = statement.query.limit.unwrap_or(most);
    statement.query.limit = Some(asked.min(most));
    statement
}
