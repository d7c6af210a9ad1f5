//! One query from its request to its rows: started once, waited for, read page by page, and cancelled when
//! nobody wants it any more.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::client::{Client, Until};
use super::error::{CallError, Refusal, Step};
use super::rows::{self, Mismatch};
use super::settings::Backoff;
use super::wire::{JobReference, QueryRequest, QueryResponse};
use crate::compiler::ir::Column;
use crate::warehouse::{Rows, WarehouseError};

/// How much longer than the deadline the first answer is waited for: it names the job that is to be
/// cancelled.
const GRACE: Duration = Duration::from_secs(10);

/// How long cancelling may take.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(10);

/// How long asking for the bytes billed may take.
const STATISTICS_TIMEOUT: Duration = Duration::from_secs(2);

/// How often a query is started whose job fails for a reason of BigQuery's own.
const MAX_STARTS: u32 = 3;

/// The longest result, in bytes on the wire.
const MAX_RESULT_BYTES: usize = 256 * 1024 * 1024;

/// A query that is ready to run.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) client: Arc<Client>,
    pub(super) request: QueryRequest,
    pub(super) columns: Vec<Column>,
    pub(super) max_rows: u64,
    pub(super) maximum_bytes_billed: u64,
    pub(super) poll_wait: Duration,
    pub(super) backoff: Backoff,
    pub(super) deadline: Instant,
}

/// Why there are no rows.
#[derive(Debug, thiserror::Error)]
enum JobError {
    #[error(transparent)]
    Call(#[from] CallError),
    /// An answer that contradicts the request or another answer.
    #[error("{0}")]
    Contradiction(String),
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    #[error("a result of more than {MAX_RESULT_BYTES} bytes")]
    TooLarge,
}

impl Job {
    /// Runs the query to its rows. When `left` is cancelled or the deadline passes, the job is cancelled.
    ///
    /// A job whose first answer does not arrive until then cannot be named; it ends by its `jobTimeoutMs`.
    pub(super) async fn run(mut self, left: CancellationToken) -> Result<Rows, WarehouseError> {
        let mut starts = 1;
        let outcome = loop {
            let outcome = self.attempt(&left).await;
            let may_start_anew = matches!(&outcome, Err(JobError::Call(CallError::Refused(refusal)))
                if refusal.is_of_job());
            if !may_start_anew || starts == MAX_STARTS || left.is_cancelled() {
                break outcome;
            }
            tokio::time::sleep(self.backoff.pause(starts)).await;
            starts += 1;
            // Under its old id, the request is the job that failed. That one is not billed.
            self.request.request_id = Uuid::new_v4().to_string();
        };
        outcome.map_err(|error| match error {
            JobError::Call(error) => error.for_query(Step::Run, self.maximum_bytes_billed),
            JobError::TooLarge => WarehouseError::ResourcesExceeded(error.to_string()),
            JobError::Contradiction(_) | JobError::Mismatch(_) => {
                WarehouseError::Failure(error.to_string())
            }
        })
    }

    async fn attempt(&self, left: &CancellationToken) -> Result<Rows, JobError> {
        let until = Until {
            deadline: self.deadline,
            grace: GRACE,
            left: left.clone(),
        };
        let first = self.client.query(&self.request, until).await?;
        let job = first.job_reference.clone().ok_or_else(|| {
            JobError::Contradiction("an answer that does not name its job".to_owned())
        })?;
        let mut ended = false;
        let outcome = tokio::select! {
            biased;
            () = left.cancelled() => Err(CallError::Deadline.into()),
            outcome = self.collect(&job, first, &mut ended) => outcome,
        };
        if !ended {
            self.cancel(&job).await;
        }
        outcome
    }

    /// Waits for the job and reads its pages. `ended` becomes true once there is nothing to cancel.
    async fn collect(
        &self,
        job: &JobReference,
        first: QueryResponse,
        ended: &mut bool,
    ) -> Result<Rows, JobError> {
        let mut page = self.wait(job, first, ended).await?;
        *ended = true;
        let schema = page.schema.take().unwrap_or_default();
        if schema.fields.is_empty()
            && let Some(error) = page.errors.into_iter().next()
        {
            let refusal = Refusal::of_job(error);
            return Err(CallError::Refused(Box::new(refusal)).into());
        }
        rows::check_schema(&self.columns, &schema)?;
        let expected = self.total_rows(page.total_rows.as_deref())?;
        let bytes_billed = billed(page.total_bytes_billed.as_deref(), page.cache_hit);

        let mut result = rows::decode(&self.columns, page.rows)?;
        let mut bytes = page.bytes;
        let mut next = page.page_token;
        let mut seen = BTreeSet::new();
        while let Some(token) = next {
            let page = self.page(job, Some(&token), Duration::ZERO).await?;
            if !seen.insert(token) {
                let message = "a page token that came before".to_owned();
                return Err(JobError::Contradiction(message));
            }
            bytes += page.bytes;
            if bytes > MAX_RESULT_BYTES {
                return Err(JobError::TooLarge);
            }
            result.extend(rows::decode(&self.columns, page.rows)?);
            next = page.page_token;
        }
        if result.len() != expected {
            let message = format!("{} rows arrived of {expected}", result.len());
            return Err(JobError::Contradiction(message));
        }
        let bytes_billed = match bytes_billed {
            Some(bytes) => Some(bytes),
            None => self.ask_billed(job).await,
        };
        let kept = usize::try_from(self.max_rows).unwrap_or(usize::MAX);
        let truncated = result.len() > kept;
        result.truncate(kept);
        Ok(Rows {
            columns: self.columns.clone(),
            rows: result,
            truncated,
            bytes_billed,
        })
    }

    /// Returns the first answer after the end of the job.
    async fn wait(
        &self,
        job: &JobReference,
        first: QueryResponse,
        ended: &mut bool,
    ) -> Result<QueryResponse, JobError> {
        let mut answer = first;
        let mut polls = 0;
        while !answer.job_complete {
            let left = self.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(CallError::Deadline.into());
            }
            let wait = self.poll_wait.min(left);
            let asked = Instant::now();
            let polled = self.page(job, None, wait).await;
            // A job that failed is answered with its failure.
            *ended = matches!(&polled, Err(CallError::Refused(refusal)) if !refusal.may_pass());
            answer = polled?;
            polls += 1;
            // A server that does not wait as it is asked to is not to be asked without end.
            if !answer.job_complete && asked.elapsed() < wait / 2 {
                tokio::time::sleep(self.backoff.pause(polls)).await;
            }
        }
        Ok(answer)
    }

    async fn page(
        &self,
        job: &JobReference,
        token: Option<&str>,
        wait: Duration,
    ) -> Result<QueryResponse, CallError> {
        let rows = self.request.max_results;
        self.client
            .results(job, token, rows, wait, self.deadline)
            .await
    }

    /// Returns how many rows the result has; the query's own LIMIT bounds it.
    fn total_rows(&self, text: Option<&str>) -> Result<usize, JobError> {
        let total = text.and_then(|text| text.parse::<usize>().ok());
        let total = total
            .ok_or_else(|| JobError::Contradiction("a result without number of rows".to_owned()))?;
        if u64::try_from(total).is_ok_and(|total| total <= self.max_rows.saturating_add(1)) {
            return Ok(total);
        }
        let message = format!("{total} rows, where LIMIT allows {} and one", self.max_rows);
        Err(JobError::Contradiction(message))
    }

    /// Asks what a job is billed for. Not to know is no reason to withhold its rows.
    async fn ask_billed(&self, job: &JobReference) -> Option<u64> {
        let deadline = self.deadline.min(Instant::now() + STATISTICS_TIMEOUT);
        match self.client.job(job, deadline).await {
            Ok(job) => job.statistics.query.total_bytes_billed?.parse().ok(),
            Err(error) => {
                tracing::warn!(%error, "asking for the bytes billed failed");
                None
            }
        }
    }

    async fn cancel(&self, job: &JobReference) {
        let deadline = Instant::now() + CANCEL_TIMEOUT;
        match self.client.cancel(job, deadline).await {
            Ok(()) => tracing::info!(job = job.job_id, "query cancelled"),
            Err(error) => tracing::warn!(job = job.job_id, %error, "cancelling a query failed"),
        }
    }
}

/// Returns what an answer says of the bytes billed; a result of the cache costs nothing.
fn billed(text: Option<&str>, cache_hit: Option<bool>) -> Option<u64> {
    if cache_hit == Some(true) {
        return Some(0);
    }
    text?.parse().ok()
}
