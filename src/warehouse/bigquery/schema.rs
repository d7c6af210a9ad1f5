//! Physical schemas: as the schema file of a stream, and compared with the one that is in use.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::wire::TableField;
use crate::compiler::catalog::{is_identifier, scalar_type};
use crate::compiler::ir::{Column, Type};

/// Returns whether a type name is that of a record.
pub(super) fn is_record(name: &str) -> bool {
    matches!(name, "RECORD" | "STRUCT")
}

/// Returns the scalar type that a result's schema names so.
pub(super) fn scalar(name: &str) -> Option<Type> {
    match name {
        // No column of a table has it, so the schema of a stream does not.
        "INTERVAL" => Some(Type::Interval),
        other => scalar_type(other),
    }
}

/// A schema file, and the fields that it cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pulled {
    /// The text of the file: a JSON array of fields.
    pub text: String,
    /// The path of each field that is left out, with the reason.
    pub left_out: Vec<String>,
}

/// Returns the fields of a table as the schema file of a stream. `known` is the stream as it is in use; what
/// is a singleton there stays one where it is still a repeated record.
pub(super) fn pull(fields: &[TableField], known: &[Column]) -> Pulled {
    let known: BTreeMap<&str, &Type> = known.iter().map(|c| (c.name.as_str(), &c.ty)).collect();
    let mut left_out = Vec::new();
    let fields = pull_fields(fields, &known, "", &mut left_out);
    let mut text = format!("{:#}", Value::Array(fields));
    text.push('\n');
    Pulled { text, left_out }
}

fn pull_fields(
    fields: &[TableField],
    known: &BTreeMap<&str, &Type>,
    parent: &str,
    left_out: &mut Vec<String>,
) -> Vec<Value> {
    fields
        .iter()
        .filter_map(|field| {
            let known = known.get(field.name.as_str()).copied();
            match pull_field(field, known, parent, left_out) {
                Ok(field) => Some(field),
                Err(reason) => {
                    left_out.push(format!("{parent}{}: {reason}", field.name));
                    None
                }
            }
        })
        .collect()
}

fn pull_field(
    field: &TableField,
    known: Option<&Type>,
    parent: &str,
    left_out: &mut Vec<String>,
) -> Result<Value, String> {
    if !is_identifier(&field.name) {
        return Err("its name is not an identifier".into());
    }
    let mut out = Map::new();
    out.insert("name".into(), json!(field.name));
    out.insert("type".into(), json!(field.ty));
    let mode = field.mode.as_deref().unwrap_or("NULLABLE");
    out.insert("mode".into(), json!(mode));
    if is_record(&field.ty) {
        if mode == "REPEATED" && known.is_some_and(Type::is_singleton) {
            out.insert("singleton".into(), json!(true));
        }
        let inner = known.map(|known| known.element().unwrap_or(known));
        let inner: BTreeMap<&str, &Type> = inner
            .and_then(Type::fields)
            .unwrap_or_default()
            .iter()
            .filter_map(|f| Some((f.name.as_ref()?.as_str(), &f.ty)))
            .collect();
        let path = format!("{parent}{}.", field.name);
        let fields = pull_fields(&field.fields, &inner, &path, left_out);
        if fields.is_empty() {
            return Err("no field of it can be used".into());
        }
        out.insert("fields".into(), Value::Array(fields));
    } else if scalar_type(&field.ty).is_none() {
        return Err(format!("the type {} is not supported", field.ty));
    }
    if let Some(description) = &field.description {
        out.insert("description".into(), json!(description));
    }
    Ok(Value::Object(out))
}

/// Returns in which ways a table is not what the stream in use says: columns that are gone or have another
/// type. What the table has more is no difference.
pub(super) fn differences(fields: &[TableField], known: &[Column]) -> Vec<String> {
    let mut out = Vec::new();
    let known = known.iter().map(|c| (c.name.as_str(), &c.ty));
    compare(fields, known, "", &mut out);
    out
}

fn compare<'a>(
    fields: &[TableField],
    known: impl Iterator<Item = (&'a str, &'a Type)>,
    parent: &str,
    out: &mut Vec<String>,
) {
    for (name, ty) in known {
        let path = format!("{parent}{name}");
        // Names of columns do not depend on case.
        let Some(field) = fields.iter().find(|f| f.name.eq_ignore_ascii_case(name)) else {
            out.push(format!("{path}: is not in the table"));
            continue;
        };
        let is_repeated = field.mode.as_deref() == Some("REPEATED");
        let element = ty.element().unwrap_or(ty);
        let is_same = match element {
            Type::Struct(_) => is_record(&field.ty),
            other => scalar_type(&field.ty).as_ref() == Some(other),
        };
        if is_repeated != ty.element().is_some() || !is_same {
            let mode = if is_repeated { "REPEATED " } else { "" };
            out.push(format!(
                "{path}: is {mode}{} in the table, not {ty:#}",
                field.ty
            ));
            continue;
        }
        let inner = element.fields().unwrap_or_default();
        let inner = inner
            .iter()
            .filter_map(|f| Some((f.name.as_ref()?.as_str(), &f.ty)));
        compare(
            &field.fields,
            inner.collect::<Vec<_>>().into_iter(),
            &format!("{path}."),
            out,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::catalog::parse_schema;

    fn fields(json: Value) -> Vec<TableField> {
        serde_json::from_value(json).unwrap()
    }

    fn table() -> Vec<TableField> {
        fields(json!([
            {"name": "id", "type": "STRING", "mode": "REQUIRED", "maxLength": "36"},
            {"name": "at", "type": "TIMESTAMP", "description": "when"},
            {"name": "place", "type": "GEOGRAPHY"},
            {"name": "größe", "type": "INTEGER"},
            {"name": "metadata", "type": "RECORD", "mode": "REPEATED", "fields": [
                {"name": "n", "type": "INTEGER"},
                {"name": "span", "type": "RANGE", "rangeElementType": {"type": "DATE"}},
            ]},
            {"name": "empty", "type": "RECORD", "fields": [{"name": "g", "type": "GEOGRAPHY"}]},
        ]))
    }

    #[test]
    fn a_pulled_schema_is_the_schema_of_a_stream() {
        let known = parse_schema(
            r#"[{"name": "metadata", "type": "RECORD", "mode": "REPEATED", "singleton": true,
                 "fields": [{"name": "n", "type": "STRING"}]}]"#,
        )
        .unwrap();
        let pulled = pull(&table(), &known);
        let found: Value = serde_json::from_str(&pulled.text).unwrap();
        assert_eq!(
            found,
            json!([
                {"name": "id", "type": "STRING", "mode": "REQUIRED"},
                {"name": "at", "type": "TIMESTAMP", "mode": "NULLABLE", "description": "when"},
                {"name": "metadata", "type": "RECORD", "mode": "REPEATED", "singleton": true,
                 "fields": [{"name": "n", "type": "INTEGER", "mode": "NULLABLE"}]},
            ])
        );
        assert_eq!(
            pulled.left_out,
            [
                "place: the type GEOGRAPHY is not supported",
                "größe: its name is not an identifier",
                "metadata.span: the type RANGE is not supported",
                "empty.g: the type GEOGRAPHY is not supported",
                "empty: no field of it can be used",
            ]
        );
        let columns = parse_schema(&pulled.text).unwrap();
        assert_eq!(differences(&table(), &columns), Vec::<String>::new());
        assert_eq!(pull(&table(), &columns), pulled);
    }

    #[test]
    fn what_is_gone_or_changed_is_a_difference() {
        let known = parse_schema(
            r#"[{"name": "id", "type": "INTEGER"}, {"name": "AT", "type": "TIMESTAMP"},
                {"name": "gone", "type": "STRING"},
                {"name": "metadata", "type": "RECORD", "mode": "REPEATED",
                 "fields": [{"name": "n", "type": "INTEGER", "mode": "REPEATED"}]}]"#,
        )
        .unwrap();
        assert_eq!(
            differences(&table(), &known),
            [
                "id: is STRING in the table, not INT64",
                "gone: is not in the table",
                "metadata.n: is INTEGER in the table, not ARRAY<INT64>",
            ]
        );
    }
}
