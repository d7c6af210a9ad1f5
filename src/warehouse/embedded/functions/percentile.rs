//! PERCENTILE_CONT and PERCENTILE_DISC over the rows of a window: `percentile_cont_of(value, fraction,
//! keeps_nulls)` and `percentile_disc_of(…)`. The last two are literals. Without `keeps_nulls`, NULL is no
//! value; with it, NULL is the least.
//!
//! Source: GoogleSQL reference, "Navigation functions".

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, UInt32Array, new_empty_array};
use arrow::compute::{SortOptions, concat, sort_to_indices};
use arrow::datatypes::{DataType, Float64Type};
use datafusion::common::{ScalarValue, internal_err};
use datafusion::error::Result;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility,
};
use datafusion::physical_expr::expressions::Literal;

/// Returns the aggregate functions of this module.
pub(super) fn all() -> Vec<AggregateUDF> {
    [("percentile_cont_of", true), ("percentile_disc_of", false)]
        .into_iter()
        .map(|(name, continuous)| {
            AggregateUDF::new_from_impl(Percentile {
                name,
                continuous,
                signature: Signature::any(3, Volatility::Immutable),
            })
        })
        .collect()
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Percentile {
    name: &'static str,
    /// Whether values are interpolated.
    continuous: bool,
    signature: Signature,
}

impl AggregateUDFImpl for Percentile {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        match arg_types {
            [_, _, _] if self.continuous => Ok(DataType::Float64),
            [value, _, _] => Ok(value.clone()),
            _ => internal_err!("{} takes three arguments", self.name),
        }
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let [_, fraction, keeps_nulls] = args.exprs else {
            return internal_err!("{} takes three arguments", self.name);
        };
        let literal = |at: &Arc<dyn datafusion::physical_expr::PhysicalExpr>| {
            at.downcast_ref::<Literal>().map(|l| l.value().clone())
        };
        match (literal(fraction), literal(keeps_nulls)) {
            (
                Some(ScalarValue::Float64(Some(fraction))),
                Some(ScalarValue::Boolean(Some(keeps_nulls))),
            ) => Ok(Box::new(Values {
                batches: Vec::new(),
                result: args.return_field.data_type().clone(),
                fraction,
                keeps_nulls,
                continuous: self.continuous,
            })),
            _ => internal_err!("the fraction of {} is a literal", self.name),
        }
    }

    fn state_fields(&self, _args: StateFieldsArgs<'_>) -> Result<Vec<arrow::datatypes::FieldRef>> {
        internal_err!("{} is a function of windows", self.name)
    }
}

/// The values of a partition so far.
#[derive(Debug)]
struct Values {
    batches: Vec<ArrayRef>,
    result: DataType,
    fraction: f64,
    keeps_nulls: bool,
    continuous: bool,
}

impl Accumulator for Values {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        if let [values, ..] = values {
            self.batches.push(Arc::clone(values));
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let batches: Vec<&dyn Array> = self.batches.iter().map(AsRef::as_ref).collect();
        let values = if batches.is_empty() {
            new_empty_array(&self.result)
        } else {
            concat(&batches)?
        };
        // NULLs come first, so leaving them out is leaving out the first ones.
        let ranks = ranks(&values)?;
        let skipped = if self.keeps_nulls {
            0
        } else {
            values.null_count()
        };
        let ranks = ranks.values().get(skipped..).unwrap_or_default();
        let Some(last) = ranks.len().checked_sub(1) else {
            return ScalarValue::try_from(&self.result);
        };
        let at = |rank: usize| match ranks.get(rank.min(last)) {
            Some(index) => ScalarValue::try_from_array(&values, *index as usize),
            None => internal_err!("a rank without a value"),
        };
        if !self.continuous {
            let (below, [_, above]) = position(self.fraction, ranks.len());
            let rank = if above > 0.0 {
                below
            } else {
                below.saturating_sub(1)
            };
            return at(rank);
        }
        let number = |rank: usize| match at(rank)? {
            ScalarValue::Float64(value) => Ok(value),
            other => internal_err!("PERCENTILE_CONT of {other:?}"),
        };
        let (below, [left, right]) = position(self.fraction, last);
        let low = number(below)?;
        let high = if right > 0.0 { number(below + 1)? } else { low };
        Ok(ScalarValue::Float64(match (low, high) {
            (Some(low), Some(high)) if right > 0.0 => Some(low * left + high * right),
            (low, high) => low.or(high),
        }))
    }

    fn size(&self) -> usize {
        let held: usize = self
            .batches
            .iter()
            .map(|batch| batch.get_array_memory_size())
            .sum();
        size_of_val(self) + held
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        internal_err!("a function of windows has no state")
    }

    fn merge_batch(&mut self, _states: &[ArrayRef]) -> Result<()> {
        internal_err!("a function of windows has no state")
    }
}

/// Returns where the values are in ascending order: NULL first, then NaN.
fn ranks(values: &ArrayRef) -> Result<UInt32Array> {
    let Some(floats) = values.as_primitive_opt::<Float64Type>() else {
        let first = SortOptions {
            descending: false,
            nulls_first: true,
        };
        return Ok(sort_to_indices(values, Some(first), None)?);
    };
    let mut keyed: Vec<(Option<f64>, u32)> = floats.iter().zip(0_u32..).collect();
    keyed.sort_by(|(a, _), (b, _)| match (a, b) {
        (Some(a), Some(b)) => match (a.is_nan(), b.is_nan()) {
            (false, false) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
            (a, b) => b.cmp(&a),
        },
        (a, b) => a.is_some().cmp(&b.is_some()),
    });
    Ok(keyed.into_iter().map(|(_, index)| index).collect())
}

/// Returns a fraction, from 0 to 1, of a count as its whole part and the weights of the values there and behind:
/// exactly, because the nearest FLOAT64 of 0.1 times 10 is more than 1. The smaller weight is the nearest FLOAT64,
/// as GoogleSQL's evaluator has it, and the other what is left of 1.
fn position(fraction: f64, count: usize) -> (usize, [f64; 2]) {
    const MANTISSA: u32 = 52;
    let bits = fraction.to_bits();
    let exponent = u32::try_from(bits >> MANTISSA & 0x7ff).unwrap_or_default();
    let mantissa = (bits & ((1 << MANTISSA) - 1)) | u64::from(exponent > 0) << MANTISSA;
    // The fraction is the mantissa by 2 to the power of minus this.
    let shift = 1_075 - exponent.max(1);
    let power = i32::try_from(shift).unwrap_or(i32::MAX);
    let weight = |parts: u128| parts as f64 * 2.0_f64.powi(-power);
    let product = u128::from(mantissa) * count as u128;
    let (Some(whole), Some(one)) = (product.checked_shr(shift), 1_u128.checked_shl(shift)) else {
        let right = weight(product);
        return (0, [1.0 - right, right]);
    };
    let rest = product & (one - 1);
    let weights = if rest < one - rest {
        let right = weight(rest);
        [1.0 - right, right]
    } else {
        let left = weight(one - rest);
        [left, 1.0 - left]
    };
    (usize::try_from(whole).unwrap_or(usize::MAX), weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_exact() {
        for (fraction, count, whole, has_rest) in [
            (0.0, 10, 0, false),
            (1.0, 10, 10, false),
            (0.5, 10, 5, false),
            (0.1, 10, 1, true),
            (0.3, 10, 2, true),
            (0.7, 10, 6, true),
        ] {
            let (found, [left, right]) = position(fraction, count);
            assert!(left > 0.0, "{fraction} of {count}");
            assert_eq!(
                (found, right > 0.0),
                (whole, has_rest),
                "{fraction} of {count}"
            );
        }
    }
}
