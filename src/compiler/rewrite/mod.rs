//! Passes from query to query.
//!
//! Each is one file with one function; none calls another, and none knows a dialect's text. The order
//! is that of `compile`: graft, order, specialize, limit, prune, and layout for the embedded engine.

pub mod graft;
pub mod layout;
pub mod limit;
pub mod order;
pub mod prune;
pub mod specialize;
