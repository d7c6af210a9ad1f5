//! ORDER BY behind SELECT DISTINCT, which sees the rows that are left and not those they were made of.
//!
//! Source: GoogleSQL reference, "Query syntax", ORDER BY; what is visible is what its analyzer has: names of
//! the select list, and paths that the select list has as they are.

use sqlparser::ast::{self, Spanned};

use super::items::RawItem;
use super::places::Places;
use super::scope::{Alias, Scope};
use super::{Analyzer, Refused, Result, all, group};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::googlesql::parse::span_of;
use crate::compiler::ir::visit::{VisitMut, walk_expr_mut};
use crate::compiler::ir::{
    Body, ColumnName, Expr, ExprKind, OrderItem, Query, RangeId, Select, SortKey,
};

impl Analyzer<'_> {
    /// Analyses sort keys over the output columns of a block, which are those of `range` in the keys and have these
    /// `names`. `scope` is what its FROM brings.
    pub(super) fn distinct_keys(
        &mut self,
        order_by: &ast::OrderBy,
        items: &[RawItem],
        names: &[ColumnName],
        range: RangeId,
        scope: &Scope<'_>,
    ) -> Result<Vec<SortKey>> {
        let outputs: Vec<Expr> = items
            .iter()
            .zip(names)
            .map(|(item, name)| {
                let kind = ExprKind::Column {
                    range,
                    column: name.clone(),
                };
                Expr::new(kind, item.expr.ty.clone(), item.expr.span)
            })
            .collect();
        let aliases = items.iter().zip(&outputs).filter_map(|(item, expr)| {
            let name = item.name.as_ref()?.as_str();
            Some(Alias { name, expr })
        });
        let named = scope.with_aliases(aliases.collect());
        let own: Vec<RangeId> = scope.ranges.iter().map(|range| range.id).collect();
        let keys = self.order_items(order_by)?;
        all(keys.iter().map(|key| {
            let mut expr = match self.ordinal(&key.expr, items.len(), "ORDER BY")? {
                Some(index) => outputs.get(index).ok_or(Refused)?.clone(),
                None => self.expr(&key.expr, &named)?,
            };
            self.no_computed_key(&expr)?;
            let mut left = Left {
                items,
                outputs: &outputs,
                own: &own,
                places: &self.places,
                hidden: None,
            };
            left.expr(&mut expr);
            if let Some(span) = left.hidden {
                return Err(self.refuse(
                    Diagnostic::new(
                        Code::NotGrouped,
                        span,
                        "with SELECT DISTINCT, ORDER BY can use output columns only",
                    )
                    .help("add it to the select list, or order by the alias of a select item"),
                ));
            }
            expr.span = span_of(key.expr.span());
            self.sort_key(key, expr)
        }))
    }

    fn no_computed_key(&mut self, expr: &Expr) -> Result<()> {
        let (code, span, what) = if let Some(span) = group::first_aggregate(expr) {
            (Code::MisplacedAggregate, span, "an aggregate function")
        } else if group::has_window(expr) {
            (Code::MisplacedWindow, expr.span, "a window function")
        } else {
            return Ok(());
        };
        Err(self.refuse(
            Diagnostic::new(
                code,
                span,
                format!("{what} cannot stand in ORDER BY with SELECT DISTINCT"),
            )
            .help("give it an alias in the select list, and order by the alias"),
        ))
    }

    /// Sorts a block: by its output columns where the keys are such, else by expressions over them in a
    /// query around it, which no engine can have in the block itself.
    pub(super) fn order_distinct(
        &mut self,
        block: Select,
        mut keys: Vec<SortKey>,
        range: RangeId,
        span: Span,
    ) -> (Select, Vec<OrderItem>) {
        let computed = |key: &SortKey| !matches!(&key.expr.kind, ExprKind::Column { range: r, .. } if *r == range);
        let block = if keys.iter().any(computed) {
            let query = Query {
                body: Body::Select(Box::new(block)),
                order_by: Vec::new(),
                limit: None,
                offset: None,
                span,
            };
            self.wrap_as(range, query)
        } else {
            block
        };
        for key in &mut keys {
            if let ExprKind::Column { range: r, column } = &key.expr.kind
                && *r == range
                && let Some(index) = block.items.iter().position(|item| item.name == *column)
            {
                key.expr.kind = ExprKind::Output(index);
            }
        }
        (block, keys)
    }
}

/// Writes paths of the select list as the output columns they became.
struct Left<'a> {
    items: &'a [RawItem],
    outputs: &'a [Expr],
    own: &'a [RangeId],
    places: &'a Places,
    /// The first place that reads a row of FROM in another way.
    hidden: Option<Span>,
}

impl VisitMut for Left<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if expr.is_path() && !self.places.is_access(expr) {
            let mut pairs = self.items.iter().zip(self.outputs);
            let is_it = |item: &RawItem| item.expr == *expr && !self.places.is_of_row(&item.expr);
            if let Some((_, output)) = pairs.find(|(item, _)| is_it(item)) {
                expr.kind = output.kind.clone();
                return;
            }
        }
        match &expr.kind {
            ExprKind::Column { range, .. }
            | ExprKind::Element(range)
            | ExprKind::Offset(range)
            | ExprKind::Row(range)
                if self.own.contains(range) =>
            {
                self.hidden.get_or_insert(expr.span);
            }
            _ => walk_expr_mut(self, expr),
        }
    }
}
