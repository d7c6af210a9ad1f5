//! Keeps conditions above an aggregation that is a row even of no rows.
//!
//! The engine's rule moves a condition below an aggregation when it reads group keys alone. One that reads no column,
//! such as the value of a sub-query, so comes below an aggregation without keys, and below one with a total: no row is
//! left there, of which the aggregation makes one.

use std::sync::Arc;

use datafusion::common::tree_node::Transformed;
use datafusion::error::Result;
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan};
use datafusion::optimizer::optimizer::{ApplyOrder, Optimizer};
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

/// The engine's rule that moves conditions.
const ENGINE_RULE: &str = "push_down_filter";

/// That rule, but for such aggregations.
#[derive(Debug)]
struct PushDownFilter(Arc<dyn OptimizerRule + Send + Sync>);

/// Returns the rules of the engine with this one in its place.
pub(super) fn rules() -> Vec<Arc<dyn OptimizerRule + Send + Sync>> {
    let rules = Optimizer::new().rules.into_iter();
    rules
        .map(|rule| match rule.name() {
            ENGINE_RULE => Arc::new(PushDownFilter(rule)),
            _ => rule,
        })
        .collect()
}

impl OptimizerRule for PushDownFilter {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.0.apply_order()
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        if let LogicalPlan::Filter(filter) = &plan
            && let LogicalPlan::Aggregate(aggregate) = filter.input.as_ref()
            && is_of_no_rows(aggregate)
        {
            return Ok(Transformed::no(plan));
        }
        self.0.rewrite(plan, config)
    }
}

/// Returns whether an aggregation of no rows is a row.
fn is_of_no_rows(aggregate: &Aggregate) -> bool {
    let mut keys = aggregate.group_expr.iter();
    aggregate.group_expr.is_empty() || keys.any(|key| matches!(key, Expr::GroupingSet(_)))
}
