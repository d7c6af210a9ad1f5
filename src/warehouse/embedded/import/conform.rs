//! Parquet input: columns of any writer brought to the stream's schema.
//!
//! Columns and fields are matched by name, without regard to case. Values are converted where nothing
//! is lost: integer widths, units of time, kinds of text. A timestamp without a zone counts as UTC, and
//! parts of a microsecond are cut off, as in NDJSON.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, ListArray, RecordBatch, StructArray, UInt32Array, new_null_array,
};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{CastOptions, cast_with_options, take};
use arrow::datatypes::{DataType, Fields, TimeUnit};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::decode::UnknownFields;
use super::list;
use super::write::{Run, Writer};
use super::{ImportError, Imported, Progress, required_timestamp};
use crate::compiler::ir::{self, Column, Type};
use crate::warehouse::embedded::schema;
use crate::warehouse::embedded::store::Staging;

/// Rows that are read at a time.
pub(super) const BATCH_ROWS: usize = 4096;

/// Imports a Parquet file.
pub(super) fn import(
    mut staging: Staging,
    columns: &[Column],
    file: &Path,
    opened: File,
    progress: &dyn Fn(Progress),
) -> Result<Imported, ImportError> {
    let refuse = |message: String| ImportError::File {
        file: file.to_path_buf(),
        message,
    };
    let damaged =
        |error: &dyn std::fmt::Display| refuse(format!("cannot be read as Parquet: {error}"));
    let size = opened.metadata().map_or(0, |m| m.len());
    let builder = ParquetRecordBatchReaderBuilder::try_new(opened).map_err(|e| damaged(&e))?;
    let total = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or_default();
    let unknown = unknown_fields(builder.schema().fields(), columns, total);
    let reader = builder
        .with_batch_size(BATCH_ROWS)
        .build()
        .map_err(|e| damaged(&e))?;
    let writer = Writer::new(columns);
    let (mut rows, mut bytes) = (0, 0);
    let mut run = Run::default();
    for batch in reader {
        let batch = batch.map_err(|e| damaged(&e))?;
        let batch = conform(&batch, columns)
            .map_err(|(path, message)| refuse(format!("{path}: {message}")))?;
        rows += batch.num_rows() as u64;
        run.push(batch);
        if run.is_full() {
            bytes += writer.write(std::mem::take(&mut run), &mut staging, file)?;
        }
        progress(Progress {
            rows,
            bytes: (size * rows).checked_div(total).unwrap_or(size),
        });
    }
    if !run.is_empty() {
        bytes += writer.write(run, &mut staging, file)?;
    }
    Ok(Imported {
        rows,
        bytes,
        files: staging.commit()?,
        unknown,
    })
}

/// The path of a field and what is wrong with it.
pub(super) type Misfit = (String, String);

pub(super) fn conform(batch: &RecordBatch, columns: &[Column]) -> Result<RecordBatch, Misfit> {
    let rows = batch.num_rows();
    let source = batch.schema();
    let arrays = columns
        .iter()
        .map(|column| {
            let name = column.name.as_str();
            match find(source.fields(), name).and_then(|i| batch.columns().get(i)) {
                Some(array) => convert(array, &column.ty, name),
                None => Ok(new_null_array(&schema::data_type(&column.ty), rows)),
            }
            .and_then(|array| list::of_record(&array, None).map_err(|e| misfit(name, e)))
        })
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(index) = required_timestamp(columns)
        && let Some(array) = arrays.get(index)
        && array.null_count() > 0
    {
        let message = "is required, and missing in some rows".to_owned();
        return Err(("timestamp".to_owned(), message));
    }
    RecordBatch::try_new(schema::file_schema(columns), arrays)
        .map_err(|e| ("the file".to_owned(), e.to_string()))
}

fn convert(array: &ArrayRef, ty: &Type, path: &str) -> Result<ArrayRef, Misfit> {
    match ty {
        Type::Struct(fields) => record(array, fields, path),
        Type::Array(list) => match (&list.element, list.singleton, array.data_type()) {
            (Type::Struct(fields), true, DataType::Struct(_)) => record(array, fields, path),
            (Type::Struct(fields), true, _) => record(&only_elements(array, path)?, fields, path),
            (Type::Struct(fields), false, DataType::Struct(_)) => {
                one_element_lists(&record(array, fields, path)?, &list.element)
            }
            (element, ..) => {
                let list = as_list(array, path)?;
                let item = schema::list_item(element);
                let values = convert(list.values(), element, path)?;
                ListArray::try_new(item, list.offsets().clone(), values, list.nulls().cloned())
                    .map(|list| Arc::new(list) as ArrayRef)
                    .map_err(|e| misfit(path, e))
            }
        },
        Type::Bool
        | Type::Int64
        | Type::Float64
        | Type::Numeric
        | Type::BigNumeric
        | Type::String
        | Type::Bytes
        | Type::Date
        | Type::Time
        | Type::Datetime
        | Type::Timestamp
        | Type::Interval
        | Type::Json => scalar(array, ty, path),
    }
}

fn record(array: &ArrayRef, fields: &[ir::Field], path: &str) -> Result<ArrayRef, Misfit> {
    let Some(record) = array.as_struct_opt() else {
        if array.data_type() == &DataType::Null {
            let ty = DataType::Struct(schema::struct_fields(fields));
            return Ok(new_null_array(&ty, array.len()));
        }
        return Err(unlike(path, "a record", array));
    };
    let arrays = fields
        .iter()
        .enumerate()
        .map(|(i, field)| {
            let name = schema::field_name(field, i);
            match find(record.fields(), &name).and_then(|i| record.columns().get(i)) {
                Some(array) => convert(array, &field.ty, &format!("{path}.{name}")),
                None => Ok(new_null_array(&schema::data_type(&field.ty), record.len())),
            }
            .and_then(|array| list::of_record(&array, record.nulls()).map_err(|e| misfit(path, e)))
        })
        .collect::<Result<Vec<_>, _>>()?;
    StructArray::try_new_with_length(
        schema::struct_fields(fields),
        arrays,
        record.nulls().cloned(),
        record.len(),
    )
    .map(|record| Arc::new(record) as ArrayRef)
    .map_err(|e| misfit(path, e))
}

/// Replaces lists of at most one element by that element.
fn only_elements(array: &ArrayRef, path: &str) -> Result<ArrayRef, Misfit> {
    let list = as_list(array, path)?;
    let mut indices = Vec::with_capacity(list.len());
    for (row, bounds) in list.offsets().windows(2).enumerate() {
        let [begin, end] = *bounds else { continue };
        indices.push(match end - begin {
            _ if list.is_null(row) => None,
            0 => None,
            1 => u32::try_from(begin).ok(),
            _ => {
                return Err((
                    path.to_owned(),
                    "holds more than one element, but the stream's schema marks the record as \
                     `singleton`: split the row in two, or remove `singleton` from the field and \
                     import the stream's files again"
                        .to_owned(),
                ));
            }
        });
    }
    take(list.values(), &UInt32Array::from(indices), None).map_err(|e| misfit(path, e))
}

fn one_element_lists(records: &ArrayRef, element: &Type) -> Result<ArrayRef, Misfit> {
    let lengths = (0..records.len()).map(|row| usize::from(records.is_valid(row)));
    let offsets = OffsetBuffer::from_lengths(lengths);
    let present: UInt32Array = (0u32..)
        .zip(0..records.len())
        .filter(|(_, row)| records.is_valid(*row))
        .map(|(index, _)| Some(index))
        .collect();
    take(records, &present, None)
        .and_then(|values| {
            ListArray::try_new(
                schema::list_item(element),
                offsets,
                values,
                records.nulls().cloned(),
            )
        })
        .map(|list| Arc::new(list) as ArrayRef)
        .map_err(|e| misfit("the file", e))
}

fn as_list(array: &ArrayRef, path: &str) -> Result<ListArray, Misfit> {
    match array.data_type() {
        DataType::List(_) => Ok(array.as_list::<i32>().clone()),
        DataType::LargeList(item) | DataType::FixedSizeList(item, _) | DataType::ListView(item) => {
            let ty = DataType::List(Arc::clone(item));
            let list = cast_with_options(array, &ty, &EXACT).map_err(|e| misfit(path, e))?;
            Ok(list.as_list::<i32>().clone())
        }
        DataType::Null => {
            let item = Arc::new(arrow::datatypes::Field::new_list_field(
                DataType::Null,
                true,
            ));
            Ok(ListArray::new_null(item, array.len()))
        }
        _ => Err(unlike(path, "a list", array)),
    }
}

/// A conversion that fails is an error, not NULL.
const EXACT: CastOptions<'_> = CastOptions {
    safe: false,
    format_options: arrow::util::display::FormatOptions::new(),
};

fn scalar(array: &ArrayRef, ty: &Type, path: &str) -> Result<ArrayRef, Misfit> {
    let target = schema::data_type(ty);
    let source = match array.data_type() {
        DataType::Dictionary(_, values) => values.as_ref(),
        other => other,
    };
    if source != &DataType::Null && !is_lossless(source, ty) {
        return Err(unlike(path, &ty.to_string(), array));
    }
    let converted = cast_with_options(array, &target, &EXACT).map_err(|e| misfit(path, e))?;
    if ty == &Type::Json
        && let Some(texts) = converted.as_string_opt::<i32>()
        && let Some(error) = texts
            .iter()
            .flatten()
            .find_map(|text| serde_json::from_str::<&serde_json::value::RawValue>(text).err())
    {
        return Err(misfit(
            path,
            format_args!("holds text that is not JSON: {error}"),
        ));
    }
    Ok(converted)
}

fn is_lossless(source: &DataType, ty: &Type) -> bool {
    match ty {
        Type::Bool => source == &DataType::Boolean,
        Type::Int64 => source.is_integer(),
        Type::Float64 => source.is_floating(),
        Type::Numeric => match source {
            DataType::Decimal128(_, scale) => *scale <= schema::NUMERIC_SCALE,
            other => other.is_integer(),
        },
        Type::BigNumeric => match source {
            DataType::Decimal128(_, scale) | DataType::Decimal256(_, scale) => {
                *scale <= schema::BIGNUMERIC_SCALE
            }
            other => other.is_integer(),
        },
        Type::String | Type::Json => {
            matches!(
                source,
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
            )
        }
        Type::Bytes => matches!(
            source,
            DataType::Binary
                | DataType::LargeBinary
                | DataType::BinaryView
                | DataType::FixedSizeBinary(_)
        ),
        Type::Date => source == &DataType::Date32,
        Type::Time => matches!(source, DataType::Time32(_) | DataType::Time64(_)),
        Type::Datetime => matches!(source, DataType::Timestamp(_, None)),
        // Integers count as microseconds, as in NDJSON.
        Type::Timestamp => matches!(source, DataType::Timestamp(..) | DataType::Int64),
        Type::Interval | Type::Array(_) | Type::Struct(_) => false,
    }
}

fn find(fields: &Fields, name: &str) -> Option<usize> {
    let exact = fields.iter().position(|f| f.name() == name);
    exact.or_else(|| {
        fields
            .iter()
            .position(|f| f.name().eq_ignore_ascii_case(name))
    })
}

fn misfit(path: &str, error: impl std::fmt::Display) -> Misfit {
    (path.to_owned(), error.to_string())
}

fn unlike(path: &str, expected: &str, array: &ArrayRef) -> Misfit {
    let found = match array.data_type() {
        DataType::Struct(_) => "a record".to_owned(),
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
            "a list".to_owned()
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => "a timestamp".to_owned(),
        other => other.to_string(),
    };
    (
        path.to_owned(),
        format!("expected {expected}, found a column of {found}"),
    )
}

/// Lists the leaves of the file that the stream does not have.
pub(super) fn unknown_fields(fields: &Fields, columns: &[Column], rows: u64) -> UnknownFields {
    let known: Vec<ir::Field> = columns.iter().map(Column::to_field).collect();
    let mut unknown = UnknownFields::default();
    add_unknown(fields, &known, "", rows, &mut unknown);
    unknown
}

fn add_unknown(
    fields: &Fields,
    known: &[ir::Field],
    parent: &str,
    rows: u64,
    unknown: &mut UnknownFields,
) {
    for field in fields {
        let path = if parent.is_empty() {
            field.name().clone()
        } else {
            format!("{parent}.{}", field.name())
        };
        let declared = known
            .iter()
            .find(|k| k.name.as_ref().is_some_and(|n| n.matches(field.name())));
        match declared {
            None => unknown.add(path, rows),
            Some(declared) => {
                let ty = declared.ty.element().unwrap_or(&declared.ty);
                let item = match field.data_type() {
                    DataType::List(item)
                    | DataType::LargeList(item)
                    | DataType::FixedSizeList(item, _) => item.data_type(),
                    other => other,
                };
                if let (DataType::Struct(inner), Some(known)) = (item, ty.fields()) {
                    add_unknown(inner, known, &path, rows, unknown);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use arrow::array::{
        BooleanArray, Int32Array, Int64Array, LargeStringArray, StringArray,
        TimestampNanosecondArray,
    };
    use arrow::datatypes::{Field, Schema};
    use serde_json::json;

    const SCHEMA: &str = r#"[
        {"name": "timestamp", "type": "TIMESTAMP", "mode": "REQUIRED"},
        {"name": "text", "type": "STRING"},
        {"name": "n", "type": "INTEGER"},
        {"name": "tags", "type": "STRING", "mode": "REPEATED"},
        {"name": "m", "type": "RECORD", "mode": "REPEATED", "singleton": true, "fields": [
            {"name": "a", "type": "INTEGER"}, {"name": "b", "type": "STRING"}]},
        {"name": "many", "type": "RECORD", "mode": "REPEATED", "fields": [
            {"name": "a", "type": "INTEGER"}]}
    ]"#;

    fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
        let fields: Vec<_> = columns
            .iter()
            .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
            .collect();
        let arrays = columns.into_iter().map(|(_, array)| array).collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
    }

    fn times() -> (&'static str, ArrayRef) {
        let times = TimestampNanosecondArray::from(vec![1_999, 2_000, 3_000]);
        ("Timestamp", Arc::new(times))
    }

    fn records() -> ArrayRef {
        let a: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(3)]));
        Arc::new(StructArray::from(vec![(
            Arc::new(Field::new("A", DataType::Int32, true)),
            a,
        )]))
    }

    fn lists(values: ArrayRef, lengths: [usize; 3]) -> ArrayRef {
        let item = Arc::new(Field::new("element", values.data_type().clone(), true));
        let offsets = OffsetBuffer::from_lengths(lengths);
        Arc::new(ListArray::new(item, offsets, values, None))
    }

    fn shown(columns: Vec<(&str, ArrayRef)>) -> Result<serde_json::Value, String> {
        let schema = crate::compiler::catalog::parse_schema(SCHEMA)?;
        let batch = conform(&batch(columns), &schema).map_err(|(p, m)| format!("{p}: {m}"))?;
        let rows = crate::warehouse::embedded::rows::encode(&schema, &batch);
        rows.map(|rows| json!(rows)).map_err(|e| e.to_string())
    }

    #[test]
    fn columns_of_other_writers_are_brought_to_the_schema() {
        let texts: ArrayRef = Arc::new(LargeStringArray::from(vec![Some("x"), None, Some("")]));
        let tags = lists(Arc::new(StringArray::from(vec!["a", "b"])), [2, 0, 0]);
        assert_eq!(
            shown(vec![
                ("tags", tags),
                ("M", lists(records(), [1, 1, 1])),
                times(),
                ("TEXT", texts),
                ("many", records()),
                ("other", Arc::new(BooleanArray::from(vec![true; 3]))),
            ]),
            Ok(json!([
                [1, "x", null, ["a", "b"], [{"a": 1, "b": null}], [{"a": 1}]],
                [2, null, null, [], [{"a": null, "b": null}], [{"a": null}]],
                [3, "", null, [], [{"a": 3, "b": null}], [{"a": 3}]],
            ]))
        );
        assert_eq!(
            shown(vec![
                times(),
                ("m", lists(records(), [0, 1, 0])),
                ("many", lists(records(), [2, 0, 1]))
            ]),
            Ok(json!([
                [1, null, null, [], [], [{"a": 1}, {"a": null}]],
                [2, null, null, [], [{"a": 1, "b": null}], []],
                [3, null, null, [], [], [{"a": 3}]],
            ]))
        );
    }

    #[test]
    fn columns_that_do_not_fit_are_named() {
        let numbers = || Arc::new(Int64Array::from(vec![1, 2, 3])) as ArrayRef;
        for (columns, expected) in [
            (
                vec![("n", numbers())],
                "timestamp: is required, and missing in some rows",
            ),
            (
                vec![times(), ("text", numbers())],
                "text: expected STRING, found a column of Int64",
            ),
            (
                vec![times(), ("m", numbers())],
                "m: expected a list, found a column of Int64",
            ),
            (
                vec![times(), ("many", lists(numbers(), [1, 1, 1]))],
                "many: expected a record, found a column of Int64",
            ),
            (
                vec![times(), ("m", lists(records(), [2, 1, 0]))],
                "m: holds more than one element, but the stream's schema marks the record as \
                 `singleton`: split the row in two, or remove `singleton` from the field and import \
                 the stream's files again",
            ),
        ] {
            assert_eq!(shown(columns), Err(expected.to_owned()));
        }
    }
}
