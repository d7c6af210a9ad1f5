//! Small files of a stream into larger ones.

use std::fs::File;
use std::path::{Path, PathBuf};

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::ImportError;
use super::conform::{BATCH_ROWS, conform, unknown_fields};
use super::write::{RUN_BYTES, RUN_ROWS, Run, Writer};
use crate::compiler::ir::{Column, StreamName};
use crate::warehouse::embedded::store::Store;

/// A file with fewer rows and bytes than this part of a run is small.
const SMALL_SHARE: u64 = 2;

/// What became of the files of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compacted {
    /// Files that are replaced.
    pub replaced: usize,
    /// Files that replace them.
    pub files: Vec<PathBuf>,
    /// Rows of these.
    pub rows: u64,
    /// Small files that were left alone, and why.
    pub skipped: Vec<(PathBuf, String)>,
}

/// Merges the small files of a stream, in the order of their names, when there are at least so many.
///
/// Queries see a row once, in a file that is replaced or in the one that replaces it. A file that does not fit
/// the stream's schema, or holds a field that the schema does not have, is left alone: nothing stored is lost.
/// Returns `None` while another merges files of the stream.
///
/// # Errors
/// A file or folder that cannot be read or written. What was merged before stays merged.
pub fn compact(
    store: &Store,
    stream: &StreamName,
    columns: &[Column],
    least: usize,
) -> Result<Option<Compacted>, ImportError> {
    let Some(_lock) = store.lock(stream)? else {
        return Ok(None);
    };
    store.remove_replaced(stream)?;
    let mut done = Compacted::default();
    let mut small = Vec::new();
    for path in store.files(stream)? {
        match is_small(&path, columns) {
            Ok(true) => small.push(path),
            Ok(false) => {}
            Err(reason) => done.skipped.push((path, reason)),
        }
    }
    if small.len() < least {
        return Ok(Some(done));
    }
    let (mut run, mut gathered) = (Run::default(), Vec::new());
    for path in small {
        match read(&path, columns) {
            Ok(rows) => {
                run.append(rows);
                gathered.push(path);
            }
            Err(reason) => done.skipped.push((path, reason)),
        }
        if run.is_full() {
            replace(store, stream, columns, &mut run, &mut gathered, &mut done)?;
        }
    }
    replace(store, stream, columns, &mut run, &mut gathered, &mut done)?;
    Ok(Some(done))
}

/// Returns whether a file is small, or why it must be left alone.
fn is_small(path: &Path, columns: &[Column]) -> Result<bool, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| error.to_string())?;
    let groups = builder.metadata().row_groups();
    let sum = |of: fn(&_) -> i64| groups.iter().map(of).sum::<i64>().unsigned_abs();
    let (rows, bytes) = (sum(|g| g.num_rows()), sum(|g| g.total_byte_size()));
    let is_small = rows < RUN_ROWS as u64 / SMALL_SHARE && bytes < RUN_BYTES as u64 / SMALL_SHARE;
    let unknown = unknown_fields(builder.schema().fields(), columns, rows);
    match unknown.paths.keys().next() {
        Some(field) if is_small => Err(format!("the stream's schema does not have `{field}`")),
        _ => Ok(is_small),
    }
}

/// Returns the rows of a file in the stream's schema, or why they do not fit it.
fn read(path: &Path, columns: &[Column]) -> Result<Run, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .and_then(|builder| builder.with_batch_size(BATCH_ROWS).build())
        .map_err(|error| error.to_string())?;
    let mut run = Run::default();
    for batch in reader {
        let batch = batch.map_err(|error| error.to_string())?;
        let batch =
            conform(&batch, columns).map_err(|(path, message)| format!("{path}: {message}"))?;
        run.push(batch);
    }
    Ok(run)
}

/// Writes the rows that were gathered, in place of the files that they come from.
fn replace(
    store: &Store,
    stream: &StreamName,
    columns: &[Column],
    run: &mut Run,
    gathered: &mut Vec<PathBuf>,
    done: &mut Compacted,
) -> Result<(), ImportError> {
    let (run, gathered) = (std::mem::take(run), std::mem::take(gathered));
    if gathered.len() < 2 {
        return Ok(());
    }
    let folder = store.folder(stream);
    let mut staging = store.stage(stream)?;
    let rows = run.rows() as u64;
    Writer::new(columns).write(run, &mut staging, &folder)?;
    let file = staging.commit_in_place_of(&gathered)?;
    done.replaced += gathered.len();
    done.rows += rows;
    done.files.push(file);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::catalog::parse_schema;
    use crate::warehouse::embedded::import::import_file;

    const SCHEMA: &str = r#"[
        {"name": "timestamp", "type": "TIMESTAMP", "mode": "REQUIRED"},
        {"name": "m", "type": "RECORD", "mode": "REPEATED", "fields": [
            {"name": "a", "type": "INTEGER"}, {"name": "b", "type": "STRING"}]}
    ]"#;

    /// The rows that count, as text, in no order.
    fn rows(store: &Store, stream: &StreamName, columns: &[Column]) -> Vec<String> {
        let mut rows = Vec::new();
        for path in store.files(stream).unwrap() {
            for batch in read(&path, columns).unwrap().into_batches() {
                let encoded = crate::warehouse::embedded::rows::encode(columns, &batch).unwrap();
                rows.extend(encoded.iter().map(|row| serde_json::json!(row).to_string()));
            }
        }
        rows.sort_unstable();
        rows
    }

    #[test]
    fn small_files_become_one_with_the_same_rows() {
        let data = tempfile::tempdir().unwrap();
        let (store, stream) = (
            Store::new(data.path().join("data")),
            StreamName::new("edge"),
        );
        let columns = parse_schema(SCHEMA).unwrap();
        let input = data.path().join("rows");
        let import = |lines: &str, columns: &[Column]| {
            std::fs::write(&input, lines).unwrap();
            import_file(&store, &stream, columns, &input, &|_| ()).unwrap();
        };
        import(
            "{\"timestamp\":3,\"m\":[{\"a\":1,\"b\":\"x\"},{\"b\":\"\"}]}\n",
            &columns,
        );
        import(
            "{\"timestamp\":1}\n{\"timestamp\":1,\"m\":[]}\n{\"timestamp\":2,\"m\":[{}]}\n",
            &columns,
        );
        // Written before the schema had `b`, and when it had `c`.
        let older = parse_schema(&SCHEMA.replace(", {\"name\": \"b\", \"type\": \"STRING\"}", ""));
        import("{\"timestamp\":9,\"m\":[{\"a\":9}]}\n", &older.unwrap());
        let other = parse_schema(&SCHEMA.replace("\"b\"", "\"c\"")).unwrap();
        import("{\"timestamp\":5,\"m\":[{\"c\":\"kept\"}]}\n", &other);

        let before = rows(&store, &stream, &columns);
        assert_eq!(before.len(), 6);
        let few = compact(&store, &stream, &columns, 4).unwrap().unwrap();
        assert_eq!((few.replaced, few.skipped.len()), (0, 1));
        let done = compact(&store, &stream, &columns, 3).unwrap().unwrap();
        assert_eq!((done.replaced, done.rows, done.files.len()), (3, 5, 1));
        assert!(done.skipped[0].1.contains("`m.c`"), "{:?}", done.skipped);
        assert_eq!(rows(&store, &stream, &columns), before);
        assert_eq!(store.files(&stream).unwrap().len(), 2);
        // One file is not worth it.
        let again = compact(&store, &stream, &columns, 1).unwrap().unwrap();
        assert_eq!(again.replaced, 0);
    }

    #[test]
    fn one_process_merges_at_a_time() {
        let data = tempfile::tempdir().unwrap();
        let (store, stream) = (Store::new(data.path()), StreamName::new("edge"));
        let lock = store.lock(&stream).unwrap();
        assert!(lock.is_some());
        assert_eq!(compact(&store, &stream, &[], 2).unwrap(), None);
        drop(lock);
        assert_eq!(
            compact(&store, &stream, &[], 2).unwrap(),
            Some(Compacted::default())
        );
    }
}
