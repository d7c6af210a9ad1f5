//! Finds damaged files after a query failed on stored data: the engine's errors do not name the file.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Instant;

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::store::visible;

/// What may be damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suspect {
    /// The metadata at a file's end.
    Metadata,
    /// Anything: files are read whole.
    Content,
}

/// Returns the files of these folders that cannot be read, each with the reason. Stops at the deadline.
pub(super) fn find(folders: &[PathBuf], suspect: Suspect, deadline: Instant) -> Vec<String> {
    let files = folders.iter().filter_map(|folder| visible(folder).ok());
    files
        .flatten()
        .filter_map(|path| {
            let reason = read(&path, suspect, deadline).err()?;
            Some(format!("{}: {reason}", path.display()))
        })
        .collect()
}

fn read(path: &Path, suspect: Suspect, deadline: Instant) -> Result<(), String> {
    let file = File::open(path).map_err(|e| e.to_string())?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| e.to_string())?;
    if suspect == Suspect::Metadata {
        return Ok(());
    }
    for batch in builder.build().map_err(|e| e.to_string())? {
        batch.map_err(|e| e.to_string())?;
        if Instant::now() > deadline {
            break;
        }
    }
    Ok(())
}
