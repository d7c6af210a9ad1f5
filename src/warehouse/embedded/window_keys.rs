//! Gives the window functions of one node the same sort keys.
//!
//! The optimiser's rule that computes a common expression once puts an alias around it for one function and none for
//! another. The planner then takes the keys of two functions with one order for different ones.

use datafusion::common::tree_node::{Transformed, TreeNode as _};
use datafusion::error::Result;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Expr, LogicalPlan, Window};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

/// The rule; it stands behind those of the engine.
#[derive(Debug)]
pub(super) struct PlainWindowKeys;

impl OptimizerRule for PlainWindowKeys {
    fn name(&self) -> &'static str {
        "plain_window_keys"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Window(window) = plan else {
            return Ok(Transformed::no(plan));
        };
        let Window {
            input,
            window_expr,
            schema,
        } = window;
        let names = NamePreserver::new_for_projection();
        let mut changed = false;
        let mut exprs = Vec::with_capacity(window_expr.len());
        for expr in window_expr {
            let name = names.save(&expr);
            let plain = expr.transform_up(plain_keys)?;
            changed |= plain.transformed;
            exprs.push(name.restore(plain.data));
        }
        let window = Window::try_new_with_schema(exprs, input, schema)?;
        Ok(Transformed::new_transformed(
            LogicalPlan::Window(window),
            changed,
        ))
    }
}

/// Takes the aliases out of the keys of a window function.
fn plain_keys(expr: Expr) -> Result<Transformed<Expr>> {
    let Expr::WindowFunction(mut function) = expr else {
        return Ok(Transformed::no(expr));
    };
    let mut changed = false;
    let params = &mut function.params;
    let order = params.order_by.iter_mut().map(|key| &mut key.expr);
    for key in params.partition_by.iter_mut().chain(order) {
        let plain = std::mem::take(key).unalias_nested();
        changed |= plain.transformed;
        *key = plain.data;
    }
    Ok(Transformed::new_transformed(
        Expr::WindowFunction(function),
        changed,
    ))
}
