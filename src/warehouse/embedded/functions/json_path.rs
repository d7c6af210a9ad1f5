//! JSONPath as far as GoogleSQL has it: members and array positions, no wildcards.
//!
//! JSON_VALUE and its kin quote members as `$."a b"`; JSON_EXTRACT and its kin as `$['a b']`. Neither
//! takes the other's form.

use super::fault::{Outcome, refuse};

/// How members with unusual names are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    /// `."name"`.
    Standard,
    /// `['name']`.
    Legacy,
}

/// One step into a document: a member of an object, or an element of an array.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The member's name, as written.
    pub(super) name: String,
    /// The element's position, when the name is one.
    pub(super) index: Option<usize>,
}

/// A path from the root of a document.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) steps: Vec<Step>,
}

impl Path {
    /// Reads a path.
    pub(super) fn parse(text: &str, quoting: Quoting) -> Outcome<Self> {
        let Some(mut rest) = text.strip_prefix('$') else {
            return refuse("a JSONPath must start with $");
        };
        let mut path = Path::default();
        while !rest.is_empty() {
            let Some((name, after)) = step(rest, quoting) else {
                return refuse(format!("invalid token in JSONPath at: {rest}"));
            };
            path.steps.push(Step {
                index: index(&name),
                name,
            });
            rest = after;
        }
        Ok(path)
    }
}

fn index(name: &str) -> Option<usize> {
    let digits = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
    if digits { name.parse().ok() } else { None }
}

fn step(text: &str, quoting: Quoting) -> Option<(String, &str)> {
    if let Some(member) = text.strip_prefix('.') {
        if quoting == Quoting::Standard && member.starts_with('"') {
            return quoted(member);
        }
        let plain =
            |c: char| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '_' | '-' | ':');
        let end = member.find(|c| !plain(c)).unwrap_or(member.len());
        let (name, rest) = member.split_at_checked(end)?;
        return (!name.is_empty()).then(|| (name.to_owned(), rest));
    }
    let inside = text.strip_prefix('[')?;
    if quoting == Quoting::Legacy && inside.starts_with('\'') {
        let (name, rest) = quoted(inside)?;
        return Some((name, rest.strip_prefix(']')?));
    }
    let (position, rest) = inside.split_once(']')?;
    let position = position.trim();
    let number = position.strip_prefix('-').unwrap_or(position);
    index(number).map(|_| (position.to_owned(), rest))
}

/// Takes a quoted name; a backslash takes the next character as it is.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut chars = text.chars();
    let quote = chars.next()?;
    let mut name = String::new();
    loop {
        match chars.next()? {
            c if c == quote => return Some((name, chars.as_str())),
            '\\' => match chars.next()? {
                c if c == quote => name.push(c),
                c => name.extend(['\\', c]),
            },
            c => name.push(c),
        }
    }
}
