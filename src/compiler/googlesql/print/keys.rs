//! How the keys of a GROUP BY are written.
//!
//! GoogleSQL knows a grouped expression again where it is a path, such as `t.a.b`, or a whole output
//! column, and nowhere else: `CONCAT(LOWER(a), 'x')` is refused although `LOWER(a)` is grouped. A literal
//! cannot be grouped by at all, and an integer is taken for an ordinal. So a path is written as it is; an
//! expression that is one output column by that column's ordinal; any other is first made a column of its
//! own by `CROSS JOIN UNNEST([STRUCT(expression AS key_1)])`. So is the field of a record that an aggregate function among
//! the output columns orders its rows by: GoogleSQL then no longer knows the path again as what is grouped.

use crate::compiler::ir::visit::{Visit, walk_expr, walk_from};
use crate::compiler::ir::{Expr, ExprKind, From, GroupBy, Query, Select, UnaryOp};

/// How one key is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum KeyForm {
    /// As its expression, everywhere.
    Path,
    /// As the ordinal of an output column, from 0; as the expression in that column, as the column's name
    /// in ORDER BY.
    Output(usize),
    /// As a column of the range variable that holds such keys.
    Column,
}

/// Decides the form of every key of a select block.
pub(super) fn forms(select: &Select, group_by: &GroupBy) -> Vec<KeyForm> {
    let mut outputs = vec![Vec::new(); group_by.keys.len()];
    let mut inner = Inner(vec![false; group_by.keys.len()]);
    let mut sorted = Sorted(Vec::new());
    for (position, item) in select.items.iter().enumerate() {
        sorted.expr(&item.expr);
        if let ExprKind::GroupKey(key) = &item.expr.kind {
            if let Some(outputs) = outputs.get_mut(*key) {
                outputs.push(position);
            }
        } else {
            inner.expr(&item.expr);
        }
    }
    for expr in [&select.having, &select.qualify].into_iter().flatten() {
        inner.expr(expr);
    }
    let uses = outputs.iter().zip(inner.0);
    group_by
        .keys
        .iter()
        .zip(uses)
        .map(|(key, (outputs, inner))| match outputs.as_slice() {
            _ if key.is_path() && !sorted.0.contains(key) => KeyForm::Path,
            [output] if !inner => KeyForm::Output(*output),
            _ => KeyForm::Column,
        })
        .collect()
}

/// Returns the name of a key that became a column.
pub(super) fn key_column(index: usize) -> String {
    format!("key_{}", index + 1)
}

/// Returns whether computing an expression may fail on some row.
pub(super) fn can_fail(expr: &Expr) -> bool {
    struct Finder(bool);
    impl Visit for Finder {
        fn expr(&mut self, expr: &Expr) {
            self.0 |= match &expr.kind {
                ExprKind::Call { function, safe, .. } => function.can_fail && !safe,
                ExprKind::Cast { operand, safe } => !safe && !operand.ty.same(&expr.ty),
                ExprKind::Unary { op, .. } => *op != UnaryOp::Not,
                ExprKind::Binary { op, .. } => op.can_fail(),
                ExprKind::Subscript { .. }
                | ExprKind::Subquery { .. }
                | ExprKind::Interval { .. } => true,
                _ => false,
            };
            walk_expr(self, expr);
        }
    }
    let mut finder = Finder(false);
    finder.expr(expr);
    finder.0
}

/// Returns whether a sub-query over a table stands in an expression. BigQuery does not have it in UNNEST where it reads
/// the row.
pub(super) fn reads_table(expr: &Expr) -> bool {
    struct Finder(bool);
    impl Visit for Finder {
        fn from(&mut self, from: &From) {
            self.0 |= matches!(from, From::Table(_));
            walk_from(self, from);
        }
    }
    let mut finder = Finder(false);
    finder.expr(expr);
    finder.0
}

/// Which keys are used inside of other expressions.
struct Inner(Vec<bool>);

impl Visit for Inner {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::GroupKey(key) = &expr.kind
            && let Some(used) = self.0.get_mut(*key)
        {
            *used = true;
        }
        walk_expr(self, expr);
    }
}

/// The fields that aggregate functions order their rows by.
struct Sorted(Vec<Expr>);

impl Visit for Sorted {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Aggregate(aggregate) = &expr.kind {
            let keys = aggregate.order_by.iter().map(|key| &key.expr);
            let fields = keys.filter(|key| matches!(key.kind, ExprKind::Field { .. }));
            self.0.extend(fields.cloned());
        }
        walk_expr(self, expr);
    }

    fn query(&mut self, _: &Query) {}
}
