//! What is known to differ: what the compiler refuses, or the engine fails on, on purpose though GoogleSQL accepts it, and
//! what GoogleSQL's own library cannot do.

use logboom::compiler::{Code, Diagnostics};

/// Codes of such refusals, each with the reason. A refusal with a limit's code is always one.
const DELIBERATE: &[(Code, &str)] = &[
    (
        Code::Unsupported,
        "not on the allow-list, or not on this engine",
    ),
    (
        Code::BadPattern,
        "GoogleSQL reads a constant pattern, format or path when it runs, the compiler at once",
    ),
];

/// Refusals of GoogleSQL's library that say nothing about a text, each with the reason.
const BEYOND: &[(&str, &str)] = &[
    (
        "Analytic functions in side effect scopes are not yet implemented",
        "BigQuery has window functions in COALESCE, IF and their kin",
    ),
    (
        "must be non-NULL",
        "a NULL written out as the argument of a window function gives NULL",
    ),
];

/// Failures of the engine where GoogleSQL has a value, each with the reason.
const LACKED: &[(&str, &str)] = &[
    (
        "the format element ",
        "a format of FORMAT_DATE and its kin that is no constant has what GoogleSQL leaves to its C library",
    ),
    (
        "a format with the character NUL",
        "as above, where the C library takes NUL for the end of the format",
    ),
];

/// Returns whether the engine has no value on purpose.
pub fn lacked(failure: &str) -> bool {
    LACKED.iter().any(|(part, _)| failure.contains(part))
}

/// Functions whose numbers the reference evaluator cuts to 32 bits before it looks whether there is such a date or
/// time. They get smaller ones.
pub const TRUNCATING: &[&str] = &["DATE", "DATETIME", "TIME"];

/// What a text that `%s` formats has none of: the reference evaluator takes it for the end of the text.
pub const NUL: &str = "'\\x00'";

/// Returns whether GoogleSQL's library refuses a text for its own reasons.
pub fn beyond(message: &str) -> bool {
    BEYOND.iter().any(|(part, _)| message.contains(part))
}

/// Returns whether every reason of a refusal is one.
pub fn deliberate(refusal: &Diagnostics) -> bool {
    refusal.0.iter().all(|diagnostic| {
        diagnostic.code.reason() == "limitExceeded"
            || DELIBERATE.iter().any(|(code, _)| *code == diagnostic.code)
    })
}
