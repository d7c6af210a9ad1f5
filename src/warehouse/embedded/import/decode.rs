//! JSON rows into Arrow columns, driven by the stream's schema.
//!
//! A value goes straight from the JSON text into its column; there is no tree in between. Columns are
//! filled lazily: a field that a row does not name costs nothing until a later row names it. Conversions
//! are those that keep the value exactly; anything else is an error with the path of the field.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryBuilder, BooleanBuilder, Date32Builder, Decimal128Builder, Decimal256Builder,
    Float64Builder, Int64Builder, ListArray, NullBufferBuilder, RecordBatch, StringBuilder,
    StructArray, Time64MicrosecondBuilder, TimestampMicrosecondBuilder,
};
use arrow::buffer::{OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, FieldRef, Fields, SchemaRef, i256};
use arrow::error::ArrowError;
use base64::Engine as _;
use serde::Deserialize as _;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::super::{civil, schema};
use super::list;
use crate::compiler::ir::{Column, Type};

/// Names of unknown fields beyond this many are only counted together.
const UNKNOWN_NAMES: usize = 256;

/// Fields that the schema does not have, by path, with the number of rows that had them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnknownFields {
    /// The count of each path.
    pub paths: BTreeMap<String, u64>,
    /// The count of those paths that no longer found room.
    pub others: u64,
}

impl UnknownFields {
    pub(super) fn add(&mut self, path: String, count: u64) {
        if self.paths.len() < UNKNOWN_NAMES || self.paths.contains_key(&path) {
            *self.paths.entry(path).or_default() += count;
        } else {
            self.others += count;
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.others += other.others;
        for (path, count) in other.paths {
            self.add(path, count);
        }
    }
}

/// Decodes rows of one stream into one batch.
pub(super) struct Decoder {
    schema: SchemaRef,
    root: Vec<Member>,
    required: Option<usize>,
    rows: usize,
    context: Context,
}

impl Decoder {
    pub(super) fn new(columns: &[Column]) -> Self {
        Self {
            schema: schema::file_schema(columns),
            root: columns
                .iter()
                .map(|c| Member {
                    name: Arc::from(c.name.as_str()),
                    node: Node::new(&c.ty),
                })
                .collect(),
            required: super::required_timestamp(columns),
            rows: 0,
            context: Context::default(),
        }
    }

    /// Adds one row: the text of one JSON object.
    ///
    /// # Errors
    /// What is wrong and at which field. The decoder must not be used afterwards.
    pub(super) fn push(&mut self, line: &[u8]) -> Result<(), String> {
        let row = self.rows;
        self.context.path.clear();
        let mut deserializer = serde_json::Deserializer::from_slice(line);
        let seed = RowSeed {
            members: &mut self.root,
            row,
            context: &mut self.context,
        };
        seed.deserialize(&mut deserializer)
            .and_then(|()| deserializer.end())
            .map_err(|e| self.context.message.take().unwrap_or_else(|| syntax(&e)))?;
        self.rows += 1;
        if let Some(member) = self.required.and_then(|i| self.root.get(i))
            && member.node.len <= row
        {
            return Err(format!("{}: is required and missing", member.name));
        }
        Ok(())
    }

    /// Returns the rows so far and begins anew.
    pub(super) fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        let rows = std::mem::take(&mut self.rows);
        let arrays = self
            .root
            .iter_mut()
            .map(|m| m.node.finish(rows))
            .collect::<Result<Vec<_>, _>>()?;
        RecordBatch::try_new(Arc::clone(&self.schema), arrays)
    }

    pub(super) fn take_unknown(&mut self) -> UnknownFields {
        std::mem::take(&mut self.context.unknown)
    }
}

/// The parser's own message without its "at line 1", which is not the line of the file.
fn syntax(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or(&text);
    format!("column {}: not JSON: {message}", error.column())
}

/// Where in a row the decoder is, and what it has to tell.
#[derive(Default)]
struct Context {
    path: Vec<Step>,
    message: Option<String>,
    unknown: UnknownFields,
}

enum Step {
    Field(Arc<str>),
    Index(usize),
}

impl Context {
    fn path(&self) -> String {
        let mut path = String::new();
        for step in &self.path {
            match step {
                Step::Field(name) => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                }
                Step::Index(index) => path.push_str(&format!("[{index}]")),
            }
        }
        path
    }

    fn fail<E: serde::de::Error>(&mut self, message: impl fmt::Display) -> E {
        self.message = Some(match self.path() {
            path if path.is_empty() => message.to_string(),
            path => format!("{path}: {message}"),
        });
        E::custom("")
    }
}

/// A named column of a row or record.
struct Member {
    name: Arc<str>,
    node: Node,
}

/// A column under construction; `len` rows of it are filled.
struct Node {
    len: usize,
    values: Values,
}

enum Values {
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

struct Record {
    /// Whether the record stands for an array of at most one.
    singleton: bool,
    arrow: Fields,
    members: Vec<Member>,
    valid: NullBufferBuilder,
}

/// Arrays are never NULL: one that a row leaves out is empty.
struct List {
    item: FieldRef,
    node: Node,
    is_record: bool,
    offsets: Vec<i32>,
}

impl Node {
    fn new(ty: &Type) -> Self {
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
    fn pad(&mut self, row: usize) {
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

    fn finish(&mut self, rows: usize) -> Result<ArrayRef, ArrowError> {
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
    fn expected(&self) -> &'static str {
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
    fn new(fields: &[crate::compiler::ir::Field], singleton: bool) -> Self {
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

/// Reads the object of one row or record into its members.
struct RowSeed<'a> {
    members: &'a mut [Member],
    row: usize,
    context: &'a mut Context,
}

impl<'de> DeserializeSeed<'de> for RowSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for RowSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one JSON object a line")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        members(self.members, self.row, self.context, map)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Err(self.mismatch("an array"))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        Err(self.mismatch(&shorten(&format!("{text:?}"))))
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        Err(self.mismatch("null"))
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        Err(self.mismatch(&value.to_string()))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        Err(self.mismatch(&value.to_string()))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        Err(self.mismatch(&value.to_string()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        Err(self.mismatch(&value.to_string()))
    }
}

impl RowSeed<'_> {
    fn mismatch<E: serde::de::Error>(self, found: &str) -> E {
        let expected = if self.context.path.is_empty() {
            "one JSON object a line"
        } else {
            "an object"
        };
        self.context
            .fail(format_args!("expected {expected}, found {found}"))
    }
}

fn members<'de, A: MapAccess<'de>>(
    members: &mut [Member],
    row: usize,
    context: &mut Context,
    mut map: A,
) -> Result<(), A::Error> {
    // Rows of one writer name their fields in one order, so the next field is mostly the next member.
    let mut expected = 0;
    loop {
        let key = KeySeed {
            members,
            expected,
            context,
        };
        let Some(found) = map.next_key_seed(key)? else {
            return Ok(());
        };
        let Some((index, member)) = found.and_then(|i| Some((i, members.get_mut(i)?))) else {
            map.next_value::<serde::de::IgnoredAny>()?;
            continue;
        };
        expected = index + 1;
        context.path.push(Step::Field(Arc::clone(&member.name)));
        map.next_value_seed(Slot {
            node: &mut member.node,
            row,
            context,
        })?;
        context.path.pop();
    }
}

/// Finds the member that a key names.
struct KeySeed<'a> {
    members: &'a [Member],
    expected: usize,
    context: &'a mut Context,
}

impl<'de> DeserializeSeed<'de> for KeySeed<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        let next = self.members.get(self.expected);
        if next.is_some_and(|m| &*m.name == key) {
            return Ok(Some(self.expected));
        }
        let exact = self.members.iter().position(|m| &*m.name == key);
        let found = exact.or_else(|| {
            self.members
                .iter()
                .position(|m| m.name.eq_ignore_ascii_case(key))
        });
        if found.is_none() {
            let parent = self.context.path();
            let path = if parent.is_empty() {
                key.to_owned()
            } else {
                format!("{parent}.{key}")
            };
            self.context.unknown.add(path, 1);
        }
        Ok(found)
    }
}

/// Reads one value into a row of a column.
struct Slot<'a> {
    node: &'a mut Node,
    row: usize,
    context: &'a mut Context,
}

impl<'de> DeserializeSeed<'de> for Slot<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.node.len > self.row {
            return Err(self.context.fail("the field is there twice"));
        }
        self.node.pad(self.row);
        match self.node.values {
            // Read as their text: a number's value may not survive a detour over the parser's types.
            Values::Float64(_) | Values::Numeric(_) | Values::BigNumeric(_) | Values::Json(_) => {
                let raw = <&RawValue>::deserialize(deserializer)?;
                self.text(raw.get())
            }
            Values::Bool(_)
            | Values::Int64(_)
            | Values::String(_)
            | Values::Bytes(_)
            | Values::Date(_)
            | Values::Time(_)
            | Values::Datetime(_)
            | Values::Timestamp(_)
            | Values::Record(_)
            | Values::List(_)
            | Values::Absent(_) => deserializer.deserialize_any(self),
        }
    }
}

impl Slot<'_> {
    fn mismatch<E: serde::de::Error>(self, found: impl fmt::Display) -> E {
        let expected = self.node.expected();
        self.context
            .fail(format_args!("expected {expected}, found {found}"))
    }

    fn null(self) {
        self.node.pad(self.row + 1);
    }

    /// Reads a value from its JSON text.
    fn text<E: serde::de::Error>(self, raw: &str) -> Result<(), E> {
        if raw == "null" {
            self.null();
            return Ok(());
        }
        let unquoted: Option<String> = serde_json::from_str(raw).ok();
        let text = unquoted.as_deref().unwrap_or(raw);
        let done = match &mut self.node.values {
            Values::Json(b) => {
                b.append_value(raw);
                true
            }
            Values::Float64(b) => float(text).map(|v| b.append_value(v)).is_some(),
            Values::Numeric(b) => decimal(text, 29, schema::NUMERIC_SCALE)
                .and_then(i256::to_i128)
                .map(|v| b.append_value(v))
                .is_some(),
            Values::BigNumeric(b) => decimal(text, 38, schema::BIGNUMERIC_SCALE)
                .map(|v| b.append_value(v))
                .is_some(),
            Values::Bool(_)
            | Values::Int64(_)
            | Values::String(_)
            | Values::Bytes(_)
            | Values::Date(_)
            | Values::Time(_)
            | Values::Datetime(_)
            | Values::Timestamp(_)
            | Values::Record(_)
            | Values::List(_)
            | Values::Absent(_) => false,
        };
        if done {
            self.node.len += 1;
            Ok(())
        } else {
            Err(self.mismatch(shorten(raw)))
        }
    }

    fn integer<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        match &mut self.node.values {
            Values::Int64(b) => b.append_value(value),
            Values::Timestamp(b) if civil::in_range(value) => b.append_value(value),
            _ => return Err(self.mismatch(value)),
        }
        self.node.len += 1;
        Ok(())
    }
}

impl<'de> Visitor<'de> for Slot<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.node.expected())
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        // A NULL in a required column is found when the row is complete, so it must not count as filled.
        if matches!(self.node.values, Values::Timestamp(_)) && self.context.path.len() == 1 {
            return Ok(());
        }
        self.null();
        Ok(())
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        let Values::Bool(b) = &mut self.node.values else {
            return Err(self.mismatch(value));
        };
        b.append_value(value);
        self.node.len += 1;
        Ok(())
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.integer(value)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        match i64::try_from(value) {
            Ok(value) => self.integer(value),
            Err(_) => Err(self.mismatch(value)),
        }
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        Err(self.mismatch(value))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        let done = match &mut self.node.values {
            Values::String(b) => {
                b.append_value(text);
                true
            }
            Values::Int64(b) => text.parse().map(|v| b.append_value(v)).is_ok(),
            Values::Timestamp(b) => civil::parse_timestamp(text)
                .map(|v| b.append_value(v))
                .is_some(),
            Values::Datetime(b) => civil::parse_datetime(text)
                .map(|v| b.append_value(v))
                .is_some(),
            Values::Date(b) => civil::parse_date(text).map(|v| b.append_value(v)).is_some(),
            Values::Time(b) => civil::parse_time(text).map(|v| b.append_value(v)).is_some(),
            Values::Bytes(b) => base64::engine::general_purpose::STANDARD
                .decode(text)
                .map(|v| b.append_value(v))
                .is_ok(),
            Values::Bool(_)
            | Values::Float64(_)
            | Values::Numeric(_)
            | Values::BigNumeric(_)
            | Values::Json(_)
            | Values::Record(_)
            | Values::List(_)
            | Values::Absent(_) => false,
        };
        if done {
            self.node.len += 1;
            Ok(())
        } else {
            let found = format!("{text:?}");
            Err(self.mismatch(shorten(&found)))
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        match &mut self.node.values {
            Values::Record(record) => {
                record.valid.append_non_null();
                members(&mut record.members, self.row, self.context, map)?;
            }
            Values::List(list) if list.is_record => {
                let index = list.node.len;
                if let Values::Record(record) = &mut list.node.values {
                    record.valid.append_non_null();
                    members(&mut record.members, index, self.context, map)?;
                }
                list.node.len += 1;
                list.end_of_row().map_err(A::Error::custom)?;
            }
            _ => return Err(self.mismatch("an object")),
        }
        self.node.len += 1;
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Self { node, row, context } = self;
        match &mut node.values {
            Values::Record(record) if record.singleton => {
                context.path.push(Step::Index(0));
                let element = RowSeed {
                    members: &mut record.members,
                    row,
                    context,
                };
                let present = seq.next_element_seed(element)?.is_some();
                context.path.pop();
                if !present {
                    record.valid.append_null();
                } else if seq.next_element::<serde::de::IgnoredAny>()?.is_some() {
                    return Err(context.fail(
                        "holds more than one element, but the stream's schema marks the record as \
                         `singleton`: split the row in two, or remove `singleton` from the field and \
                         import the stream's files again",
                    ));
                } else {
                    record.valid.append_non_null();
                }
            }
            Values::List(list) => {
                for index in 0.. {
                    context.path.push(Step::Index(index));
                    let item = list.node.len;
                    let element = Slot {
                        node: &mut list.node,
                        row: item,
                        context,
                    };
                    if seq.next_element_seed(element)?.is_none() {
                        context.path.pop();
                        break;
                    }
                    if list.node.is_null_at_end() {
                        return Err(context.fail("an array cannot hold null"));
                    }
                    context.path.pop();
                }
                list.end_of_row().map_err(A::Error::custom)?;
            }
            _ => {
                let slot = Slot { node, row, context };
                return Err(slot.mismatch("an array"));
            }
        }
        node.len += 1;
        Ok(())
    }
}

impl Node {
    /// Returns whether the last row is NULL.
    fn is_null_at_end(&self) -> bool {
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
    fn end_of_row(&mut self) -> Result<(), &'static str> {
        let end = i32::try_from(self.node.len).map_err(|_| "too many array elements")?;
        self.offsets.push(end);
        Ok(())
    }
}

/// Reads a FLOAT64: decimal text, or the names of the values that JSON numbers lack.
fn float(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ if text
            .bytes()
            .all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b)) =>
        {
            text.parse().ok().filter(|v: &f64| v.is_finite())
        }
        _ => None,
    }
}

/// Reads decimal text exactly, as an integer of units of the last of `scale` places.
fn decimal(text: &str, whole_digits: usize, scale: i8) -> Option<i256> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let negative = mantissa.starts_with('-');
    let unsigned = mantissa.strip_prefix(['-', '+']).unwrap_or(mantissa);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    let trailing = i32::try_from(digits.len() - significant.len()).ok()?;
    let places = i32::try_from(fraction.len()).ok()?;
    // The value is `significant` times ten to this power.
    let power = exponent.checked_sub(places)?.checked_add(trailing)?;
    if significant.is_empty() {
        return Some(i256::ZERO);
    }
    let zeros = usize::try_from(power.checked_add(i32::from(scale))?).ok()?;
    let limit = whole_digits + usize::try_from(scale).ok()?;
    if significant.len().checked_add(zeros)? > limit {
        return None;
    }
    let value = i256::from_string(&format!("{significant}{}", "0".repeat(zeros)))?;
    Some(if negative {
        value.wrapping_neg()
    } else {
        value
    })
}

/// Keeps a message readable whatever the value.
fn shorten(text: &str) -> String {
    const CHARS: usize = 60;
    if text.chars().count() <= CHARS {
        return text.to_owned();
    }
    text.chars().take(CHARS).chain("…".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r#"[
        {"name": "timestamp", "type": "TIMESTAMP", "mode": "REQUIRED"},
        {"name": "text", "type": "STRING"},
        {"name": "n", "type": "INTEGER"},
        {"name": "x", "type": "FLOAT"},
        {"name": "b", "type": "BOOLEAN"},
        {"name": "d", "type": "NUMERIC"},
        {"name": "j", "type": "JSON"},
        {"name": "raw", "type": "BYTES"},
        {"name": "tags", "type": "STRING", "mode": "REPEATED"},
        {"name": "metadata", "type": "RECORD", "mode": "REPEATED", "singleton": true, "fields": [
            {"name": "request", "type": "RECORD", "mode": "REPEATED", "singleton": true, "fields": [
                {"name": "status_code", "type": "INTEGER"}]}]},
        {"name": "many", "type": "RECORD", "mode": "REPEATED", "fields": [
            {"name": "k", "type": "STRING"}]}
    ]"#;

    /// Decodes rows that each get a timestamp, and returns them as the engine's results show them.
    fn decode(rows: &[&str]) -> Result<Vec<String>, String> {
        let columns = crate::compiler::catalog::parse_schema(SCHEMA)?;
        let mut decoder = Decoder::new(&columns);
        for row in rows {
            let row = row.replacen('{', r#"{"timestamp": 7, "#, 1);
            decoder.push(row.replace(", }", "}").as_bytes())?;
        }
        let batch = decoder.finish().map_err(|e| e.to_string())?;
        let shown =
            super::super::super::rows::encode(&columns, &batch).map_err(|e| e.to_string())?;
        Ok(shown
            .into_iter()
            .map(|values| {
                columns
                    .iter()
                    .zip(values)
                    .skip(1)
                    .filter(|(_, v)| !v.is_null() && *v != serde_json::json!([]))
                    .map(|(c, v)| format!("{}={v}", c.name))
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect())
    }

    #[track_caller]
    fn check(row: &str, expected: &str) {
        assert_eq!(decode(&[row]), Ok(vec![expected.to_owned()]), "{row}");
    }

    #[track_caller]
    fn refuse(row: &str, expected: &str) {
        assert_eq!(decode(&[row]), Err(expected.to_owned()), "{row}");
    }

    #[test]
    fn values_are_kept_exactly() {
        for (row, expected) in [
            (r"{}", ""),
            (r#"{"text":"é\n"}"#, r#"text="é\n""#),
            (r#"{"n":-9223372036854775808}"#, "n=-9223372036854775808"),
            (r#"{"n":"42","TEXT":"a"}"#, r#"text="a" n=42"#),
            (r#"{"x":0.1}"#, "x=0.1"),
            (r#"{"x":7}"#, "x=7.0"),
            (r#"{"x":"NaN"}"#, r#"x="NaN""#),
            (r#"{"x":"-Infinity","b":false}"#, r#"x="-Infinity" b=false"#),
            (r#"{"d":12.50}"#, r#"d="12.5""#),
            (r#"{"d":"-0.000000001"}"#, r#"d="-0.000000001""#),
            (r#"{"d":1e3}"#, r#"d="1000""#),
            (r#"{"j":{"a":[1,null]}}"#, r#"j={"a":[1,null]}"#),
            (r#"{"raw":"/wA="}"#, r#"raw="/wA=""#),
            (r#"{"tags":["a","b"]}"#, r#"tags=["a","b"]"#),
            (r#"{"many":{"k":"v"}}"#, r#"many=[{"k":"v"}]"#),
            (
                r#"{"many":[{"k":"v"},{}]}"#,
                r#"many=[{"k":"v"},{"k":null}]"#,
            ),
            (
                r#"{"metadata":{"request":{"status_code":200}}}"#,
                r#"metadata=[{"request":[{"status_code":200}]}]"#,
            ),
            (
                r#"{"metadata":[{"request":[{"status_code":200}]}]}"#,
                r#"metadata=[{"request":[{"status_code":200}]}]"#,
            ),
            (
                r#"{"metadata":[{"request":[]}]}"#,
                r#"metadata=[{"request":[]}]"#,
            ),
            (r#"{"metadata":[]}"#, ""),
            (r#"{"metadata":null}"#, ""),
        ] {
            check(row, expected);
        }
    }

    #[test]
    fn a_value_of_another_type_is_refused_with_its_path() {
        for (row, expected) in [
            (
                r#"{"metadata":{"request":{"status_code":"abc"}}}"#,
                r#"metadata.request.status_code: expected INT64, found "abc""#,
            ),
            (r#"{"n":1.5}"#, "n: expected INT64, found 1.5"),
            (
                r#"{"n":9223372036854775808}"#,
                "n: expected INT64, found 9223372036854775808",
            ),
            (r#"{"text":5}"#, "text: expected STRING, found 5"),
            (r#"{"text":true}"#, "text: expected STRING, found true"),
            (r#"{"text":{}}"#, "text: expected STRING, found an object"),
            (r#"{"x":"abc"}"#, r#"x: expected FLOAT64, found "abc""#),
            (
                r#"{"d":0.0000000001}"#,
                "d: expected NUMERIC, found 0.0000000001",
            ),
            (r#"{"tags":"a"}"#, r#"tags: expected an array, found "a""#),
            (
                r#"{"tags":["a",null]}"#,
                "tags[1]: an array cannot hold null",
            ),
            (r#"{"tags":["a",1]}"#, "tags[1]: expected STRING, found 1"),
            (r#"{"n":1,"n":2}"#, "n: the field is there twice"),
            (
                r#"{"metadata":"x"}"#,
                r#"metadata: expected an object, or an array of at most one object, found "x""#,
            ),
            (
                r#"{"metadata":{"request":[{},{}]}}"#,
                "metadata.request: holds more than one element, but the stream's schema marks the \
                 record as `singleton`: split the row in two, or remove `singleton` from the field \
                 and import the stream's files again",
            ),
        ] {
            refuse(row, expected);
        }
    }

    #[test]
    fn rows_may_differ_in_their_fields() {
        assert_eq!(
            decode(&[
                r#"{"n":1}"#,
                "{}",
                r#"{"metadata":{"request":{"status_code":1}},"tags":["a"]}"#,
                r#"{"text":"late"}"#,
                r#"{"metadata":[{}],"many":[{"k":"v"}]}"#,
            ]),
            Ok(vec![
                "n=1".into(),
                String::new(),
                r#"tags=["a"] metadata=[{"request":[{"status_code":1}]}]"#.into(),
                r#"text="late""#.into(),
                r#"metadata=[{"request":[]}] many=[{"k":"v"}]"#.into(),
            ])
        );
    }

    #[test]
    fn the_timestamp_is_required() {
        let columns = crate::compiler::catalog::parse_schema(SCHEMA).unwrap();
        for (row, expected) in [
            ("{}", "timestamp: is required and missing"),
            (
                r#"{"timestamp":null}"#,
                "timestamp: is required and missing",
            ),
            (
                r#"{"timestamp":"yesterday"}"#,
                "timestamp: expected TIMESTAMP as RFC 3339 text or integer microseconds, found \"yesterday\"",
            ),
            ("[]", "expected one JSON object a line, found an array"),
            ("3", "expected one JSON object a line, found 3"),
            (
                r#"{"timestamp":1"#,
                "column 14: not JSON: EOF while parsing an object",
            ),
            (
                r#"{"timestamp":1} x"#,
                "column 17: not JSON: trailing characters",
            ),
        ] {
            let message = Decoder::new(&columns).push(row.as_bytes()).unwrap_err();
            assert_eq!(message, expected, "{row}");
        }
    }

    #[test]
    fn unknown_fields_are_counted_by_path() {
        let columns = crate::compiler::catalog::parse_schema(SCHEMA).unwrap();
        let mut decoder = Decoder::new(&columns);
        for _ in 0..2 {
            decoder
                .push(br#"{"timestamp":1,"new":{"a":1},"metadata":{"request":{"zone":"x"}}}"#)
                .unwrap();
        }
        let unknown = decoder.take_unknown();
        assert_eq!(
            unknown.paths.into_iter().collect::<Vec<_>>(),
            [("metadata.request.zone".into(), 2), ("new".into(), 2)]
        );
    }
}
