//! Turns unnesting of one-element arrays into plain field reads, for the embedded engine.
//!
//! The store keeps an array that never holds more than one element as that element itself, NULL when
//! the array is empty. Before: `FROM t CROSS JOIN UNNEST(t.metadata) AS m CROSS JOIN UNNEST(m.request)
//! AS r WHERE r.path = 'x'`. After: `FROM t WHERE t.metadata.request.path = 'x' AND t.metadata.request IS
//! NOT NULL`. Arrays of any length stay as they are. It is the last pass, because only here does how a
//! value is stored become visible.

use std::collections::BTreeMap;

use crate::compiler::diagnostic::Span;
use crate::compiler::ir::visit::{Visit, VisitMut, walk_expr, walk_expr_mut, walk_query_mut};
use crate::compiler::ir::{
    BinaryOp, Body, CaseBranch, Expr, ExprKind, From, Item, Join, JoinKind, Query, RangeId,
    Statement, SubqueryKind, SubscriptMode, Type, UnaryOp, Unnest, Value,
};

/// Returns the statement in terms of how the store keeps its rows.
#[must_use]
pub fn layout(mut statement: Statement) -> Statement {
    let mut pass = Layout::default();
    for cte in &mut statement.ctes {
        pass.query(&mut cte.query);
    }
    pass.query(&mut statement.query);
    statement
}

/// The values that the range variables of dropped UNNESTs stand for.
#[derive(Default)]
struct Layout {
    elements: BTreeMap<RangeId, Expr>,
    offsets: BTreeMap<RangeId, Expr>,
}

impl VisitMut for Layout {
    fn query(&mut self, query: &mut Query) {
        if let Body::Select(select) = &mut query.body
            && let Some(from) = select.from.take()
        {
            let (from, mut conditions) = self.tree(from);
            select.from = from;
            if !conditions.is_empty() {
                conditions.splice(0..0, select.filter.take());
                select.filter = conjunction(conditions);
            }
        }
        walk_query_mut(self, query);
        if let Body::Select(select) = &mut query.body
            && let Some(ExprKind::And(conditions)) = select.filter.as_mut().map(|f| &mut f.kind)
        {
            implied(conditions);
            if let [_] = conditions.as_slice() {
                select.filter = conditions.pop();
            }
        }
    }

    /// FROM has been rewritten before its query is walked, except for the queries inside.
    fn from(&mut self, from: &mut From) {
        match from {
            From::Derived {
                range: _,
                name: _,
                query,
            } => self.query(query),
            From::Join(join) => {
                self.from(&mut join.left);
                self.from(&mut join.right);
            }
            From::Filtered {
                input,
                condition: _,
            } => self.from(input),
            From::Table(_) | From::Unnest(_) => {}
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        match &expr.kind {
            ExprKind::Element(range) => {
                if let Some(element) = self.elements.get(range) {
                    let span = expr.span;
                    *expr = element.clone();
                    expr.span = span;
                }
                return;
            }
            ExprKind::Offset(range) => {
                if let Some(offset) = self.offsets.get(range) {
                    *expr = offset.clone();
                }
                return;
            }
            _ => {}
        }
        walk_expr_mut(self, expr);
        match &mut expr.kind {
            ExprKind::Subscript { base, index, mode } if base.ty.is_singleton() => {
                if let Some(element) = subscript(base, index, *mode, &expr.ty) {
                    expr.kind = element;
                }
            }
            ExprKind::IsNull { operand, negated } if operand.ty.is_singleton() => {
                expr.kind = array_is_null(operand, *negated);
            }
            ExprKind::Subquery { kind, query } => {
                if let Some((condition, value)) = one_row(query) {
                    expr.kind = subquery_of_one_row(*kind, condition, value, &expr.ty);
                }
            }
            ExprKind::InQuery {
                operand,
                query,
                negated,
            } => {
                if let Some((condition, value)) = one_row(query) {
                    let operand = std::mem::replace(operand.as_mut(), Expr::bool(false));
                    expr.kind = in_one_row(operand, condition, value, *negated);
                }
            }
            ExprKind::Call {
                function,
                args,
                safe: _,
            } if function.name == "ARRAY_LENGTH" => {
                if let [array] = args.as_slice()
                    && array.ty.is_singleton()
                {
                    expr.kind = length(array);
                }
            }
            _ => {}
        }
    }
}

impl Layout {
    /// Rewrites a FROM tree; returns what is left of it and the conditions that its rows must meet.
    fn tree(&mut self, from: From) -> (Option<From>, Vec<Expr>) {
        match from {
            From::Unnest(mut unnest) => {
                self.expr(&mut unnest.array);
                if unnest.array.ty.is_singleton() {
                    let present = self.replace(unnest);
                    return (None, vec![present]);
                }
                (Some(From::Unnest(unnest)), Vec::new())
            }
            From::Join(join) => self.join(*join),
            From::Filtered { input, condition } => {
                let (input, mut conditions) = self.tree(*input);
                conditions.push(condition);
                (input, conditions)
            }
            From::Table(_) | From::Derived { .. } => (Some(from), Vec::new()),
        }
    }

    fn join(&mut self, join: Join) -> (Option<From>, Vec<Expr>) {
        let Join {
            kind,
            left,
            right,
            on,
        } = join;
        let (left, mut conditions) = self.tree(left);
        let right = match right {
            From::Unnest(mut unnest) => {
                self.expr(&mut unnest.array);
                if unnest.array.ty.is_singleton() {
                    let range = unnest.range;
                    let present = self.replace(unnest);
                    let on = on.map(|mut on| {
                        self.expr(&mut on);
                        on
                    });
                    match (kind, on) {
                        (JoinKind::Left, None) => self.nullable_offset(range, present),
                        (JoinKind::Left, Some(on)) => self.matched(range, present, on),
                        (_, on) => {
                            conditions.push(present);
                            conditions.extend(on);
                        }
                    }
                    return (left, conditions);
                }
                From::Unnest(unnest)
            }
            other => other,
        };
        let (right, right_conditions) = if let From::Unnest(_) = right {
            (Some(right), Vec::new())
        } else {
            self.tree(right)
        };
        let on = on.map(|mut on| {
            self.expr(&mut on);
            on
        });
        let (left, right) = match (left, right) {
            (Some(left), Some(right)) => (left, right),
            // One side is a single row: what is left is the other one.
            (left, right) => {
                conditions.extend(right_conditions);
                conditions.extend(on);
                return (left.or(right), conditions);
            }
        };
        // Rows that an outer join keeps without a match must not be lost to a condition on the other side.
        let (left, right) = match kind {
            JoinKind::Cross | JoinKind::Inner => {
                conditions.extend(right_conditions);
                (left, right)
            }
            JoinKind::Left => (left, filtered(right, right_conditions)),
            JoinKind::Right => {
                let left = filtered(left, std::mem::replace(&mut conditions, right_conditions));
                (left, right)
            }
            JoinKind::Full => {
                let left = filtered(left, std::mem::take(&mut conditions));
                (left, filtered(right, right_conditions))
            }
        };
        let joined = From::Join(Box::new(Join {
            kind,
            left,
            right,
            on,
        }));
        (Some(joined), conditions)
    }

    /// Notes what the variables of an UNNEST stand for; returns the condition that it has an element.
    fn replace(&mut self, unnest: Unnest) -> Expr {
        let Unnest {
            range,
            name: _,
            array,
            offset: _,
        } = unnest;
        let span = array.span;
        let element_type = array.ty.element().cloned().unwrap_or(Type::Int64);
        let element = as_element(array, &element_type);
        let zero = Expr::new(ExprKind::Literal(Value::Int64(0)), Type::Int64, span);
        self.offsets.insert(range, zero);
        self.elements.insert(range, element.clone());
        is_present(element, span)
    }

    /// Makes the offset of a LEFT JOIN NULL where there is no element.
    fn nullable_offset(&mut self, range: RangeId, present: Expr) {
        if let Some(offset) = self.offsets.remove(&range) {
            self.offsets.insert(range, when(present, offset));
        }
    }

    /// Makes the variables of a LEFT JOIN NULL where the condition does not hold.
    fn matched(&mut self, range: RangeId, present: Expr, on: Expr) {
        let condition = Expr::new(
            ExprKind::And(vec![present, on]),
            Type::Bool,
            Span::default(),
        );
        if let Some(element) = self.elements.remove(&range) {
            self.elements
                .insert(range, when(condition.clone(), element));
        }
        if let Some(offset) = self.offsets.remove(&range) {
            self.offsets.insert(range, when(condition, offset));
        }
    }
}

/// Returns what an element of a one-element array is.
///
/// Without SAFE an empty array is an error, so the first element stays a subscript. Any other position
/// is read off the array as a list.
fn subscript(base: &mut Expr, index: &Expr, mode: SubscriptMode, ty: &Type) -> Option<ExprKind> {
    let (first, safe) = match mode {
        SubscriptMode::Offset => (0, false),
        SubscriptMode::SafeOffset => (0, true),
        SubscriptMode::Ordinal => (1, false),
        SubscriptMode::SafeOrdinal => (1, true),
    };
    match index.kind {
        ExprKind::Literal(Value::Int64(position)) if safe && position == first => {
            let element = std::mem::replace(base, Expr::bool(false));
            return Some(as_element(element, ty).kind);
        }
        ExprKind::Literal(Value::Int64(_)) if safe => {
            return Some(ExprKind::Literal(Value::Null));
        }
        ExprKind::Literal(Value::Int64(position)) if position == first => return None,
        _ => {}
    }
    let array = std::mem::replace(base, Expr::bool(false));
    let list = array.ty.as_lists();
    let span = array.span;
    *base = Expr::new(
        ExprKind::Cast {
            operand: Box::new(array),
            safe: false,
        },
        list,
        span,
    );
    None
}

/// Returns the condition and the value of a query that has no FROM left, and so at most one row.
fn one_row(query: &mut Query) -> Option<(Option<Expr>, Expr)> {
    let Query {
        body: Body::Select(select),
        order_by: _,
        limit,
        offset,
        span: _,
    } = query
    else {
        return None;
    };
    let plain = select.from.is_none()
        && select.group_by.is_none()
        && select.having.is_none()
        && select.qualify.is_none()
        && *limit != Some(0)
        && offset.is_none_or(|offset| offset == 0);
    if !plain || has_window(select.items.first()?) {
        return None;
    }
    let item = select.items.first_mut()?;
    let value = std::mem::replace(&mut item.expr, Expr::bool(false));
    Some((select.filter.take(), value))
}

fn has_window(item: &Item) -> bool {
    struct Finder(bool);
    impl Visit for Finder {
        fn expr(&mut self, expr: &Expr) {
            self.0 |= matches!(expr.kind, ExprKind::Window(_));
            walk_expr(self, expr);
        }
        fn query(&mut self, _query: &Query) {}
    }
    let mut finder = Finder(false);
    finder.expr(&item.expr);
    finder.0
}

/// Returns what a sub-query of at most one row is as a value.
fn subquery_of_one_row(
    kind: SubqueryKind,
    condition: Option<Expr>,
    value: Expr,
    ty: &Type,
) -> ExprKind {
    let condition = condition.unwrap_or_else(|| Expr::bool(true));
    match kind {
        SubqueryKind::Exists => ExprKind::IsBool {
            operand: Box::new(condition),
            value: true,
            negated: false,
        },
        SubqueryKind::Scalar => when(condition, value).kind,
        SubqueryKind::Array => {
            let span = value.span;
            ExprKind::Case {
                operand: None,
                branches: vec![CaseBranch {
                    condition,
                    value: Expr::new(ExprKind::Array(vec![value]), ty.clone(), span),
                }],
                otherwise: Some(Box::new(Expr::new(
                    ExprKind::Array(Vec::new()),
                    ty.clone(),
                    span,
                ))),
            }
        }
    }
}

/// Returns whether a value is the one of a sub-query of at most one row.
fn in_one_row(operand: Expr, condition: Option<Expr>, value: Expr, negated: bool) -> ExprKind {
    let span = operand.span;
    let op = if negated {
        BinaryOp::NotEqual
    } else {
        BinaryOp::Equal
    };
    let equal = ExprKind::Binary {
        op,
        left: Box::new(operand),
        right: Box::new(value),
    };
    ExprKind::Case {
        operand: None,
        branches: vec![CaseBranch {
            condition: condition.unwrap_or_else(|| Expr::bool(true)),
            value: Expr::new(equal, Type::Bool, span),
        }],
        otherwise: Some(Box::new(Expr::bool(negated))),
    }
}

/// Returns whether an array is NULL, which is not the same as empty: an array of a row never is, one of
/// a record is when the record is.
fn array_is_null(array: &Expr, negated: bool) -> ExprKind {
    match &array.kind {
        ExprKind::Field { base, index: _ } => ExprKind::IsNull {
            operand: base.clone(),
            negated,
        },
        _ => ExprKind::Literal(Value::Bool(negated)),
    }
}

/// Returns the number of elements of a one-element array: NULL where the array is.
fn length(array: &Expr) -> ExprKind {
    let constant = |value: i64| {
        Expr::new(
            ExprKind::Literal(Value::Int64(value)),
            Type::Int64,
            array.span,
        )
    };
    let element = array.ty.element().cloned().unwrap_or(Type::Int64);
    let present = is_present(as_element(array.clone(), &element), array.span);
    let mut branches = vec![CaseBranch {
        condition: present,
        value: constant(1),
    }];
    if let ExprKind::Field { base, index: _ } = &array.kind {
        branches.push(CaseBranch {
            condition: is_present(base.as_ref().clone(), array.span),
            value: constant(0),
        });
        return ExprKind::Case {
            operand: None,
            branches,
            otherwise: None,
        };
    }
    ExprKind::Case {
        operand: None,
        branches,
        otherwise: Some(Box::new(constant(0))),
    }
}

/// Returns the stored value of a one-element array as its element.
fn as_element(array: Expr, element: &Type) -> Expr {
    Expr {
        ty: element.clone(),
        ..array
    }
}

fn is_present(element: Expr, span: Span) -> Expr {
    Expr::new(
        ExprKind::IsNull {
            operand: Box::new(element),
            negated: true,
        },
        Type::Bool,
        span,
    )
}

fn when(condition: Expr, value: Expr) -> Expr {
    let ty = value.ty.clone();
    let span = value.span;
    Expr::new(
        ExprKind::Case {
            operand: None,
            branches: vec![CaseBranch { condition, value }],
            otherwise: None,
        },
        ty,
        span,
    )
}

fn filtered(from: From, conditions: Vec<Expr>) -> From {
    match conjunction(conditions) {
        Some(condition) => From::Filtered {
            input: Box::new(from),
            condition,
        },
        None => from,
    }
}

fn conjunction(conditions: Vec<Expr>) -> Option<Expr> {
    let mut flat = Vec::with_capacity(conditions.len());
    for condition in conditions {
        match condition.kind {
            ExprKind::And(list) => flat.extend(list),
            _ => flat.push(condition),
        }
    }
    let mut conditions = flat;
    match conditions.len() {
        0 | 1 => conditions.pop(),
        _ => Some(Expr::new(
            ExprKind::And(conditions),
            Type::Bool,
            Span::default(),
        )),
    }
}

/// Drops conditions that a record is there when another condition does not hold without it.
fn implied(conditions: &mut Vec<Expr>) {
    let mut index = 0;
    while let Some(condition) = conditions.get(index) {
        let others = || conditions.iter().enumerate().filter(|(i, _)| *i != index);
        let dropped = tested(condition).is_some_and(|value| {
            others().any(|(i, other)| {
                needs(other, value) || (i < index && tested(other).is_some_and(|o| o == value))
            })
        });
        if dropped {
            conditions.remove(index);
        } else {
            index += 1;
        }
    }
}

/// Returns the value that a condition says is there.
fn tested(condition: &Expr) -> Option<&Expr> {
    match &condition.kind {
        ExprKind::IsNull {
            operand,
            negated: true,
        } => Some(operand),
        _ => None,
    }
}

/// Functions that give NULL for any argument that is NULL.
const STRICT: &[&str] = &["ENDS_WITH", "REGEXP_CONTAINS", "STARTS_WITH"];

/// Returns whether a condition cannot hold where a record is NULL, because it works on a field of it.
fn needs(condition: &Expr, record: &Expr) -> bool {
    let reads = |operand: &Expr| is_inside(operand, record);
    match &condition.kind {
        ExprKind::IsNull {
            operand,
            negated: true,
        }
        | ExprKind::Like { operand, .. }
        | ExprKind::Between { operand, .. }
        | ExprKind::InList { operand, .. } => reads(operand),
        ExprKind::Binary { op, left, right } if op.is_comparison() => reads(left) || reads(right),
        ExprKind::Call {
            function,
            args,
            safe: _,
        } if STRICT.contains(&function.name) => args.iter().any(reads),
        ExprKind::Unary {
            op: UnaryOp::Not,
            operand,
        } => match &operand.kind {
            // What is NULL stays NULL.
            ExprKind::And(_) | ExprKind::Or(_) | ExprKind::IsNull { .. } => false,
            _ => needs(operand, record),
        },
        ExprKind::And(list) => list.iter().any(|item| needs(item, record)),
        ExprKind::Or(list) => list.iter().all(|item| needs(item, record)),
        _ => false,
    }
}

/// Returns whether a value is a field of another, at any depth.
fn is_inside(value: &Expr, outer: &Expr) -> bool {
    match &value.kind {
        ExprKind::Field { base, index: _ } => base.kind == outer.kind || is_inside(base, outer),
        _ => false,
    }
}
