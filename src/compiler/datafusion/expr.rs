//! Expressions.

use std::collections::BTreeMap;

use super::call::{check_available, check_moving};
use super::from::{Binding, ELEMENT, OFFSET};
use super::print::{Printed, Printer, quoted, unsupported};
use super::types::{arrow_type, literal, string};
use crate::compiler::analyze::functions::{Embedded, Function};
use crate::compiler::diagnostic::{Diagnostic, Span};
use crate::compiler::ir::visit::{Visit, walk_expr};
use crate::compiler::ir::{
    Aggregate, BinaryOp, CaseBranch, Expr, ExprKind, Field, Frame, FrameBound, FrameUnit, Query,
    RangeId, SortKey, SubqueryKind, SubscriptMode, Type, UnaryOp, Value, Window,
};

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

impl Printer {
    pub(super) fn expr(&mut self, expr: &Expr) -> Printed {
        let position = self.position;
        self.position = position.of_operands(&expr.kind);
        let text = self.form(expr, position);
        self.position = position;
        text
    }

    fn form(&mut self, expr: &Expr, position: Position) -> Printed {
        let span = expr.span;
        Ok(match &expr.kind {
            ExprKind::Literal(value) => literal(value, &expr.ty),
            ExprKind::Parameter(name) => match arrow_type(&expr.ty) {
                Some(arrow) => format!("\"arrow_cast\"(${name}, {})", string(&arrow)),
                None => format!("${name}"),
            },
            ExprKind::Column { range, column } => match self.bindings.get(range) {
                Some(binding) => binding.column(column.as_str()),
                None => return Err(unsupported(span, "this reference")),
            },
            ExprKind::Element(range) => match self.bindings.get(range) {
                Some(binding) => binding.column(ELEMENT),
                None => return Err(unsupported(span, "this reference")),
            },
            ExprKind::Offset(range) => match self.bindings.get(range) {
                Some(binding) => binding.column(OFFSET),
                None => return Err(unsupported(span, "this reference")),
            },
            ExprKind::Row(range) => {
                let Some(binding) = self.bindings.get(range) else {
                    return Err(unsupported(span, "this reference"));
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
                None => return Err(unsupported(span, "this reference")),
            },
            ExprKind::GroupKey(index) => match self.keys.last().and_then(|keys| keys.get(*index)) {
                Some(key) => key.clone(),
                None => return Err(unsupported(span, "this reference")),
            },
            ExprKind::Field { base, index } => {
                let fields = base.ty.fields().unwrap_or_default();
                let Some(field) = fields.get(*index) else {
                    return Err(unsupported(span, "this field"));
                };
                let name = field_name(field, *index);
                format!("\"get_field\"({}, {})", self.expr(base)?, string(&name))
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
                        return Err(unsupported(span, &format!("arithmetic of {ty}")));
                    }
                    (UnaryOp::BitNot, _) => format!("((-1) - {text})"),
                }
            }
            ExprKind::Binary { op, left, right } => {
                self.binary(*op, left, right, &expr.ty, span)?
            }
            ExprKind::And(list) => format!("({})", self.list(list, " AND ")?),
            ExprKind::Or(list) => format!("({})", self.list(list, " OR ")?),
            ExprKind::IsNull { operand, negated } => {
                format!("({} IS {}NULL)", self.expr(operand)?, not(*negated))
            }
            ExprKind::IsBool {
                operand,
                value,
                negated,
            } => {
                let value = if *value { "TRUE" } else { "FALSE" };
                format!("({} IS {}{value})", self.expr(operand)?, not(*negated))
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
            } if operand.ty == Type::Float64 => {
                let operand = self.expr(operand)?;
                let mut equal = Vec::with_capacity(list.len());
                for item in list {
                    let item = self.expr(item)?;
                    equal.push(float_comparison(BinaryOp::Equal, &operand, &item));
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
                let correlated = self.is_correlated(query);
                let operand = self.expr(operand)?;
                let text = self.query(query)?;
                match position {
                    Position::Conjunct => format!("({operand} {}IN ({text}))", not(*negated)),
                    Position::Truth if !negated => format!("({operand} IN ({text}))"),
                    _ if correlated => {
                        return Err(unsupported(span, "IN of such a sub-query in this place"));
                    }
                    // The engine knows no NULL here, so the values are gathered and searched.
                    _ => {
                        let column = query.columns().first().map(|c| quoted(c.name.as_str()));
                        format!(
                            "({}\"in_array\"({operand}, (SELECT \"array_agg\"({}) FROM ({text}) AS {})))",
                            not(*negated),
                            column.unwrap_or_default(),
                            quoted(&self.alias("s")),
                        )
                    }
                }
            }
            ExprKind::InUnnest {
                operand,
                array,
                negated,
            } => match &array.kind {
                ExprKind::Array(items) if !items.is_empty() => format!(
                    "({} {}IN ({}))",
                    self.expr(operand)?,
                    not(*negated),
                    self.list(items, ", ")?
                ),
                // To the function a NaN equals itself.
                _ if operand.ty == Type::Float64 => {
                    return Err(unsupported(
                        span,
                        "IN UNNEST of an array of FLOAT64 that is no literal",
                    ));
                }
                _ => format!(
                    "({}\"in_array\"({}, {}))",
                    not(*negated),
                    self.expr(operand)?,
                    self.expr(array)?
                ),
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
            ExprKind::Array(items) if items.is_empty() => match arrow_type(&expr.ty) {
                Some(arrow) => format!("\"arrow_cast\"(\"make_array\"(), {})", string(&arrow)),
                // An empty array that is stored as its only element is no element.
                None => "NULL".to_owned(),
            },
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
                let correlated = self.is_correlated(query);
                let text = self.query(query)?;
                match kind {
                    SubqueryKind::Scalar => format!("({text})"),
                    SubqueryKind::Exists if position != Position::Value => {
                        format!("(EXISTS ({text}))")
                    }
                    SubqueryKind::Exists if correlated => {
                        return Err(Box::new(
                            (*unsupported(span, "EXISTS outside of a condition"))
                                .help("put it into WHERE, or join and count"),
                        ));
                    }
                    SubqueryKind::Exists => {
                        let alias = quoted(&self.alias("s"));
                        format!("((SELECT \"count\"(1) FROM ({text}) AS {alias}) > 0)")
                    }
                    SubqueryKind::Array => return Err(unsupported(span, "ARRAY(SELECT …)")),
                }
            }
        })
    }

    /// Returns whether a query reads FROM items that are in scope around it.
    fn is_correlated(&self, query: &Query) -> bool {
        struct Reads<'a> {
            around: &'a BTreeMap<RangeId, Binding>,
            any: bool,
        }
        impl Visit for Reads<'_> {
            fn expr(&mut self, expr: &Expr) {
                if let ExprKind::Column { range, .. }
                | ExprKind::Element(range)
                | ExprKind::Offset(range)
                | ExprKind::Row(range) = &expr.kind
                {
                    self.any |= self.around.contains_key(range);
                }
                walk_expr(self, expr);
            }
        }
        let mut reads = Reads {
            around: &self.bindings,
            any: false,
        };
        reads.query(query);
        reads.any
    }

    pub(super) fn list(&mut self, exprs: &[Expr], separator: &str) -> Printed {
        let mut parts = Vec::with_capacity(exprs.len());
        for expr in exprs {
            parts.push(self.expr(expr)?);
        }
        Ok(parts.join(separator))
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        ty: &Type,
        span: Span,
    ) -> Printed {
        let left_text = self.expr(left)?;
        let right_text = self.expr(right)?;
        let checked = |name: &str| match ty {
            Type::Int64 => Some(format!("\"{name}_int64\"({left_text}, {right_text})")),
            Type::Float64 => Some(format!("\"{name}_float64\"({left_text}, {right_text})")),
            Type::Numeric => Some(format!("\"{name}_numeric\"({left_text}, {right_text})")),
            _ => None,
        };
        let operator = match op {
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide => {
                let name = match op {
                    BinaryOp::Add => "add",
                    BinaryOp::Subtract => "subtract",
                    BinaryOp::Multiply => "multiply",
                    _ => "divide",
                };
                return checked(name)
                    .ok_or_else(|| unsupported(span, &format!("arithmetic of {ty}")));
            }
            BinaryOp::Concat => {
                let function = if matches!(ty, Type::Array(_)) {
                    "array_concat"
                } else {
                    "concat"
                };
                return Ok(format!("\"{function}\"({left_text}, {right_text})"));
            }
            BinaryOp::ShiftLeft => {
                return Ok(format!("\"shift_left\"({left_text}, {right_text})"));
            }
            BinaryOp::ShiftRight => {
                return Ok(format!("\"shift_right\"({left_text}, {right_text})"));
            }
            op if left.ty == Type::Float64 && is_comparison(op) => {
                return Ok(float_comparison(op, &left_text, &right_text));
            }
            BinaryOp::Equal => "=",
            BinaryOp::NotEqual => "<>",
            BinaryOp::Less => "<",
            BinaryOp::LessOrEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterOrEqual => ">=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
        };
        Ok(format!("({left_text} {operator} {right_text})"))
    }

    fn case(
        &mut self,
        operand: Option<&Expr>,
        branches: &[CaseBranch],
        otherwise: Option<&Expr>,
    ) -> Printed {
        let mut text = String::from("(CASE");
        if let Some(operand) = operand {
            text.push_str(&format!(" {}", self.expr(operand)?));
        }
        for CaseBranch { condition, value } in branches {
            let condition = self.expr(condition)?;
            let value = self.expr(value)?;
            text.push_str(&format!(" WHEN {condition} THEN {value}"));
        }
        if let Some(otherwise) = otherwise {
            text.push_str(&format!(" ELSE {}", self.expr(otherwise)?));
        }
        text.push_str(" END)");
        Ok(text)
    }

    fn cast(&mut self, operand: &Expr, ty: &Type, safe: bool, span: Span) -> Printed {
        let text = self.expr(operand)?;
        if operand.ty == *ty {
            return Ok(text);
        }
        if operand.ty.same(ty) {
            return Ok(as_lists(&text, &operand.ty));
        }
        let target = match ty {
            Type::Bool => "bool",
            Type::Int64 => "int64",
            Type::Float64 => "float64",
            Type::Numeric => "numeric",
            Type::String => "string",
            Type::Bytes => "bytes",
            Type::Date => "date",
            Type::Time => "time",
            Type::Datetime => "datetime",
            Type::Timestamp => "timestamp",
            Type::BigNumeric | Type::Interval | Type::Json | Type::Array(_) | Type::Struct(_) => {
                return Err(unsupported(span, &format!("a cast to {ty}")));
            }
        };
        let safe = if safe { "safe_" } else { "" };
        Ok(format!("\"{safe}cast_to_{target}\"({text})"))
    }

    fn aggregate(&mut self, aggregate: &Aggregate, span: Span) -> Printed {
        let Aggregate {
            function,
            args,
            distinct,
            ignore_nulls,
            order_by,
            limit,
        } = aggregate;
        check_available(function, args, span)?;
        let text = function.name == "STRING_AGG" && args.iter().all(|arg| arg.ty == Type::String);
        if text && !order_by.is_empty() {
            let (value, separator) = args.split_at(1);
            let separator = match separator {
                [] => "','".to_owned(),
                _ => self.list(separator, ", ")?,
            };
            let list = self.ordered_list(value, order_by, *distinct, Some(true))?;
            let list = limited(&list, *limit);
            return Ok(format!("\"array_to_string\"({list}, {separator})"));
        }
        if function.name == "ARRAY_AGG" && !order_by.is_empty() && !distinct {
            let list = self.ordered_list(args, order_by, false, *ignore_nulls)?;
            return Ok(limited(&list, *limit));
        }
        if function.name == "ARRAY_CONCAT_AGG" {
            let lists = if order_by.is_empty() {
                let value = self.list(args, ", ")?;
                format!("\"array_agg\"({value}) FILTER (WHERE {value} IS NOT NULL)")
            } else {
                self.ordered_list(args, order_by, false, Some(true))?
            };
            return Ok(format!("\"array_flatten\"({})", limited(&lists, *limit)));
        }
        let order_by = if order_by.is_empty() {
            String::new()
        } else {
            format!(" ORDER BY {}", self.sort_keys(order_by)?)
        };
        if let Some(call) = self.aggregate_form(function, args, *distinct)? {
            return Ok(call);
        }
        let call = self.aggregate_call(function, args, *distinct, &order_by, span)?;
        let filter = match (ignore_nulls, args.first()) {
            (Some(true), Some(arg)) => {
                format!(" FILTER (WHERE {} IS NOT NULL)", self.expr(arg)?)
            }
            _ => String::new(),
        };
        let call = self.exact(function, args, &call, &filter)?;
        if limit.is_some() && function.name != "ARRAY_AGG" {
            return Err(unsupported(span, "LIMIT in this call"));
        }
        Ok(limited(&call, *limit))
    }

    /// Prints an ordered ARRAY_AGG, or the list that STRING_AGG joins: the engine keeps every group's input batches for its own, so the
    /// values are gathered with their sort keys and sorted afterwards.
    fn ordered_list(
        &mut self,
        args: &[Expr],
        keys: &[SortKey],
        distinct: bool,
        ignore_nulls: Option<bool>,
    ) -> Printed {
        let value = self.list(args, ", ")?;
        let mut fields = vec![format!("'v', {value}")];
        let mut order = String::new();
        for (index, key) in keys.iter().enumerate() {
            let SortKey {
                expr,
                descending,
                nulls_first,
            } = key;
            fields.push(format!("'k{index}', {}", self.expr(expr)?));
            order.push(if *descending { 'D' } else { 'A' });
            order.push(if *nulls_first { 'F' } else { 'L' });
        }
        let filter = match ignore_nulls {
            Some(true) => format!(" FILTER (WHERE {value} IS NOT NULL)"),
            _ => String::new(),
        };
        let distinct = if distinct { "DISTINCT " } else { "" };
        Ok(format!(
            "\"ordered\"(\"array_agg\"({distinct}\"named_struct\"({})){filter}, {})",
            fields.join(", "),
            string(&order)
        ))
    }

    /// Prints the aggregate functions that the engine has only as a combination of others.
    fn aggregate_form(
        &mut self,
        function: &Function,
        args: &[Expr],
        distinct: bool,
    ) -> Result<Option<String>, Box<Diagnostic>> {
        let [first, second] = args else {
            return Ok(None);
        };
        let (value, other) = (self.expr(first)?, self.expr(second)?);
        let distinct = if distinct { "DISTINCT " } else { "" };
        Ok(match function.name {
            "MAX_BY" | "MIN_BY" => {
                let direction = if function.name == "MAX_BY" {
                    "DESC"
                } else {
                    "ASC"
                };
                Some(format!(
                    "\"first_value\"({value} ORDER BY {other} {direction} NULLS LAST) FILTER (WHERE {other} IS NOT NULL)"
                ))
            }
            // Every value is kept, so the quantiles are exact.
            "APPROX_QUANTILES" => Some(format!(
                "\"quantiles\"(\"array_agg\"({distinct}{value}) FILTER (WHERE {value} IS NOT NULL), {other})"
            )),
            "APPROX_TOP_COUNT" => Some(format!(
                "\"top_count\"(\"array_agg\"({distinct}{value}), {other})"
            )),
            _ => None,
        })
    }

    fn aggregate_call(
        &mut self,
        function: &Function,
        args: &[Expr],
        distinct: bool,
        order_by: &str,
        span: Span,
    ) -> Printed {
        let mut list = self.list(args, ", ")?;
        if sums_integers(function, args) {
            list = format!("\"arrow_cast\"({list}, 'Decimal128(38, 0)')");
        }
        if adds_decimals(function, args) {
            list = format!("\"arrow_cast\"({list}, 'Decimal256(76, 9)')");
        }
        let distinct = if distinct { "DISTINCT " } else { "" };
        let (name, distinct) = match (function.embedded, function.name) {
            (_, "COUNT") if args.is_empty() => ("count", {
                list = "1".to_owned();
                distinct
            }),
            (_, "COUNTIF") => {
                list = format!("CASE WHEN {list} THEN 1 END");
                ("count", distinct)
            }
            (_, "APPROX_COUNT_DISTINCT") => ("count", "DISTINCT "),
            (_, "ARRAY_AGG") => ("array_agg", distinct),
            (_, "STRING_AGG") => {
                if args.len() == 1 {
                    list.push_str(", ','");
                }
                ("string_agg", distinct)
            }
            (Embedded::Native(name), _) => (name, distinct),
            (Embedded::Udf | Embedded::Form | Embedded::Absent(_), name) => {
                return Err(unsupported(span, name));
            }
        };
        Ok(format!("\"{name}\"({distinct}{list}{order_by})"))
    }

    fn window(&mut self, window: &Window, span: Span) -> Printed {
        let Window {
            function,
            args,
            distinct,
            ignore_nulls,
            partition_by,
            order_by,
            frame,
        } = window;
        check_available(function, args, span)?;
        let gathered = matches!(
            function.name,
            "ARRAY_CONCAT_AGG" | "MAX_BY" | "MIN_BY" | "APPROX_QUANTILES" | "APPROX_TOP_COUNT"
        );
        if gathered {
            return Err(unsupported(span, &format!("{} with OVER", function.name)));
        }
        let moves = frame
            .as_ref()
            .is_some_and(|frame| frame.start != FrameBound::UnboundedPreceding);
        if moves {
            check_moving(function, args, span)?;
        }
        let percentile = matches!(function.name, "PERCENTILE_CONT" | "PERCENTILE_DISC");
        let call = if percentile {
            // Without a word about them, these functions ignore NULLs.
            let keeps_nulls = *ignore_nulls == Some(false);
            let list = self.list(args, ", ")?;
            format!("\"{}_of\"({list}, {keeps_nulls})", function.udf_name())
        } else if function.kind == crate::compiler::analyze::functions::Kind::Window {
            let list = self.list(args, ", ")?;
            format!("\"{}\"({list})", function.udf_name())
        } else {
            self.aggregate_call(function, args, *distinct, "", span)?
        };
        let nulls = match ignore_nulls {
            _ if percentile => "",
            Some(true) => " IGNORE NULLS",
            Some(false) => " RESPECT NULLS",
            None => "",
        };
        let mut over = Vec::new();
        if !partition_by.is_empty() {
            over.push(format!("PARTITION BY {}", self.list(partition_by, ", ")?));
        }
        if !order_by.is_empty() {
            over.push(format!("ORDER BY {}", self.sort_keys(order_by)?));
        }
        let by_value = frame.as_ref().is_some_and(|frame| {
            let counts = |b| matches!(b, FrameBound::Preceding(_) | FrameBound::Following(_));
            frame.unit == FrameUnit::Range && (counts(frame.start) || counts(frame.end))
        });
        if by_value && order_by.iter().any(|key| key.expr.ty == Type::Float64) {
            return Err(unsupported(span, "a frame by distance over FLOAT64"));
        }
        if let Some(Frame { unit, start, end }) = frame {
            let unit = match unit {
                FrameUnit::Rows => "ROWS",
                FrameUnit::Range => "RANGE",
            };
            over.push(format!(
                "{unit} BETWEEN {} AND {}",
                bound(*start),
                bound(*end)
            ));
        }
        let over = format!("{nulls} OVER ({})", over.join(" "));
        self.exact(function, args, &call, &over)
    }

    /// Completes the call of an aggregate function with what follows it, and gives it GoogleSQL's meaning
    /// where the engine's is another: a sum that is too large fails, and NaN is both the least and the
    /// greatest of all values.
    fn exact(&mut self, function: &Function, args: &[Expr], call: &str, rest: &str) -> Printed {
        let float = args.first().filter(|arg| arg.ty == Type::Float64);
        Ok(match (function.name, float) {
            ("AVG", _) if sums_integers(function, args) => {
                // The exact sum, where the engine adds FLOAT64 values.
                let sum = call.replacen("\"avg\"", "\"sum\"", 1);
                let count = call.replacen("\"avg\"", "\"count\"", 1);
                format!("(\"arrow_cast\"({sum}{rest}, 'Float64') / {count}{rest})")
            }
            _ if sums_integers(function, args) => {
                format!("\"arrow_cast\"({call}{rest}, 'Int64')")
            }
            _ if adds_decimals(function, args) => {
                format!("\"narrow_numeric\"({call}{rest})")
            }
            ("CORR", Some(x)) => {
                // NULL of less than two pairs, else a number or NaN.
                let pair = match args.get(1) {
                    Some(y) => format!(
                        "{} IS NOT NULL AND {} IS NOT NULL",
                        self.expr(x)?,
                        self.expr(y)?
                    ),
                    None => "TRUE".to_owned(),
                };
                let nan = literal(&Value::Float64(f64::NAN), &Type::Float64);
                format!(
                    "\"coalesce\"({call}{rest}, CASE WHEN \"count\"(CASE WHEN {pair} THEN 1 END){rest} > 1 THEN {nan} END)"
                )
            }
            ("SUM" | "AVG" | "STDDEV_SAMP" | "STDDEV_POP" | "VAR_SAMP" | "VAR_POP", Some(arg)) => {
                let arg = self.expr(arg)?;
                let special = format!("\"is_nan\"({arg}) OR \"is_inf\"({arg})");
                format!(
                    "\"finite_sum\"({call}{rest}, \"max\"(CASE WHEN {special} THEN 1 ELSE 0 END){rest})"
                )
            }
            ("GROUPING", _) => format!("\"arrow_cast\"({call}, 'Int64')"),
            ("MIN" | "MAX", Some(arg)) => {
                let arg = self.expr(arg)?;
                let nan = literal(&Value::Float64(f64::NAN), &Type::Float64);
                format!(
                    "(CASE WHEN \"max\"(CASE WHEN \"is_nan\"({arg}) THEN 1 ELSE 0 END){rest} = 1 THEN {nan} ELSE {call}{rest} END)"
                )
            }
            _ => format!("{call}{rest}"),
        })
    }
}

/// Returns a list cut to its first elements.
fn limited(list: &str, limit: Option<u64>) -> String {
    match limit {
        Some(limit) => format!("\"array_slice\"({list}, 1, {limit})"),
        None => list.to_owned(),
    }
}

fn is_comparison(op: BinaryOp) -> bool {
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

/// Returns a comparison of FLOAT64 values as IEEE 754 has it.
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

/// Returns whether a call adds up integers. The engine lets the sum wrap, so it adds decimals instead.
fn sums_integers(function: &Function, args: &[Expr]) -> bool {
    matches!(function.name, "SUM" | "AVG") && args.first().is_some_and(|arg| arg.ty == Type::Int64)
}

/// Returns whether a call adds up decimals. The engine lets the sum wrap, so it adds wider ones instead.
fn adds_decimals(function: &Function, args: &[Expr]) -> bool {
    matches!(function.name, "SUM" | "AVG")
        && args.first().is_some_and(|arg| arg.ty == Type::Numeric)
}

fn not(negated: bool) -> &'static str {
    if negated { "NOT " } else { "" }
}

fn bound(bound: FrameBound) -> String {
    match bound {
        FrameBound::UnboundedPreceding => "UNBOUNDED PRECEDING".to_owned(),
        FrameBound::Preceding(count) => format!("{count} PRECEDING"),
        FrameBound::CurrentRow => "CURRENT ROW".to_owned(),
        FrameBound::Following(count) => format!("{count} FOLLOWING"),
        FrameBound::UnboundedFollowing => "UNBOUNDED FOLLOWING".to_owned(),
    }
}

/// Returns the name of a STRUCT field; those without one are counted from 1.
fn field_name(field: &Field, index: usize) -> String {
    field.result_name(index)
}

/// Returns a value with every array that is stored as its only element as a list.
fn as_lists(text: &str, ty: &Type) -> String {
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
