//! Runs of rows as Parquet files: sorted by timestamp, Zstandard, statistics for pruning.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::compute::interleave_record_batch;
use arrow::datatypes::{SchemaRef, TimestampMicrosecondType};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::ColumnPath;

use super::{ImportError, required_timestamp};
use crate::compiler::ir::{Column, Type};
use crate::warehouse::embedded::schema;
use crate::warehouse::embedded::store::{Staging, StoreError, failed};

/// Memory of one run, and so the size of a sorted piece.
pub(super) const RUN_BYTES: usize = 192 * 1024 * 1024;
/// Rows of one run.
pub(super) const RUN_ROWS: usize = 1024 * 1024;
/// Rows of one row group: what a scan skips or reads as a whole.
const ROW_GROUP_ROWS: usize = 131_072;
/// The most rows of a page of a column: what is decoded as a whole when some rows of a row group are read.
pub(in crate::warehouse::embedded) const PAGE_ROWS: usize = 16_384;
/// Rows that are brought in order at a time.
const SLICE_ROWS: usize = 8192;
/// Distinct projects that the bloom filter of a row group is made for.
const BLOOM_VALUES: u64 = 4096;
const ZSTD_LEVEL: i32 = 3;

/// Rows for one file.
#[derive(Default)]
pub(super) struct Run {
    batches: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
}

impl Run {
    pub(super) fn push(&mut self, batch: RecordBatch) {
        if batch.num_rows() > 0 {
            self.rows += batch.num_rows();
            self.bytes += batch.get_array_memory_size();
            self.batches.push(batch);
        }
    }

    pub(super) fn append(&mut self, other: Self) {
        self.rows += other.rows;
        self.bytes += other.bytes;
        self.batches.extend(other.batches);
    }

    #[cfg(test)]
    pub(super) fn into_batches(self) -> Vec<RecordBatch> {
        self.batches
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    pub(super) fn is_full(&self) -> bool {
        self.rows >= RUN_ROWS || self.bytes >= RUN_BYTES
    }
}

/// Writes the runs of one import.
pub(super) struct Writer {
    schema: SchemaRef,
    timestamp: Option<usize>,
    properties: WriterProperties,
}

impl Writer {
    pub(super) fn new(columns: &[Column]) -> Self {
        let schema = schema::file_schema(columns);
        let timestamp = required_timestamp(columns);
        let mut properties = WriterProperties::builder()
            .set_created_by(concat!("logboom ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
            .set_data_page_row_count_limit(PAGE_ROWS);
        if let Ok(level) = ZstdLevel::try_new(ZSTD_LEVEL) {
            properties = properties.set_compression(Compression::ZSTD(level));
        }
        if let Some(column) = columns
            .iter()
            .find(|c| c.name.matches("project") && c.ty == Type::String)
        {
            let path = ColumnPath::from(column.name.as_str());
            properties = properties
                .set_column_bloom_filter_enabled(path.clone(), true)
                .set_column_bloom_filter_max_ndv(path, BLOOM_VALUES);
        }
        properties = sorted_by(properties, columns, timestamp);
        Self {
            schema,
            timestamp,
            properties: properties.build(),
        }
    }

    /// Writes and syncs one file; returns its size. `source` stands for the rows in messages.
    pub(super) fn write(
        &self,
        run: Run,
        staging: &mut Staging,
        source: &Path,
    ) -> Result<u64, ImportError> {
        let (file, path) = staging.create()?;
        let write = || -> Result<_, ParquetError> {
            let mut writer = ArrowWriter::try_new(
                file,
                Arc::clone(&self.schema),
                Some(self.properties.clone()),
            )?;
            match self.order(&run.batches) {
                None => {
                    for batch in &run.batches {
                        writer.write(batch)?;
                    }
                }
                Some(order) => {
                    let batches: Vec<_> = run.batches.iter().collect();
                    for rows in order.chunks(SLICE_ROWS) {
                        writer.write(&interleave_record_batch(&batches, rows)?)?;
                    }
                }
            }
            writer.into_inner()
        };
        let file = write().map_err(|error| explain(error, &path, source))?;
        file.sync_all().map_err(failed("syncing the file", &path))?;
        let size = file
            .metadata()
            .map_err(failed("reading the file's size", &path))?;
        Ok(size.len())
    }

    /// Returns the order of the rows by timestamp, as batch and row; `None` when they are in order.
    fn order(&self, batches: &[RecordBatch]) -> Option<Vec<(usize, usize)>> {
        let column = self.timestamp?;
        let mut keys = Vec::new();
        for (number, batch) in batches.iter().enumerate() {
            let times = batch
                .column(column)
                .as_primitive_opt::<TimestampMicrosecondType>()?;
            keys.extend(
                times
                    .values()
                    .iter()
                    .enumerate()
                    .map(|(row, at)| (*at, number, row)),
            );
        }
        if keys.is_sorted() {
            return None;
        }
        keys.sort_unstable();
        Some(
            keys.into_iter()
                .map(|(_, batch, row)| (batch, row))
                .collect(),
        )
    }
}

/// Notes the order in the file. Sorting columns are numbered by leaf, so only a leaf that no record
/// stands before has the number of its column.
fn sorted_by(
    properties: WriterPropertiesBuilder,
    columns: &[Column],
    timestamp: Option<usize>,
) -> WriterPropertiesBuilder {
    let leaf = timestamp.filter(|index| {
        columns
            .iter()
            .take(*index)
            .all(|c| !matches!(c.ty, Type::Struct(_) | Type::Array(_)))
    });
    match leaf.and_then(|index| i32::try_from(index).ok()) {
        Some(column_idx) => properties.set_sorting_columns(Some(vec![SortingColumn {
            column_idx,
            descending: false,
            nulls_first: false,
        }])),
        None => properties,
    }
}

/// Tells a failure of the disk from one of the data.
fn explain(error: ParquetError, path: &Path, source: &Path) -> ImportError {
    match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(io) => StoreError {
                action: "writing the file",
                path: path.to_path_buf(),
                source: *io,
            }
            .into(),
            Err(other) => ImportError::File {
                file: source.to_path_buf(),
                message: other.to_string(),
            },
        },
        other => ImportError::File {
            file: source.to_path_buf(),
            message: other.to_string(),
        },
    }
}
