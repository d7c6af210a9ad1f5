//! The small data that queries are evaluated over.
//!
//! `data/` holds a file for each stream. Its rows are there to hurt: NULLs at every level, empty and absent
//! records, equal timestamps, leap days and changes of the clock, microseconds, text outside of ASCII, NUL,
//! quotes and backslashes, JSON and what only looks like it, the largest and smallest integers.

use std::path::{Path, PathBuf};

use logboom::compiler::Limits;
use logboom::compiler::ir::StreamName;
use logboom::endpoint::Endpoints;
use serde_json::{Map, Value as Json, json};

/// Returns the file of a stream.
pub fn file(stream: &StreamName) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judge/data");
    folder.join(format!("{stream}.ndjson"))
}

/// Returns the rows of every stream as the judge wants them.
pub fn rows() -> Json {
    let endpoints = Endpoints::built_in(&Limits::default());
    let tables: Map<String, Json> = endpoints
        .catalog()
        .streams()
        .map(|(stream, _)| {
            let text = std::fs::read_to_string(file(stream)).expect("a file for each stream");
            let rows = text.lines().map(serde_json::from_str);
            let rows: Result<Vec<Json>, _> = rows.collect();
            (stream.to_string(), json!(rows.expect("rows are JSON")))
        })
        .collect();
    Json::Object(tables)
}
