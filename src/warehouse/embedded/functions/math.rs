//! Arithmetic and mathematical functions. What overflows, divides by zero or has no value is
//! refused; infinities and NaN only come from arguments that are such already.

use std::cmp::Ordering;

use arrow::datatypes::DataType;

use super::adapt::Function;
use super::decimal::{self, Rounding};
use super::fault::{Outcome, mismatch, refuse};
use super::value::{Kind, Value, canonical};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("add_int64", Kind::Int64, |_, args| add(args)),
    Function::new("add_float64", Kind::Float64, |_, args| add(args)),
    Function::new("add_numeric", Kind::Numeric, |_, args| add(args)),
    Function::typed("safe_add", common_type, |_, args| add(args)).null_on_error(),
    Function::new("subtract_int64", Kind::Int64, |_, args| subtract(args)),
    Function::new("subtract_float64", Kind::Float64, |_, args| subtract(args)),
    Function::new("subtract_numeric", Kind::Numeric, |_, args| subtract(args)),
    Function::typed("safe_subtract", common_type, |_, args| subtract(args)).null_on_error(),
    Function::new("multiply_int64", Kind::Int64, |_, args| multiply(args)),
    Function::new("multiply_float64", Kind::Float64, |_, args| multiply(args)),
    Function::new("multiply_numeric", Kind::Numeric, |_, args| multiply(args)),
    Function::typed("safe_multiply", common_type, |_, args| multiply(args)).null_on_error(),
    Function::new("negate_int64", Kind::Int64, |_, args| negate(args)),
    Function::new("negate_float64", Kind::Float64, |_, args| negate(args)),
    Function::new("negate_numeric", Kind::Numeric, |_, args| negate(args)),
    Function::typed("safe_negate", common_type, |_, args| negate(args)).null_on_error(),
    Function::new("divide_float64", Kind::Float64, |_, args| divide(args)),
    Function::new("divide_numeric", Kind::Numeric, |_, args| divide(args)),
    Function::typed("safe_divide", common_type, |_, args| divide(args)).null_on_error(),
    Function::new("ieee_divide", Kind::Float64, |_, args| match args {
        [Value::Float64(a), Value::Float64(b)] => Ok(Value::Float64(a / b)),
        _ => mismatch(args),
    }),
    Function::typed("div", common_type, |_, args| match args {
        [Value::Int64(_), Value::Int64(0)] | [Value::Numeric(_), Value::Numeric(0)] => {
            refuse("division by zero")
        }
        [Value::Int64(a), Value::Int64(b)] => int64(a.checked_div(*b)),
        [Value::Numeric(a), Value::Numeric(b)] => {
            numeric((a / b).checked_mul(decimal::ONE).and_then(decimal::checked))
        }
        _ => mismatch(args),
    }),
    Function::typed("mod", common_type, |_, args| match args {
        [Value::Int64(_), Value::Int64(0)] | [Value::Numeric(_), Value::Numeric(0)] => {
            refuse("division by zero")
        }
        [Value::Int64(a), Value::Int64(b)] => Ok(Value::Int64(a.wrapping_rem(*b))),
        [Value::Numeric(a), Value::Numeric(b)] => Ok(Value::Numeric(a % b)),
        _ => mismatch(args),
    }),
    Function::typed("abs", common_type, |_, args| match args {
        [Value::Int64(v)] => int64(v.checked_abs()),
        [Value::Float64(v)] => Ok(Value::Float64(v.abs())),
        [Value::Numeric(v)] => Ok(Value::Numeric(v.abs())),
        _ => mismatch(args),
    }),
    Function::typed("sign", common_type, |_, args| match args {
        [Value::Int64(v)] => Ok(Value::Int64(v.signum())),
        [Value::Float64(v)] if v.is_nan() => Ok(Value::Float64(*v)),
        [Value::Float64(v)] => Ok(Value::Float64(f64::from(
            i8::from(*v > 0.0) - i8::from(*v < 0.0),
        ))),
        [Value::Numeric(v)] => Ok(Value::Numeric(v.signum() * decimal::ONE)),
        _ => mismatch(args),
    }),
    Function::typed("round", common_type, |_, args| {
        rounded(args, f64::round, Rounding::HalfAwayFromZero)
    }),
    Function::typed("trunc", common_type, |_, args| {
        rounded(args, f64::trunc, Rounding::TowardsZero)
    }),
    Function::typed("ceil", common_type, |_, args| {
        rounded(args, f64::ceil, Rounding::Up)
    }),
    Function::typed("floor", common_type, |_, args| {
        rounded(args, f64::floor, Rounding::Down)
    }),
    Function::new("pow", Kind::Float64, |_, args| pair(args, f64::powf)),
    Function::typed("sqrt", common_type, |_, args| match args {
        [Value::Float64(v)] if *v < 0.0 => refuse("the square root of a negative number"),
        [Value::Numeric(v)] => match decimal::square_root(*v) {
            Some(root) => Ok(Value::Numeric(root)),
            None => refuse("the square root of a negative number"),
        },
        _ => single(args, f64::sqrt),
    }),
    Function::new("cbrt", Kind::Float64, |_, args| single(args, f64::cbrt)),
    Function::new("exp", Kind::Float64, |_, args| single(args, f64::exp)),
    Function::new("ln", Kind::Float64, |_, args| single(args, f64::ln)),
    Function::new("log", Kind::Float64, |_, args| match args {
        [_] => single(args, f64::ln),
        [Value::Float64(x), Value::Float64(base)]
            if x.is_nan() || *x == f64::NEG_INFINITY || !base.is_finite() =>
        {
            Ok(Value::Float64(f64::NAN))
        }
        [Value::Float64(x), Value::Float64(base)] if *x <= 0.0 || *base <= 0.0 || *base == 1.0 => {
            refuse("no such logarithm")
        }
        _ => pair(args, |x, base| x.ln() / base.ln()),
    }),
    Function::new("log10", Kind::Float64, |_, args| single(args, f64::log10)),
    Function::typed("greatest", common_type, |_, args| {
        extreme(args, Ordering::Greater)
    }),
    Function::typed("least", common_type, |_, args| {
        extreme(args, Ordering::Less)
    }),
    Function::new("is_nan", Kind::Bool, |_, args| match args {
        [Value::Float64(v)] => Ok(Value::Bool(v.is_nan())),
        _ => mismatch(args),
    }),
    // A number as ORDER BY compares it: 0 and -0 are one. NaN has the same bits as every other.
    Function::new("sortable_float64", Kind::Float64, |_, args| match args {
        [Value::Float64(v)] => Ok(Value::Float64(v + 0.0)),
        _ => mismatch(args),
    }),
    Function::new("is_inf", Kind::Bool, |_, args| match args {
        [Value::Float64(v)] => Ok(Value::Bool(v.is_infinite())),
        _ => mismatch(args),
    }),
    Function::new("bit_count", Kind::Int64, |_, args| match args {
        [Value::Int64(v)] => Ok(Value::Int64(i64::from(v.count_ones()))),
        [Value::Bin(bytes)] => Ok(Value::Int64(
            bytes.iter().map(|b| i64::from(b.count_ones())).sum(),
        )),
        _ => mismatch(args),
    }),
    Function::new("bitwise_xor", Kind::Int64, |_, args| match args {
        [Value::Int64(a), Value::Int64(b)] => Ok(Value::Int64(a ^ b)),
        _ => mismatch(args),
    }),
    Function::new("shift_left", Kind::Int64, |_, args| {
        shift(args, |v, by| v.checked_shl(by))
    }),
    Function::new("shift_right", Kind::Int64, |_, args| {
        shift(args, |v, by| v.checked_shr(by))
    }),
    Function::new("range_bucket", Kind::Int64, |_, args| match args {
        [point, Value::List(bounds)] => range_bucket(point, bounds),
        _ => mismatch(args),
    }),
];

/// The type of the first argument that has one; NULL when none has.
pub(super) fn common_type(types: &[DataType]) -> Option<DataType> {
    match types.iter().find(|ty| **ty != DataType::Null) {
        Some(ty) => canonical(ty),
        None => Some(DataType::Null),
    }
}

fn int64<'a>(value: Option<i64>) -> Outcome<Value<'a>> {
    match value {
        Some(value) => Ok(Value::Int64(value)),
        None => refuse("int64 overflow"),
    }
}

fn numeric<'a>(value: Option<i128>) -> Outcome<Value<'a>> {
    match value {
        Some(value) => Ok(Value::Numeric(value)),
        None => refuse("numeric overflow"),
    }
}

/// A FLOAT64 result, unless it is infinite or NaN although no argument is.
fn float64<'a>(value: f64, args: &[f64]) -> Outcome<Value<'a>> {
    if value.is_finite() || !args.iter().all(|arg| arg.is_finite()) {
        Ok(Value::Float64(value))
    } else {
        refuse("floating point error")
    }
}

fn single<'a>(args: &[Value<'a>], function: fn(f64) -> f64) -> Outcome<Value<'a>> {
    match args {
        [Value::Float64(v)] => float64(function(*v), &[*v]),
        _ => mismatch(args),
    }
}

fn pair<'a>(args: &[Value<'a>], function: fn(f64, f64) -> f64) -> Outcome<Value<'a>> {
    match args {
        [Value::Float64(a), Value::Float64(b)] => float64(function(*a, *b), &[*a, *b]),
        _ => mismatch(args),
    }
}

fn add<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    match args {
        [Value::Int64(a), Value::Int64(b)] => int64(a.checked_add(*b)),
        [Value::Float64(a), Value::Float64(b)] => float64(a + b, &[*a, *b]),
        [Value::Numeric(a), Value::Numeric(b)] => {
            numeric(a.checked_add(*b).and_then(decimal::checked))
        }
        _ => mismatch(args),
    }
}

fn subtract<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    match args {
        [Value::Int64(a), Value::Int64(b)] => int64(a.checked_sub(*b)),
        [Value::Float64(a), Value::Float64(b)] => float64(a - b, &[*a, *b]),
        [Value::Numeric(a), Value::Numeric(b)] => {
            numeric(a.checked_sub(*b).and_then(decimal::checked))
        }
        _ => mismatch(args),
    }
}

fn multiply<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    match args {
        [Value::Int64(a), Value::Int64(b)] => int64(a.checked_mul(*b)),
        [Value::Float64(a), Value::Float64(b)] => float64(a * b, &[*a, *b]),
        [Value::Numeric(a), Value::Numeric(b)] => numeric(decimal::multiply(*a, *b)),
        _ => mismatch(args),
    }
}

fn negate<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    match args {
        [Value::Int64(v)] => int64(v.checked_neg()),
        [Value::Float64(v)] => Ok(Value::Float64(-v)),
        [Value::Numeric(v)] => Ok(Value::Numeric(-v)),
        _ => mismatch(args),
    }
}

fn divide<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    match args {
        [Value::Float64(_), Value::Float64(0.0)] | [Value::Numeric(_), Value::Numeric(0)] => {
            refuse("division by zero")
        }
        [Value::Float64(a), Value::Float64(b)] => float64(a / b, &[*a, *b]),
        [Value::Numeric(a), Value::Numeric(b)] => numeric(decimal::divide(*a, *b)),
        _ => mismatch(args),
    }
}

/// The powers of ten that are FLOAT64 values.
const EXACT_POWERS: i64 = 22;
/// No FLOAT64 has more digits than this on either side of the point.
const MANY_DIGITS: i64 = 1_100;

fn rounded<'a>(
    args: &[Value<'a>],
    function: fn(f64) -> f64,
    rounding: Rounding,
) -> Outcome<Value<'a>> {
    match args {
        [Value::Float64(v)] => Ok(Value::Float64(function(*v))),
        [Value::Float64(v), Value::Int64(_)] if !v.is_finite() => Ok(Value::Float64(*v)),
        [Value::Float64(v), Value::Int64(digits)] => {
            float64(round_decimal(*v, *digits, rounding), &[*v])
        }
        [Value::Numeric(v)] => numeric(decimal::round(*v, 0, rounding)),
        [Value::Numeric(v), Value::Int64(digits)] => numeric(decimal::round(*v, *digits, rounding)),
        _ => mismatch(args),
    }
}

/// Rounds the exact value of a FLOAT64 to a number of digits behind the point, or before it.
fn round_decimal(v: f64, digits: i64, rounding: Rounding) -> f64 {
    let digits = digits.clamp(-MANY_DIGITS, MANY_DIGITS);
    if digits < -308 {
        return 0.0;
    }
    let exponent = i32::try_from(digits.abs()).unwrap_or_default();
    let power = 10.0_f64.powi(exponent);
    // The product or quotient is rounded; the rest tells to which side of it the exact value is.
    let (scaled, rest) = if digits >= 0 {
        (v * power, v.mul_add(power, -(v * power)))
    } else {
        (v / power, (-(v / power)).mul_add(power, v))
    };
    if digits > EXACT_POWERS || !scaled.is_finite() {
        return round_text(v, digits, rounding);
    }
    let whole = scaled.trunc();
    let sign = 1.0_f64.copysign(v);
    let result = match rounding {
        Rounding::TowardsZero if whole == scaled && rest * sign < 0.0 => whole - sign,
        Rounding::TowardsZero => whole,
        _ if (scaled - whole).abs() == 0.5 && rest * sign < 0.0 => whole,
        _ => scaled.round(),
    };
    if digits >= 0 {
        result / power
    } else {
        result * power
    }
}

/// Rounds by way of the decimal text.
fn round_text(v: f64, digits: i64, rounding: Rounding) -> f64 {
    let digits = usize::try_from(digits).unwrap_or_default();
    let text = match rounding {
        Rounding::TowardsZero => {
            let text = format!("{v:.*}", digits + 30);
            let end = text.len() - 30;
            text.get(..end).unwrap_or(&text).to_owned()
        }
        _ => format!("{v:.digits$}"),
    };
    text.parse().unwrap_or(v)
}

fn shift<'a>(args: &[Value<'a>], function: fn(u64, u32) -> Option<u64>) -> Outcome<Value<'a>> {
    match args {
        [Value::Int64(_), Value::Int64(by)] if *by < 0 => refuse("a shift by a negative number"),
        [Value::Int64(v), Value::Int64(by)] => {
            let shifted = u32::try_from(*by)
                .ok()
                .and_then(|by| function(v.cast_unsigned(), by));
            Ok(Value::Int64(shifted.unwrap_or_default().cast_signed()))
        }
        _ => mismatch(args),
    }
}

/// Compares two values of one type; `None` when one is NaN or they have no order.
pub(super) fn compare(a: &Value<'_>, b: &Value<'_>) -> Option<Ordering> {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Float64(a), Value::Float64(b)) => a.partial_cmp(b),
        (Value::Numeric(a), Value::Numeric(b)) => Some(a.cmp(b)),
        (Value::BigNumeric(a), Value::BigNumeric(b)) => Some(a.cmp(b)),
        (Value::Str(a), Value::Str(b)) => Some(a.cmp(b)),
        (Value::Bin(a), Value::Bin(b)) => Some(a.cmp(b)),
        (Value::Date(a), Value::Date(b)) => Some(a.cmp(b)),
        (Value::Int64(a), Value::Int64(b))
        | (Value::Time(a), Value::Time(b))
        | (Value::Datetime(a), Value::Datetime(b))
        | (Value::Timestamp(a), Value::Timestamp(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

fn is_nan(value: &Value<'_>) -> bool {
    matches!(value, Value::Float64(v) if v.is_nan())
}

fn extreme<'a>(args: &[Value<'a>], wanted: Ordering) -> Outcome<Value<'a>> {
    let Some((mut best, rest)) = args.split_first() else {
        return mismatch(args);
    };
    for value in rest {
        if is_nan(best) {
            break;
        }
        if is_nan(value) {
            best = value;
            break;
        }
        match compare(value, best) {
            Some(order) if order == wanted => best = value,
            Some(_) => {}
            None => return mismatch(args),
        }
    }
    Ok(best.clone())
}

fn range_bucket<'a>(point: &Value<'a>, bounds: &[Value<'a>]) -> Outcome<Value<'a>> {
    let ascending = bounds.windows(2).all(|pair| match pair {
        [a, b] => matches!(compare(a, b), Some(Ordering::Less | Ordering::Equal)),
        _ => true,
    });
    if !ascending || bounds.iter().any(|bound| bound.is_null() || is_nan(bound)) {
        return refuse("the bounds of RANGE_BUCKET must ascend");
    }
    if is_nan(point) {
        return Ok(Value::Null);
    }
    let below = bounds.partition_point(|bound| {
        matches!(
            compare(bound, point),
            Some(Ordering::Less | Ordering::Equal)
        )
    });
    int64(i64::try_from(below).ok())
}
