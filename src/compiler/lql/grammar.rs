//! The grammar of `grammar/lql.pest` as a parser.

use pest::iterators::Pair;

use crate::compiler::diagnostic::Span;

/// The parser that the grammar becomes.
#[derive(pest_derive::Parser)]
#[grammar = "../grammar/lql.pest"]
pub(super) struct Grammar;

/// Returns the place of a match.
pub(super) fn span_of(pair: &Pair<'_, Rule>) -> Span {
    let span = pair.as_span();
    Span::new(span.start(), span.end())
}
