//! Where queries run. A warehouse takes a [`Compiled`] query and gives rows; it knows nothing of
//! endpoints, tokens or HTTP.

pub mod bigquery;
#[cfg(feature = "embedded")]
pub mod embedded;

use std::time::Instant;

use async_trait::async_trait;

use crate::compiler::ir::Column;
use crate::compiler::{Compiled, Target};

/// The rows of a result, ready to be written in any format.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// The columns in select order.
    pub columns: Vec<Column>,
    /// The rows; each has one value for each column, in the encoding of the HTTP contract: INT64 and
    /// FLOAT64 as numbers (`"NaN"`, `"Infinity"`, `"-Infinity"` as text), decimals as text, TIMESTAMP
    /// as integer microseconds since the Unix epoch, DATE, TIME and DATETIME as ISO text, BYTES as
    /// base64, JSON as JSON, STRUCT as an object, ARRAY as an array.
    pub rows: Vec<Vec<serde_json::Value>>,
    /// Whether rows beyond the query's `max_rows` were cut off.
    pub truncated: bool,
    /// The bytes that the engine bills for; none where it bills nothing or does not tell.
    pub bytes_billed: Option<u64>,
}

/// Under which terms a query runs: until when, on whose account, at what cost at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// When the query is given up.
    pub deadline: Instant,
    /// The name of the endpoint; empty when the query is nobody's call.
    pub endpoint: String,
    /// The name of the caller's token; empty when there is none.
    pub token: String,
    /// What the caller wants the query to be accounted under, as far as the endpoint accepts it.
    pub labels: Vec<(String, String)>,
    /// The most bytes that the query may be billed for; the warehouse's own limit when absent. An engine
    /// that bills nothing does not look at it.
    pub maximum_bytes_billed: Option<u64>,
}

impl Terms {
    /// Returns the terms of a query that is nobody's call.
    #[must_use]
    pub fn until(deadline: Instant) -> Self {
        Self {
            deadline,
            endpoint: String::new(),
            token: String::new(),
            labels: Vec::new(),
            maximum_bytes_billed: None,
        }
    }
}

/// Why a query gave no rows. `Display` is for the operator's log only: it may hold values of the data.
#[derive(Debug, thiserror::Error)]
pub enum WarehouseError {
    /// A value that the query cannot work on: a failed cast, a division by zero, an overflow.
    #[error("evaluation failed: {0}")]
    Evaluation(String),
    /// The query needs more memory than it may have.
    #[error("resources exceeded: {0}")]
    ResourcesExceeded(String),
    /// The query would be billed for more bytes than it may.
    #[error("more than {limit} bytes billed: {detail}")]
    BytesBilledExceeded {
        /// What it may be billed for.
        limit: u64,
        /// What it would be billed for, where the engine tells.
        estimate: Option<u64>,
        /// The engine's words.
        detail: String,
    },
    /// The query ran past its deadline.
    #[error("deadline exceeded")]
    DeadlineExceeded,
    /// The warehouse cannot be reached or is overloaded.
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// The engine would read other tables than the compiler says. The query did not run.
    #[error("refused: {0}")]
    OtherTables(String),
    /// Stored data that cannot be read, or a fault of ours.
    #[error("engine failure: {0}")]
    Failure(String),
}

/// A place where queries run.
#[async_trait]
pub trait Warehouse: Send + Sync {
    /// Returns what queries must be compiled for.
    fn target(&self) -> &Target;

    /// Returns an error while queries cannot run.
    ///
    /// # Errors
    /// Why the warehouse is not ready, for the operator.
    async fn ready(&self) -> Result<(), WarehouseError>;

    /// Runs a query. Dropping the future cancels the query on the engine.
    ///
    /// # Errors
    /// Why there are no rows.
    async fn run(&self, query: &Compiled, terms: Terms) -> Result<Rows, WarehouseError>;

    /// Waits until the engine knows of every query that was cancelled. Called when nobody asks it any more.
    async fn close(&self) {}
}
