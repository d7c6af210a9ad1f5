//! Declared parameters: the types they may have and how a declaration reads.

use crate::compiler::Declaration;
use crate::compiler::ir::{Type, Value};

/// A declared parameter of an endpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Name and type.
    pub declaration: Declaration,
    /// What it means, in the operator's words; may be empty.
    pub description: String,
    /// Whether a call must give it, with more than an empty text.
    pub required: bool,
    /// Its value in calls that do not give it; NULL when absent. A required parameter has none.
    pub default: Option<Value>,
    /// The values it may have; any when empty. For an array, the values its elements may have.
    pub allowed: Vec<Value>,
}

impl Parameter {
    /// Returns the name as callers write it.
    #[must_use]
    pub fn name(&self) -> &str {
        self.declaration.name.as_str()
    }

    /// Returns the type as endpoint files write it, such as `string` or `int64[]`.
    #[must_use]
    pub fn type_name(&self) -> String {
        let ty = &self.declaration.ty;
        match ty.element() {
            Some(element) => format!("{}[]", element.to_string().to_lowercase()),
            None => ty.to_string().to_lowercase(),
        }
    }

    /// Returns the allowed values as JSON.
    #[must_use]
    pub fn allowed_values(&self) -> Vec<serde_json::Value> {
        let values = self.allowed.iter();
        values
            .filter_map(|value| match value {
                Value::String(text) => Some(text.to_string().into()),
                Value::Int64(number) => Some((*number).into()),
                // Only parameters of these two types have a list.
                _ => None,
            })
            .collect()
    }

    /// Returns the allowed values, each in backticks, or `None` when any value is.
    #[must_use]
    pub fn allowed_text(&self) -> Option<String> {
        let names: Vec<String> = self.allowed.iter().map(shown).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }
}

/// What happens to names in a call that are no parameter of the endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnknownParameters {
    /// They are left out and reported beside the result.
    #[default]
    Ignore,
    /// The call is refused.
    Reject,
}

/// Returns the type that an endpoint file names, or `None` when there is no such parameter type.
pub(super) fn parse_type(name: &str) -> Option<Type> {
    if let Some(element) = name.strip_suffix("[]") {
        return scalar(element).map(Type::array);
    }
    scalar(name)
}

/// The scalar types that a parameter may have, as endpoint files write them.
pub(super) const SCALARS: [(&str, Type); 6] = [
    ("string", Type::String),
    ("int64", Type::Int64),
    ("float64", Type::Float64),
    ("bool", Type::Bool),
    ("timestamp", Type::Timestamp),
    ("date", Type::Date),
];

fn scalar(name: &str) -> Option<Type> {
    SCALARS
        .iter()
        .find(|(scalar, _)| *scalar == name)
        .map(|(_, ty)| ty.clone())
}

/// Returns an allowed value in backticks. Only STRING and INT64 parameters have a list of them.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{text}`"),
        Value::Int64(number) => format!("`{number}`"),
        other => format!("`{other:?}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_by_name() {
        for (name, expected) in [
            ("string", Some("STRING")),
            ("int64", Some("INT64")),
            ("float64", Some("FLOAT64")),
            ("bool", Some("BOOL")),
            ("timestamp", Some("TIMESTAMP")),
            ("date", Some("DATE")),
            ("string[]", Some("ARRAY<STRING>")),
            ("date[]", Some("ARRAY<DATE>")),
            ("STRING", None),
            ("string[][]", None),
            ("json", None),
            ("", None),
        ] {
            let found = parse_type(name).map(|ty| ty.to_string());
            assert_eq!(found.as_deref(), expected, "{name}");
        }
    }
}
