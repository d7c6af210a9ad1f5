//! Arrays with the type of their elements, `ARRAY<T>[a, b]`, which the parser library does not know.

use sqlparser::keywords::Keyword;

use super::lexer::{Symbol, Token, TokenKind};
use super::words::keyword_of;

/// The name of the only field of a STRUCT that stands for a typed array, which the library does not know:
/// `ARRAY<T>[a, b]` is given to it as `STRUCT<ELEMENT T>(NULL, a, b)`. No word of a query is like it.
pub(in crate::compiler) const ELEMENT: &str = "\0";

/// Where `ARRAY<T>[…]` has its word and its bracket.
#[derive(Clone, Copy)]
pub(super) struct TypedArray {
    pub(super) word: usize,
    pub(super) bracket: usize,
}

/// Returns the typed arrays of a query.
pub(super) fn typed_arrays(tokens: &[Token]) -> Vec<TypedArray> {
    let is_array = |token: &Token| matches!(&token.kind, TokenKind::Word(word) if keyword_of(word) == Keyword::ARRAY);
    let words = tokens.iter().enumerate();
    let words = words.filter(|(_, token)| is_array(token));
    words
        .filter_map(|(word, _)| {
            let bracket = after_type(tokens, word + 1)?;
            let is_bracket = tokens.get(bracket)?.kind == TokenKind::Symbol(Symbol::LeftBracket);
            is_bracket.then_some(TypedArray { word, bracket })
        })
        .collect()
}

/// Returns what follows the angle brackets that begin at a token; `None` if none do.
fn after_type(tokens: &[Token], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match &token.kind {
            TokenKind::Symbol(Symbol::Less) => depth += 1,
            TokenKind::Symbol(Symbol::Greater) => depth = depth.checked_sub(1)?,
            TokenKind::Symbol(Symbol::ShiftRight) => depth = depth.checked_sub(2)?,
            TokenKind::Symbol(Symbol::Comma) | TokenKind::Word(_) | TokenKind::Quoted(_)
                if depth > 0 => {}
            _ => return None,
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Returns whether the angle brackets that begin at a token enclose what may be a type.
pub(super) fn encloses_type(tokens: &[Token], start: usize) -> bool {
    let mut depth = 0_usize;
    let mut parameters = false;
    for token in tokens.iter().skip(start) {
        match &token.kind {
            TokenKind::Symbol(Symbol::Less) => depth += 1,
            TokenKind::Symbol(Symbol::Greater) => depth = depth.saturating_sub(1),
            // The second may be that of a type around it.
            TokenKind::Symbol(Symbol::ShiftRight) => depth = depth.saturating_sub(2),
            TokenKind::Symbol(Symbol::LeftParenthesis) => parameters = true,
            TokenKind::Symbol(Symbol::RightParenthesis) => parameters = false,
            TokenKind::Number(_) if !parameters => return false,
            TokenKind::Number(_)
            | TokenKind::Symbol(Symbol::Comma)
            | TokenKind::Word(_)
            | TokenKind::Quoted(_) => {}
            _ => return false,
        }
        if depth == 0 {
            return true;
        }
    }
    false
}
