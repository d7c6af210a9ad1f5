//! Drops the sub-tables and columns that nobody reads.
//!
//! Before: every CTE of the stored query. After: those that the query reaches, with the columns that
//! something reads. It stands behind `specialize`, which may have dropped the last reader of a column.

use std::collections::{BTreeMap, BTreeSet};

use crate::compiler::analyze::has_window;
use crate::compiler::ir::visit::{
    Visit, VisitMut, walk_expr, walk_expr_mut, walk_from, walk_from_mut,
};
use crate::compiler::ir::{
    Body, ColumnName, Cte, CteId, Expr, ExprKind, From, Query, RangeId, Select, Source, Statement,
};

/// Returns the statement without unread CTEs and columns.
#[must_use]
pub fn prune(mut statement: Statement) -> Statement {
    let mut reads = Reads::default();
    reads.query(&statement.query);
    let mut kept = Vec::with_capacity(statement.ctes.len());
    // A CTE reads only CTEs before it, so all readers of one are known when its turn comes.
    while let Some(mut cte) = statement.ctes.pop() {
        let Some(columns) = reads.ctes.remove(&cte.id) else {
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

    let names = |cte: &Cte| (cte.id, cte.query.names().cloned().collect());
    let mut narrow = Narrow {
        columns: statement.ctes.iter().map(names).collect(),
    };
    for cte in &mut statement.ctes {
        narrow.query(&mut cte.query);
    }
    narrow.query(&mut statement.query);
    statement
}

/// The columns of a CTE that something reads.
enum Columns {
    All,
    Some(BTreeSet<ColumnName>),
}

/// What has been read so far.
#[derive(Default)]
struct Reads {
    /// The CTE of each range variable.
    ranges: BTreeMap<RangeId, CteId>,
    ctes: BTreeMap<CteId, Columns>,
}

impl Reads {
    /// Returns what is read of the CTE of a range variable; nothing of one of anything else. A range variable is
    /// visited before the expressions that read it.
    fn of(&mut self, range: RangeId) -> Option<&mut Columns> {
        self.ctes.get_mut(self.ranges.get(&range)?)
    }
}

impl Visit for Reads {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Column { range, column } => {
                if let Some(Columns::Some(columns)) = self.of(*range)
                    && !columns.contains(column)
                {
                    columns.insert(column.clone());
                }
            }
            ExprKind::Row(range) => {
                if let Some(columns) = self.of(*range) {
                    *columns = Columns::All;
                }
            }
            _ => walk_expr(self, expr),
        }
    }

    fn from(&mut self, from: &From) {
        if let From::Table(table) = from
            && let Source::Cte(id) = table.source
        {
            self.ranges.insert(table.range, id);
            let unread = || Columns::Some(BTreeSet::new());
            self.ctes.entry(id).or_insert_with(unread);
        }
        walk_from(self, from);
    }
}

/// Keeps these columns of a query where leaving out the others changes no row.
fn keep(query: &mut Query, columns: &BTreeSet<ColumnName>) {
    let kept = query.names().map(|name| columns.contains(name)).collect();
    keep_positions(query, kept);
}

/// Keeps the columns at the positions that say so.
fn keep_positions(query: &mut Query, mut kept: Vec<bool>) {
    let prunable = match &query.body {
        Body::Select(select) => !select.distinct,
        Body::Set(set) => set.all && set.arms.iter().all(is_prunable),
    };
    if !prunable {
        return;
    }
    for key in &query.order_by {
        Outputs(&mut kept).expr(&key.expr);
    }
    if let Body::Select(select) = &query.body
        && qualifies_by_items(select)
    {
        for (kept, item) in kept.iter_mut().zip(&select.items) {
            *kept |= has_window(&item.expr);
        }
    }
    if !kept.contains(&true) {
        // A row without columns cannot be written; the narrowest one will do.
        let columns = query.columns();
        let narrow = columns.iter().position(|c| c.ty.is_groupable());
        if let Some(kept) = kept.get_mut(narrow.unwrap_or(0)) {
            *kept = true;
        }
    }
    if !kept.contains(&false) {
        return;
    }
    let mut stays = kept.iter();
    match &mut query.body {
        Body::Select(select) => select.items.retain(|_| stays.next() == Some(&true)),
        Body::Set(set) => {
            for arm in &mut set.arms {
                keep_positions(arm, kept.clone());
            }
            set.columns.retain(|_| stays.next() == Some(&true));
        }
    }
    for key in &mut query.order_by {
        Renumber { kept: &kept }.expr(&mut key.expr);
    }
}

/// Returns whether columns can be left out of an arm without others having to stay.
fn is_prunable(query: &Query) -> bool {
    query.order_by.is_empty()
        && match &query.body {
            Body::Select(select) => !select.distinct && !qualifies_by_items(select),
            Body::Set(set) => set.all && set.arms.iter().all(is_prunable),
        }
}

/// Returns whether QUALIFY, which asks for a window function in its condition or its block's items, has it among the
/// items alone.
fn qualifies_by_items(select: &Select) -> bool {
    select
        .qualify
        .as_ref()
        .is_some_and(|qualify| !has_window(qualify))
}

/// Keeps the columns that an expression reads.
struct Outputs<'a>(&'a mut [bool]);

impl Visit for Outputs<'_> {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Output(index) = expr.kind
            && let Some(kept) = self.0.get_mut(index)
        {
            *kept = true;
        }
        walk_expr(self, expr);
    }

    fn query(&mut self, _query: &Query) {}
}

/// Gives output columns their new positions.
struct Renumber<'a> {
    kept: &'a [bool],
}

impl VisitMut for Renumber<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Output(index) = &mut expr.kind {
            let before = self.kept.iter().take(*index);
            *index = before.filter(|kept| **kept).count();
        } else {
            walk_expr_mut(self, expr);
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
