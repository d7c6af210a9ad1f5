//! Regular expressions, checked before any engine sees them.

use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::limits::Limits;

/// Bytes of a compiled pattern.
const COMPILED_BYTES: usize = 1 << 20;

/// Checks a regular expression; returns the number of its capturing groups.
///
/// # Errors
/// It is too long, malformed, or too large once compiled.
pub(in crate::compiler) fn check(
    pattern: &str,
    span: Span,
    limits: &Limits,
) -> Result<usize, Box<Diagnostic>> {
    let most = limits.pattern_bytes;
    if pattern.len() > most {
        return Err(Box::new(Diagnostic::new(
            Code::PatternTooLong,
            span,
            format!(
                "a regular expression of {} bytes, the limit is {most} (limits.pattern_bytes)",
                pattern.len()
            ),
        )));
    }
    let compiled = regex::RegexBuilder::new(pattern)
        .size_limit(COMPILED_BYTES)
        .build();
    let diagnostic = match compiled {
        Ok(regex) => return Ok(regex.captures_len() - 1),
        Err(regex::Error::CompiledTooBig(_)) => Diagnostic::new(
            Code::BadPattern,
            span,
            "this regular expression is too large once compiled",
        ),
        Err(error) => {
            let error = error.to_string();
            // The reason is the last line; those before it draw the pattern.
            let reason = error.rsplit("error: ").next().unwrap_or_default().trim();
            Diagnostic::new(
                Code::BadPattern,
                span,
                format!("this regular expression is malformed: {reason}"),
            )
            .help("the syntax is RE2's; in SQL write it as a raw string: r'\\d+'")
        }
    };
    Err(Box::new(diagnostic))
}
