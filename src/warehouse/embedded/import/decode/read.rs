//! Rows of JSON read into columns.

use std::fmt;
use std::sync::Arc;

use arrow::datatypes::i256;
use base64::Engine as _;
use serde::Deserialize as _;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::super::super::{civil, schema};
use super::column::{Member, Node, Values};
use super::number::{decimal, float};
use super::{Context, Step};

/// Reads the object of one row or record into its members.
pub(super) struct RowSeed<'a> {
    pub(super) members: &'a mut [Member],
    pub(super) row: usize,
    pub(super) context: &'a mut Context,
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

    /// Counts a value that the column took, or tells what was found in place of one that it takes.
    fn end<E: serde::de::Error>(self, done: bool, found: impl FnOnce() -> String) -> Result<(), E> {
        if !done {
            return Err(self.mismatch(shorten(&found())));
        }
        self.node.len += 1;
        Ok(())
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
        self.end(done, || raw.to_owned())
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
        self.end(done, || format!("{text:?}"))
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

/// Keeps a message readable whatever the value.
fn shorten(text: &str) -> String {
    const CHARS: usize = 60;
    if text.chars().count() <= CHARS {
        return text.to_owned();
    }
    text.chars().take(CHARS).chain("…".chars()).collect()
}
