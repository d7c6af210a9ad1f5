//! Binary operators.

use super::print::{Printed, Printer, unsupported};
use crate::compiler::diagnostic::Span;
use crate::compiler::ir::{BinaryOp, Expr, ExprKind, Type};

/// How many operators may stand one inside of another. The engine's planner names a call by all that is in it,
/// for each call in it again: a sum of 300 terms would take it many seconds, which no deadline ends.
const MOST_NESTED: usize = 64;

/// What to write in place of a type that the engine has no arithmetic for.
pub(super) const AS_FLOAT: &str = "write CAST(x AS FLOAT64) where its precision is enough";

impl Printer {
    /// Prints a binary operator.
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        ty: &Type,
        span: Span,
    ) -> Printed {
        if op == BinaryOp::Concat {
            let mut operands = Vec::new();
            gather_operands(left, &mut operands);
            gather_operands(right, &mut operands);
            return self.concat(&operands, ty);
        }
        if nested(left) >= MOST_NESTED {
            let what = format!("an expression of more than {MOST_NESTED} operators in a row");
            let instead = "name a part of it in a sub-query: FROM (SELECT a + b AS c, …)";
            return Err(unsupported(span, &what, instead));
        }
        let (left_text, right_text) = (self.expr(left)?, self.expr(right)?);
        if left.ty == Type::Float64 && op.is_comparison() {
            return Ok(float_comparison(op, &left_text, &right_text));
        }
        if let Some(operator) = infix(op) {
            return Ok(["(", &left_text, operator, &right_text, ")"].concat());
        }
        let function = function(op, ty)
            .ok_or_else(|| unsupported(span, &format!("arithmetic of {ty}"), AS_FLOAT))?;
        Ok(format!("\"{function}\"({left_text}, {right_text})"))
    }

    /// Prints a chain of `||` as one call.
    fn concat(&mut self, operands: &[&Expr], ty: &Type) -> Printed {
        let function = if matches!(ty, Type::Array(_)) {
            "array_concat"
        } else {
            "concat"
        };
        let texts = operands.iter().map(|operand| self.expr(operand));
        let texts = texts.collect::<Result<Vec<_>, _>>()?;
        Ok(format!("\"{function}\"({})", texts.join(", ")))
    }
}

/// Returns how many operators stand one inside of another at the left of an expression.
fn nested(expr: &Expr) -> usize {
    fn left(expr: &Expr) -> Option<&Expr> {
        match &expr.kind {
            ExprKind::Binary { op, left, .. } if *op != BinaryOp::Concat => Some(left),
            _ => None,
        }
    }
    std::iter::successors(Some(expr), |expr| left(expr)).count() - 1
}

/// Gathers what a chain of `||` joins.
fn gather_operands<'a>(expr: &'a Expr, operands: &mut Vec<&'a Expr>) {
    match &expr.kind {
        ExprKind::Binary {
            op: BinaryOp::Concat,
            left,
            right,
        } => {
            gather_operands(left, operands);
            gather_operands(right, operands);
        }
        _ => operands.push(expr),
    }
}

/// Returns an operator that the engine has, with the same meaning.
fn infix(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Equal => " = ",
        BinaryOp::NotEqual => " <> ",
        BinaryOp::Less => " < ",
        BinaryOp::LessOrEqual => " <= ",
        BinaryOp::Greater => " > ",
        BinaryOp::GreaterOrEqual => " >= ",
        BinaryOp::BitAnd => " & ",
        BinaryOp::BitOr => " | ",
        _ => return None,
    })
}

/// Returns the function that stands for an operator that gives this type.
fn function(op: BinaryOp, ty: &Type) -> Option<String> {
    let name = match op {
        BinaryOp::Add => "add",
        BinaryOp::Subtract => "subtract",
        BinaryOp::Multiply => "multiply",
        BinaryOp::Divide => "divide",
        // The engine takes two equal operands of its own off each other, also where they are NULL.
        BinaryOp::BitXor => return Some("bitwise_xor".to_owned()),
        BinaryOp::ShiftLeft => return Some("shift_left".to_owned()),
        BinaryOp::ShiftRight => return Some("shift_right".to_owned()),
        _ => return None,
    };
    let suffix = match ty {
        Type::Int64 => "int64",
        Type::Float64 => "float64",
        Type::Numeric => "numeric",
        _ => return None,
    };
    Some(format!("{name}_{suffix}"))
}

/// Prints a comparison of FLOAT64 values, of which NaN equals nothing and is neither less nor greater.
pub(super) fn float_comparison(op: BinaryOp, left: &str, right: &str) -> String {
    let outcomes = match op {
        BinaryOp::Equal => "= 0",
        BinaryOp::NotEqual => "<> 0",
        BinaryOp::Less => "= (-1)",
        BinaryOp::LessOrEqual => "<= 0",
        BinaryOp::Greater => "= 1",
        _ => "IN (0, 1)",
    };
    format!("(\"compare_float64\"({left}, {right}) {outcomes})")
}
