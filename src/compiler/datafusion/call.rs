//! Calls of functions: what the engine lacks, and what it has only in another form.

use super::operator::{AS_FLOAT, float_comparison};
use super::print::{Printed, Printer, unsupported};
use super::types::{arrow_type, string};
use crate::compiler::analyze::functions::{Embedded, Function};
use crate::compiler::diagnostic::{Diagnostic, Span};
use crate::compiler::ir::{BinaryOp, Expr, ExprKind, Type, Value};
use crate::compiler::strftime::{Format, Has};

/// The only field of a record that stands for a JSON document among values of other types. No query can
/// name a field like this.
const DOCUMENT: &str = "(json)";

/// Refuses a function that the engine lacks, for these arguments or for any.
pub(super) fn check_available(
    function: &Function,
    args: &[Expr],
    span: Span,
) -> Result<(), Box<Diagnostic>> {
    if let Embedded::Absent(instead) = function.embedded {
        return Err(unsupported(span, function.name, instead));
    }
    let lacking = args
        .iter()
        .map(|arg| arg.ty.element().unwrap_or(&arg.ty))
        .find(|ty| function.without.iter().any(|without| without.ty() == **ty));
    match lacking {
        Some(ty) => {
            let help = if ty.is_numeric() {
                AS_FLOAT
            } else {
                "write TO_HEX(x), which is STRING"
            };
            let what = format!("{} of {ty}", function.name);
            Err(unsupported(span, &what, help))
        }
        None => Ok(()),
    }
}

/// Refuses a format of FORMAT_DATE, PARSE_DATE and their kin that means what a C library makes of it.
fn check_time_format(function: &Function, args: &[Expr]) -> Result<(), Box<Diagnostic>> {
    const INSTEAD: &str = "use the elements of GoogleSQL's manual; FORMAT functions take the flags -, _ and 0 before \
                           C, d, e, g, H, I, j, M, m, S, U, V, W and y, as in %-d";
    let [format, value, ..] = args else {
        return Ok(());
    };
    let ExprKind::Literal(Value::String(text)) = &format.kind else {
        return Ok(());
    };
    let has = match value.ty {
        Type::Date => Has::DATE,
        Type::Time => Has::TIME,
        Type::Datetime => Has::DATETIME,
        _ => Has::TIMESTAMP,
    };
    let read = match function.name {
        "FORMAT_DATE" | "FORMAT_TIME" | "FORMAT_DATETIME" | "FORMAT_TIMESTAMP" => {
            Format::for_writing(text, has)
        }
        "PARSE_DATE" | "PARSE_TIME" | "PARSE_DATETIME" | "PARSE_TIMESTAMP" => {
            Format::for_reading(text)
        }
        _ => return Ok(()),
    };
    match read {
        Ok(_) => Ok(()),
        Err(what) => Err(unsupported(format.span, &what, INSTEAD)),
    }
}

fn of_bytes(value: &Expr) -> bool {
    *value.ty.element().unwrap_or(&value.ty) == Type::Bytes
}

/// Casts a value to the type that literals have.
fn of_one_type(text: String, ty: &Type) -> String {
    match arrow_type(ty) {
        Some(arrow) => format!("\"arrow_cast\"({text}, {})", string(&arrow)),
        None => text,
    }
}

impl Printer {
    pub(super) fn call(
        &mut self,
        function: &Function,
        args: &[Expr],
        safe: bool,
        span: Span,
    ) -> Printed {
        check_available(function, args, span)?;
        check_time_format(function, args)?;
        let name = if safe && function.can_fail {
            format!("safe_{}", function.udf_name())
        } else {
            function.udf_name()
        };
        let args = match (function.name, args) {
            ("NULLIF", [value, other]) if value.ty == Type::Float64 => {
                return self.null_if_float(value, other);
            }
            ("TO_JSON", [document, ..]) if document.ty == Type::Json => {
                return self.expr(document);
            }
            ("TO_JSON_STRING", [document, ..]) if document.ty == Type::Json => {
                return Ok(format!("\"json_{name}\"({})", self.list(args, ", ")?));
            }
            ("TO_JSON" | "TO_JSON_STRING" | "JSON_ARRAY" | "JSON_OBJECT" | "FORMAT", args) => {
                let mut documents = Vec::with_capacity(args.len());
                for arg in args {
                    documents.push(self.document(arg)?);
                }
                documents.join(", ")
            }
            // NULL stands for no bound on the depth.
            ("JSON_KEYS", [document, mode]) if matches!(mode.kind, ExprKind::Named { .. }) => {
                format!("{}, NULL, {}", self.expr(document)?, self.expr(mode)?)
            }
            // The engine has two types of BYTES, of literals and of columns, and no value of both.
            ("COALESCE" | "IFNULL", args) if args.iter().any(of_bytes) => {
                let mut alike = Vec::with_capacity(args.len());
                for arg in args {
                    alike.push(of_one_type(self.expr(arg)?, &arg.ty));
                }
                alike.join(", ")
            }
            (_, args) => self.list(args, ", ")?,
        };
        match function.embedded {
            Embedded::Native(native) => Ok(format!("\"{native}\"({args})")),
            Embedded::Form if function.name.starts_with("CURRENT_") => {
                let instead = "name the time: TIMESTAMP '2026-01-31 00:00:00+00'";
                Err(unsupported(span, function.name, instead))
            }
            Embedded::Udf | Embedded::Form | Embedded::Absent(_) => {
                Ok(format!("\"{name}\"({args})"))
            }
        }
    }

    /// Prints NULLIF as IEEE 754 compares: NaN is not equal to itself.
    fn null_if_float(&mut self, value: &Expr, other: &Expr) -> Printed {
        let (value, other) = (self.expr(value)?, self.expr(other)?);
        let equal = float_comparison(BinaryOp::Equal, &value, &other);
        Ok(format!("(CASE WHEN {equal} THEN NULL ELSE {value} END)"))
    }

    /// Prints a value for a function that writes values of every type. JSON is kept as its text, so a
    /// document is marked by a record around it.
    fn document(&mut self, value: &Expr) -> Printed {
        if value.ty == Type::Json {
            let document = self.expr(value)?;
            return Ok(format!(
                "\"named_struct\"({}, {document})",
                string(DOCUMENT)
            ));
        }
        if holds(&value.ty, |ty| *ty == Type::Json) {
            return Err(unsupported(
                value.span,
                "a STRUCT or ARRAY with JSON in it as this argument",
                "write each document by itself, with TO_JSON_STRING",
            ));
        }
        let unnamed = |ty: &Type| {
            ty.fields()
                .is_some_and(|fields| fields.iter().any(|field| field.name.is_none()))
        };
        if holds(&value.ty, unnamed) {
            return Err(unsupported(
                value.span,
                "a STRUCT with fields without a name as this argument",
                "name the fields, as in STRUCT(1 AS a)",
            ));
        }
        self.expr(value)
    }
}

/// Returns whether a type or one that it is made of has a property.
fn holds(ty: &Type, property: impl Fn(&Type) -> bool + Copy) -> bool {
    property(ty)
        || ty.element().is_some_and(|element| holds(element, property))
        || ty
            .fields()
            .is_some_and(|fields| fields.iter().any(|field| holds(&field.ty, property)))
}
