//! Statements and queries.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::expr::Position;
use super::from::Binding;
use super::lists::Rows;
use crate::compiler::analyze::has_window;
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::ir::visit::{Visit, walk_expr, walk_from};
use crate::compiler::ir::{
    Body, Column, ColumnName, CteId, Expr, ExprKind, From, GroupBy, Item, Query, RangeId, Select,
    SetOperation, SetOperator, SortKey, Statement, Type, Value,
};

/// Prints a statement that `layout` has rewritten.
///
/// # Errors
/// What the engine cannot express, with its place in the caller's text, and an expression of more than `most_bytes`, as it
/// is printed or as the engine's planner would write it out.
pub fn print(statement: &Statement, most_bytes: usize) -> Result<String, Box<Diagnostic>> {
    super::expansion::check(statement, most_bytes)?;
    let mut needs = Needs::default();
    for cte in &statement.ctes {
        needs.query(&cte.query);
    }
    needs.query(&statement.query);
    let mut printer = Printer {
        ctes: statement
            .ctes
            .iter()
            .map(|cte| (cte.id, cte.name.to_string()))
            .collect(),
        columns: needs.columns,
        elements: needs.elements,
        bindings: BTreeMap::new(),
        aliases: BTreeSet::new(),
        keys: Vec::new(),
        outputs: Vec::new(),
        position: Position::Value,
        rows: None,
        in_aggregate: false,
        most_bytes,
    };
    let mut text = String::new();
    for cte in &statement.ctes {
        text.push_str(if text.is_empty() { "WITH " } else { ", " });
        push_quoted(&mut text, &[cte.name.as_str()]);
        text.push_str(" AS (");
        text.push_str(&printer.query(&cte.query)?);
        text.push(')');
    }
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(&printer.query(&statement.query)?);
    Ok(text)
}

/// Returns an identifier in double quotes.
pub(super) fn quoted(name: &str) -> Quoted<'_> {
    Quoted(name)
}

/// Writes an identifier in double quotes.
pub(super) struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        push_part(f, self.0)?;
        f.write_str("\"")
    }
}

/// Adds an identifier of these parts in double quotes.
pub(super) fn push_quoted(text: &mut String, parts: &[&str]) {
    text.push('"');
    for part in parts {
        // Writing to a String cannot fail.
        let _ = push_part(text, part);
    }
    text.push('"');
}

/// Writes a part of an identifier, with its quotes doubled.
fn push_part(out: &mut impl fmt::Write, part: &str) -> fmt::Result {
    if part.contains('"') {
        out.write_str(&part.replace('"', "\"\""))
    } else {
        out.write_str(part)
    }
}

/// Returns a printed form under a name.
pub(super) fn aliased(mut text: String, name: &str) -> String {
    text.push_str(" AS ");
    push_quoted(&mut text, &[name]);
    text
}

/// Refuses what the engine has no form for. `instead` says what to write.
pub(super) fn unsupported(span: Span, what: &str, instead: &str) -> Box<Diagnostic> {
    let message = format!("{what} is not available on this warehouse");
    Box::new(Diagnostic::new(Code::Unsupported, span, message).help(instead))
}

/// What to write in place of a query over an array of the row that the engine has no form for.
pub(super) const UNNEST_FIRST: &str = "unnest the array in FROM, FROM t CROSS JOIN UNNEST(t.array) AS x, and group by what identifies the row";

pub(super) type Printed = Result<String, Box<Diagnostic>>;

/// The state of printing one statement.
pub(super) struct Printer {
    pub(super) ctes: BTreeMap<CteId, String>,
    /// The columns that something reads, by FROM item.
    pub(super) columns: BTreeMap<RangeId, BTreeSet<ColumnName>>,
    /// The UNNEST items of the statement.
    pub(super) elements: BTreeSet<RangeId>,
    /// How the FROM items in scope are reached.
    pub(super) bindings: BTreeMap<RangeId, Binding>,
    /// Aliases that are taken.
    pub(super) aliases: BTreeSet<String>,
    /// The group keys of the blocks around the current place, innermost last.
    pub(super) keys: Vec<Vec<String>>,
    /// How the output columns of a set operation are reached in its ORDER BY.
    pub(super) outputs: Vec<String>,
    /// Where the expression being printed stands.
    pub(super) position: Position,
    /// The rows that aggregate functions are over, where these are elements of a list.
    pub(super) rows: Option<Rows>,
    /// Whether the expression being printed stands in an aggregate or window function or is a key of GROUP BY.
    pub(super) in_aggregate: bool,
    /// Bytes that the text of one expression may have. Some forms repeat an operand: one inside of another, they would
    /// fill the memory before the whole text is measured.
    pub(super) most_bytes: usize,
}

impl Printer {
    pub(super) fn query(&mut self, query: &Query) -> Printed {
        let Query {
            body,
            order_by,
            limit,
            offset,
            span: _,
        } = query;
        let outer = std::mem::replace(&mut self.position, Position::Value);
        let rows = self.rows.take();
        let in_aggregate = std::mem::take(&mut self.in_aggregate);
        let text = match body {
            Body::Select(select) => self.select(select, order_by),
            Body::Set(set) => self.set_operation(set, order_by),
        };
        self.rows = rows;
        self.in_aggregate = in_aggregate;
        self.position = outer;
        let mut text = text?;
        for (keyword, count) in [(" LIMIT ", limit), (" OFFSET ", offset)] {
            if let Some(count) = count {
                text.push_str(keyword);
                text.push_str(&count.to_string());
            }
        }
        Ok(text)
    }

    fn select(&mut self, select: &Select, order_by: &[SortKey]) -> Printed {
        let Select {
            distinct,
            items,
            from,
            filter,
            group_by,
            having,
            qualify,
        } = select;
        let from = match from {
            Some(from) => [" FROM ", &self.from(from)?].concat(),
            None => String::new(),
        };
        let filter = self.clause(" WHERE ", filter.as_ref())?;
        // Of no rows ROLLUP makes no total, where the engine makes one. Without keys the rows are one group, which the
        // engine makes for a function alone.
        let groups = match group_by {
            Some(group_by) if group_by.rollup => Some("\"count\"(1) > 0"),
            Some(group_by) if group_by.keys.is_empty() && !select.has_aggregate() => {
                Some("\"count\"(1) >= 0")
            }
            _ => None,
        };
        let group_by = match group_by {
            Some(group_by) => self.group_by(group_by)?,
            None => {
                self.keys.push(Vec::new());
                String::new()
            }
        };
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            list.push(aliased(self.expr(&item.expr)?, item.name.as_str()));
        }
        let having = self.having(having.as_ref(), groups)?;
        let qualify = self.qualify(qualify.as_ref())?;
        let hidden = hides_a_key(items, order_by) || order_by.iter().any(is_float);
        let order_by = if hidden {
            self.derived_keys(items, order_by, &mut list)?
        } else {
            self.order_by(order_by)?
        };
        self.keys.pop();
        let distinct = if *distinct { "DISTINCT " } else { "" };
        let list = list.join(", ");
        let mut block = [
            "SELECT ", distinct, &list, &from, &filter, &group_by, &having, &qualify,
        ]
        .concat();
        if !hidden {
            block.push_str(&order_by);
            return Ok(block);
        }
        let outputs: Vec<String> = items
            .iter()
            .map(|item| quoted(item.name.as_str()).to_string())
            .collect();
        let alias = self.alias("s");
        let alias = quoted(&alias);
        Ok(format!(
            "SELECT {} FROM ({block}) AS {alias}{order_by}",
            outputs.join(", ")
        ))
    }

    /// Adds sort keys to a select list, and returns the ORDER BY of a query around it.
    fn derived_keys(
        &mut self,
        items: &[Item],
        order_by: &[SortKey],
        list: &mut Vec<String>,
    ) -> Printed {
        let mut keys = Vec::with_capacity(order_by.len());
        for (number, key) in order_by.iter().enumerate() {
            let name = match key.expr.kind {
                ExprKind::Output(index) => match items.get(index) {
                    Some(item) => quoted(item.name.as_str()).to_string(),
                    None => (index + 1).to_string(),
                },
                _ => {
                    let name = quoted(&format!("order${number}")).to_string();
                    list.push(format!("{} AS {name}", self.expr(&key.expr)?));
                    name
                }
            };
            push_key(&mut keys, &name, key);
        }
        Ok(format!(" ORDER BY {}", keys.join(", ")))
    }

    fn clause(&mut self, keyword: &str, condition: Option<&Expr>) -> Printed {
        Ok(match condition {
            Some(condition) => [keyword, &self.condition(condition)?].concat(),
            None => String::new(),
        })
    }

    /// Prints HAVING, with what else is asked of the groups.
    fn having(&mut self, having: Option<&Expr>, groups: Option<&str>) -> Printed {
        Ok(match (having, groups) {
            (None, Some(groups)) => format!(" HAVING {groups}"),
            (Some(having), Some(groups)) => {
                format!(" HAVING {} AND {groups}", self.condition(having)?)
            }
            (having, None) => self.clause(" HAVING ", having)?,
        })
    }

    /// Prints QUALIFY. The engine wants a window function in it, or as an item of its own.
    fn qualify(&mut self, qualify: Option<&Expr>) -> Printed {
        let text = self.clause(" QUALIFY ", qualify)?;
        Ok(match qualify {
            Some(qualify) if !has_window(qualify) => {
                format!("{text} AND \"count\"(1) OVER () > 0")
            }
            _ => text,
        })
    }

    /// Prints a condition that chooses among rows.
    pub(super) fn condition(&mut self, condition: &Expr) -> Printed {
        let outer = std::mem::replace(&mut self.position, Position::Conjunct);
        let text = self.expr(condition);
        self.position = outer;
        text
    }

    fn group_by(&mut self, group_by: &GroupBy) -> Printed {
        let GroupBy { keys, rollup } = group_by;
        let mut printed = Vec::with_capacity(keys.len());
        for key in keys {
            self.in_aggregate = true;
            let text = self.expr(key);
            self.in_aggregate = false;
            let text = text?;
            if *rollup && printed.contains(&text) {
                return Err(unsupported(
                    key.span,
                    "the same key twice in ROLLUP",
                    "write it once",
                ));
            }
            // A bare number would be an ordinal.
            printed.push(if matches!(key.kind, ExprKind::Literal(Value::Int64(_))) {
                format!("CAST({text} AS BIGINT)")
            } else {
                text
            });
        }
        // A bracket inside of ROLLUP begins a list of keys, so there each key is one.
        let list = printed.join(if *rollup { "), (" } else { ", " });
        self.keys.push(printed);
        Ok(match (keys.is_empty(), rollup) {
            (true, _) => String::new(),
            (false, true) => format!(" GROUP BY ROLLUP (({list}))"),
            (false, false) => [" GROUP BY ", &list].concat(),
        })
    }

    /// Prints an ORDER BY with a space before it, or nothing. A constant orders nothing, and the engine takes an integer
    /// for an ordinal.
    pub(super) fn order_by(&mut self, keys: &[SortKey]) -> Printed {
        let keys = keys.iter().filter(|key| !is_literal(&key.expr));
        let keys = self.sort_keys(keys)?;
        Ok(match keys.is_empty() {
            true => keys,
            false => [" ORDER BY ", &keys].concat(),
        })
    }

    /// Prints sort keys.
    pub(super) fn sort_keys<'k>(&mut self, keys: impl IntoIterator<Item = &'k SortKey>) -> Printed {
        let mut printed = Vec::new();
        for key in keys {
            let value = match key.expr.kind {
                ExprKind::Output(index) if self.outputs.is_empty() => (index + 1).to_string(),
                _ => self.expr(&key.expr)?,
            };
            push_key(&mut printed, &value, key);
        }
        Ok(printed.join(", "))
    }

    fn set_operation(&mut self, set: &SetOperation, order_by: &[SortKey]) -> Printed {
        let SetOperation {
            operator,
            all,
            arms,
            columns,
        } = set;
        let operator = match (operator, all) {
            (SetOperator::Union, true) => " UNION ALL ",
            (SetOperator::Union, false) => " UNION ",
            (SetOperator::Intersect, _) => " INTERSECT ",
            (SetOperator::Except, _) => " EXCEPT ",
        };
        let mut printed = Vec::with_capacity(arms.len());
        for arm in arms {
            printed.push(format!("({})", self.query(arm)?));
        }
        // Operators of one kind group to the left in both dialects.
        let text = printed.join(operator);
        if order_by.is_empty() {
            return Ok(text);
        }
        let alias = self.alias("s");
        let list: Vec<String> = columns
            .iter()
            .map(|Column { name, ty: _ }| format!("{}.{}", quoted(&alias), quoted(name.as_str())))
            .collect();
        let outer = std::mem::replace(&mut self.outputs, list.clone());
        let keys = self.order_by(order_by);
        self.outputs = outer;
        Ok(format!(
            "SELECT {} FROM ({text}) AS {}{}",
            list.join(", "),
            quoted(&alias),
            keys?
        ))
    }

    /// Returns an alias that the statement does not have yet.
    pub(super) fn alias(&mut self, hint: &str) -> String {
        let mut candidate = hint.to_owned();
        let mut number = 1;
        while !self.aliases.insert(candidate.to_ascii_lowercase()) {
            number += 1;
            candidate = format!("{hint}_{number}");
        }
        candidate
    }
}

/// Adds the printed form of a sort key. NaN is the least value of GoogleSQL and the greatest of the engine.
pub(super) fn push_key(keys: &mut Vec<String>, value: &str, key: &SortKey) {
    let SortKey {
        expr: _,
        descending,
        nulls_first,
    } = key;
    let (direction, inverse) = if *descending {
        (" DESC", " ASC")
    } else {
        (" ASC", " DESC")
    };
    let nulls = if *nulls_first {
        " NULLS FIRST"
    } else {
        " NULLS LAST"
    };
    if is_float(key) {
        keys.push(["\"is_nan\"(", value, ")", inverse, nulls].concat());
        keys.push([&sortable(value), direction, nulls].concat());
    } else {
        keys.push([value, direction, nulls].concat());
    }
}

/// Prints a FLOAT64 value as a sort key: 0 and -0 are one value, which the engine tells apart.
pub(super) fn sortable(value: &str) -> String {
    ["\"sortable_float64\"(", value, ")"].concat()
}

/// Returns whether an expression is a literal, also as a value of another type.
fn is_literal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) => true,
        ExprKind::Cast { operand, safe: _ } => is_literal(operand),
        _ => false,
    }
}

fn is_float(key: &SortKey) -> bool {
    key.expr.ty == Type::Float64
}

/// Returns whether a sort key reads a column whose name some other output has. The engine adds what keys
/// read to the select list, and cannot have both there.
fn hides_a_key(items: &[Item], order_by: &[SortKey]) -> bool {
    let mut needs = Needs::default();
    for key in order_by {
        needs.expr(&key.expr);
    }
    items.iter().any(|item| {
        needs.columns.iter().any(|(range, columns)| {
            let same = matches!(&item.expr.kind,
                ExprKind::Column { range: r, column: c } if *r == *range && c.matches(item.name.as_str()));
            !same && columns.iter().any(|column| column.matches(item.name.as_str()))
        })
    })
}

/// What a statement reads of its FROM items.
#[derive(Default)]
struct Needs {
    columns: BTreeMap<RangeId, BTreeSet<ColumnName>>,
    elements: BTreeSet<RangeId>,
}

impl Visit for Needs {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Column { range, column } => {
                self.columns
                    .entry(*range)
                    .or_default()
                    .insert(column.clone());
            }
            ExprKind::Row(range) => {
                let columns = self.columns.entry(*range).or_default();
                let names = expr.ty.fields().unwrap_or_default();
                columns.extend(names.iter().filter_map(|field| field.name.clone()));
            }
            _ => walk_expr(self, expr),
        }
    }

    fn from(&mut self, from: &From) {
        if let From::Unnest(unnest) = from {
            self.elements.insert(unnest.range);
        }
        walk_from(self, from);
    }
}
