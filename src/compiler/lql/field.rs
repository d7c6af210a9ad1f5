//! Field filters: operators, and values by how they are written.

use pest::iterators::Pair;

use super::ast::{FieldTest, LEVELS, Path, Pattern, Scalar, ScalarKind, TestKind};
use super::grammar::{Rule, span_of};
use super::parse::{Parsed, fault, missing};
use super::path::path;
use super::time;
use crate::compiler::analyze::pattern as regular;
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::ir::BinaryOp;
use crate::compiler::limits::Limits;

/// Reads a field filter.
pub(super) fn field(pair: Pair<'_, Rule>, clause: Span, limits: &Limits) -> Parsed<TestKind> {
    let mut parts = pair.into_inner();
    let (Some(key), Some(operator)) = (parts.next(), parts.next()) else {
        return Err(missing(clause));
    };
    let path = path(key.as_str(), span_of(&key).start, clause)?;
    let value = parts.next();
    let test = match operator.as_str() {
        ":~" => FieldTest::Matches(pattern(value, clause, limits)?),
        ":@>~" => FieldTest::HasMatch(pattern(value, clause, limits)?),
        operator => compared(&path, operator, value, clause)?,
    };
    Ok(TestKind::Field(path, test))
}

fn compared(
    path: &Path,
    operator: &str,
    value: Option<Pair<'_, Rule>>,
    clause: Span,
) -> Parsed<FieldTest> {
    let Some(value) = value else {
        return Err(missing(clause));
    };
    match value.as_rule() {
        Rule::null if operator == ":" => Ok(FieldTest::IsNull),
        Rule::null => Err(fault(Code::NullOperator, clause, "NULL goes with `:` only")
            .help("quote it for the text: \"NULL\"")
            .into()),
        Rule::range if operator == ":" => range(path, value, clause),
        Rule::range => Err(fault(Code::RangeInvalid, clause, "a range goes with `:` only").into()),
        _ => {
            let value = scalar(value, clause)?;
            Ok(match comparison(operator) {
                Some(op) => FieldTest::Compare(op, value),
                None => FieldTest::Has(value),
            })
        }
    }
}

/// Returns the comparison of an operator.
pub(super) fn comparison(operator: &str) -> Option<BinaryOp> {
    Some(match operator {
        ":" => BinaryOp::Equal,
        ":>" => BinaryOp::Greater,
        ":>=" => BinaryOp::GreaterOrEqual,
        ":<" => BinaryOp::Less,
        ":<=" => BinaryOp::LessOrEqual,
        _ => return None,
    })
}

fn scalar(pair: Pair<'_, Rule>, clause: Span) -> Parsed<Scalar> {
    let span = span_of(&pair);
    let (text, kind) = match pair.as_rule() {
        Rule::boolean => (pair.as_str().to_owned(), ScalarKind::Bool),
        Rule::number => return Ok(number(&pair)),
        Rule::bare => {
            check_bare(pair.as_str(), clause)?;
            if pair.as_str().contains("..") {
                return Err(bad_range(clause));
            }
            (pair.as_str().to_owned(), ScalarKind::Text)
        }
        _ => (quoted_text(pair, clause)?, ScalarKind::Text),
    };
    Ok(Scalar { text, kind, span })
}

/// Reads a number. One that is out of range stays text.
fn number(pair: &Pair<'_, Rule>) -> Scalar {
    let text = pair.as_str();
    let kind = if text.parse::<i64>().is_ok() {
        ScalarKind::Integer
    } else if text.contains('.') && text.parse::<f64>().is_ok_and(f64::is_finite) {
        ScalarKind::Decimal
    } else {
        ScalarKind::Text
    };
    Scalar {
        text: text.to_owned(),
        kind,
        span: span_of(pair),
    }
}

fn range(path: &Path, pair: Pair<'_, Rule>, clause: Span) -> Parsed<FieldTest> {
    let ends: Vec<Pair<'_, Rule>> = pair.into_inner().collect();
    let [low, high] = ends.as_slice() else {
        return Err(bad_range(clause));
    };
    match low.as_rule() {
        Rule::number => Ok(FieldTest::Between(number(low), number(high))),
        Rule::instant => {
            time::check_civil_range(low, high, clause)?;
            Ok(FieldTest::Between(text_of(low), text_of(high)))
        }
        _ if path.is(&["metadata", "level"]) => levels(low.as_str(), high.as_str(), clause),
        _ => Err(fault(
            Code::RangeInvalid,
            clause,
            "a range of severities is for `m.level` only",
        )
        .into()),
    }
}

fn text_of(pair: &Pair<'_, Rule>) -> Scalar {
    Scalar {
        text: pair.as_str().to_owned(),
        kind: ScalarKind::Text,
        span: span_of(pair),
    }
}

/// Returns the severities between two, in either order.
fn levels(a: &str, b: &str, clause: Span) -> Parsed<FieldTest> {
    let place = |name: &str| LEVELS.iter().position(|level| *level == name);
    let (Some(a), Some(b)) = (place(a), place(b)) else {
        return Err(bad_range(clause));
    };
    let between = LEVELS.iter().skip(a.min(b)).take(a.abs_diff(b) + 1);
    Ok(FieldTest::Levels(between.copied().collect()))
}

fn bad_range(clause: Span) -> Box<Diagnostic> {
    fault(
        Code::RangeInvalid,
        clause,
        "a range needs two numbers or two dates",
    )
    .help("write a..b, or quote the value for the text")
    .into()
}

/// Reads a regular expression and checks it.
pub(super) fn pattern(
    pair: Option<Pair<'_, Rule>>,
    clause: Span,
    limits: &Limits,
) -> Parsed<Pattern> {
    let Some(pair) = pair else {
        return Err(missing(clause));
    };
    let span = span_of(&pair);
    let text = match pair.as_rule() {
        Rule::regexword => pair.as_str().to_owned(),
        Rule::bare => {
            check_bare(pair.as_str(), clause)?;
            pair.as_str().to_owned()
        }
        _ => quoted_text(pair, clause)?,
    };
    regular::check(&text, false, clause, limits)?;
    Ok(Pattern { text, span })
}

/// Refuses a value that is not quoted and should be.
fn check_bare(text: &str, clause: Span) -> Parsed<()> {
    if text.starts_with([':', '>', '<', '=', '~', '@']) {
        return Err(fault(
            Code::ValueOperator,
            clause,
            "the value begins like an operator",
        )
        .help("the operators are : :> :>= :< :<= :~ :@> :@>~; quote the value for the text")
        .into());
    }
    if text.starts_with("//") {
        return Err(
            fault(Code::ValueOperator, clause, "the value begins with //")
                .help("quote the address to look for it as text")
                .into(),
        );
    }
    if text.contains('"') {
        return Err(
            fault(Code::QuoteOpen, clause, "a quote stands inside a value")
                .help("quote the whole value, and write \\\" for a quote in it")
                .into(),
        );
    }
    Ok(())
}

/// Returns what stands between quotes or parentheses, unescaped.
pub(super) fn quoted_text(pair: Pair<'_, Rule>, clause: Span) -> Parsed<String> {
    match pair.as_rule() {
        Rule::quoted => {
            let text = pair.into_inner().next().map_or("", |text| text.as_str());
            Ok(unescape(text))
        }
        Rule::parens => {
            let text = pair.into_inner().next().map_or("", |text| text.as_str());
            Ok(text.to_owned())
        }
        Rule::unclosed => {
            let quote = pair.as_str().chars().next().unwrap_or('"');
            Err(fault(
                Code::QuoteOpen,
                clause,
                format!("this `{quote}` is not closed"),
            )
            .into())
        }
        _ => match pair.into_inner().next() {
            Some(inner) => quoted_text(inner, clause),
            None => Err(missing(clause)),
        },
    }
}

/// Resolves `\"` and `\\`; every other backslash stays.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = if character == '\\' {
            characters.next_if(|c| matches!(c, '"' | '\\'))
        } else {
            None
        };
        out.push(escaped.unwrap_or(character));
    }
    out
}
