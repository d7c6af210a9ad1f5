//! Brackets within brackets: lists behind IN such as `x IN ((SELECT 1), 2)`, and queries as values such as
//! `((SELECT 1) UNION ALL (SELECT 2))`.
//!
//! The parser library takes the first for a query, and does not take the second for one. Source: GoogleSQL
//! reference, "Operators", IN, and "Subqueries"; what tells them apart, as Google's own parser has it.

use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer as sql;

use super::lexer::{Symbol, Token, TokenKind};
use super::words::keyword_of;

/// The word that stands before the first value of such a list when the library reads it. No word of a query is
/// like it.
pub(super) const LIST: &str = "\0list";

/// Returns the brackets in which lists of values begin with a bracket, as numbers of tokens in ascending order.
pub(super) fn bracketed_lists(tokens: &[Token]) -> Vec<usize> {
    let opens = |at: usize| {
        let kind = tokens.get(at).map(|token| &token.kind);
        kind == Some(&TokenKind::Symbol(Symbol::LeftParenthesis))
    };
    let is_in = |token: &Token| matches!(&token.kind, TokenKind::Word(word) if keyword_of(word) == Keyword::IN);
    let words = tokens.iter().enumerate();
    let words = words.filter(|(at, token)| opens(at + 1) && opens(at + 2) && is_in(token));
    words
        .filter(|(at, _)| after_bracket(tokens, at + 2).is_some_and(continues_value))
        .map(|(at, _)| at + 1)
        .collect()
}

/// Returns what follows the bracket that opens at a token.
fn after_bracket(tokens: &[Token], start: usize) -> Option<&TokenKind> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match token.kind {
            TokenKind::Symbol(Symbol::LeftParenthesis) => depth += 1,
            TokenKind::Symbol(Symbol::RightParenthesis) => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return tokens.get(at + 1).map(|token| &token.kind);
        }
    }
    None
}

/// Returns whether what follows a bracket says that it was, or begins, a value of a list. A query alone in two
/// pairs of brackets is a query.
fn continues_value(next: &TokenKind) -> bool {
    match next {
        TokenKind::Symbol(symbol) => *symbol != Symbol::RightParenthesis,
        TokenKind::Word(word) => !continues_query(keyword_of(word)),
        _ => true,
    }
}

/// Returns whether the bracket that the library reads next begins with a query in brackets and is a larger query.
pub(super) fn is_bracketed_query(parser: &Parser<'_>) -> bool {
    let opens = |at: usize| parser.token_at(at).token == sql::Token::LParen;
    let word = |at: usize| match &parser.token_at(at).token {
        sql::Token::Word(word) => Some(word.keyword),
        _ => None,
    };
    let first = parser.get_current_index() + 1;
    let mut begin = first;
    while opens(begin) {
        begin += 1;
    }
    if begin < first + 2 || !matches!(word(begin), Some(Keyword::SELECT | Keyword::WITH)) {
        return false;
    }
    let mut depth = 0_usize;
    for at in first + 1.. {
        match parser.token_at(at).token {
            sql::Token::LParen => depth += 1,
            sql::Token::RParen => depth -= 1,
            sql::Token::EOF => return false,
            _ => {}
        }
        if depth == 0 {
            return word(at + 1).is_some_and(continues_query);
        }
    }
    false
}

/// Returns whether a word behind a query in brackets makes a larger query of it.
fn continues_query(word: Keyword) -> bool {
    matches!(
        word,
        Keyword::UNION | Keyword::INTERSECT | Keyword::EXCEPT | Keyword::ORDER | Keyword::LIMIT
    )
}
