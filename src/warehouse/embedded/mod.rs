//! The embedded warehouse: DataFusion over Parquet files in a local folder.
//!
//! [`import`] writes the files of a [`Store`], [`Embedded`] runs queries over them. A stream is the folder
//! `<data>/<stream>/` with any number of `*.parquet` files; there is no other state but notes of which file
//! replaces which, so files may be copied in, moved away or deleted while queries run. Nothing here decides what a query may read: that
//! is the compiler's work, and the engine resolves only the streams that the compiled query names.

mod barrier;
mod budget;
mod civil;
mod computed_keys;
mod damage;
pub mod distinct_limit;
mod engine;
mod exact_logic;
mod failure;
mod far_parameters;
mod files;
pub mod functions;
mod group_filters;
pub mod import;
mod interrupt;
mod join_keys;
mod memory;
mod planner;
mod presence;
mod read_order;
pub mod rows;
pub mod schema;
mod shared_scan;
pub mod store;
mod value_or_null;
mod whole_call;
mod window_keys;

pub use engine::{Embedded, EngineSettings, OpenError};
pub use store::Store;

#[cfg(test)]
mod tests;
