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

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::{Request, Response};

use super::App;
use super::kept::Last;
use super::route::{self, Door};

/// Answers the first request of a connection.
async fn respond(app: &Arc<App>, request: Request<Full<Bytes>>) -> Response<Full<Bytes>> {
    match route::respond_at_once(app, Door::Public, &Last::default(), &request) {
        Some(response) => response,
        None => route::respond(Arc::clone(app), Door::Public, request).await,
    }
}
