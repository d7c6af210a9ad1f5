//! Set operations: their arms, and the types in which these meet.

use sqlparser::ast::{self, Spanned};

use super::scope::Scope;
use super::{Analyzer, Result, all, coerce, group};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::googlesql::parse::span_of;
use crate::compiler::ir::{
    Body, Column, Expr, ExprKind, Query, Select, SetOperation, SetOperator, Type,
};

impl Analyzer<'_> {
    pub(super) fn set_operation(
        &mut self,
        body: &ast::SetExpr,
        parent: Option<&Scope<'_>>,
    ) -> Result<SetOperation> {
        let span = span_of(body.span());
        let mut arms = Vec::new();
        let mut operation: Option<(SetOperator, bool)> = None;
        let mut current = body;
        while let ast::SetExpr::SetOperation {
            left,
            op,
            set_quantifier,
            right,
        } = current
        {
            let this = self.set_operator(*op, *set_quantifier, span)?;
            if operation.is_some_and(|other| other != this) {
                return Err(self.refuse(
                    Diagnostic::new(
                        Code::Syntax,
                        span,
                        "different set operators in a row need parentheses",
                    )
                    .help("write (SELECT … UNION ALL SELECT …) EXCEPT DISTINCT SELECT …"),
                ));
            }
            operation = Some(this);
            arms.push(right.as_ref());
            current = left;
        }
        arms.push(current);
        arms.reverse();
        let Some((operator, all_rows)) = operation else {
            return Err(self.unsupported(span, "this set operation"));
        };
        let most = self.environment.limits.set_arms;
        self.check_count(
            Code::TooManyArms,
            arms.len(),
            most,
            "arms of a set operation",
            "set_arms",
            span,
        )?;

        let arms = all(arms.into_iter().map(|arm| {
            let span = span_of(arm.span());
            let (body, order_by) = self.body(arm, None, parent)?;
            let query = Query {
                body,
                order_by,
                limit: None,
                offset: None,
                span,
            };
            Ok(Arm {
                values: column_values(&query, has_with(arm)),
                query,
            })
        }))?;
        self.unify(operator, all_rows, arms, span)
    }

    fn set_operator(
        &mut self,
        operator: ast::SetOperator,
        quantifier: ast::SetQuantifier,
        span: Span,
    ) -> Result<(SetOperator, bool)> {
        use ast::{SetOperator as Operator, SetQuantifier as Quantifier};
        match (operator, quantifier) {
            (Operator::Union, Quantifier::All) => Ok((SetOperator::Union, true)),
            (Operator::Union, Quantifier::Distinct) => Ok((SetOperator::Union, false)),
            (Operator::Intersect, Quantifier::Distinct) => Ok((SetOperator::Intersect, false)),
            (Operator::Except, Quantifier::Distinct) => Ok((SetOperator::Except, false)),
            (Operator::Union, Quantifier::None) => Err(self.refuse(
                Diagnostic::new(Code::Syntax, span, "UNION needs ALL or DISTINCT")
                    .help("write UNION ALL to keep duplicate rows, UNION DISTINCT to drop them"),
            )),
            (Operator::Intersect | Operator::Except, Quantifier::None) => Err(self.refuse(
                Diagnostic::new(Code::Syntax, span, "INTERSECT and EXCEPT need DISTINCT")
                    .help("write INTERSECT DISTINCT or EXCEPT DISTINCT"),
            )),
            _ => Err(self.refuse(
                Diagnostic::new(
                    Code::Unsupported,
                    span,
                    "this set operator is not accepted here",
                )
                .help("write UNION ALL, or UNION, INTERSECT or EXCEPT with DISTINCT"),
            )),
        }
    }

    /// Gives the columns of all arms their common types.
    fn unify(
        &mut self,
        operator: SetOperator,
        all_rows: bool,
        arms: Vec<Arm>,
        span: Span,
    ) -> Result<SetOperation> {
        let width = arms.first().map_or(0, |arm| arm.values.len());
        for arm in &arms {
            let columns = arm.values.len();
            if columns != width {
                return Err(self.refuse(Diagnostic::new(
                    Code::ColumnCountMismatch,
                    arm.query.span,
                    format!(
                        "this arm has {columns} columns, the first arm of the set operation has {width}"
                    ),
                )));
            }
        }
        let mut columns = Vec::with_capacity(width);
        let names = arms.first().map(|arm| arm.query.columns());
        for (index, column) in names.unwrap_or_default().into_iter().enumerate() {
            let values = arms.iter().filter_map(|arm| arm.values.get(index));
            let values: Vec<&Expr> = values.collect();
            let Some(ty) = coerce::common_type(&values) else {
                let mut types: Vec<String> = values.iter().map(|v| format!("{:#}", v.ty)).collect();
                if types.iter().all(|ty| types.first() == Some(ty)) {
                    types = values.iter().map(|v| v.ty.to_string()).collect();
                }
                let diagnostic = Diagnostic::new(
                    Code::TypeMismatch,
                    span,
                    format!(
                        "column {} of the set operation has types that do not fit together: {}",
                        index + 1,
                        types.join(", ")
                    ),
                );
                return Err(self.refuse(super::expr::with_conversion(diagnostic, &values)));
            };
            if !all_rows && !ty.is_groupable() {
                let message =
                    format!("values of type {ty:#} cannot be compared, which DISTINCT needs");
                let diagnostic = Diagnostic::new(Code::TypeMismatch, span, message);
                return Err(self.refuse(match ty {
                    Type::Struct(_) => diagnostic.help("select its fields: s.a, s.b, or s.*"),
                    _ => diagnostic.help("select its text: TO_JSON_STRING(x) AS name"),
                }));
            }
            columns.push(Column {
                name: column.name,
                ty,
            });
        }
        let arms = all(arms.into_iter().map(|arm| self.retype(arm.query, &columns)))?;
        Ok(SetOperation {
            operator,
            all: all_rows,
            arms,
            columns,
        })
    }

    /// Returns the query with its columns cast to the types of others.
    fn retype(&mut self, query: Query, columns: &[Column]) -> Result<Query> {
        if query
            .columns()
            .iter()
            .zip(columns)
            .all(|(a, b)| a.ty == b.ty)
        {
            return Ok(query);
        }
        let span = query.span;
        let plain = query.order_by.is_empty()
            && matches!(&query.body, Body::Select(select) if !select.distinct);
        let mut query = if plain {
            query
        } else {
            Query {
                body: Body::Select(Box::new(self.wrap(query))),
                order_by: Vec::new(),
                limit: None,
                offset: None,
                span,
            }
        };
        if let Body::Select(select) = &mut query.body {
            for (item, column) in select.items.iter_mut().zip(columns) {
                let expr = std::mem::replace(&mut item.expr, Expr::bool(false));
                item.expr = self.accept(coerce::coerce(expr, &column.ty))?;
            }
        }
        Ok(query)
    }
}

/// An arm of a set operation.
struct Arm {
    query: Query,
    /// What its columns are when their types meet those of other arms.
    values: Vec<Expr>,
}

/// Returns whether an arm, or the query in its brackets, has a WITH clause.
fn has_with(arm: &ast::SetExpr) -> bool {
    let mut arm = arm;
    while let ast::SetExpr::Query(query) = arm {
        if query.with.is_some() {
            return true;
        }
        arm = &query.body;
    }
    false
}

/// Returns the values of a query's columns, or columns of the same types where these are computed by another step
/// than the select list: a literal stands for a value of another type only where it is a column as it is.
fn column_values(query: &Query, behind_with: bool) -> Vec<Expr> {
    let windowed = |select: &Select| {
        let items = select.items.iter().map(|item| &item.expr);
        items.chain(&select.qualify).any(group::has_window)
    };
    match &query.body {
        Body::Select(select) if !behind_with && !select.distinct && !windowed(select) => {
            let values = select.items.iter().map(|item| item.expr.clone());
            values.map(with_typed_nulls).collect()
        }
        Body::Select(_) | Body::Set(_) => {
            let columns = query.columns().into_iter().enumerate();
            columns
                .map(|(index, column)| Expr::new(ExprKind::Output(index), column.ty, query.span))
                .collect()
        }
    }
}

/// Gives each NULL in a STRUCT its type: between queries it stands for no value of another.
fn with_typed_nulls(mut expr: Expr) -> Expr {
    if let ExprKind::Struct(items) = &mut expr.kind {
        for item in items {
            if item.is_untyped_null() {
                *item = coerce::typed_null(Type::Int64, item.span);
            }
        }
    }
    expr
}
