//! Casts and type names.

use sqlparser::ast;

use super::scope::Scope;
use super::{Analyzer, Refused, Result, all, coerce};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::googlesql::is_reserved;
use crate::compiler::googlesql::parse::span_of;
use crate::compiler::ir::{ColumnName, Expr, ExprKind, Field, Type};

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
        if operand.is_untyped_null() {
            return Ok(coerce::typed_null(ty, span));
        }
        // An empty array has no elements that could be of the wrong type.
        if let (ExprKind::Array(items), Type::Array(_)) = (&operand.kind, &ty)
            && items.is_empty()
        {
            let operand = Box::new(Expr::new(operand.kind, ty.clone(), span));
            return Ok(Expr::new(ExprKind::Cast { operand, safe }, ty, span));
        }
        let operand = with_types_of_nulls(operand, &ty);
        // A cast to its own type leaves a value as it is, but a constant then has that type for good.
        if operand.ty == ty && !coerce::is_written_out(&operand) {
            return Ok(operand);
        }
        if !castable(&operand.ty, &ty) {
            let message = format!("{:#} cannot be cast to {ty:#}", operand.ty);
            let diagnostic = Diagnostic::new(Code::BadCast, span, message);
            return Err(self.refuse(match (&operand.ty, &ty) {
                (Type::Array(_), Type::Array(_)) => diagnostic
                    .help("cast each element: ARRAY(SELECT CAST(x AS …) FROM UNNEST(a) AS x)"),
                _ => diagnostic,
            }));
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
            Name::Struct(fields, ast::StructBracketKind::AngleBrackets) => {
                self.record_type(fields, span)?
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
            Name::Custom(name, _) => return Err(self.foreign_type(name, span)),
            _ => return Err(self.unsupported(span, "this type")),
        })
    }

    /// Refuses a type name that GoogleSQL does not have.
    fn foreign_type(&mut self, name: &ast::ObjectName, span: Span) -> Refused {
        let name = name.to_string();
        let help = match name.to_ascii_lowercase().as_str() {
            "varchar" | "nvarchar" | "char" | "nchar" | "text" | "clob" => {
                "the type of text is STRING"
            }
            "float" | "float4" | "float8" | "float32" | "double" | "real" => {
                "the type of floating-point numbers is FLOAT64"
            }
            "unsigned" | "signed" | "int2" | "int4" | "int8" | "int32" | "uint64" | "long" => {
                "the type of integers is INT64"
            }
            "timestamptz" | "timestamp_ltz" | "timestamp_tz" => "a point in time is a TIMESTAMP",
            "timestamp_ntz" => "a time without a zone is a DATETIME",
            "blob" | "binary" | "varbinary" | "bytea" => "the type of bytes is BYTES",
            "jsonb" | "variant" | "object" => "the type of JSON is JSON",
            _ => {
                "the types are STRING, INT64, FLOAT64, BOOL, BYTES, NUMERIC, DATE, TIME, DATETIME, TIMESTAMP, JSON"
            }
        };
        self.refuse(
            Diagnostic::new(
                Code::ForeignSyntax,
                span,
                format!("GoogleSQL has no type `{name}`"),
            )
            .help(help),
        )
    }

    pub(super) fn record_type(&mut self, fields: &[ast::StructField], span: Span) -> Result<Type> {
        let fields = all(fields.iter().map(|field| {
            let ast::StructField {
                field_name,
                field_type,
                options,
            } = field;
            if options.is_some() {
                return Err(self.unsupported(span, "OPTIONS"));
            }
            let name = match field_name {
                Some(name) => {
                    self.no_reserved_word(name)?;
                    Some(ColumnName::new(self.identifier(name)?))
                }
                None => None,
            };
            let ty = self.data_type(field_type, span)?;
            Ok(Field { name, ty })
        }))?;
        Ok(Type::record(fields))
    }
}

impl Analyzer<'_> {
    /// Refuses a reserved word where the parser library takes any word as the name of a field.
    pub(super) fn no_reserved_word(&mut self, name: &ast::Ident) -> Result<()> {
        if name.quote_style.is_some() || !is_reserved(&name.value) {
            return Ok(());
        }
        let word = name.value.to_ascii_uppercase();
        let message = format!("expected a name, found the reserved word {word}");
        Err(self.refuse(
            Diagnostic::new(Code::Syntax, span_of(name.span), message)
                .help("put it in backticks if it is a name"),
        ))
    }
}

/// Returns a STRUCT that is written out with each NULL and empty array in it of the type that it is cast to.
fn with_types_of_nulls(operand: Expr, ty: &Type) -> Expr {
    let Expr {
        kind,
        ty: own,
        span,
    } = operand;
    let (items, own) = match (kind, own.fields(), ty.fields()) {
        (ExprKind::Struct(items), Some(own), Some(fields)) if items.len() == fields.len() => {
            let items = items.into_iter().zip(fields).map(|(item, field)| {
                let is_empty = coerce::is_empty_array(&item) && field.ty.element().is_some();
                if item.is_untyped_null() {
                    coerce::typed_null(field.ty.clone(), item.span)
                } else if is_empty {
                    Expr::new(item.kind, field.ty.clone(), item.span)
                } else {
                    with_types_of_nulls(item, &field.ty)
                }
            });
            let items: Vec<Expr> = items.collect();
            let own = own.iter().zip(&items).map(|(field, item)| Field {
                name: field.name.clone(),
                ty: item.ty.clone(),
            });
            let own = Type::record(own);
            (items, own)
        }
        (kind, _, _) => return Expr::new(kind, own, span),
    };
    Expr::new(ExprKind::Struct(items), own, span)
}

/// Returns whether a cast between two types exists.
///
/// Source: GoogleSQL reference, "Conversion rules", the table of casts.
pub(super) fn castable(from: &Type, to: &Type) -> bool {
    if from.same(to) {
        return true;
    }
    match (from, to) {
        (Type::Struct(from), Type::Struct(to)) => {
            let mut pairs = from.iter().zip(to.iter());
            from.len() == to.len() && pairs.all(|(from, to)| castable(&from.ty, &to.ty))
        }
        (Type::Array(_), Type::Array(_)) => coerce::is_renamed(from, to),
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
