//! Stops plans that would not stop by themselves, and keeps what they make of a batch small.
//!
//! Dropping a query's future reaches it only where it yields, and some operators consume a whole join
//! without yielding once. So every operator asks before each batch whether the query is still wanted and
//! whether the process takes too much, and functions ask the former for each value. Where operators make lists of rows, or rows of lists, they get the rows in small
//! pieces: what they make of a piece they make at once.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use arrow::array::{Array as _, AsArray as _, RecordBatch};
use arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::functions::core::getfield::GetFieldFunc;
use datafusion::physical_expr::expressions::Literal;
use datafusion::physical_expr::{HigherOrderFunctionExpr, PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode};
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::NestedLoopJoinExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::replace_children_if_necessary;
use datafusion::physical_plan::unnest::UnnestExec;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::Stream;

use super::budget;
use super::memory::Ceiling;

/// Tells a running query that nobody waits for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Fails when nobody waits for the query any more.
    pub(super) fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) {
            return Err(DataFusionError::External(Box::new(Interrupted)));
        }
        Ok(())
    }
}

/// The query was interrupted.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub(super) struct Interrupted;

/// Rows of a piece of which lists are made.
const PIECE_ROWS: usize = 512;
/// Rows of the first piece that is cut by time, and of the largest.
const FIRST_PACE: usize = 8;
const MOST_PACE: usize = 8192;
/// An operator that is done with a piece sooner gets more.
const QUICK: Duration = Duration::from_millis(5);
/// An operator that is done with a piece later gets less.
const SLOW: Duration = Duration::from_millis(50);
/// Elements of a piece whose lists become rows, unless a single list has more.
const PIECE_ELEMENTS: usize = 16 * 1024;

/// Returns the plan with the flag asked at each operator, and with small pieces for those on lists.
pub(super) fn interruptible(
    plan: Arc<dyn ExecutionPlan>,
    interrupt: &Interrupt,
    ceiling: &Arc<Ceiling>,
) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(|node| {
        let node = match cut(&node)? {
            Some(cut) => {
                let children = node.children().into_iter().map(|child| {
                    Arc::new(InterruptExec {
                        input: Arc::clone(child),
                        interrupt: interrupt.clone(),
                        ceiling: Arc::clone(ceiling),
                        cut: Some(cut),
                    }) as Arc<dyn ExecutionPlan>
                });
                let children = children.collect();
                replace_children_if_necessary(node, children)?
            }
            None => node,
        };
        Ok(Transformed::yes(Arc::new(InterruptExec {
            input: node,
            interrupt: interrupt.clone(),
            ceiling: Arc::clone(ceiling),
            cut: None,
        }) as Arc<dyn ExecutionPlan>))
    })
    .map(|transformed| transformed.data)
}

/// How batches are cut into pieces.
#[derive(Clone, Copy, Debug)]
enum Cut {
    /// By the number of rows.
    Rows,
    /// By the number of elements in the lists of the rows.
    Elements,
    /// So that the operator comes back for the next piece soon.
    Time,
}

/// Returns how the batches must be cut that an operator gets.
fn cut(node: &Arc<dyn ExecutionPlan>) -> Result<Option<Cut>> {
    if node.is::<UnnestExec>() {
        return Ok(Some(Cut::Elements));
    }
    // It compares a batch with all rows of the other side before it asks for another.
    if node.is::<NestedLoopJoinExec>() {
        return Ok(Some(Cut::Time));
    }
    let mut makes_lists = false;
    let mut has_lambda = false;
    let children = node.children();
    let [input] = children.as_slice() else {
        return Ok(None);
    };
    if let Some(aggregate) = node.downcast_ref::<AggregateExec>() {
        // Behind the first stage the arguments are computed already.
        if aggregate.mode().input_mode() != AggregateInputMode::Raw {
            return Ok(None);
        }
    } else if !node.is::<ProjectionExec>() && !node.is::<FilterExec>() {
        return Ok(None);
    }
    let schema = input.schema();
    node.apply_expressions(&mut |expr| {
        expr.apply(|expr| {
            has_lambda |= expr.is::<HigherOrderFunctionExpr>();
            // A constant is repeated for each row.
            let is_made = expr.is::<ScalarFunctionExpr>()
                || expr.is::<HigherOrderFunctionExpr>()
                || expr.is::<Literal>();
            let makes = is_made
                && ScalarFunctionExpr::try_downcast_func::<GetFieldFunc>(expr.as_ref()).is_none()
                && matches!(expr.data_type(&schema)?, DataType::List(_));
            makes_lists |= makes;
            Ok(if makes && has_lambda {
                TreeNodeRecursion::Stop
            } else {
                TreeNodeRecursion::Continue
            })
        })
    })?;
    // What a lambda makes of a row is for the caller to choose.
    Ok(if has_lambda {
        Some(Cut::Time)
    } else {
        makes_lists.then_some(Cut::Rows)
    })
}

impl Cut {
    /// Returns how many of the rows of a batch are the next piece, `pace` of them where time counts.
    fn next(self, batch: &RecordBatch, pace: usize) -> usize {
        match self {
            Cut::Time => batch.num_rows().min(pace),
            Cut::Rows => batch.num_rows().min(PIECE_ROWS),
            Cut::Elements => {
                let lists: Vec<_> = batch
                    .columns()
                    .iter()
                    .filter_map(|column| column.as_list_opt::<i32>())
                    .collect();
                let mut elements = 0;
                let rows = (0..batch.num_rows()).take_while(|row| {
                    let longest = lists.iter().map(|list| list.value_length(*row)).max();
                    elements += longest.and_then(|l| usize::try_from(l).ok()).unwrap_or(0);
                    elements <= PIECE_ELEMENTS
                });
                rows.count().max(1).min(batch.num_rows())
            }
        }
    }
}

#[derive(Debug)]
struct InterruptExec {
    input: Arc<dyn ExecutionPlan>,
    interrupt: Interrupt,
    ceiling: Arc<Ceiling>,
    cut: Option<Cut>,
}

impl DisplayAs for InterruptExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("InterruptExec")
    }
}

impl ExecutionPlan for InterruptExec {
    fn name(&self) -> &'static str {
        "InterruptExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match (children.pop(), children.pop()) {
            (Some(input), None) => Ok(Arc::new(Self {
                input,
                interrupt: self.interrupt.clone(),
                ceiling: Arc::clone(&self.ceiling),
                cut: self.cut,
            })),
            _ => Err(DataFusionError::Internal(
                "InterruptExec has one child".to_owned(),
            )),
        }
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        Ok(Box::pin(InterruptStream {
            input: self.input.execute(partition, context)?,
            interrupt: self.interrupt.clone(),
            ceiling: Arc::clone(&self.ceiling),
            cut: self.cut,
            rest: None,
            pace: FIRST_PACE,
            handed_on: None,
        }))
    }
}

struct InterruptStream {
    input: SendableRecordBatchStream,
    interrupt: Interrupt,
    ceiling: Arc<Ceiling>,
    cut: Option<Cut>,
    /// What is left of a batch that is cut.
    rest: Option<RecordBatch>,
    /// Rows of a piece, where it is cut by time.
    pace: usize,
    /// When the last piece was handed on.
    handed_on: Option<Instant>,
}

impl InterruptStream {
    /// Makes pieces longer while the operator is quick, and shorter when it takes its time.
    fn keep_pace(&mut self) {
        let Some(handed_on) = self.handed_on.take() else {
            return;
        };
        let took = handed_on.elapsed();
        if took < QUICK {
            self.pace = (self.pace * 2).min(MOST_PACE);
        } else if took > SLOW {
            self.pace = (self.pace / 4).max(1);
        }
    }

    /// Returns the first piece of a batch and keeps the others.
    fn piece(&mut self, batch: RecordBatch) -> RecordBatch {
        let Some(cut) = self.cut else {
            return batch;
        };
        let (rows, next) = (batch.num_rows(), cut.next(&batch, self.pace));
        if next == rows {
            return batch;
        }
        self.rest = Some(batch.slice(next, rows - next));
        batch.slice(0, next)
    }
}

impl Stream for InterruptStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let _running = budget::run(&self.interrupt);
        if let Err(ended) = self.interrupt.check().and_then(|()| self.ceiling.check()) {
            return Poll::Ready(Some(Err(ended)));
        }
        if matches!(self.cut, Some(Cut::Time)) {
            self.keep_pace();
        }
        let batch = match self.rest.take() {
            Some(rest) => rest,
            None => match ready!(self.input.as_mut().poll_next(context)) {
                Some(Ok(batch)) => batch,
                other => return Poll::Ready(other),
            },
        };
        let batch = self.piece(batch);
        budget::begin(size(&batch));
        self.handed_on = self.cut.map(|_| Instant::now());
        Poll::Ready(Some(Ok(batch)))
    }
}

/// Returns the bytes of a batch's own rows.
fn size(batch: &RecordBatch) -> usize {
    let columns = batch.columns().iter();
    let sizes = columns.map(|column| column.to_data().get_slice_memory_size().unwrap_or(0));
    sizes.sum()
}

impl RecordBatchStream for InterruptStream {
    fn schema(&self) -> SchemaRef {
        self.input.schema()
    }
}
