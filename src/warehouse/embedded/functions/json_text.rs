//! Reading and writing JSON text.
//!
//! A path is followed without reading more of the text than it takes to get there, as GoogleSQL does
//! for STRING: what comes after the value that is looked for may be anything. Numbers keep their text.

use std::borrow::Cow;
use std::fmt::Write;

use super::json_path::{Path, Step};

/// How deeply documents may be nested.
const MAX_DEPTH: usize = 500;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Object,
    Array,
    String,
    Number,
    Bool,
    Null,
}

/// A place in a text. `None` from its methods means that the text is not JSON there.
#[derive(Clone, Copy)]
pub(super) struct Scanner<'a> {
    rest: &'a str,
    /// Whether strings must be in double quotes.
    strict: bool,
    depth: usize,
}

impl<'a> Scanner<'a> {
    /// Reads a STRING, which may have strings in single quotes.
    pub(super) fn lenient(text: &'a str) -> Self {
        Self {
            rest: text,
            strict: false,
            depth: 0,
        }
    }

    /// Reads what must be JSON.
    pub(super) fn strict(text: &'a str) -> Self {
        Self {
            strict: true,
            ..Self::lenient(text)
        }
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    /// Returns whether nothing but blanks is left. A NUL ends the text.
    pub(super) fn at_end(mut self) -> bool {
        self.blanks();
        self.rest.is_empty() || self.rest.starts_with('\0')
    }

    fn punctuation(&mut self, c: char) -> Option<()> {
        self.blanks();
        self.rest = self.rest.strip_prefix(c)?;
        Some(())
    }

    /// Returns what the next value is.
    pub(super) fn sort(&mut self) -> Option<Sort> {
        self.blanks();
        Some(match self.rest.chars().next()? {
            '{' => Sort::Object,
            '[' => Sort::Array,
            '"' => Sort::String,
            '\'' if !self.strict => Sort::String,
            '-' | '0'..='9' => Sort::Number,
            't' | 'f' => Sort::Bool,
            'n' => Sort::Null,
            _ => return None,
        })
    }

    /// Takes a string, decoded.
    pub(super) fn string(&mut self) -> Option<Cow<'a, str>> {
        let quote = self.rest.chars().next()?;
        let inside = self.rest.strip_prefix(quote)?;
        let end = inside.find([quote, '\\'])?;
        if inside.get(end..)?.starts_with(quote) {
            self.rest = inside.get(end + 1..)?;
            let text = inside.get(..end)?;
            if self.strict && text.bytes().any(|b| b < 0x20) {
                return None;
            }
            return Some(Cow::Borrowed(text));
        }
        let mut out = String::new();
        let mut chars = inside.chars();
        loop {
            match chars.next()? {
                c if c == quote => break,
                '\\' => match chars.next()? {
                    'b' => out.push('\u{8}'),
                    'f' => out.push('\u{c}'),
                    'n' => out.push('\n'),
                    'r' => out.push('\r'),
                    't' => out.push('\t'),
                    'u' => {
                        let (c, rest) = unicode_escape(chars.as_str())?;
                        // Half of a pair stands for no character.
                        out.push(match c {
                            Some(c) => c,
                            None if self.strict => return None,
                            None => '\u{FFFD}',
                        });
                        chars = rest.chars();
                    }
                    c @ ('"' | '\\' | '/') => out.push(c),
                    '\'' if !self.strict => out.push('\''),
                    _ => return None,
                },
                c if self.strict && c < ' ' => return None,
                c => out.push(c),
            }
        }
        self.rest = chars.as_str();
        Some(Cow::Owned(out))
    }

    fn number(&mut self) -> Option<&'a str> {
        let (text, rest) = self.rest.split_at_checked(number_length(self.rest)?)?;
        self.rest = rest;
        Some(text)
    }

    fn word(&mut self, words: &[&'static str]) -> Option<&'static str> {
        for word in words {
            if let Some(rest) = self.rest.strip_prefix(word)
                && !rest.starts_with(|c: char| c.is_ascii_alphanumeric())
            {
                self.rest = rest;
                return Some(word);
            }
        }
        None
    }

    /// Takes a scalar: the text of a string, a number or a boolean, or `None` for null.
    pub(super) fn scalar(&mut self) -> Option<Option<Cow<'a, str>>> {
        match self.sort()? {
            Sort::String => self.string().map(Some),
            Sort::Number => self.number().map(|text| Some(Cow::Borrowed(text))),
            Sort::Bool => self
                .word(&["true", "false"])
                .map(|text| Some(Cow::Borrowed(text))),
            Sort::Null => self.word(&["null"]).map(|_| None),
            Sort::Object | Sort::Array => None,
        }
    }

    /// Goes through the members of an object. The function takes the member's value, and ends the walk
    /// by returning a result.
    pub(super) fn members<T>(
        &mut self,
        mut member: impl FnMut(&mut Self, Cow<'a, str>) -> Option<Option<T>>,
    ) -> Option<Option<T>> {
        self.punctuation('{')?;
        self.descend()?;
        self.blanks();
        if self.rest.starts_with('}') {
            self.punctuation('}')?;
            self.depth -= 1;
            return Some(None);
        }
        loop {
            self.blanks();
            if !self.strict && self.rest.starts_with('}') {
                self.punctuation('}')?;
                self.depth -= 1;
                return Some(None);
            }
            if self.sort()? != Sort::String {
                return None;
            }
            let name = self.string()?;
            self.punctuation(':')?;
            if let Some(result) = member(self, name)? {
                return Some(Some(result));
            }
            self.blanks();
            if self.rest.starts_with(',') {
                self.punctuation(',')?;
            } else {
                self.punctuation('}')?;
                self.depth -= 1;
                return Some(None);
            }
        }
    }

    /// Goes through the elements of an array, like [`Self::members`].
    pub(super) fn elements<T>(
        &mut self,
        mut element: impl FnMut(&mut Self, usize) -> Option<Option<T>>,
    ) -> Option<Option<T>> {
        self.punctuation('[')?;
        self.descend()?;
        self.blanks();
        if self.rest.starts_with(']') {
            self.punctuation(']')?;
            self.depth -= 1;
            return Some(None);
        }
        for number in 0.. {
            self.blanks();
            if !self.strict && self.rest.starts_with(']') {
                break;
            }
            if let Some(result) = element(self, number)? {
                return Some(Some(result));
            }
            self.blanks();
            if self.rest.starts_with(',') {
                self.punctuation(',')?;
            } else {
                break;
            }
        }
        self.punctuation(']')?;
        self.depth -= 1;
        Some(None)
    }

    fn descend(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= MAX_DEPTH).then_some(())
    }

    /// Goes past a value.
    pub(super) fn skip(&mut self) -> Option<()> {
        match self.sort()? {
            Sort::Object => self
                .members(|scanner, _| scanner.skip().map(|()| None::<()>))
                .map(drop),
            Sort::Array => self
                .elements(|scanner, _| scanner.skip().map(|()| None::<()>))
                .map(drop),
            _ => self.scalar().map(drop),
        }
    }

    /// Copies a value without blanks.
    pub(super) fn copy(&mut self, out: &mut String) -> Option<()> {
        match self.sort()? {
            Sort::Object => {
                let mut first = true;
                out.push('{');
                self.members(|scanner, name| {
                    if !std::mem::take(&mut first) {
                        out.push(',');
                    }
                    write_escaped(&name, !scanner.strict, out);
                    out.push(':');
                    scanner.copy(out).map(|()| None::<()>)
                })?;
                out.push('}');
            }
            Sort::Array => {
                out.push('[');
                self.elements(|scanner, number| {
                    if number > 0 {
                        out.push(',');
                    }
                    scanner.copy(out).map(|()| None::<()>)
                })?;
                out.push(']');
            }
            Sort::String => write_escaped(&self.string()?, !self.strict, out),
            Sort::Number | Sort::Bool | Sort::Null => {
                out.push_str(self.scalar()?.as_deref().unwrap_or("null"));
            }
        }
        Some(())
    }

    /// Copies a value in the form of the JSON type: members sorted by name, the first of equal ones
    /// kept, numbers in their shortest form. `Err` tells of a number that would change its value.
    pub(super) fn normalize(
        &mut self,
        round: bool,
        out: &mut String,
    ) -> Option<Result<(), String>> {
        match self.sort()? {
            Sort::Object => {
                let mut members: Vec<(Cow<'a, str>, String)> = Vec::new();
                let fault = self.members(|scanner, name| {
                    let mut value = String::new();
                    let result = scanner.normalize(round, &mut value)?;
                    members.push((name, value));
                    Some(result.err())
                })?;
                if let Some(fault) = fault {
                    return Some(Err(fault));
                }
                write_members(members, out);
            }
            Sort::Array => {
                out.push('[');
                let fault = self.elements(|scanner, number| {
                    if number > 0 {
                        out.push(',');
                    }
                    scanner.normalize(round, out).map(Result::err)
                })?;
                if let Some(fault) = fault {
                    return Some(Err(fault));
                }
                out.push(']');
            }
            Sort::Number => {
                let text = self.number()?;
                match normal_number(text, round) {
                    Some(number) => out.push_str(&number),
                    None => return Some(Err(text.to_owned())),
                }
            }
            Sort::String | Sort::Bool | Sort::Null => self.copy(out)?,
        }
        Some(Ok(()))
    }
}

/// Finds the value at a path. It begins at the scanner that is returned.
pub(super) fn find<'a>(text: &'a str, path: &Path) -> Option<Scanner<'a>> {
    descend(&mut Scanner::lenient(text), &path.steps).flatten()
}

fn descend<'a>(scanner: &mut Scanner<'a>, steps: &[Step]) -> Option<Option<Scanner<'a>>> {
    let Some((step, deeper)) = steps.split_first() else {
        return Some(Some(*scanner));
    };
    match scanner.sort()? {
        Sort::Object => scanner.members(|scanner, name| {
            if name == step.name {
                descend(scanner, deeper)
            } else {
                scanner.skip().map(|()| None)
            }
        }),
        Sort::Array => scanner.elements(|scanner, number| {
            if step.index == Some(number) {
                descend(scanner, deeper)
            } else {
                scanner.skip().map(|()| None)
            }
        }),
        _ => scanner.skip().map(|()| None),
    }
}

/// Takes the digits of an escape, and the second escape of a pair.
fn unicode_escape(text: &str) -> Option<(Option<char>, &str)> {
    let unit = |text: &str| -> Option<u32> {
        let digits = text.get(..4)?;
        let hexadecimal = digits.bytes().all(|b| b.is_ascii_hexdigit());
        let unit = u32::from_str_radix(digits, 16).ok();
        unit.filter(|_| hexadecimal)
    };
    let first = unit(text)?;
    let rest = text.get(4..)?;
    if (0xD800..0xDC00).contains(&first)
        && let Some(second) = rest.strip_prefix("\\u").and_then(unit)
        && (0xDC00..0xE000).contains(&second)
    {
        let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return Some((char::from_u32(code), rest.get(6..)?));
    }
    Some((char::from_u32(first), rest))
}

/// The length of the number that a text begins with.
fn number_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let start = usize::from(bytes.first() == Some(&b'-'));
    let mut end = match bytes.get(start)? {
        b'0' => start + 1,
        b'1'..=b'9' => digits(start),
        _ => return None,
    };
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > end + 1 {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if digits(end + 1 + sign) > end + 1 + sign {
            end = digits(end + 1 + sign);
        }
    }
    Some(end)
}

/// Writes the members of an object: sorted by name, the first of equal ones kept.
pub(super) fn write_members<S: AsRef<str>>(mut members: Vec<(S, String)>, out: &mut String) {
    members.sort_by(|(a, _), (b, _)| a.as_ref().cmp(b.as_ref()));
    members.dedup_by(|later, earlier| later.0.as_ref() == earlier.0.as_ref());
    out.push('{');
    for (number, (name, value)) in members.iter().enumerate() {
        if number > 0 {
            out.push(',');
        }
        write_string(name.as_ref(), out);
        out.push(':');
        out.push_str(value);
    }
    out.push('}');
}

/// The shortest form of a number; `None` when it is not the same number and may not be rounded.
fn normal_number(text: &str, round: bool) -> Option<String> {
    if !text.contains(['.', 'e', 'E']) {
        if let Ok(value) = text.parse::<i64>() {
            return Some(value.to_string());
        }
        if let Ok(value) = text.parse::<u64>() {
            return Some(value.to_string());
        }
    }
    let value: f64 = text.parse().ok()?;
    if !value.is_finite() || !(round || is_exact(text, value)) {
        return None;
    }
    Some(json_float(value))
}

/// Whether a decimal text is told apart from its neighbours by the FLOAT64 nearest to it.
fn is_exact(text: &str, value: f64) -> bool {
    let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_start_matches('0').trim_end_matches('0');
    if digits.is_empty() {
        return true;
    }
    if digits.len() > 17 {
        return false;
    }
    let shown = format!("{value:.*e}", digits.len() - 1);
    let shown: String = shown
        .split('e')
        .next()
        .unwrap_or_default()
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    shown == digits
}

/// Writes a FLOAT64 in the shortest form that reads back as the same value, with a point or an exponent.
pub(super) fn json_float(value: f64) -> String {
    let scientific = format!("{value:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..15).contains(&exponent) {
        let plain = format!("{value}");
        return if plain.contains('.') {
            plain
        } else {
            format!("{plain}.0")
        };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// Writes a string of a document with its quotes.
pub(super) fn write_string(text: &str, out: &mut String) {
    write_escaped(text, false, out);
}

/// Writes a string with its quotes for a reader who may take the text for JavaScript, where the line separators of
/// Unicode end a line.
pub(super) fn write_text(text: &str, out: &mut String) {
    write_escaped(text, true, out);
}

fn write_escaped(text: &str, separators: bool, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{0}'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            '\u{2028}' | '\u{2029}' if separators => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
