//! The lexer: tokens tile the text, and each is what its own piece of the text says.

use super::{Broken, diagnostics};
use crate::compiler::googlesql::lexer::{Token, TokenKind, lex};
use crate::compiler::limits::Limits;

/// A text is refused, or its tokens stand in order, only blanks and comments between them, and each reads
/// the same by itself.
///
/// # Errors
/// The first token or gap that is otherwise.
pub fn lexer(text: &str) -> Broken {
    let limits = Limits::default();
    let tokens = match lex(text, &limits) {
        Ok(tokens) => tokens,
        Err(refused) => return diagnostics(text, &refused),
    };
    tile(text, &tokens)?;
    for token in &tokens {
        let piece = text.get(token.span.start..token.span.end).unwrap_or("");
        let alone = match &token.kind {
            // A bracket by itself is refused.
            TokenKind::Symbol(symbol) => piece == symbol.as_str(),
            _ => matches!(lex(piece, &limits).as_deref(), Ok([alone]) if alone.kind == token.kind),
        };
        if !alone {
            return Err(format!("{piece:?} alone is not {token:?}"));
        }
    }
    Ok(())
}

/// Tokens cover the text but for blanks and comments.
pub(super) fn tile(text: &str, tokens: &[Token]) -> Broken {
    let mut end = 0;
    for token in tokens {
        if token.span.start >= token.span.end {
            return Err(format!("{token:?} is empty"));
        }
        gap(text.get(end..token.span.start))?;
        end = token.span.end;
    }
    gap(text.get(end..))
}

/// What stands between two tokens is blanks and whole comments.
fn gap(text: Option<&str>) -> Broken {
    let Some(mut rest) = text else {
        return Err("tokens overlap or split a character".to_owned());
    };
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        let comment = if rest.is_empty() {
            return Ok(());
        } else if let Some(body) = rest.strip_prefix("/*") {
            body.split_once("*/").map(|(_, after)| after)
        } else if rest.starts_with('#') || rest.starts_with("--") {
            // GoogleSQL also ends it at a carriage return; then nothing but the line feed may follow.
            let line = rest.split('\n').next().unwrap_or(rest);
            let body = line.strip_suffix('\r').unwrap_or(line);
            (!body.contains('\r')).then(|| rest.get(line.len()..).unwrap_or(""))
        } else {
            None
        };
        match comment {
            Some(after) => rest = after,
            None => return Err(format!("{rest:?} is no token and no comment")),
        }
    }
}
