//! Which columns of a plan can be read without evaluating anything that can fail.
//!
//! A filter over `CAST(x AS INT64) AS n` moves below the projection as a filter over the cast. So a filter
//! on a column is only as harmless as what the column is made of.

use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::functions::core::getfield::GetFieldFunc;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, Operator};

use super::leakproof::Input;
use crate::warehouse::embedded::functions::is_total as is_total_function;
use crate::warehouse::embedded::presence::IsPresent;

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

/// Returns whether every condition by which a plan chooses its rows gives an answer for any row.
///
/// A condition that can fail is evaluated on rows outside of the sub-table, too: it is part of what decides
/// about them. Whether it fails must then not depend on what the caller asks for.
pub(super) fn chooses_without_failing(plan: &LogicalPlan) -> bool {
    let conditions: Vec<&Expr> = match plan {
        LogicalPlan::Filter(filter) => vec![&filter.predicate],
        LogicalPlan::Join(join) => join.filter.iter().collect(),
        LogicalPlan::TableScan(scan) => scan.filters.iter().collect(),
        _ => Vec::new(),
    };
    conditions.into_iter().all(is_total) && plan.inputs().into_iter().all(chooses_without_failing)
}

/// Returns whether a condition gives an answer for any row.
pub(in crate::warehouse::embedded) fn is_total(condition: &Expr) -> bool {
    let mut total = true;
    let walked = condition.apply(|expr| {
        if is_constant(expr) {
            return Ok(TreeNodeRecursion::Jump);
        }
        total &= match expr {
            Expr::Column(_)
            | Expr::Literal(..)
            | Expr::Alias(_)
            | Expr::Not(_)
            | Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::IsTrue(_)
            | Expr::IsFalse(_)
            | Expr::IsUnknown(_)
            | Expr::IsNotTrue(_)
            | Expr::IsNotFalse(_)
            | Expr::IsNotUnknown(_)
            | Expr::Between(_)
            | Expr::Case(_)
            | Expr::InList(_) => true,
            Expr::Like(like) => matches!(*like.pattern, Expr::Literal(..)),
            Expr::BinaryExpr(binary) => binary.op.is_logic_operator() || is_comparison(binary.op),
            Expr::ScalarFunction(call) => is_total_call(call),
            _ => false,
        };
        Ok(if total {
            TreeNodeRecursion::Continue
        } else {
            TreeNodeRecursion::Stop
        })
    });
    total && walked.is_ok()
}

fn is_comparison(op: Operator) -> bool {
    matches!(
        op,
        Operator::Eq
            | Operator::NotEq
            | Operator::Lt
            | Operator::LtEq
            | Operator::Gt
            | Operator::GtEq
            | Operator::IsDistinctFrom
            | Operator::IsNotDistinctFrom
    )
}

/// Returns whether a value is the same for every row, and so known before there is one.
fn is_constant(expr: &Expr) -> bool {
    let of_constants = matches!(
        expr,
        Expr::ScalarFunction(_) | Expr::Cast(_) | Expr::Literal(..)
    );
    let reads = |expr: &Expr| {
        Ok(!matches!(
            expr,
            Expr::ScalarFunction(_) | Expr::Cast(_) | Expr::Literal(..)
        ))
    };
    of_constants && !expr.exists(reads).unwrap_or(true)
}

fn is_total_call(call: &ScalarFunction) -> bool {
    let function = call.func.inner();
    let constants: Vec<&str> = call
        .args
        .iter()
        .filter_map(|arg| match arg {
            Expr::Literal(value, _) => value.try_as_str().flatten(),
            _ => None,
        })
        .collect();
    function.is::<GetFieldFunc>()
        || function.is::<IsPresent>()
        || matches!(
            call.func.name(),
            "compare_float64" | "in_array" | "coalesce"
        )
        || is_total_function(call.func.name(), &constants)
}

fn values(exprs: &[Expr], input: &LogicalPlan) -> Vec<bool> {
    let readable = readable(input);
    let input = Input {
        schema: input.schema(),
        readable: &readable,
    };
    exprs.iter().map(|expr| input.is_value(expr)).collect()
}
