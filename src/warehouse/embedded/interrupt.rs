//! Stops plans that would not stop by themselves.
//!
//! Dropping a query's future reaches it only where it yields, and some operators consume a whole join
//! without yielding once. So whatever produces rows, scans and operators that multiply rows, asks a
//! shared flag before each batch and fails when the query is no longer wanted.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::Stream;

/// Tells a running query that nobody waits for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The query was interrupted.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub(super) struct Interrupted;

/// Returns the plan with the flag asked at each source of rows.
pub(super) fn interruptible(
    plan: Arc<dyn ExecutionPlan>,
    interrupt: &Interrupt,
) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(|node| {
        let multiplies = node.children().len() != 1 || node.name() == "UnnestExec";
        if !multiplies {
            return Ok(Transformed::no(node));
        }
        Ok(Transformed::yes(Arc::new(InterruptExec {
            input: node,
            interrupt: interrupt.clone(),
        }) as Arc<dyn ExecutionPlan>))
    })
    .map(|transformed| transformed.data)
}

#[derive(Debug)]
struct InterruptExec {
    input: Arc<dyn ExecutionPlan>,
    interrupt: Interrupt,
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
        }))
    }
}

struct InterruptStream {
    input: SendableRecordBatchStream,
    interrupt: Interrupt,
}

impl Stream for InterruptStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.interrupt.is_set() {
            return Poll::Ready(Some(Err(DataFusionError::External(Box::new(Interrupted)))));
        }
        self.input.as_mut().poll_next(context)
    }
}

impl RecordBatchStream for InterruptStream {
    fn schema(&self) -> SchemaRef {
        self.input.schema()
    }
}
