//! CASE and IF.

use sqlparser::ast;

use super::expr::{three, two};
use super::scope::Scope;
use super::{Analyzer, Refused, Result, all};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::ir::{CaseBranch, Expr, ExprKind, Type};

impl Analyzer<'_> {
    pub(super) fn case(
        &mut self,
        operand: Option<&ast::Expr>,
        conditions: &[ast::CaseWhen],
        otherwise: Option<&ast::Expr>,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let most = self.environment.limits.case_branches;
        self.check_count(
            Code::TooManyBranches,
            conditions.len(),
            most,
            "branches of CASE",
            "case_branches",
            span,
        )?;
        let (tests, values): (Vec<_>, Vec<_>) = conditions
            .iter()
            .map(|ast::CaseWhen { condition, result }| (condition, result))
            .unzip();
        let (operand, tests) = match operand {
            Some(operand) => {
                let list = all(std::iter::once(operand)
                    .chain(tests)
                    .map(|e| self.expr(e, scope)))?;
                let mut list = list.into_iter();
                let operand = list.next().ok_or(Refused)?;
                if operand.ty.fields().is_some() {
                    (None, self.record_equals_each(operand, list, span)?)
                } else {
                    let list = std::iter::once(operand).chain(list).collect();
                    let mut list = self.comparable(list, span)?.into_iter();
                    (list.next().map(Box::new), list.collect())
                }
            }
            None => {
                let tests: Result<Vec<Expr>> =
                    all(tests.into_iter().map(|e| self.condition(e, scope, "WHEN")));
                (None, tests?)
            }
        };
        let has_else = otherwise.is_some();
        let values = all(values
            .into_iter()
            .chain(otherwise)
            .map(|e| self.expr(e, scope)))?;
        let mut values = self.unified(values, "the branches of CASE", span)?;
        let otherwise = if has_else {
            values.pop().map(Box::new)
        } else {
            None
        };
        let ty = values.first().ok_or(Refused)?.ty.clone();
        let branches = tests
            .into_iter()
            .zip(values)
            .map(|(condition, value)| CaseBranch { condition, value })
            .collect();
        Ok(Expr::new(
            ExprKind::Case {
                operand,
                branches,
                otherwise,
            },
            ty,
            span,
        ))
    }

    /// Analyses `IF(condition, value, otherwise)`.
    pub(super) fn if_call(&mut self, args: Vec<Expr>, span: Span) -> Result<Expr> {
        let [condition, value, otherwise] = match three(args) {
            Ok(args) => args,
            Err(_) => {
                return Err(self.refuse(Diagnostic::new(
                    Code::NoMatchingSignature,
                    span,
                    "IF takes a condition and two values",
                )));
            }
        };
        let condition = self.coerced(condition, &Type::Bool)?;
        let [value, otherwise] =
            two(self.unified(vec![value, otherwise], "the values of IF", span)?)?;
        let ty = value.ty.clone();
        Ok(Expr::new(
            ExprKind::Case {
                operand: None,
                branches: vec![CaseBranch { condition, value }],
                otherwise: Some(Box::new(otherwise)),
            },
            ty,
            span,
        ))
    }
}
