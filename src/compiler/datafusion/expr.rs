//! Expressions.

use std::collections::BTreeMap;

use super::from::{Binding, ELEMENT, OFFSET};
use super::lists::is_over_arrays;
use super::operator::{AS_FLOAT, float_comparison};
use super::print::{Printed, Printer, unsupported};
use super::types::{arrow_type, empty_array, literal, string};
use crate::compiler::ir::visit::{Visit, walk_expr};
use crate::compiler::ir::{
    BinaryOp, CaseBranch, Expr, ExprKind, Field, Query, RangeId, SubqueryKind, SubscriptMode, Type,
    UnaryOp,
};
use crate::compiler::output_too_long;

/// Where an expression stands, as far as it decides how the engine may plan a sub-query in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// A condition that rows must meet, or one of several joined by AND.
    Conjunct,
    /// A part of a condition, where NULL does what FALSE does.
    Truth,
    /// Any other part of a condition.
    Part,
    /// Not in a condition.
    Value,
}

impl Position {
    fn of_operands(self, kind: &ExprKind) -> Self {
        match (self, kind) {
            (Position::Value, _) => Position::Value,
            (Position::Conjunct | Position::Truth, ExprKind::And(_)) => self,
            (Position::Conjunct | Position::Truth, ExprKind::Or(_)) => Position::Truth,
            _ => Position::Part,
        }
    }
}

/// A STRUCT among the rows of a query or the elements of an array that is not written out.
const IN_ROWS: &str = "IN with a STRUCT and rows";

/// What to write in place of a name that cannot be reached where it stands.
const ELSEWHERE: &str = "select it under a name in a sub-query first";

impl Printer {
    pub(super) fn expr(&mut self, expr: &Expr) -> Printed {
        let position = self.position;
        self.position = position.of_operands(&expr.kind);
        let text = self.form(expr, position);
        self.position = position;
        match text {
            Ok(text) if text.len() > self.most_bytes => {
                Err(Box::new(output_too_long(text.len(), self.most_bytes)))
            }
            text => text,
        }
    }

    fn form(&mut self, expr: &Expr, position: Position) -> Printed {
        let span = expr.span;
        Ok(match &expr.kind {
            ExprKind::Literal(value) => literal(value, &expr.ty),
            ExprKind::Parameter(name) => match arrow_type(&expr.ty) {
                Some(arrow) => [
                    "\"arrow_cast\"($",
                    name.as_str(),
                    ", ",
                    &string(&arrow),
                    ")",
                ]
                .concat(),
                None => ["$", name.as_str()].concat(),
            },
            ExprKind::Column { range, column } => match self.bindings.get(range) {
                Some(binding) => binding.column(column.as_str()),
                None => return Err(unsupported(span, "this reference", ELSEWHERE)),
            },
            ExprKind::Element(range) => match self.bindings.get(range) {
                Some(binding) => binding.column(ELEMENT),
                None => return Err(unsupported(span, "this reference", ELSEWHERE)),
            },
            ExprKind::Offset(range) => match self.bindings.get(range) {
                Some(binding) => binding.column(OFFSET),
                None => return Err(unsupported(span, "this reference", ELSEWHERE)),
            },
            ExprKind::Row(range) => {
                let Some(binding) = self.bindings.get(range) else {
                    return Err(unsupported(span, "this reference", ELSEWHERE));
                };
                let fields = expr.ty.fields().unwrap_or_default();
                let items: Vec<String> = fields
                    .iter()
                    .enumerate()
                    .map(|(index, field)| {
                        let name = field_name(field, index);
                        format!("{}, {}", string(&name), binding.column(&name))
                    })
                    .collect();
                format!("\"named_struct\"({})", items.join(", "))
            }
            ExprKind::Output(index) => match self.outputs.get(*index) {
                Some(output) => output.clone(),
                None => return Err(unsupported(span, "this reference", ELSEWHERE)),
            },
            ExprKind::GroupKey(index) => match self.keys.last().and_then(|keys| keys.get(*index)) {
                Some(key) => key.clone(),
                None => return Err(unsupported(span, "this reference", ELSEWHERE)),
            },
            ExprKind::Field { base, index } => {
                let fields = base.ty.fields().unwrap_or_default();
                let Some(field) = fields.get(*index) else {
                    return Err(unsupported(span, "this field", ELSEWHERE));
                };
                let name = field_name(field, *index);
                [
                    "\"get_field\"(",
                    &self.expr(base)?,
                    ", ",
                    &string(&name),
                    ")",
                ]
                .concat()
            }
            ExprKind::Subscript { base, .. } if base.ty.is_singleton() => {
                format!("\"only_element\"({})", self.expr(base)?)
            }
            ExprKind::Subscript { base, index, mode } => {
                let (function, from_one) = match mode {
                    SubscriptMode::Offset => ("array_at", false),
                    SubscriptMode::SafeOffset => ("safe_array_at", false),
                    SubscriptMode::Ordinal => ("array_at", true),
                    SubscriptMode::SafeOrdinal => ("safe_array_at", true),
                };
                let base = self.expr(base)?;
                let index = self.expr(index)?;
                let index = if from_one {
                    format!("({index} - 1)")
                } else {
                    index
                };
                format!("\"{function}\"({base}, {index})")
            }
            ExprKind::Unary { op, operand } => {
                let text = self.expr(operand)?;
                match (op, &expr.ty) {
                    (UnaryOp::Not, _) => format!("(NOT {text})"),
                    (UnaryOp::Minus, Type::Int64) => format!("\"negate_int64\"({text})"),
                    (UnaryOp::Minus, Type::Numeric) => format!("\"negate_numeric\"({text})"),
                    (UnaryOp::Minus, Type::Float64) => format!("\"negate_float64\"({text})"),
                    (UnaryOp::Minus, ty) => {
                        return Err(unsupported(span, &format!("arithmetic of {ty}"), AS_FLOAT));
                    }
                    (UnaryOp::BitNot, _) => format!("((-1) - {text})"),
                }
            }
            ExprKind::Binary { op, left, right } => {
                self.binary(*op, left, right, &expr.ty, span)?
            }
            ExprKind::And(list) => ["(", &self.list(list, " AND ")?, ")"].concat(),
            ExprKind::Or(list) => ["(", &self.list(list, " OR ")?, ")"].concat(),
            // The engine would read the whole record for its own IS NULL.
            ExprKind::IsNull { operand, negated } if is_read_of_a_record(operand) => {
                let operand = self.expr(operand)?;
                ["(", not(!negated), "\"is_present\"(", &operand, "))"].concat()
            }
            ExprKind::IsNull { operand, negated } => {
                ["(", &self.expr(operand)?, " IS ", not(*negated), "NULL)"].concat()
            }
            ExprKind::IsBool {
                operand,
                value,
                negated,
            } => {
                // As IS TRUE the engine plans it as never NULL, and makes a column of it that may be.
                let value = if *value { "TRUE" } else { "FALSE" };
                let (operand, not) = (self.expr(operand)?, not(!negated));
                format!("({operand} IS {not}DISTINCT FROM {value})")
            }
            ExprKind::IsDistinct {
                left,
                right,
                negated,
            } => format!(
                "({} IS {}DISTINCT FROM {})",
                self.expr(left)?,
                not(*negated),
                self.expr(right)?
            ),
            ExprKind::InList {
                operand,
                list,
                negated,
            } if operand.ty == Type::Float64 || begins_with_query(list) => {
                let is_float = operand.ty == Type::Float64;
                let operand = self.expr(operand)?;
                let mut equal = Vec::with_capacity(list.len());
                for item in list {
                    let item = self.expr(item)?;
                    equal.push(if is_float {
                        float_comparison(BinaryOp::Equal, &operand, &item)
                    } else {
                        format!("({operand} = {item})")
                    });
                }
                format!("({}({}))", not(*negated), equal.join(" OR "))
            }
            ExprKind::InList {
                operand,
                list,
                negated,
            } => format!(
                "({} {}IN ({}))",
                self.expr(operand)?,
                not(*negated),
                self.list(list, ", ")?
            ),
            ExprKind::InQuery {
                operand,
                query,
                negated,
            } => {
                if operand.ty.fields().is_some() {
                    return Err(unsupported(
                        span,
                        IN_ROWS,
                        "write EXISTS (SELECT 1 FROM … AS t WHERE t.x = a AND t.y = b)",
                    ));
                }
                let over_arrays = is_over_arrays(query) && self.is_correlated(query);
                // A join of the engine would find NaN equal to itself, and it has none for NOT IN with a query that
                // reads the outer row.
                let joins = !over_arrays
                    && operand.ty != Type::Float64
                    && self.is_joinable(query)
                    && !(*negated && self.is_correlated(query));
                if position == Position::Conjunct && joins {
                    let operand = self.expr(operand)?;
                    let text = self.query(query)?;
                    return Ok(format!("({operand} {}IN ({text}))", not(*negated)));
                }
                if position == Position::Truth && !negated && joins {
                    let operand = self.expr(operand)?;
                    let text = self.query(query)?;
                    return Ok(format!("({operand} IN ({text}))"));
                }
                // The engine knows no NULL here, so the values are gathered and searched.
                let operand = self.expr(operand)?;
                let list = if over_arrays {
                    self.values_of(query)?
                } else {
                    self.list_of(query)?
                };
                format!("({}\"in_array\"({operand}, {list}))", not(*negated))
            }
            ExprKind::InUnnest { operand, .. } if operand.ty.fields().is_some() => {
                let instead =
                    "write EXISTS (SELECT 1 FROM UNNEST(…) AS e WHERE e.x = a AND e.y = b)";
                return Err(unsupported(span, IN_ROWS, instead));
            }
            ExprKind::InUnnest {
                operand,
                array,
                negated,
            } => match &array.kind {
                ExprKind::Array(items) if !items.is_empty() && operand.ty != Type::Float64 => {
                    format!(
                        "({} {}IN ({}))",
                        self.expr(operand)?,
                        not(*negated),
                        self.list(items, ", ")?
                    )
                }
                _ => {
                    let operand = self.expr(operand)?;
                    let array = self.expr(array)?;
                    format!("({}\"in_array\"({operand}, {array}))", not(*negated))
                }
            },
            ExprKind::Between {
                operand,
                low,
                high,
                negated,
            } if operand.ty == Type::Float64 => {
                let operand = self.expr(operand)?;
                let low = float_comparison(BinaryOp::GreaterOrEqual, &operand, &self.expr(low)?);
                let high = float_comparison(BinaryOp::LessOrEqual, &operand, &self.expr(high)?);
                format!("({}({low} AND {high}))", not(*negated))
            }
            ExprKind::Between {
                operand,
                low,
                high,
                negated,
            } => format!(
                "({} {}BETWEEN {} AND {})",
                self.expr(operand)?,
                not(*negated),
                self.expr(low)?,
                self.expr(high)?
            ),
            ExprKind::Like { operand, .. } if operand.ty == Type::Bytes => {
                let instead = "write STARTS_WITH(x, b'a'), ENDS_WITH, or REGEXP_CONTAINS(x, b'a')";
                return Err(unsupported(span, "LIKE of BYTES", instead));
            }
            ExprKind::Like {
                operand,
                pattern,
                negated,
            } => format!(
                "({} {}LIKE {})",
                self.expr(operand)?,
                not(*negated),
                self.expr(pattern)?
            ),
            ExprKind::Case {
                operand,
                branches,
                otherwise,
            } => self.case(operand.as_deref(), branches, otherwise.as_deref())?,
            ExprKind::Cast { operand, safe } => self.cast(operand, &expr.ty, *safe, span)?,
            ExprKind::Call {
                function,
                args,
                safe,
            } => self.call(function, args, *safe, span)?,
            ExprKind::Part(part) => string(part.as_str()),
            ExprKind::Mode(form) => string(form.as_str()),
            ExprKind::Named { name: _, value } => self.expr(value)?,
            ExprKind::Interval { value, part } => {
                format!("{}, {}", self.expr(value)?, string(part.as_str()))
            }
            ExprKind::Aggregate(aggregate) => self.aggregate(aggregate, span)?,
            ExprKind::Window(window) => self.window(window, span)?,
            ExprKind::Array(items) if items.is_empty() => empty_array(&expr.ty),
            // The engine has two types of BYTES, of literals and of columns, and no array of both.
            ExprKind::Array(items) if items.iter().any(|item| item.ty == Type::Bytes) => {
                let mut parts = Vec::with_capacity(items.len());
                for item in items {
                    parts.push(format!("\"arrow_cast\"({}, 'Binary')", self.expr(item)?));
                }
                format!("\"make_array\"({})", parts.join(", "))
            }
            ExprKind::Array(items) => format!("\"make_array\"({})", self.list(items, ", ")?),
            ExprKind::Struct(items) => {
                let fields = expr.ty.fields().unwrap_or_default().to_vec();
                let mut parts = Vec::with_capacity(items.len());
                for (index, (item, field)) in items.iter().zip(&fields).enumerate() {
                    let name = string(&field_name(field, index));
                    parts.push(format!("{name}, {}", self.expr(item)?));
                }
                format!("\"named_struct\"({})", parts.join(", "))
            }
            ExprKind::Redact { operand, redaction } => self.redact(operand, redaction)?,
            ExprKind::Subquery { kind, query } => {
                if is_over_arrays(query)
                    && (*kind == SubqueryKind::Array || self.is_correlated(query))
                {
                    return self.subquery_over_arrays(*kind, query);
                }
                match kind {
                    SubqueryKind::Scalar => self.value_of(query)?,
                    SubqueryKind::Exists
                        if position != Position::Value && self.is_joinable(query) =>
                    {
                        format!("(EXISTS ({}))", self.query(query)?)
                    }
                    SubqueryKind::Exists => self.has_rows(query)?,
                    SubqueryKind::Array => format!("\"present_list\"({})", self.list_of(query)?),
                }
            }
        })
    }

    /// Returns whether a query reads FROM items that are in scope around it.
    pub(super) fn is_correlated(&self, query: &Query) -> bool {
        let mut reads = Reads::of(&self.bindings);
        reads.query(query);
        reads.outer
    }

    /// Returns whether an expression reads FROM items that are in scope, and whether it reads others.
    pub(super) fn reads(&self, expr: &Expr) -> (bool, bool) {
        let mut reads = Reads::of(&self.bindings);
        reads.expr(expr);
        (reads.outer, reads.inner)
    }

    pub(super) fn list(&mut self, exprs: &[Expr], separator: &str) -> Printed {
        let mut parts = Vec::with_capacity(exprs.len());
        for expr in exprs {
            parts.push(self.expr(expr)?);
        }
        Ok(parts.join(separator))
    }

    fn case(
        &mut self,
        operand: Option<&Expr>,
        branches: &[CaseBranch],
        otherwise: Option<&Expr>,
    ) -> Printed {
        let mut text = String::from("(CASE");
        // As the engine compares it, NaN would be equal to itself.
        let (float, operand) = match operand {
            Some(operand) if operand.ty == Type::Float64 => (Some(self.expr(operand)?), None),
            operand => (None, operand),
        };
        if let Some(operand) = operand {
            text.push_str(&format!(" {}", self.expr(operand)?));
        }
        for CaseBranch { condition, value } in branches {
            let condition = self.expr(condition)?;
            let condition = match &float {
                Some(operand) => float_comparison(BinaryOp::Equal, operand, &condition),
                None => condition,
            };
            let value = self.case_value(value)?;
            text.push_str(&format!(" WHEN {condition} THEN {value}"));
        }
        if let Some(otherwise) = otherwise {
            text.push_str(&format!(" ELSE {}", self.case_value(otherwise)?));
        }
        text.push_str(" END)");
        Ok(text)
    }

    /// Prints what a branch of CASE gives. Of a column the engine would only mark the rows of other branches as
    /// NULL, and the fields of a record would still be read there; a call is computed for the rows of its branch.
    fn case_value(&mut self, value: &Expr) -> Printed {
        let text = self.expr(value)?;
        Ok(match value.ty {
            Type::Struct(_) if !value.is_null_literal() => {
                format!("\"as_lists\"({text}, {})", string("."))
            }
            _ => text,
        })
    }
}

/// What an expression or a query reads.
struct Reads<'a> {
    /// The FROM items in scope.
    scope: &'a BTreeMap<RangeId, Binding>,
    /// Whether it reads one of these.
    outer: bool,
    /// Whether it reads another.
    inner: bool,
}

impl<'a> Reads<'a> {
    fn of(scope: &'a BTreeMap<RangeId, Binding>) -> Self {
        Self {
            scope,
            outer: false,
            inner: false,
        }
    }
}

impl Visit for Reads<'_> {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Column { range, .. }
        | ExprKind::Element(range)
        | ExprKind::Offset(range)
        | ExprKind::Row(range) = &expr.kind
        {
            let outer = self.scope.contains_key(range);
            self.outer |= outer;
            self.inner |= !outer;
        }
        walk_expr(self, expr);
    }
}

/// Returns whether an expression is a record of a FROM item as it is stored.
fn is_read_of_a_record(expr: &Expr) -> bool {
    fn is_read(expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Column { .. } => true,
            ExprKind::Field { base, index: _ } => is_read(base),
            _ => false,
        }
    }
    matches!(expr.ty, Type::Struct(_)) && is_read(expr)
}

/// Returns a comparison of FLOAT64 values as IEEE 754 has it.
pub(super) fn not(negated: bool) -> &'static str {
    if negated { "NOT " } else { "" }
}

/// Returns the name of a STRUCT field; those without one are counted from 1.
pub(super) fn field_name(field: &Field, index: usize) -> String {
    field.result_name(index)
}

/// Returns a value with every array that is stored as its only element as a list.
pub(super) fn as_lists(text: &str, ty: &Type) -> String {
    format!("\"as_lists\"({text}, {})", string(&shape(ty)))
}

/// Describes how a value is stored, for the engine's `as_lists`: `?` before an array that is stored as
/// its element, `*` before a list, a STRUCT as its fields in parentheses, `.` for anything else.
fn shape(ty: &Type) -> String {
    match ty {
        Type::Array(array) => {
            let mark = if array.singleton { '?' } else { '*' };
            format!("{mark}{}", shape(&array.element))
        }
        Type::Struct(fields) => {
            let fields: Vec<String> = fields.iter().map(|field| shape(&field.ty)).collect();
            format!("({})", fields.concat())
        }
        _ => ".".to_owned(),
    }
}

/// Returns whether a list of IN begins with a query, which the parser of the engine takes for the whole of it.
fn begins_with_query(list: &[Expr]) -> bool {
    let first = list.first().map(|item| &item.kind);
    matches!(first, Some(ExprKind::Subquery { .. }))
}
