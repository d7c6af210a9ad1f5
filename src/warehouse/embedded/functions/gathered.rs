//! What aggregate functions become that the engine does not have: functions of the list of a group's values.
//! No query can name them.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, ListArray, StructArray, UInt64Array};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::compute::{CastOptions, cast_with_options, partition, sort_to_indices, take};
use arrow::datatypes::{DataType, Field, FieldRef, Fields, Float64Type, Int64Type};
use datafusion::common::{ScalarValue, exec_err, plan_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use super::column::list_bounds;
use super::fault::EvaluationError;
use super::value::{Kind, MAX_ELEMENTS};

/// Returns the functions of this module.
pub(super) fn all() -> Vec<ScalarUDF> {
    vec![
        ScalarUDF::new_from_impl(ArrayFlatten {
            signature: Signature::any(1, Volatility::Immutable),
        }),
        ScalarUDF::new_from_impl(TopCount {
            signature: Signature::any(2, Volatility::Immutable),
        }),
        ScalarUDF::new_from_impl(FiniteSum {
            signature: Signature::any(2, Volatility::Immutable),
        }),
        ScalarUDF::new_from_impl(NarrowNumeric {
            signature: Signature::any(1, Volatility::Immutable),
        }),
    ]
}

fn item(ty: DataType) -> FieldRef {
    Arc::new(Field::new_list_field(ty, true))
}

/// `array_flatten(lists)`: the elements of the lists of a list, as ARRAY_CONCAT_AGG gives them; NULL of none.
#[derive(Debug, PartialEq, Eq, Hash)]
struct ArrayFlatten {
    signature: Signature,
}

impl ScalarUDFImpl for ArrayFlatten {
    fn name(&self) -> &'static str {
        "array_flatten"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        match arg_types {
            [DataType::List(field)] if matches!(field.data_type(), DataType::List(_)) => {
                Ok(field.data_type().clone())
            }
            _ => plan_err!("array_flatten takes a list of lists"),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [value] = args.args.as_slice() else {
            return exec_err!("array_flatten takes a list of lists");
        };
        let array = value.to_array(args.number_rows)?;
        let Some(outer) = array.as_list_opt::<i32>() else {
            return exec_err!("array_flatten takes a list of lists");
        };
        let Some(inner) = outer.values().as_list_opt::<i32>() else {
            return exec_err!("array_flatten takes a list of lists");
        };
        let mut positions: Vec<u64> = Vec::new();
        let mut lengths = Vec::with_capacity(outer.len());
        let mut present = Vec::with_capacity(outer.len());
        for row in 0..outer.len() {
            let (start, end) = list_bounds(outer, row);
            let before = positions.len();
            for at in start..end {
                let (first, last) = list_bounds(inner, at);
                positions.extend((first as u64)..(last as u64));
            }
            let length = positions.len() - before;
            if length > MAX_ELEMENTS {
                return Err(DataFusionError::External(Box::new(EvaluationError(
                    "the array is too long".to_owned(),
                ))));
            }
            lengths.push(length);
            present.push(outer.is_valid(row) && end > start);
        }
        let values = take(inner.values(), &UInt64Array::from(positions), None)?;
        Ok(ColumnarValue::Array(Arc::new(ListArray::try_new(
            item(values.data_type().clone()),
            OffsetBuffer::from_lengths(lengths),
            values,
            Some(NullBuffer::from(present)),
        )?)))
    }
}

/// `finite_sum(sum, special)`: a sum of FLOAT64 values, or an error where it is infinite or NaN and none of the
/// values is, which is when `special` is not 1.
#[derive(Debug, PartialEq, Eq, Hash)]
struct FiniteSum {
    signature: Signature,
}

impl ScalarUDFImpl for FiniteSum {
    fn name(&self) -> &'static str {
        "finite_sum"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [sum, special] = args.args.as_slice() else {
            return exec_err!("finite_sum takes a sum and a number");
        };
        let sums = sum.to_array(args.number_rows)?;
        let special = special.to_array(args.number_rows)?;
        let (Some(values), Some(special)) = (
            sums.as_primitive_opt::<Float64Type>(),
            special.as_primitive_opt::<Int64Type>(),
        ) else {
            return exec_err!("finite_sum takes a sum and a number");
        };
        let overflows = values.iter().zip(special).any(|(value, special)| {
            value.is_some_and(|value| !value.is_finite()) && special != Some(1)
        });
        if overflows {
            return Err(DataFusionError::External(Box::new(EvaluationError(
                "double overflow".to_owned(),
            ))));
        }
        Ok(ColumnarValue::Array(sums))
    }
}

/// `narrow_numeric(value)`: a wider decimal as NUMERIC, rounded half away from zero, or an error where it is
/// none.
#[derive(Debug, PartialEq, Eq, Hash)]
struct NarrowNumeric {
    signature: Signature,
}

impl ScalarUDFImpl for NarrowNumeric {
    fn name(&self) -> &'static str {
        "narrow_numeric"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(Kind::Numeric.data_type())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [value] = args.args.as_slice() else {
            return exec_err!("narrow_numeric takes a value");
        };
        let options = CastOptions {
            safe: false,
            ..CastOptions::default()
        };
        let wide = value.to_array(args.number_rows)?;
        match cast_with_options(&wide, &Kind::Numeric.data_type(), &options) {
            Ok(narrow) => Ok(ColumnarValue::Array(narrow)),
            Err(_) => Err(DataFusionError::External(Box::new(EvaluationError(
                "numeric overflow".to_owned(),
            )))),
        }
    }
}

/// `top_count(list, number)`: the most frequent values of a list, each as a record with its count, the most
/// frequent first. NULL counts as a value.
#[derive(Debug, PartialEq, Eq, Hash)]
struct TopCount {
    signature: Signature,
}

impl TopCount {
    fn fields(value: &DataType) -> Fields {
        vec![
            Field::new("value", value.clone(), true),
            Field::new("count", DataType::Int64, true),
        ]
        .into()
    }
}

impl ScalarUDFImpl for TopCount {
    fn name(&self) -> &'static str {
        "top_count"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        match arg_types {
            [DataType::List(field), _] => {
                let record = DataType::Struct(Self::fields(field.data_type()));
                Ok(DataType::List(item(record)))
            }
            _ => plan_err!("top_count takes a list and a number"),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [list, ColumnarValue::Scalar(ScalarValue::Int64(Some(most)))] = args.args.as_slice()
        else {
            return exec_err!("top_count takes a list and a number");
        };
        let most = usize::try_from(*most).unwrap_or_default();
        let array = list.to_array(args.number_rows)?;
        let Some(lists) = array.as_list_opt::<i32>() else {
            return exec_err!("top_count takes a list and a number");
        };
        let mut positions: Vec<u64> = Vec::new();
        let mut counts: Vec<i64> = Vec::new();
        let mut lengths = Vec::with_capacity(lists.len());
        let mut present = Vec::with_capacity(lists.len());
        for row in 0..lists.len() {
            let (start, end) = list_bounds(lists, row);
            let values = lists.values().slice(start, end - start);
            let groups = if values.is_empty() {
                Vec::new()
            } else {
                frequencies(&values)?
            };
            let top = groups.iter().take(most);
            lengths.push(top.len());
            present.push(!groups.is_empty());
            for (first, count) in top {
                positions.push((start + first) as u64);
                counts.push(i64::try_from(*count).unwrap_or(i64::MAX));
            }
        }
        let values = take(lists.values(), &UInt64Array::from(positions), None)?;
        let fields = Self::fields(values.data_type());
        let counts: ArrayRef = Arc::new(Int64Array::from(counts));
        let records = StructArray::try_new(fields, vec![values, counts], None)?;
        Ok(ColumnarValue::Array(Arc::new(ListArray::try_new(
            item(records.data_type().clone()),
            OffsetBuffer::from_lengths(lengths),
            Arc::new(records),
            Some(NullBuffer::from(present)),
        )?)))
    }
}

/// Returns the distinct values, each as the place of one of them and how many there are; the most frequent
/// first, and the least first among the equally frequent.
fn frequencies(values: &ArrayRef) -> Result<Vec<(usize, usize)>> {
    let order = sort_to_indices(values, None, None)?;
    let sorted = take(values, &order, None)?;
    let mut groups: Vec<(usize, usize)> = partition(&[sorted])?
        .ranges()
        .into_iter()
        .filter_map(|range| {
            let first = order.values().get(range.start)?;
            Some((*first as usize, range.len()))
        })
        .collect();
    groups.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    Ok(groups)
}
