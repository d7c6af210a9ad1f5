//! The server in one process, over a warehouse that does as a test says.

mod caching;
mod connections;
mod kept;
mod limits;
mod malformed;
mod operations;
mod refusals;
mod reloading;
mod scripted;
mod service;
mod spans;
mod tls;
