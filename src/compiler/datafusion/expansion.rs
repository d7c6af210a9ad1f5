//! How large expressions become in the engine's planner, which writes out what a column of a sub-query stands for
//! wherever a condition reads it, and COALESCE as a CASE that has each value but the last twice. Both double an
//! expression a level, and nothing interrupts planning.

use std::collections::BTreeMap;

use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::ir::visit::{Visit, walk_expr, walk_keys};
use crate::compiler::ir::{
    Body, ColumnName, CteId, Expr, ExprKind, From, Query, RangeId, Select, Source, Statement,
};

/// What a node of an expression counts for, in bytes. Printed, few are shorter.
const NODE: usize = 16;

/// Refuses a statement with an expression that the planner would make larger than so many bytes.
///
/// # Errors
/// The largest expression.
pub(super) fn check(statement: &Statement, most_bytes: usize) -> Result<(), Box<Diagnostic>> {
    let mut expansion = Expansion::default();
    for cte in &statement.ctes {
        expansion.query(&cte.query);
        let columns = expansion.columns_of(&cte.query);
        expansion.ctes.insert(cte.id, columns);
    }
    expansion.query(&statement.query);
    let (nodes, span) = expansion.largest;
    let bytes = nodes.saturating_mul(NODE);
    if bytes <= most_bytes {
        return Ok(());
    }
    let message = format!(
        "with its columns written out this has {bytes} bytes, the limit is {most_bytes} (limits.output_bytes)"
    );
    let help =
        "repeat computed values in fewer levels of sub-queries, or of COALESCE within COALESCE";
    Err(Box::new(
        Diagnostic::new(Code::OutputTooLong, span, message).help(help),
    ))
}

/// The sizes of expressions, in nodes.
#[derive(Default)]
struct Expansion {
    ctes: BTreeMap<CteId, Vec<(ColumnName, usize)>>,
    /// The columns of FROM items that are queries.
    columns: BTreeMap<RangeId, Vec<(ColumnName, usize)>>,
    /// The group keys of the blocks around the current place, innermost last.
    keys: Vec<Vec<usize>>,
    /// The output columns of the query that was visited last.
    outputs: Vec<usize>,
    /// The nodes of what stands beside each other at the current place.
    nodes: usize,
    largest: (usize, Span),
}

impl Expansion {
    fn columns_of(&self, query: &Query) -> Vec<(ColumnName, usize)> {
        let names = query.columns().into_iter().map(|column| column.name);
        names.zip(self.outputs.iter().copied()).collect()
    }

    /// Returns the nodes that a visit counts.
    fn counted(&mut self, visit: impl FnOnce(&mut Self)) -> usize {
        let around = std::mem::take(&mut self.nodes);
        visit(self);
        std::mem::replace(&mut self.nodes, around)
    }

    fn size(&mut self, expr: &Expr) -> usize {
        match &expr.kind {
            ExprKind::Column { range, column } => {
                let columns = self.columns.get(range).into_iter().flatten();
                let mut same = columns.filter(|(name, _)| name == column);
                same.next().map_or(1, |(_, size)| *size)
            }
            ExprKind::Row(range) => {
                let columns = self.columns.get(range).into_iter().flatten();
                columns.fold(1, |sum: usize, (_, size)| sum.saturating_add(*size))
            }
            ExprKind::GroupKey(index) => {
                let mut keys = self.keys.iter().rev();
                keys.find_map(|keys| keys.get(*index)).copied().unwrap_or(1)
            }
            // A condition on these stays above them.
            ExprKind::Aggregate(_) | ExprKind::Window(_) => {
                self.counted(|this| walk_expr(this, expr));
                1
            }
            ExprKind::Call { function, args, .. }
                if matches!(function.name, "COALESCE" | "IFNULL") =>
            {
                let last = args.len().saturating_sub(1);
                args.iter().enumerate().fold(1, |sum: usize, (at, arg)| {
                    let size = self.size(arg);
                    let times = if at < last { 2 } else { 1 };
                    sum.saturating_add(size.saturating_mul(times))
                })
            }
            _ => self.counted(|this| walk_expr(this, expr)).saturating_add(1),
        }
    }
}

impl Visit for Expansion {
    fn expr(&mut self, expr: &Expr) {
        let size = self.size(expr);
        if size > self.largest.0 {
            self.largest = (size, expr.span);
        }
        self.nodes = self.nodes.saturating_add(size);
    }

    fn query(&mut self, query: &Query) {
        match &query.body {
            Body::Select(select) => self.select(select),
            Body::Set(set) => {
                let mut largest = vec![1; set.columns.len()];
                for arm in &set.arms {
                    self.query(arm);
                    for (largest, size) in largest.iter_mut().zip(&self.outputs) {
                        *largest = (*largest).max(*size);
                    }
                }
                self.outputs = largest;
            }
        }
        let outputs = std::mem::take(&mut self.outputs);
        walk_keys(self, &query.order_by);
        self.outputs = outputs;
    }

    fn select(&mut self, select: &Select) {
        if let Some(from) = &select.from {
            self.from(from);
        }
        if let Some(filter) = &select.filter {
            self.expr(filter);
        }
        let keys = select.group_by.iter().flat_map(|by| &by.keys);
        let keys = keys
            .map(|key| self.counted(|this| this.expr(key)))
            .collect();
        self.keys.push(keys);
        for condition in [&select.having, &select.qualify].into_iter().flatten() {
            self.expr(condition);
        }
        let items = select.items.iter();
        let outputs = items.map(|item| self.counted(|this| this.expr(&item.expr)));
        let outputs: Vec<usize> = outputs.collect();
        self.nodes = outputs
            .iter()
            .fold(self.nodes, |sum, size| sum.saturating_add(*size));
        self.keys.pop();
        self.outputs = outputs;
    }

    fn from(&mut self, from: &From) {
        match from {
            From::Table(table) => {
                if let Source::Cte(id) = &table.source
                    && let Some(columns) = self.ctes.get(id)
                {
                    self.columns.insert(table.range, columns.clone());
                }
            }
            From::Derived {
                range,
                name: _,
                query,
            } => {
                self.query(query);
                self.columns.insert(*range, self.columns_of(query));
            }
            From::Unnest(unnest) => self.expr(&unnest.array),
            From::Join(join) => {
                self.from(&join.left);
                self.from(&join.right);
                if let Some(on) = &join.on {
                    self.expr(on);
                }
            }
            From::Filtered { input, condition } => {
                self.from(input);
                self.expr(condition);
            }
        }
    }
}
