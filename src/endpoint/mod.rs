//! Endpoints: the resource, its parameters, loading a folder.
//!
//! An [`Endpoint`] is a stored query with its settings and parameters; [`Endpoints`] is the set of them
//! together with the schemas of the streams they read. Nothing here runs a query or speaks HTTP: the
//! server hands in what the caller sent as [`Argument`]s and gets typed values back.

mod bind;
mod built_in;
mod definition;
mod folder;
mod instant;
mod parameter;
mod source;
mod value;

use uuid::Uuid;

use crate::compiler::{Diagnostics, StoredQuery};

pub use bind::{Argument, Bound, bind};
pub use folder::{Endpoints, LoadError, LoadErrors};
pub use parameter::{Parameter, UnknownParameters};

/// A stored query that can be called over HTTP.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// Identifies the endpoint for good; usable in the call path.
    pub id: Uuid,
    /// Its name, the stem of its files; usable in the call path instead of the id.
    pub name: String,
    /// What it is for, in the operator's words.
    pub description: String,
    /// A result has at most this many rows.
    pub max_rows: u64,
    /// How long a result may be served again, in seconds; 0 when caching is off.
    pub cache_seconds: u64,
    /// How often cached results are run again ahead of time, in seconds; less than `cache_seconds`.
    pub cache_warming_seconds: Option<u64>,
    /// How long a call may take, in seconds; as long as the server allows when absent.
    pub timeout_seconds: Option<u64>,
    /// Whether callers may send a query of their own over the sub-tables.
    pub sandbox: bool,
    /// Whether personal data in results is redacted.
    pub redact_pii: bool,
    /// The most bytes that a call may be billed for on a warehouse that bills; its own limit when absent.
    pub maximum_bytes_billed: Option<u64>,
    /// The keys of labels that a caller may set, for a warehouse whose bill has them.
    pub labels: Vec<String>,
    /// What happens to names in a call that are no parameter.
    pub unknown_parameters: UnknownParameters,
    /// The parameters, in the order of their declaration.
    pub parameters: Vec<Parameter>,
    /// The stored query, analysed.
    pub query: StoredQuery,
    /// SHA-256 of its files and of the schemas of all streams: another one when any of them is edited.
    pub digest: [u8; 32],
}

impl Endpoint {
    /// Reads the arguments of one call as values of the declared parameters.
    ///
    /// Names are compared exactly. `sql` and `lql` are no parameters: take them out before.
    ///
    /// # Errors
    /// Every argument that is missing, malformed, not allowed, repeated or, where the endpoint says
    /// so, unknown.
    pub fn bind(&self, arguments: &[(String, Argument)]) -> Result<Bound, Diagnostics> {
        bind(&self.parameters, self.unknown_parameters, arguments)
    }
}
