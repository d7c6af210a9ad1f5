//! The query compiler: text in GoogleSQL or LQL to one query for one engine.
//!
//! Pure: no IO, no clock, no environment, no async; it knows nothing of HTTP or of how an engine runs.
//! What it needs from the world is an argument. The same input gives the same bytes.

pub mod analyze;
pub mod catalog;
pub mod datafusion;
pub mod datetime;
pub mod diagnostic;
pub mod googlesql;
pub mod invariant;
pub mod ir;
pub mod limits;
pub mod lql;
pub mod parameter;
pub mod re2;
pub mod redaction;
pub mod rewrite;
pub mod strftime;

use std::collections::{BTreeMap, BTreeSet};

use analyze::{Analyzed, Environment, Ids};
use ir::visit::{Visit, walk_expr, walk_from};

pub use analyze::Subtable;
pub use catalog::Catalog;
pub use diagnostic::{Code, Diagnostic, Diagnostics, Position, Span};
pub use limits::Limits;
pub use parameter::{Declaration, Parameters};
pub use redaction::Redaction;

use ir::{
    Column, ColumnName, CteId, CteName, Expr, ExprKind, From, ParameterName, RangeId, Source,
    Statement, StreamName, Table, Type, Value,
};

/// A stored query, analysed once and compiled many times.
#[derive(Clone, Debug)]
pub struct StoredQuery {
    /// Its meaning.
    statement: Statement,
    /// The sub-tables that a caller's query may read, in the order of their declaration.
    visible: Vec<Subtable>,
    /// The declared parameters; the query uses each of them and no other.
    parameters: Vec<Declaration>,
    /// The ids that a caller's query may use.
    ids: Ids,
}

/// A query of the caller over the sub-tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdHoc<'a> {
    /// GoogleSQL.
    Sql(&'a str),
    /// LQL. One without any clause is none.
    Lql(&'a str),
}

impl<'a> AdHoc<'a> {
    /// Returns the language, as callers spell it, and the text.
    #[must_use]
    pub fn parts(self) -> (&'static str, &'a str) {
        match self {
            AdHoc::Sql(text) => ("sql", text),
            AdHoc::Lql(text) => ("lql", text),
        }
    }
}

/// The engine a query is printed for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// BigQuery. A stream without a table is printed under its own name.
    BigQuery {
        /// The physical table of each stream, `project.dataset.table`.
        tables: BTreeMap<StreamName, String>,
    },
    /// The embedded engine. Its tables are named like the streams.
    Embedded,
}

/// Everything about one call that the result depends on.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The caller's query; the stored one alone when absent.
    pub ad_hoc: Option<AdHoc<'a>>,
    /// The values of the declared parameters, each of its declared type.
    pub parameters: &'a Parameters,
    /// The instant of the request, microseconds since the Unix epoch.
    pub now: i64,
    /// The result has at most this many rows; one more is asked for, so that truncation can be told.
    pub max_rows: u64,
    /// How personal data is redacted; not at all when absent. Two calls that differ in it have different
    /// results.
    pub redaction: Option<&'a Redaction>,
    /// The engine.
    pub target: &'a Target,
    /// Limits on the caller's text and on the result.
    pub limits: &'a Limits,
}

/// A query ready for its engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// The text in the engine's dialect, one line.
    pub sql: String,
    /// The values it is bound to: `@name` for BigQuery, `$name` for the embedded engine.
    pub parameters: Vec<BoundParameter>,
    /// The columns of the result, in order.
    pub columns: Vec<Column>,
    /// The streams it reads, in the order of their names.
    pub reads: Vec<StreamName>,
    /// The sub-tables that the caller's query stands on, the first CTEs of the text; none without one. The
    /// engine may evaluate nothing of the caller's on rows outside of them.
    pub subtables: Vec<CteName>,
    /// More rows than this are cut off and reported as truncation.
    pub max_rows: u64,
}

/// A parameter with the value it is bound to.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundParameter {
    /// Its name.
    pub name: ParameterName,
    /// Its type.
    pub ty: Type,
    /// Its value.
    pub value: Value,
}

/// Receives what a query is after each stage: the stage's name and a text.
pub type Trace<'a> = &'a mut dyn FnMut(&str, &str);

/// Analyses a stored query against the streams it may read and the parameters it declares.
///
/// `subtables` publishes only these CTEs; all of them when absent.
///
/// # Errors
/// Every reason to refuse the text, with places in it.
pub fn prepare(
    sql: &str,
    catalog: &Catalog,
    parameters: &[Declaration],
    subtables: Option<&[String]>,
    limits: &Limits,
) -> Result<StoredQuery, Diagnostics> {
    let query = googlesql::parse::parse(sql, limits)?;
    let analyzed = analyze::analyze(
        &query,
        &Environment {
            catalog: Some(catalog),
            parameters,
            subtables: &[],
            ids: Ids::default(),
            limits,
        },
    )?;
    let Analyzed {
        statement,
        top_level,
        ids,
    } = analyzed;
    let visible = published(&statement, &top_level, subtables)?;
    Ok(StoredQuery {
        statement,
        visible,
        parameters: parameters.to_vec(),
        ids,
    })
}

/// Compiles one call of a stored query: the whole pipeline.
///
/// # Errors
/// Every reason to refuse the caller's query, with places in its text.
pub fn compile(
    stored: &StoredQuery,
    call: &Call<'_>,
    trace: Option<Trace<'_>>,
) -> Result<Compiled, Diagnostics> {
    let mut trace = Tracer { trace, call };
    let rewritten = rewritten(stored, call, &mut trace)?;
    printed(stored, call, rewritten, &mut trace)
}

/// What a call means.
struct Rewritten {
    statement: Statement,
    /// The sub-tables that the caller's query stands on.
    subtables: Vec<CteName>,
    /// The ids that are free after it.
    ids: Ids,
}

/// Returns what a call means, ready to be printed.
fn rewritten(
    stored: &StoredQuery,
    call: &Call<'_>,
    trace: &mut Tracer<'_, '_>,
) -> Result<Rewritten, Diagnostics> {
    let embedded = *call.target == Target::Embedded;

    let ad_hoc = stored.ad_hoc(call)?;
    let of_caller = ad_hoc.is_some();
    let mut ids = stored.ids;
    let statement = match ad_hoc {
        Some(ad_hoc) => {
            trace.stage("analyze", &ad_hoc.statement);
            ids = ad_hoc.ids;
            rewrite::graft::graft(&stored.statement, ad_hoc.statement)
        }
        None => stored.statement.clone(),
    };
    trace.stage("graft", &statement);
    let statement = rewrite::order::order(statement);
    trace.stage("order", &statement);
    let statement = match call.redaction {
        None => statement,
        Some(redaction) if of_caller => {
            rewrite::redact::redact_caller(statement, &stored.statement, redaction)
        }
        Some(redaction) => rewrite::redact::redact_outputs(statement, &mut ids, redaction),
    };
    trace.stage("redact", &statement);
    let now = embedded.then_some(call.now);
    let statement = rewrite::specialize::specialize(statement, call.parameters, now);
    trace.stage("specialize", &statement);
    let statement = rewrite::limit::limit(statement, call.max_rows);
    trace.stage("limit", &statement);
    let statement = rewrite::late::late(statement, &mut ids);
    trace.stage("late", &statement);
    let statement = rewrite::prune::prune(statement);
    trace.stage("prune", &statement);
    let subtables = if of_caller {
        stored.names(&statement)
    } else {
        Vec::new()
    };
    Ok(Rewritten {
        statement,
        subtables,
        ids,
    })
}

/// Prints what a call means for its engine.
fn printed(
    stored: &StoredQuery,
    call: &Call<'_>,
    rewritten: Rewritten,
    trace: &mut Tracer<'_, '_>,
) -> Result<Compiled, Diagnostics> {
    let Rewritten {
        statement,
        subtables,
        mut ids,
    } = rewritten;
    let used = Used::of(&statement);
    trace.reads(&statement);
    let columns = statement.query.columns();
    let mut parameters = stored.bound(&used.parameters, call.parameters);
    let sql = match call.target {
        Target::BigQuery { tables } => {
            let declared = stored.parameters();
            let (statement, patterns) = rewrite::rebuild::rebuild(statement, &mut ids, declared);
            trace.stage("rebuild", &statement);
            parameters.extend(patterns);
            googlesql::print::print(&statement, tables)
        }
        Target::Embedded => {
            let statement = rewrite::layout::layout(statement);
            trace.stage("layout", &statement);
            datafusion::print(&statement, call.limits.output_bytes)
                .map_err(|diagnostic| Diagnostics(vec![*diagnostic]))?
        }
    };
    trace.text("print", &sql);
    if sql.len() > call.limits.output_bytes {
        return Err(output_too_long(sql.len(), call.limits.output_bytes).into());
    }
    Ok(Compiled {
        sql,
        parameters,
        columns,
        reads: used.streams.into_iter().collect(),
        subtables,
        max_rows: call.max_rows,
    })
}

fn output_too_long(bytes: usize, most: usize) -> Diagnostic {
    let what =
        format!("the compiled query has {bytes} bytes, the limit is {most} (limits.output_bytes)");
    Diagnostic::general(Code::OutputTooLong, what)
}

/// Returns the query of a call in LQL as SQL that a person would write; nothing for a call without one.
///
/// # Errors
/// Every reason to refuse the caller's query, with places in its text.
pub fn explain(stored: &StoredQuery, call: &Call<'_>) -> Result<Option<String>, Diagnostics> {
    match call.ad_hoc {
        Some(AdHoc::Lql(_)) => Ok(stored
            .ad_hoc(call)?
            .and_then(|query| lql::explain::explain(&query.statement, &stored.visible))),
        Some(AdHoc::Sql(_)) | None => Ok(None),
    }
}

/// Returns the sub-tables that a caller may read.
fn published(
    statement: &Statement,
    top_level: &[CteId],
    names: Option<&[String]>,
) -> Result<Vec<Subtable>, Diagnostics> {
    let all = top_level.iter().filter_map(|id| statement.cte(*id));
    let mut all = all.map(|cte| Subtable {
        name: cte.name.clone(),
        id: cte.id,
        columns: cte.query.columns(),
    });
    let Some(names) = names else {
        return Ok(all.collect());
    };
    let all: Vec<Subtable> = all.by_ref().collect();
    let mut visible = Vec::with_capacity(names.len());
    for name in names {
        match all.iter().find(|subtable| subtable.name.matches(name)) {
            Some(subtable) => visible.push(subtable.clone()),
            None => {
                return Err(Diagnostic::general(
                    Code::UnknownTable,
                    format!("`subtables` names `{name}`, which the query does not declare"),
                )
                .into());
            }
        }
    }
    Ok(visible)
}

/// The parameters and streams that a statement uses.
#[derive(Default)]
struct Used {
    parameters: BTreeSet<ParameterName>,
    streams: BTreeSet<StreamName>,
}

impl Used {
    fn of(statement: &Statement) -> Self {
        let mut used = Self::default();
        for cte in &statement.ctes {
            used.query(&cte.query);
        }
        used.query(&statement.query);
        used
    }
}

impl Visit for Used {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Parameter(name) = &expr.kind {
            self.parameters.insert(name.clone());
        }
        walk_expr(self, expr);
    }

    fn from(&mut self, from: &From) {
        if let From::Table(table) = from
            && let Source::Stream(stream) = &table.source
        {
            self.streams.insert(stream.clone());
        }
        walk_from(self, from);
    }
}

/// The columns of streams that a statement reads.
#[derive(Default)]
struct Reads {
    /// The FROM items that are streams.
    tables: BTreeMap<RangeId, Table>,
    columns: BTreeMap<StreamName, BTreeSet<ColumnName>>,
}

impl Reads {
    /// Returns a line for each stream: its name and the columns of it that are read.
    fn describe(statement: &Statement) -> String {
        let mut reads = Self::default();
        for cte in &statement.ctes {
            reads.query(&cte.query);
        }
        reads.query(&statement.query);
        let streams = reads.columns.iter().map(|(stream, columns)| {
            let columns: Vec<&str> = columns.iter().map(ColumnName::as_str).collect();
            format!("{stream}: {}", columns.join(", "))
        });
        streams.collect::<Vec<_>>().join("\n")
    }

    /// Notes that a column of a FROM item is read; all columns when none is named.
    fn column(&mut self, range: RangeId, column: Option<&ColumnName>) {
        let Some(table) = self.tables.get(&range) else {
            return;
        };
        let Source::Stream(stream) = &table.source else {
            return;
        };
        let names = table.columns.iter().map(|column| &column.name);
        let read = names.filter(|name| column.is_none_or(|column| column == *name));
        let columns = self.columns.entry(stream.clone()).or_default();
        columns.extend(read.cloned());
    }
}

impl Visit for Reads {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Column { range, column } => self.column(*range, Some(column)),
            ExprKind::Row(range) => self.column(*range, None),
            _ => {}
        }
        walk_expr(self, expr);
    }

    fn from(&mut self, from: &From) {
        if let From::Table(table) = from
            && let Source::Stream(stream) = &table.source
        {
            self.columns.entry(stream.clone()).or_default();
            self.tables.insert(table.range, table.clone());
        }
        walk_from(self, from);
    }
}

/// Shows a query after each stage to whoever asked for it.
struct Tracer<'t, 'c> {
    trace: Option<Trace<'t>>,
    call: &'c Call<'c>,
}

impl Tracer<'_, '_> {
    fn stage(&mut self, name: &str, statement: &Statement) {
        if let Some(trace) = &mut self.trace {
            let tables = match self.call.target {
                Target::BigQuery { tables } => tables,
                Target::Embedded => &BTreeMap::new(),
            };
            trace(name, &googlesql::print::print(statement, tables));
        }
    }

    fn reads(&mut self, statement: &Statement) {
        if let Some(trace) = &mut self.trace {
            trace("reads", &Reads::describe(statement));
        }
    }

    fn text(&mut self, name: &str, text: &str) {
        if let Some(trace) = &mut self.trace {
            trace(name, text);
        }
    }
}

impl StoredQuery {
    /// Analyses the caller's query, if there is one.
    fn ad_hoc(&self, call: &Call<'_>) -> Result<Option<Analyzed>, Diagnostics> {
        let environment = self.environment(call.limits);
        match call.ad_hoc {
            None => Ok(None),
            Some(AdHoc::Sql(sql)) => {
                let query = googlesql::parse::parse(sql, call.limits)?;
                analyze::analyze(&query, &environment).map(Some)
            }
            Some(AdHoc::Lql(text)) => lql::analyze(text, &environment, call.now),
        }
    }

    /// Returns what a caller's query may name: the published sub-tables and nothing else.
    fn environment<'a>(&'a self, limits: &'a Limits) -> Environment<'a> {
        Environment {
            catalog: None,
            parameters: &[],
            subtables: &self.visible,
            ids: self.ids,
            limits,
        }
    }

    /// Returns the names of the CTEs of a statement that are this query's own.
    fn names(&self, statement: &Statement) -> Vec<CteName> {
        let ctes = statement.ctes.iter();
        ctes.filter(|cte| self.statement.cte(cte.id).is_some())
            .map(|cte| cte.name.clone())
            .collect()
    }

    /// Returns the values of the parameters that a compiled query still uses.
    fn bound(&self, used: &BTreeSet<ParameterName>, values: &Parameters) -> Vec<BoundParameter> {
        self.parameters
            .iter()
            .filter(|declaration| used.contains(&declaration.name))
            .map(|declaration| BoundParameter {
                name: declaration.name.clone(),
                ty: declaration.ty.clone(),
                value: values
                    .get(&declaration.name)
                    .cloned()
                    .unwrap_or(Value::Null),
            })
            .collect()
    }

    /// Returns the published sub-tables in the order of their declaration.
    #[must_use]
    pub fn subtables(&self) -> &[Subtable] {
        &self.visible
    }

    /// Returns the streams that the stored query reads, in the order of their names.
    #[must_use]
    pub fn reads(&self) -> Vec<StreamName> {
        Used::of(&self.statement).streams.into_iter().collect()
    }

    /// Returns the columns of the stored query's own result.
    #[must_use]
    pub fn columns(&self) -> Vec<Column> {
        self.statement.query.columns()
    }

    /// Returns the declared parameters.
    #[must_use]
    pub fn parameters(&self) -> &[Declaration] {
        &self.parameters
    }
}
