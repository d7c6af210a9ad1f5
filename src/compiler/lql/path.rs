//! Paths of columns.

use super::ast::{Name, Path};
use super::parse::{Parsed, fault};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};

/// Reads a path that begins at an offset of the text.
pub(super) fn path(text: &str, mut start: usize, clause: Span) -> Parsed<Path> {
    let mut names = Vec::new();
    for segment in text.split('.') {
        if !is_name(segment) {
            return Err(invalid_path(text, clause));
        }
        let span = Span::new(start, start + segment.len());
        start = span.end + 1;
        names.push(Name {
            text: segment.to_owned(),
            span,
        });
    }
    if let [first, _, ..] = names.as_mut_slice()
        && first.text == "m"
    {
        first.text = "metadata".to_owned();
    }
    Ok(Path(names))
}

/// Returns whether a text is an identifier.
pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Refuses what is no path.
pub(super) fn invalid_path(text: &str, clause: Span) -> Box<Diagnostic> {
    fault(
        Code::PathInvalid,
        clause,
        format!("`{text}` is no path of a column"),
    )
    .help("a path is names of letters, digits and _ with a dot between; to look for the text, quote it")
    .into()
}
