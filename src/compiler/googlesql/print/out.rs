//! A text while it is written, and the tokens in it that hold a value of the query.
//!
//! Everything else a printer writes is fixed text. So a reader of the whole that finds these tokens at
//! these places, and no other that could hold a value, has read what the printer meant.

use std::fmt::{Display, Write};

use crate::compiler::diagnostic::Span;
use crate::compiler::googlesql::lexer::{Token, TokenKind};

/// A text while it is written.
#[derive(Debug, Default)]
pub(super) struct Out {
    text: String,
    /// The names, literals and parameters so far; nothing unless they are asked for.
    values: Option<Vec<Token>>,
}

impl Out {
    /// Returns an empty text with room for most queries.
    pub(super) fn of_query() -> Self {
        Self {
            text: String::with_capacity(1024),
            values: None,
        }
    }

    /// Returns an empty text that keeps its values.
    pub(super) fn keeping_values() -> Self {
        Self {
            text: String::new(),
            values: Some(Vec::new()),
        }
    }

    /// Returns the text and its values.
    pub(super) fn finish(self) -> (String, Vec<Token>) {
        (self.text, self.values.unwrap_or_default())
    }

    /// Writes text that holds no value.
    pub(super) fn fixed(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Writes a token that holds a value.
    pub(super) fn value(&mut self, kind: impl FnOnce() -> TokenKind, write: impl Fn(&mut String)) {
        let start = self.text.len();
        write(&mut self.text);
        if let Some(values) = &mut self.values {
            let span = Span::new(start, self.text.len());
            values.push(Token { kind: kind(), span });
        }
    }

    /// Writes a number. A minus sign is a token by itself.
    pub(super) fn number(&mut self, number: &impl Display) {
        let digits = number.to_string();
        let magnitude = match digits.strip_prefix('-') {
            Some(magnitude) => {
                self.fixed("-");
                magnitude
            }
            None => &digits,
        };
        self.value(
            || TokenKind::Number(magnitude.to_owned()),
            |text| text.push_str(magnitude),
        );
    }

    /// Writes a parameter.
    pub(super) fn parameter(&mut self, name: &str) {
        self.value(
            || TokenKind::Parameter(name.to_owned()),
            |text| {
                // Writing to a String cannot fail.
                let _ = write!(text, "@{name}");
            },
        );
    }
}
