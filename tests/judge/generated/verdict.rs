//! What the compiler refuses on purpose though GoogleSQL accepts it.

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

/// Returns whether every reason of a refusal is one.
pub fn deliberate(refusal: &Diagnostics) -> bool {
    refusal.0.iter().all(|diagnostic| {
        diagnostic.code.reason() == "limitExceeded"
            || DELIBERATE.iter().any(|(code, _)| *code == diagnostic.code)
    })
}
