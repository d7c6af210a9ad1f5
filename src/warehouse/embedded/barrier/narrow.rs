//! Takes reads of record fields below the barrier, so that no other field is read from the files.
//!
//! The optimiser's own rules bring such reads down to the scan of a sub-table, and stop there: a scan has
//! columns and no expressions. `get_field(metadata, 'path')` over a sub-table becomes a column of a
//! sub-table that has just this field, and in its plan the same rules bring the read down to the files.

use std::any::Any;
use std::sync::Arc;

use datafusion::common::Column;
use datafusion::common::tree_node::Transformed;
use datafusion::datasource::{provider_as_source, source_as_provider};
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Projection, TableScan};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

use super::Subtable;

/// The rule; it stands behind all others.
#[derive(Debug)]
pub(in crate::warehouse::embedded) struct NarrowSubtables;

impl OptimizerRule for NarrowSubtables {
    fn name(&self) -> &'static str {
        "narrow_subtables"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Projection(projection) = &plan else {
            return Ok(Transformed::no(plan));
        };
        Ok(match narrowed(projection)? {
            Some(narrowed) => Transformed::yes(LogicalPlan::Projection(narrowed)),
            None => Transformed::no(plan),
        })
    }
}

fn narrowed(projection: &Projection) -> Result<Option<Projection>> {
    let reads_fields = projection
        .expr
        .iter()
        .any(|expr| !matches!(expr.clone().unalias_nested().data, Expr::Column(_)));
    let LogicalPlan::TableScan(scan) = projection.input.as_ref() else {
        return Ok(None);
    };
    let TableScan {
        table_name,
        source,
        filters,
        fetch: None,
        ..
    } = scan
    else {
        return Ok(None);
    };
    let Ok(provider) = source_as_provider(source) else {
        return Ok(None);
    };
    let Some(subtable) = (provider.as_ref() as &dyn Any).downcast_ref::<Subtable>() else {
        return Ok(None);
    };
    if !reads_fields {
        return Ok(None);
    }
    let names: Vec<String> = (0..projection.expr.len())
        .map(|i| format!("c{i}"))
        .collect();
    let Some(table) = subtable.narrowed(filters, &projection.expr, &names)? else {
        return Ok(None);
    };
    let source = provider_as_source(Arc::new(table));
    let input = LogicalPlanBuilder::scan(table_name.clone(), source, None)?.build()?;
    let columns = names
        .into_iter()
        .zip(projection.schema.iter())
        .map(|(name, (qualifier, field))| {
            Expr::Column(Column::new(Some(table_name.clone()), name))
                .alias_qualified(qualifier.cloned(), field.name())
        })
        .collect();
    let schema = Arc::clone(&projection.schema);
    Projection::try_new_with_schema(columns, Arc::new(input), schema).map(Some)
}
