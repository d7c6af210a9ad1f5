//! The tree of an LQL text to the typed IR of one select block over a sub-table.
//!
//! `f:edge_logs m.request.method:GET` becomes `SELECT … FROM edge_logs AS t LEFT JOIN UNNEST(t.metadata) AS
//! metadata LEFT JOIN UNNEST(metadata.request) AS request WHERE request.method = 'GET'`: one join for each
//! record on the way of any path, whoever uses it.

use super::ast::{
    Aggregate, Chart, FieldTest, Filter, Path, Pattern, Query, Scalar, ScalarKind, Select, Test,
    TestKind, TimeTest,
};
use super::time::{self, Bounds};
use super::value;
use crate::compiler::analyze::build::{self, Builder, Built, constant, int64, negation, truth};
use crate::compiler::analyze::{Analyzed, Environment, Refused, Subtable};
use crate::compiler::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use crate::compiler::ir::{
    self, BinaryOp, Column, ColumnName, Expr, ExprKind, From, GroupBy, Item, Join, JoinKind,
    SortKey, SubscriptMode, Type, Value,
};

/// The alias of the sub-table.
pub(super) const TABLE: &str = "t";

/// Gives a tree its meaning over the sub-tables of an environment.
///
/// # Errors
/// Every name that does not exist and every value that its column cannot have.
pub fn lower(
    query: &Query,
    environment: &Environment<'_>,
    now: i64,
) -> Result<Analyzed, Diagnostics> {
    let mut builder = Builder::new(environment);
    let subtable = match subtable(query, environment.subtables) {
        Ok(subtable) => subtable,
        Err(diagnostic) => return Err((*diagnostic).into()),
    };
    let span = query
        .from
        .as_ref()
        .map(|name| name.span)
        .unwrap_or_default();
    let (from, columns) = builder.table(subtable, TABLE, span);
    let mut lowering = Lowering {
        builder,
        subtable,
        columns,
        from: Some(from),
        records: Vec::new(),
        now,
    };
    let query = lowering.query(query);
    lowering.builder.finish(query)
}

/// Returns the sub-table that is meant.
fn subtable<'a>(query: &Query, subtables: &'a [Subtable]) -> Result<&'a Subtable, Box<Diagnostic>> {
    let names: Vec<String> = subtables.iter().map(|s| s.name.to_string()).collect();
    let there_are = format!("there are `{}`", names.join("`, `"));
    match (&query.from, subtables) {
        (_, []) => Err(Box::new(Diagnostic::general(
            Code::FromNoCte,
            "this endpoint has no sub-tables, which LQL reads",
        ))),
        (Some(name), _) => {
            let mut named = subtables.iter();
            named.find(|s| s.name.as_str() == name.text).ok_or_else(|| {
                let message = format!("unknown sub-table `{}`", name.text);
                let diagnostic = Diagnostic::new(Code::UnknownTable, name.span, message);
                let help = match build::nearest(&name.text, &names) {
                    Some(nearest) => format!(
                        "did you mean `{nearest}`? There are `{}`",
                        names.join("`, `")
                    ),
                    None => there_are,
                };
                Box::new(diagnostic.help(help))
            })
        }
        (None, [subtable]) => Ok(subtable),
        (None, _) => Err(Box::new(
            Diagnostic::general(
                Code::FromRequired,
                "this endpoint has several sub-tables: say which one with `f:name`",
            )
            .help(there_are),
        )),
    }
}

/// The state of one lowering.
struct Lowering<'a> {
    builder: Builder<'a>,
    subtable: &'a Subtable,
    /// The columns of the sub-table with their values.
    columns: Vec<(Column, Expr)>,
    /// The sub-table and the records joined so far.
    from: Option<From>,
    records: Vec<Record>,
    /// The instant of the request.
    now: i64,
}

/// A repeated record in FROM.
struct Record {
    /// The names that lead to it.
    path: Vec<String>,
    alias: String,
    /// The value of its element.
    element: Expr,
}

/// What a query shows.
struct Output {
    items: Vec<Item>,
    group_by: Option<GroupBy>,
    order_by: Vec<SortKey>,
}

impl Lowering<'_> {
    fn query(&mut self, query: &Query) -> Built<ir::Query> {
        let filters: Vec<Built<Expr>> = query.filters.iter().map(|f| self.filter(f)).collect();
        let output = match &query.chart {
            Some(chart) => self.chart(chart),
            None => self.columns(query),
        };
        let filters = filters.into_iter().collect::<Built<Vec<Expr>>>()?;
        let Output {
            items,
            group_by,
            order_by,
        } = output?;
        let spans = filters.iter().map(|filter| filter.span);
        let span = spans.reduce(Span::to).unwrap_or_default();
        let select = ir::Select {
            distinct: false,
            items,
            from: self.from.take(),
            filter: several(filters, ExprKind::And),
            group_by,
            having: None,
            qualify: None,
        };
        Ok(build::query(select, order_by, span))
    }

    /// Returns the columns to show: those of `s:`, or all.
    fn columns(&mut self, query: &Query) -> Built<Output> {
        let items = if query.star || query.selects.is_empty() {
            let columns = self.columns.iter().map(|(column, value)| Item {
                name: column.name.clone(),
                expr: value.clone(),
            });
            columns.collect()
        } else {
            let items: Vec<Built<Item>> = query.selects.iter().map(|s| self.column(s)).collect();
            items.into_iter().collect::<Built<_>>()?
        };
        Ok(Output {
            items,
            group_by: None,
            order_by: Vec::new(),
        })
    }

    fn column(&mut self, select: &Select) -> Built<Item> {
        Ok(Item {
            name: ColumnName::new(&select.name),
            expr: self.path(&select.path)?,
        })
    }

    /// Returns a value over time, the oldest first.
    fn chart(&mut self, chart: &Chart) -> Built<Output> {
        let span = chart.span;
        let value = self.aggregate(&chart.aggregate, span);
        let timestamp = self.top_level("timestamp", span)?;
        let part = Expr::new(ExprKind::Part(chart.period), Type::String, span);
        let key = self
            .builder
            .call("TIMESTAMP_TRUNC", vec![timestamp, part], span)?;
        let value = value?;
        let item = |name: &str, kind: ExprKind, ty: &Type| Item {
            name: ColumnName::new(name),
            expr: Expr::new(kind, ty.clone(), span),
        };
        Ok(Output {
            order_by: vec![SortKey {
                expr: Expr::new(ExprKind::Output(0), key.ty.clone(), span),
                descending: false,
                nulls_first: true,
            }],
            items: vec![
                item("timestamp", ExprKind::GroupKey(0), &key.ty),
                item("count", value.kind, &value.ty),
            ],
            group_by: Some(GroupBy {
                keys: vec![key],
                rollup: false,
            }),
        })
    }

    fn aggregate(&mut self, aggregate: &Aggregate, span: Span) -> Built<Expr> {
        let (name, path, distinct) = match aggregate {
            Aggregate::Count(path) => ("COUNT", path.as_ref(), false),
            Aggregate::CountDistinct(path) => ("COUNT", path.as_ref(), true),
            Aggregate::Of(name, path) => (*name, Some(path), false),
            Aggregate::Percentile(_, path) => ("APPROX_QUANTILES", Some(path), false),
        };
        let mut args = match path {
            Some(path) => vec![self.measured(name, path, span)?],
            None if distinct => vec![self.top_level("timestamp", span)?],
            None => Vec::new(),
        };
        let Aggregate::Percentile(percent, _) = aggregate else {
            return self.builder.aggregate(name, args, distinct, span);
        };
        args.push(int64(100, span));
        let quantiles = self.builder.aggregate(name, args, false, span)?;
        let ty = quantiles.ty.element().cloned().ok_or(Refused)?;
        let kind = ExprKind::Subscript {
            base: Box::new(quantiles),
            index: Box::new(int64(i64::from(*percent), span)),
            mode: SubscriptMode::Offset,
        };
        Ok(Expr::new(kind, ty, span))
    }

    /// Returns the value that an aggregate function is computed of.
    fn measured(&mut self, function: &str, path: &Path, span: Span) -> Built<Expr> {
        let value = self.path(path)?;
        if !matches!(function, "AVG" | "SUM") || value.ty.is_numeric() {
            return Ok(value);
        }
        let name = function.to_ascii_lowercase();
        let message = format!("{name} needs a number; `{path}` is of type {:#}", value.ty);
        let diagnostic = Diagnostic::new(Code::NoMatchingSignature, span, message);
        Err(self
            .builder
            .refuse(diagnostic.help("text has min, max, count and countd")))
    }

    fn filter(&mut self, filter: &Filter) -> Built<Expr> {
        let each = |this: &mut Self, filters: &[Filter]| {
            let filters: Vec<Built<Expr>> = filters.iter().map(|f| this.filter(f)).collect();
            filters.into_iter().collect::<Built<Vec<Expr>>>()
        };
        match filter {
            Filter::All(filters) => several(each(self, filters)?, ExprKind::And).ok_or(Refused),
            Filter::Any(filters) => several(each(self, filters)?, ExprKind::Or).ok_or(Refused),
            Filter::Test(test) => self.test(test).map(|tested| tested.condition),
            Filter::Not(filter) => match filter.as_ref() {
                Filter::Test(test) => self.test(test).map(Tested::negated),
                other => {
                    let condition = self.filter(other)?;
                    let span = condition.span;
                    let kind = ExprKind::IsBool {
                        operand: Box::new(condition),
                        value: true,
                        negated: true,
                    };
                    Ok(truth(kind, span))
                }
            },
        }
    }

    fn test(&mut self, test: &Test) -> Built<Tested> {
        let span = test.span;
        match &test.kind {
            TestKind::Contains(text) => {
                let column = self.top_level("event_message", span)?;
                let text = constant(Value::string(text), Type::String, span);
                let position = self
                    .builder
                    .call("STRPOS", vec![column.clone(), text], span)?;
                let condition =
                    self.builder
                        .compare(BinaryOp::Greater, position, int64(0, span), span)?;
                Ok(Tested { column, condition })
            }
            TestKind::Matches(pattern) => {
                let column = self.top_level("event_message", span)?;
                let condition = self.matches(column.clone(), pattern, span)?;
                Ok(Tested { column, condition })
            }
            TestKind::Field(path, test) => {
                let column = self.path(path)?;
                let condition = self.field(&path.to_string(), column.clone(), test, span)?;
                Ok(Tested { column, condition })
            }
            TestKind::Time(test) => {
                let column = self.top_level("timestamp", span)?;
                let condition = self.time(column.clone(), *test, span)?;
                Ok(Tested { column, condition })
            }
        }
    }

    fn field(&mut self, name: &str, column: Expr, test: &FieldTest, span: Span) -> Built<Expr> {
        let values = |this: &mut Self, ty: &Type, scalars: &[&Scalar]| {
            let values = scalars.iter().map(|scalar| {
                let value = value::of(scalar, ty, name, span);
                value.map_err(|diagnostic| this.builder.refuse(*diagnostic))
            });
            values.collect::<Built<Vec<Expr>>>()
        };
        let ty = column.ty.clone();
        match test {
            FieldTest::IsNull => Ok(truth(
                ExprKind::IsNull {
                    operand: Box::new(column),
                    negated: false,
                },
                span,
            )),
            FieldTest::Compare(op, scalar) => {
                let value = values(self, &ty, &[scalar])?.pop().ok_or(Refused)?;
                self.builder.compare(*op, column, value, span)
            }
            FieldTest::Between(low, high) => {
                let mut values = values(self, &ty, &[low, high])?;
                let (high, low) = (values.pop().ok_or(Refused)?, values.pop().ok_or(Refused)?);
                self.builder.between(column, low, high, span)
            }
            FieldTest::Levels(levels) => {
                let level = |text: &&str| Scalar {
                    text: (*text).to_owned(),
                    kind: ScalarKind::Text,
                    span,
                };
                let levels: Vec<Scalar> = levels.iter().map(level).collect();
                let values = values(self, &ty, &levels.iter().collect::<Vec<_>>())?;
                self.builder.one_of(column, values, span)
            }
            FieldTest::Matches(pattern) => self.matches(column, pattern, span),
            FieldTest::Has(scalar) => {
                let element = self.element(name, &column, span)?;
                let value = values(self, &element, &[scalar])?.pop().ok_or(Refused)?;
                self.builder.in_array(value, column, span)
            }
            FieldTest::HasMatch(pattern) => {
                self.element(name, &column, span)?;
                let (element, array) = self.builder.element(column)?;
                let condition = self.matches(element, pattern, span)?;
                Ok(self.builder.exists(array, condition, span))
            }
        }
    }

    /// Returns the type of an array's elements.
    fn element(&mut self, name: &str, column: &Expr, span: Span) -> Built<Type> {
        column.ty.element().cloned().ok_or_else(|| {
            self.builder.refuse(
                Diagnostic::new(
                    Code::TypeMismatch,
                    span,
                    format!("`{name}` is no array, but of type {:#}", column.ty),
                )
                .help(format!("compare it as a whole: {name}:value")),
            )
        })
    }

    fn matches(&mut self, text: Expr, pattern: &Pattern, span: Span) -> Built<Expr> {
        if text.ty != Type::String {
            let help = match text.ty {
                Type::Array(_) => "to test the elements of an array, write :@>~",
                _ => "compare the value with : :> :>= :< :<=",
            };
            return Err(self.builder.refuse(
                Diagnostic::new(
                    Code::TypeMismatch,
                    span,
                    format!("a regular expression needs a STRING, found {:#}", text.ty),
                )
                .help(help),
            ));
        }
        let pattern = constant(Value::string(&pattern.text), Type::String, pattern.span);
        self.builder
            .call("REGEXP_CONTAINS", vec![text, pattern], span)
    }

    fn time(&mut self, column: Expr, test: TimeTest, span: Span) -> Built<Expr> {
        let at = |micros: i64| constant(Value::Timestamp(micros), Type::Timestamp, span);
        match time::bounds(test, self.now) {
            Bounds::Compare(op, micros) => self.builder.compare(op, column, at(micros), span),
            Bounds::Through(from, to) => self.builder.between(column, at(from), at(to), span),
            Bounds::Before(from, to) => {
                let from = self.builder.compare(
                    BinaryOp::GreaterOrEqual,
                    column.clone(),
                    at(from),
                    span,
                )?;
                let to = self.builder.compare(BinaryOp::Less, column, at(to), span)?;
                Ok(truth(ExprKind::And(vec![from, to]), span))
            }
        }
    }

    /// Returns the value of a column of the sub-table, whose name must be spelt like this.
    fn top_level(&mut self, name: &str, span: Span) -> Built<Expr> {
        let mut columns = self.columns.iter();
        if let Some((_, value)) = columns.find(|(column, _)| column.name.as_str() == name) {
            let mut value = value.clone();
            value.span = span;
            return Ok(value);
        }
        let names: Vec<String> = self
            .columns
            .iter()
            .map(|(c, _)| c.name.to_string())
            .collect();
        let message = format!("`{}` has no column `{name}`", self.subtable.name);
        Err(self.builder.unknown(name, &names, message, span))
    }

    /// Returns the value at the end of a path. Every repeated record on the way is joined once.
    fn path(&mut self, path: &Path) -> Built<Expr> {
        let Some((first, rest)) = path.0.split_first() else {
            return Err(Refused);
        };
        let mut value = self.top_level(&first.text, first.span)?;
        let mut walked = vec![first.text.clone()];
        for name in rest {
            value = self.record(&walked, value)?;
            value = self.builder.field(value, &name.text, name.span)?;
            walked.push(name.text.clone());
        }
        value.span = path.span();
        Ok(value)
    }

    /// Returns the element of a repeated record, which is joined when it is not yet. Any other value stays.
    fn record(&mut self, path: &[String], value: Expr) -> Built<Expr> {
        let Some(element) = value.ty.element().filter(|e| e.fields().is_some()).cloned() else {
            return Ok(value);
        };
        if let Some(record) = self.records.iter().find(|record| record.path == path) {
            return Ok(record.element.clone());
        }
        let alias = self.free_alias(path.last().map_or("record", String::as_str));
        let (right, element) = self.builder.unnest(value, element, &alias);
        self.from = Some(From::Join(Box::new(Join {
            kind: JoinKind::Left,
            left: self.from.take().ok_or(Refused)?,
            right,
            on: None,
        })));
        self.records.push(Record {
            path: path.to_vec(),
            alias,
            element: element.clone(),
        });
        Ok(element)
    }

    /// Returns an alias like this one that nothing in FROM has.
    fn free_alias(&self, wanted: &str) -> String {
        let taken = |alias: &str| {
            let mut aliases = self.records.iter().map(|record| record.alias.as_str());
            alias.eq_ignore_ascii_case(TABLE) || aliases.any(|a| a.eq_ignore_ascii_case(alias))
        };
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let mut candidates = std::iter::once(wanted.to_owned()).chain(numbered);
        candidates.find(|alias| !taken(alias)).unwrap_or_default()
    }
}

/// A condition with the column that it is about.
struct Tested {
    column: Expr,
    condition: Expr,
}

impl Tested {
    /// Returns the condition that this one is not true: also where there is no value.
    fn negated(self) -> Expr {
        let span = self.condition.span;
        match self.condition.kind {
            ExprKind::IsNull { operand, negated } => {
                let negated = !negated;
                truth(ExprKind::IsNull { operand, negated }, span)
            }
            // Never NULL.
            ExprKind::Subquery { .. } => negation(self.condition, span),
            // An array with a NULL in it can make this NULL.
            ExprKind::InUnnest { .. } => truth(
                ExprKind::IsBool {
                    operand: Box::new(self.condition),
                    value: true,
                    negated: true,
                },
                span,
            ),
            _ => {
                let missing = ExprKind::IsNull {
                    operand: Box::new(self.column),
                    negated: false,
                };
                let not = negation(self.condition, span);
                truth(ExprKind::Or(vec![truth(missing, span), not]), span)
            }
        }
    }
}

/// Joins conditions by AND or OR.
fn several(mut conditions: Vec<Expr>, kind: fn(Vec<Expr>) -> ExprKind) -> Option<Expr> {
    if conditions.len() < 2 {
        return conditions.pop();
    }
    let span = conditions.iter().map(|c| c.span).reduce(Span::to)?;
    Some(truth(kind(conditions), span))
}
