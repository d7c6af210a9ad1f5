//! Aggregation: where aggregate and window functions stand, and what an expression means once rows
//! have become groups.

use super::places::Places;
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::ir::visit::{Visit, VisitMut, walk_expr, walk_expr_mut};
use crate::compiler::ir::{Expr, ExprKind, Query, RangeId};

/// Returns whether an aggregate function of this block stands in the expression.
pub(super) fn has_aggregate(expr: &Expr) -> bool {
    first_aggregate(expr).is_some()
}

/// Returns the place of the first aggregate function of this block in the expression.
pub(super) fn first_aggregate(expr: &Expr) -> Option<Span> {
    find(expr, |kind| matches!(kind, ExprKind::Aggregate(_)))
}

/// Returns whether a window function of this block stands in the expression.
pub(crate) fn has_window(expr: &Expr) -> bool {
    find(expr, |kind| matches!(kind, ExprKind::Window(_))).is_some()
}

/// Returns whether an expression reads no row at all.
pub(super) fn is_constant(expr: &Expr) -> bool {
    find(expr, |kind| {
        matches!(
            kind,
            ExprKind::Column { .. }
                | ExprKind::Element(_)
                | ExprKind::Offset(_)
                | ExprKind::Row(_)
                | ExprKind::Subquery { .. }
                | ExprKind::InQuery { .. }
        )
    })
    .is_none()
}

/// Returns whether an expression, or a sub-query in it, reads one of these FROM items.
pub(super) fn reads_any(expr: &Expr, ranges: &[RangeId]) -> bool {
    struct Finder<'a> {
        ranges: &'a [RangeId],
        found: bool,
    }
    impl Visit for Finder<'_> {
        fn expr(&mut self, expr: &Expr) {
            self.found |= match &expr.kind {
                ExprKind::Column { range, column: _ }
                | ExprKind::Element(range)
                | ExprKind::Offset(range)
                | ExprKind::Row(range) => self.ranges.contains(range),
                _ => false,
            };
            if !self.found {
                walk_expr(self, expr);
            }
        }
    }
    let mut finder = Finder {
        ranges,
        found: false,
    };
    finder.expr(expr);
    finder.found
}

/// Returns the place of the first node of a kind, without looking into sub-queries.
fn find(expr: &Expr, wanted: fn(&ExprKind) -> bool) -> Option<Span> {
    struct Finder {
        wanted: fn(&ExprKind) -> bool,
        found: Option<Span>,
    }
    impl Visit for Finder {
        fn expr(&mut self, expr: &Expr) {
            if self.found.is_none() {
                if (self.wanted)(&expr.kind) {
                    self.found = Some(expr.span);
                } else {
                    walk_expr(self, expr);
                }
            }
        }
        fn query(&mut self, _query: &Query) {}
    }
    let mut finder = Finder {
        wanted,
        found: None,
    };
    finder.expr(expr);
    finder.found
}

/// The groups of a block.
#[derive(Clone, Copy)]
pub(super) struct Groups<'a> {
    /// The keys. One that GROUP BY names by an alias or ordinal has the place of that item.
    pub(super) keys: &'a [Expr],
    /// The FROM items of the block.
    pub(super) own: &'a [RangeId],
    /// How the values of the text are known again.
    pub(super) places: &'a Places,
}

impl Groups<'_> {
    /// Returns the key that an expression is.
    fn key(&self, expr: &Expr) -> Option<usize> {
        let mut keys = self.keys.iter();
        keys.position(|key| self.places.are_one(key, expr))
    }
}

/// Replaces an item of SELECT or ORDER BY that is a group key by that key, else the parts of it that are.
pub(super) fn regroup_value(expr: &mut Expr, groups: Groups<'_>, errors: &mut Vec<Diagnostic>) {
    let mut regroup = Regroup { groups, errors };
    if let Some(index) = groups.key(expr) {
        expr.kind = ExprKind::GroupKey(index);
    } else if groups.places.is_new(expr) && !has_aggregate(expr) && !has_window(expr) {
        regroup.new_value(expr);
    } else {
        regroup.expr(expr);
    }
}

/// Replaces every part of an expression that is a group key by that key. What then still reads a row
/// of the block outside of an aggregate function is an error.
///
/// A part is one when it is a path, as in `GROUP BY a` and `a + 1`, or an alias. GoogleSQL does not look for
/// `a + 1` inside of other expressions, nor for `r.a` in `(r).a + 1`.
pub(super) fn regroup(expr: &mut Expr, groups: Groups<'_>, errors: &mut Vec<Diagnostic>) {
    Regroup { groups, errors }.expr(expr);
}

struct Regroup<'a> {
    groups: Groups<'a>,
    errors: &'a mut Vec<Diagnostic>,
}

impl Regroup<'_> {
    fn is_own_element(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Element(range) if self.groups.own.contains(range))
            && !self.groups.keys.contains(expr)
    }

    /// The argument of GROUPING is a key, not a value of the rows.
    fn grouping(&mut self, expr: &mut Expr) {
        let ExprKind::Aggregate(aggregate) = &mut expr.kind else {
            return;
        };
        for arg in &mut aggregate.args {
            match self.groups.key(arg) {
                Some(index) => arg.kind = ExprKind::GroupKey(index),
                None => self.errors.push(Diagnostic::new(
                    Code::NotGrouped,
                    arg.span,
                    "the argument of GROUPING is a key of GROUP BY",
                )),
            }
        }
    }

    /// Refuses a field that is none of the keys, however alike they are.
    fn new_value(&mut self, expr: &Expr) {
        let (message, help) = if self.groups.places.is_access(expr) {
            (
                "a field of a value in parentheses is not the path that is grouped by",
                "write the path without parentheses: r.a in place of (r).a",
            )
        } else {
            (
                "what the * of a value stands for is not what is grouped by",
                "write its fields one by one, r.a, r.b, and group by them; or group by the alias or the number \
                 of each select item",
            )
        };
        let diagnostic = Diagnostic::new(Code::NotGrouped, expr.span, message);
        self.errors.push(diagnostic.help(help));
    }

    fn not_grouped(&mut self, expr: &Expr, what: &str) {
        let mut keys = self.groups.keys.iter();
        let in_a_key = keys.any(|key| key != expr && reads(key, expr));
        let (problem, help) = if in_a_key {
            (
                "is grouped only within a computed key",
                "select the key as an item of its own and use its alias in HAVING and ORDER BY; to compute \
                 with it in SELECT, name it in a sub-query: FROM (SELECT UPPER(a) AS k …) GROUP BY k",
            )
        } else {
            (
                "is neither grouped nor aggregated",
                "add it to GROUP BY, or wrap it in an aggregate function such as ANY_VALUE",
            )
        };
        let message = format!("{what} {problem}");
        let diagnostic = Diagnostic::new(Code::NotGrouped, expr.span, message);
        self.errors.push(diagnostic.help(help));
    }
}

/// Returns whether an expression has another as one of its parts.
fn reads(expr: &Expr, wanted: &Expr) -> bool {
    struct Finder<'a> {
        wanted: &'a Expr,
        found: bool,
    }
    impl Visit for Finder<'_> {
        fn expr(&mut self, expr: &Expr) {
            self.found |= expr == self.wanted;
            if !self.found {
                walk_expr(self, expr);
            }
        }
    }
    let mut finder = Finder {
        wanted,
        found: false,
    };
    finder.expr(expr);
    finder.found
}

/// Returns whether an expression is a column or range variable, or a field of one.
fn is_path(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Field { base, .. } => is_path(base),
        ExprKind::Column { .. } | ExprKind::Element(_) | ExprKind::Offset(_) | ExprKind::Row(_) => {
            true
        }
        _ => false,
    }
}

/// Returns whether an alias stands for the expression: what it reads was written at another place.
fn is_written_elsewhere(expr: &Expr) -> bool {
    struct Places {
        whole: Span,
        outside: bool,
    }
    impl Visit for Places {
        fn expr(&mut self, expr: &Expr) {
            if is_path(expr) {
                let inside = self.whole.start <= expr.span.start && expr.span.end <= self.whole.end;
                self.outside |= !inside;
            } else {
                walk_expr(self, expr);
            }
        }
    }
    let mut places = Places {
        whole: expr.span,
        outside: false,
    };
    walk_expr(&mut places, expr);
    places.outside
}

impl VisitMut for Regroup<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let Some(index) = self.groups.key(expr)
            && (is_path(expr) || is_written_elsewhere(expr))
        {
            if self.groups.places.is_access(expr) {
                self.new_value(expr);
            } else {
                expr.kind = ExprKind::GroupKey(index);
            }
            return;
        }
        match &expr.kind {
            ExprKind::Aggregate(aggregate) if aggregate.function.name == "GROUPING" => {
                self.grouping(expr);
            }
            ExprKind::Aggregate(_) => {}
            ExprKind::Field { base, index } if self.is_own_element(base) => {
                let name = base
                    .ty
                    .fields()
                    .and_then(|fields| fields.get(*index)?.name.as_ref());
                let what = name.map_or("this field".to_owned(), |name| format!("column `{name}`"));
                self.not_grouped(expr, &what);
            }
            ExprKind::Column { range, .. }
            | ExprKind::Element(range)
            | ExprKind::Offset(range)
            | ExprKind::Row(range)
                if self.groups.own.contains(range) =>
            {
                let alike = self.groups.keys.contains(expr);
                if alike && self.groups.places.is_access(expr) {
                    self.new_value(expr);
                    return;
                }
                let what = match &expr.kind {
                    ExprKind::Column { column, .. } => format!("column `{column}`"),
                    _ => "this value".to_owned(),
                };
                self.not_grouped(expr, &what);
            }
            _ => walk_expr_mut(self, expr),
        }
    }
}
