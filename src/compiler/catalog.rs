//! The schemas of the streams that stored queries read.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::ir::{Column, ColumnName, Field, StreamName, Type};

/// Every known stream with its columns. Streams of a stored query are looked up here, and nowhere else.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalog {
    streams: BTreeMap<StreamName, Vec<Column>>,
}

impl Catalog {
    /// Adds a stream, or replaces it.
    pub fn insert(&mut self, stream: StreamName, columns: Vec<Column>) {
        self.streams.insert(stream, columns);
    }

    /// Returns the columns of a stream. Names of streams are matched exactly, as table names are in
    /// BigQuery.
    #[must_use]
    pub fn stream(&self, name: &str) -> Option<(&StreamName, &[Column])> {
        self.streams
            .get_key_value(&StreamName::new(name))
            .map(|(name, columns)| (name, columns.as_slice()))
    }

    /// Returns all streams in the order of their names.
    pub fn streams(&self) -> impl Iterator<Item = (&StreamName, &[Column])> {
        self.streams
            .iter()
            .map(|(name, columns)| (name, columns.as_slice()))
    }
}

/// Reads a stream schema: BigQuery's `TableFieldSchema` JSON, an array of fields, with
/// `"singleton": true` beside `"mode": "REPEATED"` for records that hold at most one element.
///
/// # Errors
/// A message with line and column when the text is not such a schema.
pub fn parse_schema(json: &str) -> Result<Vec<Column>, String> {
    let fields: Vec<SchemaField> = serde_json::from_str(json).map_err(|e| e.to_string())?;
    if fields.is_empty() {
        return Err("a stream needs at least one column".into());
    }
    columns(&fields, "")
}

/// A field as BigQuery's REST API writes it (`tables.schema.fields`).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SchemaField {
    name: String,
    #[serde(rename = "type")]
    ty: String,
    #[serde(default)]
    mode: Option<String>,
    #[serde(default)]
    singleton: bool,
    #[serde(default)]
    fields: Vec<SchemaField>,
    #[serde(default, rename = "description")]
    _description: Option<String>,
}

fn columns(fields: &[SchemaField], parent: &str) -> Result<Vec<Column>, String> {
    let mut columns: Vec<Column> = Vec::with_capacity(fields.len());
    for field in fields {
        let path = if parent.is_empty() {
            field.name.clone()
        } else {
            format!("{parent}.{}", field.name)
        };
        if !is_identifier(&field.name) {
            return Err(format!("field `{path}` is not an identifier"));
        }
        if columns.iter().any(|c| c.name.matches(&field.name)) {
            return Err(format!("field `{path}` is declared twice"));
        }
        columns.push(Column {
            name: ColumnName::new(&field.name),
            ty: field_type(field, &path)?,
        });
    }
    Ok(columns)
}

fn field_type(field: &SchemaField, path: &str) -> Result<Type, String> {
    let element = match field.ty.to_ascii_uppercase().as_str() {
        "RECORD" | "STRUCT" => {
            if field.fields.is_empty() {
                return Err(format!("record `{path}` has no fields"));
            }
            Type::record(columns(&field.fields, path)?.iter().map(|c| Field {
                name: Some(c.name.clone()),
                ty: c.ty.clone(),
            }))
        }
        name => scalar_type(name)
            .ok_or_else(|| format!("field `{path}` has the unknown type `{name}`"))?,
    };
    if field.fields.is_empty() == matches!(element, Type::Struct(_)) {
        return Err(format!("field `{path}` has fields but is no record"));
    }
    match field.mode.as_deref().unwrap_or("NULLABLE") {
        "NULLABLE" | "REQUIRED" if field.singleton => Err(format!(
            "field `{path}` is marked `singleton` but is not REPEATED"
        )),
        "NULLABLE" | "REQUIRED" => Ok(element),
        "REPEATED" if field.singleton && !matches!(element, Type::Struct(_)) => Err(format!(
            "field `{path}` is marked `singleton` but is no record"
        )),
        "REPEATED" if field.singleton => Ok(Type::singleton(element)),
        "REPEATED" => Ok(Type::array(element)),
        other => Err(format!("field `{path}` has the unknown mode `{other}`")),
    }
}

/// Returns the scalar type that a schema names so, in upper case; both spellings of it are in use.
#[must_use]
pub fn scalar_type(name: &str) -> Option<Type> {
    Some(match name {
        "STRING" => Type::String,
        "BYTES" => Type::Bytes,
        "INTEGER" | "INT64" => Type::Int64,
        "FLOAT" | "FLOAT64" => Type::Float64,
        "NUMERIC" => Type::Numeric,
        "BIGNUMERIC" => Type::BigNumeric,
        "BOOLEAN" | "BOOL" => Type::Bool,
        "TIMESTAMP" => Type::Timestamp,
        "DATE" => Type::Date,
        "TIME" => Type::Time,
        "DATETIME" => Type::Datetime,
        "JSON" => Type::Json,
        _ => return None,
    })
}

/// Bytes of the longest name that a column can have.
///
/// Source: BigQuery manual, "Specify a schema", column names.
pub const NAME_BYTES: usize = 300;

/// Returns whether a name is one that printers can write: `[A-Za-z_][A-Za-z0-9_]{0,299}`.
#[must_use]
pub fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    name.len() <= NAME_BYTES
        && bytes
            .next()
            .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
