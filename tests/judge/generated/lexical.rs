//! Other ways of writing the same text: literals, letters, names in quotes, white space and comments, and names
//! that mean something already.

use super::choices::Choices;

/// Names of columns: of columns that there are, of the sub-tables, and words that are no keywords.
const COLUMNS: &[&str] = &[
    "k", "s", "t", "u", "i", "date", "value", "offset", "type", "row", "r",
];

/// Names of the first FROM item.
const ALIASES: &[&str] = &["t", "u", "s", "r", "g", "date", "timestamp", "a"];

/// Returns a text with other names for its columns and for its first FROM item.
pub fn renamed(text: &str, choices: &mut Choices) -> String {
    let mut columns = COLUMNS.to_vec();
    let mut names = Vec::new();
    for old in ["c0", "c1", "c2"] {
        let new = columns.swap_remove(choices.below(columns.len()));
        if choices.below(2) == 1 {
            names.push((old, new));
        }
    }
    if choices.below(2) == 1 {
        names.push(("a1", choices.pick(ALIASES)));
    }
    let tokens = tokens(text).into_iter();
    tokens
        .map(|token| match names.iter().find(|(old, _)| *old == token) {
            Some((_, new)) => *new,
            None => token,
        })
        .collect()
}

/// Returns a text with its tokens written in other ways.
pub fn spelt(text: &str, choices: &mut Choices) -> String {
    let tokens = tokens(text);
    let mut spelt = String::new();
    let mut before = "";
    for (index, token) in tokens.iter().copied().enumerate() {
        let next = tokens.get(index + 1).copied().unwrap_or_default();
        match token.starts_with('\'') && before.starts_with(char::is_alphabetic) {
            true => spelt.push_str(token),
            false => spelt.push_str(&one(token, next, choices)),
        }
        before = token;
    }
    spelt
}

fn one(token: &str, next: &str, choices: &mut Choices) -> String {
    let first = token.chars().next().unwrap_or_default();
    match first {
        ' ' => match choices.below(16) {
            12 => "\n".to_owned(),
            13 => "/* 'x' */".to_owned(),
            14 => " -- \"c\n".to_owned(),
            15 => "\t# `c`\n ".to_owned(),
            _ => token.to_owned(),
        },
        '\'' => {
            let inner = token.strip_prefix('\'').and_then(|t| t.strip_suffix('\''));
            string(inner.expect("a literal has two ends"), choices)
        }
        '0'..='9' => match token.parse::<i64>() {
            Ok(number) if choices.rarely(12) => format!("{number:#X}").replace("0X", "0x"),
            _ => token.to_owned(),
        },
        'a'..='z' if !next.starts_with('\'') && !token.contains('_') => match choices.below(8) {
            6 => format!("`{token}`"),
            7 if !["t", "u"].contains(&token) => token.to_uppercase(),
            _ => token.to_owned(),
        },
        'A'..='Z' => match choices.below(6) {
            4 => token.to_lowercase(),
            5 => {
                let letters = token.char_indices().map(|(at, letter)| match at % 2 {
                    0 => letter,
                    _ => letter.to_ascii_lowercase(),
                });
                letters.collect()
            }
            _ => token.to_owned(),
        },
        _ => token.to_owned(),
    }
}

/// Returns a literal of a text that stood between single quotes.
fn string(inner: &str, choices: &mut Choices) -> String {
    let plain = !inner.contains(['\\', '"', '\n', '\r']) && inner.is_ascii();
    match choices.below(10) {
        5 => format!("\"{}\"", inner.replace('"', "\\\"")),
        6 => format!("'''{inner}'''"),
        7 => format!("\"\"\"{}\"\"\"", inner.replace('"', "\\\"")),
        8 if plain => format!("{}'{inner}'", choices.pick(&["r", "R"])),
        9 if plain => {
            let form = choices.below(4);
            let escaped = inner.bytes().map(|byte| match form {
                0 => format!("\\x{byte:02x}"),
                1 => format!("\\u{byte:04X}"),
                2 => format!("\\U{byte:08x}"),
                _ => format!("\\{byte:03o}"),
            });
            format!("'{}'", escaped.collect::<String>())
        }
        _ => format!("'{inner}'"),
    }
}

/// Cuts a generated text up. A literal with a prefix is a word and a literal.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = match first {
            '\'' => {
                let mut escaped = false;
                let end = rest.char_indices().skip(1).find(|(_, c)| {
                    let ends = *c == '\'' && !escaped;
                    escaped = *c == '\\' && !escaped;
                    ends
                });
                end.expect("a literal ends").0 + 1
            }
            '0'..='9' => rest
                .find(|c: char| !is_word(c) && c != '.')
                .unwrap_or(rest.len()),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after;
    }
    tokens
}
