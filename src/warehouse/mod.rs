//! Where queries run. A warehouse takes a [`Compiled`] query and gives rows; it knows nothing of
//! endpoints, tokens or HTTP.

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
    /// The query ran past its deadline.
    #[error("deadline exceeded")]
    DeadlineExceeded,
    /// The warehouse cannot be reached or is overloaded.
    #[error("unavailable: {0}")]
    Unavailable(String),
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
    async fn run(&self, query: &Compiled, deadline: Instant) -> Result<Rows, WarehouseError>;
}
