//! Lets the engine's threads share what is left to read, in pieces of files.
//!
//! The engine divides the files of a table among its threads by their bytes, before it knows what a query skips. Of a
//! day out of a week most then belongs to one thread, and the other ones wait for it. Here files that no row can be taken
//! from are left out, and the others are pieces of about a row group, of which a thread takes the next when it is free.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use datafusion::common::Statistics;
use datafusion::common::pruning::PrunableStatistics;
use datafusion::common::stats::Precision;
use datafusion::config::ConfigOptions;
use datafusion::datasource::listing::{FileRange, PartitionedFile};
use datafusion::datasource::physical_plan::parquet::ParquetRowSelection;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfig};
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::pruning::build_pruning_predicate;
use datafusion::physical_optimizer::sanity_checker::SanityCheckPlan;
use datafusion::physical_plan::execution_plan::CardinalityEffect;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::metrics::Count;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{ExecutionPlan, replace_children_if_necessary};
use parquet::arrow::arrow_reader::RowSelector;

use super::import::PAGE_ROWS;

/// The fewest bytes of a piece: opening one takes as long as reading some hundred kilobytes.
const LEAST_BYTES: u64 = 16 * 1024 * 1024;
/// The most pieces for each thread, as far as files have them.
const MOST_PIECES: u64 = 64;
/// Pages of the pieces that have the first rows of a wanted order, for each thread. Often the first pieces have all the
/// rows, and no thread is to be in the middle of a long one then.
const FIRST_PIECES: [usize; 4] = [1, 2, 4, 8];

/// The rule. It comes last: others divide files anew.
#[derive(Debug)]
pub(super) struct SharedScan;

impl PhysicalOptimizerRule for SharedScan {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        // That files are in order keeps threads to files of their own. Few plans need it, and those cannot do without.
        let all = shared_below(&plan, Wanted::All, &|_| true)?;
        match SanityCheckPlan::new().optimize(all, config) {
            Ok(plan) => Ok(plan),
            Err(_) => shared_below(&plan, Wanted::All, &|scan| scan.output_ordering.is_empty()),
        }
    }

    fn name(&self) -> &'static str {
        "SharedScan"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// What a plan wants of the rows of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    All,
    /// The first of an order, in which the engine brings the files.
    First {
        descending: bool,
    },
}

impl Wanted {
    /// Returns what is wanted of the children of a node.
    fn below(self, node: &Arc<dyn ExecutionPlan>) -> Self {
        if let Some(sort) = node.downcast_ref::<SortExec>() {
            let descending = sort.expr().first().options.descending;
            return match sort.fetch() {
                Some(_) => Self::First { descending },
                None => Self::All,
            };
        }
        let is_as_many = matches!(node.cardinality_effect(), CardinalityEffect::Equal);
        if is_as_many || node.is::<FilterExec>() {
            self
        } else {
            Self::All
        }
    }
}

/// Returns the plan with its scans of files [shared], those that may be.
fn shared_below(
    node: &Arc<dyn ExecutionPlan>,
    wanted: Wanted,
    may_be: &impl Fn(&FileScanConfig) -> bool,
) -> Result<Arc<dyn ExecutionPlan>> {
    if let Some(scan) = node.downcast_ref::<DataSourceExec>() {
        let files = scan.data_source().downcast_ref::<FileScanConfig>();
        let files = files.filter(|scan| may_be(scan));
        return Ok(match files.and_then(|scan| shared(scan, wanted)) {
            Some(scan) => DataSourceExec::from_data_source(scan),
            None => Arc::clone(node),
        });
    }
    let wanted = wanted.below(node);
    let children = node.children().into_iter();
    let children = children.map(|child| shared_below(child, wanted, may_be));
    replace_children_if_necessary(Arc::clone(node), children.collect::<Result<_>>()?)
}

/// Returns the scan of what is left of its files, in pieces; `None` where one thread reads them all, or each its own.
fn shared(scan: &FileScanConfig, wanted: Wanted) -> Option<FileScanConfig> {
    let parts = scan.file_groups.len();
    if parts < 2 || scan.output_partitioning.is_some() {
        return None;
    }
    let files = scan.file_groups.iter().flat_map(FileGroup::iter);
    let files = left(scan, whole(files.cloned()));
    let files = scan.file_source.reorder_files(files);
    let bytes: u64 = files.iter().map(|file| file.object_meta.size).sum();
    let bytes = (bytes / (MOST_PIECES * parts as u64)).max(LEAST_BYTES);
    let mut all = Vec::new();
    for file in &files {
        match (wanted, rows(file)) {
            (Wanted::First { descending }, Some(rows))
                if all.len() < FIRST_PIECES.len() * parts =>
            {
                let pages = (all.len()..).map(|number| number / parts);
                all.extend(pieces_of_rows(file, rows, pages, descending));
            }
            (Wanted::First { descending: true }, _) => {
                all.extend(pieces_of_bytes(file, bytes).into_iter().rev());
            }
            _ => all.extend(pieces_of_bytes(file, bytes)),
        }
    }
    let mut scan = scan.clone();
    scan.file_groups = groups(&all, parts);
    scan.output_ordering = Vec::new();
    scan.preserve_order = false;
    Some(scan)
}

/// Returns so many groups of pieces. The engine puts them one behind another again, and threads take pieces from there.
fn groups(pieces: &[PartitionedFile], parts: usize) -> Vec<FileGroup> {
    let length = pieces.len().div_ceil(parts).max(1);
    let mut groups: Vec<_> = pieces
        .chunks(length)
        .map(|pieces| FileGroup::new(pieces.to_vec()))
        .collect();
    groups.resize_with(parts, FileGroup::default);
    groups
}

/// Returns the files, each once and as it was before it was divided.
fn whole(files: impl Iterator<Item = PartitionedFile>) -> Vec<PartitionedFile> {
    let mut seen = HashSet::new();
    files
        .filter(|file| seen.insert(file.object_meta.location.clone()))
        .map(|file| PartitionedFile {
            range: None,
            ..file
        })
        .collect()
}

/// Returns the files that may have rows for the scan, by their statistics.
fn left(scan: &FileScanConfig, files: Vec<PartitionedFile>) -> Vec<PartitionedFile> {
    let schema = scan.file_source.table_schema().table_schema();
    let statistics = files.iter().map(|file| match &file.statistics {
        Some(statistics) => Arc::clone(statistics),
        None => Arc::new(Statistics::new_unknown(schema)),
    });
    let statistics = PrunableStatistics::new(statistics.collect(), Arc::clone(schema));
    let kept = scan
        .file_source
        .filter()
        .and_then(|filter| build_pruning_predicate(filter, schema, &Count::new()))
        .and_then(|filter| filter.prune(&statistics).ok());
    match kept {
        Some(kept) => files
            .into_iter()
            .zip(kept)
            .filter_map(|(file, kept)| kept.then_some(file))
            .collect(),
        None => files,
    }
}

/// Returns how many rows a file has, if that is known.
fn rows(file: &PartitionedFile) -> Option<usize> {
    match file.statistics.as_ref()?.num_rows {
        Precision::Exact(rows) => Some(rows),
        Precision::Inexact(_) | Precision::Absent => None,
    }
}

/// Returns a file in pieces of at least so many bytes. A row group belongs to the piece that it begins in.
fn pieces_of_bytes(file: &PartitionedFile, bytes: u64) -> Vec<PartitionedFile> {
    let size = file.object_meta.size;
    let count = (size / bytes).max(1);
    let end =
        |number: u64| i64::try_from(u128::from(size) * u128::from(number) / u128::from(count));
    let pieces = (0..count).filter_map(|number| {
        let (start, end) = (end(number).ok()?, end(number + 1).ok()?);
        Some(PartitionedFile {
            range: Some(FileRange { start, end }),
            ..file.clone()
        })
    });
    pieces.collect()
}

/// Returns a file of so many rows in pieces, of which each is of the length at its place in [`FIRST_PIECES`].
fn pieces_of_rows(
    file: &PartitionedFile,
    rows: usize,
    places: impl Iterator<Item = usize>,
    latest_first: bool,
) -> Vec<PartitionedFile> {
    let pages = rows.div_ceil(PAGE_ROWS);
    let mut done = 0;
    let pieces = places.map_while(|place| {
        let length = FIRST_PIECES.get(place).or(FIRST_PIECES.last())?;
        let length = (*length).min(pages - done);
        done += length;
        let first = if latest_first {
            pages - done
        } else {
            done - length
        };
        let (start, end) = (first * PAGE_ROWS, (first + length) * PAGE_ROWS);
        (length > 0).then(|| piece_of_rows(file, rows, start..end.min(rows)))
    });
    pieces.collect()
}

fn piece_of_rows(file: &PartitionedFile, rows: usize, range: Range<usize>) -> PartitionedFile {
    let selectors = vec![
        RowSelector::skip(range.start),
        RowSelector::select(range.len()),
        RowSelector::skip(rows - range.end),
    ];
    let selection = ParquetRowSelection::new(selectors.into());
    file.clone().with_extension(selection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_a_file_once() {
        for (size, bytes, expected) in [
            (0, 10, vec![(0, 0)]),
            (9, 10, vec![(0, 9)]),
            (19, 10, vec![(0, 19)]),
            (20, 10, vec![(0, 10), (10, 20)]),
            (35, 10, vec![(0, 11), (11, 23), (23, 35)]),
        ] {
            let file = PartitionedFile::new("a.parquet", size);
            let pieces = pieces_of_bytes(&file, bytes).into_iter();
            let ranges = pieces.filter_map(|piece| piece.range);
            let ranges: Vec<_> = ranges.map(|range| (range.start, range.end)).collect();
            assert_eq!(ranges, expected);
        }
    }

    #[test]
    fn the_first_rows_are_in_short_pieces() {
        const PAGE: usize = PAGE_ROWS;
        let file = PartitionedFile::new("a.parquet", 1);
        for (rows, latest_first, places, expected) in [
            (0, true, 0, vec![]),
            (1, true, 0, vec![(0, 1)]),
            (PAGE, false, 0, vec![(0, PAGE)]),
            (PAGE + 1, true, 0, vec![(PAGE, PAGE + 1), (0, PAGE)]),
            (PAGE + 1, true, 2, vec![(0, PAGE + 1)]),
            (
                4 * PAGE,
                false,
                1,
                vec![(0, PAGE), (PAGE, 3 * PAGE), (3 * PAGE, 4 * PAGE)],
            ),
            (
                20 * PAGE,
                true,
                6,
                vec![(12 * PAGE, 20 * PAGE), (4 * PAGE, 12 * PAGE), (0, 4 * PAGE)],
            ),
        ] {
            let places = (places..).map(|number| number / 2);
            let pieces = pieces_of_rows(&file, rows, places, latest_first);
            let ranges = pieces.iter().map(|piece| {
                let piece = piece.extension::<ParquetRowSelection>();
                let selection = piece.expect("a selection").selection();
                let (selected, skipped) = (selection.row_count(), selection.skipped_row_count());
                assert_eq!(selected + skipped, rows);
                let before = selection.iter().take_while(|selector| selector.skip);
                let start = before.map(|selector| selector.row_count).sum::<usize>();
                (start, start + selected)
            });
            assert_eq!(ranges.collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn groups_keep_the_order_of_pieces() {
        for (count, parts) in [(0, 2), (1, 2), (2, 2), (3, 2), (7, 3), (3, 8)] {
            let names: Vec<String> = (0..count).map(|number| format!("{number}")).collect();
            let pieces = names.iter().map(|name| PartitionedFile::new(name, 1));
            let groups = groups(&pieces.collect::<Vec<_>>(), parts);
            assert_eq!(groups.len(), parts);
            let files = groups.iter().flat_map(FileGroup::iter);
            let files: Vec<String> = files.map(|f| f.object_meta.location.to_string()).collect();
            assert_eq!(files, names);
        }
    }

    #[test]
    fn divided_files_are_whole_again() {
        let file = |name: &str, range: Option<(i64, i64)>| {
            let file = PartitionedFile::new(name, 30);
            match range {
                Some((start, end)) => file.with_range(start, end),
                None => file,
            }
        };
        let files = [
            file("b", Some((10, 30))),
            file("a", None),
            file("b", Some((0, 10))),
        ];
        let whole: Vec<_> = whole(files.into_iter())
            .into_iter()
            .map(|file| (file.object_meta.location.to_string(), file.range))
            .collect();
        assert_eq!(whole, [("b".to_owned(), None), ("a".to_owned(), None)]);
    }
}
