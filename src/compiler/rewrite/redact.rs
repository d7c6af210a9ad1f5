//! Redacts what leaves a sub-table.
//!
//! Before: the caller's query over the sub-tables. After: every value that it takes out of one is redacted
//! at the place where it is taken, so that whatever the caller does with it, and whatever can be told from
//! its order or its errors, can be told from the redacted value alone. A value is a path of fields and
//! elements from a column or row of a sub-table, as long as it goes. Without a query of the caller it is the
//! output columns of the stored query that are redacted, and what they are sorted by.
//!
//! `SELECT REVERSE(r.ip) FROM logs AS t CROSS JOIN UNNEST(t.metadata) AS m CROSS JOIN UNNEST(m.request) AS r
//! WHERE t.timestamp > x` becomes `SELECT REVERSE(REDACT(r.ip)) …`. Only what is read is redacted: values
//! without a text in them stay, such as `t.timestamp`, so that conditions on them are as fast as ever; so do
//! paths that are only gone along, such as `t.metadata`, or only asked for their presence or length.
//!
//! It stands behind `order`, which gives the caller's query the sort keys of its sub-table.

use std::collections::BTreeSet;

use crate::compiler::analyze::Ids;
use crate::compiler::diagnostic::Span;
use crate::compiler::ir::visit::{VisitMut, walk_expr_mut, walk_from_mut};
use crate::compiler::ir::{
    Body, Column, CteId, Expr, ExprKind, From, Item, Query, RangeId, RangeName, Select, Source,
    Statement, Type,
};
use crate::compiler::redaction::Redaction;

/// Redacts what the caller's part of a statement reads of the stored CTEs.
#[must_use]
pub fn redact_caller(
    mut statement: Statement,
    stored: &Statement,
    redaction: &Redaction,
) -> Statement {
    let mut pass = Redact {
        subtables: stored.ctes.iter().map(|cte| cte.id).collect(),
        raw: BTreeSet::new(),
        redaction,
    };
    for cte in &mut statement.ctes {
        if !pass.subtables.contains(&cte.id) {
            pass.query(&mut cte.query);
        }
    }
    pass.query(&mut statement.query);
    statement
}

/// Redacts the output columns of a stored statement.
#[must_use]
pub fn redact_outputs(mut statement: Statement, ids: &mut Ids, redaction: &Redaction) -> Statement {
    if matches!(statement.query.body, Body::Set(_)) {
        statement.query = around(statement.query, ids.range());
    }
    if let Body::Select(select) = &mut statement.query.body {
        for item in &mut select.items {
            wrap(&mut item.expr, redaction);
        }
    }
    for key in &mut statement.query.order_by {
        if !matches!(key.expr.kind, ExprKind::Output(_)) {
            wrap(&mut key.expr, redaction);
        }
    }
    statement
}

struct Redact<'a> {
    subtables: BTreeSet<CteId>,
    /// The FROM items whose values come out of a sub-table as they are.
    raw: BTreeSet<RangeId>,
    redaction: &'a Redaction,
}

impl VisitMut for Redact<'_> {
    fn from(&mut self, from: &mut From) {
        match from {
            From::Table(table) => {
                if let Source::Cte(id) = table.source
                    && self.subtables.contains(&id)
                {
                    self.raw.insert(table.range);
                }
            }
            From::Unnest(unnest) if self.is_path(&unnest.array) => {
                self.positions(&mut unnest.array);
                self.raw.insert(unnest.range);
            }
            From::Derived { .. } | From::Unnest(_) | From::Join(_) | From::Filtered { .. } => {
                walk_from_mut(self, from);
            }
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        if self.is_path(expr) {
            self.positions(expr);
            wrap(expr, self.redaction);
            return;
        }
        if let Some(path) = measured(expr)
            && self.is_path(path)
        {
            self.positions(path);
            return;
        }
        walk_expr_mut(self, expr);
    }
}

impl Redact<'_> {
    /// Returns whether an expression is a path out of a sub-table.
    fn is_path(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Column { range, column: _ }
            | ExprKind::Element(range)
            | ExprKind::Row(range) => self.raw.contains(range),
            ExprKind::Field { base, index: _ }
            | ExprKind::Subscript {
                base,
                index: _,
                mode: _,
            } => self.is_path(base),
            _ => false,
        }
    }

    /// Redacts what the positions within a path are computed from.
    fn positions(&mut self, path: &mut Expr) {
        match &mut path.kind {
            ExprKind::Field { base, index: _ } => self.positions(base),
            ExprKind::Subscript {
                base,
                index,
                mode: _,
            } => {
                self.positions(base);
                self.expr(index);
            }
            _ => {}
        }
    }
}

/// Returns the value of which an expression tells no more than that redaction keeps: whether it is there,
/// or how many elements it has.
fn measured(expr: &mut Expr) -> Option<&mut Expr> {
    match &mut expr.kind {
        ExprKind::IsNull {
            operand,
            negated: _,
        } => match operand.ty {
            Type::String | Type::Array(_) | Type::Struct(_) => Some(operand.as_mut()),
            _ => None,
        },
        ExprKind::Call {
            function,
            args,
            safe: _,
        } if function.name == "ARRAY_LENGTH" => args.first_mut(),
        _ => None,
    }
}

/// Redacts a value that may hold a text.
fn wrap(expr: &mut Expr, redaction: &Redaction) {
    if !holds_text(&expr.ty) {
        return;
    }
    let (ty, span) = (expr.ty.clone(), expr.span);
    let operand = std::mem::replace(expr, Expr::bool(false));
    *expr = Expr::new(
        ExprKind::Redact {
            operand: Box::new(operand),
            redaction: redaction.clone(),
        },
        ty,
        span,
    );
}

/// Returns whether values of a type may hold text or bytes.
fn holds_text(ty: &Type) -> bool {
    match ty {
        Type::String | Type::Bytes | Type::Json => true,
        Type::Array(array) => holds_text(&array.element),
        Type::Struct(fields) => fields.iter().any(|field| holds_text(&field.ty)),
        Type::Bool
        | Type::Int64
        | Type::Float64
        | Type::Numeric
        | Type::BigNumeric
        | Type::Date
        | Type::Time
        | Type::Datetime
        | Type::Timestamp
        | Type::Interval => false,
    }
}

/// Returns a select of all columns of a query, with its sort keys and limits.
fn around(mut query: Query, range: RangeId) -> Query {
    let column = |column: Column| Item {
        name: column.name.clone(),
        expr: Expr::new(
            ExprKind::Column {
                range,
                column: column.name,
            },
            column.ty,
            Span::default(),
        ),
    };
    Query {
        order_by: std::mem::take(&mut query.order_by),
        limit: query.limit.take(),
        offset: query.offset.take(),
        span: query.span,
        body: Body::Select(Box::new(Select {
            distinct: false,
            items: query.columns().into_iter().map(column).collect(),
            from: Some(From::Derived {
                range,
                name: RangeName::new("d"),
                query: Box::new(query),
            }),
            filter: None,
            group_by: None,
            having: None,
            qualify: None,
        })),
    }
}
