//! Sample logs for `logboom demo`: the traffic of a few small projects over the last eight days.
//!
//! The same instant and number of rows give the same logs. They go through the import like any other
//! rows. Addresses are from the ranges that are reserved for documentation.

mod edge;
mod random;
mod services;
mod world;

use std::path::Path;

use anyhow::Context as _;

use crate::compiler::Catalog;
use crate::warehouse::embedded::import::{Chunk, import_rows};
use crate::warehouse::embedded::store::Store;
use random::Random;
use world::World;

/// Rows of one chunk.
const CHUNK_ROWS: usize = 1024;

/// Makes one row of a stream as a JSON object.
type Row = fn(&mut World, i64) -> serde_json::Value;

/// The streams with their shares of the rows, in hundredths.
const STREAMS: [(&str, u64, Row); 9] = [
    ("edge", 50, edge::row),
    ("database", 14, services::database),
    ("auth", 9, services::auth),
    ("rest_api", 7, services::rest_api),
    ("storage", 6, services::storage),
    ("realtime", 5, services::realtime),
    ("pooler", 4, services::pooler),
    ("function_edge", 3, edge::function_row),
    ("function", 2, services::function),
];

/// Writes about `rows` rows of sample logs up to `now` into all nine streams. `progress` gets the number
/// of rows so far.
///
/// # Errors
/// A stream is missing in the catalog, or the files cannot be written.
pub fn generate(
    store: &Store,
    catalog: &Catalog,
    now: jiff::Timestamp,
    rows: u64,
    progress: &dyn Fn(u64),
) -> anyhow::Result<()> {
    let mut done = 0;
    for (name, share, _) in STREAMS {
        let rows = rows * share / 100;
        let before = done;
        done += generate_stream(store, catalog, now, name, rows, &|rows| {
            progress(before + rows);
        })?;
    }
    progress(done);
    Ok(())
}

/// Writes rows of sample logs up to `now` into one stream; returns how many. `progress` gets the number of
/// rows so far.
///
/// # Errors
/// There are no sample logs of this stream, it is missing in the catalog, or the files cannot be written.
pub fn generate_stream(
    store: &Store,
    catalog: &Catalog,
    now: jiff::Timestamp,
    name: &str,
    rows: u64,
    progress: &dyn Fn(u64),
) -> anyhow::Result<u64> {
    let (stream, columns) = catalog
        .stream(name)
        .with_context(|| format!("the demo needs a schema of the stream `{name}`"))?;
    let mut chunks = chunks(name, now, rows)?;
    let name = Path::new("sample logs");
    let imported = import_rows(store, stream, columns, name, &mut chunks, &|p| {
        progress(p.rows);
    })?;
    Ok(imported.rows)
}

/// Returns what gives the sample logs of a stream up to `now`, oldest first, as NDJSON.
///
/// # Errors
/// There are no sample logs of this stream.
pub fn chunks(
    name: &str,
    now: jiff::Timestamp,
    rows: u64,
) -> anyhow::Result<impl FnMut() -> Option<Chunk> + Send> {
    let (number, row) = (0..)
        .zip(STREAMS)
        .find_map(|(number, (stream, _, row))| (stream == name).then_some((number, row)))
        .with_context(|| format!("there are no sample logs of the stream `{name}`"))?;
    let mut random = Random::new(number);
    let mut times = world::times(&mut random, now.as_microsecond(), rows);
    times.reverse();
    let mut world = World::new(random);
    Ok(move || {
        let mut text = Vec::new();
        for _ in 0..CHUNK_ROWS {
            let Some(at) = times.pop() else { break };
            // Display of a JSON value cannot fail, and writing to memory cannot either.
            text.extend_from_slice(row(&mut world, at).to_string().as_bytes());
            text.push(b'\n');
        }
        (!text.is_empty()).then_some(Chunk { text })
    })
}

/// Returns calls to try on the sample logs, each with what it shows.
#[must_use]
pub fn curl_examples(base: &str, token: &str) -> Vec<(&'static str, String)> {
    let sandboxed = "select r.path, count(*) as n from edge_logs \
                     cross join unnest(metadata) as m cross join unnest(m.request) as r \
                     group by path order by n desc limit 5";
    let call = |endpoint: &str, parameters: &[String]| {
        let base = base.trim_end_matches('/');
        let mut line =
            format!("curl -G '{base}/api/endpoints/query/{endpoint}' -H 'X-API-KEY: {token}'");
        for parameter in parameters {
            line.push_str(&format!(" --data-urlencode '{parameter}'"));
        }
        line
    };
    let project = || "project=demo".to_owned();
    vec![
        (
            "the newest edge logs of a project",
            call("logs.all", &[project()]),
        ),
        (
            "your own SQL over the sub-tables",
            call("logs.all", &[project(), format!("sql={sandboxed}")]),
        ),
        (
            "requests per hour and API",
            call(
                "usage.api-counts",
                &[project(), "interval=hourly".to_owned()],
            ),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::BTreeMap;

    #[test]
    fn every_stream_gets_its_share_and_fits_its_schema() {
        let data = tempfile::tempdir().unwrap();
        let store = Store::new(data.path());
        let catalog = super::super::import::catalog(Path::new("/nowhere")).unwrap();
        let now: jiff::Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
        let last = std::cell::Cell::new(0);
        generate(&store, &catalog, now, 2000, &|rows| last.set(rows)).unwrap();
        assert_eq!(last.get(), 2000);
        for (stream, columns) in catalog.streams() {
            let folder = std::fs::read_dir(store.folder(stream)).unwrap();
            assert_eq!(folder.count(), 1, "{stream}");
            // Nothing that the generator writes is unknown to the schema.
            let (_, _, row) = STREAMS.iter().find(|s| s.0 == stream.as_str()).unwrap();
            let mut world = World::new(Random::new(7));
            let mut rows = vec![0, 1, 2].into_iter().map(|at| Chunk {
                text: row(&mut world, at).to_string().into_bytes(),
            });
            let imported = import_rows(
                &store,
                stream,
                columns,
                Path::new("x"),
                &mut || rows.next(),
                &|_| {},
            );
            assert_eq!(imported.unwrap().unknown.paths, BTreeMap::new(), "{stream}");
        }
    }

    #[test]
    fn the_same_instant_gives_the_same_logs() {
        let text = || {
            let mut world = World::new(Random::new(1));
            (0..50)
                .map(|at| edge::row(&mut world, at).to_string())
                .collect::<String>()
        };
        assert_eq!(text(), text());
    }

    #[test]
    fn examples_are_one_line_each() {
        for (_, line) in curl_examples("http://127.0.0.1:1/", "t") {
            assert!(
                line.starts_with("curl -G 'http://127.0.0.1:1/api/endpoints/query/"),
                "{line}"
            );
            assert!(
                !line.contains('\n') && line.matches('\'').count() % 2 == 0,
                "{line}"
            );
        }
    }
}
