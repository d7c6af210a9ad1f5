//! Choosing the signature of a call.

use std::fmt;

use super::{Arg, Function, Ret, Signature, T};
use crate::compiler::analyze::coerce;
use crate::compiler::ir::{ColumnName, DatePart, Expr, ExprKind, Field, RangeId, Type, Value};

/// The signature of a call and what its arguments must become.
#[derive(Debug)]
pub struct Chosen {
    /// The type of each argument; `None` where the argument stays as it is.
    pub args: Vec<Option<Type>>,
    /// The type of the call.
    pub result: Type,
}

/// Returns the signature that takes these arguments with the fewest conversions; the first of equals. Only then
/// it counts whether that signature has the date part.
#[must_use]
pub fn choose(function: &Function, args: &[Expr]) -> Option<Chosen> {
    let mut best: Option<Fit> = None;
    // A DATE that stands for a DATETIME is moved and cut by days, and so is its distance from one.
    let is_date = |arg: &Expr| arg.ty == Type::Date;
    let dated = match args {
        [_, _] => args.iter().any(is_date),
        [first, ..] => function.name == "DATE_DIFF" && is_date(first),
        [] => false,
    };
    for signature in function.signatures {
        if let Some(fit) = fit(signature, args, dated)
            && best.as_ref().is_none_or(|least| fit.cost < least.cost)
        {
            best = Some(fit);
        }
    }
    best.filter(|fit| fit.has_part).map(|fit| fit.chosen)
}

/// How a signature takes some arguments.
struct Fit {
    /// How far their types are from its own.
    cost: u32,
    /// Whether it knows the date part.
    has_part: bool,
    chosen: Chosen,
}

/// Returns whether a signature of decimals has an argument that asks for it: other numbers are FLOAT64 or INT64.
fn is_asked_for(signature: &Signature, args: &[Expr]) -> bool {
    [T::Numeric, T::BigNumeric].into_iter().all(|decimal| {
        let named = |arg: &Arg| match arg {
            Arg::Of(ty) | Arg::NoLiteral(ty) | Arg::Constant(ty) | Arg::Fraction(ty) => {
                *ty == decimal
            }
            _ => false,
        };
        !signature.args.iter().any(named) || args.iter().any(|arg| arg.ty == decimal.ty())
    })
}

fn fit(signature: &Signature, args: &[Expr], dated: bool) -> Option<Fit> {
    let most = signature.args.len();
    let least = most - signature.optional;
    let repeats = args.len().checked_sub(most).filter(|more| *more > 0);
    if args.len() < least || repeats.is_some_and(|more| !is_multiple(more, signature.repeated)) {
        return None;
    }
    // The repeated ones are given together or not at all.
    if args.len() < most && signature.repeated > 1 && args.len() > least {
        return None;
    }
    if !is_asked_for(signature, args) {
        return None;
    }
    let patterns = || {
        let repeated = signature
            .args
            .iter()
            .skip(most - signature.repeated)
            .cycle();
        args.iter().zip(signature.args.iter().chain(repeated))
    };
    let pairs: Vec<_> = patterns().collect();
    let shared = shared_type(&pairs)?;
    let arrays = array_type(&pairs)?;

    let mut sum = 0;
    let mut has_part = true;
    let mut types = Vec::with_capacity(args.len());
    let mut element = None;
    for (arg, pattern) in patterns() {
        let target = match pattern {
            Arg::Of(ty) => Some(ty.ty()),
            Arg::NoLiteral(ty) => {
                if matches!(arg.kind, ExprKind::Literal(Value::String(_))) {
                    return None;
                }
                Some(ty.ty())
            }
            Arg::ArrayOf(ty) => Some(Type::array(ty.ty())),
            Arg::Any => shared.clone(),
            Arg::Orderable => {
                if !shared.as_ref().is_some_and(Type::is_orderable) {
                    return None;
                }
                shared.clone()
            }
            Arg::ArrayOfAny => Some(Type::array(shared.clone()?)),
            // NULL alone is an array of INT64, but not where several arrays meet.
            Arg::AnyArray if arg.is_untyped_null() && signature.repeated == 0 => {
                element = Some(Type::Int64);
                Some(Type::array(Type::Int64))
            }
            Arg::AnyArray => {
                let own = arg.ty.element()?;
                let differs = arrays.as_ref().filter(|common| !own.same(common));
                element = Some(differs.unwrap_or(own).clone());
                differs.cloned().map(Type::array)
            }
            Arg::Free => None,
            Arg::FreeOrderable => {
                if !arg.ty.is_orderable() {
                    return None;
                }
                None
            }
            Arg::Part(parts) => {
                let ExprKind::Part(part) = &arg.kind else {
                    return None;
                };
                has_part &= parts.contains(part) && !(dated && part.is_of_day());
                None
            }
            Arg::Interval(parts) => {
                let ExprKind::Interval { part, .. } = &arg.kind else {
                    return None;
                };
                has_part &= parts.contains(part) && !(dated && part.is_of_day());
                None
            }
            Arg::Pattern | Arg::LiteralString => {
                let constant = matches!(
                    arg.kind,
                    ExprKind::Literal(Value::String(_) | Value::Null) | ExprKind::Parameter(_)
                );
                if !constant {
                    return None;
                }
                Some(Type::String)
            }
            Arg::BytesPattern => {
                let constant = matches!(
                    arg.kind,
                    ExprKind::Literal(Value::Bytes(_) | Value::Null) | ExprKind::Parameter(_)
                );
                if !constant {
                    return None;
                }
                Some(Type::Bytes)
            }
            Arg::AnyConstant => {
                if !matches!(arg.kind, ExprKind::Literal(_) | ExprKind::Parameter(_)) {
                    return None;
                }
                shared.clone()
            }
            Arg::Constant(ty) => {
                if !is_constant(arg) {
                    return None;
                }
                Some(ty.ty())
            }
            Arg::Fraction(ty) => {
                // Of decimals too, the percentile at a FLOAT64 or INT64 is FLOAT64.
                let of_decimals = matches!(ty, T::Numeric | T::BigNumeric);
                let is_decimal = matches!(arg.ty, Type::Numeric | Type::BigNumeric);
                if !is_fraction(arg) || (of_decimals && !is_decimal) {
                    return None;
                }
                Some(ty.ty())
            }
            Arg::Named(name, ty) => {
                let ExprKind::Named { name: given, value } = &arg.kind else {
                    return None;
                };
                let literal = matches!(value.kind, ExprKind::Literal(_));
                if given != name || !literal || value.ty != ty.ty() {
                    return None;
                }
                None
            }
            Arg::Mode => {
                if !matches!(arg.kind, ExprKind::Mode(_)) {
                    return None;
                }
                None
            }
            Arg::LiteralInt(most) => {
                let ExprKind::Literal(Value::Int64(value)) = arg.kind else {
                    return None;
                };
                if !(0..=*most).contains(&value) {
                    return None;
                }
                None
            }
        };
        let special = match &arg.kind {
            ExprKind::Part(_) => matches!(pattern, Arg::Part(_)),
            ExprKind::Interval { .. } => matches!(pattern, Arg::Interval(_)),
            ExprKind::Named { .. } => matches!(pattern, Arg::Named(..)),
            ExprKind::Mode(_) => matches!(pattern, Arg::Mode),
            _ => true,
        };
        if !special {
            return None;
        }
        if let Some(target) = &target {
            sum += coerce::cost(arg, target)?;
        }
        types.push(target);
    }

    let result = match signature.result {
        Ret::Of(ty) => ty.ty(),
        Ret::ArrayOf(ty) => Type::array(ty.ty()),
        Ret::Any => shared?,
        Ret::ArrayOfAny => match (shared, element) {
            (Some(ty), _) | (None, Some(ty)) => Type::array(ty),
            (None, None) => return None,
        },
        Ret::Element => element?,
        Ret::Top(name, ty) => {
            let field = |name: &str, ty: Type| Field {
                name: Some(ColumnName::new(name)),
                ty,
            };
            Type::array(Type::record([
                field("value", shared?),
                field(name, ty.ty()),
            ]))
        }
        Ret::Extracted => match args.first().map(|arg| &arg.kind) {
            Some(ExprKind::Part(DatePart::Date)) => Type::Date,
            Some(ExprKind::Part(DatePart::Datetime)) => Type::Datetime,
            Some(ExprKind::Part(DatePart::Time)) => Type::Time,
            _ => Type::Int64,
        },
    };
    Some(Fit {
        cost: sum,
        has_part,
        chosen: Chosen {
            args: types,
            result,
        },
    })
}

/// Returns the common type of the elements of arrays that may be of any, or `Some(None)` when there are none.
#[expect(
    clippy::option_option,
    reason = "no common type is a misfit, none wanted is not"
)]
fn array_type(args: &[(&Expr, &Arg)]) -> Option<Option<Type>> {
    let mut elements = Vec::new();
    for (arg, _) in args.iter().filter(|(_, p)| matches!(p, Arg::AnyArray)) {
        let is_empty = matches!(&arg.kind, ExprKind::Array(items) if items.is_empty());
        if args.len() == 1 && arg.is_untyped_null() {
            return Some(None);
        }
        if !is_empty {
            elements.extend(elements_of(arg)?);
        }
    }
    if elements.is_empty() {
        return Some(None);
    }
    coerce::common_type(&elements.iter().collect::<Vec<_>>()).map(Some)
}

/// Returns what stands for the elements of an array: literals convert where values of their type do not.
fn elements_of(array: &Expr) -> Option<Vec<Expr>> {
    let element = array.ty.element()?.clone();
    let items: Vec<Expr> = match &array.kind {
        ExprKind::Array(items) => {
            let values = items.iter().filter(|item| !item.is_null_literal());
            values
                .map(|item| coerce::in_array(item).into_owned())
                .collect()
        }
        _ => Vec::new(),
    };
    if !items.is_empty() {
        return Some(items);
    }
    let kind = ExprKind::Element(RangeId(0));
    Some(vec![Expr::new(kind, element, array.span)])
}

fn is_multiple(count: usize, of: usize) -> bool {
    of > 0 && count.is_multiple_of(of)
}

/// Returns the common type of the arguments that have one, or `Some(None)` when no argument is such.
#[expect(
    clippy::option_option,
    reason = "no common type is a misfit, none wanted is not"
)]
fn shared_type(args: &[(&Expr, &Arg)]) -> Option<Option<Type>> {
    let mut elements = Vec::new();
    for (arg, _) in args.iter().filter(|(_, p)| matches!(p, Arg::ArrayOfAny)) {
        elements.extend(elements_of(arg)?);
    }
    let shared: Vec<&Expr> = args
        .iter()
        .filter(|(_, pattern)| matches!(pattern, Arg::Any | Arg::Orderable | Arg::AnyConstant))
        .map(|(arg, _)| *arg)
        .chain(&elements)
        .collect();
    if shared.is_empty() {
        return Some(None);
    }
    coerce::common_type(&shared).map(Some)
}

/// Returns whether an argument is a literal, also one with a sign.
fn is_constant(arg: &Expr) -> bool {
    matches!(&arg.kind, ExprKind::Literal(value) if !value.is_null())
}

fn is_fraction(arg: &Expr) -> bool {
    match &arg.kind {
        ExprKind::Literal(Value::Int64(value)) => (0..=1).contains(value),
        ExprKind::Literal(Value::Float64(value)) => (0.0..=1.0).contains(value),
        ExprKind::Literal(Value::Decimal(text)) => text
            .parse()
            .is_ok_and(|value: f64| (0.0..=1.0).contains(&value)),
        _ => false,
    }
}

/// Writes what a call gives, as a person would.
impl fmt::Display for Ret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ret::Of(ty) => ty.ty().fmt(f),
            Ret::Any => f.write_str("that type"),
            Ret::ArrayOfAny => f.write_str("ARRAY of that type"),
            Ret::ArrayOf(ty) => write!(f, "ARRAY<{}>", ty.ty()),
            Ret::Element => f.write_str("element"),
            Ret::Extracted => f.write_str("INT64, or DATE, TIME, DATETIME for these parts"),
            Ret::Top(name, ty) => write!(f, "ARRAY<STRUCT<value, {name} {}>>", ty.ty()),
        }
    }
}

/// Returns the arguments of a signature as a person would write them, in parentheses.
#[must_use]
pub fn describe(signature: &Signature) -> String {
    let required = signature.args.len() - signature.optional;
    let mut text = String::from("(");
    for (index, arg) in signature.args.iter().enumerate() {
        if index == required {
            text.push('[');
        }
        if index > 0 {
            text.push_str(", ");
        }
        match arg {
            Arg::Of(ty) | Arg::NoLiteral(ty) => text.push_str(&ty.ty().to_string()),
            Arg::ArrayOf(ty) => text.push_str(&format!("ARRAY<{}>", ty.ty())),
            Arg::Any | Arg::Free | Arg::Orderable | Arg::FreeOrderable => {
                text.push_str("any value")
            }
            Arg::AnyArray | Arg::ArrayOfAny => text.push_str("ARRAY"),
            Arg::Part(_) => text.push_str("date part"),
            Arg::Interval(_) => text.push_str("INTERVAL n part"),
            Arg::Pattern => text.push_str("regular expression literal"),
            Arg::BytesPattern => text.push_str("regular expression as BYTES literal"),
            Arg::LiteralString => text.push_str("STRING literal"),
            Arg::LiteralInt(most) => text.push_str(&format!("INT64 literal up to {most}")),
            Arg::AnyConstant => text.push_str("literal"),
            Arg::Constant(ty) => text.push_str(&format!("{} literal", ty.ty())),
            Arg::Fraction(_) => text.push_str("literal from 0 to 1"),
            Arg::Named(name, ty) => text.push_str(&format!("{name} => {}", ty.ty())),
            Arg::Mode => text.push_str("NFC, NFKC, NFD or NFKD"),
        }
        if signature.repeated > 0 && index + 1 == signature.args.len() {
            text.push_str(", …");
        }
    }
    if signature.optional > 0 {
        text.push(']');
    }
    text.push(')');
    text
}
