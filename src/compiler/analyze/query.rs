//! Queries: WITH, set operations, ORDER BY, LIMIT.

use sqlparser::ast::{self, Spanned};

use super::scope::{Alias, Scope};
use super::{Analyzer, Refused, Result, all, group};
use crate::compiler::catalog::is_identifier;
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::googlesql::parse::span_of;
use crate::compiler::ir::{
    Body, Column, Cte, CteName, Expr, ExprKind, From, Item, OrderItem, Query, RangeId, RangeName,
    Select, SortKey, Type, Value,
};

impl Analyzer<'_> {
    /// Analyses the query that the text as a whole is.
    pub(super) fn statement(&mut self, query: &ast::Query) -> Result<Query> {
        self.query(query, None)
    }

    /// Analyses a query inside a scope of outer names.
    pub(super) fn query(
        &mut self,
        query: &ast::Query,
        parent: Option<&Scope<'_>>,
    ) -> Result<Query> {
        let ast::Query {
            with,
            body,
            order_by,
            limit_clause,
            fetch,
            locks,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        let span = span_of(query.span());
        if fetch.is_some() {
            return Err(self.unsupported(span, "FETCH"));
        }
        if !locks.is_empty() || for_clause.is_some() {
            return Err(self.unsupported(span, "FOR"));
        }
        if settings.is_some() || format_clause.is_some() {
            return Err(self.unsupported(span, "SETTINGS and FORMAT"));
        }
        if !pipe_operators.is_empty() {
            return Err(self.unsupported(span, "pipe syntax"));
        }

        let visible = self.visible.len();
        let declared = with.as_ref().map_or(Ok(()), |with| self.with(with));
        self.depth += 1;
        let result = self.body(body, order_by.as_ref(), parent);
        self.depth -= 1;
        self.visible.truncate(visible);
        let limits = self.limit(limit_clause.as_ref());

        declared?;
        let (body, order_by) = result?;
        let (limit, offset) = limits?;
        Ok(Query {
            body,
            order_by,
            limit,
            offset,
            span,
        })
    }

    fn with(&mut self, with: &ast::With) -> Result<()> {
        let ast::With {
            with_token: _,
            recursive,
            cte_tables,
        } = with;
        if *recursive {
            let message = "WITH RECURSIVE is not accepted here";
            let diagnostic = Diagnostic::new(Code::Unsupported, span_of(with.span()), message);
            return Err(
                self.refuse(diagnostic.help("leave RECURSIVE out: each CTE sees those before it"))
            );
        }
        let most = self.environment.limits.ctes;
        if self.environment.catalog.is_none() {
            self.check_count(
                Code::TooManyCtes,
                self.ctes.len() + cte_tables.len(),
                most,
                "CTEs",
                "ctes",
                span_of(with.span()),
            )?;
        }
        let first = self.visible.len();
        all(cte_tables.iter().map(|cte| self.cte(cte, first))).map(|_| ())
    }

    fn cte(&mut self, cte: &ast::Cte, first: usize) -> Result<()> {
        let ast::Cte {
            alias,
            query,
            from,
            materialized,
            closing_paren_token: _,
        } = cte;
        let span = span_of(alias.name.span);
        let name = alias.name.value.as_str();
        let shape = if self.identifier(&alias.name).is_err() {
            Err(Refused)
        } else if from.is_some() || materialized.is_some() {
            Err(self.unsupported(span, "this form of CTE"))
        } else if !alias.columns.is_empty() || alias.at.is_some() {
            Err(self.refuse(
                Diagnostic::new(
                    Code::Unsupported,
                    span,
                    "a column list after the name of a CTE is not accepted here",
                )
                .help("name the columns inside: WITH t AS (SELECT 1 AS a)"),
            ))
        } else if self
            .visible
            .iter()
            .skip(first)
            .any(|(other, _)| other.eq_ignore_ascii_case(name))
        {
            Err(self.refuse(Diagnostic::new(
                Code::DuplicateName,
                span,
                format!("CTE `{name}` is declared twice"),
            )))
        } else {
            Ok(())
        };
        // A CTE sees neither later ones nor the names of an enclosing query.
        let references = std::mem::take(&mut self.table_references);
        // The columns of a stored query's CTE are known by their names.
        let is_private = self.environment.catalog.is_none();
        let around = std::mem::replace(&mut self.in_private_cte, is_private);
        let query = match self.struct_rows(query) {
            Ok(()) => self.query(query, None),
            Err(Refused) => Err(Refused),
        };
        self.in_private_cte = around;
        let expansion = std::mem::replace(&mut self.table_references, references);
        let (Ok(()), Ok(query)) = (shape, query) else {
            self.visible.push((name.to_owned(), None));
            return Err(Refused);
        };
        let id = self.ids.cte();
        self.expansions.insert(id, expansion);
        if self.depth == 0 {
            self.top_level.push(id);
        }
        self.ctes.push(Cte {
            id,
            name: self.free_cte_name(name),
            query,
        });
        self.visible.push((name.to_owned(), Some(id)));
        Ok(())
    }

    /// Returns a name that no other CTE of the statement is printed as.
    fn free_cte_name(&self, name: &str) -> CteName {
        let taken = |candidate: &str| {
            self.ctes.iter().any(|cte| cte.name.matches(candidate))
                || self
                    .environment
                    .subtables
                    .iter()
                    .any(|table| table.name.matches(candidate))
        };
        if !taken(name) {
            return CteName::new(name);
        }
        let mut number = 2;
        loop {
            let candidate = format!("{name}_{number}");
            if !taken(&candidate) {
                return CteName::new(candidate);
            }
            number += 1;
        }
    }

    pub(super) fn body(
        &mut self,
        body: &ast::SetExpr,
        order_by: Option<&ast::OrderBy>,
        parent: Option<&Scope<'_>>,
    ) -> Result<(Body, Vec<OrderItem>)> {
        match body {
            ast::SetExpr::Select(select) => {
                let (select, keys) = self.select(select, order_by, parent)?;
                Ok((Body::Select(Box::new(select)), keys))
            }
            ast::SetExpr::Query(query) => {
                let inner = self.query(query, parent)?;
                if order_by.is_none() {
                    if inner.order_by.is_empty() && inner.limit.is_none() && inner.offset.is_none()
                    {
                        return Ok((inner.body, Vec::new()));
                    }
                    return Ok((Body::Select(Box::new(self.wrap(inner))), Vec::new()));
                }
                let columns = inner.columns();
                let body = Body::Select(Box::new(self.wrap(inner)));
                let keys = self.output_keys(order_by, &columns, parent)?;
                Ok((body, keys))
            }
            ast::SetExpr::SetOperation { .. } => {
                let set = self.set_operation(body, parent)?;
                let keys = self.output_keys(order_by, &set.columns, parent)?;
                Ok((Body::Set(Box::new(set)), keys))
            }
            ast::SetExpr::Values(_) => Err(self.unsupported(span_of(body.span()), "VALUES")),
            ast::SetExpr::Table(_) => Err(self.unsupported(span_of(body.span()), "TABLE")),
            ast::SetExpr::Insert(_)
            | ast::SetExpr::Update(_)
            | ast::SetExpr::Delete(_)
            | ast::SetExpr::Merge(_) => Err(self.refuse(Diagnostic::new(
                Code::NotAQuery,
                span_of(body.span()),
                "only a query is accepted, not a statement that changes data",
            ))),
        }
    }

    /// Returns a select block that reads all columns of a query.
    pub(super) fn wrap(&mut self, query: Query) -> Select {
        let range = self.ids.range();
        self.wrap_as(range, query)
    }

    /// Returns a select block that reads all columns of a query as the FROM item of an id.
    pub(super) fn wrap_as(&self, range: RangeId, query: Query) -> Select {
        let span = query.span;
        let items = query
            .columns()
            .into_iter()
            .map(|column| Item {
                name: column.name.clone(),
                expr: Expr::new(
                    ExprKind::Column {
                        range,
                        column: column.name,
                    },
                    column.ty,
                    span,
                ),
            })
            .collect();
        Select {
            distinct: false,
            items,
            from: Some(From::Derived {
                range,
                name: RangeName::new("q"),
                query: Box::new(query),
            }),
            filter: None,
            group_by: None,
            having: None,
            qualify: None,
        }
    }

    /// Analyses an ORDER BY that sees output columns only.
    fn output_keys(
        &mut self,
        order_by: Option<&ast::OrderBy>,
        columns: &[Column],
        parent: Option<&Scope<'_>>,
    ) -> Result<Vec<OrderItem>> {
        let Some(order_by) = order_by else {
            return Ok(Vec::new());
        };
        let outputs: Vec<Expr> = columns
            .iter()
            .enumerate()
            .map(|(index, column)| {
                Expr::new(ExprKind::Output(index), column.ty.clone(), Span::default())
            })
            .collect();
        let scope = Scope {
            aliases: columns
                .iter()
                .zip(&outputs)
                .filter_map(|(column, expr)| {
                    let name = column.name.called()?;
                    Some(Alias { name, expr })
                })
                .collect(),
            ..Scope::inside(parent)
        };
        let keys = self.order_items(order_by)?;
        all(keys.iter().map(|key| {
            let expr = match self.ordinal(&key.expr, columns.len(), "ORDER BY")? {
                Some(index) => outputs.get(index).cloned().ok_or(Refused)?,
                None => self.expr(&key.expr, &scope)?,
            };
            if let Some(place) = group::first_aggregate(&expr) {
                return Err(self.refuse(
                    Diagnostic::new(
                        Code::MisplacedAggregate,
                        place,
                        "an aggregate function cannot stand in ORDER BY of such a query",
                    )
                    .help("it sees output columns only: select the value under a name, and order by that"),
                ));
            }
            self.sort_key(key, expr)
        }))
    }

    /// Returns the items of an ORDER BY clause.
    pub(super) fn order_items<'q>(
        &mut self,
        order_by: &'q ast::OrderBy,
    ) -> Result<&'q [ast::OrderByExpr]> {
        let ast::OrderBy { kind, interpolate } = order_by;
        let span = span_of(order_by.span());
        if interpolate.is_some() {
            return Err(self.unsupported(span, "INTERPOLATE"));
        }
        match kind {
            ast::OrderByKind::Expressions(items) => {
                let most = self.environment.limits.sort_items;
                self.check_count(
                    Code::TooManySortKeys,
                    items.len(),
                    most,
                    "ORDER BY items",
                    "sort_items",
                    span,
                )?;
                Ok(items)
            }
            ast::OrderByKind::All(_) => Err(self.unsupported(span, "ORDER BY ALL")),
        }
    }

    /// Returns the position that an item such as `2` in GROUP BY or ORDER BY stands for, from 0.
    pub(super) fn ordinal(
        &mut self,
        item: &ast::Expr,
        columns: usize,
        clause: &str,
    ) -> Result<Option<usize>> {
        let item = bare(item);
        if let ast::Expr::UnaryOp { op: _, expr } = item
            && let ast::Expr::Value(ast::ValueWithSpan {
                value: ast::Value::Number(..),
                span,
            }) = expr.as_ref()
        {
            return Err(self.constant_key(clause, span_of(*span)));
        }
        let ast::Expr::Value(ast::ValueWithSpan { value, span }) = item else {
            return Ok(None);
        };
        let digits = match value {
            ast::Value::Number(digits, _) => digits,
            ast::Value::Placeholder(_) => return Ok(None),
            _ => return Err(self.constant_key(clause, span_of(*span))),
        };
        match digits.parse::<usize>() {
            Ok(number) if (1..=columns).contains(&number) => Ok(Some(number - 1)),
            _ => Err(self.refuse(Diagnostic::new(
                Code::BadOrdinal,
                span_of(*span),
                format!("{clause} {digits} names no column: the select list has {columns}"),
            ))),
        }
    }

    /// Refuses a constant in GROUP BY or ORDER BY.
    pub(super) fn constant_key(&mut self, clause: &str, span: Span) -> Refused {
        self.refuse(
            Diagnostic::new(
                Code::BadOrdinal,
                span,
                format!("{clause} takes no constant"),
            )
            .help("write a column, the alias or the number of a select item; a name is quoted by backticks: `name`"),
        )
    }

    /// Returns a sort key with the order that an item asks for.
    pub(super) fn sort_key(&mut self, item: &ast::OrderByExpr, expr: Expr) -> Result<SortKey> {
        let ast::OrderByExpr {
            expr: _,
            options,
            with_fill,
        } = item;
        let span = span_of(item.span());
        if with_fill.is_some() {
            return Err(self.unsupported(span, "WITH FILL"));
        }
        if !expr.ty.is_orderable() {
            return Err(self.refuse(Diagnostic::new(
                Code::TypeMismatch,
                span,
                format!("values of type {:#} have no order", expr.ty),
            )));
        }
        let ast::OrderByOptions { sort, nulls_first } = options;
        let descending = match sort {
            None | Some(ast::OrderBySort::Asc) => false,
            Some(ast::OrderBySort::Desc) => true,
            Some(_) => return Err(self.unsupported(span, "this sort order")),
        };
        Ok(SortKey {
            expr,
            descending,
            nulls_first: nulls_first.unwrap_or(!descending),
        })
    }

    fn limit(&mut self, clause: Option<&ast::LimitClause>) -> Result<(Option<u64>, Option<u64>)> {
        match clause {
            None => Ok((None, None)),
            Some(ast::LimitClause::LimitOffset {
                limit,
                offset,
                limit_by,
            }) => {
                if let Some(by) = limit_by.first() {
                    return Err(self.unsupported(span_of(by.span()), "LIMIT BY"));
                }
                let limit = match limit {
                    Some(limit) => Some(self.row_count(limit, "LIMIT", u64::MAX)?),
                    None => None,
                };
                let most = self.environment.limits.offset;
                let offset = match offset {
                    Some(offset) => Some(self.row_count(&offset.value, "OFFSET", most)?),
                    None => None,
                };
                Ok((limit, offset))
            }
            Some(ast::LimitClause::OffsetCommaLimit { offset, limit: _ }) => Err(self.refuse(
                Diagnostic::new(
                    Code::ForeignSyntax,
                    span_of(offset.span()),
                    "LIMIT takes one number",
                )
                .help("write LIMIT n OFFSET m"),
            )),
        }
    }

    fn row_count(&mut self, expr: &ast::Expr, clause: &str, most: u64) -> Result<u64> {
        let span = span_of(expr.span());
        let count = match bare(expr) {
            ast::Expr::Value(ast::ValueWithSpan {
                value: ast::Value::Number(digits, _),
                ..
            }) => digits
                .parse::<i64>()
                .ok()
                .and_then(|n| u64::try_from(n).ok()),
            _ => None,
        };
        match count {
            Some(count) if count <= most => Ok(count),
            Some(count) => Err(self.refuse(Diagnostic::new(
                Code::OffsetTooLarge,
                span,
                format!("{clause} {count}, the limit is {most} (limits.offset)"),
            ))),
            None => Err(self.refuse(Diagnostic::new(
                Code::BadLimit,
                span,
                format!("{clause} takes an integer literal"),
            ))),
        }
    }

    /// Returns the name an identifier gives, when printers can write it.
    pub(super) fn identifier<'i>(&mut self, ident: &'i ast::Ident) -> Result<&'i str> {
        if is_identifier(&ident.value) {
            return Ok(&ident.value);
        }
        Err(self.refuse(
            Diagnostic::new(
                Code::BadIdentifier,
                span_of(ident.span),
                "this name has characters that are not accepted",
            )
            .help(if ident.value.contains('.') {
                "put each part of a path in backticks of its own: `a`.`b`"
            } else {
                "names are letters, digits and underscores"
            }),
        ))
    }
}

/// Returns the INT64 literal of a value.
pub(in crate::compiler) fn int64(value: i64, span: Span) -> Expr {
    Expr::new(ExprKind::Literal(Value::Int64(value)), Type::Int64, span)
}

/// Returns an expression without brackets and signs around it that leave it as it is.
fn bare(expr: &ast::Expr) -> &ast::Expr {
    let mut expr = expr;
    while let ast::Expr::Nested(inner)
    | ast::Expr::UnaryOp {
        op: ast::UnaryOperator::Plus,
        expr: inner,
    } = expr
    {
        expr = inner;
    }
    expr
}
