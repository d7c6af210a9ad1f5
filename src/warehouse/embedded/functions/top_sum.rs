//! What APPROX_TOP_SUM becomes: `top_sum(list, number)`, of the list of a group's values with their weights. No
//! query can name it.
//!
//! Source: BigQuery reference, "Approximate aggregate functions".

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, Decimal128Array, Float64Array, Int64Array, ListArray, StructArray,
    UInt32Array, UInt64Array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::compute::{
    SortColumn, SortOptions, concat, lexsort_to_indices, partition, sort_to_indices, take,
};
use arrow::datatypes::{
    DataType, Decimal128Type, Field, FieldRef, Fields, Float64Type, Int64Type, UInt32Type,
};
use datafusion::common::{ScalarValue, exec_err, plan_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use super::column::list_bounds;
use super::decimal;
use super::exact_sum::ExactSum;
use super::fault::EvaluationError;
use super::value::Kind;

/// Returns the function.
pub(super) fn function() -> ScalarUDF {
    ScalarUDF::new_from_impl(TopSum {
        signature: Signature::any(2, Volatility::Immutable),
    })
}

/// `top_sum(list, number)`: of a list of records of a value and a weight, the values with the greatest sums of
/// weights, each as a record with its sum, the greatest first. NULL counts as a value, and a sum of no weights comes
/// last.
#[derive(Debug, PartialEq, Eq, Hash)]
struct TopSum {
    signature: Signature,
}

fn item(ty: DataType) -> FieldRef {
    Arc::new(Field::new_list_field(ty, true))
}

fn fields(value: &DataType, sum: &DataType) -> Fields {
    Fields::from(vec![
        Field::new("value", value.clone(), true),
        Field::new("sum", sum.clone(), true),
    ])
}

fn failure<T>(message: &str) -> Result<T> {
    Err(DataFusionError::External(Box::new(EvaluationError(
        message.to_owned(),
    ))))
}

impl ScalarUDFImpl for TopSum {
    fn name(&self) -> &'static str {
        "top_sum"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        if let [DataType::List(field), _] = arg_types
            && let DataType::Struct(record) = field.data_type()
            && let [value, weight] = record.iter().as_slice()
        {
            let record = DataType::Struct(fields(value.data_type(), weight.data_type()));
            return Ok(DataType::List(item(record)));
        }
        plan_err!("top_sum takes a list of pairs and a number")
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [list, ColumnarValue::Scalar(ScalarValue::Int64(Some(most)))] = args.args.as_slice()
        else {
            return exec_err!("top_sum takes a list and a number");
        };
        let most = usize::try_from(*most).unwrap_or_default();
        let array = list.to_array(args.number_rows)?;
        let Some(lists) = array.as_list_opt::<i32>() else {
            return exec_err!("top_sum takes a list and a number");
        };
        let Some([values, weights]) = lists.values().as_struct_opt().map(StructArray::columns)
        else {
            return exec_err!("top_sum takes a list of pairs");
        };
        let mut positions: Vec<u64> = Vec::new();
        let mut sums: Vec<ArrayRef> = vec![weights.slice(0, 0)];
        let mut lengths = Vec::with_capacity(lists.len());
        for row in 0..lists.len() {
            let (start, end) = list_bounds(lists, row);
            let (firsts, top) = top(
                &values.slice(start, end - start),
                &weights.slice(start, end - start),
                most,
            )?;
            lengths.push(firsts.len());
            positions.extend(firsts.iter().map(|first| start as u64 + u64::from(*first)));
            sums.push(top);
        }
        let values = take(values, &UInt64Array::from(positions), None)?;
        let sums: Vec<&dyn Array> = sums.iter().map(AsRef::as_ref).collect();
        let sums = concat(&sums)?;
        let fields = fields(values.data_type(), sums.data_type());
        let records = StructArray::try_new(fields, vec![values, sums], None)?;
        // A group of no rows has no list.
        let present: NullBuffer = lengths.iter().map(|length| *length > 0).collect();
        Ok(ColumnarValue::Array(Arc::new(ListArray::try_new(
            item(records.data_type().clone()),
            OffsetBuffer::from_lengths(lengths),
            Arc::new(records),
            Some(present),
        )?)))
    }
}

/// Returns the places of the values with the greatest sums, and these sums; of equal ones the least value first.
fn top(values: &ArrayRef, weights: &ArrayRef, most: usize) -> Result<(Vec<u32>, ArrayRef)> {
    if values.is_empty() {
        return Ok((Vec::new(), Arc::clone(weights)));
    }
    let order = sort_to_indices(values, None, None)?;
    let sorted = take(values, &order, None)?;
    let ranges = partition(&[sorted])?.ranges();
    let sums = sums(&take(weights, &order, None)?, &ranges)?;
    let firsts: UInt32Array = ranges
        .iter()
        .map(|range| order.values().get(range.start).copied())
        .collect();
    let ranked = lexsort_to_indices(
        &[
            SortColumn {
                values: Arc::clone(&sums),
                options: Some(SortOptions {
                    descending: true,
                    nulls_first: false,
                }),
            },
            SortColumn {
                values: Arc::new(UInt32Array::from_iter_values(0..ranges.len() as u32)),
                options: None,
            },
        ],
        Some(most),
    )?;
    let firsts = take(&firsts, &ranked, None)?;
    let firsts = firsts.as_primitive::<UInt32Type>();
    Ok((firsts.values().to_vec(), take(&sums, &ranked, None)?))
}

/// Returns the sum of the weights in each range, NULL where there is none.
fn sums(weights: &ArrayRef, ranges: &[Range<usize>]) -> Result<ArrayRef> {
    if let Some(weights) = weights.as_primitive_opt::<Int64Type>() {
        let sums = ranges.iter().map(|range| {
            let part = weights.slice(range.start, range.len());
            sum(part.iter().flatten(), 0, |sum: i64, weight| {
                sum.checked_add(weight)
            })
        });
        return Ok(Arc::new(sums.collect::<Result<Int64Array>>()?));
    }
    if let Some(weights) = weights.as_primitive_opt::<Decimal128Type>() {
        let sums = ranges.iter().map(|range| {
            let part = weights.slice(range.start, range.len());
            sum(part.iter().flatten(), 0, |sum: i128, weight| {
                sum.checked_add(weight).and_then(decimal::checked)
            })
        });
        let sums = sums.collect::<Result<Decimal128Array>>()?;
        return Ok(Arc::new(sums.with_data_type(Kind::Numeric.data_type())));
    }
    let Some(weights) = weights.as_primitive_opt::<Float64Type>() else {
        return exec_err!("top_sum takes numbers as weights");
    };
    let sums = ranges.iter().map(|range| {
        let part = weights.slice(range.start, range.len());
        if part.iter().flatten().any(f64::is_nan) {
            return failure("a weight is NaN");
        }
        let exact = sum(
            part.iter().flatten(),
            ExactSum::default(),
            |mut sum, weight: f64| {
                sum.add(weight);
                Some(sum)
            },
        )?;
        match exact.map(|mut sum| sum.value()) {
            None => Ok(None),
            Some(Some(sum)) => Ok(Some(sum)),
            Some(None) => failure("double overflow"),
        }
    });
    Ok(Arc::new(sums.collect::<Result<Float64Array>>()?))
}

/// Adds weights up, none of which may be negative; `None` of none.
fn sum<W: PartialOrd + Default, S>(
    weights: impl Iterator<Item = W>,
    zero: S,
    add: impl Fn(S, W) -> Option<S>,
) -> Result<Option<S>> {
    let mut sum = zero;
    let mut any = false;
    for weight in weights {
        if weight < W::default() {
            return failure("a weight is negative");
        }
        any = true;
        sum = match add(sum, weight) {
            Some(sum) => sum,
            None => return failure("overflow of the sum of weights"),
        };
    }
    Ok(any.then_some(sum))
}

#[cfg(test)]
mod tests {
    use arrow::array::StringArray;

    use super::*;

    type Pairs<'a, W> = &'a [(Option<&'a str>, Option<W>)];
    type Sums<'a> = &'a [(Option<&'a str>, &'a str)];

    fn tops<W: Copy, A>(pairs: Pairs<'_, W>, most: usize) -> Result<Vec<(Option<String>, String)>>
    where
        A: Array + FromIterator<Option<W>> + 'static,
    {
        let values: StringArray = pairs.iter().map(|(value, _)| *value).collect();
        let weights: A = pairs.iter().map(|(_, weight)| *weight).collect();
        let (values, weights): (ArrayRef, ArrayRef) = (Arc::new(values), Arc::new(weights));
        let (places, sums) = top(&values, &weights, most)?;
        let name = |place: &u32| pairs[*place as usize].0.map(str::to_owned);
        let sum = |at: usize| arrow::util::display::array_value_to_string(&sums, at);
        let tops = places.iter().enumerate();
        tops.map(|(at, place)| Ok((name(place), sum(at)?)))
            .collect()
    }

    #[test]
    fn the_greatest_sums_come_first() {
        let (apple, pear, banana) = (Some("apple"), Some("pear"), Some("banana"));
        let cases: [(Pairs<'_, i64>, usize, Sums<'_>); 6] = [
            (
                &[
                    (apple, Some(3)),
                    (pear, Some(2)),
                    (apple, Some(0)),
                    (banana, Some(5)),
                    (pear, Some(4)),
                ],
                2,
                &[(pear, "6"), (banana, "5")],
            ),
            (
                &[(apple, None), (pear, Some(0)), (pear, None)],
                2,
                &[(pear, "0"), (apple, "")],
            ),
            (
                &[(apple, Some(0)), (None, Some(2))],
                2,
                &[(None, "2"), (apple, "0")],
            ),
            (
                &[(apple, Some(0)), (None, None)],
                2,
                &[(apple, "0"), (None, "")],
            ),
            (
                &[(pear, Some(1)), (apple, Some(1)), (None, Some(1))],
                9,
                &[(None, "1"), (apple, "1"), (pear, "1")],
            ),
            (&[], 2, &[]),
        ];
        for (pairs, most, expected) in cases {
            let expected: Vec<_> = expected
                .iter()
                .map(|(value, sum)| (value.map(str::to_owned), (*sum).to_owned()))
                .collect();
            assert_eq!(
                tops::<_, Int64Array>(pairs, most).unwrap(),
                expected,
                "{pairs:?}"
            );
        }
    }

    #[test]
    fn weights_are_added_exactly_or_refused() {
        let a = Some("a");
        let large = [(a, Some(1e308)), (a, Some(1e308))];
        assert!(tops::<_, Float64Array>(&large, 1).is_err());
        for weight in [f64::NAN, -1.0, f64::NEG_INFINITY] {
            assert!(tops::<_, Float64Array>(&[(a, Some(weight))], 1).is_err());
        }
        let tenths = [(a, Some(0.1)), (a, Some(0.2)), (a, Some(0.3))];
        let sums = tops::<_, Float64Array>(&tenths, 1).unwrap();
        assert_eq!(sums, [(Some("a".to_owned()), "0.6".to_owned())]);
        let infinite = [(a, Some(f64::INFINITY)), (a, Some(1.0))];
        let sums = tops::<_, Float64Array>(&infinite, 1).unwrap();
        assert_eq!(sums, [(Some("a".to_owned()), "inf".to_owned())]);
        assert!(tops::<_, Int64Array>(&[(a, Some(i64::MAX)), (a, Some(1))], 1).is_err());
        assert!(tops::<_, Int64Array>(&[(a, Some(-1))], 1).is_err());
        let decimals = [(a, Some(10_i128.pow(38) - 1)), (a, Some(1))];
        assert!(tops::<_, Decimal128Array>(&decimals, 1).is_err());
    }
}
