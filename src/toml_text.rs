//! TOML files read strictly: every mistake has a file, a line and a column, and an unknown key the one
//! that may have been meant.

use std::fmt;
use std::ops::Range;

use serde::de::DeserializeOwned;

use crate::compiler::Position;
use crate::spelling;

/// A mistake in a TOML text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// Where, in bytes of the text, when it is about a place.
    pub(crate) span: Option<Range<usize>>,
    /// What is wrong, without a full stop.
    pub(crate) message: String,
}

impl Mistake {
    /// Returns a mistake at a place.
    pub(crate) fn at(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span: Some(span),
            message: message.into(),
        }
    }

    /// Returns `file:line:column: message` for a file with this text.
    pub(crate) fn render(&self, file: &str, text: &str) -> String {
        match &self.span {
            Some(span) => {
                let Position { line, column } = Position::of(text, span.start);
                format!("{file}:{line}:{column}: {}", self.message)
            }
            None => format!("{file}: {}", self.message),
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<toml::de::Error> for Mistake {
    fn from(error: toml::de::Error) -> Self {
        Self {
            span: error.span(),
            message: with_suggestion(error.message()),
        }
    }
}

/// Reads a text as a `T`.
///
/// # Errors
/// The first mistake.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, Mistake> {
    toml::from_str(text).map_err(Mistake::from)
}

/// Adds the nearest known key to a message about an unknown one.
///
/// Serde gives the known keys in the text of the message only; its form is that of
/// `serde::de::Error::unknown_field`.
fn with_suggestion(message: &str) -> String {
    // Multi-line messages of the parser end in notes that repeat the first line.
    let message = message.lines().next().unwrap_or(message);
    let mut quoted = message.split('`').skip(1).step_by(2);
    let is_unknown_key =
        message.starts_with("unknown field") || message.starts_with("unknown variant");
    match quoted.next() {
        Some(found) if is_unknown_key => match spelling::nearest(found, quoted) {
            Some(near) => format!("{message}; did you mean `{near}`?"),
            None => message.to_owned(),
        },
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Example {
        #[expect(dead_code, reason = "only the reading is under test")]
        max_rows: Option<u64>,
    }

    #[test]
    fn mistakes_have_a_place_and_a_suggestion() {
        for (text, expected) in [
            (
                "\nmax_row = 1\n",
                "f.toml:2:1: unknown field `max_row`, expected `max_rows`; did you mean `max_rows`?",
            ),
            (
                "other = 1\n",
                "f.toml:1:1: unknown field `other`, expected `max_rows`",
            ),
            (
                "max_rows = 'x'",
                "f.toml:1:12: invalid type: string \"x\", expected u64",
            ),
        ] {
            let mistake = read::<Example>(text).expect_err("the text is wrong");
            assert_eq!(mistake.render("f.toml", text), expected, "{text}");
        }
    }

    #[test]
    fn syntax_errors_are_one_line_with_a_place() {
        let mistake = read::<Example>("max_rows = \n").expect_err("the text is wrong");
        let rendered = mistake.render("f.toml", "max_rows = \n");
        assert!(rendered.starts_with("f.toml:1:"), "{rendered}");
        assert_eq!(rendered.lines().count(), 1, "{rendered}");
    }
}
