//! Arrays that a row leaves out.
//!
//! GoogleSQL stores no NULL array: one that is absent is empty. Only where the record around it is absent
//! does reading the array give NULL, and a file says so in the array itself, because the engine reads a
//! field without looking at its record.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, UInt32Array};
use arrow::buffer::NullBuffer;
use arrow::compute::take;
use arrow::datatypes::DataType;
use arrow::error::ArrowError;

/// Makes a column's lists NULL where their record is, and nowhere else. Other columns stay as they are.
pub(super) fn of_record(
    array: &ArrayRef,
    record: Option<&NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    let DataType::List(item) = array.data_type() else {
        return Ok(Arc::clone(array));
    };
    // A NULL list may have elements behind it, which must not come to light.
    let clean = if array.null_count() == 0 {
        Arc::clone(array)
    } else {
        let rows = u32::try_from(array.len())
            .map_err(|_| ArrowError::ComputeError("too many rows at a time".to_owned()))?;
        take(array, &UInt32Array::from_iter_values(0..rows), None)?
    };
    let list = clean.as_list::<i32>();
    ListArray::try_new(
        Arc::clone(item),
        list.offsets().clone(),
        Arc::clone(list.values()),
        record.cloned(),
    )
    .map(|list| Arc::new(list) as ArrayRef)
}

#[cfg(test)]
mod tests {
    use arrow::array::types::Int64Type;
    use arrow::buffer::{OffsetBuffer, ScalarBuffer};

    use super::*;

    #[test]
    fn lists_are_null_exactly_where_their_record_is() {
        let item = Arc::new(arrow::datatypes::Field::new_list_field(
            DataType::Int64,
            true,
        ));
        let values = Arc::new(arrow::array::Int64Array::from(vec![1, 2, 3]));
        let hidden = ListArray::new(
            item,
            OffsetBuffer::new(ScalarBuffer::from(vec![0, 1, 3, 3])),
            values,
            Some(NullBuffer::from(vec![true, false, false])),
        );
        let array: ArrayRef = Arc::new(hidden);
        let record = NullBuffer::from(vec![true, true, false]);
        let lists = of_record(&array, Some(&record)).unwrap();
        let expected = ListArray::from_iter_primitive::<Int64Type, _, _>([
            Some(vec![Some(1)]),
            Some(vec![]),
            None,
        ]);
        assert_eq!(lists.as_list::<i32>(), &expected);
    }
}
