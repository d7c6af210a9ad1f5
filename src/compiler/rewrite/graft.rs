//! Puts the caller's query in the place of the stored query's own select.
//!
//! Before: two statements. After: one, with the stored CTEs first and the caller's after them under
//! generated names, so that nothing the caller names can shadow or capture anything of the stored query.
//! The caller's tree was analysed with the ids of the published sub-tables, so no name is resolved here.
//!
//! `WITH edge_logs AS (…) SELECT … FROM edge_logs` and `WITH x AS (SELECT id FROM edge_logs) SELECT *
//! FROM x` give `WITH edge_logs AS (…), u1 AS (SELECT id FROM edge_logs) SELECT id FROM u1`.

use crate::compiler::ir::{Cte, CteName, Statement};

/// Returns the caller's statement over the stored statement's CTEs.
#[must_use]
pub fn graft(stored: &Statement, ad_hoc: Statement) -> Statement {
    let mut ctes = stored.ctes.clone();
    let mut number = 0;
    for cte in ad_hoc.ctes {
        let name = loop {
            number += 1;
            let candidate = format!("u{number}");
            if !stored.ctes.iter().any(|cte| cte.name.matches(&candidate)) {
                break CteName::new(candidate);
            }
        };
        ctes.push(Cte { name, ..cte });
    }
    Statement {
        ctes,
        query: ad_hoc.query,
    }
}
