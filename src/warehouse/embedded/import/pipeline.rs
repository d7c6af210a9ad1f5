//! Chunks of NDJSON into files of a stream, on all cores.
//!
//! One thread reads, several decode, one writes; this one puts the decoded batches back in order and
//! cuts them into runs. All channels are bounded, so a slow stage holds the faster ones up and memory
//! stays within two runs and a few chunks.

use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use arrow::array::RecordBatch;

use super::decode::{Decoder, UnknownFields};
use super::ndjson::Chunk;
use super::write::{Run, Writer};
use super::{ImportError, Imported};
use crate::compiler::ir::Column;
use crate::warehouse::embedded::store::Staging;

/// More decoders than this find no work beside one reader and one writer.
const MOST_DECODERS: usize = 8;

/// Gives the next chunk, `None` after the last.
pub(super) type Source<'a> = &'a mut (dyn FnMut() -> Result<Option<Chunk>, ImportError> + Send);

/// A chunk after decoding: its rows and its number of lines, or its first bad line.
struct Decoded {
    batch: Result<RecordBatch, (u64, String)>,
    lines: u64,
    unknown: UnknownFields,
}

/// Decodes everything that a source gives, and commits it.
pub(super) fn run(
    staging: Staging,
    columns: &[Column],
    file: &Path,
    source: Source<'_>,
    progress: &dyn Fn(u64),
) -> Result<Imported, ImportError> {
    let decoders = thread::available_parallelism()
        .map_or(1, usize::from)
        .clamp(1, MOST_DECODERS);
    let (chunk_sender, chunks) = sync_channel(2 * decoders);
    let chunks = Arc::new(Mutex::new(chunks));
    let (decoded_sender, decoded) = sync_channel(2 * decoders);
    let (run_sender, runs) = sync_channel(0);
    thread::scope(|scope| {
        // The senders and receivers move into their threads: one that fails drops its ends, and the
        // others stop instead of waiting for it.
        scope.spawn(move || read(source, &chunk_sender));
        for _ in 0..decoders {
            let (chunks, sender) = (Arc::clone(&chunks), decoded_sender.clone());
            scope.spawn(move || decode(columns, &chunks, &sender));
        }
        drop((chunks, decoded_sender));
        let writer = scope.spawn(move || write(staging, columns, file, &runs));
        let collected = collect(file, decoded, &run_sender, progress);
        drop(run_sender);
        let written = writer.join();
        let (rows, unknown) = collected?;
        let (staging, bytes) = written.map_err(|_| ImportError::File {
            file: file.to_path_buf(),
            message: "the writer stopped".to_owned(),
        })??;
        Ok(Imported {
            rows,
            bytes,
            files: staging.commit()?,
            unknown,
        })
    })
}

type Numbered<T> = (u64, T);

fn read(source: Source<'_>, sender: &SyncSender<Numbered<Result<Chunk, ImportError>>>) {
    for number in 0.. {
        let Some(chunk) = source().transpose() else {
            return;
        };
        let failed = chunk.is_err();
        if sender.send((number, chunk)).is_err() || failed {
            return;
        }
    }
}

type Chunks = Mutex<Receiver<Numbered<Result<Chunk, ImportError>>>>;
type DecodedSender = SyncSender<Numbered<Result<Decoded, ImportError>>>;

fn decode(columns: &[Column], chunks: &Chunks, sender: &DecodedSender) {
    let mut decoder = Decoder::new(columns);
    loop {
        let next = chunks.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, chunk)) = next else {
            return;
        };
        let decoded = chunk.map(|chunk| decode_chunk(&mut decoder, &chunk));
        let failed = !matches!(&decoded, Ok(Decoded { batch: Ok(_), .. }));
        if sender.send((number, decoded)).is_err() || failed {
            return;
        }
    }
}

fn decode_chunk(decoder: &mut Decoder, chunk: &Chunk) -> Decoded {
    let mut rest = chunk.text.as_slice();
    let mut lines = 0;
    let mut bad = None;
    while !rest.is_empty() && bad.is_none() {
        let line = rest;
        let length = rest.skip_until(b'\n').unwrap_or(line.len());
        let line = line.get(..length).unwrap_or(line).trim_ascii();
        lines += 1;
        if !line.is_empty()
            && let Err(message) = decoder.push(line)
        {
            bad = Some((lines, message));
        }
    }
    let batch = match bad {
        Some(bad) => Err(bad),
        None => decoder.finish().map_err(|e| (lines, e.to_string())),
    };
    Decoded {
        batch,
        lines,
        unknown: decoder.take_unknown(),
    }
}

/// Puts batches in the order of the source and sends them as runs; returns the number of rows.
fn collect(
    file: &Path,
    decoded: Receiver<Numbered<Result<Decoded, ImportError>>>,
    runs: &SyncSender<Run>,
    progress: &dyn Fn(u64),
) -> Result<(u64, UnknownFields), ImportError> {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    let (mut rows, mut lines) = (0, 0);
    let mut unknown = UnknownFields::default();
    let mut run = Run::default();
    for (number, result) in decoded {
        waiting.insert(number, result);
        while let Some(result) = waiting.remove(&next) {
            next += 1;
            let decoded = result?;
            let batch = decoded.batch.map_err(|(line, message)| ImportError::Row {
                file: file.to_path_buf(),
                line: lines + line,
                message,
            })?;
            lines += decoded.lines;
            rows += batch.num_rows() as u64;
            unknown.merge(decoded.unknown);
            run.push(batch);
            if run.is_full() && runs.send(std::mem::take(&mut run)).is_err() {
                // The writer failed and tells why.
                return Ok((rows, unknown));
            }
            progress(rows);
        }
    }
    if !run.is_empty() {
        // A failed send is told by the writer.
        runs.send(run).ok();
    }
    Ok((rows, unknown))
}

fn write(
    mut staging: Staging,
    columns: &[Column],
    file: &Path,
    runs: &Receiver<Run>,
) -> Result<(Staging, u64), ImportError> {
    let writer = Writer::new(columns);
    let mut bytes = 0;
    for run in runs {
        bytes += writer.write(run, &mut staging, file)?;
    }
    Ok((staging, bytes))
}
