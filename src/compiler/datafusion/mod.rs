//! IR to DataFusion SQL.
//!
//! The text is for the embedded engine only: its functions are ours with GoogleSQL's meaning wherever
//! the engine's own differ, and every name is quoted. What the engine cannot express is refused with a
//! diagnostic, never printed as something that is nearly the same.

mod aggregate;
mod call;
mod convert;
mod expansion;
mod expr;
mod from;
mod gather;
mod lists;
mod operator;
mod print;
mod redact;
mod types;
mod window;

pub use print::print;
