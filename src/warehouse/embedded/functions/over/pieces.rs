//! What one or more rows of a frame come to, for each function.

use arrow::array::{Array, ArrayRef, AsArray, Float64Array};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{Float64Type, Int64Type};
use datafusion::common::{ScalarValue, internal_err};
use datafusion::error::Result;

use super::overflow;
use super::stacks::Joinable;

/// What rows come to, made of the arguments of a function.
pub(super) trait Piece: Joinable {
    /// The result of no rows.
    const NULL: ScalarValue;

    /// Calls a function with the piece of each row that has no NULL among its arguments.
    fn each(arguments: &[ArrayRef], call: impl FnMut(Self)) -> Result<()>;
}

/// Returns how many rows have no NULL among their arguments.
pub(super) fn present(arguments: &[ArrayRef]) -> usize {
    let rows = arguments.first().map_or(0, |first| first.len());
    let nulls = arguments.iter().fold(None, |nulls, argument| {
        NullBuffer::union(nulls.as_ref(), argument.nulls())
    });
    rows - nulls.map_or(0, |nulls| nulls.null_count())
}

fn wrong<T>() -> Result<T> {
    internal_err!("a function of windows gets arguments of other types")
}

fn floats(argument: &ArrayRef) -> Option<&Float64Array> {
    argument.as_primitive_opt::<Float64Type>()
}

/// Implements a piece that is a single value.
macro_rules! of_one_value {
    ($piece:ident, $null:expr, $cast:expr, $join:tt) => {
        impl $piece {
            pub(super) fn value(self) -> Result<ScalarValue> {
                Ok(ScalarValue::from(self.0))
            }
        }

        impl Joinable for $piece {
            fn joined(self, behind: Self) -> Self {
                Self(self.0 $join behind.0)
            }
        }

        impl Piece for $piece {
            const NULL: ScalarValue = $null;

            fn each(arguments: &[ArrayRef], call: impl FnMut(Self)) -> Result<()> {
                let [argument] = arguments else {
                    return wrong();
                };
                let Some(values) = $cast(argument) else {
                    return wrong();
                };
                values.iter().flatten().map(Self).for_each(call);
                Ok(())
            }
        }
    };
}

/// Whether all are true.
#[derive(Clone, Copy, Debug)]
pub(super) struct AllTrue(bool);

of_one_value!(AllTrue, ScalarValue::Boolean(None), AsArray::as_boolean_opt, &);

/// Whether one is true.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnyTrue(bool);

of_one_value!(AnyTrue, ScalarValue::Boolean(None), AsArray::as_boolean_opt, |);

/// The bits that all have.
#[derive(Clone, Copy, Debug)]
pub(super) struct AllBits(i64);

of_one_value!(AllBits, ScalarValue::Int64(None), AsArray::as_primitive_opt::<Int64Type>, &);

/// The bits that one has.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnyBit(i64);

of_one_value!(AnyBit, ScalarValue::Int64(None), AsArray::as_primitive_opt::<Int64Type>, |);

/// How far numbers lie apart.
///
/// Source: T. Chan, G. Golub, R. LeVeque, "Updating formulae and a pairwise algorithm for computing sample
/// variances", 1979.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    count: f64,
    mean: f64,
    /// The sum of the squared distances from the mean.
    squares: f64,
    /// Whether infinity or NaN is among them.
    special: bool,
}

impl Spread {
    fn of(value: f64) -> Self {
        Self {
            count: 1.0,
            mean: value,
            squares: 0.0,
            special: !value.is_finite(),
        }
    }

    /// Returns the variance with so many degrees of freedom less than there are numbers.
    ///
    /// # Errors
    /// A square is beyond all FLOAT64 values.
    pub(super) fn variance(self, fewer: u8) -> Result<Option<f64>> {
        let freedom = self.count - f64::from(fewer);
        if freedom <= 0.0 {
            Ok(None)
        } else if self.special {
            Ok(Some(f64::NAN))
        } else if self.squares.is_finite() {
            Ok(Some(self.squares / freedom))
        } else {
            overflow()
        }
    }

    /// Returns the standard deviation likewise.
    ///
    /// # Errors
    /// A square is beyond all FLOAT64 values.
    pub(super) fn deviation(self, fewer: u8) -> Result<Option<f64>> {
        Ok(self.variance(fewer)?.map(f64::sqrt))
    }
}

impl Joinable for Spread {
    fn joined(self, behind: Self) -> Self {
        let count = self.count + behind.count;
        let share = behind.count / count;
        let distance = behind.mean - self.mean;
        Self {
            count,
            mean: self.mean + distance * share,
            squares: self.squares + behind.squares + distance * distance * self.count * share,
            special: self.special || behind.special,
        }
    }
}

impl Piece for Spread {
    const NULL: ScalarValue = ScalarValue::Float64(None);

    fn each(arguments: &[ArrayRef], call: impl FnMut(Self)) -> Result<()> {
        let [argument] = arguments else {
            return wrong();
        };
        let Some(values) = floats(argument) else {
            return wrong();
        };
        values.iter().flatten().map(Self::of).for_each(call);
        Ok(())
    }
}

/// How far the numbers of pairs lie apart, and whether together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pairs {
    first: Spread,
    second: Spread,
    /// The sum of the products of the distances from the means.
    products: f64,
}

impl Pairs {
    /// Returns the covariance with so many degrees of freedom less than there are pairs.
    pub(super) fn covariance(self, fewer: u8) -> Option<f64> {
        let freedom = self.first.count - f64::from(fewer);
        (freedom > 0.0).then(|| self.number(self.products / freedom))
    }

    /// Returns Pearson's coefficient of correlation.
    pub(super) fn correlation(self) -> Option<f64> {
        let apart = self.first.squares.sqrt() * self.second.squares.sqrt();
        (self.first.count > 1.0).then(|| self.number(self.products / apart))
    }

    /// Returns a number, or NaN of the one form that it has in results.
    fn number(self, number: f64) -> f64 {
        if self.first.special || self.second.special || number.is_nan() {
            f64::NAN
        } else {
            number
        }
    }
}

impl Joinable for Pairs {
    fn joined(self, behind: Self) -> Self {
        let share = behind.first.count / (self.first.count + behind.first.count);
        let first = behind.first.mean - self.first.mean;
        let second = behind.second.mean - self.second.mean;
        Self {
            first: self.first.joined(behind.first),
            second: self.second.joined(behind.second),
            products: self.products + behind.products + first * second * self.first.count * share,
        }
    }
}

impl Piece for Pairs {
    const NULL: ScalarValue = ScalarValue::Float64(None);

    fn each(arguments: &[ArrayRef], mut call: impl FnMut(Self)) -> Result<()> {
        let [first, second] = arguments else {
            return wrong();
        };
        let (Some(first), Some(second)) = (floats(first), floats(second)) else {
            return wrong();
        };
        for pair in first.iter().zip(second) {
            let (Some(first), Some(second)) = pair else {
                continue;
            };
            let [first, second] = [first, second].map(Spread::of);
            call(Self {
                first,
                second,
                products: 0.0,
            });
        }
        Ok(())
    }
}
