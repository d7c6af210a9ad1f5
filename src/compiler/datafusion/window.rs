//! Window functions and frames.

use super::aggregate::{GATHERED, Rest};
use super::call::{check_available, check_moving};
use super::print::{Printed, Printer, unsupported};
use crate::compiler::analyze::functions::Kind;
use crate::compiler::diagnostic::Span;
use crate::compiler::ir::{Frame, FrameBound, FrameUnit, Type, Window};

impl Printer {
    pub(super) fn window(&mut self, window: &Window, span: Span) -> Printed {
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
        if GATHERED.contains(&function.name) {
            return Err(unsupported(
                span,
                &format!("{} with OVER", function.name),
                "compute it in a sub-query with GROUP BY, and join that",
            ));
        }
        let moves = frame
            .as_ref()
            .is_some_and(|frame| frame.start != FrameBound::UnboundedPreceding);
        if moves {
            check_moving(function, args, span)?;
        }
        let percentile = matches!(function.name, "PERCENTILE_CONT" | "PERCENTILE_DISC");
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
            return Err(unsupported(
                span,
                "a frame by distance over FLOAT64",
                "order by CAST(x AS INT64), or by whole units such as CAST(x * 1000 AS INT64)",
            ));
        }
        // By distance the engine has no frame over these types, but without a distance GROUPS means the same.
        let first = order_by.first().map(|key| &key.expr.ty);
        let of_peers = matches!(first, Some(Type::Time | Type::Bytes));
        if frame.is_none() && of_peers {
            over.push("GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW".to_owned());
        }
        if let Some(Frame { unit, start, end }) = frame {
            let unit = match unit {
                FrameUnit::Rows => "ROWS",
                FrameUnit::Range if of_peers => "GROUPS",
                FrameUnit::Range => "RANGE",
            };
            over.push(format!(
                "{unit} BETWEEN {} AND {}",
                bound(*start),
                bound(*end)
            ));
        }
        let over = format!("{nulls} OVER ({})", over.join(" "));
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
        let call = self.call_of(function, args, *distinct, String::new(), span)?;
        self.exact(function, args, &call, &Rest::Over(over))
    }
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
