//! Conditions of joins that stand one behind the other: `a JOIN b JOIN c ON x ON y`.
//!
//! The first belongs to the join before it, each further one to the nearest join to its left that has none, as
//! if there were brackets: `a JOIN (b JOIN c ON x) ON y`. The parser library knows the brackets only. Beside
//! such conditions GoogleSQL allows no comma in the same FROM, and no join without a condition of its own but
//! CROSS JOIN; a FROM like that is left as it is, for the parser to refuse.
//!
//! Source: GoogleSQL's grammar, consecutive ON and USING clauses; what its analyzer takes.

use super::lexer::{Symbol, Token, TokenKind};

/// Where brackets are missing, as numbers of tokens in ascending order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Brackets {
    /// A bracket opens behind each of these.
    pub(super) open: Vec<usize>,
    /// A bracket closes in front of each of these.
    pub(super) close: Vec<usize>,
}

/// Finds the brackets that are missing in a query.
pub(super) fn missing_brackets(tokens: &[Token]) -> Brackets {
    let mut found = Brackets::default();
    if tokens.iter().filter(|token| is(token, "JOIN")).count() < 2 {
        return found;
    }
    // The FROM clause at each level of brackets, the innermost last.
    let mut levels = vec![Clause::default()];
    let mut before: Option<&Token> = None;
    for (at, token) in tokens.iter().enumerate() {
        let previous = before.replace(token);
        let follows = |word: &str| previous.is_some_and(|token| is(token, word));
        match &token.kind {
            TokenKind::Symbol(Symbol::LeftParenthesis) => levels.push(Clause::default()),
            TokenKind::Symbol(Symbol::RightParenthesis) => {
                if let Some(clause) = levels.pop() {
                    clause.finish(&mut found);
                }
            }
            TokenKind::Word(_) | TokenKind::Symbol(Symbol::Comma) => {
                let Some(clause) = levels.last_mut() else {
                    return found;
                };
                if token.kind == TokenKind::Symbol(Symbol::Comma) {
                    clause.commas |= !clause.ended;
                } else if is(token, "JOIN") {
                    clause.join(at, follows("CROSS"));
                } else if is(token, "ON") || is(token, "USING") {
                    clause.condition(at);
                } else if is(token, "FROM") && !follows("DISTINCT") {
                    std::mem::take(clause).finish(&mut found);
                } else if AFTER_FROM.iter().any(|word| is(token, word)) {
                    clause.ended = true;
                }
            }
            _ => {}
        }
    }
    for clause in levels {
        clause.finish(&mut found);
    }
    found.open.sort_unstable();
    found.close.sort_unstable();
    found
}

/// Finds where brackets around each key of ROLLUP go: the library takes those that a key begins with for
/// the brackets of a list.
pub(super) fn around_keys(tokens: &[Token], found: &mut Brackets) {
    let symbol = |at: usize| match tokens.get(at).map(|token| &token.kind) {
        Some(TokenKind::Symbol(symbol)) => Some(*symbol),
        _ => None,
    };
    let mut at = 0;
    while at < tokens.len() {
        let begins = tokens.get(at).is_some_and(|token| is(token, "ROLLUP"))
            && symbol(at + 1) == Some(Symbol::LeftParenthesis)
            && symbol(at + 2) != Some(Symbol::RightParenthesis);
        at += 1;
        if !begins {
            continue;
        }
        let (mut open, mut close) = (vec![at], Vec::new());
        let mut depth = 0_usize;
        for place in at..tokens.len() {
            match symbol(place) {
                Some(Symbol::LeftParenthesis | Symbol::LeftBracket) => depth += 1,
                Some(Symbol::RightParenthesis | Symbol::RightBracket) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        close.push(place);
                        break;
                    }
                }
                Some(Symbol::Comma) if depth == 1 => {
                    close.push(place);
                    open.push(place);
                }
                _ => {}
            }
        }
        if depth == 0 {
            found.open.extend(open);
            found.close.extend(close);
        }
    }
    found.open.sort_unstable();
    found.close.sort_unstable();
}

/// The words that end a FROM clause.
const AFTER_FROM: &[&str] = &[
    "WHERE",
    "GROUP",
    "HAVING",
    "QUALIFY",
    "WINDOW",
    "ORDER",
    "LIMIT",
    "UNION",
    "INTERSECT",
    "EXCEPT",
];

fn is(token: &Token, word: &str) -> bool {
    matches!(&token.kind, TokenKind::Word(text) if text.eq_ignore_ascii_case(word))
}

/// The joins of a FROM clause so far.
#[derive(Default)]
struct Clause {
    /// The joins that need a condition, and whether they have one. Those inside of a bracket that was found
    /// missing are gone.
    joins: Vec<(usize, bool)>,
    /// Whether a condition was the last to come.
    behind_condition: bool,
    commas: bool,
    /// A condition that no bracket explains.
    broken: bool,
    /// Whether another clause follows already.
    ended: bool,
    open: Vec<usize>,
    close: Vec<usize>,
}

impl Clause {
    fn join(&mut self, at: usize, cross: bool) {
        self.behind_condition = false;
        if !cross {
            self.joins.push((at, false));
        }
    }

    fn condition(&mut self, at: usize) {
        if let Some((_, has_condition @ false)) = self.joins.last_mut() {
            *has_condition = true;
            self.behind_condition = true;
            return;
        }
        while self
            .joins
            .pop_if(|(_, has_condition)| *has_condition)
            .is_some()
        {}
        match self.joins.last_mut().filter(|_| self.behind_condition) {
            Some((join, has_condition)) => {
                *has_condition = true;
                self.open.push(*join);
                self.close.push(at);
            }
            None => self.broken = true,
        }
    }

    fn finish(self, found: &mut Brackets) {
        let complete = self.joins.iter().all(|(_, has_condition)| *has_condition);
        if complete && !self.commas && !self.broken {
            found.open.extend(self.open);
            found.close.extend(self.close);
        }
    }
}
