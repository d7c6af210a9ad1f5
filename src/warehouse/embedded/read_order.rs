//! Reads files in the order of a sort that wants the first rows, also where conditions stand between.
//!
//! The engine reads the files of the latest rows first for `ORDER BY timestamp DESC LIMIT 100`, and then skips
//! what cannot come before the rows that it has. Its own rule stops at the first condition, though a
//! condition keeps the order of its rows.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode as _};
use datafusion::config::ConfigOptions;
use datafusion::error::Result;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{ExecutionPlan, replace_children_if_necessary};

use super::distinct_limit::DistinctLimit;
use super::far_parameters::FarParameters;
use super::shared_scan::SharedScan;

/// The engine's rule for sorts right above what is read.
const ENGINE_RULE: &str = "PushdownSort";
/// A condition hands on its rows when it has so many. The engine gathers thousands, of which the sort learns when most
/// is read.
const PROMPT_ROWS: usize = 128;

/// The rule.
#[derive(Debug)]
struct ReadInOrder;

/// Returns the rules of the engine and those of the project.
pub(super) fn rules() -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    let mut rules = PhysicalOptimizer::new().rules;
    let place = rules.iter().position(|rule| rule.name() == ENGINE_RULE);
    rules.insert(place.unwrap_or(rules.len()), Arc::new(ReadInOrder));
    rules.insert(0, Arc::new(FarParameters));
    rules.push(Arc::new(DistinctLimit));
    rules.push(Arc::new(SharedScan));
    rules
}

impl PhysicalOptimizerRule for ReadInOrder {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_down(|node| {
            let Some(sort) = node.downcast_ref::<SortExec>() else {
                return Ok(Transformed::no(node));
            };
            let (input, order) = (sort.input(), sort.expr());
            if sort.fetch().is_none() || input.try_pushdown_sort(order)?.into_inner().is_some() {
                return Ok(Transformed::no(node));
            }
            Ok(match in_order(input, order)? {
                Some(input) => Transformed::yes(replace_children_if_necessary(node, vec![input])?),
                None => Transformed::no(node),
            })
        })
        .map(|transformed| transformed.data)
    }

    fn name(&self) -> &'static str {
        "ReadInOrder"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns a node that reads its files in an order, as far as they have it; `None` if it cannot.
pub(super) fn in_order(
    node: &Arc<dyn ExecutionPlan>,
    order: &[PhysicalSortExpr],
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let below = if let Some(filter) = node.downcast_ref::<FilterExec>() {
        let places = filter.projection().as_deref();
        let input = filter.input();
        let order = renamed(order, |index| {
            let index = places.map_or(Some(index), |places| places.get(index).copied())?;
            let schema = input.schema();
            let field = schema.fields().get(index)?;
            Some(Arc::new(Column::new(field.name(), index)))
        });
        Some((input, order))
    } else if let Some(projection) = node.downcast_ref::<ProjectionExec>() {
        let order = renamed(order, |index| {
            let column = projection.expr().get(index)?;
            column.expr.is::<Column>().then(|| Arc::clone(&column.expr))
        });
        Some((projection.input(), order))
    } else {
        None
    };
    match below {
        Some((_, None)) => Ok(None),
        Some((input, Some(order))) => match in_order(input, &order)? {
            Some(input) => replace_children_if_necessary(prompt(node)?, vec![input]).map(Some),
            None => Ok(None),
        },
        None => Ok(node.try_pushdown_sort(order)?.into_inner()),
    }
}

/// Returns a node that does not gather rows for long.
fn prompt(node: &Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    Ok(match node.downcast_ref::<FilterExec>() {
        Some(filter) => Arc::new(filter.with_batch_size(PROMPT_ROWS)?),
        None => Arc::clone(node),
    })
}

/// Returns an order by columns as one by the columns that these are below; `None` where one is more than a column.
fn renamed(
    order: &[PhysicalSortExpr],
    below: impl Fn(usize) -> Option<Arc<dyn PhysicalExpr>>,
) -> Option<Vec<PhysicalSortExpr>> {
    let keys = order.iter().map(|key| {
        let expr = below(key.expr.downcast_ref::<Column>()?.index())?;
        Some(PhysicalSortExpr {
            expr,
            options: key.options,
        })
    });
    keys.collect()
}
