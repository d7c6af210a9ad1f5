//! Comparison of STRUCTs, field by field.
//!
//! Two STRUCTs are equal when all of their fields are, not equal when one pair of fields is not, and else, for
//! NULL in a field, it is unknown: the AND of the equalities. A STRUCT that is NULL has NULL in each field, so it
//! needs no case of its own. Names of fields do not count. Source: GoogleSQL reference, "Comparison operators";
//! what no document says is as its reference evaluator has it.
//!
//! The parts of a value are written once for each field, and those of the operand of IN and CASE once for each
//! value it is compared with; so only what is cheap to read again may stand there.

use super::operator::not;
use super::{Analyzer, Refused, Result, all, scope};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::ir::{BinaryOp, CaseBranch, Expr, ExprKind, Field, Type, Value};

impl Analyzer<'_> {
    /// Compares two STRUCTs.
    pub(super) fn compare_records(
        &mut self,
        op: BinaryOp,
        left: Expr,
        right: Expr,
        span: Span,
    ) -> Result<Expr> {
        let negated = match op {
            BinaryOp::Equal => false,
            BinaryOp::NotEqual => true,
            _ => {
                return Err(self.refuse(
                    Diagnostic::new(
                        Code::TypeMismatch,
                        span,
                        "values of type STRUCT have no order",
                    )
                    .help("compare their fields: a.x < b.x"),
                ));
            }
        };
        let equal = self.equal_records(left, right, span)?;
        Ok(if negated { not(equal, span) } else { equal })
    }

    /// Returns whether a STRUCT equals each of some values, by itself.
    pub(super) fn record_equals_each(
        &mut self,
        operand: Expr,
        values: impl ExactSizeIterator<Item = Expr>,
        span: Span,
    ) -> Result<Vec<Expr>> {
        if values.len() > 1 && !is_cheap(&operand) {
            return Err(self.not_by_field(operand.span));
        }
        all(values.map(|value| self.equal_records(operand.clone(), value, span)))
    }

    /// Analyses IN over a list; the first of the operands is what is looked for.
    pub(super) fn record_in_list(
        &mut self,
        operands: Vec<Expr>,
        negated: bool,
        span: Span,
    ) -> Result<Expr> {
        let mut values = operands.into_iter();
        let operand = values.next().ok_or(Refused)?;
        // The tests are a chain of OR around the AND of each.
        let around = self.operators;
        self.operators += values.len();
        let tests = self.record_equals_each(operand, values, span);
        self.operators = around;
        let tests = tests?;
        let found = match <[Expr; 1]>::try_from(tests) {
            Ok([only]) => only,
            Err(tests) => Expr::new(ExprKind::Or(tests), Type::Bool, span),
        };
        Ok(if negated { not(found, span) } else { found })
    }

    /// Analyses NULLIF of a STRUCT.
    pub(super) fn nullif_record(&mut self, args: Vec<Expr>, span: Span) -> Result<Expr> {
        let [value, other] = match <[Expr; 2]>::try_from(args) {
            Ok(args) => args,
            Err(args) => {
                let message = format!("NULLIF takes 2 values, not {}", args.len());
                let diagnostic = Diagnostic::new(Code::NoMatchingSignature, span, message);
                return Err(self.refuse(diagnostic));
            }
        };
        if !is_cheap(&value) {
            return Err(self.not_by_field(value.span));
        }
        let condition = self.equal_records(value.clone(), other.clone(), span)?;
        let mut values = self.unified(vec![value, other], "the values of NULLIF", span)?;
        let value = values.swap_remove(0);
        let ty = value.ty.clone();
        let null = Expr::new(ExprKind::Literal(Value::Null), ty.clone(), span);
        let kind = ExprKind::Case {
            operand: None,
            branches: vec![CaseBranch {
                condition,
                value: null,
            }],
            otherwise: Some(Box::new(value)),
        };
        Ok(Expr::new(kind, ty, span))
    }

    /// Refuses to look for a STRUCT in rows.
    pub(super) fn record_in_rows(&mut self, span: Span, instead: &str) -> Refused {
        let message = "IN with a STRUCT takes a list of values, not rows";
        let diagnostic = Diagnostic::new(Code::Unsupported, span, message);
        self.refuse(diagnostic.help(format!("write {instead}")))
    }

    fn equal_records(&mut self, left: Expr, right: Expr, span: Span) -> Result<Expr> {
        let mut equalities = Vec::new();
        self.equal_parts(left, right, span, &mut equalities)?;
        let count = equalities.len() + self.operators;
        let most = self.environment.limits.chain;
        self.check_count(
            Code::TooManyOperators,
            count,
            most,
            "operators in one chain, each pair of fields of a STRUCT being one",
            "chain",
            span,
        )?;
        Ok(match <[Expr; 1]>::try_from(equalities) {
            Ok([only]) => only,
            Err(equalities) => Expr::new(ExprKind::And(equalities), Type::Bool, span),
        })
    }

    /// Adds the equality of two values, or of each pair of their fields.
    fn equal_parts(
        &mut self,
        left: Expr,
        right: Expr,
        span: Span,
        equalities: &mut Vec<Expr>,
    ) -> Result<()> {
        if left.is_null_literal() || right.is_null_literal() {
            equalities.push(Expr::new(ExprKind::Literal(Value::Null), Type::Bool, span));
            return Ok(());
        }
        let (Some(fields), Some(others)) = (left.ty.fields(), right.ty.fields()) else {
            self.compared_fields += 1;
            let most = self.environment.limits.struct_fields;
            self.check_count(
                Code::TooManyFields,
                self.compared_fields,
                most,
                "fields in all comparisons of STRUCTs",
                "struct_fields",
                span,
            )?;
            equalities.push(self.comparison(BinaryOp::Equal, left, right, span)?);
            return Ok(());
        };
        if fields.len() != others.len() {
            let message = format!(
                "a STRUCT of {} fields cannot be compared with one of {}",
                fields.len(),
                others.len()
            );
            return Err(self.refuse(Diagnostic::new(Code::TypeMismatch, span, message)));
        }
        let parts = self.parts(left)?.into_iter().zip(self.parts(right)?);
        for (left, right) in parts {
            self.equal_parts(left, right, span, equalities)?;
        }
        Ok(())
    }

    /// Returns the fields of a STRUCT as expressions of their own.
    fn parts(&mut self, record: Expr) -> Result<Vec<Expr>> {
        let record = match record.kind {
            ExprKind::Struct(items) => return Ok(items),
            // Names of fields do not count.
            ExprKind::Cast { operand, safe: _ } if matches!(operand.kind, ExprKind::Row(_)) => {
                *operand
            }
            _ => record,
        };
        if !is_cheap(&record) {
            return Err(self.not_by_field(record.span));
        }
        let fields = record.ty.fields().unwrap_or_default();
        Ok(fields
            .iter()
            .enumerate()
            .map(|(index, field)| part(&record, index, field))
            .collect())
    }

    /// Refuses a STRUCT that is not at hand, so that reading each field would compute it again.
    fn not_by_field(&mut self, span: Span) -> Refused {
        self.refuse(
            Diagnostic::new(
                Code::Unsupported,
                span,
                "this STRUCT cannot be compared where it is computed",
            )
            .help(
                "compute it in a sub-query, FROM (SELECT … AS s), and compare the column: s = STRUCT(1, 'x')",
            ),
        )
    }
}

/// Returns a field of a value.
fn part(record: &Expr, index: usize, field: &Field) -> Expr {
    let kind = scope::field_kind(record.clone(), index, field.name.as_ref());
    Expr::new(kind, field.ty.clone(), record.span)
}

/// Returns whether a value is at hand, so that it may be read again for each field.
fn is_cheap(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Parameter(_) | ExprKind::Row(_) => true,
        ExprKind::Struct(items) => items.iter().all(is_cheap),
        ExprKind::Field { base, index: _ } => is_cheap(base),
        ExprKind::Cast { operand, safe: _ } => matches!(operand.kind, ExprKind::Row(_)),
        ExprKind::Subscript {
            base,
            index,
            mode: _,
        } => is_cheap(base) && is_cheap(index),
        _ => expr.is_path(),
    }
}
