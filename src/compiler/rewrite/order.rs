//! Moves the order of a sub-table to where it counts.
//!
//! A CTE has no order that its reader could rely on, so an engine may sort it in vain or not at all.
//! But who selects from a sub-table that is "newest first" expects the newest rows. Hence: a plain
//! select over one sub-table (perhaps with UNNEST) without an ORDER BY of its own takes over that of
//! the sub-table, and an ORDER BY that no LIMIT depends on is dropped everywhere else.
//!
//! `WITH a AS (SELECT id, ts FROM s ORDER BY ts DESC) SELECT id FROM a LIMIT 5` becomes
//! `WITH a AS (SELECT id, ts FROM s) SELECT id FROM a ORDER BY a.ts DESC LIMIT 5`.

use crate::compiler::ir::visit::{VisitMut, walk_expr_mut, walk_query_mut};
use crate::compiler::ir::{
    Body, Expr, ExprKind, From, JoinKind, Query, Source, Statement, SubqueryKind, Table,
};

/// Returns the statement with every ORDER BY where it counts.
#[must_use]
pub fn order(mut statement: Statement) -> Statement {
    if let Some(keys) = inherited(&statement) {
        statement.query.order_by = keys;
    }
    let mut dropper = DropOrder;
    for cte in &mut statement.ctes {
        dropper.query(&mut cte.query);
    }
    walk_query_mut(&mut dropper, &mut statement.query);
    statement
}

/// Returns the sort keys that the outermost query takes over from its only sub-table.
fn inherited(statement: &Statement) -> Option<Vec<crate::compiler::ir::SortKey>> {
    let query = &statement.query;
    let Body::Select(select) = &query.body else {
        return None;
    };
    if !query.order_by.is_empty() || select.distinct || select.group_by.is_some() {
        return None;
    }
    let table = only_table(select.from.as_ref()?)?;
    let Source::Cte(id) = table.source else {
        return None;
    };
    let source = &statement.cte(id)?.query;
    if source.limit.is_some() || source.offset.is_some() {
        return None;
    }
    let columns = source.columns();
    let keys: Option<Vec<_>> = source
        .order_by
        .iter()
        .map(|key| {
            let ExprKind::Output(index) = key.expr.kind else {
                return None;
            };
            let column = columns.get(index)?;
            let read = Expr::new(
                ExprKind::Column {
                    range: table.range,
                    column: column.name.clone(),
                },
                column.ty.clone(),
                key.expr.span,
            );
            let output = select.items.iter().position(|item| item.expr == read);
            let mut key = key.clone();
            key.expr = match output {
                Some(index) => Expr::new(ExprKind::Output(index), read.ty, read.span),
                None => read,
            };
            Some(key)
        })
        .collect();
    keys.filter(|keys| !keys.is_empty())
}

/// Returns the table that a FROM reads when it reads one, with nothing but arrays beside it.
fn only_table(from: &From) -> Option<&Table> {
    match from {
        From::Table(table) => Some(table),
        From::Join(join)
            if matches!(join.right, From::Unnest(_))
                && matches!(
                    join.kind,
                    JoinKind::Cross | JoinKind::Inner | JoinKind::Left
                ) =>
        {
            only_table(&join.left)
        }
        From::Join(_) | From::Derived { .. } | From::Unnest(_) | From::Filtered { .. } => None,
    }
}

/// Drops the ORDER BY of every query whose row order nothing depends on.
struct DropOrder;

impl VisitMut for DropOrder {
    fn query(&mut self, query: &mut Query) {
        if query.limit.is_none() && query.offset.is_none() {
            query.order_by.clear();
        }
        walk_query_mut(self, query);
    }

    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Subquery {
            kind: SubqueryKind::Array,
            query,
        } = &mut expr.kind
        {
            // The elements of the array are in the order of the rows.
            walk_query_mut(self, query);
        } else {
            walk_expr_mut(self, expr);
        }
    }
}
