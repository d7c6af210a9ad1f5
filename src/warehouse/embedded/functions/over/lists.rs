//! ARRAY_AGG over the rows of a window: `array_agg_over(value, whole)`. The last is a literal; it says that all
//! rows of a partition have the same frame.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ListArray, UInt32Array};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{concat, filter, is_not_null, partition, sort_to_indices, take};
use arrow::datatypes::DataType;
use datafusion::common::{ScalarValue, internal_err};
use datafusion::error::Result;
use datafusion::logical_expr::Accumulator;
use datafusion::logical_expr::function::AccumulatorArgs;

use super::{is_whole, no_state};
use crate::warehouse::embedded::budget;

/// The values of a frame.
#[derive(Debug)]
pub(super) struct Lists {
    result: DataType,
    ignores_nulls: bool,
    distinct: bool,
    whole: bool,
    /// The values in the order of their rows, without those that have left the frame.
    values: VecDeque<ArrayRef>,
    rows: usize,
}

impl Lists {
    pub(super) fn of(args: &AccumulatorArgs<'_>) -> Result<Self> {
        Ok(Self {
            result: args.return_field.data_type().clone(),
            ignores_nulls: args.ignore_nulls,
            distinct: args.is_distinct,
            whole: is_whole(args)?,
            values: VecDeque::new(),
            rows: 0,
        })
    }

    /// Returns the values that count.
    fn counted(&self, values: &[ArrayRef]) -> Result<ArrayRef> {
        let Some(values) = values.first() else {
            return internal_err!("array_agg_over takes values");
        };
        if self.ignores_nulls && values.null_count() > 0 {
            return Ok(filter(values, &is_not_null(values)?)?);
        }
        Ok(Arc::clone(values))
    }
}

/// Returns each value once.
fn distinct(values: &ArrayRef) -> Result<ArrayRef> {
    let order = sort_to_indices(values, None, None)?;
    let sorted = take(values, &order, None)?;
    let ranges = partition(&[Arc::clone(&sorted)])?.ranges();
    let firsts: UInt32Array = ranges
        .iter()
        .map(|range| u32::try_from(range.start).ok())
        .collect();
    Ok(take(&sorted, &firsts, None)?)
}

impl Accumulator for Lists {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let counted = self.counted(values)?;
        self.rows += values.first().map_or(0, |values| values.len());
        if !counted.is_empty() {
            self.values.push_back(counted);
        }
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let mut count = self.counted(values)?.len();
        while let Some(oldest) = self.values.pop_front() {
            if count < oldest.len() {
                self.values
                    .push_front(oldest.slice(count, oldest.len() - count));
                break;
            }
            count -= oldest.len();
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let results = if self.whole { self.rows } else { 1 };
        let mut size = 0;
        for values in &self.values {
            size += values.to_data().get_slice_memory_size()?;
        }
        // They are in the value of their row, and once more when the values become a column.
        budget::charge(size.saturating_mul(results).saturating_mul(2))?;
        let DataType::List(field) = &self.result else {
            return internal_err!("array_agg_over gives lists");
        };
        let values: Vec<&dyn Array> = self.values.iter().map(AsRef::as_ref).collect();
        if values.is_empty() {
            return ScalarValue::try_from(&self.result);
        }
        let mut values = concat(&values)?;
        // Put together, they are quickly put together with the next ones.
        self.values = VecDeque::from([Arc::clone(&values)]);
        if self.distinct {
            values = distinct(&values)?;
        }
        let offsets = OffsetBuffer::from_lengths([values.len()]);
        let list = ListArray::try_new(Arc::clone(field), offsets, values, None)?;
        Ok(ScalarValue::List(Arc::new(list)))
    }

    fn size(&self) -> usize {
        let values = self.values.iter();
        size_of_val(self) + values.map(|v| v.get_array_memory_size()).sum::<usize>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        no_state()
    }

    fn merge_batch(&mut self, _: &[ArrayRef]) -> Result<()> {
        no_state()
    }
}
