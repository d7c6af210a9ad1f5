//! Parts of a chart.

use pest::iterators::Pair;

use super::ast::Aggregate;
use super::grammar::{Rule, span_of};
use super::parse::{Parsed, fault};
use super::path::path;
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::ir::DatePart;

/// Reads what is computed of a period.
pub(super) fn aggregate(pair: Pair<'_, Rule>, clause: Span) -> Parsed<Aggregate> {
    let mut parts = pair.into_inner();
    let name = parts.next().map_or("", |name| name.as_str());
    let column = match parts.next() {
        Some(column) if column.as_rule() == Rule::path => {
            Some(path(column.as_str(), span_of(&column).start, clause)?)
        }
        _ => None,
    };
    Ok(match (name, column) {
        ("count", column) => Aggregate::Count(column),
        ("countd", column) => Aggregate::CountDistinct(column),
        ("avg", Some(column)) => Aggregate::Of("AVG", column),
        ("sum", Some(column)) => Aggregate::Of("SUM", column),
        ("min", Some(column)) => Aggregate::Of("MIN", column),
        ("max", Some(column)) => Aggregate::Of("MAX", column),
        ("p50", Some(column)) => Aggregate::Percentile(50, column),
        ("p95", Some(column)) => Aggregate::Percentile(95, column),
        ("p99", Some(column)) => Aggregate::Percentile(99, column),
        (name, _) => return Err(bad_chart(name, clause)),
    })
}

/// Returns the part of a timestamp that a period is.
pub(super) fn period(text: &str) -> DatePart {
    match text {
        "second" | "s" => DatePart::Second,
        "hour" | "h" => DatePart::Hour,
        "day" | "d" => DatePart::Day,
        _ => DatePart::Minute,
    }
}

/// Refuses what is no part of a chart.
pub(super) fn bad_chart(text: &str, span: Span) -> Box<Diagnostic> {
    let help = if text.ends_with("(*)") {
        "`*` goes with count and countd; the others need a path, such as c:avg(m.ms)"
    } else if text.starts_with("group_by") {
        "a chart is grouped by time: c:group_by(t::minute), or second, hour, day"
    } else {
        "the aggregates are count countd avg sum min max p50 p95 p99, such as c:p95(m.ms)"
    };
    fault(Code::ChartInvalid, span, format!("`{text}` is no chart"))
        .help(help)
        .into()
}
