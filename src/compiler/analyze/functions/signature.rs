//! Choosing the signature of a call.

use super::{Arg, Function, Ret, Signature};
use crate::compiler::analyze::coerce;
use crate::compiler::ir::{DatePart, Expr, ExprKind, Type, Value};

/// The signature of a call and what its arguments must become.
#[derive(Debug)]
pub struct Chosen {
    /// The type of each argument; `None` where the argument stays as it is.
    pub args: Vec<Option<Type>>,
    /// The type of the call.
    pub result: Type,
}

/// Returns the signature that takes these arguments with the fewest conversions; the first of equals.
#[must_use]
pub fn choose(function: &Function, args: &[Expr]) -> Option<Chosen> {
    let mut best: Option<(u32, Chosen)> = None;
    for signature in function.signatures {
        if let Some((cost, chosen)) = fit(signature, args)
            && best.as_ref().is_none_or(|(least, _)| cost < *least)
        {
            best = Some((cost, chosen));
        }
    }
    best.map(|(_, chosen)| chosen)
}

fn fit(signature: &Signature, args: &[Expr]) -> Option<(u32, Chosen)> {
    let most = signature.args.len();
    let least = most - signature.optional;
    if args.len() < least || (args.len() > most && !signature.repeated) {
        return None;
    }
    let patterns = || {
        let last = signature.args.last().into_iter().cycle();
        args.iter().zip(signature.args.iter().chain(last))
    };

    let shared: Vec<&Expr> = patterns()
        .filter(|(_, pattern)| matches!(pattern, Arg::Any | Arg::Orderable))
        .map(|(arg, _)| arg)
        .collect();
    let shared = if shared.is_empty() {
        None
    } else {
        Some(coerce::common_type(&shared)?)
    };

    let mut sum = 0;
    let mut types = Vec::with_capacity(args.len());
    let mut element = None;
    for (arg, pattern) in patterns() {
        let target = match pattern {
            Arg::Of(ty) => Some(ty.ty()),
            Arg::ArrayOf(ty) => Some(Type::array(ty.ty())),
            Arg::Any => shared.clone(),
            Arg::Orderable => {
                if !shared.as_ref().is_some_and(Type::is_orderable) {
                    return None;
                }
                shared.clone()
            }
            Arg::AnyArray => {
                element = Some(arg.ty.element()?.clone());
                None
            }
            Arg::Free => None,
            Arg::FreeOrderable => {
                if !arg.ty.is_orderable() {
                    return None;
                }
                None
            }
            Arg::Part(parts) => {
                part(arg, parts)?;
                None
            }
            Arg::Interval(parts) => {
                let ExprKind::Interval { part, .. } = &arg.kind else {
                    return None;
                };
                if !parts.contains(part) {
                    return None;
                }
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
            Arg::LiteralBound(most) => {
                let ExprKind::Literal(Value::Int64(value)) = arg.kind else {
                    return None;
                };
                if !(-most..=*most).contains(&value) {
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
        if !matches!(pattern, Arg::Part(_)) && matches!(arg.kind, ExprKind::Part(_)) {
            return None;
        }
        if !matches!(pattern, Arg::Interval(_)) && matches!(arg.kind, ExprKind::Interval { .. }) {
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
        Ret::Extracted => match args.first().map(|arg| &arg.kind) {
            Some(ExprKind::Part(DatePart::Date)) => Type::Date,
            Some(ExprKind::Part(DatePart::Datetime)) => Type::Datetime,
            Some(ExprKind::Part(DatePart::Time)) => Type::Time,
            _ => Type::Int64,
        },
    };
    Some((
        sum,
        Chosen {
            args: types,
            result,
        },
    ))
}

fn part(arg: &Expr, parts: &[DatePart]) -> Option<()> {
    match &arg.kind {
        ExprKind::Part(part) if parts.contains(part) => Some(()),
        _ => None,
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
            Arg::Of(ty) => text.push_str(&ty.ty().to_string()),
            Arg::ArrayOf(ty) => text.push_str(&format!("ARRAY<{}>", ty.ty())),
            Arg::Any | Arg::Free | Arg::Orderable | Arg::FreeOrderable => {
                text.push_str("any value")
            }
            Arg::AnyArray => text.push_str("ARRAY"),
            Arg::Part(_) => text.push_str("date part"),
            Arg::Interval(_) => text.push_str("INTERVAL n part"),
            Arg::Pattern => text.push_str("regular expression literal"),
            Arg::LiteralString => text.push_str("STRING literal"),
            Arg::LiteralInt(most) => text.push_str(&format!("INT64 literal up to {most}")),
            Arg::LiteralBound(most) => {
                text.push_str(&format!("INT64 literal from -{most} to {most}"));
            }
        }
        if signature.repeated && index + 1 == signature.args.len() {
            text.push_str(", …");
        }
    }
    if signature.optional > 0 {
        text.push(']');
    }
    text.push(')');
    text
}
