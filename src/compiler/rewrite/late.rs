//! Redacts the rows of the result only, and not those that the LIMIT leaves out.
//!
//! Before: `SELECT t.id AS id, REDACT(t.message) AS message FROM logs AS t ORDER BY t.timestamp DESC LIMIT 101`.
//! After: `SELECT d.id AS id, REDACT(d.message) AS message FROM (SELECT t.id AS id, t.message AS message,
//! t.timestamp AS order_1 FROM logs AS t ORDER BY order_1 DESC LIMIT 101) AS d ORDER BY d.order_1 DESC LIMIT 101`.
//!
//! It concerns the output columns of the outermost query that are redacted values themselves; what a column
//! is computed from, and what rows are chosen or sorted by, is redacted where it was. It stands behind
//! `limit`.

use crate::compiler::analyze::Ids;
use crate::compiler::ir::{
    Body, ColumnName, Expr, ExprKind, From, Item, Query, RangeId, RangeName, Select, SortKey,
    Statement,
};

/// Returns the statement with the redaction of its output columns behind its LIMIT.
#[must_use]
pub fn late(mut statement: Statement, ids: &mut Ids) -> Statement {
    let Some(late) = late_items(&statement.query) else {
        return statement;
    };
    let Body::Select(select) = &mut statement.query.body else {
        return statement;
    };
    let range = ids.range();
    let mut outer = Vec::with_capacity(select.items.len());
    for (item, late) in select.items.iter_mut().zip(late) {
        outer.push(split(item, late, range));
    }
    let order_by = statement.query.order_by.iter_mut();
    let order_by = order_by.map(|key| outer_key(key, &mut select.items, range));
    let order_by: Vec<SortKey> = order_by.collect();
    let (limit, span) = (statement.query.limit, statement.query.span);
    let inner = statement.query;
    statement.query = Query {
        body: Body::Select(Box::new(Select {
            distinct: false,
            items: outer,
            from: Some(From::Derived {
                range,
                name: RangeName::new("d"),
                query: Box::new(inner),
            }),
            filter: None,
            group_by: None,
            having: None,
            qualify: None,
        })),
        order_by,
        limit,
        offset: None,
        span,
    };
    statement
}

/// Returns for each output column whether it can be redacted late; `None` when there is none.
fn late_items(query: &Query) -> Option<Vec<bool>> {
    let Body::Select(select) = &query.body else {
        return None;
    };
    if query.limit.is_none() || select.distinct {
        return None;
    }
    let sorts = |index: usize| {
        let key = |key: &SortKey| key.expr.kind == ExprKind::Output(index);
        query.order_by.iter().any(key)
    };
    let late: Vec<bool> = select
        .items
        .iter()
        .enumerate()
        .map(|(index, item)| matches!(item.expr.kind, ExprKind::Redact { .. }) && !sorts(index))
        .collect();
    late.contains(&true).then_some(late)
}

/// Takes the redaction out of an inner column; returns the outer column.
fn split(item: &mut Item, late: bool, range: RangeId) -> Item {
    let column = ExprKind::Column {
        range,
        column: item.name.clone(),
    };
    let mut outer = Item {
        name: item.name.clone(),
        expr: Expr::new(column, item.expr.ty.clone(), item.expr.span),
    };
    if late && let ExprKind::Redact { operand, redaction } = &mut item.expr.kind {
        let operand = std::mem::replace(operand.as_mut(), Expr::bool(false));
        let (ty, span) = (item.expr.ty.clone(), item.expr.span);
        outer.expr.kind = ExprKind::Redact {
            operand: Box::new(outer.expr.clone()),
            redaction: redaction.clone(),
        };
        item.expr = Expr::new(operand.kind, ty, span);
    }
    outer
}

/// Makes a column of what an inner sort key is computed from; returns the outer sort key.
fn outer_key(key: &mut SortKey, items: &mut Vec<Item>, range: RangeId) -> SortKey {
    if matches!(key.expr.kind, ExprKind::Output(_)) {
        return key.clone();
    }
    let name = (1..)
        .map(|number| format!("order_{number}"))
        .find(|name| !items.iter().any(|item| item.name.matches(name)));
    let name = ColumnName::new(name.unwrap_or_default());
    let (ty, span) = (key.expr.ty.clone(), key.expr.span);
    let output = Expr::new(ExprKind::Output(items.len()), ty.clone(), span);
    items.push(Item {
        name: name.clone(),
        expr: std::mem::replace(&mut key.expr, output),
    });
    let column = ExprKind::Column {
        range,
        column: name,
    };
    SortKey {
        expr: Expr::new(column, ty, span),
        ..key.clone()
    }
}
