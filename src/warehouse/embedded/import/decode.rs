//! JSON rows into Arrow columns, driven by the stream's schema.
//!
//! A value goes straight from the JSON text into its column; there is no tree in between. Columns are
//! filled lazily: a field that a row does not name costs nothing until a later row names it. Conversions
//! are those that keep the value exactly; anything else is an error with the path of the field.

mod column;
mod number;
mod read;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use serde::de::DeserializeSeed as _;

use super::super::schema;
use crate::compiler::ir::Column;
use column::{Member, Node};
use read::RowSeed;

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
