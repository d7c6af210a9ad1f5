//! Aggregate functions over the rows of a window: `sum_over(value)` and so on, each named as in GoogleSQL.
//!
//! The engine takes the values that leave a frame off what all came to. Some of its functions cannot do that, and
//! others round the rest away, so these are ours: over the frames that begin with the partition, too.

mod lists;
mod pieces;
mod stacks;
mod texts;

use std::fmt::Debug;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Float64Array};
use arrow::datatypes::{DataType, Field, FieldRef, Float64Type};
use datafusion::common::{DataFusionError, ScalarValue, internal_err};
use datafusion::error::Result;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility,
};
use datafusion::physical_expr::expressions::Literal;

use super::exact_sum::ExactSum;
use super::fault::EvaluationError;
use crate::warehouse::embedded::budget;

use lists::Lists;
use pieces::{AllBits, AllTrue, AnyBit, AnyTrue, Pairs, Piece, Spread, present};
use stacks::Stacks;
use texts::Texts;

/// Returns the aggregate functions of this module.
pub(super) fn all() -> Vec<AggregateUDF> {
    FUNCTIONS
        .iter()
        .map(|function| {
            AggregateUDF::new_from_impl(Over {
                function,
                signature: Signature::variadic_any(Volatility::Immutable),
            })
        })
        .collect()
}

/// Makes the accumulator of a partition; told whether rows leave its frame.
type Maker = fn(&AccumulatorArgs<'_>, bool) -> Result<Box<dyn Accumulator>>;

/// The type of a result.
#[derive(Debug)]
enum Returns {
    Always(DataType),
    /// A list of the first argument.
    List,
}

use Returns::{Always, List};

/// A function with its result and its accumulator.
#[derive(Debug)]
struct Function(&'static str, Returns, Maker);

static FUNCTIONS: &[Function] = &[
    Function("sum_over", Always(DataType::Float64), |_, _| {
        Ok(Box::new(Sum::of(|sum, _| sum)))
    }),
    Function("avg_over", Always(DataType::Float64), |_, _| {
        Ok(Box::new(Sum::of(|sum, count| sum / count)))
    }),
    Function("logical_and_over", Always(DataType::Boolean), |_, moves| {
        joined(moves, AllTrue::value)
    }),
    Function("logical_or_over", Always(DataType::Boolean), |_, moves| {
        joined(moves, AnyTrue::value)
    }),
    Function("bit_and_over", Always(DataType::Int64), |_, moves| {
        joined(moves, AllBits::value)
    }),
    Function("bit_or_over", Always(DataType::Int64), |_, moves| {
        joined(moves, AnyBit::value)
    }),
    Function("var_pop_over", Always(DataType::Float64), |_, moves| {
        joined(moves, |rows: Spread| rows.variance(0).map(float))
    }),
    Function("var_samp_over", Always(DataType::Float64), |_, moves| {
        joined(moves, |rows: Spread| rows.variance(1).map(float))
    }),
    Function("stddev_pop_over", Always(DataType::Float64), |_, moves| {
        joined(moves, |rows: Spread| rows.deviation(0).map(float))
    }),
    Function("stddev_samp_over", Always(DataType::Float64), |_, moves| {
        joined(moves, |rows: Spread| rows.deviation(1).map(float))
    }),
    Function("covar_pop_over", Always(DataType::Float64), |_, moves| {
        joined(moves, |rows: Pairs| Ok(float(rows.covariance(0))))
    }),
    Function("covar_samp_over", Always(DataType::Float64), |_, moves| {
        joined(moves, |rows: Pairs| Ok(float(rows.covariance(1))))
    }),
    Function("corr_over", Always(DataType::Float64), |_, moves| {
        joined(moves, |rows: Pairs| Ok(float(rows.correlation())))
    }),
    Function("string_agg_over", Always(DataType::Utf8), |args, _| {
        Ok(Box::new(Texts::of(args)?))
    }),
    Function("array_agg_over", List, |args, _| {
        Ok(Box::new(Lists::of(args)?))
    }),
];

/// A [`Function`] as the engine sees it.
#[derive(Debug)]
struct Over {
    function: &'static Function,
    signature: Signature,
}

impl PartialEq for Over {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Over {}

impl std::hash::Hash for Over {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl AggregateUDFImpl for Over {
    fn name(&self) -> &str {
        self.function.0
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        match (&self.function.1, arg_types) {
            (Always(result), _) => Ok(result.clone()),
            (List, [element, ..]) => {
                let field = Field::new_list_field(element.clone(), true);
                Ok(DataType::List(Arc::new(field)))
            }
            (List, []) => internal_err!("{} takes arguments", self.name()),
        }
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        (self.function.2)(&args, false)
    }

    fn create_sliding_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        (self.function.2)(&args, true)
    }

    fn state_fields(&self, _: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        no_state()
    }
}

/// A function of windows is computed at one place.
fn no_state<T>() -> Result<T> {
    internal_err!("a function of windows has no state")
}

/// What finite values come to is beyond all FLOAT64 values.
fn overflow<T>() -> Result<T> {
    Err(DataFusionError::External(Box::new(EvaluationError(
        "double overflow".to_owned(),
    ))))
}

/// Returns whether all rows of a partition have the same frame, as the last argument says.
fn is_whole(args: &AccumulatorArgs<'_>) -> Result<bool> {
    let whole = args
        .exprs
        .last()
        .and_then(|at| at.downcast_ref::<Literal>());
    match whole.map(Literal::value) {
        Some(ScalarValue::Boolean(Some(whole))) => Ok(*whole),
        _ => internal_err!("the last argument is a literal"),
    }
}

fn float(value: Option<f64>) -> ScalarValue {
    ScalarValue::Float64(value)
}

/// SUM or AVG of FLOAT64 values.
#[derive(Debug)]
struct Sum {
    sum: ExactSum,
    count: usize,
    result: fn(f64, f64) -> f64,
}

impl Sum {
    fn of(result: fn(f64, f64) -> f64) -> Self {
        Self {
            sum: ExactSum::default(),
            count: 0,
            result,
        }
    }
}

fn floats(values: &[ArrayRef]) -> Result<&Float64Array> {
    match values
        .first()
        .and_then(|v| v.as_primitive_opt::<Float64Type>())
    {
        Some(values) => Ok(values),
        None => internal_err!("a function of FLOAT64 values gets others"),
    }
}

impl Accumulator for Sum {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for value in floats(values)?.iter().flatten() {
            self.sum.add(value);
            self.count += 1;
        }
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for value in floats(values)?.iter().flatten() {
            self.sum.remove(value);
            self.count -= 1;
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        budget::charge(0)?;
        if self.count == 0 {
            return Ok(float(None));
        }
        match self.sum.value() {
            Some(sum) => Ok(float(Some((self.result)(sum, self.count as f64)))),
            None => overflow(),
        }
    }

    fn size(&self) -> usize {
        size_of_val(self)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        no_state()
    }

    fn merge_batch(&mut self, _: &[ArrayRef]) -> Result<()> {
        no_state()
    }
}

/// What the pieces of the rows in a frame come to.
#[derive(Debug)]
struct Joined<P> {
    pieces: Stacks<P>,
    value: fn(P) -> Result<ScalarValue>,
}

fn joined<P: Piece>(
    moves: bool,
    value: fn(P) -> Result<ScalarValue>,
) -> Result<Box<dyn Accumulator>> {
    Ok(Box::new(Joined {
        pieces: Stacks::new(moves),
        value,
    }))
}

impl<P: Piece> Accumulator for Joined<P> {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        P::each(values, |piece| self.pieces.push(piece))
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.pieces.pop(present(values));
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        budget::charge(0)?;
        match self.pieces.total() {
            Some(total) => (self.value)(total),
            None => Ok(P::NULL),
        }
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.pieces.size()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        no_state()
    }

    fn merge_batch(&mut self, _: &[ArrayRef]) -> Result<()> {
        no_state()
    }
}
