//! Sub-queries over arrays of the row.
//!
//! The engine does not plan them, so they become expressions over lists: the rows of such a query are the
//! elements of a list, its clauses functions from list to list. `ARRAY(SELECT x + 1 FROM UNNEST(t.a) AS x
//! WHERE x > t.n)` becomes `array_transform(array_filter(t.a, x -> x > t.n), x -> x + 1)`.

use super::expr::Position;
use super::from::{Binding, ELEMENT, OFFSET};
use super::print::{Printed, Printer, UNNEST_FIRST, quoted, unsupported};
use super::types::string;
use crate::compiler::diagnostic::Diagnostic;
use crate::compiler::ir::visit::{Visit, walk_expr};
use crate::compiler::ir::{
    Body, Expr, ExprKind, From, Item, Join, JoinKind, Query, RangeId, Select, SortKey,
    SubqueryKind, Type, Unnest,
};

/// A FROM item as a part of a row that is an element of a list.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The lambda parameter that stands for the row.
    row: String,
    /// The fields that lead from the row to the item.
    path: Vec<&'static str>,
    /// Whether the item is a STRUCT of element and offset, or the element itself.
    offset: bool,
}

impl Part {
    /// Returns the printed form of the element or the offset.
    pub(super) fn column(&self, name: &str) -> String {
        let path = self.path.iter().copied();
        let path = path.chain(self.offset.then_some(name));
        path.fold(quoted(&self.row).to_string(), |base, field| {
            format!("\"get_field\"({base}, {})", string(field))
        })
    }
}

/// The rows of a FROM that holds nothing but arrays.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// The list that has an element for each row.
    list: String,
    /// The lambda parameter that stands for a row.
    row: String,
    /// The FROM items.
    ranges: Vec<RangeId>,
}

impl Rows {
    /// Returns the list of what an expression is for each row.
    pub(super) fn map(&self, expr: &str) -> String {
        format!(
            "\"array_transform\"({}, {} -> {expr})",
            self.list,
            quoted(&self.row)
        )
    }

    /// Returns the rows for which a condition holds.
    pub(super) fn filter(&self, condition: &str) -> Self {
        Self {
            list: format!(
                "\"array_filter\"({}, {} -> {condition})",
                self.list,
                quoted(&self.row)
            ),
            ..self.clone()
        }
    }

    /// Returns the list of the rows, of one NULL where there are none.
    pub(super) fn or_null(&self) -> String {
        format!("\"list_or_null\"({})", self.list)
    }
}

/// Returns whether a query reads arrays and nothing else. Without FROM it reads one row of nothing, which is
/// what is left of an array that is stored as its only element.
pub(super) fn is_over_arrays(query: &Query) -> bool {
    fn only_arrays(from: &From) -> bool {
        match from {
            From::Unnest(_) => true,
            From::Join(join) => only_arrays(&join.left) && matches!(join.right, From::Unnest(_)),
            From::Filtered {
                input,
                condition: _,
            } => only_arrays(input),
            From::Table(_) | From::Derived { .. } => false,
        }
    }
    match &query.body {
        Body::Select(select) => select.from.as_ref().is_none_or(only_arrays),
        Body::Set(_) => false,
    }
}

impl Printer {
    /// Prints a sub-query over arrays as a value.
    pub(super) fn subquery_over_arrays(&mut self, kind: SubqueryKind, query: &Query) -> Printed {
        let list = self.values_of(query)?;
        Ok(match kind {
            SubqueryKind::Scalar => format!("\"only_row\"({list})"),
            SubqueryKind::Exists => format!("(\"coalesce\"(\"array_length\"({list}), 0) > 0)"),
            SubqueryKind::Array => format!("\"present_list\"({list})"),
        })
    }

    /// Prints the list of the values that a query over arrays has in its only column. NULL is an empty one.
    pub(super) fn values_of(&mut self, query: &Query) -> Printed {
        let Query {
            body,
            order_by,
            limit,
            offset,
            span,
        } = query;
        let Body::Select(select) = body else {
            return Err(unsupported(
                *span,
                "a set operation over arrays of the row",
                "write ARRAY_CONCAT(ARRAY(…), ARRAY(…)) for UNION ALL, and IN UNNEST(…) in WHERE for the others",
            ));
        };
        let position = std::mem::replace(&mut self.position, Position::Value);
        let rows = self.rows.take();
        self.keys.push(Vec::new());
        let list = self.selected(select, order_by);
        self.keys.pop();
        self.rows = rows;
        self.position = position;
        let list = list?;
        Ok(match (limit, offset) {
            (None, None) => list,
            (limit, offset) => format!(
                "\"list_slice\"({list}, {}, {})",
                offset.unwrap_or(0),
                limit.map_or(i64::MAX, |limit| i64::try_from(limit).unwrap_or(i64::MAX))
            ),
        })
    }

    fn selected(&mut self, select: &Select, order_by: &[SortKey]) -> Printed {
        let Select {
            distinct,
            items,
            from,
            filter,
            group_by,
            having,
            qualify,
        } = select;
        let Some(item) = items.first() else {
            return Ok("NULL".to_owned());
        };
        let span = item.expr.span;
        if qualify.is_some() || has_window(select) {
            return Err(unsupported(
                span,
                "a window function over an array of the row",
                UNNEST_FIRST,
            ));
        }
        let rows = match from {
            Some(from) => self.rows_of(from)?,
            None => Rows {
                list: "\"make_array\"(1)".to_owned(),
                row: self.parameter("row"),
                ranges: Vec::new(),
            },
        };
        let rows = self.filtered_rows(rows, filter.as_ref())?;
        let Some(group_by) = group_by else {
            return if *distinct {
                self.distinct(&rows, item, order_by)
            } else {
                self.ordered_values(&rows, items, order_by)
            };
        };
        if !group_by.keys.is_empty() {
            return Err(unsupported(
                span,
                "GROUP BY over an array of the row",
                UNNEST_FIRST,
            ));
        }
        // One group, which is one row.
        self.rows = Some(rows);
        let value = self.expr(&item.expr);
        let having = having.as_ref().map(|having| self.expr(having)).transpose();
        self.rows = None;
        let one = format!("\"make_array\"({})", value?);
        Ok(match having? {
            Some(having) => format!("(CASE WHEN {having} THEN {one} END)"),
            None => one,
        })
    }

    /// Prints the values of the first item in the order of the rows.
    fn ordered_values(&mut self, rows: &Rows, items: &[Item], order_by: &[SortKey]) -> Printed {
        let Some(item) = items.first() else {
            return Ok("NULL".to_owned());
        };
        let value = self.expr(&item.expr)?;
        if order_by.is_empty() {
            return Ok(rows.map(&value));
        }
        let outputs: Vec<&Expr> = items.iter().map(|item| &item.expr).collect();
        let (record, order) = self.sort_record(&value, order_by, &outputs)?;
        Ok(format!("\"ordered\"({}, {order})", rows.map(&record)))
    }

    fn distinct(&mut self, rows: &Rows, item: &Item, order_by: &[SortKey]) -> Printed {
        let span = item.expr.span;
        if !item.expr.ty.is_groupable() || item.expr.ty == Type::Float64 {
            let what = format!("DISTINCT of {} over an array of the row", item.expr.ty);
            let instead = "write DISTINCT of TO_JSON_STRING(x)";
            return Err(unsupported(span, &what, instead));
        }
        let value = self.expr(&item.expr)?;
        let list = format!("\"array_distinct\"({})", rows.map(&value));
        match order_by {
            [] => Ok(list),
            // Only the output can be sorted by.
            [key] if matches!(key.expr.kind, ExprKind::Output(_)) || key.expr == item.expr => {
                let row = self.parameter("v");
                let sorted = SortKey {
                    expr: Expr::new(ExprKind::Output(0), key.expr.ty.clone(), key.expr.span),
                    ..key.clone()
                };
                let value = quoted(&row).to_string();
                let outputs = std::mem::replace(&mut self.outputs, vec![value.clone()]);
                let record = self.sort_record(&value, &[sorted], &[]);
                self.outputs = outputs;
                let (record, order) = record?;
                let rows = Rows {
                    list,
                    row,
                    ranges: Vec::new(),
                };
                Ok(format!("\"ordered\"({}, {order})", rows.map(&record)))
            }
            _ => Err(unsupported(
                span,
                "this order of DISTINCT values",
                "order by the value itself, or leave DISTINCT to an inner sub-query",
            )),
        }
    }

    /// Returns a name for a lambda parameter. No column has one that begins with `$`: the engine tells a parameter
    /// from a column that it took for one by name and type.
    pub(super) fn parameter(&mut self, hint: &str) -> String {
        self.alias(&format!("${hint}"))
    }

    /// Returns the rows of a FROM of arrays.
    fn rows_of(&mut self, from: &From) -> Result<Rows, Box<Diagnostic>> {
        match from {
            From::Unnest(unnest) => self.unnest_rows(unnest),
            From::Join(join) => self.joined_rows(join),
            From::Filtered { input, condition } => {
                let rows = self.rows_of(input)?;
                self.filtered_rows(rows, Some(condition))
            }
            From::Table(table) => Err(unsupported(
                crate::compiler::Span::default(),
                &format!("{} beside an array of the row", table.name),
                UNNEST_FIRST,
            )),
            From::Derived { query, .. } => Err(unsupported(
                query.span,
                "a query beside an array of the row",
                UNNEST_FIRST,
            )),
        }
    }

    /// Returns the rows of an UNNEST.
    pub(super) fn unnest_rows(&mut self, unnest: &Unnest) -> Result<Rows, Box<Diagnostic>> {
        let list = self.expr(&unnest.array)?;
        let row = self.parameter(unnest.name.as_str());
        let offset = unnest.offset.is_some();
        self.bindings.insert(
            unnest.range,
            Binding::Part(Part {
                row: row.clone(),
                path: Vec::new(),
                offset,
            }),
        );
        Ok(Rows {
            list: if offset {
                format!(
                    "\"with_offset\"({list}, {}, {})",
                    string(ELEMENT),
                    string(OFFSET)
                )
            } else {
                list
            },
            row,
            ranges: vec![unnest.range],
        })
    }

    /// Returns the rows for which a condition holds.
    pub(super) fn filtered_rows(
        &mut self,
        rows: Rows,
        condition: Option<&Expr>,
    ) -> Result<Rows, Box<Diagnostic>> {
        let Some(condition) = condition else {
            return Ok(rows);
        };
        let position = std::mem::replace(&mut self.position, Position::Value);
        let condition = self.expr(condition);
        self.position = position;
        Ok(rows.filter(&condition?))
    }

    fn joined_rows(&mut self, join: &Join) -> Result<Rows, Box<Diagnostic>> {
        let left = self.rows_of(&join.left)?;
        let From::Unnest(unnest) = &join.right else {
            return Err(unsupported(
                crate::compiler::Span::default(),
                "a join beside an array of the row",
                UNNEST_FIRST,
            ));
        };
        let mut right = self.unnest_rows(unnest)?;
        right = self.filtered_rows(right, join.on.as_ref())?;
        if join.kind == JoinKind::Left {
            right.list = right.or_null();
        }
        let pair = format!(
            "\"named_struct\"('left', {}, 'right', {})",
            quoted(&left.row),
            quoted(&right.row)
        );
        let row = self.parameter("row");
        for (side, ranges) in [("left", &left.ranges), ("right", &right.ranges)] {
            for range in ranges {
                if let Some(Binding::Part(part)) = self.bindings.get_mut(range) {
                    part.row.clone_from(&row);
                    part.path.insert(0, side);
                }
            }
        }
        let list = format!("\"flatten\"({})", left.map(&right.map(&pair)));
        let mut ranges = left.ranges;
        ranges.extend(right.ranges);
        Ok(Rows { list, row, ranges })
    }
}

/// Returns whether a value of a block is that of a window function.
pub(super) fn has_window(select: &Select) -> bool {
    struct Finder(bool);
    impl Visit for Finder {
        fn expr(&mut self, expr: &Expr) {
            self.0 |= matches!(expr.kind, ExprKind::Window(_));
            walk_expr(self, expr);
        }
        fn query(&mut self, _query: &Query) {}
    }
    let mut finder = Finder(false);
    for item in &select.items {
        finder.expr(&item.expr);
    }
    finder.0
}
