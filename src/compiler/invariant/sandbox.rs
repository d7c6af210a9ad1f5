//! A caller's query: refused, or it becomes texts that mean what was analysed and read nothing else.

use std::collections::{BTreeMap, BTreeSet};

use super::{Broken, diagnostics, embedded, meaning};
use crate::compiler::ir::visit::{Visit, walk_from};
use crate::compiler::ir::{CteId, From, Query, Source, Statement, StreamName};
use crate::compiler::{
    AdHoc, Call, Catalog, Compiled, Limits, Parameters, StoredQuery, Target, Tracer, Used, compile,
    printed, rewritten,
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

/// A caller's text is refused with diagnostics that can be shown, or the text for each engine means what
/// was analysed and reads no stream but those of the published sub-tables. Says whether it was accepted.
///
/// # Errors
/// What is otherwise.
pub fn sandbox_sql(subject: Subject<'_>, text: &str) -> Result<bool, String> {
    let bigquery = Target::BigQuery {
        tables: BTreeMap::new(),
    };
    let limits = Limits::default();
    let call = |target| Call {
        ad_hoc: Some(AdHoc::Sql(text)),
        parameters: subject.parameters,
        now: NOW,
        max_rows: 1000,
        redaction: None,
        target,
        limits: &limits,
    };
    let mut accepted = false;
    for target in [&bigquery, &Target::Embedded] {
        let call = call(target);
        match compile(subject.query, &call, None) {
            Err(refused) => diagnostics(text, &refused)?,
            Ok(compiled) => {
                accepted = true;
                check(subject, &call, &compiled)
                    .map_err(|broken| format!("{target:?}: {broken}"))?;
            }
        }
    }
    Ok(accepted)
}

fn check(subject: Subject<'_>, call: &Call<'_>, compiled: &Compiled) -> Broken {
    let mut trace = Tracer { trace: None, call };
    let rewritten =
        rewritten(subject.query, call, &mut trace).map_err(|why| format!("then refused: {why}"))?;
    reads_published(subject.query, &rewritten.statement, compiled)?;
    match call.target {
        Target::BigQuery { tables: _ } => {
            let parameters = bound(subject.query, &rewritten.statement);
            meaning::stands_for(&rewritten.statement, subject.catalog, &parameters)?;
        }
        Target::Embedded => embedded::names_known(&rewritten.statement, &compiled.sql)?,
    }
    match printed(subject.query, call, rewritten, &mut trace) {
        Ok(again) if again == *compiled => Ok(()),
        again => Err(format!("compiled again: {again:?}, at first {compiled:?}")),
    }
}

/// The declared parameters that a statement uses.
fn bound(query: &StoredQuery, statement: &Statement) -> Vec<crate::compiler::Declaration> {
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
