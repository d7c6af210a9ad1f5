//! Select blocks: the select list, grouping, and the clauses that see its aliases.

use sqlparser::ast::{self, Spanned};

use super::items::RawItem;
use super::scope::{Alias, Scope};
use super::{Analyzer, Refused, Result, all, group};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::googlesql::parse::span_of;
use crate::compiler::ir::{
    ColumnName, Expr, ExprKind, Field, From, GroupBy, Item, OrderItem, Select, SortKey, Type,
};

impl Analyzer<'_> {
    /// Analyses a select block with the ORDER BY of its query, which sees the block's names.
    pub(super) fn select(
        &mut self,
        select: &ast::Select,
        order_by: Option<&ast::OrderBy>,
        parent: Option<&Scope<'_>>,
    ) -> Result<(Select, Vec<OrderItem>)> {
        let span = span_of(select.span());
        let distinct = self.select_shape(select, span)?;

        let (from, mut scope) = self.from(&select.from, parent)?;
        scope.later = aliases(&select.projection);
        let windows = self.named_windows(&select.named_window, &scope)?;
        let outer_windows = std::mem::replace(&mut self.windows, windows);
        let result = self.block(select, distinct, from, &scope, order_by, span);
        self.windows = outer_windows;
        result
    }

    /// Analyses a select block whose FROM has been.
    fn block(
        &mut self,
        select: &ast::Select,
        distinct: bool,
        from: Option<From>,
        scope: &Scope<'_>,
        order_by: Option<&ast::OrderBy>,
        span: Span,
    ) -> Result<(Select, Vec<OrderItem>)> {
        let filter = match &select.selection {
            Some(filter) => self.condition(filter, scope, "WHERE").map(Some),
            None => Ok(None),
        };
        let items = self.items(&select.projection, scope, span);
        let (filter, items) = match (filter, items) {
            (Ok(filter), Ok(items)) => (filter, items),
            _ => return Err(Refused),
        };
        if let Some(filter) = &filter {
            self.no_aggregate(filter, "WHERE")?;
        }

        let aliases: Vec<Alias> = items
            .iter()
            .filter_map(|item| {
                Some(Alias {
                    name: item.name.clone()?,
                    expr: item.expr.clone(),
                })
            })
            .collect();
        let named = scope.with_aliases(aliases);

        let keys = self.group_keys(&select.group_by, &items, &named);
        let having = match &select.having {
            Some(having) => self.condition(having, &named, "HAVING").map(Some),
            None => Ok(None),
        };
        let qualify = match &select.qualify {
            Some(qualify) => self.condition(qualify, &named, "QUALIFY").map(Some),
            None => Ok(None),
        };
        let order = match order_by {
            Some(order_by) => self.select_keys(order_by, &items, &named),
            None => Ok(Vec::new()),
        };
        let (keys, having, qualify, order) = match (keys, having, qualify, order) {
            (Ok(keys), Ok(having), Ok(qualify), Ok(order)) => (keys, having, qualify, order),
            _ => return Err(Refused),
        };
        if let Some(having) = &having
            && group::has_window(having)
        {
            return Err(self.refuse(Diagnostic::new(
                Code::MisplacedWindow,
                having.span,
                "a window function cannot stand in HAVING",
            )));
        }

        let grouped = keys.is_some() || items.iter().any(|item| group::has_aggregate(&item.expr));
        if let Some(having) = &having
            && !grouped
        {
            return Err(self.refuse(
                Diagnostic::new(
                    Code::Syntax,
                    having.span,
                    "HAVING needs GROUP BY or an aggregate function in the select list",
                )
                .help("conditions on rows go into WHERE"),
            ));
        }
        if let Some(qualify) = &qualify
            && !group::has_window(qualify)
            && !items.iter().any(|item| group::has_window(&item.expr))
        {
            return Err(self.refuse(
                Diagnostic::new(
                    Code::Syntax,
                    qualify.span,
                    "QUALIFY needs a window function, here or in the select list",
                )
                .help("conditions on rows go into WHERE"),
            ));
        }

        if let Some(GroupBy { keys, rollup: true }) = &keys
            && let Some(key) = keys.iter().find(|key| group::is_constant(key))
        {
            // In GoogleSQL what is written like it is NULL in a total only where it names the key.
            return Err(self.unsupported(key.span, "a constant as a key of ROLLUP"));
        }

        let aggregates = items.iter().any(|item| group::has_aggregate(&item.expr))
            || having.as_ref().is_some_and(group::has_aggregate)
            || qualify.as_ref().is_some_and(group::has_aggregate)
            || order.iter().any(|key| group::has_aggregate(&key.expr));
        let group_by = match keys {
            Some(keys) => Some(keys),
            None if aggregates || having.is_some() => Some(GroupBy {
                keys: Vec::new(),
                rollup: false,
            }),
            None => None,
        };

        let mut block = Select {
            distinct,
            items: self.name_items(items)?,
            from,
            filter,
            group_by,
            having,
            qualify,
        };
        let mut order = order;
        if let Some(group_by) = block.group_by.clone() {
            self.regroup(&mut block, &mut order, &group_by, scope)?;
        }
        if select.value_table_mode.is_some() {
            return self.as_struct(block, order, span);
        }
        self.finish_order(&block, &mut order)?;
        if block.distinct {
            for item in &block.items {
                if !item.expr.ty.is_groupable() {
                    return Err(self.refuse(Diagnostic::new(
                        Code::TypeMismatch,
                        item.expr.span,
                        format!(
                            "values of type {:#} cannot be compared, which SELECT DISTINCT needs",
                            item.expr.ty
                        ),
                    )));
                }
            }
        }
        Ok((block, order))
    }

    /// Makes the columns of a block the fields of one STRUCT: `SELECT AS STRUCT`.
    fn as_struct(
        &mut self,
        mut block: Select,
        order: Vec<OrderItem>,
        span: Span,
    ) -> Result<(Select, Vec<OrderItem>)> {
        if block.distinct {
            return Err(self.unsupported(span, "SELECT AS STRUCT DISTINCT"));
        }
        let items = std::mem::take(&mut block.items);
        let ty = Type::record(items.iter().map(|item| Field {
            name: Some(item.name.clone()),
            ty: item.expr.ty.clone(),
        }));
        let values = items.into_iter().map(|item| item.expr).collect();
        block.items = vec![Item {
            name: ColumnName::new("f0_"),
            expr: Expr::new(ExprKind::Struct(values), ty, span),
        }];
        Ok((block, order))
    }

    /// Refuses the forms of SELECT that GoogleSQL does not have or that are not accepted; returns
    /// whether it is SELECT DISTINCT.
    fn select_shape(&mut self, select: &ast::Select, span: Span) -> Result<bool> {
        let ast::Select {
            select_token: _,
            optimizer_hints,
            distinct,
            select_modifiers,
            top,
            top_before_distinct: _,
            projection: _,
            exclude,
            into,
            from: _,
            lateral_views,
            prewhere,
            selection: _,
            connect_by,
            group_by: _,
            cluster_by,
            distribute_by,
            sort_by,
            having: _,
            named_window: _,
            qualify: _,
            window_before_qualify: _,
            value_table_mode,
            flavor,
        } = select;
        if !optimizer_hints.is_empty() || select_modifiers.is_some() {
            return Err(self.unsupported(span, "a hint"));
        }
        if top.is_some() {
            return Err(self.refuse(
                Diagnostic::new(Code::ForeignSyntax, span, "TOP is not GoogleSQL")
                    .help("write LIMIT n at the end of the query"),
            ));
        }
        if exclude.is_some() {
            return Err(self.refuse(
                Diagnostic::new(Code::ForeignSyntax, span, "EXCLUDE is not GoogleSQL")
                    .help("write * EXCEPT (a, b)"),
            ));
        }
        if into.is_some() {
            return Err(self.refuse(Diagnostic::new(
                Code::NotAQuery,
                span,
                "SELECT INTO is not a query",
            )));
        }
        if !lateral_views.is_empty()
            || prewhere.is_some()
            || !connect_by.is_empty()
            || !cluster_by.is_empty()
            || !distribute_by.is_empty()
            || !sort_by.is_empty()
        {
            return Err(self.unsupported(span, "a clause of another SQL dialect"));
        }
        match value_table_mode {
            None => {}
            Some(ast::ValueTableMode::AsStruct) if self.depth > 1 => {}
            Some(_) => {
                return Err(self.refuse(
                    Diagnostic::new(Code::Unsupported, span, "SELECT AS is not accepted here")
                        .help(
                            "SELECT AS STRUCT can stand in a sub-query: ARRAY(SELECT AS STRUCT …)",
                        ),
                ));
            }
        }
        if *flavor != ast::SelectFlavor::Standard {
            return Err(self.unsupported(span, "FROM before SELECT"));
        }
        match distinct {
            None | Some(ast::Distinct::All) => Ok(false),
            Some(ast::Distinct::Distinct) => Ok(true),
            Some(ast::Distinct::On(_)) => Err(self.refuse(
                Diagnostic::new(Code::ForeignSyntax, span, "DISTINCT ON is not GoogleSQL")
                    .help("write QUALIFY ROW_NUMBER() OVER (PARTITION BY … ORDER BY …) = 1"),
            )),
        }
    }

    /// Analyses a condition, which is BOOL.
    pub(super) fn condition(
        &mut self,
        expr: &ast::Expr,
        scope: &Scope<'_>,
        clause: &str,
    ) -> Result<Expr> {
        let condition = self.expr(expr, scope)?;
        if condition.ty == Type::Bool || condition.is_null_literal() {
            return self.coerced(condition, &Type::Bool);
        }
        Err(self.refuse(Diagnostic::new(
            Code::TypeMismatch,
            condition.span,
            format!("{clause} needs a BOOL, found {:#}", condition.ty),
        )))
    }

    fn group_keys(
        &mut self,
        group_by: &ast::GroupByExpr,
        items: &[RawItem],
        named: &Scope<'_>,
    ) -> Result<Option<GroupBy>> {
        let (exprs, modifiers) = match group_by {
            ast::GroupByExpr::Expressions(exprs, modifiers) => (exprs, modifiers),
            ast::GroupByExpr::All(modifiers) => {
                if let Some(_modifier) = modifiers.first() {
                    return Err(self.unsupported(Span::default(), "GROUP BY ALL with a modifier"));
                }
                let keys = items
                    .iter()
                    .filter(|item| {
                        !group::has_aggregate(&item.expr) && !group::has_window(&item.expr)
                    })
                    .filter(|item| !group::is_constant(&item.expr))
                    .map(|item| item.expr.clone());
                let keys = all(keys.map(|key| self.groupable(key)))?;
                return Ok(Some(GroupBy {
                    keys,
                    rollup: false,
                }));
            }
        };
        if !modifiers.is_empty() {
            return Err(self.unsupported(span_of(group_by.span()), "this form of GROUP BY"));
        }
        if exprs.is_empty() {
            return Ok(None);
        }
        let most = self.environment.limits.group_items;
        self.check_count(
            Code::TooManyGroupKeys,
            exprs.len(),
            most,
            "GROUP BY items",
            "group_items",
            span_of(group_by.span()),
        )?;
        let (exprs, rollup): (Vec<&ast::Expr>, bool) = match exprs.as_slice() {
            // `GROUP BY ()`: all rows are one group.
            [ast::Expr::Tuple(none)] if none.is_empty() => (Vec::new(), false),
            [ast::Expr::Rollup(sets)] => {
                let mut keys = Vec::with_capacity(sets.len());
                for set in sets {
                    let [key] = set.as_slice() else {
                        return Err(
                            self.unsupported(span_of(group_by.span()), "a list inside ROLLUP")
                        );
                    };
                    keys.push(key);
                }
                (keys, true)
            }
            exprs => (exprs.iter().collect(), false),
        };
        let keys = all(exprs
            .into_iter()
            .map(|expr| self.group_key(expr, items, named)))?;
        Ok(Some(GroupBy { keys, rollup }))
    }

    fn group_key(
        &mut self,
        expr: &ast::Expr,
        items: &[RawItem],
        named: &Scope<'_>,
    ) -> Result<Expr> {
        let span = span_of(expr.span());
        let mut key = match self.ordinal(expr, items.len(), "GROUP BY")? {
            Some(index) => items.get(index).ok_or(Refused)?.expr.clone(),
            None => self.expr(expr, named)?,
        };
        key.span = span;
        if group::has_window(&key) {
            return Err(self.refuse(Diagnostic::new(
                Code::MisplacedWindow,
                span,
                "a window function cannot stand in GROUP BY",
            )));
        }
        self.no_aggregate(&key, "GROUP BY")?;
        self.groupable(key)
    }

    /// Refuses a group key whose values cannot be compared.
    fn groupable(&mut self, key: Expr) -> Result<Expr> {
        if key.ty.is_groupable() {
            return Ok(key);
        }
        Err(self.refuse(Diagnostic::new(
            Code::TypeMismatch,
            key.span,
            format!("values of type {:#} cannot be grouped by", key.ty),
        )))
    }

    fn no_aggregate(&mut self, expr: &Expr, clause: &str) -> Result<()> {
        if let Some(span) = group::first_aggregate(expr) {
            return Err(self.refuse(
                Diagnostic::new(
                    Code::MisplacedAggregate,
                    span,
                    format!("an aggregate function cannot stand in {clause}"),
                )
                .help("conditions on groups go into HAVING"),
            ));
        }
        if clause == "WHERE" && group::has_window(expr) {
            return Err(self.refuse(
                Diagnostic::new(
                    Code::MisplacedWindow,
                    expr.span,
                    "a window function cannot stand in WHERE",
                )
                .help("conditions on window functions go into QUALIFY"),
            ));
        }
        Ok(())
    }

    fn select_keys(
        &mut self,
        order_by: &ast::OrderBy,
        items: &[RawItem],
        named: &Scope<'_>,
    ) -> Result<Vec<SortKey>> {
        let keys = self.order_items(order_by)?;
        all(keys.iter().map(|key| {
            let mut expr = match self.ordinal(&key.expr, items.len(), "ORDER BY")? {
                Some(index) => items.get(index).ok_or(Refused)?.expr.clone(),
                None => self.expr(&key.expr, named)?,
            };
            expr.span = span_of(key.expr.span());
            self.sort_key(key, expr)
        }))
    }

    /// Writes what is computed after grouping in terms of the group keys.
    fn regroup(
        &mut self,
        block: &mut Select,
        order: &mut [SortKey],
        group_by: &GroupBy,
        scope: &Scope<'_>,
    ) -> Result<()> {
        let own: Vec<_> = scope.ranges.iter().map(|range| range.id).collect();
        let mut errors = Vec::new();
        for item in &mut block.items {
            group::regroup(&mut item.expr, &group_by.keys, &own, &mut errors);
        }
        let rest = block
            .having
            .iter_mut()
            .chain(&mut block.qualify)
            .chain(order.iter_mut().map(|key| &mut key.expr));
        for expr in rest {
            group::regroup(expr, &group_by.keys, &own, &mut errors);
        }
        if errors.is_empty() {
            return Ok(());
        }
        self.diagnostics.extend(errors);
        Err(Refused)
    }

    /// Sorts by output columns where a key is one.
    fn finish_order(&mut self, block: &Select, order: &mut [SortKey]) -> Result<()> {
        for key in order {
            if let Some(index) = block.items.iter().position(|item| item.expr == key.expr) {
                key.expr.kind = ExprKind::Output(index);
            } else if block.distinct {
                return Err(self.refuse(Diagnostic::new(
                    Code::NotGrouped,
                    key.expr.span,
                    "with SELECT DISTINCT, ORDER BY can use output columns only",
                )));
            }
        }
        Ok(())
    }
}

/// Returns the aliases that a select list gives.
fn aliases(projection: &[ast::SelectItem]) -> Vec<String> {
    let alias = |item: &ast::SelectItem| match item {
        ast::SelectItem::ExprWithAlias { expr: _, alias } => Some(alias.value.clone()),
        _ => None,
    };
    projection.iter().filter_map(alias).collect()
}
