//! RE2 patterns in the syntax of the `regex` crate.
//!
//! The two match alike (leftmost, first alternative, linear time); what differs is the syntax. A
//! pattern is rewritten item by item: `\d \w \s \b` mean ASCII, `\Q…\E` and octal escapes are spelled
//! out, character classes lose the crate's set operations, and what RE2 refuses is refused: other
//! flags, repeated repetitions, repetitions beyond 1000.
//!
//! Source: RE2 syntax, github.com/google/re2/wiki/Syntax.

use std::fmt::Write;

use regex::bytes::{Regex, RegexBuilder};

/// How much memory a compiled pattern may take.
pub(in crate::compiler) const MAX_PROGRAM_BYTES: usize = 4 << 20;
/// How many times a part of a pattern may be asked for, nested repetitions multiplied.
const MAX_REPEAT: u32 = 1_000;
/// How deeply groups may be nested.
const MAX_NESTING: usize = 200;

/// Returns the class of the bytes whose characters in Latin-1 have a property, which may be none. The crate itself
/// has no properties of bytes.
fn of_latin_1(property: &str) -> Parsed<String> {
    let property = regex::Regex::new(property).map_err(|_| "invalid character class range")?;
    let has = |byte: &u8| property.is_match(char::from(*byte).encode_utf8(&mut [0; 4]));
    let mut class = String::from("[");
    for byte in (0..=u8::MAX).filter(has) {
        let _ = write!(class, "\\x{byte:02X}");
    }
    class.push(']');
    Ok(if class == "[]" {
        "[^\\x00-\\xFF]".to_owned()
    } else {
        class
    })
}

/// What stands before a repetition operator.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// Nothing that can be repeated.
    Nothing,
    /// An item; the greatest product of repetitions inside it.
    Item(u32),
    /// An item with its repetition.
    Repeated(u32),
}

impl Last {
    fn product(self) -> u32 {
        match self {
            Last::Nothing => 1,
            Last::Item(product) | Last::Repeated(product) => product,
        }
    }
}

/// Writes a pattern for the `regex` crate. `bytes` says that it is for BYTES, in which a character is the
/// byte of that number, and not for STRING.
///
/// # Errors
/// What RE2 would refuse, with the reason in its words. A few unknown names of properties are left for the
/// crate to refuse.
pub fn translate(pattern: &str, bytes: bool) -> Result<String, &'static str> {
    Translator::new(pattern, bytes).translate()
}

/// A pattern that RE2 does not take, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot parse regular expression: {0}")]
pub struct Malformed(String);

/// Compiles a pattern for STRING values, or for BYTES as [`translate`] reads it.
///
/// # Errors
/// The pattern is malformed or too large once compiled.
pub fn compile(pattern: &str, bytes: bool) -> Result<Regex, Malformed> {
    let translated = translate(pattern, bytes).map_err(|reason| Malformed(reason.to_owned()))?;
    RegexBuilder::new(&translated)
        .unicode(!bytes)
        .size_limit(MAX_PROGRAM_BYTES)
        .build()
        .map_err(|error| Malformed(error.to_string()))
}

/// What a part of a pattern gives.
type Parsed<T> = Result<T, &'static str>;

struct Translator<'a> {
    rest: &'a str,
    bytes: bool,
    out: String,
    last: Last,
    /// The greatest product in the current group, and in those around it.
    product: u32,
    around: Vec<u32>,
}

impl<'a> Translator<'a> {
    fn new(pattern: &'a str, bytes: bool) -> Self {
        Self {
            rest: pattern,
            bytes,
            out: String::with_capacity(pattern.len()),
            last: Last::Nothing,
            product: 1,
            around: Vec::new(),
        }
    }

    fn translate(mut self) -> Parsed<String> {
        while let Some(c) = self.take() {
            match c {
                '\\' => self.escape()?,
                '[' => {
                    self.class()?;
                    self.item(1);
                }
                '(' => self.open()?,
                ')' => {
                    let Some(around) = self.around.pop() else {
                        return Err("unexpected )");
                    };
                    self.out.push(')');
                    let inner = self.product;
                    self.product = around;
                    self.item(inner);
                }
                '|' => {
                    self.out.push('|');
                    self.last = Last::Nothing;
                }
                '*' | '+' | '?' => {
                    self.out.push(c);
                    self.repeated(1)?;
                }
                '{' => self.counted()?,
                '^' | '$' | '.' => {
                    self.out.push(c);
                    self.item(1);
                }
                _ => self.literal(c),
            }
        }
        if self.around.is_empty() {
            Ok(self.out)
        } else {
            Err("missing )")
        }
    }

    fn take(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next()?;
        self.rest = chars.as_str();
        Some(c)
    }

    fn take_prefix(&mut self, prefix: &str) -> bool {
        match self.rest.strip_prefix(prefix) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Writes a character that stands for itself, inside a class or outside. In a pattern of bytes it
    /// is the byte of that number.
    fn push_char(&mut self, c: char) {
        if c.is_ascii_alphanumeric() || !c.is_ascii() && !self.bytes {
            self.out.push(c);
        } else {
            let _ = write!(self.out, "\\x{:02X}", u32::from(c));
        }
    }

    fn item(&mut self, product: u32) {
        self.last = Last::Item(product);
        self.product = self.product.max(product);
    }

    fn literal(&mut self, c: char) {
        self.push_char(c);
        self.item(1);
    }

    /// Takes the rest of a repetition operator that was written already.
    fn repeated(&mut self, count: u32) -> Parsed<()> {
        match self.last {
            Last::Nothing => return Err("no argument for repetition operator"),
            Last::Repeated(_) => return Err("bad repetition operator"),
            Last::Item(_) => {}
        }
        let product = self.last.product().saturating_mul(count.max(1));
        if product > MAX_REPEAT {
            return Err("invalid repetition size");
        }
        if self.take_prefix("?") {
            self.out.push('?');
        }
        self.product = self.product.max(product);
        self.last = Last::Repeated(product);
        Ok(())
    }

    /// `{n}`, `{n,}`, `{n,m}`, or a plain brace.
    fn counted(&mut self) -> Parsed<()> {
        let bounds = self.rest.split_once('}').and_then(|(inside, rest)| {
            let (low, high) = inside.split_once(',').unwrap_or((inside, inside));
            let number = |text: &str| -> Option<u32> {
                let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
                digits.then(|| text.parse().unwrap_or(u32::MAX))
            };
            let high = if high.is_empty() {
                None
            } else {
                Some(number(high)?)
            };
            Some((number(low)?, high, inside, rest))
        });
        let Some((low, high, inside, rest)) = bounds else {
            self.literal('{');
            return Ok(());
        };
        if low > MAX_REPEAT || high.is_some_and(|high| high > MAX_REPEAT || high < low) {
            return Err("invalid repetition size");
        }
        self.rest = rest;
        let _ = write!(self.out, "{{{inside}}}");
        self.repeated(high.unwrap_or(low))
    }

    fn open(&mut self) -> Parsed<()> {
        if self.around.len() >= MAX_NESTING {
            return Err("the groups are nested too deeply");
        }
        if self.take_prefix("?") {
            if let Some(rest) = self
                .rest
                .strip_prefix("P<")
                .or_else(|| self.rest.strip_prefix('<'))
            {
                let Some((name, rest)) = rest.split_once('>') else {
                    return Err("invalid named capture group");
                };
                let word = |c: char| c.is_alphanumeric() || c == '_';
                if name.is_empty() || !name.chars().all(word) {
                    return Err("invalid named capture group");
                }
                // Names are never asked for, and the crate allows fewer of them.
                self.out.push('(');
                self.rest = rest;
            } else {
                let end = self
                    .rest
                    .find(|c: char| !matches!(c, 'i' | 'm' | 's' | 'U' | '-'));
                let Some((flags, rest)) = end.and_then(|end| self.rest.split_at_checked(end))
                else {
                    return Err("missing )");
                };
                let off = flags.split_once('-').map_or("i", |(_, off)| off);
                if off.is_empty() || off.contains('-') {
                    return Err("invalid perl operator");
                }
                let Some(end) = rest.chars().next() else {
                    return Err("missing )");
                };
                self.rest = rest.get(end.len_utf8()..).unwrap_or_default();
                match end {
                    ':' => {
                        let _ = write!(self.out, "(?{flags}:");
                    }
                    ')' => {
                        if !flags.is_empty() {
                            let _ = write!(self.out, "(?{flags})");
                        }
                        self.last = Last::Nothing;
                        return Ok(());
                    }
                    _ => return Err("invalid perl operator"),
                }
            }
        } else {
            self.out.push('(');
        }
        self.around.push(self.product);
        self.product = 1;
        self.last = Last::Nothing;
        Ok(())
    }

    fn escape(&mut self) -> Parsed<()> {
        let Some(c) = self.rest.chars().next() else {
            return Err("trailing backslash");
        };
        match c {
            'Q' => {
                self.take();
                let (literal, rest) = self.rest.split_once("\\E").unwrap_or((self.rest, ""));
                self.rest = rest;
                for c in literal.chars() {
                    self.literal(c);
                }
            }
            'E' => {
                self.take();
            }
            'A' | 'z' => {
                self.take();
                self.out.push('\\');
                self.out.push(c);
                self.item(1);
            }
            'C' => {
                self.take();
                self.out.push_str("(?s-u:.)");
                self.item(1);
            }
            'b' | 'B' => {
                self.take();
                let _ = write!(self.out, "(?-u:\\{c})");
                self.item(1);
            }
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => {
                self.take();
                self.out.push('[');
                self.out
                    .push_str(if c.is_ascii_uppercase() { "^" } else { "" });
                self.out.push_str(perl_class(c));
                self.out.push(']');
                self.item(1);
            }
            'p' | 'P' => {
                self.take();
                self.property(c)?;
                self.item(1);
            }
            _ => {
                let c = self.escaped_char()?;
                self.literal(c);
            }
        }
        Ok(())
    }

    /// A Unicode property; `p` or `P` has been taken.
    fn property(&mut self, sort: char) -> Parsed<()> {
        let name = if self.take_prefix("{") {
            let Some((name, rest)) = self.rest.split_once('}') else {
                return Err("invalid character class range");
            };
            self.rest = rest;
            name.to_owned()
        } else {
            match self.take() {
                Some(c) => c.to_string(),
                None => return Err("invalid character class range"),
            }
        };
        let (negated, name) = match name.strip_prefix('^') {
            Some(name) => (true, name),
            None => (false, name.as_str()),
        };
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err("invalid character class range");
        }
        let sort = if negated == (sort == 'P') { 'p' } else { 'P' };
        let property = format!("\\{sort}{{{name}}}");
        if self.bytes {
            self.out.push_str(&of_latin_1(&property)?);
        } else {
            self.out.push_str(&property);
        }
        Ok(())
    }

    /// One escaped character; the backslash has been taken.
    fn escaped_char(&mut self) -> Parsed<char> {
        let Some(c) = self.take() else {
            return Err("trailing backslash");
        };
        let invalid = || Err("invalid escape sequence");
        let next_is_octal = self.rest.starts_with(|c| matches!(c, '0'..='7'));
        Ok(match c {
            'a' => '\u{7}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            // One digit other than zero would be a back reference.
            '1'..='7' if !next_is_octal => return invalid(),
            '0'..='7' => {
                let mut value = c.to_digit(8).unwrap_or_default();
                for _ in 0..2 {
                    let Some(digit) = self.rest.chars().next().and_then(|c| c.to_digit(8)) else {
                        break;
                    };
                    value = value * 8 + digit;
                    self.take();
                }
                match char::from_u32(value) {
                    Some(c) if !self.bytes || value < 256 => c,
                    _ => return invalid(),
                }
            }
            'x' => {
                let digits = if self.take_prefix("{") {
                    let Some((digits, rest)) = self.rest.split_once('}') else {
                        return invalid();
                    };
                    self.rest = rest;
                    digits
                } else {
                    let Some((digits, rest)) = self.rest.split_at_checked(2) else {
                        return invalid();
                    };
                    self.rest = rest;
                    digits
                };
                let hexadecimal =
                    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
                let value = u32::from_str_radix(digits, 16).ok().filter(|_| hexadecimal);
                match value.and_then(char::from_u32) {
                    Some(c) if !self.bytes || u32::from(c) < 256 => c,
                    _ => return invalid(),
                }
            }
            _ if c.is_ascii_punctuation() || (c.is_ascii() && !c.is_ascii_alphanumeric()) => c,
            _ => return invalid(),
        })
    }

    /// A character class; its bracket has been taken.
    fn class(&mut self) -> Parsed<()> {
        self.out.push('[');
        if self.take_prefix("^") {
            self.out.push('^');
        }
        let mut first = true;
        loop {
            if self.rest.starts_with(']') && !first {
                self.take();
                self.out.push(']');
                return Ok(());
            }
            first = false;
            if let Some(rest) = self.rest.strip_prefix("[:")
                && let Some((name, rest)) = rest.split_once(":]")
            {
                let (negated, plain) = match name.strip_prefix('^') {
                    Some(plain) => ("^", plain),
                    None => ("", name),
                };
                if !POSIX.contains(&plain) {
                    return Err("invalid character class range");
                }
                let _ = write!(self.out, "[:{negated}{plain}:]");
                self.rest = rest;
                continue;
            }
            if let Some(rest) = self.rest.strip_prefix('\\')
                && let Some(c) = rest.chars().next()
            {
                match c {
                    'd' | 'D' | 's' | 'S' | 'w' | 'W' => {
                        self.rest = rest.get(1..).unwrap_or_default();
                        let negation = if c.is_ascii_uppercase() { "^" } else { "" };
                        let _ = write!(self.out, "[{negation}{}]", perl_class(c));
                        continue;
                    }
                    'p' | 'P' => {
                        self.rest = rest.get(1..).unwrap_or_default();
                        self.property(c)?;
                        continue;
                    }
                    _ => {}
                }
            }
            let low = self.class_char()?;
            self.push_char(low);
            if self.rest.starts_with('-') && !self.rest.starts_with("-]") {
                self.take();
                let high = self.class_char()?;
                if high < low {
                    return Err("invalid character class range");
                }
                self.out.push('-');
                self.push_char(high);
            }
        }
    }

    fn class_char(&mut self) -> Parsed<char> {
        match self.take() {
            Some('\\') => self.escaped_char(),
            Some(c) => Ok(c),
            None => Err("missing ]"),
        }
    }
}

/// The names of `[:name:]`.
const POSIX: &[&str] = &[
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];

/// The inside of the class of `\d`, `\s` or `\w`.
fn perl_class(c: char) -> &'static str {
    match c {
        'd' | 'D' => "0-9",
        's' | 'S' => "\\t\\n\\x0C\\r ",
        _ => "0-9A-Za-z_",
    }
}
