//! Which expressions cannot fail on any value. What is not listed can.
//!
//! Arithmetic, casts, subscripts and functions are absent on purpose, also those that happen not to fail:
//! the list is short enough to be checked by reading it.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::{Column, DFSchema, ScalarValue};
use datafusion::functions::core::getfield::GetFieldFunc;
use datafusion::logical_expr::expr::{Between, BinaryExpr, InList, Like, ScalarFunction};
use datafusion::logical_expr::{Expr, ExprSchemable as _, Operator};
use datafusion::physical_expr::expressions::{Column as PhysicalColumn, Literal};
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};

use crate::warehouse::embedded::presence::IsPresent;

/// Longer patterns of LIKE stay above: matching compiles them, which has a limit of its own.
const PATTERN_BYTES: usize = 256;

/// The rows that a predicate is about.
pub(super) struct Input<'a> {
    pub(super) schema: &'a DFSchema,
    /// For each column whether reading it cannot fail.
    pub(super) readable: &'a [bool],
}

impl Input<'_> {
    /// Returns whether a predicate cannot fail on any row.
    pub(super) fn is_leakproof(&self, predicate: &Expr) -> bool {
        match predicate {
            Expr::Not(operand)
            | Expr::IsTrue(operand)
            | Expr::IsFalse(operand)
            | Expr::IsUnknown(operand)
            | Expr::IsNotTrue(operand)
            | Expr::IsNotFalse(operand)
            | Expr::IsNotUnknown(operand) => self.is_leakproof(operand),
            Expr::IsNull(operand) | Expr::IsNotNull(operand) => self.is_value(operand),
            Expr::BinaryExpr(BinaryExpr { left, op, right }) => match op {
                Operator::And | Operator::Or => self.is_leakproof(left) && self.is_leakproof(right),
                // How the compiler prints IS TRUE.
                Operator::IsDistinctFrom | Operator::IsNotDistinctFrom
                    if matches!(right.as_ref(), Expr::Literal(ScalarValue::Boolean(_), _)) =>
                {
                    self.is_leakproof(left)
                }
                Operator::Eq
                | Operator::NotEq
                | Operator::Lt
                | Operator::LtEq
                | Operator::Gt
                | Operator::GtEq
                | Operator::IsDistinctFrom
                | Operator::IsNotDistinctFrom => self.are_comparable(left, right),
                _ => false,
            },
            Expr::Between(Between {
                expr,
                negated: _,
                low,
                high,
            }) => self.are_comparable(expr, low) && self.are_comparable(expr, high),
            Expr::InList(InList {
                expr,
                list,
                negated: _,
            }) => list
                .iter()
                .all(|item| matches!(item, Expr::Literal(..)) && self.are_comparable(expr, item)),
            Expr::Like(Like {
                negated: _,
                expr,
                pattern,
                escape_char: None,
                case_insensitive: false,
            }) => {
                let text = match pattern.as_ref() {
                    Expr::Literal(value, _) => value.try_as_str().flatten(),
                    _ => None,
                };
                text.is_some_and(|text| text.len() <= PATTERN_BYTES)
                    && self.are_comparable(expr, pattern)
            }
            Expr::Literal(ScalarValue::Boolean(_), _) => true,
            Expr::Column(_) | Expr::ScalarFunction(_) => {
                self.is_value(predicate) && self.type_of(predicate) == Some(DataType::Boolean)
            }
            _ => false,
        }
    }

    /// Returns whether a value can be read from every row: a constant, a column, a field of a record.
    pub(super) fn is_value(&self, value: &Expr) -> bool {
        match value {
            Expr::Literal(..) => true,
            Expr::Alias(alias) => self.is_value(&alias.expr),
            Expr::Column(column) => self.is_readable(column),
            Expr::ScalarFunction(ScalarFunction { func, args })
                if func.inner().is::<IsPresent>() =>
            {
                args.iter().all(|record| self.is_value(record))
            }
            Expr::ScalarFunction(ScalarFunction { func, args }) => {
                let Some((record, path)) = args.split_first() else {
                    return false;
                };
                func.inner().is::<GetFieldFunc>()
                    && matches!(self.type_of(record), Some(DataType::Struct(_)))
                    && path.iter().all(|field| matches!(field, Expr::Literal(..)))
                    && self.is_value(record)
            }
            _ => false,
        }
    }

    fn is_readable(&self, column: &Column) -> bool {
        self.schema
            .maybe_index_of_column(column)
            .and_then(|index| self.readable.get(index).copied())
            .unwrap_or(false)
    }

    fn are_comparable(&self, left: &Expr, right: &Expr) -> bool {
        let (Some(left_type), Some(right_type)) = (self.type_of(left), self.type_of(right)) else {
            return false;
        };
        self.is_value(left)
            && self.is_value(right)
            && left_type == right_type
            && is_ordered(&left_type)
    }

    fn type_of(&self, expr: &Expr) -> Option<DataType> {
        expr.get_type(self.schema).ok()
    }
}

/// Returns whether any two values of a type can be compared.
fn is_ordered(ty: &DataType) -> bool {
    (ty.is_primitive() && !matches!(ty, DataType::Interval(_) | DataType::Duration(_)))
        || matches!(
            ty,
            DataType::Boolean
                | DataType::Utf8
                | DataType::LargeUtf8
                | DataType::Utf8View
                | DataType::Binary
                | DataType::LargeBinary
                | DataType::BinaryView
        )
}

/// Returns the index of the column that a physical expression reads, as it is or a field of it.
pub(super) fn column_read(expr: &Arc<dyn PhysicalExpr>) -> Option<usize> {
    if let Some(column) = expr.downcast_ref::<PhysicalColumn>() {
        return Some(column.index());
    }
    let call = expr.downcast_ref::<ScalarFunctionExpr>()?;
    let (record, path) = call.args().split_first()?;
    let is_field =
        call.fun().inner().is::<GetFieldFunc>() && path.iter().all(|field| field.is::<Literal>());
    if is_field { column_read(record) } else { None }
}
