//! Decides what depends only on the parameters of the call.
//!
//! `(@start IS NULL OR ts > @start)` becomes `ts > @start` when `@start` has a value and disappears when
//! it has none; `CASE @interval WHEN 'daily' THEN a … END` becomes one branch. What is left are bare
//! conditions on columns, which is what lets an engine skip partitions and row groups. Values stay bound
//! parameters; only decisions are made here. On the embedded engine the clock is the request's instant.

use std::cmp::Ordering;

use crate::compiler::datetime;
use crate::compiler::ir::visit::{VisitMut, walk_expr_mut, walk_select_mut};
use crate::compiler::ir::{BinaryOp, Expr, ExprKind, Select, Statement, UnaryOp, Value};
use crate::compiler::parameter::Parameters;

/// Returns the statement with all decisions made that the parameters allow. `now`, microseconds since
/// the Unix epoch, replaces the clock when given.
#[must_use]
pub fn specialize(
    mut statement: Statement,
    parameters: &Parameters,
    now: Option<i64>,
) -> Statement {
    let mut pass = Specialize { parameters, now };
    for cte in &mut statement.ctes {
        pass.query(&mut cte.query);
    }
    pass.query(&mut statement.query);
    statement
}

struct Specialize<'a> {
    parameters: &'a Parameters,
    now: Option<i64>,
}

impl VisitMut for Specialize<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        walk_expr_mut(self, expr);
        if let Some(kind) = self.decided(expr) {
            let ty = expr.ty.clone();
            if let Decision::Value(value) = kind {
                expr.kind = ExprKind::Literal(value);
            } else if let Decision::Expr(inner) = kind {
                let span = expr.span;
                *expr = *inner;
                expr.span = span;
                expr.ty = ty;
            }
            // The bare word cannot be an operand.
            if expr.is_untyped_null() {
                let null = std::mem::replace(expr, Expr::bool(false));
                let (ty, span) = (null.ty.clone(), null.span);
                let operand = Box::new(null);
                *expr = Expr::new(
                    ExprKind::Cast {
                        operand,
                        safe: false,
                    },
                    ty,
                    span,
                );
            }
        }
    }

    fn select(&mut self, select: &mut Select) {
        walk_select_mut(self, select);
        for clause in [&mut select.filter, &mut select.having, &mut select.qualify] {
            if clause.as_ref().is_some_and(|c| *c == Expr::bool(true)) {
                *clause = None;
            }
        }
    }
}

/// What an expression turns out to be.
enum Decision {
    /// A constant.
    Value(Value),
    /// One of its parts.
    Expr(Box<Expr>),
}

impl Specialize<'_> {
    /// Returns the value of an expression that is known now.
    fn known(&self, expr: &Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Literal(value) => Some(value.clone()),
            ExprKind::Parameter(name) => {
                Some(self.parameters.get(name).cloned().unwrap_or(Value::Null))
            }
            ExprKind::Cast { operand, safe: _ } if operand.is_null_literal() => Some(Value::Null),
            _ => None,
        }
    }

    fn decided(&self, expr: &mut Expr) -> Option<Decision> {
        match &mut expr.kind {
            ExprKind::IsNull { operand, negated } => {
                let null = self.known(operand)?.is_null();
                Some(Decision::Value(Value::Bool(null != *negated)))
            }
            ExprKind::IsBool {
                operand,
                value,
                negated,
            } => {
                let is = self.known(operand)? == Value::Bool(*value);
                Some(Decision::Value(Value::Bool(is != *negated)))
            }
            ExprKind::Binary { op, left, right } => {
                let left = self.known(left)?;
                let right = self.known(right)?;
                compare(*op, &left, &right).map(Decision::Value)
            }
            ExprKind::Unary {
                op: UnaryOp::Not,
                operand,
            } => match self.known(operand)? {
                Value::Bool(value) => Some(Decision::Value(Value::Bool(!value))),
                Value::Null => Some(Decision::Value(Value::Null)),
                _ => None,
            },
            ExprKind::And(list) => self.junction(list, true),
            ExprKind::Or(list) => self.junction(list, false),
            ExprKind::InList {
                operand,
                list,
                negated,
            } => {
                let operand = self.known(operand)?;
                let mut unknown = operand.is_null();
                for item in list.iter() {
                    match compare(BinaryOp::Equal, &operand, &self.known(item)?)? {
                        Value::Bool(true) => return Some(Decision::Value(Value::Bool(!*negated))),
                        Value::Bool(false) => {}
                        _ => unknown = true,
                    }
                }
                Some(Decision::Value(if unknown {
                    Value::Null
                } else {
                    Value::Bool(*negated)
                }))
            }
            ExprKind::Case { .. } => self.case(expr),
            ExprKind::Call {
                function,
                args,
                safe: _,
            } => match function.name {
                "COALESCE" | "IFNULL" => self.coalesce(args),
                "CURRENT_TIMESTAMP" => Some(Decision::Value(Value::Timestamp(self.now?))),
                "CURRENT_DATE" | "CURRENT_DATETIME" | "CURRENT_TIME" => {
                    let micros = wall_clock(self.now?, args.first().map(|zone| self.known(zone)))?;
                    Some(Decision::Value(match function.name {
                        "CURRENT_DATE" => {
                            Value::Date(i32::try_from(micros.div_euclid(86_400_000_000)).ok()?)
                        }
                        "CURRENT_TIME" => Value::Time(micros.rem_euclid(86_400_000_000)),
                        _ => Value::Datetime(micros),
                    }))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Decides AND (`neutral` is true) and OR (false): neutral operands go, the opposite one wins.
    fn junction(&self, list: &mut Vec<Expr>, neutral: bool) -> Option<Decision> {
        let before = list.len();
        let opposite = list
            .iter()
            .any(|e| self.known(e) == Some(Value::Bool(!neutral)));
        if opposite {
            return Some(Decision::Value(Value::Bool(!neutral)));
        }
        list.retain(|e| self.known(e) != Some(Value::Bool(neutral)));
        match list.len() {
            0 => Some(Decision::Value(Value::Bool(neutral))),
            1 => Some(Decision::Expr(Box::new(list.remove(0)))),
            after if after < before => None,
            _ => None,
        }
    }

    fn coalesce(&self, args: &mut Vec<Expr>) -> Option<Decision> {
        args.retain(|arg| !self.known(arg).is_some_and(|value| value.is_null()));
        if args.is_empty() {
            return Some(Decision::Value(Value::Null));
        }
        let first_is_known = args.first().is_some_and(|arg| self.known(arg).is_some());
        if first_is_known || args.len() == 1 {
            return Some(Decision::Expr(Box::new(args.remove(0))));
        }
        None
    }

    fn case(&self, expr: &mut Expr) -> Option<Decision> {
        let ExprKind::Case {
            operand,
            branches,
            otherwise,
        } = &mut expr.kind
        else {
            return None;
        };
        let operand_value = match operand {
            Some(operand) => Some(self.known(operand)?),
            None => None,
        };
        // Branches are tried in order, so only leading ones can be decided.
        while let Some(branch) = branches.first() {
            let condition = self.known(&branch.condition)?;
            let holds = match &operand_value {
                Some(value) => compare(BinaryOp::Equal, value, &condition)? == Value::Bool(true),
                None => condition == Value::Bool(true),
            };
            let branch = branches.remove(0);
            if holds {
                return Some(Decision::Expr(Box::new(branch.value)));
            }
            if branches.is_empty() {
                break;
            }
        }
        Some(match otherwise.take() {
            Some(otherwise) => Decision::Expr(otherwise),
            None => Decision::Value(Value::Null),
        })
    }
}

/// Compares two known values of one type; `None` when it is left to the engine.
fn compare(op: BinaryOp, left: &Value, right: &Value) -> Option<Value> {
    if !op.is_comparison() {
        return None;
    }
    if left.is_null() || right.is_null() {
        return Some(Value::Null);
    }
    let ordering = match (left, right) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Int64(a), Value::Int64(b)) => a.cmp(b),
        (Value::String(a), Value::String(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::Date(a), Value::Date(b)) => a.cmp(b),
        (Value::Timestamp(a), Value::Timestamp(b)) => a.cmp(b),
        (Value::Datetime(a), Value::Datetime(b)) => a.cmp(b),
        _ => return None,
    };
    Some(Value::Bool(match op {
        BinaryOp::Equal => ordering == Ordering::Equal,
        BinaryOp::NotEqual => ordering != Ordering::Equal,
        BinaryOp::Less => ordering == Ordering::Less,
        BinaryOp::LessOrEqual => ordering != Ordering::Greater,
        BinaryOp::Greater => ordering == Ordering::Greater,
        _ => ordering != Ordering::Less,
    }))
}

/// Returns what a clock on the wall shows at an instant: microseconds since 1970-01-01 00:00:00 in a
/// zone, UTC when there is none.
fn wall_clock(now: i64, zone: Option<Option<Value>>) -> Option<i64> {
    let zone = match zone {
        None => return Some(now),
        Some(Some(Value::String(zone))) => datetime::time_zone(&zone)?,
        Some(_) => return None,
    };
    let local = jiff::Timestamp::from_microsecond(now)
        .ok()?
        .to_zoned(zone)
        .datetime();
    Some(
        jiff::tz::Offset::UTC
            .to_timestamp(local)
            .ok()?
            .as_microsecond(),
    )
}
