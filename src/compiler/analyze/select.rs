//! Select blocks: the select list, grouping, and the clauses that see its aliases.

use sqlparser::ast::{self, Spanned};

use super::items::RawItem;
use super::scope::{Alias, Scope};
use super::{Analyzer, Refused, Result, all, group};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::googlesql::parse::span_of;
use crate::compiler::ir::{
    ColumnName, Expr, ExprKind, Field, From, GroupBy, Item, OrderItem, RangeId, Select, SortKey,
    Type,
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
        let is_row = std::mem::take(&mut self.struct_is_row);
        let distinct = self.select_shape(select, is_row, span)?;
        if select.from.is_empty() {
            self.without_from(select, distinct, order_by)?;
        }

        let (from, mut scope) = self.from(&select.from, parent)?;
        scope.later = aliases(&select.projection);
        let windows = self.named_windows(&select.named_window, &scope)?;
        let outer_windows = std::mem::replace(&mut self.windows, windows);
        let as_struct = select.value_table_mode.is_some() && !is_row;
        let shape = Shape {
            distinct,
            as_struct,
        };
        let result = self.block(select, shape, from, scope, order_by, span);
        self.windows = outer_windows;
        result
    }

    /// Analyses a select block whose FROM has been.
    fn block(
        &mut self,
        select: &ast::Select,
        shape: Shape,
        from: Option<From>,
        scope: Scope<'_>,
        order_by: Option<&ast::OrderBy>,
        span: Span,
    ) -> Result<(Select, Vec<OrderItem>)> {
        let Shape {
            distinct,
            as_struct,
        } = shape;
        let filter = match &select.selection {
            Some(filter) => self.condition(filter, &scope, "WHERE").map(Some),
            None => Ok(None),
        };
        let items = self.items(&select.projection, &scope, span);
        let (filter, items) = match (filter, items) {
            (Ok(filter), Ok(items)) => (filter, items),
            _ => return Err(Refused),
        };
        if let Some(filter) = &filter {
            self.no_aggregate(filter, "WHERE")?;
        }

        let own: Vec<RangeId> = scope.ranges.iter().map(|range| range.id).collect();
        let aliases: Vec<Alias> = items
            .iter()
            .filter_map(|item| {
                Some(Alias {
                    name: item.name.as_ref()?.as_str(),
                    expr: &item.expr,
                })
            })
            .collect();
        let named = Scope { aliases, ..scope };

        let keys = self.group_keys(&select.group_by, &items, &named);
        let having = match &select.having {
            Some(having) => self.condition(having, &named, "HAVING").map(Some),
            None => Ok(None),
        };
        let qualify = match &select.qualify {
            Some(qualify) => self.condition(qualify, &named, "QUALIFY").map(Some),
            None => Ok(None),
        };
        let names = self.output_names(&items);
        let rows = distinct.then(|| self.ids.range());
        // ORDER BY belongs to the query, and WINDOW to the block.
        let windows = std::mem::take(&mut self.windows);
        let order = match (order_by, &names, rows) {
            (Some(order_by), Ok(names), Some(rows)) => {
                self.distinct_keys(order_by, &items, names, rows, &named)
            }
            (Some(order_by), Ok(_), None) => self.select_keys(order_by, &items, &named),
            (None, ..) | (_, Err(Refused), _) => Ok(Vec::new()),
        };
        self.windows = windows;
        let (keys, having, qualify, names, order) = match (keys, having, qualify, names, order) {
            (Ok(keys), Ok(having), Ok(qualify), Ok(names), Ok(order)) => {
                (keys, having, qualify, names, order)
            }
            _ => return Err(Refused),
        };
        let items: Vec<Item> = names
            .into_iter()
            .zip(items)
            .map(|(name, RawItem { expr, .. })| Item { name, expr })
            .collect();
        if let Some(having) = &having
            && group::has_window(having)
        {
            return Err(self.refuse(Diagnostic::new(
                Code::MisplacedWindow,
                having.span,
                "a window function cannot stand in HAVING",
            )));
        }

        let aggregate = items
            .iter()
            .find_map(|item| group::first_aggregate(&item.expr));
        if let (Some(place), None) = (aggregate, &from) {
            return Err(self.refuse(
                Diagnostic::new(
                    Code::MisplacedAggregate,
                    place,
                    "an aggregate function needs FROM",
                )
                .help("there are no rows to aggregate: name a sub-table, SELECT … FROM name"),
            ));
        }

        if let Some(GroupBy { keys, rollup: true }) = &keys
            && let Some(key) = keys.iter().find(|key| group::is_constant(key))
        {
            // In GoogleSQL what is written like it is NULL in a total only where it names the key.
            let message = "a constant as a key of ROLLUP is not accepted here";
            return Err(self.refuse(
                Diagnostic::new(Code::Unsupported, key.span, message)
                    .help("leave it out of ROLLUP: it is the same in all groups"),
            ));
        }
        let group_by = match keys {
            Some(keys) => Some(keys),
            None if aggregate.is_some() => Some(GroupBy {
                keys: Vec::new(),
                rollup: false,
            }),
            None => {
                self.ungrouped(having.as_ref(), qualify.as_ref(), &order)?;
                None
            }
        };
        if let Some(qualify) = &qualify
            && !group::has_window(qualify)
            && !items.iter().any(|item| group::has_window(&item.expr))
        {
            return Err(self.refuse(
                Diagnostic::new(
                    Code::MisplacedWindow,
                    qualify.span,
                    "QUALIFY needs a window function in itself or in SELECT",
                )
                .help("conditions on rows go into WHERE, those on groups into HAVING"),
            ));
        }

        let mut block = Select {
            distinct,
            items,
            from,
            filter,
            group_by,
            having,
            qualify,
        };
        let mut order = order;
        self.regroup(&mut block, &mut order, &own)?;
        if as_struct {
            return self.as_struct(block, order, span);
        }
        finish_order(&block, &mut order);
        if block.distinct {
            for item in &block.items {
                if !item.expr.ty.is_groupable() {
                    let diagnostic = Diagnostic::new(
                        Code::TypeMismatch,
                        item.expr.span,
                        format!(
                            "values of type {:#} cannot be compared, which SELECT DISTINCT needs",
                            item.expr.ty
                        ),
                    );
                    return Err(self.refuse(match item.expr.ty {
                        Type::Struct(_) => diagnostic.help("select its fields: s.a, s.b, or s.*"),
                        _ => diagnostic.help("select its text: TO_JSON_STRING(x) AS name"),
                    }));
                }
            }
        }
        Ok(match rows {
            Some(rows) => self.order_distinct(block, order, rows, span),
            None => (block, order),
        })
    }

    /// Prepares for a query whose rows are taken by FROM or a CTE. With SELECT AS STRUCT each row is a STRUCT,
    /// and its fields are the columns, which is what they are without AS STRUCT.
    pub(super) fn struct_rows(&mut self, query: &ast::Query) -> Result<()> {
        if let Some(select) = struct_select(&query.body) {
            let direct = query.with.is_none() && matches!(*query.body, ast::SetExpr::Select(_));
            if !direct {
                let span = span_of(select.span());
                let message = "SELECT AS STRUCT is not accepted here";
                return Err(self
                    .refuse(Diagnostic::new(Code::Unsupported, span, message).help(
                        "leave AS STRUCT out: the rows of a sub-query in FROM have columns",
                    )));
            }
            self.struct_is_row = true;
        }
        Ok(())
    }

    /// Refuses the clauses that a block without FROM cannot have, because there are no rows for them.
    fn without_from(
        &mut self,
        select: &ast::Select,
        distinct: bool,
        order_by: Option<&ast::OrderBy>,
    ) -> Result<()> {
        let grouped = match &select.group_by {
            ast::GroupByExpr::Expressions(keys, modifiers) => {
                !keys.is_empty() || !modifiers.is_empty()
            }
            ast::GroupByExpr::All(_) => true,
        };
        let whole = span_of(select.span());
        let place = |expr: &ast::Expr| span_of(expr.span());
        let clauses = [
            ("DISTINCT", distinct.then_some(whole)),
            ("WHERE", select.selection.as_ref().map(place)),
            ("GROUP BY", grouped.then(|| span_of(select.group_by.span()))),
            ("HAVING", select.having.as_ref().map(place)),
            ("QUALIFY", select.qualify.as_ref().map(place)),
            ("WINDOW", (!select.named_window.is_empty()).then_some(whole)),
            (
                "ORDER BY",
                order_by.map(|order_by| span_of(order_by.span())),
            ),
        ];
        let Some((clause, span)) = clauses
            .into_iter()
            .find_map(|(clause, span)| Some((clause, span?)))
        else {
            return Ok(());
        };
        Err(self.refuse(
            Diagnostic::new(
                Code::Syntax,
                span,
                format!("a query without FROM cannot have {clause}"),
            )
            .help(format!(
                "leave {clause} out: there is one row; or write SELECT … FROM (SELECT …)"
            )),
        ))
    }

    /// Refuses what needs groups in a block that has none.
    fn ungrouped(
        &mut self,
        having: Option<&Expr>,
        qualify: Option<&Expr>,
        order: &[SortKey],
    ) -> Result<()> {
        let help = "write GROUP BY, or an aggregate function in SELECT";
        if let Some(having) = having {
            return Err(self.refuse(
                Diagnostic::new(
                    Code::MisplacedAggregate,
                    having.span,
                    "HAVING needs GROUP BY, or an aggregate function in SELECT",
                )
                .help("conditions on rows go into WHERE"),
            ));
        }
        let clauses = qualify
            .map(|qualify| ("QUALIFY", qualify))
            .into_iter()
            .chain(order.iter().map(|key| ("ORDER BY", &key.expr)));
        for (clause, expr) in clauses {
            if let Some(span) = group::first_aggregate(expr) {
                return Err(self.refuse(
                    Diagnostic::new(
                        Code::MisplacedAggregate,
                        span,
                        format!("an aggregate function in {clause} needs groups"),
                    )
                    .help(help),
                ));
            }
        }
        Ok(())
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
            name: item.name.called().map(|_| item.name.clone()),
            ty: item.expr.ty.clone(),
        }));
        let values = items.into_iter().map(|item| item.expr).collect();
        block.items = vec![Item {
            name: ColumnName::generated("f0_", None),
            expr: Expr::new(ExprKind::Struct(values), ty, span),
        }];
        Ok((block, order))
    }

    /// Refuses the forms of SELECT that GoogleSQL does not have or that are not accepted; returns
    /// whether it is SELECT DISTINCT.
    fn select_shape(&mut self, select: &ast::Select, is_row: bool, span: Span) -> Result<bool> {
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
            window_before_qualify,
            value_table_mode,
            flavor,
        } = select;
        if !optimizer_hints.is_empty() || select_modifiers.is_some() {
            return Err(self.unsupported(span, "a hint"));
        }
        if *window_before_qualify && select.qualify.is_some() {
            return Err(self.refuse(
                Diagnostic::new(Code::Syntax, span, "QUALIFY stands before WINDOW")
                    .help("write … QUALIFY condition WINDOW w AS (…)"),
            ));
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
            Some(ast::ValueTableMode::AsStruct) if self.depth > 1 || is_row => {}
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
        if condition.ty == Type::Bool || condition.is_untyped_null() {
            return self.coerced(condition, &Type::Bool);
        }
        Err(self.refuse(Diagnostic::new(
            Code::TypeMismatch,
            condition.span,
            format!("{clause} needs a BOOL, found {:#}", condition.ty),
        )))
    }

    /// Refuses aggregate functions in a clause, and window functions in WHERE.
    pub(super) fn no_aggregate(&mut self, expr: &Expr, clause: &str) -> Result<()> {
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

    /// Writes what is computed after grouping, if rows are grouped, in terms of the group keys. `own` are the FROM
    /// items of the block.
    fn regroup(
        &mut self,
        block: &mut Select,
        order: &mut [SortKey],
        own: &[RangeId],
    ) -> Result<()> {
        let Some(group_by) = &block.group_by else {
            return Ok(());
        };
        let groups = group::Groups {
            keys: &group_by.keys,
            own,
            places: &self.places,
        };
        let mut errors = Vec::new();
        // Behind DISTINCT, keys are in terms of the columns of the block.
        let order = if block.distinct { &mut [] } else { order };
        let values = block.items.iter_mut().map(|item| &mut item.expr);
        for expr in values.chain(order.iter_mut().map(|key| &mut key.expr)) {
            group::regroup_value(expr, groups, &mut errors);
        }
        for expr in block.having.iter_mut().chain(&mut block.qualify) {
            group::regroup(expr, groups, &mut errors);
        }
        if errors.is_empty() {
            return Ok(());
        }
        self.diagnostics.extend(errors);
        Err(Refused)
    }
}

/// What a block does with its rows.
#[derive(Clone, Copy)]
struct Shape {
    /// Equal rows count once.
    distinct: bool,
    /// Each becomes one STRUCT.
    as_struct: bool,
}

/// Returns the first SELECT AS STRUCT that makes rows of a query.
fn struct_select(body: &ast::SetExpr) -> Option<&ast::Select> {
    let mut body = body;
    loop {
        body = match body {
            ast::SetExpr::Select(select) => {
                let is_struct = select.value_table_mode == Some(ast::ValueTableMode::AsStruct);
                return is_struct.then_some(select.as_ref());
            }
            ast::SetExpr::Query(query) => &query.body,
            // All arms have rows of one kind, so the first tells.
            ast::SetExpr::SetOperation { left, .. } => left,
            _ => return None,
        };
    }
}

/// Sorts by output columns where a key is one.
fn finish_order(block: &Select, order: &mut [SortKey]) {
    for key in order {
        if let Some(index) = block.items.iter().position(|item| item.expr == key.expr) {
            key.expr.kind = ExprKind::Output(index);
        }
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
