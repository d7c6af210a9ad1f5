//! Passes from query to query.
//!
//! Each is one file with one function; none calls another, and none knows a dialect's text. The order
//! is that of `compile`: graft, order, redact, specialize, limit, late, prune, and last what one engine needs:
//! layout for the embedded engine, rebuild for BigQuery.

pub mod graft;
pub mod late;
pub mod layout;
pub mod limit;
pub mod order;
pub mod prune;
pub mod rebuild;
pub mod redact;
pub mod specialize;
