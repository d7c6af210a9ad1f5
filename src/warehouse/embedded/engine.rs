//! Runs compiled queries with DataFusion, on threads of its own.
//!
//! The engine shares nothing with the server but memory: its operators may block or recurse deeply, and
//! its threads have the stacks for it. Every query runs under the engine's memory limit and its own
//! deadline, and ends when its future is dropped. The session has no catalog, no file formats, no table
//! functions and no statements; what a query can name is decided in [`super::planner`].

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray as _, RecordBatch};
use arrow::datatypes::DataType;
use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::config::{ConfigOptions, TableParquetOptions};
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::datasource::provider_as_source;
use datafusion::error::DataFusionError;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::{
    FairSpillPool, MemoryConsumer, MemoryReservation, TrackConsumersPool,
};
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::session_state::SessionState;
use datafusion::execution::{SessionStateBuilder, SessionStateDefaults};
use datafusion::logical_expr::LogicalPlan;
use datafusion::logical_expr::TableSource;
use datafusion::optimizer::OptimizerRule;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::SessionConfig;
use futures::StreamExt as _;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;

use super::barrier::{NarrowSubtables, Subtable};
use super::budget;
use super::computed_keys::ComputedKeys;
use super::damage::{self, Suspect};
use super::exact_logic::ExactLogic;
use super::failure::{Failed, classify};
use super::files::Files;
use super::functions;
use super::group_filters;
use super::interrupt::{Interrupt, interruptible};
use super::join_keys::QualifyJoinKeys;
use super::memory::Ceiling;
use super::planner::Planner;
use super::presence::{AdapterFactory, IsPresent};
use super::read_order;
use super::store::Store;
use super::value_or_null::ValueOrNull;
use super::window_keys::PlainWindowKeys;
use super::{rows, schema};
use crate::compiler::ir::{Column, Type, Value};
use crate::compiler::{Catalog, Compiled, Target};
use crate::warehouse::{Rows, Terms, Warehouse, WarehouseError};

/// Stack of an engine thread: planning and optimising recurse with the query.
const STACK_BYTES: usize = 16 * 1024 * 1024;
/// Decoded footers of Parquet files that are kept take this part of the memory limit. Each file's metadata is
/// read once while it fits.
const METADATA_SHARE: usize = 8;
/// Operators may hold all but this part of the memory limit: they do not count what they make on the way.
const UNCOUNTED_SHARE: usize = 3;
/// A batch may come to this part of a thread's share of the memory limit.
const BATCH_SHARE: usize = 4;
/// How many of the largest consumers an out-of-memory error names, for the operator.
const REPORTED_CONSUMERS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(4);
/// What a JSON value takes beside its text: itself, and a key or the room that a growing array keeps.
const VALUE_BYTES: usize = 2 * size_of::<serde_json::Value>();

/// Limits of the engine: `[warehouse.engine]` in the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EngineSettings {
    /// Memory of all running queries together. A query that needs more spills to disk where it can, and
    /// fails where it cannot.
    pub memory_limit_bytes: usize,
    /// Threads that run queries; as many as there are cores when absent.
    pub threads: Option<NonZeroUsize>,
    /// Where queries spill to; the system's folder for temporary files when absent.
    pub spill_dir: Option<PathBuf>,
    /// Disk space of all running queries together.
    pub spill_limit_bytes: u64,
    /// Queries that run at a time; others wait within their deadline.
    pub max_concurrent: NonZeroUsize,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self {
            memory_limit_bytes: 1024 * 1024 * 1024,
            threads: None,
            spill_dir: None,
            spill_limit_bytes: 8 * 1024 * 1024 * 1024,
            max_concurrent: NonZeroUsize::MIN.saturating_add(3),
        }
    }
}

/// Why the engine cannot start.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The data folder's path cannot be used.
    #[error("{}: not a usable data folder", .0.display())]
    Folder(PathBuf, #[source] std::io::Error),
    /// The threads cannot be started.
    #[error("starting the engine's threads")]
    Threads(#[source] std::io::Error),
    /// The engine refuses its settings.
    #[error("starting the engine")]
    Engine(#[source] DataFusionError),
}

/// DataFusion over a data folder.
#[derive(Debug)]
pub struct Embedded {
    data: PathBuf,
    target: Target,
    shared: Arc<Shared>,
    permits: Arc<Semaphore>,
    /// `None` only while the engine is being dropped.
    runtime: Option<tokio::runtime::Runtime>,
}

#[derive(Debug)]
struct Shared {
    state: SessionState,
    /// The session of the plans behind sub-tables.
    subtables: Arc<SessionState>,
    tables: BTreeMap<String, Arc<ListingTable>>,
    ceiling: Arc<Ceiling>,
}

impl Embedded {
    /// Opens a data folder, which need not exist yet, for queries over the streams of a catalog.
    ///
    /// # Errors
    /// The folder's path is not usable, the settings are refused, or threads cannot be started.
    pub fn open(
        data: PathBuf,
        catalog: &Catalog,
        settings: EngineSettings,
    ) -> Result<Self, OpenError> {
        Self::tuned(data, catalog, settings, |_| ())
    }

    /// Opens a data folder with options of the engine that are changed from what [`session`] sets.
    pub(super) fn tuned(
        data: PathBuf,
        catalog: &Catalog,
        settings: EngineSettings,
        tune: impl FnOnce(&mut ConfigOptions),
    ) -> Result<Self, OpenError> {
        let data = match std::path::absolute(&data) {
            Ok(absolute) => absolute,
            Err(error) => return Err(OpenError::Folder(data, error)),
        };
        let threads = settings
            .threads
            .or_else(|| std::thread::available_parallelism().ok())
            .map_or(1, NonZeroUsize::get);
        let memory = settings.memory_limit_bytes;
        let batch_bytes = memory / (BATCH_SHARE * threads);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .thread_name("engine")
            .thread_stack_size(STACK_BYTES)
            .on_thread_start(move || budget::limit(batch_bytes))
            .enable_time()
            .build()
            .map_err(OpenError::Threads)?;
        let state = session(&settings, threads, tune).map_err(OpenError::Engine)?;
        let store = Store::new(&data);
        let tables = catalog
            .streams()
            .map(|(stream, columns)| {
                let table = table(&store.folder(stream), columns, &state)?;
                Ok((stream.to_string(), Arc::new(table)))
            })
            .collect::<Result<_, _>>()
            .map_err(OpenError::Engine)?;
        Ok(Self {
            data,
            target: Target::Embedded,
            shared: Arc::new(Shared {
                subtables: Subtable::session(&state),
                state,
                tables,
                ceiling: Arc::new(Ceiling::below(memory)),
            }),
            permits: Arc::new(Semaphore::new(settings.max_concurrent.get())),
            runtime: Some(runtime),
        })
    }
}

#[cfg(test)]
impl Embedded {
    /// Returns the memory that queries hold, as far as the engine counts it, in bytes.
    pub(super) fn reserved(&self) -> usize {
        self.shared.state.runtime_env().memory_pool.reserved()
    }

    /// Returns the physical plan of a query.
    pub(super) async fn physical_plan(
        &self,
        query: &Compiled,
    ) -> Result<Arc<dyn ExecutionPlan>, DataFusionError> {
        let job = Job {
            shared: Arc::clone(&self.shared),
            query: query.clone(),
            interrupt: Interrupt::default(),
        };
        let parameters = job.parameters().map_err(DataFusionError::Plan)?;
        job.plan(parameters).await
    }

    /// Returns the physical plan of a query as text.
    pub(super) async fn explain(&self, query: &Compiled) -> Result<String, DataFusionError> {
        let plan = self.physical_plan(query).await?;
        let plan = datafusion::physical_plan::displayable(plan.as_ref());
        Ok(plan.indent(true).to_string())
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        // Waiting for the threads is neither possible in async code nor needed: nothing they do lasts.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn session(
    settings: &EngineSettings,
    threads: usize,
    tune: impl FnOnce(&mut ConfigOptions),
) -> Result<SessionState, DataFusionError> {
    let spill = match &settings.spill_dir {
        Some(folder) => DiskManagerMode::Directories(vec![folder.clone()]),
        None => DiskManagerMode::OsTmpDirectory,
    };
    let memory = settings.memory_limit_bytes;
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(TrackConsumersPool::new(
            FairSpillPool::new(memory - memory / UNCOUNTED_SHARE),
            REPORTED_CONSUMERS,
        )))
        .with_disk_manager_builder(
            DiskManagerBuilder::default()
                .with_mode(spill)
                .with_max_temp_directory_size(settings.spill_limit_bytes),
        )
        .with_metadata_cache_limit(memory / METADATA_SHARE)
        // Off: a file that was imported after the last query must be seen by the next one.
        .with_object_list_cache_limit(0)
        .build_arc()?;
    runtime.register_object_store(
        ObjectStoreUrl::local_filesystem().as_ref(),
        Arc::new(Files::default()),
    );
    let mut config = SessionConfig::new()
        .with_target_partitions(threads)
        .with_information_schema(false)
        .with_create_default_catalog_and_schema(false);
    let options = config.options_mut();
    // Late materialisation: the wide columns of rows that a filter drops are never decoded.
    options.execution.parquet.pushdown_filters = true;
    // Filters run in the order of the plan: a cheap filter of a caller must not overtake the stored one.
    options.execution.parquet.reorder_filters = false;
    tune(options);
    let mut functions = SessionStateDefaults::default_scalar_functions();
    functions.extend(functions::all().into_iter().map(Arc::new));
    functions.push(Arc::new(IsPresent::function()));
    functions.push(Arc::new(ValueOrNull::function()));
    let mut aggregates = SessionStateDefaults::default_aggregate_functions();
    aggregates.extend(functions::aggregates().into_iter().map(Arc::new));
    Ok(SessionStateBuilder::new()
        .with_config(config)
        .with_runtime_env(runtime)
        .with_expr_planners(SessionStateDefaults::default_expr_planners())
        .with_scalar_functions(functions)
        .with_higher_order_functions(functions::lambda::all().into_iter().map(Arc::new).collect())
        .with_aggregate_functions(aggregates)
        .with_window_functions(SessionStateDefaults::default_window_functions())
        .with_optimizer_rules(rules())
        .with_physical_optimizer_rules(read_order::rules())
        .build())
}

/// The rules of the engine that move reads of fields towards the scans.
const FIELD_RULES: [&str; 2] = ["extract_leaf_expressions", "push_down_leaf_projections"];

/// Returns the rules of the engine and those of the project.
fn rules() -> Vec<Arc<dyn OptimizerRule + Send + Sync>> {
    let mut rules = group_filters::rules();
    let simplifier = rules
        .iter()
        .position(|rule| rule.name() == "simplify_expressions");
    rules.insert(simplifier.unwrap_or_default(), Arc::new(ExactLogic));
    rules.push(Arc::new(NarrowSubtables));
    rules.push(Arc::new(QualifyJoinKeys));
    rules.push(Arc::new(PlainWindowKeys));
    rules.push(Arc::new(ComputedKeys));
    rules
}

/// What must be escaped in the path of a `file:` URL, so that no character of a folder's name acts as a
/// wildcard.
const PATH: AsciiSet = NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

fn table(
    folder: &Path,
    columns: &[Column],
    state: &SessionState,
) -> Result<ListingTable, DataFusionError> {
    let text = folder.to_str().ok_or_else(|| {
        DataFusionError::Configuration(format!("{}: not Unicode", folder.display()))
    })?;
    let url = format!("file://{}/", utf8_percent_encode(text, &PATH));
    let parquet = TableParquetOptions {
        global: state.config_options().execution.parquet.clone(),
        ..TableParquetOptions::default()
    };
    let format = ParquetFormat::default().with_options(parquet);
    let options = ListingOptions::new(Arc::new(format)).with_file_extension(".parquet");
    let config = ListingTableConfig::new(ListingTableUrl::parse(url)?)
        .with_listing_options(options)
        .with_schema(schema::table_schema(columns))
        .with_expr_adapter_factory(Arc::new(AdapterFactory));
    // Made anew for each query, the statistics of some ten files took longer than small queries themselves.
    let statistics = state.runtime_env().cache_manager.get_file_statistic_cache();
    Ok(ListingTable::try_new(config)?.with_cache(statistics))
}

#[async_trait]
impl Warehouse for Embedded {
    fn target(&self) -> &Target {
        &self.target
    }

    async fn ready(&self) -> Result<(), WarehouseError> {
        match std::fs::read_dir(&self.data) {
            Ok(_) => Ok(()),
            // Nothing was imported yet: every stream is empty.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(WarehouseError::Unavailable(format!(
                "{}: {error}",
                self.data.display()
            ))),
        }
    }

    async fn run(&self, query: &Compiled, terms: Terms) -> Result<Rows, WarehouseError> {
        let deadline = terms.deadline;
        let at = tokio::time::Instant::from_std(deadline);
        let Some(runtime) = &self.runtime else {
            return Err(WarehouseError::Unavailable("shutting down".to_owned()));
        };
        let waiting = Arc::clone(&self.permits).acquire_owned();
        let permit = match tokio::time::timeout_at(at, waiting).await {
            Ok(Ok(permit)) => permit,
            Ok(Err(closed)) => return Err(WarehouseError::Unavailable(closed.to_string())),
            Err(_) => {
                let message = "all of the engine's places were taken until the deadline";
                return Err(WarehouseError::Unavailable(message.to_owned()));
            }
        };
        let interrupt = Interrupt::default();
        let job = Job {
            shared: Arc::clone(&self.shared),
            query: query.clone(),
            interrupt: interrupt.clone(),
        };
        let ceiling = Arc::clone(&self.shared.ceiling);
        let task = runtime.spawn(async move {
            let result = job.run().await;
            ceiling.tidy();
            drop(permit);
            result
        });
        let _stop = StopOnDrop {
            interrupt,
            task: task.abort_handle(),
        };
        let failed = match tokio::time::timeout_at(at, task).await {
            Ok(Ok(Ok(rows))) => return Ok(rows),
            Ok(Ok(Err(failed))) => failed,
            Ok(Err(error)) => Failed {
                error: WarehouseError::Failure(format!("engine task: {error}")),
                suspect: Some(Suspect::Metadata),
            },
            Err(_) => return Err(WarehouseError::DeadlineExceeded),
        };
        let (WarehouseError::Failure(message), Some(suspect)) = (&failed.error, failed.suspect)
        else {
            return Err(failed.error);
        };
        let folders: Vec<PathBuf> = query
            .reads
            .iter()
            .map(|stream| self.data.join(stream.as_str()))
            .collect();
        let search = runtime.spawn_blocking(move || damage::find(&folders, suspect, deadline));
        let damaged = match tokio::time::timeout_at(at, search).await {
            Ok(Ok(damaged)) => damaged,
            Ok(Err(_)) | Err(_) => Vec::new(),
        };
        let places: String = damaged.iter().map(|file| format!("; {file}")).collect();
        Err(WarehouseError::Failure(format!("{message}{places}")))
    }
}

/// Ends a query that nobody waits for any more.
struct StopOnDrop {
    interrupt: Interrupt,
    task: AbortHandle,
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.interrupt.set();
        self.task.abort();
    }
}

/// One query on the engine's threads.
struct Job {
    shared: Arc<Shared>,
    query: Compiled,
    interrupt: Interrupt,
}

impl Job {
    async fn run(self) -> Result<Rows, Failed> {
        let parameters = self.parameters().map_err(|message| Failed {
            error: WarehouseError::Failure(message),
            suspect: None,
        })?;
        self.execute(parameters).await.map_err(|e| classify(&e))
    }

    fn parameters(&self) -> Result<Vec<(String, ScalarValue)>, String> {
        let parameters = self.query.parameters.iter();
        parameters
            .map(|p| Ok((p.name.to_string(), scalar(&p.value, &p.ty)?)))
            .collect()
    }

    async fn plan(
        &self,
        parameters: Vec<(String, ScalarValue)>,
    ) -> Result<Arc<dyn ExecutionPlan>, DataFusionError> {
        let Shared {
            state,
            subtables,
            tables,
            ..
        } = &*self.shared;
        let readable: BTreeMap<String, Arc<dyn TableSource>> = self
            .query
            .reads
            .iter()
            .filter_map(|stream| {
                let table = Arc::clone(tables.get(stream.as_str())?) as Arc<dyn TableProvider>;
                Some((stream.to_string(), provider_as_source(table)))
            })
            .collect();
        let planner = Planner {
            state,
            subtables,
            tables: &readable,
            parameters,
        };
        let plan = planner.plan(&self.query.sql, &self.query.subtables)?;
        let mut state = state.clone();
        if has_union(&plan)? {
            // Sorted one by one, the branches would be sorted without the keys that are constant in each, and rows
            // of one branch dropped by the least rows of another.
            state.config_mut().options_mut().optimizer.repartition_sorts = false;
        }
        match state.create_physical_plan(&plan).await {
            Ok(plan) => Ok(plan),
            // These rules lose columns below some joins and sub-queries.
            Err(_) => {
                let rules = state.optimizers().iter().cloned();
                let rules = rules.filter(|rule| !FIELD_RULES.contains(&rule.name()));
                let rules = rules.collect();
                SessionStateBuilder::new_from_existing(state)
                    .with_optimizer_rules(rules)
                    .build()
                    .create_physical_plan(&plan)
                    .await
            }
        }
    }

    async fn execute(
        &self,
        parameters: Vec<(String, ScalarValue)>,
    ) -> Result<Rows, DataFusionError> {
        let state = &self.shared.state;
        let plan = self.plan(parameters).await?;
        let plan = interruptible(plan, &self.interrupt, &self.shared.ceiling)?;
        let mut stream = execute_stream(plan, state.task_ctx())?;
        let reservation = MemoryConsumer::new("result").register(&state.runtime_env().memory_pool);
        let wanted = usize::try_from(self.query.max_rows).unwrap_or(usize::MAX);
        let mut result = Rows {
            columns: self.query.columns.clone(),
            ..Rows::default()
        };
        while let Some(batch) = stream.next().await {
            let batch = batch?;
            let left = wanted - result.rows.len();
            result.truncated = batch.num_rows() > left;
            let batch = batch.slice(0, batch.num_rows().min(left));
            reserve(&reservation, &batch)?;
            let rows = rows::encode(&self.query.columns, &batch)
                .map_err(|e| DataFusionError::External(Box::new(e)))?;
            result.rows.extend(rows);
            if result.truncated {
                break;
            }
        }
        Ok(result)
    }
}

/// Returns whether a plan has a set operation.
fn has_union(plan: &LogicalPlan) -> Result<bool, DataFusionError> {
    let mut found = false;
    plan.apply_with_subqueries(|node| {
        found |= matches!(node, LogicalPlan::Union(_));
        Ok(if found {
            TreeNodeRecursion::Stop
        } else {
            TreeNodeRecursion::Continue
        })
    })?;
    Ok(found)
}

/// Accounts for a batch as rows of JSON values.
fn reserve(reservation: &MemoryReservation, batch: &RecordBatch) -> Result<(), DataFusionError> {
    let columns = batch.columns().iter();
    let bytes = columns.map(|column| {
        let data = column.to_data();
        let text = data
            .get_slice_memory_size()
            .unwrap_or_else(|_| column.get_array_memory_size());
        text.saturating_add(values_of(column).saturating_mul(VALUE_BYTES))
    });
    reservation.try_grow(bytes.sum())
}

/// Returns how many JSON values the rows of a column become.
fn values_of(column: &ArrayRef) -> usize {
    let inner = match column.data_type() {
        DataType::List(_) => {
            let list = column.as_list::<i32>();
            let ends = list.value_offsets();
            let at = |end: Option<&i32>| end.and_then(|e| usize::try_from(*e).ok()).unwrap_or(0);
            let (first, last) = (at(ends.first()), at(ends.last()));
            values_of(&list.values().slice(first, last - first))
        }
        DataType::Struct(_) => column.as_struct().columns().iter().map(values_of).sum(),
        _ => 0,
    };
    inner.saturating_add(column.len())
}

/// Returns a parameter's value as the engine's literal of its type.
fn scalar(value: &Value, ty: &Type) -> Result<ScalarValue, String> {
    let text = |text: &Arc<str>| ScalarValue::Utf8(Some(text.to_string()));
    Ok(match value {
        Value::Null => ScalarValue::try_from(&schema::data_type(ty)).map_err(|e| e.to_string())?,
        Value::Bool(value) => ScalarValue::Boolean(Some(*value)),
        Value::Int64(value) => ScalarValue::Int64(Some(*value)),
        Value::Float64(value) => ScalarValue::Float64(Some(*value)),
        Value::Decimal(decimal) => text(decimal)
            .cast_to(&schema::data_type(ty))
            .map_err(|e| e.to_string())?,
        Value::String(value) | Value::Json(value) => text(value),
        Value::Bytes(value) => ScalarValue::Binary(Some(value.to_vec())),
        Value::Date(days) => ScalarValue::Date32(Some(*days)),
        Value::Time(micros) => ScalarValue::Time64Microsecond(Some(*micros)),
        Value::Datetime(micros) => ScalarValue::TimestampMicrosecond(Some(*micros), None),
        Value::Timestamp(micros) => {
            ScalarValue::TimestampMicrosecond(Some(*micros), Some("UTC".into()))
        }
        Value::Array(values) => {
            let element = ty
                .element()
                .ok_or_else(|| format!("an array for a parameter of type {ty}"))?;
            let values = values
                .iter()
                .map(|value| scalar(value, element))
                .collect::<Result<Vec<_>, _>>()?;
            ScalarValue::List(ScalarValue::new_list(
                &values,
                &schema::data_type(element),
                true,
            ))
        }
    })
}
