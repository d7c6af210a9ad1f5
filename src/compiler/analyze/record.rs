//! Comparison of STRUCTs, field by field.
//!
//! Two STRUCTs are equal when all of their fields are, not equal when one pair of fields is not, and else, for
//! NULL in a field, it is unknown: the AND of the equalities. A STRUCT that is NULL has NULL in each field, so it
//! needs no case of its own. Names of fields do not count. Source: GoogleSQL reference, "Comparison operators";
//! what no document says is as its reference evaluator has it.
//!
//! The parts of a value are written once for each field, and those of the operand of IN and CASE once for each
//! value it is compared with; so only what is cheap to read again may stand there.

use super::expr::two;
use super::operator::not;
use super::{Analyzer, Refused, Result, all, coerce, scope};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::ir::{BinaryOp, CaseBranch, Expr, ExprKind, Field, Query, Type, Value};

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

    /// Analyses IN over an array of STRUCTs.
    pub(super) fn record_in_unnest(
        &mut self,
        operand: Expr,
        array: Expr,
        negated: bool,
        span: Span,
    ) -> Result<Expr> {
        // One that is written with its type is written out as well.
        let array = match array.kind {
            ExprKind::Cast { operand, safe: _ } if matches!(operand.kind, ExprKind::Array(_)) => {
                *operand
            }
            _ => array,
        };
        if matches!(&array.kind, ExprKind::Array(items) if items.is_empty()) {
            return Ok(Expr::new(
                ExprKind::Literal(Value::Bool(negated)),
                Type::Bool,
                span,
            ));
        }
        let element = array.ty.element().cloned().unwrap_or(Type::Int64);
        let member = Expr::new(ExprKind::Output(0), element, array.span);
        let mut pair = self.unified(vec![operand.clone(), member], "the values of IN", span)?;
        let common = pair.swap_remove(0);
        self.comparable_fields(&common)?;
        let elements = self.coerced(array.clone(), &Type::array(common.ty.clone()))?;
        if let ExprKind::Array(items) = array.kind {
            let operands = std::iter::once(operand).chain(items).collect();
            return self.record_in_list(operands, negated, span);
        }
        let (operand, array) = (common, elements);
        let kind = ExprKind::InUnnest {
            operand: Box::new(operand),
            array: Box::new(array),
            negated,
        };
        Ok(Expr::new(kind, Type::Bool, span))
    }

    /// Analyses IN over a query of STRUCTs. Nothing converts here, but names do not count.
    pub(super) fn record_in_query(
        &mut self,
        operand: Expr,
        query: Query,
        ty: &Type,
        negated: bool,
        span: Span,
    ) -> Result<Expr> {
        self.comparable_fields(&operand)?;
        if !coerce::is_renamed(&operand.ty, ty) {
            let message = format!("{} cannot be looked for in a sub-query of {ty}", operand.ty);
            let diagnostic = Diagnostic::new(Code::TypeMismatch, operand.span, message);
            return Err(self.refuse(diagnostic.help(
                "give both the same types, field by field: (CAST(a AS …), b) IN (SELECT (x, y) …)",
            )));
        }
        let kind = ExprKind::InQuery {
            operand: Box::new(operand),
            query: Box::new(query),
            negated,
        };
        Ok(Expr::new(kind, Type::Bool, span))
    }

    /// Analyses IS DISTINCT FROM of STRUCTs: one is NULL and the other is not, or a pair of fields is distinct.
    pub(super) fn distinct_records(
        &mut self,
        left: Expr,
        right: Expr,
        negated: bool,
        span: Span,
    ) -> Result<Expr> {
        let mut distinct = Vec::new();
        self.distinct_parts(left, right, span, &mut distinct)?;
        let most = self.environment.limits.chain;
        self.check_count(
            Code::TooManyOperators,
            distinct.len() + self.operators,
            most,
            "operators in one chain, each pair of fields of a STRUCT being one",
            "chain",
            span,
        )?;
        let distinct = match <[Expr; 1]>::try_from(distinct) {
            Ok([only]) => only,
            Err(distinct) => Expr::new(ExprKind::Or(distinct), Type::Bool, span),
        };
        Ok(if negated {
            not(distinct, span)
        } else {
            distinct
        })
    }

    fn distinct_parts(
        &mut self,
        left: Expr,
        right: Expr,
        span: Span,
        distinct: &mut Vec<Expr>,
    ) -> Result<()> {
        let is_distinct = |left: Expr, right: Expr| {
            let kind = ExprKind::IsDistinct {
                left: Box::new(left),
                right: Box::new(right),
                negated: false,
            };
            Expr::new(kind, Type::Bool, span)
        };
        let [left, right] = if left.is_untyped_null() {
            [coerce::typed_null(right.ty.clone(), left.span), right]
        } else if right.is_untyped_null() {
            let null = coerce::typed_null(left.ty.clone(), right.span);
            [left, null]
        } else {
            [left, right]
        };
        let widths = [&left, &right].map(|side| side.ty.fields().map(<[Field]>::len));
        if let [Some(width), Some(other)] = widths
            && width != other
        {
            return Err(self.of_other_width(width, other, span));
        }
        if widths.contains(&None) {
            self.compared_field(span)?;
            let [left, right] = two(self.comparable(vec![left, right], span)?)?;
            distinct.push(is_distinct(left, right));
            return Ok(());
        }
        let absent = [&left, &right].map(|record| is_absent(record, span));
        if absent != [Expr::bool(false), Expr::bool(false)] {
            let [left, right] = absent;
            distinct.push(is_distinct(left, right));
        }
        let mut sides = Vec::with_capacity(2);
        for record in [left, right] {
            // The fields of NULL are NULL.
            sides.push(if record.is_null_literal() {
                let fields = record.ty.fields().unwrap_or_default();
                let nulls = fields
                    .iter()
                    .map(|field| coerce::typed_null(field.ty.clone(), span));
                nulls.collect()
            } else {
                self.parts(record)?
            });
        }
        let [left, right] = <[Vec<Expr>; 2]>::try_from(sides).map_err(|_| Refused)?;
        for (left, right) in left.into_iter().zip(right) {
            self.distinct_parts(left, right, span, distinct)?;
        }
        Ok(())
    }

    /// Refuses a STRUCT with a field that cannot be compared.
    fn comparable_fields(&mut self, record: &Expr) -> Result<()> {
        fn misfit(ty: &Type) -> Option<&Type> {
            match ty.fields() {
                Some(fields) => fields.iter().find_map(|field| misfit(&field.ty)),
                None => (!ty.is_orderable()).then_some(ty),
            }
        }
        let Some(ty) = misfit(&record.ty) else {
            return Ok(());
        };
        let message = format!("values of type {ty:#} cannot be compared, here in a STRUCT");
        Err(self.refuse(
            Diagnostic::new(Code::TypeMismatch, record.span, message)
                .help("leave that field out, or compare its text: TO_JSON_STRING(x)"),
        ))
    }

    fn of_other_width(&mut self, width: usize, other: usize, span: Span) -> Refused {
        let message = format!("a STRUCT of {width} fields cannot be compared with one of {other}");
        self.refuse(Diagnostic::new(Code::TypeMismatch, span, message))
    }

    /// Counts a pair of fields that is compared.
    fn compared_field(&mut self, span: Span) -> Result<()> {
        self.compared_fields += 1;
        let most = self.environment.limits.struct_fields;
        self.check_count(
            Code::TooManyFields,
            self.compared_fields,
            most,
            "fields in all comparisons of STRUCTs",
            "struct_fields",
            span,
        )
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
            self.comparable_fields(&left)?;
            self.comparable_fields(&right)?;
            equalities.push(Expr::new(ExprKind::Literal(Value::Null), Type::Bool, span));
            return Ok(());
        }
        let (Some(fields), Some(others)) = (left.ty.fields(), right.ty.fields()) else {
            self.compared_field(span)?;
            equalities.push(self.comparison(BinaryOp::Equal, left, right, span)?);
            return Ok(());
        };
        if fields.len() != others.len() {
            return Err(self.of_other_width(fields.len(), others.len(), span));
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

/// Returns whether a STRUCT is NULL, which one that is written out is not.
fn is_absent(record: &Expr, span: Span) -> Expr {
    if let ExprKind::Struct(_) = record.kind {
        return Expr::bool(false);
    }
    if record.is_null_literal() {
        return Expr::bool(true);
    }
    let kind = ExprKind::IsNull {
        operand: Box::new(record.clone()),
        negated: false,
    };
    Expr::new(kind, Type::Bool, span)
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
