//! Which values are one value, where GROUP BY, DISTINCT and ORDER BY look for an expression that they have.
//!
//! Two expressions are one when they say the same, but a few are only one with themselves: to GoogleSQL's
//! analyzer a row of FROM as a value, such as `t` in `TO_JSON_STRING(t)` and `(t).a`, a sub-query, and the fields
//! that the star of a value stands for, are new wherever they are written. An alias or an ordinal still names them.

use std::collections::{BTreeMap, BTreeSet};

use crate::compiler::diagnostic::Span;
use crate::compiler::ir::visit::{Visit, walk_expr};
use crate::compiler::ir::{Expr, ExprKind, Query};

/// Start and end of an expression in the text.
type Place = (usize, usize);

/// What the text says about values beyond what they are.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The fields that are read of a value, as in `(r).a`, and not by a path.
    accesses: BTreeSet<Place>,
    /// The columns that are read of a row as in `(t).a`, and the aliases that stand for them, each with where
    /// that was written.
    rows: BTreeMap<Place, Place>,
    /// The same of fields that the star of a value stands for.
    stars: BTreeMap<Place, Place>,
}

impl Places {
    /// Notes a field that is read of a value, which may be a row of FROM.
    pub(super) fn access(&mut self, span: Span, of_row: bool) {
        self.accesses.insert(place(span));
        if of_row {
            self.rows.insert(place(span), place(span));
        }
    }

    /// Notes fields that the star of a value stands for.
    pub(super) fn star(&mut self, span: Span) {
        self.stars.insert(place(span), place(span));
    }

    /// Notes that what is written at `alias` stands for the value that is written at `span`.
    pub(super) fn same(&mut self, span: Span, alias: Span) {
        for known in [&mut self.rows, &mut self.stars] {
            if let Some(origin) = known.get(&place(span)).copied() {
                known.insert(place(alias), origin);
            }
        }
    }

    /// Returns whether an expression is a field that is not read by a path, as in `(r).a`.
    pub(super) fn is_access(&self, expr: &Expr) -> bool {
        self.accesses.contains(&place(expr.span))
    }

    /// Returns whether an expression as a whole is new where it is written.
    pub(super) fn is_new(&self, expr: &Expr) -> bool {
        self.written(expr).is_some()
    }

    /// Returns where an expression was written, if it is new there.
    fn written(&self, expr: &Expr) -> Option<Place> {
        let here = place(expr.span);
        match &expr.kind {
            ExprKind::Row(_) => Some(here),
            ExprKind::Column { .. } => self.rows.get(&here).copied(),
            ExprKind::Field { .. } => self.stars.get(&here).copied(),
            _ => None,
        }
    }

    /// Returns whether a path begins with a row as a value, as `(t).a` does.
    pub(super) fn is_of_row(&self, path: &Expr) -> bool {
        match &path.kind {
            ExprKind::Field { base, index: _ } => self.is_of_row(base),
            _ => self.rows.contains_key(&place(path.span)),
        }
    }

    /// Returns whether two expressions are one value.
    pub(super) fn are_one(&self, a: &Expr, b: &Expr) -> bool {
        a == b && self.origin(a) == self.origin(b)
    }

    /// Returns where the first part of an expression was written that is one value with itself only.
    fn origin(&self, expr: &Expr) -> Option<Place> {
        let mut finder = Finder {
            places: self,
            found: None,
        };
        finder.expr(expr);
        finder.found
    }
}

struct Finder<'a> {
    places: &'a Places,
    found: Option<Place>,
}

impl Visit for Finder<'_> {
    fn expr(&mut self, expr: &Expr) {
        if self.found.is_some() {
            return;
        }
        self.found = self.places.written(expr);
        if self.found.is_none() {
            walk_expr(self, expr);
        }
    }

    fn query(&mut self, query: &Query) {
        self.found.get_or_insert(place(query.span));
    }
}

fn place(span: Span) -> Place {
    (span.start, span.end)
}
