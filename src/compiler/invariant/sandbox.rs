//! A caller's query: refused, or it becomes texts that mean what was analysed and read nothing else.

use std::collections::{BTreeMap, BTreeSet};

use super::{Broken, diagnostics, embedded, meaning};
use crate::compiler::ir::visit::{Visit, walk_from};
use crate::compiler::ir::{CteId, From, Query, Source, Statement, StreamName};
use crate::compiler::rewrite::rebuild::rebuild;
use crate::compiler::{
    AdHoc, Call, Catalog, Compiled, Declaration, Limits, Parameters, Redaction, StoredQuery,
    Target, Tracer, Used, compile, printed, rewritten,
};

/// 2026-03-02T12:00:00Z, microseconds since the Unix epoch: the instant of every call.
const NOW: i64 = 1_772_452_800_000_000;

/// A stored query that callers send queries to.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The stored query.
    pub query: &'a StoredQuery,
    /// The streams it was prepared with.
    pub catalog: &'a Catalog,
    /// The values of its parameters.
    pub parameters: &'a Parameters,
}

/// A caller's text is refused with diagnostics that can be shown, or the text for each engine, plain and
/// redacted, means what was analysed and reads no stream but those of the published sub-tables. Says whether
/// it was accepted.
///
/// # Errors
/// What is otherwise.
pub fn sandbox(subject: Subject<'_>, ad_hoc: AdHoc<'_>) -> Result<bool, String> {
    let bigquery = Target::BigQuery {
        tables: BTreeMap::new(),
    };
    let limits = Limits::default();
    let redaction = Redaction::default();
    let call = |target, redaction| Call {
        ad_hoc: Some(ad_hoc),
        parameters: subject.parameters,
        now: NOW,
        max_rows: 1000,
        redaction,
        target,
        limits: &limits,
    };
    let (_, text) = ad_hoc.parts();
    // The analysis knows neither engine nor redaction.
    if let Err(refused) = subject.query.ad_hoc(&call(&bigquery, None)) {
        return diagnostics(text, &refused).map(|()| false);
    }
    let mut accepted = false;
    for target in [&bigquery, &Target::Embedded] {
        for redaction in [None, Some(&redaction)] {
            let call = call(target, redaction);
            accepted |= checked(subject, &call, text).map_err(|broken| {
                let redacted = redaction.is_some();
                format!("{target:?}, redacted: {redacted}: {broken}")
            })?;
        }
    }
    if compile(subject.query, &call(&bigquery, None), None)
        != compile(subject.query, &call(&bigquery, None), None)
    {
        return Err("compiled twice, it is not the same".to_owned());
    }
    Ok(accepted)
}

/// Compiles a call, and checks what it means and what it is printed as. Says whether it was accepted.
fn checked(subject: Subject<'_>, call: &Call<'_>, text: &str) -> Result<bool, String> {
    let mut trace = Tracer { trace: None, call };
    let rewritten = match rewritten(subject.query, call, &mut trace) {
        Ok(rewritten) => rewritten,
        Err(refused) => return diagnostics(text, &refused).map(|()| false),
    };
    let statement = rewritten.statement.clone();
    let mut ids = rewritten.ids;
    let compiled = match printed(subject.query, call, rewritten, &mut trace) {
        Ok(compiled) => compiled,
        Err(refused) => return diagnostics(text, &refused).map(|()| false),
    };
    reads_published(subject.query, &statement, &compiled)?;
    match call.target {
        Target::BigQuery { tables: _ } => {
            let mut parameters = bound(subject.query, &statement);
            // What is printed has redaction in terms of functions.
            let (statement, patterns) = rebuild(statement, &mut ids, subject.query.parameters());
            parameters.extend(patterns.into_iter().map(|pattern| Declaration {
                name: pattern.name,
                ty: pattern.ty,
            }));
            reads_published(subject.query, &statement, &compiled)?;
            let text = meaning::stands_for(&statement, subject.catalog, &parameters)?;
            if text != compiled.sql {
                return Err(format!("{text} was checked, not {}", compiled.sql));
            }
        }
        Target::Embedded => embedded::names_known(&statement, &compiled.sql)?,
    }
    Ok(true)
}

/// The declared parameters that a statement uses.
fn bound(query: &StoredQuery, statement: &Statement) -> Vec<Declaration> {
    let used = Used::of(statement);
    let declared = query.parameters.iter();
    declared
        .filter(|declaration| used.parameters.contains(&declaration.name))
        .cloned()
        .collect()
}

/// The statement reads no stream but through the published sub-tables, and says which.
fn reads_published(query: &StoredQuery, statement: &Statement, compiled: &Compiled) -> Broken {
    let mut allowed = Reads::default();
    for subtable in &query.visible {
        allowed.cte(&query.statement, subtable.id);
    }
    let mut reads = Reads::default();
    for cte in &statement.ctes {
        reads.query(&cte.query);
        let mut own = Reads::default();
        own.query(&cte.query);
        let stored = query.statement.cte(cte.id).is_some();
        if !stored && !own.streams.is_empty() {
            return Err(format!("the caller's {} reads {:?}", cte.name, own.streams));
        }
    }
    let mut main = Reads::default();
    main.query(&statement.query);
    if !main.streams.is_empty() {
        return Err(format!("the caller's query reads {:?}", main.streams));
    }
    if !reads.streams.is_subset(&allowed.streams) {
        return Err(format!(
            "reads {:?} of {:?}",
            reads.streams, allowed.streams
        ));
    }
    let told: BTreeSet<StreamName> = compiled.reads.iter().cloned().collect();
    if told != reads.streams {
        return Err(format!("reads {:?}, says {told:?}", reads.streams));
    }
    Ok(())
}

/// The streams and CTEs that queries read.
#[derive(Default)]
struct Reads {
    streams: BTreeSet<StreamName>,
    ctes: BTreeSet<CteId>,
}

impl Reads {
    /// Adds what a CTE reads, also through others.
    fn cte(&mut self, statement: &Statement, id: CteId) {
        if !self.ctes.insert(id) {
            return;
        }
        let mut own = Reads::default();
        if let Some(cte) = statement.cte(id) {
            own.query(&cte.query);
        }
        self.streams.extend(own.streams);
        for id in own.ctes {
            self.cte(statement, id);
        }
    }

    fn query(&mut self, query: &Query) {
        Visit::query(self, query);
    }
}

impl Visit for Reads {
    fn from(&mut self, from: &From) {
        if let From::Table(table) = from {
            match &table.source {
                Source::Stream(stream) => self.streams.insert(stream.clone()),
                Source::Cte(id) => self.ctes.insert(*id),
            };
        }
        walk_from(self, from);
    }
}
