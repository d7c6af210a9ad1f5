//! logboom stores named, parameterised queries over a log warehouse and serves each as a read-only
//! HTTP endpoint. `ARCHITECTURE.md` is the map.

pub mod compiler;
pub mod endpoint;
pub mod warehouse;

pub mod config;
pub mod server;

pub mod cli;

pub mod allocator;
#[cfg(feature = "otlp")]
mod otlp;
mod spelling;
mod toml_text;
