//! Redaction: a function of the engine that works on values of any type.

use super::print::{Printed, Printer};
use super::types::string;
use crate::compiler::ir::{Expr, Type};
use crate::compiler::redaction::Redaction;

impl Printer {
    /// Prints `redact(value, leaves, rule, …)`: a built-in rule is its name, any other `=` and its pattern.
    pub(super) fn redact(&mut self, operand: &Expr, redaction: &Redaction) -> Printed {
        let mut text = format!(
            "\"redact\"({}, {}",
            self.expr(operand)?,
            string(&leaves(&operand.ty))
        );
        for rule in redaction.rules() {
            text.push_str(", ");
            text.push_str(&string(&rule.key()));
        }
        text.push(')');
        Ok(text)
    }
}

/// Says of the leaves of a value what the storage does not: `t` for text, `j` for JSON, `b` for bytes, `.` for
/// anything else; a STRUCT is its fields in parentheses, an ARRAY what its elements are.
fn leaves(ty: &Type) -> String {
    match ty {
        Type::String => "t".to_owned(),
        Type::Json => "j".to_owned(),
        Type::Bytes => "b".to_owned(),
        Type::Array(array) => leaves(&array.element),
        Type::Struct(fields) => {
            let fields: Vec<String> = fields.iter().map(|field| leaves(&field.ty)).collect();
            format!("({})", fields.concat())
        }
        Type::Bool
        | Type::Int64
        | Type::Float64
        | Type::Numeric
        | Type::BigNumeric
        | Type::Date
        | Type::Time
        | Type::Datetime
        | Type::Timestamp
        | Type::Interval => ".".to_owned(),
    }
}
