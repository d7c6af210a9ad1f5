//! Names the tables of the columns in join keys.
//!
//! The optimiser's rule that takes reads of record fields out of a join leaves columns without their table in
//! keys such as `upper(get_field(a.metadata, 'id'))`. The planner then makes a column of the key, under a name
//! with the table, and looks for it under the one without.

use datafusion::common::tree_node::Transformed;
use datafusion::error::Result;
use datafusion::logical_expr::LogicalPlan;
use datafusion::logical_expr::expr_rewriter::normalize_col;
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

/// The rule; it stands behind those of the engine.
#[derive(Debug)]
pub(super) struct QualifyJoinKeys;

impl OptimizerRule for QualifyJoinKeys {
    fn name(&self) -> &'static str {
        "qualify_join_keys"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Join(mut join) = plan else {
            return Ok(Transformed::no(plan));
        };
        let mut changed = false;
        for (left, right) in &mut join.on {
            for (key, side) in [(left, &join.left), (right, &join.right)] {
                let qualified = normalize_col(key.clone(), side)?;
                changed |= qualified != *key;
                *key = qualified;
            }
        }
        Ok(Transformed::new_transformed(
            LogicalPlan::Join(join),
            changed,
        ))
    }
}
