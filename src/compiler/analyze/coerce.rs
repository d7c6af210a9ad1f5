//! Conversions that GoogleSQL makes by itself.
//!
//! Source: GoogleSQL reference, "Conversion rules": supertypes, literal coercion, parameter coercion.

use std::borrow::Cow;

use super::query::int64;
use crate::compiler::datetime;
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::ir::{Expr, ExprKind, Field, RangeId, Type, Value};

/// How far a type is from another: the signature with the smallest sum is chosen.
pub(super) type Cost = u32;

const EXACT: Cost = 0;
const LITERAL: Cost = 1;
const WIDENED: Cost = 4;

/// Returns how dear it is to use an expression as a value of a type; `None` when it cannot be.
pub(super) fn cost(expr: &Expr, target: &Type) -> Option<Cost> {
    if expr.is_untyped_null() {
        return Some(EXACT);
    }
    if is_empty_array(expr) && matches!(target, Type::Array(_)) {
        return Some(LITERAL);
    }
    if expr.ty.same(target) {
        return Some(EXACT);
    }
    if let Some(steps) = widening(&expr.ty, target) {
        let literal = matches!(expr.kind, ExprKind::Literal(_) | ExprKind::Parameter(_));
        return Some(if literal {
            LITERAL + steps
        } else {
            WIDENED + steps
        });
    }
    if coerces_as_literal(expr, target) {
        return Some(LITERAL + 1);
    }
    // An array converts only as a whole, where all of it is literal.
    if let (ExprKind::Array(items), Some(own), Some(element)) =
        (&expr.kind, expr.ty.element(), target.element())
    {
        let numbers = *own == Type::Int64 && widening(own, element).is_some();
        let meets = |item: &Expr| cost(&in_array(item), element).is_some();
        let records = own.fields().is_some() && items.iter().all(meets);
        if items.iter().all(is_constant) && (numbers || records || stands_for(own, element)) {
            return Some(LITERAL + 1);
        }
    }
    // A STRUCT converts field by field, whatever their names; an array only where nothing but names differs.
    if let (Some(own), Some(fields)) = (expr.ty.fields(), target.fields())
        && own.len() == fields.len()
    {
        return parts(expr, own)
            .iter()
            .zip(fields)
            .map(|(part, field)| cost(part, &field.ty))
            .try_fold(LITERAL, |sum, cost| Some(sum.max(cost?)));
    }
    is_renamed(&expr.ty, target).then_some(LITERAL)
}

/// Returns the values of the fields of a STRUCT, or what stands for them where they are not at hand.
fn parts<'e>(expr: &'e Expr, fields: &[Field]) -> Vec<Cow<'e, Expr>> {
    if let ExprKind::Struct(items) = &expr.kind {
        // Here an array of nothing is one of INT64, as a literal.
        let part = |item: &'e Expr| {
            if is_empty_array(item) {
                let kind = ExprKind::Array(vec![int64(0, item.span)]);
                Cow::Owned(Expr::new(kind, Type::array(Type::Int64), item.span))
            } else {
                Cow::Borrowed(item)
            }
        };
        return items.iter().map(part).collect();
    }
    let part = |field: &Field| Cow::Owned(computed(field.ty.clone(), expr.span));
    fields.iter().map(part).collect()
}

/// Returns what stands for an element of an array that meets those of another: in a STRUCT, neither NULL nor an
/// array stands for a value of another type there.
pub(super) fn in_array(element: &Expr) -> Cow<'_, Expr> {
    let ExprKind::Struct(items) = &element.kind else {
        return Cow::Borrowed(element);
    };
    let items = items.iter().map(|item| {
        if item.is_untyped_null() || item.ty.element().is_some() {
            computed(item.ty.clone(), item.span)
        } else {
            in_array(item).into_owned()
        }
    });
    let kind = ExprKind::Struct(items.collect());
    Cow::Owned(Expr::new(kind, element.ty.clone(), element.span))
}

/// Returns what stands for a value of a type that is no literal.
fn computed(ty: Type, span: Span) -> Expr {
    Expr::new(ExprKind::Element(RangeId(0)), ty, span)
}

/// Returns whether two types differ in nothing but the names of fields.
pub(super) fn is_renamed(from: &Type, to: &Type) -> bool {
    match (from, to) {
        (Type::Array(from), Type::Array(to)) => is_renamed(&from.element, &to.element),
        (Type::Struct(from), Type::Struct(to)) => {
            let mut pairs = from.iter().zip(to.iter());
            from.len() == to.len() && pairs.all(|(from, to)| is_renamed(&from.ty, &to.ty))
        }
        (from, to) => from == to,
    }
}

/// Returns the expression as a value of a type.
///
/// # Errors
/// A diagnostic when the type has no such value; `LB207` when a literal is the reason.
pub(super) fn coerce(expr: Expr, target: &Type) -> Result<Expr, Box<Diagnostic>> {
    let span = expr.span;
    if expr.is_untyped_null() {
        return Ok(Expr::new(
            ExprKind::Literal(Value::Null),
            target.clone(),
            span,
        ));
    }
    if expr.ty == *target {
        return Ok(expr);
    }
    if is_typed_null(&expr) && cost(&expr, target).is_some() {
        return Ok(typed_null(target.clone(), span));
    }
    if is_empty_array(&expr) && matches!(target, Type::Array(_)) {
        return Ok(Expr::new(ExprKind::Array(Vec::new()), target.clone(), span));
    }
    if let ExprKind::Literal(value) = &expr.kind
        && !value.is_null()
        && (coerces_as_literal(&expr, target) || widening(&expr.ty, target).is_some())
    {
        return match literal(value, target) {
            Some(value) => Ok(Expr::new(ExprKind::Literal(value), target.clone(), span)),
            None => Err(Box::new(Diagnostic::new(
                Code::BadLiteral,
                span,
                format!("this literal is no value of type {target}"),
            ))),
        };
    }
    if let (ExprKind::Array(_), Some(element)) = (&expr.kind, target.element())
        && cost(&expr, target).is_some()
        && !expr.ty.same(target)
    {
        let ExprKind::Array(items) = expr.kind else {
            return Err(mismatch(&expr, target));
        };
        let items = items
            .into_iter()
            .map(|item| match &item.kind {
                ExprKind::Literal(Value::Null) => Ok(Expr {
                    ty: element.clone(),
                    ..item
                }),
                _ => coerce(item, element),
            })
            .collect::<Result<Vec<_>, _>>()?;
        return Ok(Expr::new(ExprKind::Array(items), target.as_lists(), span));
    }
    if cost(&expr, target).is_none() {
        return Err(mismatch(&expr, target));
    }
    // A STRUCT that is written out is written out as the other one, field by field.
    if let (ExprKind::Struct(_), Some(fields)) = (&expr.kind, target.fields()) {
        let ExprKind::Struct(items) = expr.kind else {
            return Err(mismatch(&expr, target));
        };
        let items = items
            .into_iter()
            .zip(fields)
            .map(|(item, field)| coerce(item, &field.ty))
            .collect::<Result<Vec<_>, _>>()?;
        return Ok(Expr::new(ExprKind::Struct(items), target.clone(), span));
    }
    Ok(Expr::new(
        ExprKind::Cast {
            operand: Box::new(expr),
            safe: false,
        },
        target.clone(),
        span,
    ))
}

fn mismatch(expr: &Expr, target: &Type) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(
        Code::TypeMismatch,
        expr.span,
        format!("expected {target:#}, found {:#}", expr.ty),
    ))
}

/// Returns the type that all expressions can be used as, if there is one.
pub(super) fn common_type(exprs: &[&Expr]) -> Option<Type> {
    let mut candidates: Vec<Type> = Vec::new();
    for expr in exprs {
        if expr.is_untyped_null() || is_empty_array(expr) {
            continue;
        }
        if !candidates.contains(&expr.ty) {
            candidates.push(expr.ty.clone());
        }
    }
    if candidates.is_empty() {
        let mut untyped = exprs.iter();
        let array = untyped.find(|expr| !expr.is_untyped_null());
        return array.or(exprs.first()).map(|expr| expr.ty.clone());
    }
    candidates.extend(
        [Type::Numeric, Type::BigNumeric, Type::Float64]
            .into_iter()
            .filter(|_| {
                exprs
                    .iter()
                    .all(|e| e.ty.is_numeric() || e.is_untyped_null())
            }),
    );
    if let Some(record) = common_record(exprs) {
        candidates = vec![record];
    }
    let total = |candidate: &Type| {
        exprs
            .iter()
            .try_fold(0, |sum: Cost, expr| Some(sum + cost(expr, candidate)?))
    };
    let mut best: Option<(Cost, Type)> = None;
    for candidate in candidates {
        let total = total(&candidate);
        if let Some(total) = total
            && best.as_ref().is_none_or(|(cost, _)| total < *cost)
        {
            best = Some((total, candidate));
        }
    }
    let ty = best.map(|(_, ty)| ty)?;
    let named = with_first_names(&ty, exprs);
    let ty = if total(&named).is_some() { named } else { ty };
    // What is converted has ordinary arrays: none becomes one that is stored as its only element.
    let is_whole = |expr: &&Expr| expr.ty == ty || expr.is_untyped_null() || is_empty_array(expr);
    Some(if exprs.iter().all(is_whole) {
        ty
    } else {
        ty.as_lists()
    })
}

/// Returns the STRUCT whose fields have the common types of those of some STRUCTs.
fn common_record(exprs: &[&Expr]) -> Option<Type> {
    let mut records = exprs.iter().filter(|expr| !expr.is_untyped_null());
    let first = records.clone().next()?.ty.fields()?;
    let values = records
        .by_ref()
        .map(|expr| {
            let fields = expr.ty.fields()?;
            (fields.len() == first.len()).then(|| parts(expr, fields))
        })
        .collect::<Option<Vec<_>>>()?;
    let fields = first
        .iter()
        .enumerate()
        .map(|(index, field)| {
            let column = values.iter().filter_map(|items| items.get(index));
            let column: Vec<&Expr> = column.map(AsRef::as_ref).collect();
            Some(Field {
                name: field.name.clone(),
                ty: common_type(&column)?,
            })
        })
        .collect::<Option<Vec<_>>>()?;
    Some(Type::record(fields))
}

/// Returns a type with the names of fields that the first value has, from which GoogleSQL takes them.
fn with_first_names(ty: &Type, exprs: &[&Expr]) -> Type {
    let first = exprs
        .iter()
        .find(|expr| !expr.is_untyped_null() && !is_empty_array(expr));
    first.map_or_else(|| ty.clone(), |first| named_as(ty, &first.ty))
}

fn named_as(ty: &Type, names: &Type) -> Type {
    match (ty, names) {
        (Type::Array(array), Type::Array(names)) if !array.singleton => {
            Type::array(named_as(&array.element, &names.element))
        }
        (Type::Struct(fields), Type::Struct(names)) if fields.len() == names.len() => {
            let pairs = fields.iter().zip(names.iter());
            Type::record(pairs.map(|(field, named)| Field {
                name: named.name.clone(),
                ty: named_as(&field.ty, &named.ty),
            }))
        }
        _ => ty.clone(),
    }
}

/// Returns the number of steps from a narrower type to a wider one; `None` when it is not wider.
fn widening(from: &Type, to: &Type) -> Option<Cost> {
    Some(match (from, to) {
        // Functions of FLOAT64 and NUMERIC take an INT64 as FLOAT64.
        (Type::Int64, Type::Float64) => 1,
        (Type::Int64, Type::Numeric) | (Type::Numeric, Type::BigNumeric) => 2,
        (Type::Int64, Type::BigNumeric) => 3,
        (Type::Numeric | Type::BigNumeric, Type::Float64) => 4,
        // A DATETIME or DATE is no point in time without a zone.
        (Type::Date, Type::Datetime) => 1,
        _ => return None,
    })
}

/// Returns whether a literal or parameter of this type may stand for the other one.
fn coerces_as_literal(expr: &Expr, target: &Type) -> bool {
    let literal = match &expr.kind {
        ExprKind::Literal(value) if !value.is_null() => true,
        ExprKind::Parameter(_) => false,
        _ => return false,
    };
    stands_for(&expr.ty, target) && (literal || expr.ty == Type::String)
}

/// Returns whether literals of a type may stand for values of another.
fn stands_for(from: &Type, to: &Type) -> bool {
    matches!(
        (from, to),
        (
            Type::String,
            Type::Date | Type::Datetime | Type::Time | Type::Timestamp
        ) | (Type::Float64, Type::Numeric | Type::BigNumeric)
    )
}

/// Returns the value that a literal is in another type.
fn literal(value: &Value, target: &Type) -> Option<Value> {
    Some(match (value, target) {
        (Value::String(text), Type::Date) => Value::Date(datetime::parse_date(text)?),
        (Value::String(text), Type::Datetime) => Value::Datetime(datetime::parse_datetime(text)?),
        (Value::String(text), Type::Time) => Value::Time(datetime::parse_time(text)?),
        (Value::String(text), Type::Timestamp) => {
            Value::Timestamp(datetime::parse_timestamp(text)?)
        }
        (Value::Int64(value), Type::Float64) => {
            #[expect(
                clippy::cast_precision_loss,
                reason = "GoogleSQL rounds INT64 literals to FLOAT64 as well"
            )]
            let value = *value as f64;
            Value::Float64(value)
        }
        (Value::Int64(value), Type::Numeric | Type::BigNumeric) => {
            Value::Decimal(value.to_string().into())
        }
        (Value::Float64(value), Type::Numeric | Type::BigNumeric) => {
            let text = value.to_string();
            let fraction = text.split_once('.').map_or(0, |(_, digits)| digits.len());
            let most = if *target == Type::Numeric { 9 } else { 38 };
            if !value.is_finite() || fraction > most || value.abs() >= 1e28 {
                return None;
            }
            Value::Decimal(text.into())
        }
        (Value::Decimal(text), Type::Float64) => Value::Float64(text.parse().ok()?),
        (Value::Decimal(_), Type::BigNumeric) => value.clone(),
        (Value::Date(days), Type::Datetime) => {
            Value::Datetime(i64::from(*days).checked_mul(86_400_000_000)?)
        }
        _ => return None,
    })
}

/// Returns NULL as a value of a type, as CAST gives it. Unlike the bare word it has no other type.
pub(super) fn typed_null(ty: Type, span: Span) -> Expr {
    let null = |ty| Expr::new(ExprKind::Literal(Value::Null), ty, span);
    if ty != Type::Int64 {
        return null(ty);
    }
    let kind = ExprKind::Cast {
        operand: Box::new(null(Type::Int64)),
        safe: false,
    };
    Expr::new(kind, ty, span)
}

/// Returns whether the expression is NULL, by its bare word or of a type that it was given.
pub(super) fn is_null(expr: &Expr) -> bool {
    expr.is_null_literal() || is_typed_null(expr)
}

/// Returns whether the expression is NULL of a type that it was given.
fn is_typed_null(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Cast { operand, safe: _ } => operand.is_untyped_null(),
        ExprKind::Literal(value) => value.is_null() && !expr.is_untyped_null(),
        _ => false,
    }
}

/// Returns whether a literal, or a constructor of literals, is all that an expression is.
pub(super) fn is_constant(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) => true,
        ExprKind::Array(items) | ExprKind::Struct(items) => items.iter().all(is_constant),
        _ => false,
    }
}

/// Returns whether an expression may stand for a value of another type: a literal, a parameter or a constructor.
pub(super) fn is_written_out(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Literal(_) | ExprKind::Parameter(_) | ExprKind::Array(_) | ExprKind::Struct(_)
    )
}

pub(super) fn is_empty_array(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Array(items) if items.is_empty())
}
