//! Casts and type names.

use sqlparser::ast;

use super::scope::Scope;
use super::{Analyzer, Result};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::ir::{Expr, ExprKind, Type, Value};

impl Analyzer<'_> {
    pub(super) fn cast(
        &mut self,
        kind: &ast::CastKind,
        operand: &ast::Expr,
        data_type: &ast::DataType,
        format: bool,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let safe = match kind {
            ast::CastKind::Cast => false,
            ast::CastKind::SafeCast => true,
            ast::CastKind::TryCast | ast::CastKind::DoubleColon => {
                return Err(self.refuse(
                    Diagnostic::new(Code::ForeignSyntax, span, "this cast is not GoogleSQL")
                        .help("write CAST(x AS type) or SAFE_CAST(x AS type)"),
                ));
            }
        };
        if format {
            return Err(self.unsupported(span, "CAST with FORMAT"));
        }
        let ty = self.data_type(data_type, span)?;
        let operand = self.expr(operand, scope)?;
        if operand.is_null_literal() {
            return Ok(Expr::new(ExprKind::Literal(Value::Null), ty, span));
        }
        let empty = matches!(&operand.kind, ExprKind::Array(items) if items.is_empty());
        if empty && matches!(ty, Type::Array(_)) {
            return self.coerced(operand, &ty);
        }
        if !castable(&operand.ty, &ty) {
            return Err(self.refuse(Diagnostic::new(
                Code::BadCast,
                span,
                format!("{:#} cannot be cast to {ty:#}", operand.ty),
            )));
        }
        Ok(Expr::new(
            ExprKind::Cast {
                operand: Box::new(operand),
                safe,
            },
            ty,
            span,
        ))
    }

    /// Returns the type that a type name stands for.
    pub(super) fn data_type(&mut self, data_type: &ast::DataType, span: Span) -> Result<Type> {
        use ast::DataType as Name;
        Ok(match data_type {
            Name::Bool | Name::Boolean => Type::Bool,
            Name::Int64
            | Name::Int(None)
            | Name::Integer(None)
            | Name::BigInt(None)
            | Name::SmallInt(None)
            | Name::TinyInt(None) => Type::Int64,
            Name::Float64 => Type::Float64,
            Name::Numeric(ast::ExactNumberInfo::None)
            | Name::Decimal(ast::ExactNumberInfo::None) => Type::Numeric,
            Name::BigNumeric(ast::ExactNumberInfo::None)
            | Name::BigDecimal(ast::ExactNumberInfo::None) => Type::BigNumeric,
            Name::String(None) => Type::String,
            Name::Bytes(None) => Type::Bytes,
            Name::Date => Type::Date,
            Name::Time(None, ast::TimezoneInfo::None) => Type::Time,
            Name::Datetime(None) => Type::Datetime,
            Name::Timestamp(None, ast::TimezoneInfo::None) => Type::Timestamp,
            Name::JSON => Type::Json,
            Name::Array(ast::ArrayElemTypeDef::AngleBracket(element)) => {
                Type::array(self.data_type(element, span)?)
            }
            Name::Text | Name::Varchar(_) | Name::Char(_) => {
                return Err(self.refuse(
                    Diagnostic::new(Code::ForeignSyntax, span, "this type is not GoogleSQL")
                        .help("the type of text is STRING"),
                ));
            }
            Name::Float(_) | Name::Double(_) | Name::DoublePrecision | Name::Real => {
                return Err(self.refuse(
                    Diagnostic::new(Code::ForeignSyntax, span, "this type is not GoogleSQL")
                        .help("the type of floating-point numbers is FLOAT64"),
                ));
            }
            _ => return Err(self.unsupported(span, "this type")),
        })
    }
}

/// Returns whether a cast between two types exists.
///
/// Source: GoogleSQL reference, "Conversion rules", the table of casts.
pub(super) fn castable(from: &Type, to: &Type) -> bool {
    if from.same(to) {
        return true;
    }
    match (from, to) {
        (Type::Int64, Type::Bool)
        | (Type::Bool, Type::Int64)
        | (Type::Bytes, Type::String)
        | (Type::String, Type::Bytes) => true,
        (from, to) if from.is_numeric() && to.is_numeric() => true,
        (Type::String, to) => {
            to.is_numeric()
                || matches!(
                    to,
                    Type::Bool | Type::Date | Type::Time | Type::Datetime | Type::Timestamp
                )
        }
        (from, Type::String) => {
            from.is_numeric()
                || matches!(
                    from,
                    Type::Bool | Type::Date | Type::Time | Type::Datetime | Type::Timestamp
                )
        }
        (Type::Date, Type::Datetime | Type::Timestamp)
        | (Type::Datetime, Type::Date | Type::Time | Type::Timestamp)
        | (Type::Timestamp, Type::Date | Type::Time | Type::Datetime) => true,
        _ => false,
    }
}
