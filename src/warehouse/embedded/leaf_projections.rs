//! Leaves a plan as it is where the engine's rule that moves reads of fields towards the scans fails.
//!
//! The rule loses a column below some outer joins and joins of equal names ("No field named …"). Reading a field later
//! gives the same rows.

use std::sync::Arc;

use datafusion::common::tree_node::Transformed;
use datafusion::error::Result;
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

/// The engine's rule.
const ENGINE_RULE: &str = "push_down_leaf_projections";

/// That rule, but for plans that it fails on.
#[derive(Debug)]
struct PushDownLeafProjections(Arc<dyn OptimizerRule + Send + Sync>);

/// Returns a rule, or this one in the place of the engine's.
pub(super) fn in_place_of(
    rule: Arc<dyn OptimizerRule + Send + Sync>,
) -> Arc<dyn OptimizerRule + Send + Sync> {
    match rule.name() {
        ENGINE_RULE => Arc::new(PushDownLeafProjections(rule)),
        _ => rule,
    }
}

impl OptimizerRule for PushDownLeafProjections {
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
        let before = plan.clone();
        Ok(match self.0.rewrite(plan, config) {
            Ok(moved) => moved,
            Err(_) => Transformed::no(before),
        })
    }
}
