//! FROM.
//!
//! The engine does not plan UNNEST over columns of a neighbour, so each one becomes a derived table that
//! unnests in its select list and carries the columns of its left side along:
//! `t CROSS JOIN UNNEST(t.a) AS x` becomes `(SELECT t.id AS "t$id", unnest(t.a) AS "x" FROM t) AS "x"`.
//! No name of a query holds a `$`; a dot would be taken for that of a qualified name.

use super::lists::Part;
use super::print::{Printed, Printer, aliased, push_quoted, quoted, unsupported};
use super::types::{empty_array, string};
use crate::compiler::diagnostic::Diagnostic;
use crate::compiler::ir::visit::{Visit, walk_expr};
use crate::compiler::ir::{Expr, ExprKind, From, Join, JoinKind, RangeId, Source, Table, Unnest};

/// How a FROM item is reached in expressions.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// As columns of a relation.
    Columns(Columns),
    /// As a part of a row that is an element of a list.
    Part(Part),
}

/// A FROM item as columns of a relation.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// The alias of the relation that has its columns now.
    alias: String,
    /// What stands before a column's name there: empty, or the item's own alias and `$`.
    prefix: String,
    /// The item's own alias.
    own: String,
    /// Whether it is an UNNEST with an offset.
    offset: bool,
}

impl Binding {
    /// Returns the printed form of a column.
    pub(super) fn column(&self, name: &str) -> String {
        match self {
            Binding::Columns(columns) => columns.column(name),
            Binding::Part(part) => part.column(name),
        }
    }
}

impl Columns {
    fn column(&self, name: &str) -> String {
        let length = self.alias.len() + self.prefix.len() + name.len();
        // With four quotes, a dot, and room for a name after it.
        let mut text = String::with_capacity(2 * length + 16);
        push_quoted(&mut text, &[&self.alias]);
        text.push('.');
        push_quoted(&mut text, &[&self.prefix, name]);
        text
    }
}

/// The column that holds the element of an UNNEST.
pub(super) const ELEMENT: &str = "element";
/// The column that holds the offset of an UNNEST.
pub(super) const OFFSET: &str = "offset";

impl Printer {
    pub(super) fn from(&mut self, from: &From) -> Printed {
        match from {
            From::Table(table) => {
                let Table {
                    range,
                    name,
                    source,
                    columns: _,
                } = table;
                let alias = self.bind(*range, name.as_str(), false);
                let source = match source {
                    Source::Stream(stream) => stream.as_str(),
                    Source::Cte(id) => self.ctes.get(id).map_or("", String::as_str),
                };
                let mut text = String::new();
                push_quoted(&mut text, &[source]);
                Ok(aliased(text, &alias))
            }
            From::Derived { range, name, query } => {
                let query = self.query(query)?;
                let alias = self.bind(*range, name.as_str(), false);
                Ok(format!("({query}) AS {}", quoted(&alias)))
            }
            From::Unnest(unnest) => {
                self.only_reads(&unnest.array, &[])?;
                let list = self.unnested(unnest, false)?;
                let alias = self.bind(unnest.range, unnest.name.as_str(), unnest.offset.is_some());
                Ok(format!("(SELECT {list}) AS {}", quoted(&alias)))
            }
            From::Join(join) => self.join(join),
            From::Filtered { input, condition } => {
                let text = self.from(input)?;
                let condition = self.condition(condition)?;
                let (list, ranges) = self.carried(input);
                let alias = self.alias("q");
                self.rebind(&ranges, &alias);
                Ok(format!(
                    "(SELECT {list} FROM {text} WHERE {condition}) AS {}",
                    quoted(&alias)
                ))
            }
        }
    }

    fn join(&mut self, join: &Join) -> Printed {
        let Join {
            kind,
            left,
            right,
            on,
        } = join;
        let left_text = self.from(left)?;
        if let From::Unnest(unnest) = right
            && reads_a_row(&unnest.array)
        {
            return self.unnest_join(*kind, left, &left_text, unnest, on.as_ref());
        }
        let right_text = self.from(right)?;
        // An UNNEST of a column of its neighbour has become a derived table.
        let right_text = match right {
            From::Join(join) if !matches!(&join.right, From::Unnest(unnest) if reads_a_row(&unnest.array)) =>
            {
                format!("({right_text})")
            }
            _ => right_text,
        };
        let on = match (on, kind) {
            (Some(on), _) => format!(" ON {}", self.expr(on)?),
            (None, JoinKind::Left | JoinKind::Inner) => " ON TRUE".to_owned(),
            (None, _) => String::new(),
        };
        let kind = match kind {
            JoinKind::Cross => "CROSS",
            JoinKind::Inner => "INNER",
            JoinKind::Left => "LEFT",
            JoinKind::Right => "RIGHT",
            JoinKind::Full => "FULL",
        };
        Ok(format!("{left_text} {kind} JOIN {right_text}{on}"))
    }

    fn unnest_join(
        &mut self,
        kind: JoinKind,
        left: &From,
        left_text: &str,
        unnest: &Unnest,
        on: Option<&Expr>,
    ) -> Printed {
        if kind == JoinKind::Left
            && let Some(on) = on
        {
            return self.matched_join(left, left_text, unnest, on);
        }
        let outer = kind == JoinKind::Left;
        let (mut list, ranges) = self.carried(left);
        self.only_reads(&unnest.array, &ranges)?;
        let elements = self.unnested(unnest, outer)?;
        if !list.is_empty() {
            list.push_str(", ");
        }
        let alias = self.bind(unnest.range, unnest.name.as_str(), unnest.offset.is_some());
        self.rebind(&ranges, &alias);
        let joined = format!(
            "(SELECT {list}{elements} FROM {left_text}) AS {}",
            quoted(&alias)
        );
        let Some(on) = on else {
            return Ok(joined);
        };
        let condition = self.condition(on)?;
        let mut all = ranges;
        all.push(unnest.range);
        let list = self.carried_of(&all);
        let alias = self.alias("q");
        self.rebind(&all, &alias);
        Ok(format!(
            "(SELECT {list} FROM {joined} WHERE {condition}) AS {}",
            quoted(&alias)
        ))
    }

    /// Prints a LEFT JOIN UNNEST with a condition: the elements that match are unnested, or one NULL.
    fn matched_join(
        &mut self,
        left: &From,
        left_text: &str,
        unnest: &Unnest,
        on: &Expr,
    ) -> Printed {
        let (carried, ranges) = self.carried(left);
        self.only_reads(&unnest.array, &ranges)?;
        let rows = self.unnest_rows(unnest)?;
        let rows = self.filtered_rows(rows, Some(on))?;
        let alias = self.bind(unnest.range, unnest.name.as_str(), unnest.offset.is_some());
        self.rebind(&ranges, &alias);
        let (list, row) = (
            rows.or_null(),
            quoted(if unnest.offset.is_some() {
                "pair"
            } else {
                ELEMENT
            }),
        );
        let unnested = format!("SELECT {carried}, \"unnest\"({list}) AS {row} FROM {left_text}");
        if unnest.offset.is_none() {
            return Ok(format!("({unnested}) AS {}", quoted(&alias)));
        }
        let parts = [ELEMENT, OFFSET]
            .map(|part| format!("\"get_field\"({row}, {}) AS {}", string(part), quoted(part)));
        Ok(format!(
            "(SELECT *, {} FROM ({unnested}) AS {}) AS {}",
            parts.join(", "),
            quoted(&self.alias("q")),
            quoted(&alias)
        ))
    }

    /// Refuses an array that reads anything but these FROM items: one of an enclosing query.
    fn only_reads(&self, array: &Expr, ranges: &[RangeId]) -> Result<(), Box<Diagnostic>> {
        struct Reads<'a> {
            ranges: &'a [RangeId],
            outer: bool,
        }
        impl Visit for Reads<'_> {
            fn expr(&mut self, expr: &Expr) {
                if let ExprKind::Column { range, .. }
                | ExprKind::Element(range)
                | ExprKind::Offset(range)
                | ExprKind::Row(range) = &expr.kind
                {
                    self.outer |= !self.ranges.contains(range);
                }
                walk_expr(self, expr);
            }
        }
        let mut reads = Reads {
            ranges,
            outer: false,
        };
        reads.expr(array);
        if reads.outer {
            return Err(unsupported(
                array.span,
                "a sub-query over an array of the outer row",
                "join the array in FROM: … CROSS JOIN UNNEST(t.array) AS x",
            ));
        }
        Ok(())
    }

    /// Returns the select items that unnest an array. `outer` keeps a row for an empty array.
    fn unnested(&mut self, unnest: &Unnest, outer: bool) -> Printed {
        let array = match unnest.array.is_null_literal() {
            true => empty_array(&unnest.array.ty),
            false => self.expr(&unnest.array)?,
        };
        let list = if outer {
            format!("\"list_or_null\"({array})")
        } else {
            array.clone()
        };
        let mut text = format!("\"unnest\"({list}) AS {}", quoted(ELEMENT));
        if unnest.offset.is_some() {
            let positions = format!("\"range\"(0, \"array_length\"({array}))");
            let positions = if outer {
                format!("\"list_or_null\"({positions})")
            } else {
                positions
            };
            text.push_str(&format!(", \"unnest\"({positions}) AS {}", quoted(OFFSET)));
        }
        Ok(text)
    }

    /// Gives a FROM item an alias of its own.
    fn bind(&mut self, range: RangeId, hint: &str, offset: bool) -> String {
        let alias = self.alias(hint);
        let columns = Columns {
            alias: alias.clone(),
            prefix: String::new(),
            own: alias.clone(),
            offset,
        };
        self.bindings.insert(range, Binding::Columns(columns));
        alias
    }

    /// Makes a derived table the one that has the columns of FROM items.
    fn rebind(&mut self, ranges: &[RangeId], alias: &str) {
        for range in ranges {
            if let Some(Binding::Columns(columns)) = self.bindings.get_mut(range) {
                alias.clone_into(&mut columns.alias);
                columns.prefix = format!("{}$", columns.own);
            }
        }
    }

    /// Returns select items that carry what is read of a FROM tree, and its FROM items.
    fn carried(&self, from: &From) -> (String, Vec<RangeId>) {
        let mut ranges = Vec::new();
        collect(from, &mut ranges);
        (self.carried_of(&ranges), ranges)
    }

    fn carried_of(&self, ranges: &[RangeId]) -> String {
        let mut items = Vec::new();
        for range in ranges {
            let Some(Binding::Columns(binding)) = self.bindings.get(range) else {
                continue;
            };
            let mut carry = |name: &str| {
                let own = format!("{}${name}", binding.own);
                items.push(aliased(binding.column(name), &own));
            };
            if let Some(columns) = self.columns.get(range) {
                columns.iter().for_each(|column| carry(column.as_str()));
            }
            if self.elements.contains(range) {
                carry(ELEMENT);
                if binding.offset {
                    carry(OFFSET);
                }
            }
        }
        if items.is_empty() {
            // The rows count even if nothing of them is read.
            items.push("1 AS \"one\"".to_owned());
        }
        items.join(", ")
    }
}

/// Returns whether an array depends on a row. One that does not is a relation like any other: its elements
/// are joined with the rows, and need not be repeated for each of them first.
fn reads_a_row(array: &Expr) -> bool {
    struct Reads(bool);
    impl Visit for Reads {
        fn expr(&mut self, expr: &Expr) {
            self.0 |= matches!(
                expr.kind,
                ExprKind::Column { .. }
                    | ExprKind::Element(_)
                    | ExprKind::Offset(_)
                    | ExprKind::Row(_)
                    | ExprKind::GroupKey(_)
            );
            walk_expr(self, expr);
        }
    }
    let mut reads = Reads(false);
    reads.expr(array);
    reads.0
}

fn collect(from: &From, ranges: &mut Vec<RangeId>) {
    match from {
        From::Table(table) => ranges.push(table.range),
        From::Derived { range, .. } => ranges.push(*range),
        From::Unnest(unnest) => ranges.push(unnest.range),
        From::Join(join) => {
            collect(&join.left, ranges);
            collect(&join.right, ranges);
        }
        From::Filtered {
            input,
            condition: _,
        } => collect(input, ranges),
    }
}
