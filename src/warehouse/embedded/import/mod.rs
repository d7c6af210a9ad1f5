//! Import of log files into the store: NDJSON (plain, gzip, Zstandard) and Parquet.
//!
//! A file is imported whole or not at all. It is read once, in bounded memory: rows are decoded on all
//! cores, collected into runs, sorted by timestamp within a run, and written as one Parquet file a run.
//! Nothing recognises a file that was imported before; its rows are then there twice.

mod compact;
mod conform;
mod decode;
mod list;
mod ndjson;
mod pipeline;
mod write;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use compact::{Compacted, compact};
pub use decode::UnknownFields;
pub use ndjson::Chunk;
pub(super) use write::PAGE_ROWS;

use super::store::{Store, StoreError, failed};
use crate::compiler::ir::{Column, StreamName, Type};

/// How far an import is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Rows decoded.
    pub rows: u64,
    /// Bytes of the source read.
    pub bytes: u64,
}

/// What an import added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The number of rows.
    pub rows: u64,
    /// The size of the new files.
    pub bytes: u64,
    /// The new files.
    pub files: Vec<PathBuf>,
    /// Fields that were left out because the stream's schema does not have them.
    pub unknown: UnknownFields,
}

/// Why a file was not imported. Nothing of it is in the store.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file or folder that cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A row that does not fit the stream's schema.
    #[error("{}:{line}: {message}", file.display())]
    Row {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong, with the path of the field.
        message: String,
    },
    /// A file that does not fit the stream's schema, or is damaged.
    #[error("{}: {message}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        message: String,
    },
}

/// Imports one file into a stream.
///
/// The format is told from the file's first bytes, not from its name. `progress` is called on this
/// thread, some times a second.
///
/// # Errors
/// The first reason in the order of the file why it cannot be imported.
pub fn import_file(
    store: &Store,
    stream: &StreamName,
    columns: &[Column],
    file: &Path,
    progress: &dyn Fn(Progress),
) -> Result<Imported, ImportError> {
    let opened = File::open(file).map_err(failed("opening the file", file))?;
    let position = Arc::new(AtomicU64::new(0));
    let counted = Counted {
        file: opened,
        position: Arc::clone(&position),
    };
    let mut reader = BufReader::with_capacity(256 * 1024, counted);
    let magic = reader
        .fill_buf()
        .map_err(failed("reading the file", file))?;
    let staging = store.stage(stream)?;
    let text: Box<dyn Read + Send> = match magic {
        [b'P', b'A', b'R', b'1', ..] => {
            let opened = File::open(file).map_err(failed("opening the file", file))?;
            return conform::import(staging, columns, file, opened, progress);
        }
        [0x1f, 0x8b, ..] => Box::new(flate2::bufread::MultiGzDecoder::new(reader)),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Box::new(
            zstd::Decoder::with_buffer(reader).map_err(failed("decompressing the file", file))?,
        ),
        _ => Box::new(reader),
    };
    let mut lines = ndjson::Lines::new(text, file);
    pipeline::run(
        staging,
        columns,
        file,
        &mut || lines.next_chunk(),
        &|rows| {
            progress(Progress {
                rows,
                bytes: position.load(Ordering::Relaxed),
            });
        },
    )
}

/// Imports rows that a generator gives as chunks of NDJSON, until it gives none. `name` stands for the
/// file in messages.
///
/// # Errors
/// As for [`import_file`].
pub fn import_rows(
    store: &Store,
    stream: &StreamName,
    columns: &[Column],
    name: &Path,
    generator: &mut (dyn FnMut() -> Option<Chunk> + Send),
    progress: &dyn Fn(Progress),
) -> Result<Imported, ImportError> {
    let staging = store.stage(stream)?;
    let mut source = || Ok(generator());
    pipeline::run(staging, columns, name, &mut source, &|rows| {
        progress(Progress { rows, bytes: 0 });
    })
}

/// Returns the column that every row must have: the one called `timestamp`.
fn required_timestamp(columns: &[Column]) -> Option<usize> {
    columns
        .iter()
        .position(|c| c.name.matches("timestamp") && c.ty == Type::Timestamp)
}

/// A file that tells how much of it was read.
struct Counted {
    file: File,
    position: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.position.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
