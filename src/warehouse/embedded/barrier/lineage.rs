//! Which columns of a plan can be read without evaluating anything that can fail.
//!
//! A filter over `CAST(x AS INT64) AS n` moves below the projection as a filter over the cast. So a filter
//! on a column is only as harmless as what the column is made of.

use datafusion::logical_expr::{Expr, JoinType, LogicalPlan};

use super::leakproof::Input;

/// Returns for each column of a plan whether it comes from a table by way of plain reads alone.
pub(super) fn readable(plan: &LogicalPlan) -> Vec<bool> {
    let width = plan.schema().fields().len();
    let mut columns = match plan {
        LogicalPlan::TableScan(_) => vec![true; width],
        LogicalPlan::SubqueryAlias(alias) => readable(&alias.input),
        LogicalPlan::Filter(filter) => readable(&filter.input),
        LogicalPlan::Sort(sort) => readable(&sort.input),
        LogicalPlan::Limit(limit) => readable(&limit.input),
        LogicalPlan::Projection(projection) => values(&projection.expr, &projection.input),
        LogicalPlan::Aggregate(aggregate) => {
            let grouped = aggregate
                .group_expr
                .iter()
                .any(|key| matches!(key, Expr::GroupingSet(_)));
            if grouped {
                Vec::new()
            } else {
                values(&aggregate.group_expr, &aggregate.input)
            }
        }
        LogicalPlan::Window(window) => readable(&window.input),
        LogicalPlan::Unnest(unnest) => {
            let input = readable(&unnest.input);
            let made: Vec<usize> = unnest
                .list_type_columns
                .iter()
                .map(|(index, _)| *index)
                .chain(unnest.struct_type_columns.iter().copied())
                .collect();
            unnest
                .dependency_indices
                .iter()
                .map(|from| !made.contains(from) && input.get(*from).copied().unwrap_or(false))
                .collect()
        }
        LogicalPlan::Union(union) => union
            .inputs
            .iter()
            .map(|input| readable(input))
            .reduce(|all, arm| all.iter().zip(&arm).map(|(a, b)| *a && *b).collect())
            .unwrap_or_default(),
        LogicalPlan::Join(join) => match join.join_type {
            JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full => {
                let mut columns = readable(&join.left);
                columns.extend(readable(&join.right));
                columns
            }
            JoinType::LeftSemi | JoinType::LeftAnti => readable(&join.left),
            JoinType::RightSemi | JoinType::RightAnti => readable(&join.right),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    // Columns that a node adds behind those of its input are made by it.
    columns.resize(width, false);
    columns
}

fn values(exprs: &[Expr], input: &LogicalPlan) -> Vec<bool> {
    let readable = readable(input);
    let input = Input {
        schema: input.schema(),
        readable: &readable,
    };
    exprs.iter().map(|expr| input.is_value(expr)).collect()
}
