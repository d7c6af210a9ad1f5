//! Functions of ARRAY. Those that move elements work on whole columns, whatever the elements are.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, ListArray, UInt32Array, new_null_array};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field, Int64Type};
use datafusion::common::{DataFusionError, Result};

use super::adapt::Function;
use super::calendar::{DAY, add_to_day, fixed_length, micros_in_range};
use super::cast::date_of;
use super::column::{list_bounds, stored_type};
use super::fault::{Fault, Outcome, beyond, mismatch, refuse};
use super::math::common_type;
use super::string::check_length;
use super::time::part;
use super::value::{Kind, MAX_ELEMENTS, Value, list_of};
use crate::compiler::ir::DatePart;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::columns("array_length", |_| Some(DataType::Int64), array_length),
    Function::columns("array_at", element_type, |args, rows, safe| {
        array_at(args, rows, safe, 0)
    }),
    Function::columns("array_at_ordinal", element_type, |args, rows, safe| {
        array_at(args, rows, safe, 1)
    }),
    Function::columns("array_first", element_type, |args, rows, safe| {
        array_end(args, rows, safe, false)
    }),
    Function::columns("array_last", element_type, |args, rows, safe| {
        array_end(args, rows, safe, true)
    }),
    Function::columns("array_reverse", array_type, array_reverse),
    Function::columns("array_concat", array_type, array_concat),
    Function::typed(
        "array_to_string",
        |types: &[DataType]| common_type(types.get(1..)?),
        |_, args| array_to_string(args),
    )
    .keeping_nulls(),
    Function::typed(
        "generate_array",
        |types: &[DataType]| common_type(types).map(list_of),
        |_, args| generate_array(args),
    ),
    Function::list("generate_date_array", Kind::Date, |cx, args| match args {
        [Value::Date(start), Value::Date(end)] => generate_dates(*start, *end, 1, DatePart::Day),
        [
            Value::Date(start),
            Value::Date(end),
            Value::Int64(step),
            Value::Str(unit),
        ] => generate_dates(*start, *end, *step, *part(cx, unit)?),
        _ => mismatch(args),
    }),
    Function::list(
        "generate_timestamp_array",
        Kind::Timestamp,
        |cx, args| match args {
            [
                Value::Timestamp(start),
                Value::Timestamp(end),
                Value::Int64(step),
                Value::Str(unit),
            ] => {
                let length = fixed_length(*part(cx, unit)?);
                let Some(step) = length.and_then(|length| step.checked_mul(length)) else {
                    return refuse("the step is out of range");
                };
                sequence(*start, *end, step, |at| at.checked_add(step)).and_then(|values| {
                    let values = values
                        .into_iter()
                        .map(|micros| micros_in_range(micros).map(Value::Timestamp));
                    values.collect::<Outcome<Vec<_>>>().map(Value::List)
                })
            }
            _ => mismatch(args),
        },
    ),
];

fn array_type(types: &[DataType]) -> Option<DataType> {
    match types.iter().find(|ty| **ty != DataType::Null) {
        Some(ty) => stored_type(ty),
        None => Some(DataType::Null),
    }
}

fn element_type(types: &[DataType]) -> Option<DataType> {
    match array_type(types.get(..1)?)? {
        DataType::List(field) => Some(field.data_type().clone()),
        DataType::Null => Some(DataType::Null),
        _ => None,
    }
}

/// The list column of an argument; `None` when all of its rows are NULL.
fn list(args: &[ArrayRef]) -> Option<&ListArray> {
    args.first().and_then(|array| array.as_list_opt::<i32>())
}

fn array_length(args: &[ArrayRef], rows: usize, _safe: bool) -> Result<ArrayRef> {
    let Some(list) = list(args) else {
        return Ok(new_null_array(&DataType::Int64, rows));
    };
    let lengths: Int64Array = (0..list.len())
        .map(|row| {
            let (start, end) = list_bounds(list, row);
            list.is_valid(row)
                .then(|| i64::try_from(end - start).unwrap_or(i64::MAX))
        })
        .collect();
    Ok(Arc::new(lengths))
}

/// Picks at most one element of each row.
fn pick(
    list: &ListArray,
    mut position: impl FnMut(usize, usize) -> Outcome<Option<usize>>,
) -> Result<ArrayRef> {
    let mut indices = Vec::with_capacity(list.len());
    for row in 0..list.len() {
        if list.is_null(row) {
            indices.push(None);
            continue;
        }
        let (start, end) = list_bounds(list, row);
        let picked = position(row, end - start)?;
        indices.push(picked.map(|at| index(start + at)).transpose()?);
    }
    let indices = UInt32Array::from(indices);
    Ok(arrow::compute::take(list.values(), &indices, None)?)
}

fn index(at: usize) -> Result<u32> {
    u32::try_from(at).map_err(|error| DataFusionError::External(Box::new(error)))
}

fn array_at(args: &[ArrayRef], rows: usize, safe: bool, base: i64) -> Result<ArrayRef> {
    let positions = args
        .get(1)
        .and_then(|array| array.as_primitive_opt::<Int64Type>());
    let (Some(list), Some(positions)) = (list(args), positions) else {
        return Ok(null_elements(args, rows));
    };
    pick(list, |row, length| {
        if positions.is_null(row) {
            return Ok(None);
        }
        let position = positions.value(row);
        let found = position
            .checked_sub(base)
            .and_then(|position| usize::try_from(position).ok())
            .filter(|position| *position < length);
        if found.is_none() && !safe {
            return refuse(format!("array index {position} is out of bounds"));
        }
        Ok(found)
    })
}

fn null_elements(args: &[ArrayRef], rows: usize) -> ArrayRef {
    let types: Vec<DataType> = args.iter().map(|array| array.data_type().clone()).collect();
    new_null_array(&element_type(&types).unwrap_or(DataType::Null), rows)
}

fn array_end(args: &[ArrayRef], rows: usize, safe: bool, last: bool) -> Result<ArrayRef> {
    let Some(list) = list(args) else {
        return Ok(null_elements(args, rows));
    };
    pick(list, |_, length| match length.checked_sub(1) {
        Some(end) => Ok(Some(if last { end } else { 0 })),
        None if safe => Ok(None),
        None => refuse("the array is empty"),
    })
}

fn array_reverse(args: &[ArrayRef], rows: usize, _safe: bool) -> Result<ArrayRef> {
    let Some(list) = list(args) else {
        return Ok(new_null_array(&DataType::Null, rows));
    };
    let mut indices = Vec::new();
    let mut lengths = Vec::with_capacity(list.len());
    for row in 0..list.len() {
        let (start, end) = list_bounds(list, row);
        lengths.push(end - start);
        for at in (start..end).rev() {
            indices.push(index(at)?);
        }
    }
    let values = arrow::compute::take(list.values(), &UInt32Array::from(indices), None)?;
    Ok(Arc::new(ListArray::try_new(
        Arc::new(Field::new_list_field(values.data_type().clone(), true)),
        OffsetBuffer::from_lengths(lengths),
        values,
        list.nulls().cloned(),
    )?))
}

fn array_concat(args: &[ArrayRef], rows: usize, _safe: bool) -> Result<ArrayRef> {
    let lists: Option<Vec<&ListArray>> = args
        .iter()
        .map(|array| array.as_list_opt::<i32>())
        .collect();
    let types: Vec<DataType> = args.iter().map(|array| array.data_type().clone()).collect();
    let (Some(lists), Some(result)) = (lists, array_type(&types)) else {
        return Ok(new_null_array(
            &array_type(&types).unwrap_or(DataType::Null),
            rows,
        ));
    };
    let DataType::List(field) = &result else {
        return Ok(new_null_array(&result, rows));
    };
    let mut bases = Vec::with_capacity(lists.len());
    let mut columns = Vec::with_capacity(lists.len());
    let mut total = 0;
    for list in &lists {
        bases.push(total);
        total += list.values().len();
        columns.push(arrow::compute::cast(list.values(), field.data_type())?);
    }
    let columns: Vec<&dyn Array> = columns.iter().map(AsRef::as_ref).collect();
    let all = arrow::compute::concat(&columns)?;
    let mut indices = Vec::new();
    let mut lengths = Vec::with_capacity(rows);
    let mut valid = Vec::with_capacity(rows);
    for row in 0..rows {
        let before = indices.len();
        let known = lists.iter().all(|list| list.is_valid(row));
        if known {
            for (list, base) in lists.iter().zip(&bases) {
                let (start, end) = list_bounds(list, row);
                for at in start..end {
                    indices.push(index(base + at)?);
                }
            }
        }
        let length = indices.len() - before;
        if length > MAX_ELEMENTS {
            return Err(Fault::Beyond("the array is too long".to_owned()).into());
        }
        lengths.push(length);
        valid.push(known);
    }
    let values = arrow::compute::take(&all, &UInt32Array::from(indices), None)?;
    Ok(Arc::new(ListArray::try_new(
        Arc::clone(field),
        OffsetBuffer::from_lengths(lengths),
        values,
        Some(NullBuffer::from(valid)),
    )?))
}

fn array_to_string<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let (elements, delimiter, for_null) = match args {
        [Value::Null, ..] | [_, Value::Null, ..] | [_, _, Value::Null] => return Ok(Value::Null),
        [Value::List(elements), delimiter] => (elements, delimiter, None),
        [Value::List(elements), delimiter, for_null] => (elements, delimiter, Some(for_null)),
        _ => return mismatch(args),
    };
    fn bytes<'v>(value: &'v Value<'_>) -> Outcome<&'v [u8]> {
        match value {
            Value::Str(text) => Ok(text.as_bytes()),
            Value::Bin(bytes) => Ok(bytes),
            _ => mismatch(std::slice::from_ref(value)),
        }
    }
    let mut out: Vec<u8> = Vec::new();
    let mut first = true;
    for element in elements {
        let element = match (element, for_null) {
            (Value::Null, None) => continue,
            (Value::Null, Some(for_null)) => for_null,
            (element, _) => element,
        };
        if !std::mem::take(&mut first) {
            out.extend_from_slice(bytes(delimiter)?);
        }
        out.extend_from_slice(bytes(element)?);
        check_length(Some(out.len()))?;
    }
    match delimiter {
        Value::Str(_) => match String::from_utf8(out) {
            Ok(text) => Ok(Value::Text(text)),
            Err(_) => mismatch(args),
        },
        _ => Ok(Value::Binary(out)),
    }
}

/// The values from a start up or down to an end.
fn sequence<T: PartialOrd + Copy + Default>(
    start: T,
    end: T,
    step: T,
    mut next: impl FnMut(T) -> Option<T>,
) -> Outcome<Vec<T>> {
    let zero = T::default();
    if step == zero {
        return refuse("the step of a sequence cannot be zero");
    }
    let ascending = step > zero;
    let mut values = Vec::new();
    let mut at = start;
    while if ascending { at <= end } else { at >= end } {
        values.push(at);
        if values.len() > MAX_ELEMENTS {
            return beyond("the sequence is too long");
        }
        match next(at) {
            Some(following) if following != at => at = following,
            Some(_) | None => break,
        }
    }
    Ok(values)
}

fn generate_array<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let one = match args {
        [Value::Float64(_), ..] => Value::Float64(1.0),
        [Value::Numeric(_), ..] => Value::Numeric(super::decimal::ONE),
        _ => Value::Int64(1),
    };
    let (start, end, step) = match args {
        [start, end] => (start, end, &one),
        [start, end, step] => (start, end, step),
        _ => return mismatch(args),
    };
    match (start, end, step) {
        (Value::Int64(start), Value::Int64(end), Value::Int64(step)) => {
            let values = sequence(*start, *end, *step, |at| at.checked_add(*step))?;
            Ok(Value::List(values.into_iter().map(Value::Int64).collect()))
        }
        (Value::Float64(start), Value::Float64(end), Value::Float64(step)) => {
            if !(start.is_finite() && end.is_finite() && step.is_finite()) {
                return refuse("the bounds of a sequence must be finite");
            }
            let mut passed = 0.0;
            let values = sequence(*start, *end, *step, |_| {
                passed += 1.0;
                Some(start + passed * step)
            })?;
            Ok(Value::List(
                values.into_iter().map(Value::Float64).collect(),
            ))
        }
        (Value::Numeric(start), Value::Numeric(end), Value::Numeric(step)) => {
            let values = sequence(*start, *end, *step, |at| {
                at.checked_add(*step).and_then(super::decimal::checked)
            })?;
            Ok(Value::List(
                values.into_iter().map(Value::Numeric).collect(),
            ))
        }
        _ => mismatch(args),
    }
}

fn generate_dates<'a>(start: i32, end: i32, step: i64, part: DatePart) -> Outcome<Value<'a>> {
    if step == 0 {
        return refuse("the step of a sequence cannot be zero");
    }
    let (mut day, end) = (i64::from(start), i64::from(end));
    let mut dates = Vec::new();
    while if step > 0 { day <= end } else { day >= end } {
        dates.push(date_of(day * DAY)?);
        // The next date is counted from the one before, so days of the month may get smaller.
        match add_to_day(day, step, part) {
            Ok(next) => day = next,
            Err(_) => break,
        }
    }
    Ok(Value::List(dates))
}
