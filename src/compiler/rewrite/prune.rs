//! Drops the sub-tables and columns that nobody reads.
//!
//! Before: every CTE of the stored query. After: those that the query reaches, with the columns that
//! something reads. It stands behind `specialize`, which may have dropped the last reader of a column.

use std::collections::{BTreeMap, BTreeSet};

use crate::compiler::ir::visit::{Visit, VisitMut, walk_from, walk_from_mut};
use crate::compiler::ir::{
    Body, ColumnName, CteId, Expr, ExprKind, From, Query, RangeId, Source, Statement,
};

/// Returns the statement without unread CTEs and columns.
#[must_use]
pub fn prune(mut statement: Statement) -> Statement {
    let mut reads = Reads::default();
    reads.query(&statement.query);
    let mut kept = Vec::with_capacity(statement.ctes.len());
    // A CTE reads only CTEs before it, so all readers of one are known when its turn comes.
    while let Some(mut cte) = statement.ctes.pop() {
        let Some(columns) = reads.of(cte.id) else {
            continue;
        };
        if let Columns::Some(columns) = columns {
            keep(&mut cte.query, &columns);
        }
        reads.query(&cte.query);
        kept.push(cte);
    }
    kept.reverse();
    statement.ctes = kept;

    let mut narrow = Narrow {
        columns: statement
            .ctes
            .iter()
            .map(|cte| {
                let names = cte.query.columns().into_iter().map(|c| c.name).collect();
                (cte.id, names)
            })
            .collect(),
    };
    for cte in &mut statement.ctes {
        narrow.query(&mut cte.query);
    }
    narrow.query(&mut statement.query);
    statement
}

/// The columns of a CTE that something reads.
#[derive(Clone, Debug)]
enum Columns {
    All,
    Some(BTreeSet<ColumnName>),
}

/// What has been read so far.
#[derive(Default)]
struct Reads {
    /// The CTE of each range variable.
    ctes: BTreeMap<RangeId, CteId>,
    columns: BTreeMap<RangeId, BTreeSet<ColumnName>>,
    whole: BTreeSet<RangeId>,
}

impl Reads {
    /// Returns what is read of a CTE; `None` when nothing names it.
    fn of(&self, id: CteId) -> Option<Columns> {
        let ranges: Vec<&RangeId> = self
            .ctes
            .iter()
            .filter(|(_, cte)| **cte == id)
            .map(|(range, _)| range)
            .collect();
        if ranges.is_empty() {
            return None;
        }
        if ranges.iter().any(|range| self.whole.contains(range)) {
            return Some(Columns::All);
        }
        let columns = ranges
            .iter()
            .filter_map(|range| self.columns.get(range))
            .flatten()
            .cloned()
            .collect();
        Some(Columns::Some(columns))
    }
}

impl Visit for Reads {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Column { range, column } => {
                self.columns
                    .entry(*range)
                    .or_default()
                    .insert(column.clone());
            }
            ExprKind::Row(range) => {
                self.whole.insert(*range);
            }
            _ => crate::compiler::ir::visit::walk_expr(self, expr),
        }
    }

    fn from(&mut self, from: &From) {
        if let From::Table(table) = from
            && let Source::Cte(id) = table.source
        {
            self.ctes.insert(table.range, id);
        }
        walk_from(self, from);
    }
}

/// Keeps these columns of a query where leaving out the others changes no row.
fn keep(query: &mut Query, columns: &BTreeSet<ColumnName>) {
    let positions: Vec<usize> = query
        .columns()
        .iter()
        .enumerate()
        .filter(|(_, column)| columns.contains(&column.name))
        .map(|(index, _)| index)
        .collect();
    keep_positions(query, &positions);
}

fn keep_positions(query: &mut Query, positions: &[usize]) {
    let prunable = match &query.body {
        Body::Select(select) => !select.distinct,
        Body::Set(set) => set.all && set.arms.iter().all(is_prunable),
    };
    if !prunable {
        return;
    }
    let width = query.columns().len();
    let mut positions: BTreeSet<usize> = positions.iter().copied().collect();
    for key in &query.order_by {
        outputs(&key.expr, &mut positions);
    }
    if positions.is_empty() {
        // A row without columns cannot be written; the narrowest one will do.
        let columns = query.columns();
        let narrow = columns.iter().position(|c| c.ty.is_groupable());
        positions.insert(narrow.unwrap_or(0));
    }
    if positions.len() == width {
        return;
    }
    let order: Vec<usize> = positions.iter().copied().collect();
    match &mut query.body {
        Body::Select(select) => {
            let mut index = 0;
            select.items.retain(|_| {
                index += 1;
                positions.contains(&(index - 1))
            });
        }
        Body::Set(set) => {
            for arm in &mut set.arms {
                keep_positions(arm, &order);
            }
            let mut index = 0;
            set.columns.retain(|_| {
                index += 1;
                positions.contains(&(index - 1))
            });
        }
    }
    for key in &mut query.order_by {
        Renumber { order: &order }.expr(&mut key.expr);
    }
}

/// Returns whether columns can be left out of an arm without others having to stay.
fn is_prunable(query: &Query) -> bool {
    query.order_by.is_empty()
        && match &query.body {
            Body::Select(select) => !select.distinct,
            Body::Set(set) => set.all && set.arms.iter().all(is_prunable),
        }
}

fn outputs(expr: &Expr, positions: &mut BTreeSet<usize>) {
    struct Outputs<'a>(&'a mut BTreeSet<usize>);
    impl Visit for Outputs<'_> {
        fn expr(&mut self, expr: &Expr) {
            if let ExprKind::Output(index) = expr.kind {
                self.0.insert(index);
            }
            crate::compiler::ir::visit::walk_expr(self, expr);
        }
        fn query(&mut self, _query: &Query) {}
    }
    Outputs(positions).expr(expr);
}

/// Gives output columns their new positions.
struct Renumber<'a> {
    order: &'a [usize],
}

impl VisitMut for Renumber<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Output(index) = &mut expr.kind {
            if let Some(position) = self.order.iter().position(|kept| kept == index) {
                *index = position;
            }
        } else {
            crate::compiler::ir::visit::walk_expr_mut(self, expr);
        }
    }

    fn query(&mut self, _query: &mut Query) {}
}

/// Makes the columns of table references those that are left.
struct Narrow {
    columns: BTreeMap<CteId, BTreeSet<ColumnName>>,
}

impl VisitMut for Narrow {
    fn from(&mut self, from: &mut From) {
        if let From::Table(table) = from
            && let Source::Cte(id) = table.source
            && let Some(names) = self.columns.get(&id)
        {
            table.columns.retain(|column| names.contains(&column.name));
        }
        walk_from_mut(self, from);
    }
}
