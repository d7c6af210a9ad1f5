//! The IR as GoogleSQL text, for BigQuery.
//!
//! The text is printed from meaning alone: literals in one canonical form, every name in backticks, every
//! operator in parentheses, every FROM item under a name that nothing else has, every array in UNNEST.
//! Nothing is left for the engine to resolve in its own way, and the same IR gives the same bytes.
//! Printing is total; it recurses as deep as the IR is nested.

mod expr;
mod keys;
mod literal;
mod names;
mod out;

use std::collections::BTreeMap;

use crate::compiler::googlesql::lexer::Token;
use crate::compiler::ir::{
    Body, CteId, Expr, From, GroupBy, Join, JoinKind, Query, RangeId, Select, SetOperation,
    SetOperator, SortKey, Source, Statement, StreamName, Table, Type, Unnest, Value,
};

use keys::{KeyForm, key_column};
use names::Names;
use out::Out;

/// Prints a statement on one line. `tables` holds the physical table of each stream,
/// `project.dataset.table`; a stream without one is printed under its own name.
#[must_use]
pub fn print(statement: &Statement, tables: &BTreeMap<StreamName, String>) -> String {
    write(statement, tables, Out::of_query()).0
}

/// Prints a statement like [`print`], with the tokens of the text that hold a value: names, literals and
/// parameters.
#[must_use]
pub fn print_with_values(
    statement: &Statement,
    tables: &BTreeMap<StreamName, String>,
) -> (String, Vec<Token>) {
    write(statement, tables, Out::keeping_values())
}

fn write(
    statement: &Statement,
    tables: &BTreeMap<StreamName, String>,
    out: Out,
) -> (String, Vec<Token>) {
    let mut printer = Printer {
        out,
        statement,
        tables,
        names: Names::of(statement, tables),
        outputs: Vec::new(),
        groups: Vec::new(),
    };
    for (i, cte) in statement.ctes.iter().enumerate() {
        printer.text(if i == 0 { "WITH " } else { ", " });
        printer.name(cte.name.as_str());
        printer.text(" AS (");
        printer.query(&cte.query);
        printer.text(")");
    }
    if !statement.ctes.is_empty() {
        printer.text(" ");
    }
    printer.query(&statement.query);
    printer.out.finish()
}

/// Writes a constant of a type.
pub(in crate::compiler) fn constant(value: &Value, ty: &Type) -> String {
    let mut out = Out::default();
    literal::value(&mut out, value, ty);
    out.finish().0
}

/// A text while it is written.
struct Printer<'a> {
    out: Out,
    statement: &'a Statement,
    tables: &'a BTreeMap<StreamName, String>,
    names: Names,
    /// The output columns of each query whose ORDER BY is being written, the innermost last.
    outputs: Vec<Vec<&'a str>>,
    /// The grouped select blocks that are being written, the innermost last.
    groups: Vec<Group<'a>>,
}

/// A grouped select block.
#[derive(Clone)]
struct Group<'a> {
    by: &'a GroupBy,
    forms: Vec<KeyForm>,
    /// The range variable of the keys that became columns.
    range: String,
    /// Whether its ORDER BY is being written, where output columns have names.
    ordering: bool,
}

impl<'a> Printer<'a> {
    fn text(&mut self, text: &str) {
        self.out.fixed(text);
    }

    fn name(&mut self, name: &str) {
        literal::name(&mut self.out, name);
    }

    /// Writes the name of a range.
    fn range(&mut self, id: RangeId) {
        literal::name(&mut self.out, &self.names.range(id));
    }

    /// Writes the name of a range's WITH OFFSET column.
    fn offset(&mut self, id: RangeId) {
        literal::name(&mut self.out, &self.names.offset(id));
    }

    fn query(&mut self, query: &'a Query) {
        let Query {
            body,
            order_by,
            limit,
            offset,
            span: _,
        } = query;
        match body {
            Body::Select(select) => self.select(select, order_by),
            Body::Set(set) => {
                self.set_operation(set);
                let columns = set.columns.iter().map(|c| c.name.as_str());
                self.outputs.push(columns.collect());
                self.order_by(order_by);
                self.outputs.pop();
            }
        }
        // OFFSET cannot stand without LIMIT.
        let limit = limit.or(offset.is_some().then_some(i64::MAX.unsigned_abs()));
        if let Some(limit) = limit {
            self.text(" LIMIT ");
            self.out.number(&limit);
        }
        if let Some(offset) = offset {
            self.text(" OFFSET ");
            self.out.number(offset);
        }
    }

    fn set_operation(&mut self, set: &'a SetOperation) {
        let SetOperation {
            operator,
            all,
            arms,
            columns: _,
        } = set;
        for (i, arm) in arms.iter().enumerate() {
            if i > 0 {
                self.text(match operator {
                    SetOperator::Union => " UNION",
                    SetOperator::Intersect => " INTERSECT",
                    SetOperator::Except => " EXCEPT",
                });
                self.text(if *all { " ALL " } else { " DISTINCT " });
            }
            self.text("(");
            self.query(arm);
            self.text(")");
        }
    }

    fn select(&mut self, select: &'a Select, order_by: &'a [SortKey]) {
        let Select {
            distinct,
            items,
            from,
            filter,
            group_by,
            having,
            qualify,
        } = select;
        let by = group_by.as_ref().filter(|by| !by.keys.is_empty());
        if let Some(by) = by {
            self.enter_group(select, by);
        }
        self.text(if *distinct {
            "SELECT DISTINCT "
        } else {
            "SELECT "
        });
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.text(", ");
            }
            self.expr(&item.expr);
            self.text(" AS ");
            self.name(item.name.as_str());
        }
        match from {
            Some(from) => {
                self.text(" FROM ");
                self.from(from);
            }
            None => {
                // One row of nothing; the clauses after FROM cannot stand without it.
                let clauses = filter.is_some() || group_by.is_some() || qualify.is_some();
                if clauses || *distinct || !order_by.is_empty() {
                    self.text(" FROM (SELECT NULL)");
                }
            }
        }
        if by.is_some() {
            self.key_columns(filter.as_ref());
        }
        self.clause(" WHERE ", filter.as_ref());
        if by.is_some() {
            self.group_by();
        } else if group_by.is_some() && !select.has_aggregate() {
            self.text(" GROUP BY ()");
        }
        self.clause(" HAVING ", having.as_ref());
        self.clause(" QUALIFY ", qualify.as_ref());
        let outputs = items.iter().map(|item| item.name.as_str());
        self.outputs.push(outputs.collect());
        if let Some(group) = self.groups.last_mut().filter(|_| by.is_some()) {
            group.ordering = true;
        }
        self.order_by(order_by);
        self.outputs.pop();
        if by.is_some() {
            self.groups.pop();
        }
    }

    fn clause(&mut self, keyword: &str, expr: Option<&'a Expr>) {
        if let Some(expr) = expr {
            self.text(keyword);
            self.expr(expr);
        }
    }

    fn enter_group(&mut self, select: &Select, by: &'a GroupBy) {
        let forms = keys::forms(select, by);
        let range = if forms.contains(&KeyForm::Column) {
            self.names.fresh("keys")
        } else {
            String::new()
        };
        self.groups.push(Group {
            by,
            forms,
            range,
            ordering: false,
        });
    }

    /// Makes columns of the keys that need it, after the FROM tree.
    fn key_columns(&mut self, filter: Option<&'a Expr>) {
        let Some(Group {
            by, forms, range, ..
        }) = self.groups.last().cloned()
        else {
            return;
        };
        let keys = by.keys.iter().zip(&forms).enumerate();
        let columns = keys
            .filter(|(_, (_, form))| **form == KeyForm::Column)
            .map(|(index, (key, _))| (index, key));
        let columns: Vec<(usize, &Expr)> = columns.collect();
        if columns.is_empty() {
            return;
        }
        self.text(" CROSS JOIN UNNEST(");
        // What WHERE leaves out has no keys to compute, where that can fail.
        let filter = filter.filter(|filter| {
            columns.iter().any(|(_, key)| keys::can_fail(key)) && !keys::reads_table(filter)
        });
        if let Some(filter) = filter {
            self.text("IF(");
            self.expr(filter);
            self.text(", ");
        }
        for (place, (index, key)) in columns.into_iter().enumerate() {
            self.text(if place == 0 { "[STRUCT(" } else { ", " });
            self.expr(key);
            self.text(" AS ");
            self.name(&key_column(index));
        }
        self.text(if filter.is_some() {
            ")], [])) AS "
        } else {
            ")]) AS "
        });
        self.name(&range);
    }

    fn group_by(&mut self) {
        let Some(Group { by, forms, .. }) = self.groups.last().cloned() else {
            return;
        };
        self.text(" GROUP BY ");
        if by.rollup {
            self.text("ROLLUP(");
        }
        for (index, form) in forms.iter().enumerate() {
            if index > 0 {
                self.text(", ");
            }
            if let KeyForm::Output(position) = form {
                self.out.number(&(position + 1));
            } else {
                self.group_key(index);
            }
        }
        if by.rollup {
            self.text(")");
        }
    }

    /// Writes a key of the innermost select block that has it.
    fn group_key(&mut self, index: usize) {
        let group = self.groups.iter().rev().find_map(|group| {
            let key = group.by.keys.get(index)?;
            Some((key, group.forms.get(index)?, group))
        });
        match group {
            Some((_, KeyForm::Column, group)) => {
                let range = group.range.clone();
                self.name(&range);
                self.text(".");
                self.name(&key_column(index));
            }
            Some((_, KeyForm::Output(position), group)) if group.ordering => {
                self.output(*position);
            }
            Some((key, KeyForm::Output(_) | KeyForm::Path, _)) => self.expr(key),
            None => self.name(&key_column(index)),
        }
    }

    /// Writes an output column of the query whose ORDER BY is being written.
    fn output(&mut self, index: usize) {
        let known = self.outputs.last().and_then(|names| names.get(index));
        match known.copied() {
            Some(name) => self.name(name),
            None => self.name(&format!("f{index}_")),
        }
    }

    fn from(&mut self, from: &'a From) {
        match from {
            From::Table(table) => self.table(table),
            From::Derived {
                range,
                name: _,
                query,
            } => {
                self.text("(");
                self.query(query);
                self.text(") AS ");
                self.range(*range);
            }
            From::Unnest(unnest) => {
                let Unnest {
                    range,
                    name: _,
                    array,
                    offset,
                } = unnest;
                self.text("UNNEST(");
                self.expr(array);
                self.text(") AS ");
                self.range(*range);
                if offset.is_some() {
                    self.text(" WITH OFFSET AS ");
                    self.offset(*range);
                }
            }
            From::Join(join) => self.join(join),
            // Made for the embedded engine only. A join with one row of nothing means the same.
            From::Filtered { input, condition } => {
                self.from(input);
                self.text(" INNER JOIN (SELECT NULL) ON ");
                self.expr(condition);
            }
        }
    }

    fn table(&mut self, table: &'a Table) {
        let Table {
            range,
            name: _,
            source,
            columns: _,
        } = table;
        match source {
            Source::Stream(stream) => {
                let physical = self
                    .tables
                    .get(stream)
                    .map_or(stream.as_str(), String::as_str);
                for (i, part) in physical.split('.').enumerate() {
                    if i > 0 {
                        self.text(".");
                    }
                    self.name(part);
                }
            }
            Source::Cte(id) => self.cte_name(*id),
        }
        self.text(" AS ");
        self.range(*range);
    }

    fn cte_name(&mut self, id: CteId) {
        match self.statement.cte(id) {
            Some(cte) => self.name(cte.name.as_str()),
            None => self.name(&format!("cte_{}", id.0)),
        }
    }

    fn join(&mut self, join: &'a Join) {
        let Join {
            kind,
            left,
            right,
            on,
        } = join;
        self.from(left);
        self.text(match (kind, on) {
            (JoinKind::Cross, None) => " CROSS JOIN ",
            (JoinKind::Cross, Some(_)) | (JoinKind::Inner, _) => " INNER JOIN ",
            (JoinKind::Left, _) => " LEFT JOIN ",
            (JoinKind::Right, _) => " RIGHT JOIN ",
            (JoinKind::Full, _) => " FULL JOIN ",
        });
        let nested = matches!(right, From::Join(_) | From::Filtered { .. });
        if nested {
            self.text("(");
        }
        self.from(right);
        if nested {
            self.text(")");
        }
        match (kind, on) {
            (_, Some(on)) => {
                self.text(" ON ");
                self.expr(on);
            }
            (JoinKind::Cross, None) => {}
            (JoinKind::Inner | JoinKind::Left | JoinKind::Right | JoinKind::Full, None) => {
                self.text(" ON TRUE");
            }
        }
    }
}

#[cfg(test)]
mod tests;
