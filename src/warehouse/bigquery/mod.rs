//! BigQuery over its REST API.
//!
//! [`BigQuery`] runs queries; [`Settings`] is everything it depends on, [`Environment`] the variables that
//! it follows as Google's own clients do, read by whoever opens it. A query is a task of its own: when the
//! future of [`Warehouse::run`] is dropped or its deadline passes, the task cancels the job. Nothing here
//! decides what a query may read, but a text that BigQuery has not seen is dry-run first, and refused when
//! it would read other tables than the compiler says ([`guard`]).

mod auth;
mod client;
mod error;
mod guard;
mod http;
mod job;
mod labels;
mod parameters;
mod rows;
mod schema;
mod settings;
mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use crate::compiler::ir::{Column, StreamName};
use crate::compiler::{Compiled, Target};
use crate::warehouse::{Rows, Terms, Warehouse, WarehouseError};

use client::Client;
use error::Step;
use guard::Guard;
use job::Job;
use wire::{
    DryRunConfiguration, DryRunQuery, DryRunRequest, FormatOptions, JobLocation, QueryParameter,
    QueryRequest, QueryStatistics,
};

pub use schema::Pulled;
pub use settings::{
    Backoff, Credentials, Environment, GOOGLE, MAXIMUM_BYTES_BILLED, OpenError, Proxy, Settings,
};

/// How long what was found out about readiness stands.
const READY_FOR: Duration = Duration::from_secs(10);

/// How long finding it out may take. Whoever asks waits longer than that, and is told the reason.
const READY_TIMEOUT: Duration = Duration::from_secs(3);

/// How long the end waits for queries that are being cancelled.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

/// Queries on BigQuery.
#[derive(Debug)]
pub struct BigQuery {
    client: Arc<Client>,
    settings: Settings,
    target: Target,
    guard: Option<Guard>,
    tasks: TaskTracker,
    /// When it was found out whether queries can run, and the answer.
    readiness: tokio::sync::Mutex<Option<(Instant, Result<(), String>)>>,
}

impl BigQuery {
    /// Returns the warehouse; nothing is sent yet. Needs a tokio runtime.
    ///
    /// # Errors
    /// Settings or files that cannot be used.
    pub fn open(settings: Settings) -> Result<Self, OpenError> {
        Ok(Self {
            client: Arc::new(Client::open(&settings)?),
            target: Target::BigQuery {
                tables: settings.tables.clone(),
            },
            guard: settings.guard.then(Guard::new),
            settings,
            tasks: TaskTracker::new(),
            readiness: tokio::sync::Mutex::new(None),
        })
    }

    /// Returns how many queries are running or being cancelled.
    #[must_use]
    pub fn running(&self) -> usize {
        self.tasks.len()
    }

    /// Dry-runs a query: checks its tables and columns, and returns how many bytes it would read.
    ///
    /// # Errors
    /// BigQuery refuses the query or reads something else than the compiler says.
    pub async fn estimate(
        &self,
        query: &Compiled,
        deadline: Instant,
    ) -> Result<u64, WarehouseError> {
        let parameters = encode(query)?;
        let statistics = self
            .dry_run(query, &parameters, BTreeMap::new(), deadline)
            .await?;
        self.admit_statistics(query, &parameters, &statistics)?;
        statistics
            .total_bytes_processed
            .and_then(|bytes| bytes.parse().ok())
            .ok_or_else(|| WarehouseError::Failure("a dry run without bytes".into()))
    }

    /// Returns the schema of a stream's table as a schema file; `known` is the stream as it is in use.
    ///
    /// # Errors
    /// The stream has no table, or a view in its place, or it cannot be looked at.
    pub async fn pull(
        &self,
        stream: &StreamName,
        known: &[Column],
        deadline: Instant,
    ) -> Result<Pulled, WarehouseError> {
        let (name, table) = self.table(stream, deadline).await?;
        match view(name, &table) {
            Some(message) => Err(WarehouseError::Failure(message)),
            None => Ok(schema::pull(&table.schema.fields, known)),
        }
    }

    /// Returns in which ways the table of a stream is not what the schema in use says.
    ///
    /// # Errors
    /// The stream has no table, or it cannot be looked at.
    pub async fn differences(
        &self,
        stream: &StreamName,
        known: &[Column],
        deadline: Instant,
    ) -> Result<Vec<String>, WarehouseError> {
        let (name, table) = self.table(stream, deadline).await?;
        let mut differences = schema::differences(&table.schema.fields, known);
        differences.extend(view(name, &table));
        Ok(differences)
    }

    async fn table(
        &self,
        stream: &StreamName,
        deadline: Instant,
    ) -> Result<(&str, wire::Table), WarehouseError> {
        let table = self.settings.tables.get(stream).ok_or_else(|| {
            WarehouseError::Failure(format!("the stream {stream} has no `table`"))
        })?;
        match self.client.table(table, deadline).await {
            Ok(found) => Ok((table, found)),
            Err(error) => Err(error.for_query(Step::DryRun, 0)),
        }
    }

    /// Lets a query pass whose text was found to be right before, or is found to be so now.
    async fn admit(
        &self,
        guard: &Guard,
        query: &Compiled,
        parameters: &[QueryParameter],
        labels: BTreeMap<String, String>,
        deadline: Instant,
    ) -> Result<(), WarehouseError> {
        if guard.knows(&guard::shape(&query.sql, parameters)) {
            return Ok(());
        }
        let statistics = self.dry_run(query, parameters, labels, deadline).await?;
        self.admit_statistics(query, parameters, &statistics)
    }

    /// Compares what a dry run tells with what the compiler says, where there is a guard.
    fn admit_statistics(
        &self,
        query: &Compiled,
        parameters: &[QueryParameter],
        statistics: &QueryStatistics,
    ) -> Result<(), WarehouseError> {
        let Some(guard) = &self.guard else {
            return Ok(());
        };
        let expected = self.tables(query)?;
        guard::compare(&expected, &statistics.referenced_tables)
            .map_err(WarehouseError::OtherTables)?;
        if let Some(schema) = &statistics.schema {
            rows::check_schema(&query.columns, schema)
                .map_err(|error| WarehouseError::Failure(format!("dry run: {error}")))?;
        }
        guard.remember(guard::shape(&query.sql, parameters));
        Ok(())
    }

    /// Returns the tables that the compiler says a query reads.
    fn tables(&self, query: &Compiled) -> Result<BTreeSet<String>, WarehouseError> {
        let table = |stream: &StreamName| {
            self.settings.tables.get(stream).cloned().ok_or_else(|| {
                WarehouseError::Failure(format!("the stream {stream} has no `table`"))
            })
        };
        query.reads.iter().map(table).collect()
    }

    async fn dry_run(
        &self,
        query: &Compiled,
        parameters: &[QueryParameter],
        labels: BTreeMap<String, String>,
        deadline: Instant,
    ) -> Result<QueryStatistics, WarehouseError> {
        let request = DryRunRequest {
            job_reference: JobLocation {
                project_id: self.client.project().to_owned(),
                location: self.client.location().map(str::to_owned),
            },
            configuration: DryRunConfiguration {
                dry_run: true,
                labels,
                query: DryRunQuery {
                    query: query.sql.clone(),
                    use_legacy_sql: false,
                    parameter_mode: "NAMED",
                    query_parameters: parameters.to_vec(),
                },
            },
        };
        let job = self
            .client
            .dry_run(&request, deadline)
            .await
            .map_err(|error| error.for_query(Step::DryRun, self.settings.maximum_bytes_billed))?;
        let total = job.statistics.total_bytes_processed;
        let statistics = job.statistics.query;
        Ok(QueryStatistics {
            total_bytes_processed: statistics.total_bytes_processed.or(total),
            ..statistics
        })
    }

    fn job(
        &self,
        query: &Compiled,
        parameters: Vec<QueryParameter>,
        labels: BTreeMap<String, String>,
        terms: &Terms,
    ) -> Job {
        let settings = &self.settings;
        let left = terms.deadline.saturating_duration_since(Instant::now());
        let maximum_bytes_billed = terms
            .maximum_bytes_billed
            .unwrap_or(settings.maximum_bytes_billed);
        let rows = u32::try_from(query.max_rows.saturating_add(1)).unwrap_or(u32::MAX);
        let request = QueryRequest {
            query: query.sql.clone(),
            use_legacy_sql: false,
            use_query_cache: true,
            parameter_mode: "NAMED",
            query_parameters: parameters,
            max_results: rows.min(settings.page_rows),
            timeout_ms: milliseconds(settings.first_wait.min(left)),
            job_timeout_ms: milliseconds(left).max(1).to_string(),
            maximum_bytes_billed: maximum_bytes_billed.to_string(),
            labels,
            location: settings.location.clone(),
            // The same for every repetition of the request, so that it is one query.
            request_id: Uuid::new_v4().to_string(),
            format_options: FormatOptions {
                use_int64_timestamp: true,
            },
        };
        Job {
            client: Arc::clone(&self.client),
            request,
            columns: query.columns.clone(),
            max_rows: query.max_rows,
            maximum_bytes_billed,
            poll_wait: settings.poll_wait,
            backoff: settings.backoff,
            deadline: terms.deadline,
        }
    }
}

#[async_trait]
impl Warehouse for BigQuery {
    fn target(&self) -> &Target {
        &self.target
    }

    async fn ready(&self) -> Result<(), WarehouseError> {
        let mut readiness = self.readiness.lock().await;
        let known = readiness
            .as_ref()
            .filter(|(at, _)| at.elapsed() < READY_FOR)
            .map(|(_, answer)| answer.clone());
        let answer = match known {
            Some(answer) => answer,
            None => {
                let answer = self.probe().await.map_err(|error| error.to_string());
                *readiness = Some((Instant::now(), answer.clone()));
                answer
            }
        };
        answer.map_err(WarehouseError::Unavailable)
    }

    async fn run(&self, query: &Compiled, terms: Terms) -> Result<Rows, WarehouseError> {
        let parameters = encode(query)?;
        let labels = labels::labels(&terms);
        let at = tokio::time::Instant::from_std(terms.deadline);
        if let Some(guard) = &self.guard {
            let admitted = self.admit(guard, query, &parameters, labels.clone(), terms.deadline);
            tokio::time::timeout_at(at, admitted)
                .await
                .unwrap_or(Err(WarehouseError::DeadlineExceeded))
                .inspect_err(|error| report(error, query, &terms))?;
        }
        let job = self.job(query, parameters, labels, &terms);
        let left = CancellationToken::new();
        // Cancels when this future is dropped, and after the end, when there is nothing to cancel.
        let _cancel = left.clone().drop_guard();
        let task = self.tasks.spawn(job.run(left));
        match tokio::time::timeout_at(at, task).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(error)) => Err(WarehouseError::Failure(format!("query task: {error}"))),
            Err(_) => Err(WarehouseError::DeadlineExceeded),
        }
    }

    async fn close(&self) {
        self.tasks.close();
        let ended = tokio::time::timeout(CLOSE_TIMEOUT, self.tasks.wait()).await;
        if ended.is_err() {
            tracing::warn!(
                queries = self.tasks.len(),
                "not every query could be cancelled"
            );
        }
    }
}

impl BigQuery {
    /// Asks BigQuery for the least: credentials, project and network are right when it answers.
    async fn probe(&self) -> Result<(), WarehouseError> {
        let nothing = Compiled {
            sql: "SELECT 1".into(),
            parameters: Vec::new(),
            columns: Vec::new(),
            reads: Vec::new(),
            subtables: Vec::new(),
            max_rows: 1,
        };
        let deadline = Instant::now() + READY_TIMEOUT;
        self.dry_run(&nothing, &[], BTreeMap::new(), deadline)
            .await
            .map(|_| ())
    }
}

/// Returns why what is called a table cannot be a stream, if it is a view.
fn view(name: &str, table: &wire::Table) -> Option<String> {
    let kind = table.kind.as_deref()?;
    matches!(kind, "VIEW" | "MATERIALIZED_VIEW").then(|| {
        format!(
            "{name} is a {kind}: BigQuery tells the tables behind it, so that every query over it is \
             refused; a stream must be a table"
        )
    })
}

/// Tells the operator of a query that the guard refused.
fn report(error: &WarehouseError, query: &Compiled, terms: &Terms) {
    let WarehouseError::OtherTables(difference) = error else {
        return;
    };
    tracing::error!(
        target: "security",
        endpoint = terms.endpoint,
        token = terms.token,
        difference,
        "a query would have read other tables than the compiler says, and was refused"
    );
    tracing::debug!(target: "security", sql = query.sql, "the refused query");
}

fn encode(query: &Compiled) -> Result<Vec<QueryParameter>, WarehouseError> {
    parameters::encode(&query.parameters).map_err(WarehouseError::Failure)
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
