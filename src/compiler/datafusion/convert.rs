//! Casts. Those of records, and of arrays of them, go field by field: the engine's own would look for fields of the
//! same names.

use super::expr::{as_lists, field_name};
use super::print::{Printed, Printer, quoted, unsupported};
use super::types::{literal, string};
use crate::compiler::diagnostic::Span;
use crate::compiler::ir::{Expr, ExprKind, Field, Type, Value};

impl Printer {
    /// Prints a cast.
    pub(super) fn cast(&mut self, operand: &Expr, ty: &Type, safe: bool, span: Span) -> Printed {
        if let (Some(from), Some(to)) = (operand.ty.fields(), ty.fields())
            && operand.ty != *ty
            && !safe
            && let Some(parts) = parts(operand, from)
        {
            let mut items = Vec::with_capacity(parts.len());
            for (index, (part, field)) in parts.iter().zip(to).enumerate() {
                let value = if part.is_null_literal() {
                    literal(&Value::Null, &field.ty)
                } else {
                    self.cast(part, &field.ty, safe, span)?
                };
                items.push(format!("{}, {value}", string(&field_name(field, index))));
            }
            return Ok(format!("\"named_struct\"({})", items.join(", ")));
        }
        let text = self.expr(operand)?;
        let is_scalar = operand.ty.fields().or(ty.fields()).is_none() && ty.element().is_none();
        if operand.ty.same(ty) || operand.is_path() || is_scalar {
            return self.converted(&text, &operand.ty, ty, safe, span);
        }
        // What is computed is computed once: it is the only element of a list.
        let value = quoted(&self.parameter("value")).to_string();
        let converted = self.converted(&value, &operand.ty, ty, safe, span)?;
        Ok(format!(
            "\"only_row\"(\"array_transform\"(\"make_array\"({text}), {value} -> {converted}))"
        ))
    }

    /// Converts a value that is cheap to read more than once.
    fn converted(&mut self, text: &str, from: &Type, to: &Type, safe: bool, span: Span) -> Printed {
        if from == to {
            return Ok(text.to_owned());
        }
        if from.same(to) {
            return Ok(as_lists(text, from));
        }
        let lists = from.as_lists();
        if *from != lists {
            return self.converted(&as_lists(text, from), &lists, to, safe, span);
        }
        match (from, to) {
            (Type::Struct(from), Type::Struct(to)) if !safe => {
                let mut items = Vec::with_capacity(to.len());
                for (index, (old, new)) in from.iter().zip(to.iter()).enumerate() {
                    let name = string(&field_name(old, index));
                    let part = format!("\"get_field\"({text}, {name})");
                    let part = self.converted(&part, &old.ty, &new.ty, safe, span)?;
                    items.push(format!("{}, {part}", string(&field_name(new, index))));
                }
                let record = format!("\"named_struct\"({})", items.join(", "));
                Ok(format!(
                    "(CASE WHEN ({text} IS NOT NULL) THEN {record} END)"
                ))
            }
            (Type::Array(from), Type::Array(to)) if !safe => {
                let value = quoted(&self.parameter("value")).to_string();
                let element = self.converted(&value, &from.element, &to.element, safe, span)?;
                Ok(format!("\"array_transform\"({text}, {value} -> {element})"))
            }
            (_, to) => self.converted_scalar(text, to, safe, span),
        }
    }

    fn converted_scalar(&self, text: &str, to: &Type, safe: bool, span: Span) -> Printed {
        let target = match to {
            Type::Bool => "bool",
            Type::Int64 => "int64",
            Type::Float64 => "float64",
            Type::Numeric => "numeric",
            Type::String => "string",
            Type::Bytes => "bytes",
            Type::Date => "date",
            Type::Time => "time",
            Type::Datetime => "datetime",
            Type::Timestamp => "timestamp",
            Type::BigNumeric => {
                let instead = "write CAST(x AS NUMERIC), or CAST(x AS FLOAT64)";
                return Err(unsupported(span, "a cast to BIGNUMERIC", instead));
            }
            Type::Interval | Type::Json | Type::Array(_) | Type::Struct(_) => {
                let instead =
                    "convert its parts, and put them together: STRUCT(…), [x, y], PARSE_JSON(…)";
                return Err(unsupported(span, &format!("a cast to {to:#}"), instead));
            }
        };
        let safe = if safe { "safe_" } else { "" };
        Ok(format!("\"{safe}cast_to_{target}\"({text})"))
    }
}

/// Returns the fields of a record that is made where it is cast.
fn parts(record: &Expr, fields: &[Field]) -> Option<Vec<Expr>> {
    match &record.kind {
        ExprKind::Struct(items) => Some(items.clone()),
        ExprKind::Row(range) => fields
            .iter()
            .map(|field| {
                let column = field.name.clone()?;
                let kind = ExprKind::Column {
                    range: *range,
                    column,
                };
                Some(Expr::new(kind, field.ty.clone(), record.span))
            })
            .collect(),
        _ => None,
    }
}
