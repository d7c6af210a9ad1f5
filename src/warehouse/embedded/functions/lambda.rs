//! `array_transform(list, x -> value)` and `array_filter(list, x -> condition)`: the engine's functions, with
//! what they take counted. For each element they repeat every column that the lambda reads of the row.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, ListArray};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{filter, take_arrays};
use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::utils::{adjust_offsets_for_slice, list_values, list_values_row_number};
use datafusion::common::{Result, exec_err, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, HigherOrderFunctionArgs, HigherOrderReturnFieldArgs, HigherOrderSignature,
    HigherOrderUDF, HigherOrderUDFImpl, LambdaParametersProgress, ValueOrLambda, Volatility,
};

use super::lists::{listed, lists};
use crate::warehouse::embedded::budget;

/// Returns the functions of this module.
#[must_use]
pub fn all() -> Vec<HigherOrderUDF> {
    [Kind::Transform, Kind::Filter]
        .map(|kind| {
            HigherOrderUDF::new_from_impl(OverElements {
                kind,
                signature: HigherOrderSignature::exact(
                    vec![ValueOrLambda::Value(()), ValueOrLambda::Lambda(())],
                    Volatility::Immutable,
                ),
            })
        })
        .into()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Transform,
    Filter,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct OverElements {
    kind: Kind,
    signature: HigherOrderSignature,
}

/// Returns the field of a list's elements.
fn element(list: &DataType) -> Result<FieldRef> {
    match listed(list) {
        DataType::List(field) => Ok(field),
        other => plan_err!("a list is needed, not {other}"),
    }
}

impl HigherOrderUDFImpl for OverElements {
    fn name(&self) -> &'static str {
        match self.kind {
            Kind::Transform => "array_transform",
            Kind::Filter => "array_filter",
        }
    }

    fn signature(&self) -> &HigherOrderSignature {
        &self.signature
    }

    fn coerce_value_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        Ok(types.iter().map(listed).collect())
    }

    fn lambda_parameters(
        &self,
        _: usize,
        fields: &[ValueOrLambda<FieldRef, Option<FieldRef>>],
    ) -> Result<LambdaParametersProgress> {
        let [ValueOrLambda::Value(list), ValueOrLambda::Lambda(_)] = fields else {
            return plan_err!("{} takes a list and a lambda", self.name());
        };
        let element = element(list.data_type())?;
        Ok(LambdaParametersProgress::Complete(vec![vec![element]]))
    }

    fn return_field_from_args(&self, args: HigherOrderReturnFieldArgs) -> Result<FieldRef> {
        let [ValueOrLambda::Value(list), ValueOrLambda::Lambda(body)] = args.arg_fields else {
            return plan_err!("{} takes a list and a lambda", self.name());
        };
        let element = match self.kind {
            Kind::Transform => Arc::new(Field::new_list_field(body.data_type().clone(), true)),
            Kind::Filter => element(list.data_type())?,
        };
        Ok(Arc::new(Field::new("", DataType::List(element), true)))
    }

    fn invoke_with_args(&self, args: HigherOrderFunctionArgs) -> Result<ColumnarValue> {
        let [ValueOrLambda::Value(list), ValueOrLambda::Lambda(lambda)] = args.args.as_slice()
        else {
            return exec_err!("{} takes a list and a lambda", self.name());
        };
        let DataType::List(field) = args.return_field.data_type() else {
            return exec_err!("{} returns a list", self.name());
        };
        let list = lists(list, args.number_rows)?;
        let array: ArrayRef = Arc::new(list.clone());
        let elements = list_values(&array)?;
        let parameter = || Ok(Arc::clone(&elements));
        let value = lambda
            .evaluate(&[&parameter], |columns| {
                for column in columns {
                    let row = column.get_array_memory_size() / column.len().max(1) + 1;
                    budget::charge(row.saturating_mul(elements.len()))?;
                }
                let rows = list_values_row_number(&array)?;
                Ok(take_arrays(columns, &rows, None)?)
            })?
            .into_array(elements.len())?;
        let offsets = adjust_offsets_for_slice(&list);
        let (offsets, values) = match self.kind {
            Kind::Transform => (offsets, value),
            Kind::Filter => kept(&offsets, &elements, &value)?,
        };
        let nulls = list.nulls().cloned();
        Ok(ColumnarValue::Array(Arc::new(ListArray::try_new(
            Arc::clone(field),
            offsets,
            values,
            nulls,
        )?)))
    }
}

/// Returns the elements for which a condition holds.
fn kept(
    offsets: &OffsetBuffer<i32>,
    elements: &ArrayRef,
    condition: &ArrayRef,
) -> Result<(OffsetBuffer<i32>, ArrayRef)> {
    let Some(condition) = condition.as_boolean_opt() else {
        return exec_err!("a condition is BOOL, not {}", condition.data_type());
    };
    let holds: BooleanArray = condition.iter().map(|value| value == Some(true)).collect();
    let count = |start: i32, end: i32| {
        let (start, end) = (usize::try_from(start), usize::try_from(end));
        match (start, end) {
            (Ok(start), Ok(end)) => holds
                .values()
                .slice(start, end.saturating_sub(start))
                .count_set_bits(),
            _ => 0,
        }
    };
    let lengths = offsets.iter().zip(offsets.iter().skip(1));
    let lengths = lengths.map(|(start, end)| count(*start, *end));
    Ok((
        OffsetBuffer::from_lengths(lengths),
        filter(elements, &holds)?,
    ))
}
