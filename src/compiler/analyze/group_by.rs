//! GROUP BY: its keys, by value, alias or ordinal.

use sqlparser::ast::{self, Spanned};

use super::items::RawItem;
use super::query::int64;
use super::scope::Scope;
use super::{Analyzer, Refused, Result, all, group};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::googlesql::parse::span_of;
use crate::compiler::ir::{Expr, GroupBy, RangeId, Type};

impl Analyzer<'_> {
    /// Returns the keys of a block, if rows are grouped.
    pub(super) fn group_keys(
        &mut self,
        group_by: &ast::GroupByExpr,
        items: &[RawItem],
        named: &Scope<'_>,
    ) -> Result<Option<GroupBy>> {
        let (exprs, modifiers) = match group_by {
            ast::GroupByExpr::Expressions(exprs, modifiers) => (exprs, modifiers),
            ast::GroupByExpr::All(modifiers) => {
                if let Some(_modifier) = modifiers.first() {
                    return Err(
                        self.unsupported(span_of(group_by.span()), "GROUP BY ALL with a modifier")
                    );
                }
                let own: Vec<RangeId> = named.ranges.iter().map(|range| range.id).collect();
                let keys = items
                    .iter()
                    .filter(|item| {
                        !group::has_aggregate(&item.expr) && !group::has_window(&item.expr)
                    })
                    // What reads no row, also by a sub-query, is no key.
                    .filter(|item| group::reads_any(&item.expr, &own))
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
                    match set.as_slice() {
                        [key] if !matches!(key, ast::Expr::Tuple(_)) => keys.push(key),
                        _ => {
                            let span = span_of(group_by.span());
                            let message = "a list inside ROLLUP is not accepted here";
                            return Err(self.refuse(
                                Diagnostic::new(Code::Unsupported, span, message)
                                    .help("write the keys one by one: ROLLUP(a, b)"),
                            ));
                        }
                    }
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
        let (mut key, item) = match self.ordinal(expr, items.len(), "GROUP BY")? {
            Some(index) => {
                let item = items.get(index).ok_or(Refused)?.expr.clone();
                let place = item.span;
                (item, Some(place))
            }
            None => (self.expr(expr, named)?, named_item(expr, named)),
        };
        self.places.same(key.span, span);
        key.span = span;
        if group::has_window(&key) {
            return Err(self.refuse(Diagnostic::new(
                Code::MisplacedWindow,
                span,
                "a window function cannot stand in GROUP BY",
            )));
        }
        self.no_aggregate(&key, "GROUP BY")?;
        if item.is_some() && !key.ty.is_groupable() && group::is_constant(&key) {
            // Whatever its type, it is the same in all rows, as any other constant.
            return Ok(int64(1, span));
        }
        let key = self.groupable(key)?;
        Ok(Expr {
            span: item.unwrap_or(span),
            ..key
        })
    }

    /// Refuses a group key whose values cannot be compared.
    fn groupable(&mut self, key: Expr) -> Result<Expr> {
        if key.ty.is_groupable() {
            return Ok(key);
        }
        let diagnostic = Diagnostic::new(
            Code::TypeMismatch,
            key.span,
            format!("values of type {:#} cannot be grouped by", key.ty),
        );
        Err(self.refuse(match key.ty {
            Type::Struct(_) => diagnostic.help("group by its fields: GROUP BY s.a, s.b"),
            _ => diagnostic.help("group by its text: GROUP BY TO_JSON_STRING(x)"),
        }))
    }
}

/// Returns where the item of the select list was written that an alias stands for.
fn named_item(expr: &ast::Expr, named: &Scope<'_>) -> Option<Span> {
    let mut expr = expr;
    while let ast::Expr::Nested(inner) = expr {
        expr = inner;
    }
    match expr {
        ast::Expr::Identifier(name) => named.alias(&name.value).map(|item| item.span),
        _ => None,
    }
}
