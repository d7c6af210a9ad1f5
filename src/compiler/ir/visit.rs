//! Walking a tree, written once for reading and once for rewriting.
//!
//! A visitor overrides the nodes it cares about and calls the matching `walk_…` function to go on
//! into the children. Depth is bounded by the parser's limits.

use super::expr::{Expr, ExprKind, SortKey};
use super::query::{Body, From, Query, Select};

macro_rules! visitor {
    ($(#[doc = $doc:literal])+ $trait:ident, $expr:ident, $query:ident, $select:ident, $from:ident, $keys:ident, [$($mutability:tt)?]) => {
        $(#[doc = $doc])+
        pub trait $trait {
            /// Visits an expression.
            fn expr(&mut self, expr: &$($mutability)? Expr) {
                $expr(self, expr);
            }

            /// Visits a query, at the top or inside another.
            fn query(&mut self, query: &$($mutability)? Query) {
                $query(self, query);
            }

            /// Visits a select block.
            fn select(&mut self, select: &$($mutability)? Select) {
                $select(self, select);
            }

            /// Visits a FROM item.
            fn from(&mut self, from: &$($mutability)? From) {
                $from(self, from);
            }
        }

        /// Visits the expressions of sort keys.
        pub fn $keys<V: $trait + ?Sized>(visitor: &mut V, keys: &$($mutability)? [SortKey]) {
            for key in keys {
                visitor.expr(&$($mutability)? key.expr);
            }
        }

        /// Visits what an expression is made of.
        pub fn $expr<V: $trait + ?Sized>(visitor: &mut V, expr: &$($mutability)? Expr) {
            match &$($mutability)? expr.kind {
                ExprKind::Literal(_)
                | ExprKind::Parameter(_)
                | ExprKind::Column { .. }
                | ExprKind::Element(_)
                | ExprKind::Offset(_)
                | ExprKind::Row(_)
                | ExprKind::Output(_)
                | ExprKind::GroupKey(_)
                | ExprKind::Part(_)
                | ExprKind::Mode(_) => {}
                ExprKind::Field { base, index: _ } => visitor.expr(base),
                ExprKind::Subscript { base, index, mode: _ } => {
                    visitor.expr(base);
                    visitor.expr(index);
                }
                ExprKind::Unary { op: _, operand }
                | ExprKind::IsNull { operand, negated: _ }
                | ExprKind::IsBool { operand, value: _, negated: _ }
                | ExprKind::Cast { operand, safe: _ }
                | ExprKind::Redact { operand, redaction: _ } => visitor.expr(operand),
                ExprKind::Binary { op: _, left, right }
                | ExprKind::IsDistinct { left, right, negated: _ } => {
                    visitor.expr(left);
                    visitor.expr(right);
                }
                ExprKind::And(list)
                | ExprKind::Or(list)
                | ExprKind::Array(list)
                | ExprKind::Struct(list)
                | ExprKind::Call { function: _, args: list, safe: _ } => {
                    for item in list {
                        visitor.expr(item);
                    }
                }
                ExprKind::InList { operand, list, negated: _ } => {
                    visitor.expr(operand);
                    for item in list {
                        visitor.expr(item);
                    }
                }
                ExprKind::InQuery { operand, query, negated: _ } => {
                    visitor.expr(operand);
                    visitor.query(query);
                }
                ExprKind::InUnnest { operand, array, negated: _ } => {
                    visitor.expr(operand);
                    visitor.expr(array);
                }
                ExprKind::Between { operand, low, high, negated: _ } => {
                    visitor.expr(operand);
                    visitor.expr(low);
                    visitor.expr(high);
                }
                ExprKind::Like { operand, pattern, negated: _ } => {
                    visitor.expr(operand);
                    visitor.expr(pattern);
                }
                ExprKind::Case { operand, branches, otherwise } => {
                    if let Some(operand) = operand {
                        visitor.expr(operand);
                    }
                    for branch in branches {
                        visitor.expr(&$($mutability)? branch.condition);
                        visitor.expr(&$($mutability)? branch.value);
                    }
                    if let Some(otherwise) = otherwise {
                        visitor.expr(otherwise);
                    }
                }
                ExprKind::Interval { value, part: _ } | ExprKind::Named { name: _, value } => visitor.expr(value),
                ExprKind::Aggregate(aggregate) => {
                    for arg in &$($mutability)? aggregate.args {
                        visitor.expr(arg);
                    }
                    $keys(visitor, &$($mutability)? aggregate.order_by);
                }
                ExprKind::Window(window) => {
                    for arg in &$($mutability)? window.args {
                        visitor.expr(arg);
                    }
                    for key in &$($mutability)? window.partition_by {
                        visitor.expr(key);
                    }
                    $keys(visitor, &$($mutability)? window.order_by);
                }
                ExprKind::Subquery { kind: _, query } => visitor.query(query),
            }
        }

        /// Visits what a query is made of.
        pub fn $query<V: $trait + ?Sized>(visitor: &mut V, query: &$($mutability)? Query) {
            match &$($mutability)? query.body {
                Body::Select(select) => visitor.select(select),
                Body::Set(set) => {
                    for arm in &$($mutability)? set.arms {
                        visitor.query(arm);
                    }
                }
            }
            $keys(visitor, &$($mutability)? query.order_by);
        }

        /// Visits what a select block is made of, in the order in which it is evaluated.
        pub fn $select<V: $trait + ?Sized>(visitor: &mut V, select: &$($mutability)? Select) {
            if let Some(from) = &$($mutability)? select.from {
                visitor.from(from);
            }
            if let Some(filter) = &$($mutability)? select.filter {
                visitor.expr(filter);
            }
            if let Some(group_by) = &$($mutability)? select.group_by {
                for key in &$($mutability)? group_by.keys {
                    visitor.expr(key);
                }
            }
            if let Some(having) = &$($mutability)? select.having {
                visitor.expr(having);
            }
            for item in &$($mutability)? select.items {
                visitor.expr(&$($mutability)? item.expr);
            }
            if let Some(qualify) = &$($mutability)? select.qualify {
                visitor.expr(qualify);
            }
        }

        /// Visits what a FROM item is made of.
        pub fn $from<V: $trait + ?Sized>(visitor: &mut V, from: &$($mutability)? From) {
            match from {
                From::Table(_) => {}
                From::Derived { range: _, name: _, query } => visitor.query(query),
                From::Unnest(unnest) => visitor.expr(&$($mutability)? unnest.array),
                From::Join(join) => {
                    visitor.from(&$($mutability)? join.left);
                    visitor.from(&$($mutability)? join.right);
                    if let Some(on) = &$($mutability)? join.on {
                        visitor.expr(on);
                    }
                }
                From::Filtered { input, condition } => {
                    visitor.from(input);
                    visitor.expr(condition);
                }
            }
        }
    };
}

visitor! {
    /// Reads a tree.
    Visit, walk_expr, walk_query, walk_select, walk_from, walk_keys, []
}

visitor! {
    /// Rewrites a tree in place.
    VisitMut, walk_expr_mut, walk_query_mut, walk_select_mut, walk_from_mut, walk_keys_mut, [mut]
}
