//! String and bytes literals: where they end and what they mean.
//!
//! Every literal of a query is decoded here and nowhere else. What holds afterwards: the value is what
//! GoogleSQL reads, and no later stage looks at quotes, prefixes or escapes again.
//!
//! Source: GoogleSQL reference, "Lexical structure and syntax", string and bytes literals; details that
//! it leaves open were checked against Google's own parser.

use crate::compiler::diagnostic::{Code, Diagnostic, Span};

use super::lexer::TokenKind;

/// What a prefix such as `rb` asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    /// Backslashes are plain characters.
    pub raw: bool,
    /// The value is BYTES.
    pub bytes: bool,
}

impl Form {
    /// Returns the form of a literal with this prefix, in any case.
    pub(super) fn of_prefix(prefix: &str) -> Option<Self> {
        let (raw, bytes) = match prefix.to_ascii_lowercase().as_str() {
            "r" => (true, false),
            "b" => (false, true),
            "rb" | "br" => (true, true),
            _ => return None,
        };
        Some(Self { raw, bytes })
    }
}

/// A literal that was read to its end.
pub(super) struct Scanned {
    /// The value.
    pub kind: TokenKind,
    /// Offset after the closing quote.
    pub end: usize,
}

/// Reads the literal whose first quote is at `quote_at`; `start` is where its prefix begins.
///
/// Bad escapes are added to `problems` and left out of the value. `None` means that the literal does
/// not end, which is then the last problem.
pub(super) fn scan(
    text: &str,
    start: usize,
    quote_at: usize,
    form: Form,
    problems: &mut Vec<Diagnostic>,
) -> Option<Scanned> {
    let rest = text.get(quote_at..)?;
    let quote = rest.chars().next()?;
    let triple_quote: String = std::iter::repeat_n(quote, 3).collect();
    let triple = rest.starts_with(&triple_quote);
    let mut at = quote_at + if triple { 3 } else { 1 };
    let mut value = Value::new(form.bytes);
    loop {
        let rest = text.get(at..)?;
        let Some(next) = rest.chars().next() else {
            problems.push(unterminated(start, at, triple));
            return None;
        };
        if triple && rest.starts_with(&triple_quote) {
            return Some(value.finish(at + 3));
        }
        match next {
            _ if next == quote && !triple => return Some(value.finish(at + 1)),
            '\n' | '\r' if !triple => {
                problems.push(unterminated(start, at, triple));
                return None;
            }
            '\r' => {
                value.push('\n');
                at += if rest.starts_with("\r\n") { 2 } else { 1 };
            }
            // The character after a backslash never ends a raw literal; both belong to the value.
            '\\' if form.raw => {
                value.push('\\');
                at += 1;
                if let Some(escaped) = rest.chars().nth(1) {
                    value.push(escaped);
                    at += escaped.len_utf8();
                }
            }
            '\\' => match escape(rest, form.bytes) {
                Ok((decoded, length)) => {
                    value.push_escaped(decoded);
                    at += length;
                }
                Err(bad) => {
                    problems.push(
                        Diagnostic::new(
                            Code::BadEscape,
                            Span::new(at, at + bad.length),
                            bad.message,
                        )
                        .help("write `\\\\` for a backslash, or use a raw literal: r'…'"),
                    );
                    at += bad.length;
                }
            },
            _ => {
                value.push(next);
                at += next.len_utf8();
            }
        }
    }
}

fn unterminated(start: usize, end: usize, triple: bool) -> Diagnostic {
    let diagnostic = Diagnostic::new(
        Code::Unterminated,
        Span::new(start, end),
        "this literal does not end",
    );
    if triple {
        diagnostic.help("it ends at the next three quotes of the same kind")
    } else {
        diagnostic.help("it must end on the line it begins on; write `\\n` for a line break")
    }
}

/// A value while it is read.
enum Value {
    Text(String),
    Bytes(Vec<u8>),
}

impl Value {
    fn new(bytes: bool) -> Self {
        if bytes {
            Value::Bytes(Vec::new())
        } else {
            Value::Text(String::new())
        }
    }

    fn push(&mut self, character: char) {
        match self {
            Value::Text(text) => text.push(character),
            Value::Bytes(bytes) => {
                bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }

    fn push_escaped(&mut self, escaped: Escaped) {
        match (self, escaped) {
            (value, Escaped::Character(character)) => value.push(character),
            // In a STRING the number is a code point, in BYTES a byte.
            (Value::Text(text), Escaped::Number(number)) => text.push(char::from(number)),
            (Value::Bytes(bytes), Escaped::Number(number)) => bytes.push(number),
        }
    }

    fn finish(self, end: usize) -> Scanned {
        let kind = match self {
            Value::Text(text) => TokenKind::String(text),
            Value::Bytes(bytes) => TokenKind::Bytes(bytes),
        };
        Scanned { kind, end }
    }
}

/// What an escape sequence stands for.
enum Escaped {
    Character(char),
    /// `\x…` and octal.
    Number(u8),
}

/// An escape sequence that GoogleSQL refuses.
struct BadEscape {
    message: String,
    /// Bytes of the text that are to blame.
    length: usize,
}

/// Decodes the escape sequence that `rest` begins with; also returns its length in bytes.
fn escape(rest: &str, bytes: bool) -> Result<(Escaped, usize), BadEscape> {
    let Some(letter) = rest.chars().nth(1) else {
        return Err(BadEscape {
            message: "an escape sequence is cut off".to_owned(),
            length: 1,
        });
    };
    let simple = |character| Ok((Escaped::Character(character), 2));
    match letter {
        'a' => simple('\u{7}'),
        'b' => simple('\u{8}'),
        'f' => simple('\u{c}'),
        'n' => simple('\n'),
        'r' => simple('\r'),
        't' => simple('\t'),
        'v' => simple('\u{b}'),
        '\\' | '?' | '"' | '\'' | '`' => simple(letter),
        '0'..='3' => match digits(rest, 1, 3, 8).and_then(|n| u8::try_from(n).ok()) {
            Some(number) => Ok((Escaped::Number(number), 4)),
            None => Err(BadEscape {
                message: "an octal escape needs three octal digits, `\\000` to `\\377`".to_owned(),
                length: 2,
            }),
        },
        'x' | 'X' => match digits(rest, 2, 2, 16).and_then(|n| u8::try_from(n).ok()) {
            Some(number) => Ok((Escaped::Number(number), 4)),
            None => Err(BadEscape {
                message: format!("`\\{letter}` needs two hexadecimal digits"),
                length: 2,
            }),
        },
        'u' | 'U' if bytes => Err(BadEscape {
            message: format!("`\\{letter}` has no meaning in a bytes literal"),
            length: 2,
        }),
        'u' | 'U' => {
            let count = if letter == 'u' { 4 } else { 8 };
            let Some(number) = digits(rest, 2, count, 16) else {
                return Err(BadEscape {
                    message: format!("`\\{letter}` needs {count} hexadecimal digits"),
                    length: 2,
                });
            };
            match char::from_u32(number) {
                Some(character) => Ok((Escaped::Character(character), 2 + count)),
                None => Err(BadEscape {
                    message: "the escape sequence is no Unicode character".to_owned(),
                    length: 2 + count,
                }),
            }
        }
        '\n' | '\r' => Err(BadEscape {
            message: "a line break cannot be escaped".to_owned(),
            length: 2,
        }),
        other => Err(BadEscape {
            message: "GoogleSQL has no such escape sequence".to_owned(),
            length: 1 + other.len_utf8(),
        }),
    }
}

/// Returns the value of exactly `count` digits at an offset.
fn digits(rest: &str, at: usize, count: usize, radix: u32) -> Option<u32> {
    let text = rest.get(at..at + count)?;
    if text.chars().all(|c| c.is_digit(radix)) {
        u32::from_str_radix(text, radix).ok()
    } else {
        None
    }
}
