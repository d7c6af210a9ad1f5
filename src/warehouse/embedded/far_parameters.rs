//! Keeps the parameters of lambdas apart from the columns of the row, wherever an expression ends up.
//!
//! The planner numbers the parameters behind the columns of an operator's input. Rules that move an expression to
//! another input number its columns anew, but not its parameters, which then read columns or nothing.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode as _};
use datafusion::config::ConfigOptions;
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::LambdaVariable;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::{FilterExec, FilterExecBuilder};
use datafusion::physical_plan::joins::utils::JoinFilter;
use datafusion::physical_plan::joins::{NestedLoopJoinExec, NestedLoopJoinExecBuilder};
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};

use super::whole_call::whole;

/// More columns than any input has. A parameter without a column at its place is a parameter.
const FAR: usize = 1 << 30;

/// The rule; it stands before all that move expressions.
#[derive(Debug)]
pub(super) struct FarParameters;

impl PhysicalOptimizerRule for FarParameters {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            if let Some(projection) = node.downcast_ref::<ProjectionExec>() {
                let mut changed = false;
                let mut exprs = Vec::with_capacity(projection.expr().len());
                for ProjectionExpr { expr, alias } in projection.expr() {
                    let far = far(Arc::clone(expr))?;
                    changed |= far.transformed;
                    exprs.push(ProjectionExpr {
                        expr: far.data,
                        alias: alias.clone(),
                    });
                }
                if changed {
                    let input = Arc::clone(projection.input());
                    return Ok(Transformed::yes(Arc::new(ProjectionExec::try_new(
                        exprs, input,
                    )?)));
                }
            } else if let Some(filter) = node.downcast_ref::<FilterExec>() {
                let far = far(Arc::clone(filter.predicate()))?;
                if far.transformed {
                    let filter = FilterExecBuilder::from(filter).with_predicate(far.data);
                    return Ok(Transformed::yes(Arc::new(filter.build()?)));
                }
            } else if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>()
                && let Some(filter) = join.filter()
            {
                let expr = far(Arc::clone(filter.expression()))?.transform_data(whole)?;
                if expr.transformed {
                    let columns = filter.column_indices().to_vec();
                    let filter = JoinFilter::new(expr.data, columns, Arc::clone(filter.schema()));
                    let join = NestedLoopJoinExecBuilder::from(join).with_filter(Some(filter));
                    return Ok(Transformed::yes(Arc::new(join.build()?)));
                }
            }
            Ok(Transformed::no(node))
        })
        .map(|transformed| transformed.data)
    }

    fn name(&self) -> &'static str {
        "FarParameters"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Numbers the parameters in an expression far behind all columns.
fn far(expr: Arc<dyn PhysicalExpr>) -> Result<Transformed<Arc<dyn PhysicalExpr>>> {
    expr.transform_up(|expr| {
        Ok(match expr.downcast_ref::<LambdaVariable>() {
            Some(variable) if variable.index() < FAR => {
                let index = variable.index().saturating_add(FAR);
                let field = Arc::clone(variable.field());
                Transformed::yes(Arc::new(LambdaVariable::new(index, field)))
            }
            _ => Transformed::no(expr),
        })
    })
}
