//! Tests: IS, IN and LIKE, and sub-queries of one column.

use sqlparser::ast;

use super::expr::two;
use super::scope::Scope;
use super::{Analyzer, Refused, Result, all, coerce};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::ir::{Body, Expr, ExprKind, Query, Type, Value};

impl Analyzer<'_> {
    pub(super) fn is_null(
        &mut self,
        operand: &ast::Expr,
        negated: bool,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let operand = self.expr(operand, scope)?;
        Ok(null_test(operand, negated, span))
    }

    /// Analyses `IS UNKNOWN`, which is IS NULL of a BOOL.
    pub(super) fn is_unknown(
        &mut self,
        operand: &ast::Expr,
        negated: bool,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let operand = self.condition(operand, scope, "IS UNKNOWN")?;
        Ok(null_test(operand, negated, span))
    }

    pub(super) fn is_bool(
        &mut self,
        operand: &ast::Expr,
        value: bool,
        negated: bool,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let operand = Box::new(self.condition(operand, scope, "IS TRUE")?);
        Ok(Expr::new(
            ExprKind::IsBool {
                operand,
                value,
                negated,
            },
            Type::Bool,
            span,
        ))
    }

    pub(super) fn is_distinct(
        &mut self,
        left: &ast::Expr,
        right: &ast::Expr,
        negated: bool,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let operands = all([left, right].map(|e| self.expr(e, scope)))?;
        if operands.iter().any(|operand| operand.ty.fields().is_some()) {
            let [left, right] = two(operands)?;
            return self.distinct_records(left, right, negated, span);
        }
        let [left, right] = two(self.comparable(operands, span)?)?;
        Ok(Expr::new(
            ExprKind::IsDistinct {
                left: Box::new(left),
                right: Box::new(right),
                negated,
            },
            Type::Bool,
            span,
        ))
    }

    pub(super) fn in_list(
        &mut self,
        operand: &ast::Expr,
        list: &[ast::Expr],
        negated: bool,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let most = self.environment.limits.list_items;
        self.check_count(
            Code::TooManyElements,
            list.len(),
            most,
            "elements of IN",
            "list_items",
            span,
        )?;
        let operands = all(std::iter::once(operand)
            .chain(list)
            .map(|e| self.expr(e, scope)))?;
        if operands.first().is_some_and(|e| e.ty.fields().is_some()) {
            return self.record_in_list(operands, negated, span);
        }
        let mut operands = self.comparable(operands, span)?.into_iter();
        let operand = Box::new(operands.next().ok_or(Refused)?);
        Ok(Expr::new(
            ExprKind::InList {
                operand,
                list: operands.collect(),
                negated,
            },
            Type::Bool,
            span,
        ))
    }

    pub(super) fn in_query(
        &mut self,
        operand: &ast::Expr,
        subquery: &ast::Query,
        negated: bool,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let operand = self.expr(operand, scope);
        let (mut query, ty) = self.one_column(subquery, scope, "a sub-query of IN", span)?;
        let operand = operand?;
        if operand.ty.fields().is_some() {
            return self.record_in_query(operand, query, &ty, negated, span);
        }
        // Here nothing stands for a value of another type, not even a literal.
        let meets = operand.ty.same(&ty) || operand.ty.is_numeric() && ty.is_numeric();
        if !meets {
            let message = format!(
                "{:#} cannot be looked for in a sub-query of {ty:#}",
                operand.ty
            );
            let diagnostic = Diagnostic::new(Code::TypeMismatch, operand.span, message);
            return Err(
                self.refuse(diagnostic.help(format!("write CAST(x AS {ty:#}) IN (SELECT …)")))
            );
        }
        let column = Expr::new(ExprKind::Output(0), ty.clone(), span);
        let operands = self.comparable(vec![operand, column], span)?;
        let [operand, column] = two(operands)?;
        if column.ty != ty {
            let mut select = self.wrap(query);
            for item in &mut select.items {
                let expr = std::mem::replace(&mut item.expr, Expr::bool(false));
                item.expr = self.coerced(expr, &column.ty)?;
            }
            query = Query {
                body: Body::Select(Box::new(select)),
                order_by: Vec::new(),
                limit: None,
                offset: None,
                span,
            };
        }
        Ok(Expr::new(
            ExprKind::InQuery {
                operand: Box::new(operand),
                query: Box::new(query),
                negated,
            },
            Type::Bool,
            span,
        ))
    }

    pub(super) fn in_unnest(
        &mut self,
        operand: &ast::Expr,
        array: &ast::Expr,
        negated: bool,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let [operand, array] = two(all([operand, array].map(|e| self.expr(e, scope)))?)?;
        if operand.ty.fields().is_some() && array.ty.element().is_some() {
            return self.record_in_unnest(operand, array, negated, span);
        }
        let Some(element) = array.ty.element().cloned() else {
            return Err(self.refuse(Diagnostic::new(
                Code::TypeMismatch,
                array.span,
                format!("IN UNNEST needs an array, found {:#}", array.ty),
            )));
        };
        // Literals convert where values of their type do not.
        let literal = match &array.kind {
            // An array of nothing holds values of any type.
            ExprKind::Array(items) if items.is_empty() => Some(Expr::new(
                ExprKind::Literal(Value::Null),
                Type::Int64,
                array.span,
            )),
            ExprKind::Array(items) if coerce::is_constant(&array) => {
                items.iter().find(|item| !item.is_null_literal()).cloned()
            }
            _ => None,
        };
        let member =
            literal.unwrap_or_else(|| Expr::new(ExprKind::Output(0), element.clone(), array.span));
        let pair = vec![operand, member];
        let [operand, member] = two(self.comparable(pair, span)?)?;
        let array = if member.ty == element {
            array
        } else {
            self.coerced(array, &Type::array(member.ty))?
        };
        Ok(Expr::new(
            ExprKind::InUnnest {
                operand: Box::new(operand),
                array: Box::new(array),
                negated,
            },
            Type::Bool,
            span,
        ))
    }

    /// Analyses a sub-query that must have one column.
    pub(super) fn one_column(
        &mut self,
        subquery: &ast::Query,
        scope: &Scope<'_>,
        what: &str,
        span: Span,
    ) -> Result<(Query, Type)> {
        let query = self.query(subquery, Some(scope))?;
        let columns = query.columns();
        match columns.as_slice() {
            [column] => {
                let ty = column.ty.clone();
                Ok((query, ty))
            }
            columns => Err(self.refuse(Diagnostic::new(
                Code::ColumnCountMismatch,
                span,
                format!("{what} must have one column, this has {}", columns.len()),
            ))),
        }
    }

    pub(super) fn like(
        &mut self,
        operand: &ast::Expr,
        pattern: &ast::Expr,
        negated: bool,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let name = if negated { "NOT LIKE" } else { "LIKE" };
        self.no_null(name, [operand, pattern])?;
        let operands = all([operand, pattern].map(|e| self.expr(e, scope)))?;
        let bytes = operands.iter().any(|e| e.ty == Type::Bytes);
        let ty = if bytes { Type::Bytes } else { Type::String };
        if let Some(other) = operands
            .iter()
            .find(|e| e.ty != ty && !e.is_untyped_null() && coerce::cost(e, &ty).is_none())
        {
            let diagnostic = Diagnostic::new(
                Code::TypeMismatch,
                other.span,
                format!("LIKE needs a STRING, found {:#}", other.ty),
            )
            .help("write CAST(x AS STRING) LIKE …");
            return Err(self.refuse(diagnostic));
        }
        let operands = all(operands.into_iter().map(|e| self.coerced(e, &ty)))?;
        let [operand, pattern] = two(operands)?;
        if let ExprKind::Literal(Value::String(text)) = &pattern.kind
            && ends_in_escape(text)
        {
            return Err(self.refuse(
                Diagnostic::new(
                    Code::BadPattern,
                    pattern.span,
                    "this LIKE pattern ends with a backslash that escapes nothing",
                )
                .help("write \\\\\\\\ in the literal for a backslash in the text"),
            ));
        }
        Ok(Expr::new(
            ExprKind::Like {
                operand: Box::new(operand),
                pattern: Box::new(pattern),
                negated,
            },
            Type::Bool,
            span,
        ))
    }
}

fn null_test(operand: Expr, negated: bool, span: Span) -> Expr {
    let operand = Box::new(operand);
    Expr::new(ExprKind::IsNull { operand, negated }, Type::Bool, span)
}

pub(super) fn ends_in_escape(pattern: &str) -> bool {
    pattern.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1
}
