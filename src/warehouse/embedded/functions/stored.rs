//! Functions that the compiler's printer needs, which no query can name.
//!
//! An array that never holds more than one element is stored as that element, NULL when it is empty.
//! `only_element` reads such an array like `array[0]`; `as_lists` makes it an ordinary list again.
//! The others finish what the engine has only a part of, or has with another meaning.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, BooleanBuilder, Int64Array, ListArray, Scalar,
    StructArray, UInt64Array, new_empty_array,
};
use arrow::buffer::OffsetBuffer;
use arrow::compute::kernels::cmp::eq;
use arrow::compute::{
    SortColumn, SortOptions, cast, filter, is_not_null, lexsort_to_indices, sort_to_indices, take,
};
use arrow::datatypes::{DataType, Field, FieldRef, Fields, Float64Type};
use datafusion::common::{ScalarValue, exec_err, plan_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};

use super::fault::EvaluationError;

/// The most parts that `quantiles` makes; the compiler's own limit is the same.
const MOST_QUANTILES: usize = 10_000;

/// Returns the functions of this module.
pub(super) fn all() -> Vec<ScalarUDF> {
    vec![
        ScalarUDF::new_from_impl(OnlyElement {
            signature: Signature::any(1, Volatility::Immutable),
        }),
        ScalarUDF::new_from_impl(AsLists {
            signature: Signature::any(2, Volatility::Immutable),
        }),
        ScalarUDF::new_from_impl(Quantiles {
            signature: Signature::any(2, Volatility::Immutable),
        }),
        ScalarUDF::new_from_impl(Ordered {
            signature: Signature::any(2, Volatility::Immutable),
        }),
        ScalarUDF::new_from_impl(CompareFloat64 {
            signature: Signature::exact(
                vec![DataType::Float64, DataType::Float64],
                Volatility::Immutable,
            ),
        }),
        ScalarUDF::new_from_impl(InArray {
            signature: Signature::any(2, Volatility::Immutable),
        }),
    ]
}

/// `only_element(value)`: the value, or an error where it is NULL.
#[derive(Debug, PartialEq, Eq, Hash)]
struct OnlyElement {
    signature: Signature,
}

impl ScalarUDFImpl for OnlyElement {
    fn name(&self) -> &'static str {
        "only_element"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        match arg_types {
            [ty] => Ok(ty.clone()),
            _ => plan_err!("only_element takes one argument"),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [value] = args.args.as_slice() else {
            return exec_err!("only_element takes one argument");
        };
        let empty = match value {
            ColumnarValue::Array(array) => array.null_count() > 0,
            ColumnarValue::Scalar(scalar) => scalar.is_null(),
        };
        if empty {
            return Err(DataFusionError::External(Box::new(EvaluationError(
                "array index is out of bounds".to_owned(),
            ))));
        }
        Ok(value.clone())
    }
}

/// `as_lists(value, shape)`: the value with every array an ordinary list. The shape says which parts are
/// stored as their only element: `?` before such an array, `*` before a list, a STRUCT as its fields in
/// parentheses, `.` for anything else.
#[derive(Debug, PartialEq, Eq, Hash)]
struct AsLists {
    signature: Signature,
}

impl ScalarUDFImpl for AsLists {
    fn name(&self) -> &'static str {
        "as_lists"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        plan_err!("as_lists needs its shape")
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let ([value, _], [_, Some(shape)]) = (args.arg_fields, args.scalar_arguments) else {
            return plan_err!("as_lists takes a value and a shape");
        };
        let shape = Shape::parse(shape)?;
        Ok(Arc::new(Field::new(
            self.name(),
            shape.list_type(value.data_type())?,
            true,
        )))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [value, ColumnarValue::Scalar(shape)] = args.args.as_slice() else {
            return exec_err!("as_lists takes a value and a shape");
        };
        let shape = Shape::parse(shape)?;
        Ok(match value {
            ColumnarValue::Array(array) => ColumnarValue::Array(shape.lists(array)?),
            ColumnarValue::Scalar(scalar) => {
                let lists = shape.lists(&scalar.to_array()?)?;
                ColumnarValue::Scalar(ScalarValue::try_from_array(&lists, 0)?)
            }
        })
    }
}

/// How a value is stored.
#[derive(Debug)]
enum Shape {
    Leaf,
    Only(Box<Shape>),
    List(Box<Shape>),
    Record(Vec<Shape>),
}

impl Shape {
    fn parse(text: &ScalarValue) -> Result<Self> {
        let text = match text {
            ScalarValue::Utf8(Some(text)) | ScalarValue::Utf8View(Some(text)) => text,
            _ => return plan_err!("a shape is a text"),
        };
        let mut rest = text.chars();
        match Self::next(&mut rest) {
            Some(shape) if rest.next().is_none() => Ok(shape),
            _ => plan_err!("a malformed shape"),
        }
    }

    fn next(rest: &mut std::str::Chars<'_>) -> Option<Self> {
        Some(match rest.next()? {
            '.' => Shape::Leaf,
            '?' => Shape::Only(Box::new(Self::next(rest)?)),
            '*' => Shape::List(Box::new(Self::next(rest)?)),
            '(' => {
                let mut fields = Vec::new();
                while !rest.as_str().starts_with(')') {
                    fields.push(Self::next(rest)?);
                }
                rest.next();
                Shape::Record(fields)
            }
            _ => return None,
        })
    }

    fn list_type(&self, ty: &DataType) -> Result<DataType> {
        Ok(match (self, ty) {
            (Shape::Leaf, ty) => ty.clone(),
            (Shape::Only(element), ty) => DataType::List(item(element.list_type(ty)?)),
            (Shape::List(element), DataType::List(field)) => {
                DataType::List(item(element.list_type(field.data_type())?))
            }
            (Shape::Record(shapes), DataType::Struct(fields)) if shapes.len() == fields.len() => {
                let fields: Result<Fields> = shapes
                    .iter()
                    .zip(fields)
                    .map(|(shape, field)| {
                        let ty = shape.list_type(field.data_type())?;
                        Ok(Field::new(field.name(), ty, true))
                    })
                    .collect();
                DataType::Struct(fields?)
            }
            (_, ty) => return plan_err!("a shape that does not fit {ty}"),
        })
    }

    fn lists(&self, array: &ArrayRef) -> Result<ArrayRef> {
        match self {
            Shape::Leaf => Ok(array.clone()),
            Shape::Only(element) => {
                let present = is_not_null(array)?;
                let elements = element.lists(&filter(array, &present)?)?;
                let lengths = present.values().iter().map(usize::from);
                let offsets = OffsetBuffer::from_lengths(lengths);
                let field = item(elements.data_type().clone());
                Ok(Arc::new(ListArray::try_new(
                    field, offsets, elements, None,
                )?))
            }
            Shape::List(element) => {
                let Some(list) = array.as_list_opt::<i32>() else {
                    return exec_err!("a shape that does not fit {}", array.data_type());
                };
                let elements = element.lists(list.values())?;
                let field = item(elements.data_type().clone());
                let nulls = list.nulls().cloned();
                Ok(Arc::new(ListArray::try_new(
                    field,
                    list.offsets().clone(),
                    elements,
                    nulls,
                )?))
            }
            Shape::Record(shapes) => {
                let Some(record) = array.as_struct_opt() else {
                    return exec_err!("a shape that does not fit {}", array.data_type());
                };
                let columns: Result<Vec<ArrayRef>> = shapes
                    .iter()
                    .zip(record.columns())
                    .map(|(shape, column)| shape.lists(column))
                    .collect();
                let DataType::Struct(fields) = self.list_type(array.data_type())? else {
                    return Ok(new_empty_array(array.data_type()));
                };
                let nulls = record.nulls().cloned();
                Ok(Arc::new(StructArray::try_new(fields, columns?, nulls)?))
            }
        }
    }
}

/// `quantiles(list, n)`: the n + 1 values that cut a list without NULLs, once sorted, into n parts of
/// equal size, the least and the greatest first and last; NULL for an empty list.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Quantiles {
    signature: Signature,
}

impl ScalarUDFImpl for Quantiles {
    fn name(&self) -> &'static str {
        "quantiles"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        match arg_types {
            [list @ DataType::List(_), _] => Ok(list.clone()),
            _ => plan_err!("quantiles takes a list and a number"),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [list, ColumnarValue::Scalar(ScalarValue::Int64(Some(parts)))] = args.args.as_slice()
        else {
            return exec_err!("quantiles takes a list and a number");
        };
        let parts = match usize::try_from(*parts) {
            Ok(parts) if parts <= MOST_QUANTILES => parts,
            _ => return exec_err!("quantiles makes at most {MOST_QUANTILES} parts"),
        };
        let array = list.to_array(args.number_rows)?;
        let Some(lists) = array.as_list_opt::<i32>() else {
            return exec_err!("quantiles takes a list and a number");
        };
        let mut positions: Vec<u64> = Vec::new();
        let mut lengths = Vec::with_capacity(lists.len());
        let mut present = Vec::with_capacity(lists.len());
        for (row, bounds) in lists.value_offsets().windows(2).enumerate() {
            let [start, end] = *bounds else {
                continue;
            };
            let count = u64::try_from(end - start).unwrap_or(0);
            if lists.is_null(row) || count == 0 || parts == 0 {
                lengths.push(0);
                present.push(false);
                continue;
            }
            let first = u64::try_from(start).unwrap_or(0);
            let last = count - 1;
            let steps = parts as u64;
            let ranks = sort_to_indices(&lists.value(row), None, None)?;
            positions.extend((0..=steps).filter_map(|step| {
                let rank = usize::try_from((step * last + steps / 2) / steps).ok()?;
                ranks
                    .values()
                    .get(rank)
                    .map(|index| first + u64::from(*index))
            }));
            lengths.push(parts + 1);
            present.push(true);
        }
        let values = take(lists.values(), &UInt64Array::from(positions), None)?;
        let DataType::List(field) = array.data_type() else {
            return exec_err!("quantiles takes a list and a number");
        };
        Ok(ColumnarValue::Array(Arc::new(ListArray::try_new(
            field.clone(),
            OffsetBuffer::from_lengths(lengths),
            values,
            Some(present.into()),
        )?)))
    }
}

/// `ordered(list, order)`: the first fields of the STRUCTs of a list, sorted by their other fields. The
/// order has two letters for each of these: `A` or `D` for the direction, `F` or `L` for NULLs first or
/// last. Rows that compare equal stay in the order they came in.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Ordered {
    signature: Signature,
}

impl ScalarUDFImpl for Ordered {
    fn name(&self) -> &'static str {
        "ordered"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        if let [DataType::List(record), _] = arg_types
            && let DataType::Struct(fields) = record.data_type()
            && let Some(value) = fields.first()
        {
            return Ok(DataType::List(item(value.data_type().clone())));
        }
        plan_err!("ordered takes a list of records and an order")
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [list, ColumnarValue::Scalar(order)] = args.args.as_slice() else {
            return exec_err!("ordered takes a list of records and an order");
        };
        let (ScalarValue::Utf8(Some(order)) | ScalarValue::Utf8View(Some(order))) = order else {
            return exec_err!("ordered takes a list of records and an order");
        };
        let array = list.to_array(args.number_rows)?;
        let Some(lists) = array.as_list_opt::<i32>() else {
            return exec_err!("ordered takes a list of records and an order");
        };
        let Some(([values], keys)) = lists
            .values()
            .as_struct_opt()
            .and_then(|records| records.columns().split_first_chunk())
        else {
            return exec_err!("ordered takes a list of records and an order");
        };
        let options: Vec<SortOptions> = order
            .as_bytes()
            .chunks_exact(2)
            .map(|letters| SortOptions {
                descending: letters.first() == Some(&b'D'),
                nulls_first: letters.last() == Some(&b'F'),
            })
            .collect();
        let mut positions: Vec<u64> = Vec::with_capacity(values.len());
        let mut lengths = Vec::with_capacity(lists.len());
        for (row, bounds) in lists.value_offsets().windows(2).enumerate() {
            let [start, end] = *bounds else {
                continue;
            };
            let start = usize::try_from(start).unwrap_or(0);
            let count = usize::try_from(end).unwrap_or(0).saturating_sub(start);
            if lists.is_null(row) || count == 0 {
                lengths.push(0);
                continue;
            }
            let columns: Vec<SortColumn> = keys
                .iter()
                .zip(&options)
                .map(|(key, options)| SortColumn {
                    values: key.slice(start, count),
                    options: Some(*options),
                })
                .collect();
            let ranks = lexsort_to_indices(&columns, None)?;
            positions.extend(
                ranks
                    .values()
                    .iter()
                    .map(|index| start as u64 + u64::from(*index)),
            );
            lengths.push(count);
        }
        let values = take(values, &UInt64Array::from(positions), None)?;
        let field = item(values.data_type().clone());
        Ok(ColumnarValue::Array(Arc::new(ListArray::try_new(
            field,
            OffsetBuffer::from_lengths(lengths),
            values,
            lists.nulls().cloned(),
        )?)))
    }
}

/// `in_array(value, list)`: what `value IN UNNEST(list)` is, with GoogleSQL's NULLs: no element of an
/// empty or NULL list; NULL where only a NULL could make the difference.
#[derive(Debug, PartialEq, Eq, Hash)]
struct InArray {
    signature: Signature,
}

impl ScalarUDFImpl for InArray {
    fn name(&self) -> &'static str {
        "in_array"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [value, list] = args.args.as_slice() else {
            return exec_err!("in_array takes a value and a list");
        };
        let values = value.to_array(args.number_rows)?;
        // One list for all rows stays one.
        let array = match list {
            ColumnarValue::Array(array) => Arc::clone(array),
            ColumnarValue::Scalar(list) => list.to_array_of_size(1)?,
        };
        let one = matches!(list, ColumnarValue::Scalar(_));
        let Some(lists) = array.as_list_opt::<i32>() else {
            return exec_err!("in_array takes a value and a list");
        };
        let mut found = BooleanBuilder::with_capacity(values.len());
        for row in 0..values.len() {
            let place = if one { 0 } else { row };
            let elements = lists.value(place);
            if lists.is_null(place) || elements.is_empty() {
                found.append_value(false);
            } else if values.is_null(row) {
                found.append_null();
            } else {
                let wanted = cast(&values.slice(row, 1), elements.data_type())?;
                let equal = equal(&elements, &wanted)?;
                if equal.true_count() > 0 {
                    found.append_value(true);
                } else if elements.null_count() > 0 {
                    found.append_null();
                } else {
                    found.append_value(false);
                }
            }
        }
        Ok(ColumnarValue::Array(Arc::new(found.finish())))
    }
}

/// Returns for each element whether it equals the only element of another column, NULL for NULL. Numbers
/// are equal as IEEE 754 has it.
fn equal(elements: &ArrayRef, wanted: &ArrayRef) -> Result<BooleanArray> {
    if let (Some(numbers), Some(wanted)) = (
        elements.as_primitive_opt::<Float64Type>(),
        wanted.as_primitive_opt::<Float64Type>(),
    ) {
        let wanted = wanted.iter().next().flatten();
        return Ok(numbers
            .iter()
            .map(|number| Some(number? == wanted?))
            .collect());
    }
    Ok(eq(elements, &Scalar::new(Arc::clone(wanted)))?)
}

/// `compare_float64(a, b)`: -1, 0 or 1 for less, equal or greater as IEEE 754 compares, 2 when one of
/// them is NaN. The engine's own comparisons take NaN for a number and tell -0 from 0.
#[derive(Debug, PartialEq, Eq, Hash)]
struct CompareFloat64 {
    signature: Signature,
}

impl ScalarUDFImpl for CompareFloat64 {
    fn name(&self) -> &'static str {
        "compare_float64"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [left, right] = args.args.as_slice() else {
            return exec_err!("compare_float64 takes two numbers");
        };
        let left = left.to_array(args.number_rows)?;
        let right = right.to_array(args.number_rows)?;
        let (Some(left), Some(right)) = (
            left.as_primitive_opt::<Float64Type>(),
            right.as_primitive_opt::<Float64Type>(),
        ) else {
            return exec_err!("compare_float64 takes two numbers");
        };
        let compared: Int64Array = left
            .iter()
            .zip(right)
            .map(|(left, right)| {
                Some(match left?.partial_cmp(&right?) {
                    Some(Ordering::Less) => -1,
                    Some(Ordering::Equal) => 0,
                    Some(Ordering::Greater) => 1,
                    None => 2,
                })
            })
            .collect();
        Ok(ColumnarValue::Array(Arc::new(compared)))
    }
}

fn item(ty: DataType) -> FieldRef {
    Arc::new(Field::new_list_field(ty, true))
}
