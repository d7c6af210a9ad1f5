//! GoogleSQL types as Arrow types: of the stored files, and of the tables as the engine reads them.
//!
//! The two differ only in the top-level text columns, which the engine reads as views into the decoded
//! pages. Nested text stays as it is stored: the engine does not account for views inside records.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Fields, IntervalUnit, Schema, SchemaRef, TimeUnit};

use crate::compiler::ir::{self, Column, Type};

/// Decimal places of NUMERIC.
pub const NUMERIC_SCALE: i8 = 9;
/// Decimal places of BIGNUMERIC.
pub const BIGNUMERIC_SCALE: i8 = 38;

/// Returns the schema of a stream's files. Every column may be NULL.
#[must_use]
pub fn file_schema(columns: &[Column]) -> SchemaRef {
    Arc::new(Schema::new(
        columns
            .iter()
            .map(|c| Field::new(c.name.as_str(), data_type(&c.ty), true))
            .collect::<Vec<_>>(),
    ))
}

/// Returns the schema of a stream's table in the engine.
#[must_use]
pub fn table_schema(columns: &[Column]) -> SchemaRef {
    Arc::new(Schema::new(
        columns
            .iter()
            .map(|c| {
                let stored = match data_type(&c.ty) {
                    DataType::Utf8 => DataType::Utf8View,
                    DataType::Binary => DataType::BinaryView,
                    other => other,
                };
                Field::new(c.name.as_str(), stored, true)
            })
            .collect::<Vec<_>>(),
    ))
}

/// Returns the Arrow type that values of a type are stored as. An array that is stored as its only
/// element has the type of that element, and NULL stands for the empty array.
#[must_use]
pub fn data_type(ty: &Type) -> DataType {
    match ty {
        Type::Bool => DataType::Boolean,
        Type::Int64 => DataType::Int64,
        Type::Float64 => DataType::Float64,
        Type::Numeric => DataType::Decimal128(38, NUMERIC_SCALE),
        Type::BigNumeric => DataType::Decimal256(76, BIGNUMERIC_SCALE),
        Type::String | Type::Json => DataType::Utf8,
        Type::Bytes => DataType::Binary,
        Type::Date => DataType::Date32,
        Type::Time => DataType::Time64(TimeUnit::Microsecond),
        Type::Datetime => DataType::Timestamp(TimeUnit::Microsecond, None),
        Type::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        Type::Interval => DataType::Interval(IntervalUnit::MonthDayNano),
        Type::Array(array) if array.singleton => data_type(&array.element),
        Type::Array(array) => DataType::List(list_item(&array.element)),
        Type::Struct(fields) => DataType::Struct(struct_fields(fields)),
    }
}

/// Returns the field that holds the elements of a list.
#[must_use]
pub fn list_item(element: &Type) -> Arc<Field> {
    Arc::new(Field::new_list_field(data_type(element), true))
}

/// Returns the Arrow fields of a record.
#[must_use]
pub fn struct_fields(fields: &[ir::Field]) -> Fields {
    fields
        .iter()
        .enumerate()
        .map(|(i, f)| Field::new(field_name(f, i), data_type(&f.ty), true))
        .collect()
}

/// Returns the name of a record's field in results; one without a name is called by its place.
#[must_use]
pub fn field_name(field: &ir::Field, index: usize) -> String {
    field.result_name(index)
}
