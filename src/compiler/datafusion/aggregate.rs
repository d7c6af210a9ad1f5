//! Aggregate functions, of groups and of windows.

use super::call::check_available;
use super::print::{Printed, Printer, sortable, unsupported};
use super::types::{literal, string};
use crate::compiler::analyze::functions::{Embedded, Function};
use crate::compiler::diagnostic::{Diagnostic, Span};
use crate::compiler::ir::{Aggregate, Expr, ExprKind, SortKey, Type, Value};

/// A call of one of the engine's aggregate functions.
#[derive(Clone)]
pub(super) struct Call {
    name: &'static str,
    distinct: bool,
    args: Vec<String>,
    /// Empty, or ORDER BY with a space before it.
    order_by: String,
}

/// What follows the arguments of a call.
#[derive(Clone)]
pub(super) enum Rest {
    /// Rows of a group; only those for which a condition holds, if there is one.
    Group(Option<String>),
    /// Rows of a window, as printed.
    Over(String),
}

/// Aggregate functions that the engine has only over the values of a group, gathered into a list.
pub(super) const GATHERED: &[&str] = &[
    "APPROX_QUANTILES",
    "APPROX_TOP_COUNT",
    "APPROX_TOP_SUM",
    "ARRAY_CONCAT_AGG",
    "MAX_BY",
    "MIN_BY",
];

impl Printer {
    pub(super) fn aggregate(&mut self, aggregate: &Aggregate, span: Span) -> Printed {
        let outside = std::mem::replace(&mut self.in_aggregate, true);
        let text = self.aggregated(aggregate, span);
        self.in_aggregate = outside;
        text
    }

    fn aggregated(&mut self, aggregate: &Aggregate, span: Span) -> Printed {
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
        let as_list = !order_by.is_empty() || limit.is_some() || self.rows.is_some();
        if text && as_list {
            let (value, separator) = args.split_at(1);
            let separator = match separator {
                [] => "','".to_owned(),
                _ => self.list(separator, ", ")?,
            };
            let list = self.gathered(value, order_by, *distinct, Some(true))?;
            let list = limited(&list, *limit);
            return Ok(format!("\"array_to_string\"({list}, {separator})"));
        }
        // Of FLOAT64 values an order has two keys, of which the engine does not see that both are the argument.
        let float = args.first().is_some_and(|arg| arg.ty == Type::Float64);
        if function.name == "ARRAY_AGG" && (order_by.is_empty() || !distinct || float) {
            let list = self.gathered(args, order_by, *distinct, *ignore_nulls)?;
            return Ok(limited(&list, *limit));
        }
        if function.name == "ARRAY_CONCAT_AGG" {
            let lists = self.gathered(args, order_by, false, Some(true))?;
            return Ok(format!("\"array_flatten\"({})", limited(&lists, *limit)));
        }
        if let Some(call) = self.aggregate_form(function, args, *distinct)? {
            return Ok(call);
        }
        let order_by = self.order_by(order_by)?;
        let call = self.call_of(function, args, *distinct, order_by, span)?;
        let filter = match (ignore_nulls, args.first()) {
            (Some(true), Some(arg)) => Some(format!("{} IS NOT NULL", self.expr(arg)?)),
            _ => None,
        };
        let call = self.exact(function, args, &call, &Rest::Group(filter))?;
        if limit.is_some() && function.name != "ARRAY_AGG" {
            return Err(unsupported(
                span,
                "LIMIT in this call",
                "write ARRAY_TO_STRING(ARRAY_AGG(x LIMIT n), ',')",
            ));
        }
        Ok(limited(&call, *limit))
    }

    /// Prints ARRAY_AGG, or the list that STRING_AGG joins. For an order of its own the engine would keep every
    /// group's input batches, so the values are gathered with their sort keys and sorted afterwards.
    fn gathered(
        &mut self,
        args: &[Expr],
        keys: &[SortKey],
        distinct: bool,
        ignore_nulls: Option<bool>,
    ) -> Printed {
        let mut value = self.list(args, ", ")?;
        if distinct && args.iter().any(|arg| arg.ty == Type::Float64) {
            value = sortable(&value);
        }
        let filter = (ignore_nulls == Some(true)).then(|| format!("{value} IS NOT NULL"));
        let (element, order) = if keys.is_empty() {
            (value, None)
        } else {
            let (record, order) = self.sort_record(&value, keys, &[])?;
            (record, Some(order))
        };
        let call = Call {
            name: "array_agg",
            distinct,
            args: vec![element],
            order_by: String::new(),
        };
        let list = self.raw(&call, &Rest::Group(filter))?;
        Ok(match order {
            Some(order) => format!("\"ordered\"({list}, {order})"),
            None => list,
        })
    }

    /// Prints a value with its sort keys, and the order as the engine's `ordered` reads it. `outputs` are what
    /// keys that are output columns stand for.
    pub(super) fn sort_record(
        &mut self,
        value: &str,
        keys: &[SortKey],
        outputs: &[&Expr],
    ) -> Result<(String, String), Box<Diagnostic>> {
        let mut fields = vec![format!("'v', {value}")];
        let mut order = String::new();
        for SortKey {
            expr,
            descending,
            nulls_first,
        } in keys
        {
            let expr = match expr.kind {
                ExprKind::Output(index) => outputs.get(index).copied().unwrap_or(expr),
                _ => expr,
            };
            let key = self.expr(expr)?;
            let mut push = |key: &str, descending: bool| {
                fields.push(format!("'k{}', {key}", fields.len() - 1));
                order.push(if descending { 'D' } else { 'A' });
                order.push(if *nulls_first { 'F' } else { 'L' });
            };
            if expr.ty == Type::Float64 {
                // NaN is the least value of GoogleSQL and the greatest of the engine.
                push(&format!("\"is_nan\"({key})"), !descending);
                push(&sortable(&key), *descending);
            } else {
                push(&key, *descending);
            }
        }
        let record = format!("\"named_struct\"({})", fields.join(", "));
        Ok((record, string(&order)))
    }

    /// Prints the aggregate functions that the engine has only as a combination of others.
    fn aggregate_form(
        &mut self,
        function: &Function,
        args: &[Expr],
        distinct: bool,
    ) -> Result<Option<String>, Box<Diagnostic>> {
        if !GATHERED.contains(&function.name) {
            return Ok(None);
        }
        let (first, second) = match args {
            [first, second] => (first, second),
            [value, weight, number] => return self.top_sum(value, weight, number).map(Some),
            _ => return Ok(None),
        };
        let (mut value, other) = (self.expr(first)?, self.expr(second)?);
        let by_value = distinct || function.name == "APPROX_TOP_COUNT";
        if by_value && first.ty == Type::Float64 {
            value = sortable(&value);
        }
        if matches!(function.name, "APPROX_QUANTILES" | "APPROX_TOP_COUNT") {
            // Every value is kept, so what is approximate elsewhere is exact.
            let call = Call {
                name: "array_agg",
                distinct,
                args: vec![value.clone()],
                order_by: String::new(),
            };
            let (form, filter) = match function.name {
                "APPROX_QUANTILES" => ("quantiles", Some(format!("{value} IS NOT NULL"))),
                _ => ("top_count", None),
            };
            let list = self.raw(&call, &Rest::Group(filter))?;
            return Ok(Some(format!("\"{form}\"({list}, {other})")));
        }
        let descending = function.name == "MAX_BY";
        let there = Rest::Group(Some(format!("{other} IS NOT NULL")));
        if self.rows.is_some() {
            let call = Call {
                name: "array_agg",
                distinct: false,
                args: vec![format!("\"named_struct\"('v', {value}, 'k', {other})")],
                order_by: String::new(),
            };
            let list = self.raw(&call, &there)?;
            let order = if descending { "'DL'" } else { "'AL'" };
            return Ok(Some(format!(
                "\"safe_array_at\"(\"ordered\"({list}, {order}), 0)"
            )));
        }
        let direction = if descending { "DESC" } else { "ASC" };
        let call = Call {
            name: "first_value",
            distinct: false,
            args: vec![value],
            order_by: format!(" ORDER BY {other} {direction} NULLS LAST"),
        };
        self.raw(&call, &there).map(Some)
    }

    /// Prints APPROX_TOP_SUM, over every value with its weight.
    fn top_sum(&mut self, value: &Expr, weight: &Expr, number: &Expr) -> Printed {
        let mut key = self.expr(value)?;
        if value.ty == Type::Float64 {
            key = sortable(&key);
        }
        let weight = self.expr(weight)?;
        let call = Call {
            name: "array_agg",
            distinct: false,
            args: vec![format!("\"named_struct\"('v', {key}, 'w', {weight})")],
            order_by: String::new(),
        };
        let list = self.raw(&call, &Rest::Group(None))?;
        Ok(format!("\"top_sum\"({list}, {})", self.expr(number)?))
    }

    pub(super) fn call_of(
        &mut self,
        function: &Function,
        args: &[Expr],
        distinct: bool,
        order_by: String,
        span: Span,
    ) -> Result<Call, Box<Diagnostic>> {
        let by_value = distinct || function.name == "APPROX_COUNT_DISTINCT";
        let mut list = Vec::with_capacity(args.len());
        for arg in args {
            let text = self.expr(arg)?;
            list.push(if by_value && arg.ty == Type::Float64 {
                // 0 and -0 are one value.
                sortable(&text)
            } else if sums_integers(function, args) {
                format!("\"arrow_cast\"({text}, 'Decimal128(38, 0)')")
            } else if adds_decimals(function, args) {
                format!("\"arrow_cast\"({text}, 'Decimal256(76, 9)')")
            } else {
                text
            });
        }
        let (name, distinct) = match (function.embedded, function.name) {
            (_, "COUNT") if args.is_empty() => {
                list.push("1".to_owned());
                ("count", distinct)
            }
            (_, "COUNTIF") => {
                list = vec![format!("CASE WHEN {} THEN 1 END", list.join(", "))];
                ("count", distinct)
            }
            (_, "APPROX_COUNT_DISTINCT") => ("count", true),
            (_, "ARRAY_AGG") => ("array_agg", distinct),
            (_, "STRING_AGG") => {
                if args.len() == 1 {
                    list.push("','".to_owned());
                }
                ("string_agg", distinct)
            }
            (Embedded::Native(name), _) => (name, distinct),
            (Embedded::Udf | Embedded::Form | Embedded::Absent(_), name) => {
                return Err(unsupported(
                    span,
                    name,
                    "compute it in a sub-query with GROUP BY",
                ));
            }
        };
        Ok(Call {
            name,
            distinct,
            args: list,
            order_by,
        })
    }

    /// Prints a call over the rows of a group, a window, or a list.
    fn raw(&self, call: &Call, rest: &Rest) -> Printed {
        let Call {
            name,
            distinct,
            args,
            order_by,
        } = call;
        if let (Some(rows), Rest::Group(condition)) = (&self.rows, rest) {
            let rows = match condition {
                Some(condition) => &rows.filter(condition),
                None => rows,
            };
            let mut lists: Vec<String> = args.iter().map(|arg| rows.map(arg)).collect();
            if *distinct {
                lists = lists
                    .iter()
                    .map(|list| format!("\"array_distinct\"({list})"))
                    .collect();
            }
            return Ok(format!(
                "\"aggregate_list\"({}, {})",
                string(name),
                lists.join(", ")
            ));
        }
        let rest = match rest {
            Rest::Group(None) => String::new(),
            Rest::Group(Some(condition)) => format!(" FILTER (WHERE {condition})"),
            Rest::Over(over) => over.clone(),
        };
        let distinct = if *distinct { "DISTINCT " } else { "" };
        Ok(format!(
            "\"{name}\"({distinct}{}{order_by}){rest}",
            args.join(", ")
        ))
    }

    /// Completes the call of an aggregate function with what follows it, and gives it GoogleSQL's meaning
    /// where the engine's is another: a sum that is too large fails, and NaN is both the least and the
    /// greatest of all values.
    pub(super) fn exact(
        &mut self,
        function: &Function,
        args: &[Expr],
        call: &Call,
        rest: &Rest,
    ) -> Printed {
        let float = args.first().filter(|arg| arg.ty == Type::Float64);
        let text = self.raw(call, rest)?;
        Ok(match (function.name, float) {
            ("AVG", _) if sums_integers(function, args) => {
                // The exact sum, where the engine adds FLOAT64 values.
                let [sum, count] = ["sum", "count"].map(|name| {
                    let call = Call {
                        name,
                        ..call.clone()
                    };
                    self.raw(&call, rest)
                });
                format!("(\"arrow_cast\"({}, 'Float64') / {})", sum?, count?)
            }
            _ if sums_integers(function, args) => format!("\"arrow_cast\"({text}, 'Int64')"),
            _ if adds_decimals(function, args) => format!("\"narrow_numeric\"({text})"),
            ("CORR", _) => {
                // NULL of less than two pairs, else a number or NaN.
                let are_there = args
                    .iter()
                    .map(|arg| Ok(format!("{} IS NOT NULL", self.expr(arg)?)))
                    .collect::<Result<Vec<_>, Box<Diagnostic>>>()?;
                let pair = format!("CASE WHEN {} THEN 1 END", are_there.join(" AND "));
                let pairs = self.measure("count", pair, rest)?;
                let nan = literal(&Value::Float64(f64::NAN), &Type::Float64);
                sortable(&format!(
                    "(CASE WHEN {pairs} > 1 THEN \"coalesce\"({text}, {nan}) END)"
                ))
            }
            // NaN of one form, whatever the engine computed.
            ("COVAR_POP" | "COVAR_SAMP", _) => sortable(&text),
            ("SUM" | "AVG" | "STDDEV_SAMP" | "STDDEV_POP" | "VAR_SAMP" | "VAR_POP", Some(arg)) => {
                let arg = self.expr(arg)?;
                let special = format!("\"is_nan\"({arg}) OR \"is_inf\"({arg})");
                let special = self.measure(
                    "max",
                    format!("CASE WHEN {special} THEN 1 ELSE 0 END"),
                    rest,
                )?;
                format!("\"finite_sum\"({text}, {special})")
            }
            ("GROUPING", _) => format!("\"arrow_cast\"({text}, 'Int64')"),
            // NaN wins. The engine begins at the least or greatest finite number, so that infinity alone is lost.
            ("MIN" | "MAX", Some(arg)) => {
                let arg = self.expr(arg)?;
                let edge = match function.name {
                    "MIN" => f64::INFINITY,
                    _ => f64::NEG_INFINITY,
                };
                let [nan, edge] =
                    [f64::NAN, edge].map(|value| literal(&Value::Float64(value), &Type::Float64));
                let kind = format!(
                    "CASE WHEN \"is_nan\"({arg}) THEN 2 WHEN {arg} = {edge} THEN 0 WHEN {arg} IS NOT NULL THEN 1 END"
                );
                let kind = self.measure("max", kind, rest)?;
                format!("(CASE {kind} WHEN 2 THEN {nan} WHEN 0 THEN {edge} ELSE {text} END)")
            }
            _ => text,
        })
    }

    /// Prints an aggregate of the engine over the same rows as another.
    fn measure(&self, name: &'static str, arg: String, rest: &Rest) -> Printed {
        let call = Call {
            name,
            distinct: false,
            args: vec![arg],
            order_by: String::new(),
        };
        self.raw(&call, rest)
    }
}

/// Returns a list cut to its first elements.
fn limited(list: &str, limit: Option<u64>) -> String {
    match limit {
        Some(limit) => format!("\"array_slice\"({list}, 1, {limit})"),
        None => list.to_owned(),
    }
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
