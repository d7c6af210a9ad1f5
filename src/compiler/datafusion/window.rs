//! Window functions and frames.

use super::aggregate::{GATHERED, Rest};
use super::call::check_available;
use super::print::{Printed, Printer, push_key, sortable, unsupported};
use crate::compiler::analyze::functions::Kind;
use crate::compiler::diagnostic::Span;
use crate::compiler::ir::{Frame, FrameBound, FrameUnit, Type, Window};

/// Aggregate functions that are ours over the rows of a window: the engine's cannot take a value off again, or
/// round when they do.
const OVER: &[&str] = &[
    "BIT_AND",
    "BIT_OR",
    "CORR",
    "COVAR_POP",
    "COVAR_SAMP",
    "LOGICAL_AND",
    "LOGICAL_OR",
    "STDDEV_POP",
    "STDDEV_SAMP",
    "VAR_POP",
    "VAR_SAMP",
];

/// Likewise, and because the engine counts none of the memory for values that grow with the frame.
const COLLECTED: &[&str] = &["ARRAY_AGG", "STRING_AGG"];

impl Printer {
    pub(super) fn window(&mut self, window: &Window, span: Span) -> Printed {
        let Window { function, args, .. } = window;
        check_available(function, args, span)?;
        let outside = std::mem::replace(&mut self.in_aggregate, true);
        let printed = self.over(window, span);
        self.in_aggregate = outside;
        printed
    }

    fn over(&mut self, window: &Window, span: Span) -> Printed {
        let Window {
            function,
            args,
            distinct,
            ignore_nulls,
            partition_by,
            order_by,
            frame,
        } = window;
        if GATHERED.contains(&function.name) {
            return Err(unsupported(
                span,
                &format!("{} with OVER", function.name),
                "compute it in a sub-query with GROUP BY, and join that",
            ));
        }
        if frame.as_ref().is_some_and(ends_before_it_starts) {
            return Err(unsupported(
                span,
                "a window frame that ends before it starts",
                "write the farther bound first, as in BETWEEN 3 PRECEDING AND 1 PRECEDING",
            ));
        }
        let percentile = matches!(function.name, "PERCENTILE_CONT" | "PERCENTILE_DISC");
        let nulls = match ignore_nulls {
            _ if percentile => "",
            Some(true) => " IGNORE NULLS",
            Some(false) => " RESPECT NULLS",
            None => "",
        };
        let mut parts = Vec::new();
        if !partition_by.is_empty() {
            parts.push(format!("PARTITION BY {}", self.list(partition_by, ", ")?));
        }
        if !order_by.is_empty() {
            parts.push(format!("ORDER BY {}", self.window_order(window, span)?));
        }
        parts.extend(printed_frame(window));
        let over = format!("{nulls} OVER ({})", parts.join(" "));
        if percentile {
            // Without a word about them, these functions ignore NULLs.
            let keeps_nulls = *ignore_nulls == Some(false);
            let list = self.list(args, ", ")?;
            let name = function.udf_name();
            return Ok(format!("\"{name}_of\"({list}, {keeps_nulls}){over}"));
        }
        if function.kind == Kind::Window {
            let list = self.list(args, ", ")?;
            return Ok(format!("\"{}\"({list}){over}", function.udf_name()));
        }
        if is_ours(window) {
            let list = self.arguments_over(window)?;
            let distinct = if *distinct { "DISTINCT " } else { "" };
            let name = function.udf_name();
            return Ok(format!("\"{name}_over\"({distinct}{list}){over}"));
        }
        let call = self.call_of(function, args, *distinct, String::new(), span)?;
        self.exact(function, args, &call, &Rest::Over(over))
    }

    /// Prints the arguments of one of our functions over windows.
    fn arguments_over(&mut self, window: &Window) -> Printed {
        let mut list = Vec::with_capacity(window.args.len() + 2);
        for arg in &window.args {
            let text = self.expr(arg)?;
            list.push(match arg.ty {
                // ARRAY_AGG keeps values as they are.
                Type::Numeric if !COLLECTED.contains(&window.function.name) => {
                    format!("\"arrow_cast\"({text}, 'Float64')")
                }
                // 0 and -0 are one value.
                Type::Float64 if window.distinct => sortable(&text),
                _ => text,
            });
        }
        if window.function.name == "STRING_AGG" && list.len() == 1 {
            list.push("','".to_owned());
        }
        if COLLECTED.contains(&window.function.name) {
            list.push(is_whole(window).to_string());
        }
        Ok(list.join(", "))
    }

    fn window_order(&mut self, window: &Window, span: Span) -> Printed {
        let counts_distance = window.frame.as_ref().is_some_and(has_distance);
        let [key] = window.order_by.as_slice() else {
            return self.sort_keys(&window.order_by);
        };
        match key.expr.ty {
            Type::Float64 if counts_distance => Err(unsupported(
                span,
                "a frame by distance over FLOAT64",
                "order by CAST(x AS INT64), or by whole units such as CAST(x * 1000 AS INT64)",
            )),
            // Among decimals there is a value before the least INT64.
            Type::Int64 if counts_distance => {
                let value = self.expr(&key.expr)?;
                let mut keys = Vec::new();
                let wide = format!("\"arrow_cast\"({value}, 'Decimal128(38, 0)')");
                push_key(&mut keys, &wide, key);
                Ok(keys.join(", "))
            }
            _ => self.sort_keys(&window.order_by),
        }
    }
}

/// Returns whether a call is of one of our functions over windows.
fn is_ours(window: &Window) -> bool {
    let name = window.function.name;
    let of_floats = window
        .args
        .first()
        .is_some_and(|arg| arg.ty == Type::Float64);
    let adds_floats = of_floats && matches!(name, "SUM" | "AVG");
    COLLECTED.contains(&name) || !window.distinct && (adds_floats || OVER.contains(&name))
}

fn ends_before_it_starts(frame: &Frame) -> bool {
    match (frame.start, frame.end) {
        (FrameBound::Preceding(start), FrameBound::Preceding(end)) => start < end,
        (FrameBound::Following(start), FrameBound::Following(end)) => start > end,
        _ => false,
    }
}

/// Returns whether a frame ends so much before or behind the value of the current row.
fn has_distance(frame: &Frame) -> bool {
    let is_distance = |bound| matches!(bound, FrameBound::Preceding(_) | FrameBound::Following(_));
    frame.unit == FrameUnit::Range && (is_distance(frame.start) || is_distance(frame.end))
}

/// Returns whether every row of a partition has all of its rows in the frame.
fn is_whole(window: &Window) -> bool {
    match &window.frame {
        None => window.order_by.is_empty(),
        Some(Frame { unit, start, end }) => {
            let all = *unit == FrameUnit::Range && window.order_by.is_empty();
            let is_open = |bound: &FrameBound, open| {
                *bound == open || all && *bound == FrameBound::CurrentRow
            };
            is_open(start, FrameBound::UnboundedPreceding)
                && is_open(end, FrameBound::UnboundedFollowing)
        }
    }
}

/// Prints a frame, if the engine needs one.
fn printed_frame(window: &Window) -> Option<String> {
    // By distance the engine has no frame over these types, but without a distance GROUPS means the same.
    let first = window.order_by.first().map(|key| &key.expr.ty);
    let of_peers = matches!(first, Some(Type::Time | Type::Bytes));
    let Some(Frame { unit, start, end }) = &window.frame else {
        let default = "GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW";
        return of_peers.then(|| default.to_owned());
    };
    let unit = match unit {
        FrameUnit::Rows => "ROWS",
        FrameUnit::Range if of_peers => "GROUPS",
        FrameUnit::Range => "RANGE",
    };
    let (start, end) = (bound(*start), bound(*end));
    Some(format!("{unit} BETWEEN {start} AND {end}"))
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
