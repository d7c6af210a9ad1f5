//! Calls of functions over arrays of arguments, made from `values.txt`: what queries over the few rows of the
//! sub-tables do not reach.
//!
//! The lines of the file:
//! - `name = a | b`: what the name may stand for. `<name>` is replaced; `\s`, `\t`, `\n`, `\r`, `\0`, `\u{e9}` and a
//!   backslash before anything else stand for that character. `name! = …` stands for expressions, not for texts.
//! - `%Y ~ a | b`: an element of a format of dates and times, and what it may read. `format` is a few of them,
//!   `formatted` a text for the last `format`.
//! - `name: call`: a call over values of that name, each `e`. `{name}` is a literal of such a text.

use super::choices::Choices;
use super::query::Query;

/// The grammar and the calls.
const FILE: &str = include_str!("values.txt");

/// Most arguments that one query has.
const MOST: usize = 16;

/// Returns the query that choices stand for.
pub fn query(choices: Choices) -> (Query, Vec<u32>) {
    let mut maker = Maker {
        choices,
        grammar: Grammar::read(),
        format: Vec::new(),
    };
    let calls = std::mem::take(&mut maker.grammar.calls);
    let (name, call) = calls[maker.choices.below(calls.len())];
    let call = maker.expanded(call);
    let count = 1 + maker.choices.below(MOST);
    let is_text = !maker.grammar.expressions.contains(&name);
    let values = (0..count).map(|_| {
        let value = maker.value(name);
        if is_text { literal(&value) } else { value }
    });
    let values: Vec<String> = values.collect();
    let text = format!(
        "SELECT o, {call} FROM UNNEST([{}]) AS e WITH OFFSET AS o ORDER BY o",
        values.join(", ")
    );
    let query = Query {
        text,
        ordered: true,
        redacted: false,
    };
    (query, maker.choices.taken())
}

/// What the file says.
struct Grammar {
    rules: Vec<(&'static str, Vec<&'static str>)>,
    /// The names that stand for expressions.
    expressions: Vec<&'static str>,
    elements: Vec<(&'static str, Vec<&'static str>)>,
    calls: Vec<(&'static str, &'static str)>,
}

impl Grammar {
    fn read() -> Self {
        let mut grammar = Self {
            rules: Vec::new(),
            expressions: Vec::new(),
            elements: Vec::new(),
            calls: Vec::new(),
        };
        for line in FILE.lines() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some((element, texts)) = line.split_once(" ~ ") {
                grammar.elements.push((element, alternatives(texts)));
                continue;
            }
            let end = line.find([' ', ':']).expect("a line has a name");
            let (name, rest) = line.split_at(end);
            if let Some(call) = rest.strip_prefix(':') {
                grammar.calls.push((name, call.trim()));
            } else {
                let texts = rest.strip_prefix(" =").expect("a line is a rule or a call");
                let plain = name.trim_end_matches('!');
                if plain != name {
                    grammar.expressions.push(plain);
                }
                grammar.rules.push((plain, alternatives(texts)));
            }
        }
        grammar
    }
}

/// Splits at bars with a blank before them.
fn alternatives(text: &str) -> Vec<&str> {
    text.split(" |").map(str::trim).collect()
}

struct Maker {
    choices: Choices,
    grammar: Grammar,
    /// What each element of the last format may read, with what follows it.
    format: Vec<(Vec<&'static str>, &'static str)>,
}

impl Maker {
    /// Returns a text or an expression of a name.
    fn value(&mut self, name: &str) -> String {
        match name {
            "format" => return self.format(),
            "formatted" => return self.formatted(),
            _ => {}
        }
        let rules = &self.grammar.rules;
        let (_, texts) = rules
            .iter()
            .find(|(rule, _)| *rule == name)
            .unwrap_or_else(|| panic!("no rule `{name}`"));
        let chosen = texts[self.choices.below(texts.len())];
        self.expanded(chosen)
    }

    /// Replaces names and reads escapes.
    fn expanded(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            let after = chars.as_str();
            let named = |close: char| {
                let (name, after) = after.split_once(close)?;
                let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase());
                is_name.then_some((name, after))
            };
            let rest = match c {
                '<' if let Some((name, after)) = named('>') => {
                    out.push_str(&self.value(name));
                    after
                }
                '{' if let Some((name, after)) = named('}') => {
                    out.push_str(&literal(&self.value(name)));
                    after
                }
                '\\' => {
                    let (c, after) = escape(after);
                    out.push(c);
                    after
                }
                c => {
                    out.push(c);
                    after
                }
            };
            chars = rest.chars();
        }
        out
    }

    fn format(&mut self) -> String {
        self.format.clear();
        let mut text = String::new();
        for _ in 0..1 + self.choices.below(3) {
            let elements = &self.grammar.elements;
            let (element, texts) = &elements[self.choices.below(elements.len())];
            let behind = self.choices.pick(&["", "-", " ", "/"]);
            text.push_str(element);
            text.push_str(behind);
            self.format.push((texts.clone(), behind));
        }
        text
    }

    fn formatted(&mut self) -> String {
        let mut text = String::new();
        for (texts, behind) in self.format.clone() {
            let chosen = texts[self.choices.below(texts.len())];
            text.push_str(&self.expanded(chosen));
            text.push_str(behind);
        }
        text.push_str(self.choices.pick(&["", "", " ", "x"]));
        text
    }
}

/// Reads what stands behind a backslash.
fn escape(text: &str) -> (char, &str) {
    if let Some((digits, after)) = text.strip_prefix("u{").and_then(|t| t.split_once('}')) {
        let code = u32::from_str_radix(digits, 16).ok();
        return (code.and_then(char::from_u32).expect("a character"), after);
    }
    let mut chars = text.chars();
    let c = chars.next().expect("a character behind a backslash");
    let meant = match c {
        's' => ' ',
        't' => '\t',
        'n' => '\n',
        'r' => '\r',
        '0' => '\0',
        c => c,
    };
    (meant, chars.as_str())
}

/// Returns the literal of a text.
fn literal(text: &str) -> String {
    let mut out = "'".to_owned();
    for c in text.chars() {
        match c {
            '\\' | '\'' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            c if u32::from(c) < 0x80 => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            c => out.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    out + "'"
}
