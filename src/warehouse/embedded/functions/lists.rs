//! Functions over lists that the compiler's printer needs for sub-queries over arrays, which no query can
//! name. The rows of such a query are the elements of a list; a NULL list has no rows.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, Int64Array, ListArray, StructArray, UInt32Array, new_empty_array,
};
use arrow::buffer::OffsetBuffer;
use arrow::compute::take;
use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema};
use datafusion::common::{ScalarValue, exec_err, internal_datafusion_err, plan_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionStateDefaults;
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::type_coercion::functions::fields_with_udf;
use datafusion::logical_expr::{
    AggregateUDF, ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, Volatility,
};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;

use super::column::list_bounds;
use super::fault::EvaluationError;
use crate::warehouse::embedded::budget;

/// Returns the functions of this module.
pub(super) fn all() -> Vec<ScalarUDF> {
    let mut functions: Vec<ScalarUDF> = FUNCTIONS
        .iter()
        .map(|function| {
            ScalarUDF::new_from_impl(ListFunction {
                function: *function,
                signature: Signature::variadic_any(Volatility::Immutable),
            })
        })
        .collect();
    functions.push(ScalarUDF::new_from_impl(AggregateList {
        signature: Signature::variadic_any(Volatility::Immutable),
    }));
    functions
}

const FUNCTIONS: &[Plain] = &[
    Plain {
        name: "list_or_null",
        arguments: 1,
        result: |list, _| Ok(list.clone()),
        evaluate: list_or_null,
    },
    Plain {
        name: "present_list",
        arguments: 1,
        result: |list, _| Ok(list.clone()),
        evaluate: present_list,
    },
    Plain {
        name: "list_slice",
        arguments: 3,
        result: |list, _| Ok(list.clone()),
        evaluate: list_slice,
    },
    Plain {
        name: "only_row",
        arguments: 1,
        result: |list, _| match list {
            DataType::List(field) => Ok(field.data_type().clone()),
            _ => plan_err!("only_row takes a list"),
        },
        evaluate: only_row,
    },
    Plain {
        name: "with_offset",
        arguments: 3,
        result: |list, names| match list {
            DataType::List(field) => {
                Ok(DataType::List(item(DataType::Struct(pair(field, names)?))))
            }
            _ => plan_err!("with_offset takes a list"),
        },
        evaluate: with_offset,
    },
];

/// A function of a list and constants.
#[derive(Clone, Copy, Debug)]
struct Plain {
    name: &'static str,
    arguments: usize,
    result: fn(&DataType, &[ScalarValue]) -> Result<DataType>,
    evaluate: fn(&ListArray, &[ScalarValue]) -> Result<ArrayRef>,
}

impl PartialEq for Plain {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Plain {}

impl std::hash::Hash for Plain {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct ListFunction {
    function: Plain,
    signature: Signature,
}

impl ScalarUDFImpl for ListFunction {
    fn name(&self) -> &'static str {
        self.function.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        plan_err!("{} needs its constants", self.function.name)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let constants: Option<Vec<ScalarValue>> = args
            .scalar_arguments
            .iter()
            .skip(1)
            .map(|value| value.cloned())
            .collect();
        let (Some(list), Some(constants)) = (args.arg_fields.first(), constants) else {
            return plan_err!("{} takes a list and constants", self.function.name);
        };
        if args.arg_fields.len() != self.function.arguments {
            return plan_err!(
                "{} takes {} arguments",
                self.function.name,
                self.function.arguments
            );
        }
        let list = listed(list.data_type());
        let ty = (self.function.result)(&list, &constants)?;
        Ok(Arc::new(Field::new(self.function.name, ty, true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let Some((list, constants)) = args.args.split_first() else {
            return exec_err!("{} takes a list", self.function.name);
        };
        let constants = constants
            .iter()
            .map(|constant| match constant {
                ColumnarValue::Scalar(value) => Ok(value.clone()),
                ColumnarValue::Array(_) => exec_err!("{} takes constants", self.function.name),
            })
            .collect::<Result<Vec<_>>>()?;
        let list = lists(list, args.number_rows)?;
        let result = (self.function.evaluate)(&list, &constants)?;
        Ok(ColumnarValue::Array(result))
    }
}

/// Returns the type of a list argument: a bare NULL is a list of them.
pub(super) fn listed(ty: &DataType) -> DataType {
    match ty {
        DataType::Null => DataType::List(item(DataType::Null)),
        other => other.clone(),
    }
}

/// Returns the lists of an argument.
pub(super) fn lists(value: &ColumnarValue, rows: usize) -> Result<ListArray> {
    if let ColumnarValue::Scalar(list) = value {
        budget::charge(list.size().saturating_mul(rows))?;
    }
    let array = value.to_array(rows)?;
    if array.data_type() == &DataType::Null {
        let field = item(DataType::Null);
        return Ok(ListArray::new_null(field, rows));
    }
    match array.as_list_opt::<i32>() {
        Some(list) => Ok(list.clone()),
        None => exec_err!("a list is needed, not {}", array.data_type()),
    }
}

fn element_field(list: &ListArray) -> FieldRef {
    match list.data_type() {
        DataType::List(field) => Arc::clone(field),
        _ => item(list.value_type()),
    }
}

/// Returns where the elements of a row begin and end; a NULL row has none.
fn bounds(list: &ListArray, row: usize) -> (usize, usize) {
    if list.is_null(row) {
        return (0, 0);
    }
    list_bounds(list, row)
}

/// Builds a list column from, for each row, the positions of its elements among the values of another.
fn picked(
    list: &ListArray,
    mut pick: impl FnMut(usize, &mut Vec<Option<u32>>) -> Result<()>,
) -> Result<ArrayRef> {
    let mut positions = Vec::with_capacity(list.values().len());
    let mut lengths = Vec::with_capacity(list.len());
    for row in 0..list.len() {
        let before = positions.len();
        pick(row, &mut positions)?;
        lengths.push(positions.len() - before);
    }
    budget::charge(positions.len().saturating_mul(size_of::<u64>()))?;
    let values = take(list.values(), &UInt32Array::from(positions), None)?;
    let offsets = OffsetBuffer::from_lengths(lengths);
    Ok(Arc::new(ListArray::try_new(
        item(values.data_type().clone()),
        offsets,
        values,
        None,
    )?))
}

fn position(at: usize) -> Result<Option<u32>> {
    match u32::try_from(at) {
        Ok(at) => Ok(Some(at)),
        Err(error) => Err(DataFusionError::External(Box::new(error))),
    }
}

/// `list_or_null(list)`: the list, or one NULL in place of an empty one.
fn list_or_null(list: &ListArray, _: &[ScalarValue]) -> Result<ArrayRef> {
    picked(list, |row, positions| {
        let (start, end) = bounds(list, row);
        if start == end {
            positions.push(None);
        }
        for at in start..end {
            positions.push(position(at)?);
        }
        Ok(())
    })
}

/// `present_list(list)`: the list, an empty one for NULL.
fn present_list(list: &ListArray, _: &[ScalarValue]) -> Result<ArrayRef> {
    list_range(list, 0, usize::MAX)
}

/// `list_slice(list, skip, most)`: the list without its first elements, and at most so many of the others.
fn list_slice(list: &ListArray, constants: &[ScalarValue]) -> Result<ArrayRef> {
    let [
        ScalarValue::Int64(Some(skip)),
        ScalarValue::Int64(Some(most)),
    ] = constants
    else {
        return exec_err!("list_slice takes a list and two numbers");
    };
    let clamp = |count: i64| usize::try_from(count.max(0)).unwrap_or(usize::MAX);
    list_range(list, clamp(*skip), clamp(*most))
}

fn list_range(list: &ListArray, skip: usize, most: usize) -> Result<ArrayRef> {
    picked(list, |row, positions| {
        let (start, end) = bounds(list, row);
        let start = start.saturating_add(skip).min(end);
        for at in start..end.min(start.saturating_add(most)) {
            positions.push(position(at)?);
        }
        Ok(())
    })
}

/// `only_row(list)`: the only element, NULL where there is none, an error where there are several.
fn only_row(list: &ListArray, _: &[ScalarValue]) -> Result<ArrayRef> {
    let mut positions = Vec::with_capacity(list.len());
    for row in 0..list.len() {
        let (start, end) = bounds(list, row);
        positions.push(match end - start {
            0 => None,
            1 => position(start)?,
            _ => {
                return Err(DataFusionError::External(Box::new(EvaluationError(
                    "a scalar sub-query has more than one row".to_owned(),
                ))));
            }
        });
    }
    Ok(take(list.values(), &UInt32Array::from(positions), None)?)
}

/// Returns the fields of an element with its offset.
fn pair(element: &FieldRef, names: &[ScalarValue]) -> Result<Fields> {
    let [
        ScalarValue::Utf8(Some(value)),
        ScalarValue::Utf8(Some(offset)),
    ] = names
    else {
        return plan_err!("with_offset takes a list and two names");
    };
    Ok(Fields::from(vec![
        Field::new(value, element.data_type().clone(), true),
        Field::new(offset, DataType::Int64, true),
    ]))
}

/// `with_offset(list, value, offset)`: for each element a STRUCT of it and its offset, from 0.
fn with_offset(list: &ListArray, names: &[ScalarValue]) -> Result<ArrayRef> {
    let mut positions = Vec::with_capacity(list.values().len());
    let mut offsets = Vec::with_capacity(list.values().len());
    let mut lengths = Vec::with_capacity(list.len());
    for row in 0..list.len() {
        let (start, end) = bounds(list, row);
        lengths.push(end - start);
        for (offset, at) in (start..end).enumerate() {
            positions.push(position(at)?);
            offsets.push(i64::try_from(offset).unwrap_or(i64::MAX));
        }
    }
    let values = take(list.values(), &UInt32Array::from(positions), None)?;
    let fields = pair(&element_field(list), names)?;
    let columns: Vec<ArrayRef> = vec![values, Arc::new(Int64Array::from(offsets))];
    let records = StructArray::try_new(fields.clone(), columns, None)?;
    Ok(Arc::new(ListArray::try_new(
        item(DataType::Struct(fields)),
        OffsetBuffer::from_lengths(lengths),
        Arc::new(records),
        list.nulls().cloned(),
    )?))
}

/// `aggregate_list(function, list, …)`: what one of the engine's aggregate functions gives for the elements
/// of a list; of several lists, its arguments are the elements at one place.
#[derive(Debug, PartialEq, Eq, Hash)]
struct AggregateList {
    signature: Signature,
}

impl ScalarUDFImpl for AggregateList {
    fn name(&self) -> &'static str {
        "aggregate_list"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        plan_err!("aggregate_list needs its function")
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let (Some(Some(ScalarValue::Utf8(Some(name)))), Some((_, lists))) =
            (args.scalar_arguments.first(), args.arg_fields.split_first())
        else {
            return plan_err!("aggregate_list takes a function and lists");
        };
        let aggregate = Aggregate::of(name, lists)?;
        Ok(Arc::new(Field::new(
            self.name(),
            aggregate.result.data_type().clone(),
            true,
        )))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let (
            Some((ColumnarValue::Scalar(ScalarValue::Utf8(Some(name))), columns)),
            Some((_, fields)),
        ) = (args.args.split_first(), args.arg_fields.split_first())
        else {
            return exec_err!("aggregate_list takes a function and lists");
        };
        let aggregate = Aggregate::of(name, fields)?;
        let columns = columns
            .iter()
            .map(|column| lists(column, args.number_rows))
            .collect::<Result<Vec<_>>>()?;
        let mut results = Vec::with_capacity(args.number_rows);
        for row in 0..args.number_rows {
            let values = columns
                .iter()
                .zip(&aggregate.arguments)
                .map(|(list, argument)| {
                    let (start, end) = bounds(list, row);
                    let values = list.values().slice(start, end - start);
                    Ok(arrow::compute::cast(&values, argument.data_type())?)
                })
                .collect::<Result<Vec<_>>>()?;
            let mut accumulator = aggregate.accumulator()?;
            accumulator.update_batch(&values)?;
            results.push(accumulator.evaluate()?);
        }
        if results.is_empty() {
            return Ok(ColumnarValue::Array(new_empty_array(
                aggregate.result.data_type(),
            )));
        }
        Ok(ColumnarValue::Array(ScalarValue::iter_to_array(results)?))
    }
}

/// An aggregate function with the types of its arguments.
struct Aggregate {
    function: Arc<AggregateUDF>,
    arguments: Vec<FieldRef>,
    result: FieldRef,
}

impl Aggregate {
    fn of(name: &str, lists: &[FieldRef]) -> Result<Self> {
        let function = SessionStateDefaults::default_aggregate_functions()
            .into_iter()
            .find(|function| {
                function.name() == name || function.aliases().iter().any(|a| a == name)
            })
            .ok_or_else(|| internal_datafusion_err!("no aggregate function {name}"))?;
        let arguments = lists
            .iter()
            .map(|list| match listed(list.data_type()) {
                DataType::List(field) => Ok(item(field.data_type().clone())),
                other => plan_err!("aggregate_list takes lists, not {other}"),
            })
            .collect::<Result<Vec<_>>>()?;
        let arguments = fields_with_udf(&arguments, function.as_ref())?;
        let result = function.return_field(&arguments)?;
        Ok(Self {
            function,
            arguments,
            result,
        })
    }

    fn accumulator(&self) -> Result<Box<dyn datafusion::logical_expr::Accumulator>> {
        let fields: Vec<Field> = self
            .arguments
            .iter()
            .enumerate()
            .map(|(index, field)| field.as_ref().clone().with_name(format!("a{index}")))
            .collect();
        let schema = Schema::new(fields);
        let exprs: Vec<Arc<dyn PhysicalExpr>> = (0..self.arguments.len())
            .map(|index| Arc::new(Column::new(&format!("a{index}"), index)) as _)
            .collect();
        self.function.accumulator(AccumulatorArgs {
            return_field: Arc::clone(&self.result),
            schema: &schema,
            ignore_nulls: false,
            order_bys: &[],
            is_reversed: false,
            name: self.function.name(),
            is_distinct: false,
            exprs: &exprs,
            expr_fields: &self.arguments,
        })
    }
}

fn item(ty: DataType) -> FieldRef {
    Arc::new(Field::new_list_field(ty, true))
}
