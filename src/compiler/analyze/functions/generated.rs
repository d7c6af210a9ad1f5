//! How long a generated array gets.

use crate::compiler::ir::{DatePart, Expr, ExprKind, Value};

/// Microseconds of a day.
const DAY: f64 = 86_400e6;

/// Returns about how many elements a call of `GENERATE_ARRAY` or its kin gives, or `None` when its bounds or
/// its step are no literals. A step of zero, which fails, counts as one element.
///
/// Months count as 28 days, so that an array of dates is never longer than this.
#[must_use]
pub fn length(args: &[Expr]) -> Option<f64> {
    let (start, end, step) = match args {
        [start, end] => (start, end, default_step(start)),
        [start, end, step] => (start, end, size(step)?),
        _ => return None,
    };
    let span = size(end)? - size(start)?;
    if step == 0.0 {
        return Some(1.0);
    }
    Some((span / step).floor().max(-1.0) + 1.0)
}

fn default_step(start: &Expr) -> f64 {
    match &start.kind {
        ExprKind::Literal(Value::Date(_)) => DAY,
        _ => 1.0,
    }
}

/// Returns a literal as a number; microseconds for what is a time.
fn size(expr: &Expr) -> Option<f64> {
    match &expr.kind {
        ExprKind::Literal(Value::Int64(value) | Value::Timestamp(value)) =>
        {
            #[expect(clippy::cast_precision_loss, reason = "a limit need not be exact")]
            Some(*value as f64)
        }
        ExprKind::Literal(Value::Float64(value)) => Some(*value),
        ExprKind::Literal(Value::Decimal(text)) => text.parse().ok(),
        ExprKind::Literal(Value::Date(days)) => Some(f64::from(*days) * DAY),
        ExprKind::Interval { value, part } => Some(size(value)? * length_of(*part)?),
        _ => None,
    }
}

fn length_of(part: DatePart) -> Option<f64> {
    Some(match part {
        DatePart::Microsecond => 1.0,
        DatePart::Millisecond => 1e3,
        DatePart::Second => 1e6,
        DatePart::Minute => 60e6,
        DatePart::Hour => 3_600e6,
        DatePart::Day => DAY,
        DatePart::Week => 7.0 * DAY,
        DatePart::Month => 28.0 * DAY,
        DatePart::Quarter => 3.0 * 28.0 * DAY,
        DatePart::Year => 12.0 * 28.0 * DAY,
        _ => return None,
    })
}
