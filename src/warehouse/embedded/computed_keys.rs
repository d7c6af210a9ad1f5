//! Computes what rows are ordered by before they are ordered, where it is more than a read.
//!
//! The engine asks of each part of a sort key in which range its values are, has no answer for calls and CASE, and fails
//! on an operator with such an operand: it then does not believe that the rows which it ordered are in order.

use std::sync::Arc;

use datafusion::common::Column;
use datafusion::common::tree_node::{Transformed, TreeNode as _};
use datafusion::error::Result;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Expr, LogicalPlan, Projection, Sort, Window};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

/// What a computed key is called. No query names a column like this.
const KEY: &str = "sort_key$";

/// The rule; it stands behind those of the engine.
#[derive(Debug)]
pub(super) struct ComputedKeys;

impl OptimizerRule for ComputedKeys {
    fn name(&self) -> &'static str {
        "computed_keys"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let mut keys = Keys::default();
        let ordered = match plan.clone() {
            LogicalPlan::Sort(Sort {
                mut expr,
                input,
                fetch,
            }) => {
                for key in &mut expr {
                    keys.take(&mut key.expr);
                }
                let input = keys.beside(&input)?;
                LogicalPlan::Sort(Sort { expr, input, fetch })
            }
            LogicalPlan::Window(window) => {
                let names = NamePreserver::new_for_projection();
                let mut exprs = Vec::with_capacity(window.window_expr.len());
                for expr in window.window_expr {
                    let name = names.save(&expr);
                    let expr = expr.transform_up(|expr| keys.of_a_window(expr))?;
                    exprs.push(name.restore(expr.data));
                }
                LogicalPlan::Window(Window::try_new(exprs, keys.beside(&window.input)?)?)
            }
            _ => return Ok(Transformed::no(plan)),
        };
        if keys.exprs.is_empty() {
            return Ok(Transformed::no(plan));
        }
        let columns = plan.schema().columns().into_iter().map(Expr::Column);
        let projection = Projection::try_new_with_schema(
            columns.collect(),
            Arc::new(ordered),
            Arc::clone(plan.schema()),
        )?;
        Ok(Transformed::yes(LogicalPlan::Projection(projection)))
    }
}

/// The computed keys of a node.
#[derive(Default)]
struct Keys {
    exprs: Vec<Expr>,
}

impl Keys {
    /// Puts the name of a key in its place, if it is to be computed before.
    fn take(&mut self, key: &mut Expr) {
        let computed = |expr: &Expr| {
            matches!(
                expr,
                Expr::BinaryExpr(_) | Expr::Not(_) | Expr::Negative(_) | Expr::Between(_)
            )
        };
        if !key.exists(|expr| Ok(computed(expr))).unwrap_or_default() {
            return;
        }
        let known = self.exprs.iter().position(|known| known == key);
        let number = known.unwrap_or_else(|| {
            self.exprs.push(key.clone());
            self.exprs.len() - 1
        });
        *key = Expr::Column(Column::new_unqualified(name(number)));
    }

    fn of_a_window(&mut self, expr: Expr) -> Result<Transformed<Expr>> {
        let Expr::WindowFunction(mut function) = expr else {
            return Ok(Transformed::no(expr));
        };
        for key in &mut function.params.order_by {
            self.take(&mut key.expr);
        }
        Ok(Transformed::yes(Expr::WindowFunction(function)))
    }

    /// Returns the input with the keys as columns beside its own.
    fn beside(&self, input: &Arc<LogicalPlan>) -> Result<Arc<LogicalPlan>> {
        if self.exprs.is_empty() {
            return Ok(Arc::clone(input));
        }
        let columns = input.schema().columns().into_iter().map(Expr::Column);
        let keys = self.exprs.iter().enumerate();
        let keys = keys.map(|(number, key)| key.clone().alias(name(number)));
        let projection = Projection::try_new(columns.chain(keys).collect(), Arc::clone(input))?;
        Ok(Arc::new(LogicalPlan::Projection(projection)))
    }
}

fn name(number: usize) -> String {
    format!("{KEY}{number}")
}
