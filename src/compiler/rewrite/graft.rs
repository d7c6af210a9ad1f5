//! Puts the caller's query in the place of the stored query's own select.
//!
//! Before: two statements. After: one, with the stored CTEs that are reached first and the caller's after them under
//! generated names, so that nothing the caller names can shadow or capture anything of the stored query.
//! The caller's tree was analysed with the ids of the published sub-tables, so no name is resolved here.
//!
//! `WITH edge_logs AS (…) SELECT … FROM edge_logs` and `WITH x AS (SELECT id FROM edge_logs) SELECT *
//! FROM x` give `WITH edge_logs AS (…), u1 AS (SELECT id FROM edge_logs) SELECT id FROM u1`.

use std::collections::BTreeSet;

use crate::compiler::ir::visit::{Visit, walk_from};
use crate::compiler::ir::{Cte, CteId, CteName, From, Source, Statement};

/// Returns the caller's statement over the stored statement's CTEs.
#[must_use]
pub fn graft(stored: &Statement, ad_hoc: Statement) -> Statement {
    let mut ctes = reached(stored, &ad_hoc);
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

/// Returns the stored CTEs that the caller's statement reads, and those that they read. A stored query may have many
/// more, which no later stage has to go through then.
fn reached(stored: &Statement, ad_hoc: &Statement) -> Vec<Cte> {
    let mut reads = Reads::default();
    for cte in &ad_hoc.ctes {
        reads.query(&cte.query);
    }
    reads.query(&ad_hoc.query);
    let mut ctes = Vec::new();
    // A CTE reads only CTEs before it, so all readers of one are known when its turn comes.
    for cte in stored.ctes.iter().rev() {
        if reads.0.contains(&cte.id) {
            reads.query(&cte.query);
            ctes.push(cte.clone());
        }
    }
    ctes.reverse();
    ctes
}

/// The CTEs that are read.
#[derive(Default)]
struct Reads(BTreeSet<CteId>);

impl Visit for Reads {
    fn from(&mut self, from: &From) {
        if let From::Table(table) = from
            && let Source::Cte(id) = table.source
        {
            self.0.insert(id);
        }
        walk_from(self, from);
    }
}
