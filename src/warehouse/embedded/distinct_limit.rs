//! Takes the limit off a DISTINCT that cannot stop at it.
//!
//! The engine lets a DISTINCT under a LIMIT end once it has so many groups. Where a rule that comes later gives it rows
//! in an order, for a window below it, the operator takes the limit for that of the first groups in some order, and
//! fails because no order is told.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode as _};
use datafusion::config::ConfigOptions;
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;

/// The rule; it stands behind all that order rows.
#[derive(Debug)]
pub(super) struct DistinctLimit;

impl PhysicalOptimizerRule for DistinctLimit {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            Ok(match node.downcast_ref::<AggregateExec>() {
                Some(distinct) if fails(distinct) => {
                    Transformed::yes(Arc::new(distinct.with_new_limit_options(None)))
                }
                _ => Transformed::no(node),
            })
        })
        .map(|transformed| transformed.data)
    }

    fn name(&self) -> &'static str {
        "DistinctLimit"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn fails(distinct: &AggregateExec) -> bool {
    distinct
        .limit_options()
        .is_some_and(|limit| limit.descending().is_none())
        && !distinct.is_unordered_unfiltered_group_by_distinct()
}
