//! Expressions: what each form of the tree becomes, paths and subscripts.

use sqlparser::ast::{self, Spanned};

use super::literal::element_type;
use super::operator::not;
use super::scope::{self, Range, Scope};
use super::{Analyzer, Refused, Result, all, coerce};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::googlesql::parse::span_of;
use crate::compiler::ir::{DatePart, Expr, ExprKind, SubqueryKind, SubscriptMode, Type, Value};

impl Analyzer<'_> {
    /// Analyses an expression in a scope. An INTERVAL is no value of its own here: it has no column type.
    pub(super) fn expr(&mut self, expr: &ast::Expr, scope: &Scope<'_>) -> Result<Expr> {
        let value = self.expr_or_interval(expr, scope)?;
        if value.ty == Type::Interval {
            return Err(self.no_interval(value.span));
        }
        Ok(value)
    }

    /// Analyses an expression that may be an INTERVAL: the argument of a function, or what is added to a date.
    pub(super) fn expr_or_interval(&mut self, expr: &ast::Expr, scope: &Scope<'_>) -> Result<Expr> {
        let around = self.operators;
        if let Some((_, operators)) = operand(expr) {
            self.check_chain(expr)?;
            self.operators += operators;
        }
        let result = self.form(expr, scope);
        self.operators = around;
        result
    }

    fn form(&mut self, expr: &ast::Expr, scope: &Scope<'_>) -> Result<Expr> {
        let span = place(expr);
        match expr {
            ast::Expr::Identifier(ident) => {
                let name = (ident.value.as_str(), span_of(ident.span));
                self.note_alias(name, scope);
                let value = scope.path(&[name]);
                self.accept(value).map(Range::as_value)
            }
            ast::Expr::CompoundIdentifier(idents) => {
                let parts: Vec<(&str, Span)> = idents
                    .iter()
                    .map(|ident| (ident.value.as_str(), span_of(ident.span)))
                    .collect();
                if let Some(first) = parts.first() {
                    self.note_alias(*first, scope);
                }
                self.accept(scope.path(&parts))
            }
            ast::Expr::CompoundFieldAccess { root, access_chain } => {
                // What follows a name without brackets is the rest of its path.
                let mut in_path = matches!(**root, ast::Expr::Identifier(_));
                let (mut value, accesses) = match (root.as_ref(), access_chain.as_slice()) {
                    // The parser takes the prefix of a call with a subscript for a value of its own.
                    (
                        ast::Expr::Identifier(prefix),
                        [ast::AccessExpr::Dot(ast::Expr::Function(call)), rest @ ..],
                    ) if prefix.value.eq_ignore_ascii_case("safe") && call.name.0.len() == 1 => {
                        in_path = false;
                        (self.call(call, true, scope, span)?, rest)
                    }
                    (root, accesses) => (self.expr(root, scope)?, accesses),
                };
                for access in accesses {
                    in_path &= matches!(access, ast::AccessExpr::Dot(_));
                    value = self.access(value, access, in_path, scope)?;
                }
                Ok(value)
            }
            ast::Expr::Nested(inner) => self.expr_or_interval(inner, scope),
            ast::Expr::Value(value) => self.value(value),
            ast::Expr::TypedString(typed) => {
                let ast::TypedString {
                    data_type,
                    value,
                    uses_odbc_syntax,
                } = typed;
                if *uses_odbc_syntax {
                    return Err(self.unsupported(span, "this form of literal"));
                }
                let ty = self.data_type(data_type, span)?;
                let text = self.value(value)?;
                self.typed_literal(text, ty, span)
            }
            ast::Expr::IsNull(operand) => self.is_null(operand, false, scope, span),
            ast::Expr::IsNotNull(operand) => self.is_null(operand, true, scope, span),
            ast::Expr::IsUnknown(operand) => self.is_unknown(operand, false, scope, span),
            ast::Expr::IsNotUnknown(operand) => self.is_unknown(operand, true, scope, span),
            ast::Expr::IsTrue(operand) => self.is_bool(operand, true, false, scope, span),
            ast::Expr::IsNotTrue(operand) => self.is_bool(operand, true, true, scope, span),
            ast::Expr::IsFalse(operand) => self.is_bool(operand, false, false, scope, span),
            ast::Expr::IsNotFalse(operand) => self.is_bool(operand, false, true, scope, span),
            ast::Expr::IsDistinctFrom(left, right) => {
                self.is_distinct(left, right, false, scope, span)
            }
            ast::Expr::IsNotDistinctFrom(left, right) => {
                self.is_distinct(left, right, true, scope, span)
            }
            ast::Expr::InList {
                expr,
                list,
                negated,
            } => self.in_list(expr, list, *negated, scope, span),
            ast::Expr::InSubquery {
                expr,
                subquery,
                negated,
            } => self.in_query(expr, subquery, *negated, scope, span),
            ast::Expr::InUnnest {
                expr,
                array_expr,
                negated,
            } => self.in_unnest(expr, array_expr, *negated, scope, span),
            ast::Expr::Between {
                expr,
                negated,
                low,
                high,
            } => {
                let operands = all([expr, low, high].map(|e| self.expr(e, scope)))?;
                let operands = self.comparable(operands, span)?;
                let [operand, low, high] = three(operands)?;
                Ok(Expr::new(
                    ExprKind::Between {
                        operand: Box::new(operand),
                        low: Box::new(low),
                        high: Box::new(high),
                        negated: *negated,
                    },
                    Type::Bool,
                    span,
                ))
            }
            ast::Expr::Like {
                negated,
                any,
                expr,
                pattern,
                escape_char,
            } => {
                if *any || escape_char.is_some() {
                    return Err(self.refuse(
                        Diagnostic::new(Code::Unsupported, span, "LIKE ANY is not accepted here")
                            .help("write x LIKE a OR x LIKE b, or REGEXP_CONTAINS(x, r'a|b')"),
                    ));
                }
                self.like(expr, pattern, *negated, scope, span)
            }
            ast::Expr::ILike { .. } => Err(self.refuse(
                Diagnostic::new(Code::ForeignSyntax, span, "ILIKE is not GoogleSQL")
                    .help("write LOWER(x) LIKE 'pattern in lower case'"),
            )),
            ast::Expr::SimilarTo { .. } | ast::Expr::RLike { .. } => Err(self.refuse(
                Diagnostic::new(Code::ForeignSyntax, span, "this operator is not GoogleSQL")
                    .help("write REGEXP_CONTAINS(x, r'pattern')"),
            )),
            ast::Expr::UnaryOp { op, expr } => self.unary(*op, expr, scope, span),
            ast::Expr::BinaryOp { left, op, right } => match op {
                ast::BinaryOperator::And | ast::BinaryOperator::Or => {
                    self.logical(expr, op, scope, span)
                }
                _ => self.binary(left, op, right, scope, span),
            },
            ast::Expr::Case {
                case_token: _,
                end_token: _,
                operand,
                conditions,
                else_result,
            } => self.case(
                operand.as_deref(),
                conditions,
                else_result.as_deref(),
                scope,
                span,
            ),
            ast::Expr::Cast {
                kind,
                expr,
                data_type,
                format,
            } => self.cast(kind, expr, data_type, format.is_some(), scope, span),
            ast::Expr::Exists { subquery, negated } => {
                let query = self.query(subquery, Some(scope))?;
                let exists = Expr::new(
                    ExprKind::Subquery {
                        kind: SubqueryKind::Exists,
                        query: Box::new(query),
                    },
                    Type::Bool,
                    span,
                );
                Ok(if *negated { not(exists, span) } else { exists })
            }
            ast::Expr::Subquery(subquery) => {
                let (query, ty) =
                    self.one_column(subquery, scope, "a sub-query as a value", span)?;
                Ok(Expr::new(
                    ExprKind::Subquery {
                        kind: SubqueryKind::Scalar,
                        query: Box::new(query),
                    },
                    ty,
                    span,
                ))
            }
            ast::Expr::Array(array) => {
                let ast::Array { elem, named: _ } = array;
                let items = self.elements(elem, scope, span)?;
                self.array(items, span)
            }
            ast::Expr::Struct { values, fields } => {
                if let Some(element) = element_type(fields) {
                    self.typed_array(element, values, scope, span)
                } else if fields.is_empty() {
                    self.structure(values, scope, span)
                } else {
                    self.typed_structure(fields, values, scope, span)
                }
            }
            ast::Expr::Interval(interval) => self.interval(interval, scope, span),
            ast::Expr::Function(function) => self.call(function, false, scope, span),
            ast::Expr::Extract {
                field,
                syntax,
                expr,
            } => {
                if *syntax != ast::ExtractSyntax::From {
                    return Err(self.unsupported(span, "EXTRACT with a comma"));
                }
                self.extract(field, expr, scope, span)
            }
            ast::Expr::AtTimeZone { .. } => Err(self.refuse(
                Diagnostic::new(Code::Unsupported, span, "AT TIME ZONE is not accepted here")
                    .help("give the time zone as an argument: DATETIME(ts, 'Europe/Berlin')"),
            )),
            ast::Expr::Named { .. } => Err(self.refuse(Diagnostic::new(
                Code::Syntax,
                span,
                "AS can stand only in a select list or in STRUCT(…)",
            ))),
            ast::Expr::Lambda(_) => Err(self.unsupported(span, "a lambda")),
            ast::Expr::Tuple(values) => self.tuple(values, scope, span),
            ast::Expr::AnyOp { .. } | ast::Expr::AllOp { .. } => Err(self.refuse(
                Diagnostic::new(Code::Unsupported, span, "ANY and ALL are not accepted here")
                    .help("write x IN (SELECT …), or x IN UNNEST(array)"),
            )),
            ast::Expr::Rollup(_) | ast::Expr::Cube(_) | ast::Expr::GroupingSets(_) => Err(self
                .refuse(
                    Diagnostic::new(
                        Code::Unsupported,
                        span,
                        "this form of GROUP BY is not accepted here",
                    )
                    .help("write GROUP BY ROLLUP(a, b), or join the groupings by UNION ALL"),
                )),
            _ => Err(self.unsupported(span, "this expression")),
        }
    }

    /// Refuses chains of operators that are too long before anything recurses into them: the parser
    /// builds `a + b + c` in a loop, as a tree that leans to the left. The operators around the chain count
    /// with it, because a chain in brackets may stand at the end of another.
    fn check_chain(&mut self, expr: &ast::Expr) -> Result<()> {
        let mut length = self.operators;
        let mut current = expr;
        while let Some((inner, operators)) = operand(current) {
            current = inner;
            length += operators;
        }
        let most = self.environment.limits.chain;
        if length <= most {
            return Ok(());
        }
        // The span of the whole would walk the whole chain: the place is its first operand.
        let span = match current {
            ast::Expr::Identifier(ident) => span_of(ident.span),
            ast::Expr::Value(value) => span_of(value.span),
            _ => Span::default(),
        };
        self.check_count(
            Code::TooManyOperators,
            length,
            most,
            "operators in one chain",
            "chain",
            span,
        )
    }

    /// Notes that a name stands for an item of the select list, if it does.
    fn note_alias(&mut self, (name, span): (&str, Span), scope: &Scope<'_>) {
        if let Some(item) = scope.alias(name) {
            self.places.same(item.span, span);
        }
    }

    /// Returns the expression as a value of a type.
    pub(super) fn coerced(&mut self, expr: Expr, ty: &Type) -> Result<Expr> {
        self.accept(coerce::coerce(expr, ty))
    }

    /// Gives expressions their common type.
    pub(super) fn unified(
        &mut self,
        exprs: Vec<Expr>,
        what: &str,
        span: Span,
    ) -> Result<Vec<Expr>> {
        let refs: Vec<&Expr> = exprs.iter().collect();
        let Some(ty) = coerce::common_type(&refs) else {
            let mut types: Vec<String> = exprs.iter().map(|e| format!("{:#}", e.ty)).collect();
            types.dedup();
            let diagnostic = Diagnostic::new(
                Code::TypeMismatch,
                span,
                format!(
                    "{what} have types that do not fit together: {}",
                    types.join(", ")
                ),
            );
            return Err(self.refuse(with_conversion(diagnostic, &refs)));
        };
        all(exprs.into_iter().map(|expr| self.coerced(expr, &ty)))
    }

    /// Gives expressions that are compared their common type.
    pub(super) fn comparable(&mut self, exprs: Vec<Expr>, span: Span) -> Result<Vec<Expr>> {
        let refs: Vec<&Expr> = exprs.iter().collect();
        match coerce::common_type(&refs) {
            Some(ty) if ty.is_orderable() => {
                all(exprs.into_iter().map(|expr| self.coerced(expr, &ty)))
            }
            Some(ty) => {
                let diagnostic = Diagnostic::new(
                    Code::TypeMismatch,
                    span,
                    format!("values of type {ty:#} cannot be compared"),
                );
                Err(self.refuse(match ty {
                    Type::Struct(_) => diagnostic.help("compare their fields: a.x = b.x"),
                    Type::Array(_) => diagnostic
                        .help("compare elements, or texts: TO_JSON_STRING(a) = TO_JSON_STRING(b)"),
                    _ => diagnostic.help("compare texts: JSON_VALUE(a, '$.x') = 'y'"),
                }))
            }
            None => {
                let mut types: Vec<String> = exprs.iter().map(|e| format!("{:#}", e.ty)).collect();
                types.dedup();
                let diagnostic = Diagnostic::new(
                    Code::TypeMismatch,
                    span,
                    format!("{} cannot be compared", types.join(" and ")),
                );
                let diagnostic = with_conversion(diagnostic, &refs);
                Err(self.refuse(diagnostic))
            }
        }
    }

    pub(super) fn access(
        &mut self,
        base: Expr,
        access: &ast::AccessExpr,
        in_path: bool,
        scope: &Scope<'_>,
    ) -> Result<Expr> {
        match access {
            ast::AccessExpr::Dot(ast::Expr::Identifier(ident)) => {
                let of_row = matches!(base.kind, ExprKind::Row(_));
                let value = scope::field(base, &ident.value, span_of(ident.span));
                let value = self.accept(value)?;
                if !in_path {
                    self.places.access(value.span, of_row);
                }
                Ok(value)
            }
            ast::AccessExpr::Dot(other) => {
                Err(self.unsupported(span_of(other.span()), "this after a dot"))
            }
            ast::AccessExpr::Subscript(ast::Subscript::Index { index }) => {
                self.subscript(base, index, scope)
            }
            ast::AccessExpr::Subscript(ast::Subscript::Slice { .. }) => {
                Err(self.unsupported(base.span, "a slice"))
            }
        }
    }

    pub(super) fn subscript(
        &mut self,
        base: Expr,
        index: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Expr> {
        let span = base.span.to(span_of(index.span()));
        let (mode, index) = match index {
            ast::Expr::Function(function) => match subscript_mode(function) {
                Some((mode, index)) => (mode, index),
                None => (SubscriptMode::Offset, index),
            },
            _ => (SubscriptMode::Offset, index),
        };
        let index = self.expr(index, scope)?;
        if let (Some(fields), ExprKind::Literal(Value::Int64(place))) =
            (base.ty.fields(), &index.kind)
        {
            let first = matches!(mode, SubscriptMode::Ordinal | SubscriptMode::SafeOrdinal);
            let place = place.checked_sub(i64::from(first));
            let place = place.and_then(|place| usize::try_from(place).ok());
            let Some((place, field)) = place.and_then(|at| Some((at, fields.get(at)?.clone())))
            else {
                let message = format!("this STRUCT has {} fields", fields.len());
                return Err(self.refuse(Diagnostic::new(Code::UnknownColumn, span, message)));
            };
            let of_row = matches!(base.kind, ExprKind::Row(_));
            let kind = scope::field_kind(base, place, field.name.as_ref());
            self.places.access(span, of_row);
            return Ok(Expr::new(kind, field.ty, span));
        }
        let Some(element) = base.ty.element().cloned() else {
            let message = format!("a subscript needs an array, found {:#}", base.ty);
            let diagnostic = Diagnostic::new(Code::TypeMismatch, span, message);
            return Err(self.refuse(match base.ty {
                Type::Json => {
                    diagnostic.help("write JSON_QUERY(x, '$.field') or JSON_QUERY(x, '$[0]')")
                }
                Type::Struct(_) => diagnostic.help("write the field by its name: x.field"),
                _ => diagnostic,
            }));
        };
        let index = self.coerced(index, &Type::Int64)?;
        Ok(Expr::new(
            ExprKind::Subscript {
                base: Box::new(base),
                index: Box::new(index),
                mode,
            },
            element,
            span,
        ))
    }

    pub(super) fn extract(
        &mut self,
        field: &ast::DateTimeField,
        operand: &ast::Expr,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let Some(part) = DatePart::parse(&field.to_string()) else {
            return Err(self.refuse(Diagnostic::new(
                Code::Syntax,
                span,
                format!("EXTRACT has no part {field}"),
            )));
        };
        let (operand, zone) = match operand {
            ast::Expr::AtTimeZone {
                timestamp,
                time_zone,
            } => (timestamp.as_ref(), Some(time_zone.as_ref())),
            operand => (operand, None),
        };
        let mut args = vec![Expr::new(ExprKind::Part(part), Type::String, span)];
        args.extend(all(std::iter::once(operand)
            .chain(zone)
            .map(|e| self.expr(e, scope)))?);
        if let Some(text) = args.get(1)
            && text.ty == Type::String
        {
            return Err(self.refuse(
                Diagnostic::new(
                    Code::NoMatchingSignature,
                    text.span,
                    "EXTRACT does not take a STRING",
                )
                .help("write TIMESTAMP '…', DATE '…', or CAST(x AS TIMESTAMP)"),
            ));
        }
        // NULL is an INT64 here, and GoogleSQL reads this part off a TIMESTAMP only.
        if part == DatePart::Datetime
            && let Some(null) = args.get(1)
            && null.is_untyped_null()
        {
            return Err(self.refuse(
                Diagnostic::new(
                    Code::NoMatchingSignature,
                    null.span,
                    "EXTRACT(DATETIME …) does not take NULL",
                )
                .help("write CAST(NULL AS TIMESTAMP)"),
            ));
        }
        self.call_known("EXTRACT", args, span)
    }
}

/// Returns the mode and position of `OFFSET(i)` and its kin.
pub(super) fn subscript_mode(function: &ast::Function) -> Option<(SubscriptMode, &ast::Expr)> {
    let [ast::ObjectNamePart::Identifier(name)] = function.name.0.as_slice() else {
        return None;
    };
    let mode = match name.value.to_ascii_uppercase().as_str() {
        "OFFSET" => SubscriptMode::Offset,
        "SAFE_OFFSET" => SubscriptMode::SafeOffset,
        "ORDINAL" => SubscriptMode::Ordinal,
        "SAFE_ORDINAL" => SubscriptMode::SafeOrdinal,
        _ => return None,
    };
    match &function.args {
        ast::FunctionArguments::List(list) => match list.args.as_slice() {
            [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(index))] => Some((mode, index)),
            _ => None,
        },
        _ => None,
    }
}

/// Adds how to write one type as the other, where two do not meet by themselves.
pub(super) fn with_conversion(diagnostic: Diagnostic, exprs: &[&Expr]) -> Diagnostic {
    let is = |ty: &Type| exprs.iter().any(|e| e.ty == *ty);
    let help = if is(&Type::Timestamp) && is(&Type::Int64) {
        "write TIMESTAMP_MICROS(n), or a literal such as '2026-01-31T00:00:00Z'"
    } else if is(&Type::Timestamp) && (is(&Type::Date) || is(&Type::Datetime)) {
        "write TIMESTAMP(x) for the DATE or DATETIME, with a time zone if it is not UTC"
    } else if is(&Type::String) && is(&Type::Int64) {
        "write a STRING as '1', or CAST(x AS INT64)"
    } else if is(&Type::String) && is(&Type::Bytes) {
        "write BYTES as b'…', or CAST(x AS BYTES)"
    } else {
        return diagnostic;
    };
    diagnostic.help(help)
}

pub(super) fn two(values: Vec<Expr>) -> Result<[Expr; 2]> {
    <[Expr; 2]>::try_from(values).map_err(|_| Refused)
}

pub(super) fn three(values: Vec<Expr>) -> Result<[Expr; 3]> {
    <[Expr; 3]>::try_from(values).map_err(|_| Refused)
}

/// Returns where an expression stands. The library knows no place of STRUCT(x AS name): it is that of its
/// fields.
fn place(expr: &ast::Expr) -> Span {
    match expr {
        ast::Expr::Struct { values, fields: _ } => match values.as_slice() {
            [] => Span::default(),
            [only] => place(only),
            [first, .., last] => place(first).to(place(last)),
        },
        ast::Expr::Named { expr, name } => place(expr).to(span_of(name.span)),
        _ => span_of(expr.span()),
    }
}

/// Returns what an operator or a bracket begins with, which may be a whole chain, and how many operators that
/// is. How deep anything else is nested is limited by the parser.
fn operand(expr: &ast::Expr) -> Option<(&ast::Expr, usize)> {
    match expr {
        ast::Expr::Nested(inner) => Some((inner, 0)),
        ast::Expr::BinaryOp { left, .. } => Some((left, 1)),
        ast::Expr::IsNull(inner)
        | ast::Expr::IsNotNull(inner)
        | ast::Expr::IsTrue(inner)
        | ast::Expr::IsNotTrue(inner)
        | ast::Expr::IsFalse(inner)
        | ast::Expr::IsNotFalse(inner)
        | ast::Expr::IsUnknown(inner)
        | ast::Expr::IsNotUnknown(inner)
        | ast::Expr::IsDistinctFrom(inner, _)
        | ast::Expr::IsNotDistinctFrom(inner, _) => Some((inner, 1)),
        ast::Expr::Between { expr, .. }
        | ast::Expr::Like { expr, .. }
        | ast::Expr::InList { expr, .. }
        | ast::Expr::InSubquery { expr, .. }
        | ast::Expr::InUnnest { expr, .. }
        | ast::Expr::Cast { expr, .. } => Some((expr, 1)),
        ast::Expr::CompoundFieldAccess { root, .. } => Some((root, 1)),
        _ => None,
    }
}
