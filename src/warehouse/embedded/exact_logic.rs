//! Keeps from the engine's simplifier what it would change the meaning of.
//!
//! - It joins two lists that a value is looked up in, `x IN (1, 2) AND x IN (3, 4)`, also those that it makes of
//!   `x = 1 OR x = 2`, and asks neither whether the value is NULL nor whether an item is. So the values in a clash are
//!   told apart, and no longer are the same to it.
//! - It makes AND and OR of a CASE that gives BOOL, and evaluates all of that on every row: the branch that a row does
//!   not take must not fail on it. So such a CASE becomes one that compares TRUE with each condition, which it leaves.

use arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode as _, TreeNodeRecursion};
use datafusion::common::{DFSchema, internal_err};
use datafusion::error::Result;
use datafusion::logical_expr::expr::{BinaryExpr, Case, InList, ScalarFunction};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ExprSchemable as _, LogicalPlan, Operator, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature, Volatility, lit,
};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

use super::barrier::is_total;

/// The rule; it stands before the simplifier.
#[derive(Debug)]
pub(super) struct ExactLogic;

impl OptimizerRule for ExactLogic {
    fn name(&self) -> &'static str {
        "exact_logic"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let schema = merge_schema(&plan.inputs());
        let condition = matches!(plan, LogicalPlan::Filter(_) | LogicalPlan::Join(_));
        let names = NamePreserver::new(&plan);
        plan.map_expressions(|expr| {
            let name = names.save(&expr);
            let lazy = expr.transform_up(|expr| guarded(expr, &schema))?;
            let expr = lazy.transform_data(|expr| told_apart(expr, condition))?;
            Ok(expr.update_data(|expr| name.restore(expr)))
        })
    }
}

/// Keeps a CASE or COALESCE of BOOL, or one of constants, which are compared with others, where a branch can fail.
fn guarded(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let case = match &expr {
        Expr::Case(case) if case.expr.is_none() => case.clone(),
        Expr::ScalarFunction(ScalarFunction { func, args }) if func.name() == "coalesce" => {
            let Some((last, [first, more @ ..])) = args.split_last() else {
                return Ok(Transformed::no(expr));
            };
            let branches = std::iter::once(first).chain(more);
            let branch = |arg: &Expr| (Box::new(arg.clone().is_not_null()), Box::new(arg.clone()));
            Case::new(
                None,
                branches.map(branch).collect(),
                Some(Box::new(last.clone())),
            )
        }
        _ => return Ok(Transformed::no(expr)),
    };
    let is_bool = |value: &Expr| {
        value
            .get_type(schema)
            .is_ok_and(|ty| ty == DataType::Boolean)
    };
    let is_literal = |value: &Expr| matches!(value, Expr::Literal(..));
    let conditions = case.when_then_expr.iter().map(|(when, _)| when.as_ref());
    let values: Vec<&Expr> = case
        .when_then_expr
        .iter()
        .map(|(_, then)| then)
        .chain(&case.else_expr)
        .map(AsRef::as_ref)
        .collect();
    let changes = values.iter().any(|value| is_bool(value)) || values.iter().all(|v| is_literal(v));
    let total = conditions
        .skip(1)
        .chain(values.iter().copied())
        .all(is_total);
    if !changes || total {
        return Ok(Transformed::no(expr));
    }
    Ok(Transformed::yes(Expr::Case(Case {
        expr: Some(Box::new(lit(true))),
        ..case
    })))
}

/// Tells the values apart that are looked up in more than one list.
///
/// `condition` says that NULL does what FALSE does, so that most such lists can be joined.
fn told_apart(expr: Expr, condition: bool) -> Result<Transformed<Expr>> {
    if condition && is_joined_well(&expr, false) {
        return Ok(Transformed::no(expr));
    }
    expr.transform_down(|expr| {
        if !is_logic(&expr) {
            return Ok(Transformed::no(expr));
        }
        let clashing = clashing(&expr);
        if clashing.is_empty() {
            return Ok(Transformed::new(expr, false, TreeNodeRecursion::Jump));
        }
        let mut number = 0;
        let apart = expr.transform_up(|expr| {
            Ok(match looked_up(&expr) {
                Some(value) if clashing.contains(value) => {
                    number += 1;
                    Transformed::yes(with_value_apart(expr, number))
                }
                _ => Transformed::no(expr),
            })
        })?;
        Ok(Transformed::new(apart.data, true, TreeNodeRecursion::Jump))
    })
}

/// Returns whether joined lists choose the same rows in a condition: they hold constants, and none is one of NOT IN
/// beside OR, which would be true of NULL.
fn is_joined_well(condition: &Expr, in_or: bool) -> bool {
    match condition {
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: op @ (Operator::And | Operator::Or),
            right,
        }) => {
            let in_or = in_or || *op == Operator::Or;
            is_joined_well(left, in_or) && is_joined_well(right, in_or)
        }
        Expr::InList(InList { list, negated, .. }) => {
            let constants = |item: &Expr| matches!(item, Expr::Literal(item, _) if !item.is_null());
            !(*negated && in_or) && list.iter().all(constants)
        }
        Expr::Not(_) => false,
        other => !other.exists(|part| Ok(is_logic(part))).unwrap_or_default(),
    }
}

fn is_logic(expr: &Expr) -> bool {
    match expr {
        Expr::Not(_) => true,
        Expr::BinaryExpr(binary) => matches!(binary.op, Operator::And | Operator::Or),
        _ => false,
    }
}

/// Returns the value that an expression looks up in a list, or compares with a constant.
fn looked_up(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::InList(InList { expr, .. }) => Some(expr),
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::Eq,
            right,
        }) => match (left.as_ref(), right.as_ref()) {
            (column @ Expr::Column(_), Expr::Literal(..))
            | (Expr::Literal(..), column @ Expr::Column(_)) => Some(column),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the values that are looked up in two lists. Two comparisons make one.
fn clashing(logic: &Expr) -> Vec<Expr> {
    const LIST: usize = 2;
    let mut found: Vec<(Expr, usize)> = Vec::new();
    // The closure does not fail.
    let _ = logic.apply(|expr| {
        let weight = if matches!(expr, Expr::InList(_)) {
            LIST
        } else {
            1
        };
        match looked_up(expr) {
            Some(Expr::Literal(..)) | None => {}
            Some(value) => match found.iter_mut().find(|(other, _)| other == value) {
                Some((_, weights)) => *weights += weight,
                None => found.push((value.clone(), weight)),
            },
        }
        Ok(TreeNodeRecursion::Continue)
    });
    let clashing = found
        .into_iter()
        .filter(|(_, weights)| *weights >= 2 * LIST);
    clashing.map(|(value, _)| value).collect()
}

fn with_value_apart(expr: Expr, number: i64) -> Expr {
    match expr {
        Expr::InList(InList {
            expr,
            list,
            negated,
        }) => Expr::InList(InList::new(Box::new(apart(*expr, number)), list, negated)),
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let apart = |side: Box<Expr>| match *side {
                column @ Expr::Column(_) => Box::new(apart(column, number)),
                other => Box::new(other),
            };
            Expr::BinaryExpr(BinaryExpr::new(apart(left), op, apart(right)))
        }
        other => other,
    }
}

fn apart(value: Expr, number: i64) -> Expr {
    ScalarUDF::new_from_impl(Apart {
        signature: Signature::any(2, Volatility::Immutable),
    })
    .call(vec![value, lit(number)])
}

/// `apart(value, number)`: the value.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Apart {
    signature: Signature,
}

impl ScalarUDFImpl for Apart {
    fn name(&self) -> &'static str {
        "apart"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [value, _] => Ok(value.clone()),
            _ => internal_err!("apart takes a value and a number"),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match args.args.as_slice() {
            [value, _] => Ok(value.clone()),
            _ => internal_err!("apart takes a value and a number"),
        }
    }
}
