//! Numbers whose JSON text counts.

use arrow::datatypes::i256;

/// Reads a FLOAT64: decimal text, or the names of the values that JSON numbers lack.
pub(super) fn float(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ if text
            .bytes()
            .all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b)) =>
        {
            text.parse().ok().filter(|v: &f64| v.is_finite())
        }
        _ => None,
    }
}

/// Reads decimal text exactly, as an integer of units of the last of `scale` places.
pub(super) fn decimal(text: &str, whole_digits: usize, scale: i8) -> Option<i256> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let negative = mantissa.starts_with('-');
    let unsigned = mantissa.strip_prefix(['-', '+']).unwrap_or(mantissa);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    let trailing = i32::try_from(digits.len() - significant.len()).ok()?;
    let places = i32::try_from(fraction.len()).ok()?;
    // The value is `significant` times ten to this power.
    let power = exponent.checked_sub(places)?.checked_add(trailing)?;
    if significant.is_empty() {
        return Some(i256::ZERO);
    }
    let zeros = usize::try_from(power.checked_add(i32::from(scale))?).ok()?;
    let limit = whole_digits + usize::try_from(scale).ok()?;
    if significant.len().checked_add(zeros)? > limit {
        return None;
    }
    let value = i256::from_string(&format!("{significant}{}", "0".repeat(zeros)))?;
    Some(if negative {
        value.wrapping_neg()
    } else {
        value
    })
}
