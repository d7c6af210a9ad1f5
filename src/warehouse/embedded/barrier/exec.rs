//! The barrier in a physical plan: a node that hands on batches as they are.
//!
//! It refuses every filter but dynamic ones over columns that can be read without failing: top-k bounds and
//! the keys of a join, which are comparisons with constants. It reports no statistics and promises no
//! order: how the caller's part is planned must not depend on rows outside the sub-table, and a sort must
//! not move below.
//!
//! Where a condition of the sub-table itself can fail, nothing at all goes below, and the sub-table is read to
//! its end before any row is handed on: whether it fails, perhaps on a row that is not the caller's, depends
//! on nothing that the caller wrote.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::config::ConfigOptions;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::{Column, DynamicFilterPhysicalExpr};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::execution_plan::CardinalityEffect;
use datafusion::physical_plan::filter_pushdown::{
    ChildFilterDescription, FilterDescription, FilterPushdownPhase,
};
use datafusion::physical_plan::sort_pushdown::SortOrderPushdownResult;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, PlanProperties,
};
use futures::{StreamExt as _, TryStreamExt as _, stream};

use super::leakproof::column_read;
use crate::warehouse::embedded::read_order::in_order;

/// The rows of a sub-table.
#[derive(Debug)]
pub(super) struct SubtableExec {
    input: Arc<dyn ExecutionPlan>,
    /// For each column whether reading it cannot fail.
    readable: Vec<bool>,
    /// Whether a limit or an order may move below.
    open: bool,
    properties: Arc<PlanProperties>,
}

impl SubtableExec {
    pub(super) fn new(input: Arc<dyn ExecutionPlan>, readable: Vec<bool>, open: bool) -> Self {
        let known = EquivalenceProperties::new(input.schema());
        let properties = PlanProperties::clone(input.properties()).with_eq_properties(known);
        Self {
            input,
            readable,
            open,
            properties: Arc::new(properties),
        }
    }

    fn over(&self, input: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        Arc::new(Self::new(input, self.readable.clone(), self.open))
    }

    fn is_readable(&self, index: usize) -> bool {
        self.readable.get(index).copied().unwrap_or(false)
    }

    /// Returns whether a filter compares columns that can be read without failing, and does nothing else.
    fn may_pass(&self, filter: &Arc<dyn PhysicalExpr>) -> bool {
        let Some(filter) = filter.downcast_ref::<DynamicFilterPhysicalExpr>() else {
            return false;
        };
        let operands = filter.children();
        !operands.is_empty()
            && operands
                .iter()
                .all(|operand| column_read(operand).is_some_and(|index| self.is_readable(index)))
    }
}

impl DisplayAs for SubtableExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SubtableExec")
    }
}

impl ExecutionPlan for SubtableExec {
    fn name(&self) -> &'static str {
        "SubtableExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn required_input_distribution(&self) -> Vec<Distribution> {
        vec![if self.open {
            Distribution::UnspecifiedDistribution
        } else {
            Distribution::SinglePartition
        }]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![false]
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
            (Some(input), None) => Ok(self.over(input)),
            _ => Err(DataFusionError::Internal(
                "SubtableExec has one child".to_owned(),
            )),
        }
    }

    fn repartitioned(
        &self,
        target_partitions: usize,
        config: &ConfigOptions,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let input = self.input.repartitioned(target_partitions, config)?;
        Ok(input.map(|input| self.over(input)))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let pool = Arc::clone(context.memory_pool());
        let input = self.input.execute(partition, context)?;
        if self.open {
            return Ok(input);
        }
        let schema = input.schema();
        let reservation = MemoryConsumer::new("subtable").register(&pool);
        let whole = async move {
            let mut input = input;
            let mut batches = Vec::new();
            while let Some(batch) = input.next().await {
                let batch = batch?;
                reservation.try_grow(batch.get_array_memory_size())?;
                batches.push(batch);
            }
            // What was reserved is given back with the last batch.
            let held = batches.into_iter().map(move |batch| {
                let _ = &reservation;
                Ok(batch)
            });
            Ok::<_, DataFusionError>(stream::iter(held))
        };
        let batches = stream::once(whole).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, batches)))
    }

    fn supports_limit_pushdown(&self) -> bool {
        self.open
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        CardinalityEffect::Equal
    }

    fn gather_filters_for_pushdown(
        &self,
        _: FilterPushdownPhase,
        parent_filters: Vec<Arc<dyn PhysicalExpr>>,
        _: &ConfigOptions,
    ) -> Result<FilterDescription> {
        let child = if parent_filters.iter().all(|filter| self.may_pass(filter)) {
            // The filters' columns are found again by name.
            let schema = self.input.schema();
            let columns: HashSet<usize> = schema
                .fields()
                .iter()
                .enumerate()
                .filter(|(index, field)| schema.index_of(field.name()).ok() == Some(*index))
                .map(|(index, _)| index)
                .collect();
            ChildFilterDescription::from_child_with_allowed_indices(
                &parent_filters,
                columns,
                &self.input,
            )?
        } else {
            ChildFilterDescription::all_unsupported(&parent_filters)
        };
        Ok(FilterDescription::new().with_child(child))
    }

    fn try_pushdown_sort(
        &self,
        order: &[PhysicalSortExpr],
    ) -> Result<SortOrderPushdownResult<Arc<dyn ExecutionPlan>>> {
        if !self.open || !order.iter().all(|key| key.expr.is::<Column>()) {
            return Ok(SortOrderPushdownResult::Unsupported);
        }
        Ok(match in_order(&self.input, order)? {
            Some(inner) => SortOrderPushdownResult::Inexact {
                inner: self.over(inner),
            },
            None => SortOrderPushdownResult::Unsupported,
        })
    }
}
