//! Operators.

use sqlparser::ast::{self, Spanned};

use super::cast::castable;
use super::expr::two;
use super::query::int64;
use super::scope::Scope;
use super::{Analyzer, Refused, Result, all, coerce};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::googlesql::parse::span_of;
use crate::compiler::ir::{BinaryOp, DatePart, Expr, ExprKind, Type, UnaryOp, Value};

impl Analyzer<'_> {
    pub(super) fn unary(
        &mut self,
        op: ast::UnaryOperator,
        operand: &ast::Expr,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        // The least INT64 has no positive counterpart, so the sign belongs to the literal.
        if op == ast::UnaryOperator::Minus
            && let ast::Expr::Value(ast::ValueWithSpan {
                value: ast::Value::Number(digits, _),
                ..
            }) = operand
            && let Ok(value) = format!("-{digits}").parse::<i64>()
        {
            return Ok(int64(value, span));
        }
        let name = match op {
            ast::UnaryOperator::Not => "NOT",
            ast::UnaryOperator::Minus => "-",
            ast::UnaryOperator::Plus => "+",
            ast::UnaryOperator::BitwiseNot => "~",
            _ => "",
        };
        if !name.is_empty() {
            self.no_null(name, [operand])?;
        }
        match op {
            ast::UnaryOperator::Not => {
                let operand = self.condition(operand, scope, "NOT")?;
                Ok(not(operand, span))
            }
            ast::UnaryOperator::Plus => {
                let operand = self.expr(operand, scope)?;
                self.numeric(operand)
            }
            ast::UnaryOperator::Minus => {
                let bare = matches!(operand, ast::Expr::Value(_));
                let operand = self.expr(operand, scope)?;
                let operand = self.numeric(operand)?;
                // With a bracket between, it is no literal but computed from one.
                if bare && let ExprKind::Literal(Value::Float64(value)) = operand.kind {
                    return Ok(Expr::new(
                        ExprKind::Literal(Value::Float64(-value)),
                        Type::Float64,
                        span,
                    ));
                }
                let ty = operand.ty.clone();
                Ok(Expr::new(
                    ExprKind::Unary {
                        op: UnaryOp::Minus,
                        operand: Box::new(operand),
                    },
                    ty,
                    span,
                ))
            }
            ast::UnaryOperator::BitwiseNot => {
                let operand = self.expr(operand, scope)?;
                let operand = self.coerced(operand, &Type::Int64)?;
                Ok(Expr::new(
                    ExprKind::Unary {
                        op: UnaryOp::BitNot,
                        operand: Box::new(operand),
                    },
                    Type::Int64,
                    span,
                ))
            }
            _ => Err(self.unsupported(span, "this operator")),
        }
    }

    pub(super) fn numeric(&mut self, expr: Expr) -> Result<Expr> {
        if expr.ty.is_numeric() {
            return Ok(expr);
        }
        let message = format!("expected a number, found {:#}", expr.ty);
        let diagnostic = Diagnostic::new(Code::TypeMismatch, expr.span, message);
        Err(self.refuse(match expr.ty {
            Type::String => diagnostic
                .help("write CAST(x AS FLOAT64) for the number, or a || b to put texts together"),
            _ => diagnostic,
        }))
    }

    /// Analyses a chain of AND or of OR as one list.
    pub(super) fn logical(
        &mut self,
        expr: &ast::Expr,
        operator: &ast::BinaryOperator,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let mut operands = Vec::new();
        let mut current = expr;
        while let ast::Expr::BinaryOp { left, op, right } = current
            && op == operator
        {
            operands.push(right.as_ref());
            current = left;
        }
        operands.push(current);
        operands.reverse();
        let clause = if *operator == ast::BinaryOperator::And {
            "AND"
        } else {
            "OR"
        };
        let operands = all(operands
            .into_iter()
            .map(|operand| self.condition(operand, scope, clause)))?;
        let kind = if *operator == ast::BinaryOperator::And {
            ExprKind::And(operands)
        } else {
            ExprKind::Or(operands)
        };
        Ok(Expr::new(kind, Type::Bool, span))
    }

    pub(super) fn binary(
        &mut self,
        left: &ast::Expr,
        op: &ast::BinaryOperator,
        right: &ast::Expr,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        use ast::BinaryOperator as Operator;
        let symbol = op;
        let op = match op {
            Operator::Plus => BinaryOp::Add,
            Operator::Minus => BinaryOp::Subtract,
            Operator::Multiply => BinaryOp::Multiply,
            Operator::Divide => BinaryOp::Divide,
            Operator::StringConcat => BinaryOp::Concat,
            Operator::Eq => BinaryOp::Equal,
            Operator::NotEq => BinaryOp::NotEqual,
            Operator::Lt => BinaryOp::Less,
            Operator::LtEq => BinaryOp::LessOrEqual,
            Operator::Gt => BinaryOp::Greater,
            Operator::GtEq => BinaryOp::GreaterOrEqual,
            Operator::BitwiseAnd => BinaryOp::BitAnd,
            Operator::BitwiseOr => BinaryOp::BitOr,
            Operator::BitwiseXor | Operator::PGBitwiseXor => BinaryOp::BitXor,
            Operator::PGBitwiseShiftLeft => BinaryOp::ShiftLeft,
            Operator::PGBitwiseShiftRight => BinaryOp::ShiftRight,
            Operator::Modulo => {
                return Err(self.refuse(
                    Diagnostic::new(Code::ForeignSyntax, span, "% is not GoogleSQL")
                        .help("write MOD(a, b)"),
                ));
            }
            _ => return Err(self.unsupported(span, "this operator")),
        };
        let comparison = is_comparison(op);
        if comparison && let Some(chained) = [left, right].into_iter().find(|side| is_chained(side))
        {
            return Err(self.refuse(
                Diagnostic::new(
                    Code::Syntax,
                    span_of(chained.span()),
                    "comparisons cannot be chained",
                )
                .help("write a = b AND b = c, or put one comparison into parentheses"),
            ));
        }
        if !matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight) {
            self.no_null(&symbol.to_string(), [left, right])?;
        }
        let moves = matches!(op, BinaryOp::Add | BinaryOp::Subtract);
        let operands = [left, right].map(|operand| match moves {
            true => self.expr_or_interval(operand, scope),
            false => self.expr(operand, scope),
        });
        let [left, right] = two(all(operands)?)?;
        let [left, right] = match op {
            BinaryOp::Add | BinaryOp::Subtract => with_dates(left, right),
            _ => [left, right],
        };
        match op {
            _ if comparison => self.comparison(op, left, right, span),
            BinaryOp::Concat => self.concat(left, right, span),
            BinaryOp::Add | BinaryOp::Subtract
                if left.ty == Type::Interval || right.ty == Type::Interval =>
            {
                self.moved(op, left, right, span)
            }
            BinaryOp::Add | BinaryOp::Subtract if is_date_and_days(op, &left.ty, &right.ty) => {
                self.moved_by_days(op, left, right, span)
            }
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide => {
                self.arithmetic(op, left, right, span)
            }
            _ => {
                let left = self.coerced(left, &Type::Int64)?;
                let right = self.coerced(right, &Type::Int64)?;
                Ok(binary(op, left, right, Type::Int64, span))
            }
        }
    }

    /// Refuses the bare word NULL as an operand: it would make NULL of the whole.
    pub(super) fn no_null<'e>(
        &mut self,
        operator: &str,
        operands: impl IntoIterator<Item = &'e ast::Expr>,
    ) -> Result<()> {
        let is_null = |expr: &&ast::Expr| {
            let mut expr = *expr;
            while let ast::Expr::Nested(inner) = expr {
                expr = inner;
            }
            matches!(expr, ast::Expr::Value(value) if value.value == ast::Value::Null)
        };
        let Some(null) = operands.into_iter().find(is_null) else {
            return Ok(());
        };
        let help = match operator {
            "=" => "write x IS NULL",
            "!=" | "<>" => "write x IS NOT NULL",
            _ => "the result would always be NULL; if that is meant, write CAST(NULL AS type)",
        };
        let message = format!("an operand of {operator} cannot be the literal NULL");
        let diagnostic = Diagnostic::new(Code::TypeMismatch, span_of(null.span()), message);
        Err(self.refuse(diagnostic.help(help)))
    }

    /// Compares two values in their common type.
    pub(super) fn comparison(
        &mut self,
        op: BinaryOp,
        left: Expr,
        right: Expr,
        span: Span,
    ) -> Result<Expr> {
        if left.ty.fields().is_some() && right.ty.fields().is_some() {
            return self.compare_records(op, left, right, span);
        }
        let [left, right] = two(self.comparable(vec![left, right], span)?)?;
        Ok(binary(op, left, right, Type::Bool, span))
    }

    pub(super) fn concat(&mut self, left: Expr, right: Expr, span: Span) -> Result<Expr> {
        let [left, right] = two(as_texts(vec![left, right]))?;
        let joins = |expr: &&Expr| {
            let own = matches!(expr.ty, Type::String | Type::Bytes | Type::Array(_));
            !own && !expr.is_untyped_null()
        };
        if let Some(other) = [&left, &right].into_iter().find(joins) {
            let message = format!("|| needs STRING, BYTES or ARRAY, found {:#}", other.ty);
            let diagnostic = Diagnostic::new(Code::TypeMismatch, other.span, message);
            return Err(self.refuse(match other.ty {
                Type::Json | Type::Struct(_) => diagnostic.help("write TO_JSON_STRING(x)"),
                _ => diagnostic.help("write CAST(x AS STRING) beside a text, [x] beside an array"),
            }));
        }
        let [left, right] = two(self.unified(vec![left, right], "the operands of ||", span)?)?;
        if left.ty.element().is_some() {
            let ty = left.ty.as_lists();
            let left = self.coerced(left, &ty)?;
            let right = self.coerced(right, &ty)?;
            return Ok(binary(BinaryOp::Concat, left, right, ty, span));
        }
        let ty = left.ty.clone();
        Ok(binary(BinaryOp::Concat, left, right, ty, span))
    }

    pub(super) fn arithmetic(
        &mut self,
        op: BinaryOp,
        left: Expr,
        right: Expr,
        span: Span,
    ) -> Result<Expr> {
        if [&left, &right].iter().any(|operand| is_time(&operand.ty)) {
            return Err(self.no_arithmetic_of_time(op, &left, &right, span));
        }
        let [left, right] = two(all([left, right].map(|e| self.numeric(e)))?)?;
        let [left, right] = two(self.unified(vec![left, right], "the operands", span)?)?;
        // `/` of integers is FLOAT64. Source: GoogleSQL reference, "Arithmetic operators".
        let ty = match (&left.ty, op) {
            (Type::Int64, BinaryOp::Divide) => Type::Float64,
            (ty, _) => ty.clone(),
        };
        let left = self.coerced(left, &ty)?;
        let right = self.coerced(right, &ty)?;
        Ok(binary(op, left, right, ty, span))
    }

    /// Refuses an operator beside a date or time that it has no meaning for, or whose result is an INTERVAL.
    fn no_arithmetic_of_time(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Refused {
        let message = format!(
            "this operator does not take {:#} and {:#}",
            left.ty, right.ty
        );
        let diagnostic = Diagnostic::new(Code::TypeMismatch, span, message);
        let time = if is_time(&left.ty) { left } else { right };
        let name = match time.ty {
            Type::Date => "DATE",
            Type::Datetime => "DATETIME",
            Type::Time => "TIME",
            _ => "TIMESTAMP",
        };
        let (step, of) = match time.ty {
            Type::Date => ("DAY", "d"),
            _ => ("SECOND", "t"),
        };
        let both = left.ty == right.ty || left.ty == Type::String || right.ty == Type::String;
        let difference = format!("{name}_DIFF(a, b, {step})");
        self.refuse(diagnostic.help(match op {
            BinaryOp::Subtract if both => format!("write {difference}"),
            BinaryOp::Subtract if is_time(&left.ty) => {
                format!("write {name}_SUB({of}, INTERVAL n {step}) or {difference}")
            }
            BinaryOp::Add => format!("write {name}_ADD({of}, INTERVAL n {step})"),
            _ => format!(
                "write {name}_ADD({of}, INTERVAL n {step}), {name}_SUB({of}, INTERVAL n {step}) or {difference}"
            ),
        }))
    }

    /// Moves a date by days.
    fn moved_by_days(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Result<Expr> {
        let (date, days) = match left.ty {
            Type::Date => (left, right),
            _ => (right, left),
        };
        let days = ExprKind::Interval {
            value: Box::new(days),
            part: DatePart::Day,
        };
        let name = match op {
            BinaryOp::Subtract => "DATE_SUB",
            _ => "DATE_ADD",
        };
        let days = Expr::new(days, Type::Interval, span);
        self.call_known(name, vec![date, days], span)
    }

    /// Moves a point in time by an interval.
    pub(super) fn moved(
        &mut self,
        op: BinaryOp,
        left: Expr,
        right: Expr,
        span: Span,
    ) -> Result<Expr> {
        let (point, interval) = match (&left.ty, &right.ty, op) {
            (_, Type::Interval, _) => (left, right),
            (Type::Interval, _, BinaryOp::Add) => (right, left),
            _ => return Err(self.no_interval(span)),
        };
        let add = op == BinaryOp::Add;
        let (name, point) = match point.ty {
            Type::Timestamp => {
                let interval = in_days(interval);
                let name = if add {
                    "TIMESTAMP_ADD"
                } else {
                    "TIMESTAMP_SUB"
                };
                return self.call_known(name, vec![point, interval], span);
            }
            Type::Date | Type::Datetime => {
                let point = self.coerced(point, &Type::Datetime)?;
                (if add { "DATETIME_ADD" } else { "DATETIME_SUB" }, point)
            }
            _ => return Err(self.no_interval(span)),
        };
        self.call_known(name, vec![point, interval], span)
    }

    pub(super) fn no_interval(&mut self, span: Span) -> Refused {
        let message = "this use of INTERVAL is not accepted here";
        let help = "an INTERVAL is added to a DATE, DATETIME or TIMESTAMP, or taken off; for a TIME write \
                    TIME_ADD(t, INTERVAL n SECOND); the time between two is TIMESTAMP_DIFF(a, b, SECOND)";
        self.refuse(Diagnostic::new(Code::Unsupported, span, message).help(help))
    }
}

/// Returns what CONCAT and `||` put together, each as its text where one is neither STRING nor BYTES.
///
/// Source: BigQuery reference, CONCAT: all values are BYTES, or of types that can be cast to STRING.
pub(super) fn as_texts(values: Vec<Expr>) -> Vec<Expr> {
    let has_text = |value: &Expr| {
        value.is_untyped_null() || value.ty != Type::Bytes && castable(&value.ty, &Type::String)
    };
    if !values.iter().all(has_text) {
        return values;
    }
    let texts = values.into_iter().map(|value| {
        if value.ty == Type::String || value.is_untyped_null() {
            return value;
        }
        let span = value.span;
        let kind = ExprKind::Cast {
            operand: Box::new(value),
            safe: false,
        };
        Expr::new(kind, Type::String, span)
    });
    texts.collect()
}

pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr, ty: Type, span: Span) -> Expr {
    Expr::new(
        ExprKind::Binary {
            op,
            left: Box::new(left),
            right: Box::new(right),
        },
        ty,
        span,
    )
}

pub(super) fn not(operand: Expr, span: Span) -> Expr {
    Expr::new(
        ExprKind::Unary {
            op: UnaryOp::Not,
            operand: Box::new(operand),
        },
        Type::Bool,
        span,
    )
}

/// Returns the operands of `+` or `-` with a literal beside INT64 or INTERVAL as the DATE that it stands for.
fn with_dates(left: Expr, right: Expr) -> [Expr; 2] {
    let moves = |expr: &Expr| matches!(expr.ty, Type::Int64 | Type::Interval);
    let date = |expr: Expr| match coerce::coerce(expr.clone(), &Type::Date) {
        Ok(date) if expr.ty == Type::String => date,
        Ok(_) | Err(_) => expr,
    };
    match (moves(&left), moves(&right)) {
        (true, false) => [left, date(right)],
        (false, true) => [date(left), right],
        _ => [left, right],
    }
}

/// Returns an interval of weeks in days. No other function of TIMESTAMP knows weeks.
pub(super) fn in_days(interval: Expr) -> Expr {
    let Expr { kind, ty, span } = interval;
    let kind = match kind {
        ExprKind::Interval {
            value,
            part: DatePart::Week,
        } => {
            let days = binary(
                BinaryOp::Multiply,
                *value,
                int64(7, span),
                Type::Int64,
                span,
            );
            ExprKind::Interval {
                value: Box::new(days),
                part: DatePart::Day,
            }
        }
        kind => kind,
    };
    Expr::new(kind, ty, span)
}

/// Returns whether an operator adds days to a date or takes them off.
///
/// Source: GoogleSQL reference, "Date arithmetics operators".
fn is_date_and_days(op: BinaryOp, left: &Type, right: &Type) -> bool {
    match (left, right) {
        (Type::Date, Type::Int64) => true,
        (Type::Int64, Type::Date) => op == BinaryOp::Add,
        _ => false,
    }
}

fn is_time(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Date | Type::Datetime | Type::Time | Type::Timestamp
    )
}

pub(super) fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessOrEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterOrEqual
    )
}

/// Returns whether an operand is itself a comparison without parentheses around it. GoogleSQL's
/// comparison operators do not associate.
pub(super) fn is_chained(expr: &ast::Expr) -> bool {
    use ast::BinaryOperator as Operator;
    match expr {
        ast::Expr::BinaryOp { op, .. } => matches!(
            op,
            Operator::Eq
                | Operator::NotEq
                | Operator::Lt
                | Operator::LtEq
                | Operator::Gt
                | Operator::GtEq
        ),
        ast::Expr::Between { .. }
        | ast::Expr::Like { .. }
        | ast::Expr::InList { .. }
        | ast::Expr::InSubquery { .. }
        | ast::Expr::InUnnest { .. }
        | ast::Expr::IsNull(_)
        | ast::Expr::IsNotNull(_)
        | ast::Expr::IsTrue(_)
        | ast::Expr::IsNotTrue(_)
        | ast::Expr::IsFalse(_)
        | ast::Expr::IsNotFalse(_)
        | ast::Expr::IsUnknown(_)
        | ast::Expr::IsNotUnknown(_) => true,
        _ => false,
    }
}
