//! Columns under construction.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryBuilder, BooleanBuilder, Date32Builder, Decimal128Builder, Decimal256Builder,
    Float64Builder, Int64Builder, ListArray, NullBufferBuilder, StringBuilder, StructArray,
    Time64MicrosecondBuilder, TimestampMicrosecondBuilder,
};
use arrow::buffer::{OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, FieldRef, Fields};
use arrow::error::ArrowError;

use super::super::super::schema;
use super::super::list;
use crate::compiler::ir::Type;

/// A named column of a row or record.
pub(super) struct Member {
    pub(super) name: Arc<str>,
    pub(super) node: Node,
}

/// A column under construction; `len` rows of it are filled.
pub(super) struct Node {
    pub(super) len: usize,
    pub(super) values: Values,
}

pub(super) enum Values {
    Bool(BooleanBuilder),
    Int64(Int64Builder),
    Float64(Float64Builder),
    Numeric(Decimal128Builder),
    BigNumeric(Decimal256Builder),
    String(StringBuilder),
    Json(StringBuilder),
    Bytes(BinaryBuilder),
    Date(Date32Builder),
    Time(Time64MicrosecondBuilder),
    Datetime(TimestampMicrosecondBuilder),
    Timestamp(TimestampMicrosecondBuilder),
    Record(Record),
    List(Box<List>),
    /// A type that no file can have; it is always NULL.
    Absent(DataType),
}

pub(super) struct Record {
    /// Whether the record stands for an array of at most one.
    pub(super) singleton: bool,
    pub(super) arrow: Fields,
    pub(super) members: Vec<Member>,
    pub(super) valid: NullBufferBuilder,
}

/// Arrays are never NULL: one that a row leaves out is empty.
pub(super) struct List {
    pub(super) item: FieldRef,
    pub(super) node: Node,
    pub(super) is_record: bool,
    pub(super) offsets: Vec<i32>,
}

impl Node {
    pub(super) fn new(ty: &Type) -> Self {
        let values = match ty {
            Type::Bool => Values::Bool(BooleanBuilder::new()),
            Type::Int64 => Values::Int64(Int64Builder::new()),
            Type::Float64 => Values::Float64(Float64Builder::new()),
            Type::Numeric => Values::Numeric(
                Decimal128Builder::new().with_data_type(schema::data_type(&Type::Numeric)),
            ),
            Type::BigNumeric => Values::BigNumeric(
                Decimal256Builder::new().with_data_type(schema::data_type(&Type::BigNumeric)),
            ),
            Type::String => Values::String(StringBuilder::new()),
            Type::Json => Values::Json(StringBuilder::new()),
            Type::Bytes => Values::Bytes(BinaryBuilder::new()),
            Type::Date => Values::Date(Date32Builder::new()),
            Type::Time => Values::Time(Time64MicrosecondBuilder::new()),
            Type::Datetime => Values::Datetime(TimestampMicrosecondBuilder::new()),
            Type::Timestamp => {
                Values::Timestamp(TimestampMicrosecondBuilder::new().with_timezone("UTC"))
            }
            Type::Interval => Values::Absent(schema::data_type(ty)),
            Type::Struct(fields) => Values::Record(Record::new(fields, false)),
            Type::Array(array) => match (array.singleton, &array.element) {
                (true, Type::Struct(fields)) => Values::Record(Record::new(fields, true)),
                (_, element) => Values::List(Box::new(List {
                    item: schema::list_item(element),
                    node: Node::new(element),
                    is_record: matches!(element, Type::Struct(_)),
                    offsets: vec![0],
                })),
            },
        };
        Self { len: 0, values }
    }

    /// Fills the column with NULL, or with empty arrays, up to a row.
    pub(super) fn pad(&mut self, row: usize) {
        let missing = row.saturating_sub(self.len);
        if missing == 0 {
            return;
        }
        match &mut self.values {
            Values::Bool(b) => b.append_nulls(missing),
            Values::Int64(b) => b.append_nulls(missing),
            Values::Float64(b) => b.append_nulls(missing),
            Values::Numeric(b) => b.append_nulls(missing),
            Values::BigNumeric(b) => b.append_nulls(missing),
            Values::String(b) | Values::Json(b) => b.append_nulls(missing),
            Values::Bytes(b) => b.append_nulls(missing),
            Values::Date(b) => b.append_nulls(missing),
            Values::Time(b) => b.append_nulls(missing),
            Values::Datetime(b) | Values::Timestamp(b) => b.append_nulls(missing),
            Values::Record(record) => record.valid.append_n_nulls(missing),
            Values::List(list) => {
                let last = list.offsets.last().copied().unwrap_or_default();
                list.offsets.resize(list.offsets.len() + missing, last);
            }
            Values::Absent(_) => {}
        }
        self.len = row;
    }

    pub(super) fn finish(&mut self, rows: usize) -> Result<ArrayRef, ArrowError> {
        self.pad(rows);
        self.len = 0;
        Ok(match &mut self.values {
            Values::Bool(b) => Arc::new(b.finish()),
            Values::Int64(b) => Arc::new(b.finish()),
            Values::Float64(b) => Arc::new(b.finish()),
            Values::Numeric(b) => Arc::new(b.finish()),
            Values::BigNumeric(b) => Arc::new(b.finish()),
            Values::String(b) | Values::Json(b) => Arc::new(b.finish()),
            Values::Bytes(b) => Arc::new(b.finish()),
            Values::Date(b) => Arc::new(b.finish()),
            Values::Time(b) => Arc::new(b.finish()),
            Values::Datetime(b) | Values::Timestamp(b) => Arc::new(b.finish()),
            Values::Record(record) => {
                let valid = record.valid.finish();
                let arrays = record
                    .members
                    .iter_mut()
                    .map(|m| list::of_record(&m.node.finish(rows)?, valid.as_ref()))
                    .collect::<Result<Vec<_>, ArrowError>>()?;
                Arc::new(StructArray::try_new_with_length(
                    record.arrow.clone(),
                    arrays,
                    valid,
                    rows,
                )?)
            }
            Values::List(list) => {
                let offsets = std::mem::replace(&mut list.offsets, vec![0]);
                let items = offsets.last().copied().unwrap_or_default();
                let values = list
                    .node
                    .finish(usize::try_from(items).unwrap_or_default())?;
                Arc::new(ListArray::try_new(
                    Arc::clone(&list.item),
                    OffsetBuffer::new(ScalarBuffer::from(offsets)),
                    values,
                    None,
                )?)
            }
            Values::Absent(ty) => arrow::array::new_null_array(ty, rows),
        })
    }

    /// What a value of the column looks like, for messages.
    pub(super) fn expected(&self) -> &'static str {
        match &self.values {
            Values::Bool(_) => "BOOL",
            Values::Int64(_) => "INT64",
            Values::Float64(_) => "FLOAT64",
            Values::Numeric(_) => "NUMERIC",
            Values::BigNumeric(_) => "BIGNUMERIC",
            Values::String(_) => "STRING",
            Values::Json(_) => "JSON",
            Values::Bytes(_) => "BYTES as base64",
            Values::Date(_) => "DATE as YYYY-MM-DD",
            Values::Time(_) => "TIME as HH:MM:SS",
            Values::Datetime(_) => "DATETIME as YYYY-MM-DDTHH:MM:SS",
            Values::Timestamp(_) => "TIMESTAMP as RFC 3339 text or integer microseconds",
            Values::Record(record) if record.singleton => {
                "an object, or an array of at most one object"
            }
            Values::Record(_) => "an object",
            Values::List(list) if list.is_record => "an array of objects",
            Values::List(_) => "an array",
            Values::Absent(_) => "null",
        }
    }
}

impl Record {
    pub(super) fn new(fields: &[crate::compiler::ir::Field], singleton: bool) -> Self {
        Self {
            singleton,
            arrow: schema::struct_fields(fields),
            members: fields
                .iter()
                .enumerate()
                .map(|(i, f)| Member {
                    name: Arc::from(schema::field_name(f, i).as_str()),
                    node: Node::new(&f.ty),
                })
                .collect(),
            valid: NullBufferBuilder::new(0),
        }
    }
}

impl Node {
    /// Returns whether the last row is NULL.
    pub(super) fn is_null_at_end(&self) -> bool {
        let Some(last) = self.len.checked_sub(1) else {
            return false;
        };
        let valid = match &self.values {
            Values::Bool(b) => b.validity_slice().map(|v| bit(v, last)),
            Values::Int64(b) => b.validity_slice().map(|v| bit(v, last)),
            Values::Float64(b) => b.validity_slice().map(|v| bit(v, last)),
            Values::Numeric(b) => b.validity_slice().map(|v| bit(v, last)),
            Values::BigNumeric(b) => b.validity_slice().map(|v| bit(v, last)),
            Values::String(b) | Values::Json(b) => b.validity_slice().map(|v| bit(v, last)),
            Values::Bytes(b) => b.validity_slice().map(|v| bit(v, last)),
            Values::Date(b) => b.validity_slice().map(|v| bit(v, last)),
            Values::Time(b) => b.validity_slice().map(|v| bit(v, last)),
            Values::Datetime(b) | Values::Timestamp(b) => b.validity_slice().map(|v| bit(v, last)),
            Values::Record(r) => r.valid.as_slice().map(|v| bit(v, last)),
            Values::List(_) => None,
            Values::Absent(_) => Some(false),
        };
        valid == Some(false)
    }
}

fn bit(bits: &[u8], index: usize) -> bool {
    bits.get(index / 8)
        .is_some_and(|byte| byte & (1 << (index % 8)) != 0)
}

impl List {
    pub(super) fn end_of_row(&mut self) -> Result<(), &'static str> {
        let end = i32::try_from(self.node.len).map_err(|_| "too many array elements")?;
        self.offsets.push(end);
        Ok(())
    }
}
