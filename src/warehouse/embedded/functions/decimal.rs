//! NUMERIC and BIGNUMERIC as scaled integers: reading, writing, rounding and arithmetic.

use arrow::datatypes::i256;

use super::value::{BIGNUMERIC, NUMERIC};

/// Digits of NUMERIC behind the point.
pub(super) const DIGITS: usize = 9;
/// 1 as NUMERIC.
pub(super) const ONE: i128 = 1_000_000_000;
/// The greatest NUMERIC.
const MAX: i128 = 99_999_999_999_999_999_999_999_999_999_999_999_999;

/// The value, unless it is outside the range of NUMERIC.
pub(super) fn checked(value: i128) -> Option<i128> {
    (-MAX..=MAX).contains(&value).then_some(value)
}

/// Reads decimal text (`-1.5e3`), rounded half away from zero to a scale, as the scaled integer's text.
fn scaled_text(text: &str, scale: i64) -> Option<String> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent),
        None => (rest, "0"),
    };
    let exponent_digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    if exponent_digits.is_empty() || !exponent_digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // An exponent that does not fit is as good as the greatest one that does.
    let exponent: i64 = exponent
        .parse::<i64>()
        .unwrap_or(if exponent.starts_with('-') {
            -1_000_000
        } else {
            1_000_000
        })
        .clamp(-1_000_000, 1_000_000);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let leading = digits.iter().take_while(|d| **d == b'0').count();
    let significant = digits.get(leading..).unwrap_or_default();
    if significant.is_empty() {
        return Some("0".to_owned());
    }
    let point = i64::try_from(whole.len()).ok()? - i64::try_from(leading).ok()?;
    let kept = point + exponent + scale;
    if kept < 0 {
        return Some("0".to_owned());
    }
    let kept = usize::try_from(kept).ok()?;
    if kept > 80 {
        return None;
    }
    let mut out: Vec<u8> = significant.iter().copied().take(kept).collect();
    out.resize(kept, b'0');
    if significant.get(kept).is_some_and(|d| *d >= b'5') {
        increment(&mut out);
    }
    let digits = String::from_utf8(out).ok()?;
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some("0".to_owned());
    }
    Some(format!("{sign}{digits}"))
}

/// Adds one to the last of decimal digits.
pub(super) fn increment(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit == b'9' {
            *digit = b'0';
        } else {
            *digit += 1;
            return;
        }
    }
    digits.insert(0, b'1');
}

/// Reads NUMERIC from decimal text.
pub(super) fn parse_numeric(text: &str) -> Option<i128> {
    checked(scaled_text(text, i64::from(NUMERIC.1))?.parse().ok()?)
}

/// Reads BIGNUMERIC from decimal text.
pub(super) fn parse_bignumeric(text: &str) -> Option<i256> {
    i256::from_string(&scaled_text(text, i64::from(BIGNUMERIC.1))?)
}

/// Writes the text of a scaled integer without trailing zeros.
fn unscaled_text(digits: &str, scale: usize) -> String {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", digits),
    };
    let padded = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = padded
        .split_at_checked(padded.len() - scale)
        .unwrap_or(("", ""));
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

/// Writes a NUMERIC.
pub(super) fn numeric_text(value: i128) -> String {
    unscaled_text(&value.to_string(), 9)
}

/// Writes a BIGNUMERIC.
pub(super) fn bignumeric_text(value: i256) -> String {
    unscaled_text(&value.to_string(), 38)
}

/// Divides, rounding half away from zero. The divisor is positive.
pub(super) fn divide_rounded(value: i128, divisor: i128) -> i128 {
    let (quotient, rest) = (value / divisor, value % divisor);
    if rest.abs() >= divisor - rest.abs() {
        quotient + value.signum()
    } else {
        quotient
    }
}

/// Multiplies two NUMERIC values.
pub(super) fn multiply(a: i128, b: i128) -> Option<i128> {
    let product = i256::from_i128(a).checked_mul(i256::from_i128(b))?;
    quotient(product, ONE)
}

/// Divides two NUMERIC values; `None` for zero too.
pub(super) fn divide(a: i128, b: i128) -> Option<i128> {
    let scaled = i256::from_i128(a).checked_mul(i256::from_i128(ONE))?;
    quotient(scaled, b)
}

fn quotient(value: i256, divisor: i128) -> Option<i128> {
    let divisor = i256::from_i128(divisor);
    let quotient = value.checked_div(divisor)?;
    let rest = value.checked_rem(divisor)?.wrapping_abs();
    let away = if rest.checked_add(rest)? >= divisor.wrapping_abs() {
        value.signum() * divisor.signum()
    } else {
        i256::ZERO
    };
    checked(quotient.checked_add(away)?.to_i128()?)
}

/// Returns the square root of a NUMERIC, rounded half away from zero; `None` of a negative one.
pub(super) fn square_root(value: i128) -> Option<i128> {
    if value < 0 {
        return None;
    }
    // The root of the value with 18 digits behind the point, as an integer, has nine.
    let scaled = i256::from_i128(value).checked_mul(i256::from_i128(ONE))?;
    let mut root = i256::from_i128(0);
    let mut bit = i256::from_i128(1 << 84);
    while bit > i256::ZERO {
        let candidate = root.checked_add(bit)?;
        if candidate.checked_mul(candidate)? <= scaled {
            root = candidate;
        }
        bit = bit.checked_div(i256::from_i128(2))?;
    }
    // Above the middle of two roots means that more than the root itself is left.
    let rest = scaled.checked_sub(root.checked_mul(root)?)?;
    let root = root.to_i128()?;
    checked(root + i128::from(rest > i256::from_i128(root)))
}

/// Rounding of a NUMERIC to a number of digits behind the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounding {
    HalfAwayFromZero,
    TowardsZero,
    Up,
    Down,
}

/// Rounds a NUMERIC; negative digits count before the point.
pub(super) fn round(value: i128, digits: i64, rounding: Rounding) -> Option<i128> {
    if digits >= 9 {
        return Some(value);
    }
    if digits < -29 {
        return Some(0);
    }
    let unit = 10_i128.pow(u32::try_from(9 - digits).ok()?);
    let units = match rounding {
        Rounding::HalfAwayFromZero => divide_rounded(value, unit),
        Rounding::TowardsZero => value / unit,
        Rounding::Up => value.div_euclid(unit) + i128::from(value.rem_euclid(unit) != 0),
        Rounding::Down => value.div_euclid(unit),
    };
    checked(units.checked_mul(unit)?)
}
