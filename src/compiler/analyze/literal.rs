//! Constants, parameters and constructors.

use sqlparser::ast;

use super::items::implicit_name;
use super::query::int64;
use super::scope::Scope;
use super::{Analyzer, Refused, Result, all};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::googlesql::ELEMENT;
use crate::compiler::googlesql::parse::{bytes_of, span_of, text_of};
use crate::compiler::ir::{ColumnName, DatePart, Expr, ExprKind, Field, Type, Value};

impl Analyzer<'_> {
    pub(super) fn value(&mut self, value: &ast::ValueWithSpan) -> Result<Expr> {
        let span = span_of(value.span);
        if let Some(text) = text_of(&value.value) {
            return Ok(Expr::new(
                ExprKind::Literal(Value::string(text)),
                Type::String,
                span,
            ));
        }
        let (value, ty) = match &value.value {
            ast::Value::Number(digits, _) => return self.number(digits, span),
            ast::Value::SingleQuotedByteStringLiteral(text) => {
                (Value::Bytes(bytes_of(text).into()), Type::Bytes)
            }
            ast::Value::Boolean(value) => (Value::Bool(*value), Type::Bool),
            ast::Value::Null => (Value::Null, Type::Int64),
            ast::Value::Placeholder(name) => return self.parameter(name, span),
            _ => return Err(self.unsupported(span, "this literal")),
        };
        Ok(Expr::new(ExprKind::Literal(value), ty, span))
    }

    pub(super) fn number(&mut self, digits: &str, span: Span) -> Result<Expr> {
        if let Ok(value) = digits.parse::<i64>() {
            return Ok(int64(value, span));
        }
        if digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(self.refuse(Diagnostic::new(
                Code::BadNumber,
                span,
                "this integer is out of the range of INT64",
            )));
        }
        match digits.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Expr::new(
                ExprKind::Literal(Value::Float64(value)),
                Type::Float64,
                span,
            )),
            _ => Err(self.refuse(Diagnostic::new(
                Code::BadNumber,
                span,
                "this number is out of the range of FLOAT64",
            ))),
        }
    }

    pub(super) fn parameter(&mut self, name: &str, span: Span) -> Result<Expr> {
        let name = name.trim_start_matches('@');
        let declared = self
            .environment
            .parameters
            .iter()
            .position(|declaration| declaration.name.matches(name));
        let Some(index) = declared else {
            return Err(if self.environment.catalog.is_none() {
                self.refuse(
                    Diagnostic::new(
                        Code::ParameterNotAllowed,
                        span,
                        "a query of the caller cannot use parameters",
                    )
                    .help("write the value as a literal"),
                )
            } else {
                self.refuse(Diagnostic::new(
                    Code::UndeclaredParameter,
                    span,
                    format!("parameter `{name}` is not declared"),
                ))
            });
        };
        if let Some(used) = self.used.get_mut(index) {
            *used = true;
        }
        let declaration = self.environment.parameters.get(index).ok_or(Refused)?;
        Ok(Expr::new(
            ExprKind::Parameter(declaration.name.clone()),
            declaration.ty.clone(),
            span,
        ))
    }

    pub(super) fn typed_literal(&mut self, text: Expr, ty: Type, span: Span) -> Result<Expr> {
        let ExprKind::Literal(Value::String(content)) = &text.kind else {
            return Err(self.unsupported(span, "this literal"));
        };
        match ty {
            Type::Date | Type::Time | Type::Datetime | Type::Timestamp => {
                let mut expr = self.coerced(text, &ty)?;
                expr.span = span;
                Ok(expr)
            }
            Type::Json if serde_json::from_str::<serde_json::Value>(content).is_ok() => Ok(
                Expr::new(ExprKind::Literal(Value::Json(content.clone())), ty, span),
            ),
            Type::Json => Err(self.refuse(Diagnostic::new(
                Code::BadLiteral,
                span,
                "this literal is no JSON",
            ))),
            Type::Numeric | Type::BigNumeric => match decimal(content, &ty) {
                Some(value) => Ok(Expr::new(
                    ExprKind::Literal(Value::Decimal(value.into())),
                    ty,
                    span,
                )),
                None => Err(self.refuse(Diagnostic::new(
                    Code::BadLiteral,
                    span,
                    format!("this literal is no value of type {ty}"),
                ))),
            },
            _ => Err(self.unsupported(span, "this literal")),
        }
    }

    pub(super) fn interval(
        &mut self,
        interval: &ast::Interval,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let ast::Interval {
            value,
            leading_field,
            leading_precision,
            last_field,
            fractional_seconds_precision,
        } = interval;
        if leading_precision.is_some()
            || last_field.is_some()
            || fractional_seconds_precision.is_some()
        {
            return Err(self.unsupported(span, "INTERVAL with a range of parts"));
        }
        let part = leading_field
            .as_ref()
            // WEEK(MONDAY) is no length of time.
            .filter(|field| !matches!(field, ast::DateTimeField::Week(Some(_))))
            .and_then(|field| DatePart::parse(&field.to_string()));
        let Some(part) = part else {
            return Err(self.refuse(
                Diagnostic::new(Code::Syntax, span, "INTERVAL needs a number and a part")
                    .help("write INTERVAL 5 MINUTE"),
            ));
        };
        let value = self.expr(value, scope)?;
        let value = match (digits(&value), &value.ty) {
            (Some(number), _) => int64(number, value.span),
            (None, Type::String) => {
                return Err(self.refuse(
                    Diagnostic::new(
                        Code::TypeMismatch,
                        value.span,
                        "INTERVAL takes an integer here",
                    )
                    .help("write INTERVAL 5 MINUTE"),
                ));
            }
            (None, _) => value,
        };
        let value = Box::new(self.coerced(value, &Type::Int64)?);
        Ok(Expr::new(
            ExprKind::Interval { value, part },
            Type::Interval,
            span,
        ))
    }

    /// Analyses the elements of an array.
    pub(super) fn elements(
        &mut self,
        elements: &[ast::Expr],
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Vec<Expr>> {
        let most = self.environment.limits.list_items;
        self.check_count(
            Code::TooManyElements,
            elements.len(),
            most,
            "array elements",
            "list_items",
            span,
        )?;
        all(elements.iter().map(|item| self.expr(item, scope)))
    }

    /// Analyses `ARRAY<INT64>[1, 2]`. The first of the values stands for none.
    pub(super) fn typed_array(
        &mut self,
        element: &ast::DataType,
        values: &[ast::Expr],
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let element = self.data_type(element, span)?;
        self.check_fields([&element], "ARRAY", span)?;
        if matches!(element, Type::Array(_)) {
            return Err(self.no_array_of_arrays(span));
        }
        let (_, values) = values.split_first().ok_or(Refused)?;
        let items = self.elements(values, scope, span)?;
        let items = all(items.into_iter().map(|item| self.coerced(item, &element)))?;
        let ty = Type::array(element);
        // What has its type is no literal that stands for values of others.
        let kind = ExprKind::Cast {
            operand: Box::new(Expr::new(ExprKind::Array(items), ty.clone(), span)),
            safe: false,
        };
        Ok(Expr::new(kind, ty, span))
    }

    pub(super) fn no_array_of_arrays(&mut self, span: Span) -> Refused {
        self.refuse(
            Diagnostic::new(Code::TypeMismatch, span, "an array cannot hold arrays")
                .help("put each into a STRUCT: [STRUCT([1] AS a), STRUCT([2] AS a)]"),
        )
    }

    pub(super) fn array(&mut self, items: Vec<Expr>, span: Span) -> Result<Expr> {
        if items.is_empty() {
            return Ok(Expr::new(
                ExprKind::Array(items),
                Type::array(Type::Int64),
                span,
            ));
        }
        let items = self.unified(items, "the elements of the array", span)?;
        let element = items.first().ok_or(Refused)?.ty.as_lists();
        if matches!(element, Type::Array(_)) {
            return Err(self.no_array_of_arrays(span));
        }
        let items = all(items.into_iter().map(|item| self.coerced(item, &element)))?;
        Ok(Expr::new(
            ExprKind::Array(items),
            Type::array(element),
            span,
        ))
    }

    pub(super) fn structure(
        &mut self,
        values: &[ast::Expr],
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let mut fields = Vec::with_capacity(values.len());
        let mut items = Vec::with_capacity(values.len());
        for value in values {
            let (value, name) = match value {
                ast::Expr::Named { expr, name } => {
                    self.no_reserved_word(name)?;
                    (expr.as_ref(), Some(self.identifier(name)?))
                }
                _ => (value, implicit_name(value)),
            };
            let item = self.expr(value, scope)?;
            fields.push(Field {
                name: name.map(ColumnName::new),
                ty: item.ty.clone(),
            });
            items.push(item);
        }
        self.record(fields, items, span)
    }

    /// Analyses `STRUCT<a INT64, STRING>(1, 'x')`.
    pub(super) fn typed_structure(
        &mut self,
        fields: &[ast::StructField],
        values: &[ast::Expr],
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let ty = self.record_type(fields, span)?;
        self.check_fields([&ty], "STRUCT", span)?;
        let fields = ty.fields().unwrap_or_default();
        for (index, field) in fields.iter().enumerate() {
            if let Some(name) = &field.name
                && fields
                    .iter()
                    .skip(index + 1)
                    .any(|other| other.name.as_ref() == Some(name))
            {
                let message = format!("two fields of this STRUCT are called `{name}`");
                return Err(self.refuse(Diagnostic::new(Code::DuplicateName, span, message)));
            }
        }
        if fields.len() != values.len() {
            let message = format!(
                "this STRUCT has {} fields and {} values",
                fields.len(),
                values.len()
            );
            return Err(self.refuse(Diagnostic::new(Code::ColumnCountMismatch, span, message)));
        }
        let items = all(values.iter().zip(fields).map(|(value, field)| {
            let item = self.expr(value, scope)?;
            self.coerced(item, &field.ty)
        }))?;
        Ok(Expr::new(ExprKind::Struct(items), ty.clone(), span))
    }

    /// Analyses `(a, b)`, a STRUCT whose fields have no names.
    pub(super) fn tuple(
        &mut self,
        values: &[ast::Expr],
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let items = all(values.iter().map(|value| self.expr(value, scope)))?;
        let field = |item: &Expr| Field {
            name: None,
            ty: item.ty.clone(),
        };
        self.record(items.iter().map(field).collect(), items, span)
    }

    fn record(&mut self, fields: Vec<Field>, items: Vec<Expr>, span: Span) -> Result<Expr> {
        if items.is_empty() {
            return Err(self.unsupported(span, "an empty STRUCT"));
        }
        let ty = Type::record(fields);
        self.check_fields([&ty], "STRUCT", span)?;
        Ok(Expr::new(ExprKind::Struct(items), ty, span))
    }
}

/// Returns the number that a STRING literal is the digits of, as in `INTERVAL '5' DAY`.
fn digits(expr: &Expr) -> Option<i64> {
    let ExprKind::Literal(Value::String(text)) = &expr.kind else {
        return None;
    };
    text.parse().ok()
}

/// Returns the type of the elements where a STRUCT stands for a typed array.
pub(super) fn element_type(fields: &[ast::StructField]) -> Option<&ast::DataType> {
    match fields {
        [
            ast::StructField {
                field_name: Some(name),
                field_type,
                options: None,
            },
        ] if name.value == ELEMENT && name.quote_style.is_none() => Some(field_type),
        _ => None,
    }
}

/// Returns the decimal text of a NUMERIC or BIGNUMERIC literal in canonical form, when it is in range.
pub(in crate::compiler) fn decimal(text: &str, ty: &Type) -> Option<String> {
    let (digits_before, digits_after) = if *ty == Type::Numeric {
        (29, 9)
    } else {
        (38, 38)
    };
    let (negative, rest) = match text.trim().strip_prefix(['-', '+']) {
        Some(rest) => (text.trim().starts_with('-'), rest),
        None => (false, text.trim()),
    };
    let rest = &without_exponent(rest)?;
    let (whole, fraction) = rest.split_once('.').unwrap_or((rest, ""));
    if (whole.is_empty() && fraction.is_empty())
        || !whole
            .bytes()
            .chain(fraction.bytes())
            .all(|b| b.is_ascii_digit())
    {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    if whole.len() > digits_before || fraction.len() > digits_after {
        return None;
    }
    let whole = if whole.is_empty() { "0" } else { whole };
    let sign = if negative && (whole != "0" || !fraction.is_empty()) {
        "-"
    } else {
        ""
    };
    Some(if fraction.is_empty() {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{fraction}")
    })
}

/// Returns a number with its point moved by as much as its exponent says. Exponents beyond those of any
/// value are refused.
fn without_exponent(number: &str) -> Option<String> {
    let Some((digits, exponent)) = number.split_once(['e', 'E']) else {
        return Some(number.to_owned());
    };
    let exponent: i32 = exponent.parse().ok()?;
    let places = usize::try_from(exponent.unsigned_abs()).ok()?;
    if places > 100 {
        return None;
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let zeros = "0".repeat(places);
    let all = if exponent < 0 {
        format!("{zeros}{whole}{fraction}")
    } else {
        format!("{whole}{fraction}{zeros}")
    };
    let point = if exponent < 0 {
        whole.len()
    } else {
        whole.len() + places
    };
    let (whole, fraction) = all.split_at_checked(point)?;
    Some(format!("{whole}.{fraction}"))
}
