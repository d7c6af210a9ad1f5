//! A sum of FLOAT64 values that is exact, so that values can be taken off it again.
//!
//! Every finite FLOAT64 is a multiple of 2 to the power of -1074, and the sum is kept as such a multiple.
//!
//! Source: R. M. Neal, "Fast exact summation using small and large superaccumulators", 2015.

/// Bits of a digit; what is above them in its `i64` is carried before it can be too much.
const DIGIT: u32 = 32;
/// The 2098 bits of a FLOAT64's range, and those that more values than there can be add to it.
const DIGITS: usize = 68;
/// Additions before digits are carried: each makes a digit less than 2 to the power of 32 larger.
const ADDITIONS: u32 = 1 << 30;
/// Bits of a mantissa that are stored.
const MANTISSA: u32 = 52;
/// The exponent, as it is stored, of infinity and NaN.
const SPECIAL: u64 = 0x7ff;

/// The sum of the finite ones of some values, and which others there are.
#[derive(Clone, Debug)]
pub(super) struct ExactSum {
    /// The least significant first; the last one has the sign.
    digits: [i64; DIGITS],
    /// Additions since digits were carried.
    additions: u32,
    infinite: u64,
    minus_infinite: u64,
    not_numbers: u64,
}

impl Default for ExactSum {
    fn default() -> Self {
        Self {
            digits: [0; DIGITS],
            additions: 0,
            infinite: 0,
            minus_infinite: 0,
            not_numbers: 0,
        }
    }
}

impl ExactSum {
    /// Adds a value.
    pub(super) fn add(&mut self, value: f64) {
        match self.special(value) {
            Some(count) => *count += 1,
            None => self.add_finite(value, value.is_sign_negative()),
        }
    }

    /// Takes off a value that was added.
    pub(super) fn remove(&mut self, value: f64) {
        match self.special(value) {
            Some(count) => *count -= 1,
            None => self.add_finite(value, !value.is_sign_negative()),
        }
    }

    /// Returns the nearest FLOAT64, as IEEE 754 adds infinities and NaN; `None` where the sum of finite values
    /// is beyond all.
    pub(super) fn value(&mut self) -> Option<f64> {
        match (self.not_numbers, self.infinite, self.minus_infinite) {
            (0, 0, 0) => self.rounded(),
            (0, 1.., 0) => Some(f64::INFINITY),
            (0, 0, 1..) => Some(f64::NEG_INFINITY),
            _ => Some(f64::NAN),
        }
    }

    /// Returns the count of the values like this one, unless it is finite.
    fn special(&mut self, value: f64) -> Option<&mut u64> {
        if value.is_nan() {
            Some(&mut self.not_numbers)
        } else if value == f64::INFINITY {
            Some(&mut self.infinite)
        } else if value == f64::NEG_INFINITY {
            Some(&mut self.minus_infinite)
        } else {
            None
        }
    }

    fn add_finite(&mut self, value: f64, negative: bool) {
        let bits = value.to_bits();
        let exponent = u32::try_from(bits >> MANTISSA & SPECIAL).unwrap_or_default();
        let hidden = u64::from(exponent > 0) << MANTISSA;
        let mantissa = bits & ((1 << MANTISSA) - 1) | hidden;
        let shift = exponent.max(1) - 1;
        let mut rest = u128::from(mantissa) << (shift % DIGIT);
        let first = (shift / DIGIT) as usize;
        for digit in self.digits.iter_mut().skip(first) {
            if rest == 0 {
                break;
            }
            let part = (rest & u128::from(u32::MAX)) as i64;
            *digit += if negative { -part } else { part };
            rest >>= DIGIT;
        }
        self.additions += 1;
        if self.additions == ADDITIONS {
            self.carry();
        }
    }

    /// Makes all digits but the last less than 2 to the power of 32, and none of these negative.
    fn carry(&mut self) {
        let mut carried = 0;
        for digit in &mut self.digits {
            let sum = *digit + carried;
            carried = sum >> DIGIT;
            *digit = sum & i64::from(u32::MAX);
        }
        if let Some(last) = self.digits.last_mut() {
            *last += carried << DIGIT;
        }
        self.additions = 0;
    }

    /// Returns the sum of the finite values, rounded to the nearest FLOAT64, and to the even one of two.
    fn rounded(&mut self) -> Option<f64> {
        self.carry();
        let negative = self.digits.last().is_some_and(|last| *last < 0);
        let mut digits = self.digits;
        if negative {
            let mut carried = 1;
            for digit in &mut digits {
                let sum = (!*digit & i64::from(u32::MAX)) + carried;
                carried = sum >> DIGIT;
                *digit = sum & i64::from(u32::MAX);
            }
        }
        let magnitude = nearest(&digits)?;
        Some(if negative { -magnitude } else { magnitude })
    }
}

/// Returns the FLOAT64 that is nearest to digits none of which is negative.
fn nearest(digits: &[i64]) -> Option<f64> {
    const KEPT: u32 = MANTISSA + 1;
    let Some(highest) = digits.iter().rposition(|digit| *digit != 0) else {
        return Some(0.0);
    };
    let lowest = highest.saturating_sub(2);
    let (below, above) = digits.split_at(lowest);
    let leading =
        above
            .iter()
            .zip((0..).step_by(DIGIT as usize))
            .fold(0, |sum: u128, (digit, shift)| {
                sum | u128::from(digit.unsigned_abs())
                    .checked_shl(shift)
                    .unwrap_or(0)
            });
    let length = u128::BITS - leading.leading_zeros();
    let Some(dropped) = length.checked_sub(KEPT).filter(|bits| *bits > 0) else {
        // A number of this many bits is stored as itself.
        return u64::try_from(leading).ok().map(f64::from_bits);
    };
    let rest = leading & ((1 << dropped) - 1);
    let half = 1 << (dropped - 1);
    let mut kept = u64::try_from(leading >> dropped).ok()?;
    let more = below.iter().any(|digit| *digit != 0);
    if rest > half || rest == half && (more || kept % 2 == 1) {
        kept += 1;
    }
    // Of a mantissa that became one bit longer all bits are zero: it counts one in the exponent.
    let exponent = u64::from(dropped) + lowest as u64 * u64::from(DIGIT);
    let bits = (exponent << MANTISSA) + kept;
    (bits >> MANTISSA < SPECIAL).then(|| f64::from_bits(bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(values: &[f64]) -> Option<f64> {
        let mut sum = ExactSum::default();
        values.iter().for_each(|value| sum.add(*value));
        sum.value()
    }

    #[test]
    fn sums_are_rounded_once() {
        let tiny = f64::from_bits(1);
        for (values, expected) in [
            (&[][..], Some(0.0)),
            (&[-0.0], Some(0.0)),
            (&[0.1], Some(0.1)),
            (&[0.1, 0.2, 0.3], Some(0.6)),
            (&[1e16, 1.0, -1e16], Some(1.0)),
            (&[1e308, 1e308, -1e308], Some(1e308)),
            (&[1e308, 1e308], None),
            (&[-1e308, -1e308], None),
            (&[f64::MAX, tiny], Some(f64::MAX)),
            (&[tiny, tiny], Some(f64::from_bits(2))),
            (
                &[f64::MIN_POSITIVE, -tiny],
                Some(f64::from_bits((1 << 52) - 1)),
            ),
            (&[-1.5, -2.25], Some(-3.75)),
            // Halfway between two: to the even one, and past it with anything more.
            (
                &[9_007_199_254_740_992.0, 1.0],
                Some(9_007_199_254_740_992.0),
            ),
            (
                &[9_007_199_254_740_992.0, 1.0, tiny],
                Some(9_007_199_254_740_994.0),
            ),
            (
                &[9_007_199_254_740_994.0, 1.0],
                Some(9_007_199_254_740_996.0),
            ),
            (
                &[-9_007_199_254_740_994.0, -1.0],
                Some(-9_007_199_254_740_996.0),
            ),
            (
                &[9_007_199_254_740_991.0, 0.75],
                Some(9_007_199_254_740_992.0),
            ),
            (&[f64::INFINITY, 1.0], Some(f64::INFINITY)),
            (&[f64::NEG_INFINITY, 1e308, 1e308], Some(f64::NEG_INFINITY)),
        ] {
            assert_eq!(sum(values), expected, "{values:?}");
        }
        for values in [&[f64::NAN, 1.0][..], &[f64::INFINITY, f64::NEG_INFINITY]] {
            assert!(sum(values).is_some_and(f64::is_nan), "{values:?}");
        }
    }

    #[test]
    fn what_is_removed_leaves_nothing_behind() {
        let values = [1e300, -3.5, f64::NAN, 5e-324, f64::INFINITY, -1e-7, 0.1];
        let mut sum = ExactSum::default();
        for value in values {
            sum.add(value);
        }
        for (left, value) in values.iter().enumerate() {
            sum.remove(*value);
            let rest = self::sum(&values[left + 1..]);
            assert_eq!(
                sum.value().map(f64::to_bits),
                rest.map(f64::to_bits),
                "{left}"
            );
        }
    }

    #[test]
    fn digits_are_carried_in_time() {
        let mut sum = ExactSum {
            additions: ADDITIONS - 2,
            ..ExactSum::default()
        };
        for _ in 0..4 {
            sum.add(-1.0);
            sum.add(0.75);
        }
        assert_eq!(sum.additions, 6);
        assert_eq!(sum.value(), Some(-1.0));
    }
}
