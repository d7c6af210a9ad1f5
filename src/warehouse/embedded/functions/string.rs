//! Functions of STRING, and those of BYTES that mean the same. Positions count characters of STRING
//! and bytes of BYTES, from 1.

use arrow::datatypes::DataType;
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

use super::adapt::Function;
use super::fault::{Outcome, beyond, mismatch, refuse};
use super::math::common_type;
use super::value::{Kind, MAX_ELEMENTS, MAX_VALUE_BYTES, Value, list_of};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::typed("concat", common_type, |_, args| concat(args)),
    Function::new("length", Kind::Int64, |_, args| match args {
        [Value::Str(text)] => count(text.chars().count()),
        [Value::Bin(bytes)] => count(bytes.len()),
        _ => mismatch(args),
    }),
    Function::new("char_length", Kind::Int64, |_, args| match args {
        [Value::Str(text)] => count(text.chars().count()),
        _ => mismatch(args),
    }),
    Function::new("byte_length", Kind::Int64, |_, args| match args {
        [Value::Str(text)] => count(text.len()),
        [Value::Bin(bytes)] => count(bytes.len()),
        _ => mismatch(args),
    }),
    Function::typed("lower", common_type, |_, args| match args {
        [Value::Str(text)] => Ok(Value::Text(text.to_lowercase())),
        [Value::Bin(bytes)] => Ok(Value::Binary(bytes.to_ascii_lowercase())),
        _ => mismatch(args),
    }),
    Function::typed("upper", common_type, |_, args| match args {
        [Value::Str(text)] => Ok(Value::Text(text.to_uppercase())),
        [Value::Bin(bytes)] => Ok(Value::Binary(bytes.to_ascii_uppercase())),
        _ => mismatch(args),
    }),
    Function::new("normalize", Kind::String, |_, args| match args {
        [Value::Str(text)] => normalize(text, "NFC"),
        [Value::Str(text), Value::Str(form)] => normalize(text, form),
        _ => mismatch(args),
    }),
    Function::typed("trim", common_type, |_, args| trim(args, true, true)),
    Function::typed("ltrim", common_type, |_, args| trim(args, true, false)),
    Function::typed("rtrim", common_type, |_, args| trim(args, false, true)),
    Function::typed("substr", common_type, |_, args| match args {
        [value, Value::Int64(position)] => substr(value, *position, i64::MAX),
        [_, _, Value::Int64(length)] if *length < 0 => {
            refuse("the length of SUBSTR cannot be negative")
        }
        [value, Value::Int64(position), Value::Int64(length)] => substr(value, *position, *length),
        _ => mismatch(args),
    }),
    Function::new("strpos", Kind::Int64, |_, args| match args {
        [Value::Str(text), Value::Str(part)] => match text.split_once(part) {
            Some((before, _)) => count(before.chars().count() + 1),
            None => Ok(Value::Int64(0)),
        },
        [Value::Bin(bytes), Value::Bin(part)] => {
            count(find_bytes(bytes, part).map_or(0, |at| at + 1))
        }
        _ => mismatch(args),
    }),
    Function::new("instr", Kind::Int64, |_, args| match args {
        [value, part] => instr(value, part, 1, 1),
        [value, part, Value::Int64(position)] => instr(value, part, *position, 1),
        [
            value,
            part,
            Value::Int64(position),
            Value::Int64(occurrence),
        ] => instr(value, part, *position, *occurrence),
        _ => mismatch(args),
    }),
    Function::new("starts_with", Kind::Bool, |_, args| match args {
        [Value::Str(text), Value::Str(part)] => Ok(Value::Bool(text.starts_with(part))),
        [Value::Bin(bytes), Value::Bin(part)] => Ok(Value::Bool(bytes.starts_with(part))),
        _ => mismatch(args),
    }),
    Function::new("ends_with", Kind::Bool, |_, args| match args {
        [Value::Str(text), Value::Str(part)] => Ok(Value::Bool(text.ends_with(part))),
        [Value::Bin(bytes), Value::Bin(part)] => Ok(Value::Bool(bytes.ends_with(part))),
        _ => mismatch(args),
    }),
    Function::typed("replace", common_type, |_, args| replace(args)),
    Function::typed(
        "split",
        |types: &[DataType]| common_type(types).map(list_of),
        |_, args| split(args),
    ),
    Function::typed("left", common_type, |_, args| match args {
        [_, Value::Int64(length)] if *length < 0 => refuse("the length of LEFT cannot be negative"),
        [value, Value::Int64(length)] => substr(value, 1, *length),
        _ => mismatch(args),
    }),
    Function::typed("right", common_type, |_, args| match args {
        [_, Value::Int64(length)] if *length < 0 => {
            refuse("the length of RIGHT cannot be negative")
        }
        [Value::Str(_), Value::Int64(0)] => Ok(Value::Str("")),
        [Value::Bin(_), Value::Int64(0)] => Ok(Value::Bin(&[])),
        [value, Value::Int64(length)] => substr(value, -*length, *length),
        _ => mismatch(args),
    }),
    Function::typed("lpad", common_type, |_, args| pad(args, true)),
    Function::typed("rpad", common_type, |_, args| pad(args, false)),
    Function::typed("repeat", common_type, |_, args| repeat(args)),
    Function::typed("reverse", common_type, |_, args| match args {
        [Value::Str(text)] => Ok(Value::Text(text.chars().rev().collect())),
        [Value::Bin(bytes)] => Ok(Value::Binary(bytes.iter().rev().copied().collect())),
        _ => mismatch(args),
    }),
    Function::new("initcap", Kind::String, |_, args| match args {
        [Value::Str(text)] => Ok(Value::Text(initcap(text, |c| {
            c.is_whitespace() || WORD_DELIMITERS.contains(c)
        }))),
        [Value::Str(text), Value::Str(delimiters)] => {
            Ok(Value::Text(initcap(text, |c| delimiters.contains(c))))
        }
        _ => mismatch(args),
    }),
    Function::new("ascii", Kind::Int64, |_, args| match args {
        [Value::Str(text)] => first_byte(text.as_bytes()),
        [Value::Bin(bytes)] => Ok(Value::Int64(bytes.first().map_or(0, |b| i64::from(*b)))),
        _ => mismatch(args),
    }),
    Function::new("unicode", Kind::Int64, |_, args| match args {
        [Value::Str(text)] => Ok(Value::Int64(
            text.chars().next().map_or(0, |c| i64::from(u32::from(c))),
        )),
        _ => mismatch(args),
    }),
    Function::new("chr", Kind::String, |_, args| match args {
        [Value::Int64(code)] => Ok(Value::Text(character(*code)?.to_string())),
        _ => mismatch(args),
    }),
    Function::new(
        "code_points_to_string",
        Kind::String,
        |_, args| match args {
            [Value::List(codes)] => {
                let mut text = String::new();
                for code in codes {
                    match code {
                        Value::Int64(code) => text.push(character(*code)?),
                        Value::Null => return Ok(Value::Null),
                        _ => return mismatch(args),
                    }
                }
                Ok(Value::Text(text))
            }
            _ => mismatch(args),
        },
    ),
    Function::list("to_code_points", Kind::Int64, |_, args| match args {
        [Value::Str(text)] => Ok(Value::List(
            text.chars()
                .map(|c| Value::Int64(i64::from(u32::from(c))))
                .collect(),
        )),
        [Value::Bin(bytes)] => Ok(Value::List(
            bytes.iter().map(|b| Value::Int64(i64::from(*b))).collect(),
        )),
        _ => mismatch(args),
    }),
    Function::typed("translate", common_type, |_, args| match args {
        [Value::Str(text), Value::Str(from), Value::Str(to)] => {
            let from: Vec<char> = from.chars().collect();
            let to: Vec<char> = to.chars().collect();
            translate(text.chars(), &from, &to).map(Value::Text)
        }
        [Value::Bin(bytes), Value::Bin(from), Value::Bin(to)] => {
            translate(bytes.iter().copied(), from, to).map(Value::Binary)
        }
        _ => mismatch(args),
    }),
];

/// Returns a text in one of the four forms of Unicode Standard Annex 15.
fn normalize<'a>(text: &str, form: &str) -> Outcome<Value<'a>> {
    let normalized = match form {
        "NFC" => ComposingNormalizerBorrowed::new_nfc().normalize(text),
        "NFKC" => ComposingNormalizerBorrowed::new_nfkc().normalize(text),
        "NFD" => DecomposingNormalizerBorrowed::new_nfd().normalize(text),
        "NFKD" => DecomposingNormalizerBorrowed::new_nfkd().normalize(text),
        _ => return mismatch(&[Value::Str(text), Value::Str(form)]),
    };
    Ok(Value::Text(normalized.into_owned()))
}

/// The characters besides white space after which INITCAP begins a word.
const WORD_DELIMITERS: &str = "[](){}/|\\<>!?@\"^#$&~_,.:;*%+-";

fn count<'a>(count: usize) -> Outcome<Value<'a>> {
    match i64::try_from(count) {
        Ok(count) => Ok(Value::Int64(count)),
        Err(_) => refuse("int64 overflow"),
    }
}

/// Refuses a result that would get too long, before it is built.
pub(super) fn check_length(length: Option<usize>) -> Outcome<()> {
    match length {
        Some(length) if length <= MAX_VALUE_BYTES => Ok(()),
        Some(_) | None => beyond("the result is longer than values may be"),
    }
}

fn concat<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let length = args.iter().try_fold(0_usize, |sum, arg| match arg {
        Value::Str(text) => sum.checked_add(text.len()),
        Value::Bin(bytes) => sum.checked_add(bytes.len()),
        _ => Some(sum),
    });
    check_length(length)?;
    let strings: Option<String> = args
        .iter()
        .map(|arg| match arg {
            Value::Str(text) => Some(*text),
            _ => None,
        })
        .collect();
    if let Some(text) = strings {
        return Ok(Value::Text(text));
    }
    let mut out = Vec::new();
    for arg in args {
        match arg {
            Value::Bin(bytes) => out.extend_from_slice(bytes),
            _ => return mismatch(args),
        }
    }
    Ok(Value::Binary(out))
}

fn trim<'a>(args: &[Value<'a>], start: bool, end: bool) -> Outcome<Value<'a>> {
    match args {
        [Value::Str(text)] => Ok(Value::Str(trim_chars(
            text,
            start,
            end,
            char::is_whitespace,
        ))),
        [Value::Str(text), Value::Str(set)] => Ok(Value::Str(trim_chars(text, start, end, |c| {
            set.contains(c)
        }))),
        [Value::Bin(bytes), Value::Bin(set)] => {
            let mut rest: &[u8] = bytes;
            while let [first, tail @ ..] = rest
                && start
                && set.contains(first)
            {
                rest = tail;
            }
            while let [head @ .., last] = rest
                && end
                && set.contains(last)
            {
                rest = head;
            }
            Ok(Value::Bin(rest))
        }
        _ => mismatch(args),
    }
}

fn trim_chars(text: &str, start: bool, end: bool, strip: impl Fn(char) -> bool) -> &str {
    let text = if start {
        text.trim_start_matches(&strip)
    } else {
        text
    };
    if end {
        text.trim_end_matches(&strip)
    } else {
        text
    }
}

/// The part from a position, which counts from the end when it is negative, so many characters long.
fn substr<'a>(value: &Value<'a>, position: i64, length: i64) -> Outcome<Value<'a>> {
    let skipped = |total: &dyn Fn() -> usize| -> usize {
        if position > 0 {
            usize::try_from(position - 1).unwrap_or(usize::MAX)
        } else if position == 0 {
            0
        } else {
            let from_end = usize::try_from(position.unsigned_abs()).unwrap_or(usize::MAX);
            total().saturating_sub(from_end)
        }
    };
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    match value {
        Value::Str(text) => {
            let start = character_offset(text, skipped(&|| text.chars().count()));
            let rest = text.get(start..).unwrap_or_default();
            let end = character_offset(rest, length);
            Ok(Value::Str(rest.get(..end).unwrap_or_default()))
        }
        Value::Bin(bytes) => {
            let rest = bytes.get(skipped(&|| bytes.len())..).unwrap_or_default();
            Ok(Value::Bin(
                rest.get(..length.min(rest.len())).unwrap_or_default(),
            ))
        }
        _ => mismatch(std::slice::from_ref(value)),
    }
}

/// The byte at which the character of a number from 0 begins; the length when there is none.
fn character_offset(text: &str, number: usize) -> usize {
    text.char_indices()
        .nth(number)
        .map_or(text.len(), |(at, _)| at)
}

fn find_bytes(bytes: &[u8], part: &[u8]) -> Option<usize> {
    if part.is_empty() {
        return Some(0);
    }
    bytes.windows(part.len()).position(|window| window == part)
}

fn instr<'a>(
    value: &Value<'a>,
    part: &Value<'a>,
    position: i64,
    occurrence: i64,
) -> Outcome<Value<'a>> {
    if position == 0 || occurrence < 1 {
        return refuse("the position cannot be zero, and the occurrence must be positive");
    }
    let (bytes, part, starts): (&[u8], &[u8], Vec<usize>) = match (value, part) {
        (Value::Str(text), Value::Str(part)) => (
            text.as_bytes(),
            part.as_bytes(),
            text.char_indices()
                .map(|(at, _)| at)
                .chain([text.len()])
                .collect(),
        ),
        (Value::Bin(bytes), Value::Bin(part)) => (bytes, part, (0..=bytes.len()).collect()),
        _ => return mismatch(&[value.clone(), part.clone()]),
    };
    // Counted from the end, the empty text is found behind the last character too.
    let length = starts.len() - usize::from(!part.is_empty());
    let matches = |at: &usize| bytes.get(*at..).is_some_and(|rest| rest.starts_with(part));
    let nth = usize::try_from(occurrence - 1).unwrap_or(usize::MAX);
    let distance = usize::try_from(position.unsigned_abs()).unwrap_or(usize::MAX);
    let found = if position > 0 {
        starts
            .iter()
            .enumerate()
            .skip(distance - 1)
            .filter(|(_, at)| matches(at))
            .nth(nth)
    } else if distance > length {
        None
    } else {
        starts
            .iter()
            .enumerate()
            .take(length - distance + 1)
            .rev()
            .filter(|(_, at)| matches(at))
            .nth(nth)
    };
    count(found.map_or(0, |(number, _)| number + 1))
}

fn replace<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    match args {
        [value, Value::Str(""), Value::Str(_)] | [value, Value::Bin([]), Value::Bin(_)] => {
            Ok(value.clone())
        }
        [Value::Str(text), Value::Str(from), Value::Str(to)] => {
            if to.len() > from.len() {
                check_length(replaced_length(
                    text.len(),
                    text.matches(from).count(),
                    from.len(),
                    to.len(),
                ))?;
            }
            Ok(Value::Text(text.replace(from, to)))
        }
        [Value::Bin(bytes), Value::Bin(from), Value::Bin(to)] => {
            let mut out = Vec::new();
            let mut rest: &[u8] = bytes;
            while let Some(at) = find_bytes(rest, from) {
                out.extend_from_slice(rest.get(..at).unwrap_or_default());
                out.extend_from_slice(to);
                check_length(Some(out.len()))?;
                rest = rest.get(at + from.len()..).unwrap_or_default();
            }
            out.extend_from_slice(rest);
            Ok(Value::Binary(out))
        }
        _ => mismatch(args),
    }
}

fn replaced_length(length: usize, times: usize, from: usize, to: usize) -> Option<usize> {
    times.checked_mul(to - from)?.checked_add(length)
}

fn split<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let parts: Vec<Value<'a>> = match args {
        [Value::Str(text)] => text.split(',').map(Value::Str).collect(),
        [Value::Str(""), Value::Str(_)] => vec![Value::Str("")],
        [Value::Str(text), Value::Str("")] => text
            .char_indices()
            .map(|(at, c)| Value::Str(text.get(at..at + c.len_utf8()).unwrap_or_default()))
            .collect(),
        [Value::Str(text), Value::Str(delimiter)] => {
            text.split(delimiter).map(Value::Str).collect()
        }
        [Value::Bin([]), Value::Bin(_)] => vec![Value::Bin(&[])],
        [Value::Bin(bytes), Value::Bin([])] => bytes.chunks(1).map(Value::Bin).collect(),
        [Value::Bin(bytes), Value::Bin(delimiter)] => {
            let mut parts = Vec::new();
            let mut rest: &[u8] = bytes;
            while let Some(at) = find_bytes(rest, delimiter) {
                parts.push(Value::Bin(rest.get(..at).unwrap_or_default()));
                rest = rest.get(at + delimiter.len()..).unwrap_or_default();
            }
            parts.push(Value::Bin(rest));
            parts
        }
        _ => return mismatch(args),
    };
    if parts.len() > MAX_ELEMENTS {
        return beyond("SPLIT gives too many parts");
    }
    Ok(Value::List(parts))
}

fn pad<'a>(args: &[Value<'a>], left: bool) -> Outcome<Value<'a>> {
    let (value, length, pattern) = match args {
        [value @ Value::Str(_), Value::Int64(length)] => (value, *length, &Value::Str(" ")),
        [value @ Value::Bin(_), Value::Int64(length)] => (value, *length, &Value::Bin(b" ")),
        [value, Value::Int64(length), pattern] => (value, *length, pattern),
        _ => return mismatch(args),
    };
    let Ok(wanted) = usize::try_from(length) else {
        return refuse("the length of a padded value cannot be negative");
    };
    check_length(Some(wanted))?;
    if matches!(pattern, Value::Str("") | Value::Bin([])) {
        return refuse("the padding cannot be empty");
    }
    match (value, pattern) {
        (Value::Str(text), Value::Str(pattern)) => {
            let present = text.chars().count();
            if wanted <= present {
                return substr(value, 1, length);
            }
            let padding: String = pattern.chars().cycle().take(wanted - present).collect();
            let parts = if left {
                [padding.as_str(), text]
            } else {
                [text, padding.as_str()]
            };
            Ok(Value::Text(parts.concat()))
        }
        (Value::Bin(bytes), Value::Bin(pattern)) => {
            if wanted <= bytes.len() {
                return substr(value, 1, length);
            }
            let padding: Vec<u8> = pattern
                .iter()
                .copied()
                .cycle()
                .take(wanted - bytes.len())
                .collect();
            let parts = if left {
                [padding.as_slice(), bytes]
            } else {
                [bytes, padding.as_slice()]
            };
            Ok(Value::Binary(parts.concat()))
        }
        _ => mismatch(args),
    }
}

fn repeat<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let (length, times) = match args {
        [Value::Str(text), Value::Int64(times)] => (text.len(), *times),
        [Value::Bin(bytes), Value::Int64(times)] => (bytes.len(), *times),
        _ => return mismatch(args),
    };
    let Ok(times) = usize::try_from(times) else {
        return refuse("the count of REPEAT cannot be negative");
    };
    check_length(length.checked_mul(times))?;
    // An empty value stays empty, however often it is asked for.
    let times = if length == 0 { 0 } else { times };
    match args {
        [Value::Str(text), _] => Ok(Value::Text(text.repeat(times))),
        [Value::Bin(bytes), _] => Ok(Value::Binary(bytes.repeat(times))),
        _ => mismatch(args),
    }
}

fn initcap(text: &str, is_delimiter: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut first = true;
    for c in text.chars() {
        if is_delimiter(c) {
            out.push(c);
            first = true;
        } else {
            if first {
                out.push(simple_uppercase(c));
            } else {
                out.extend(c.to_lowercase().next());
            }
            first = false;
        }
    }
    out
}

/// Returns the upper case of a character where that is one character, as INITCAP wants it.
fn simple_uppercase(c: char) -> char {
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(single), None) => single,
        _ => c,
    }
}

fn first_byte<'a>(bytes: &[u8]) -> Outcome<Value<'a>> {
    match bytes.first() {
        None => Ok(Value::Int64(0)),
        Some(byte) if byte.is_ascii() => Ok(Value::Int64(i64::from(*byte))),
        Some(_) => refuse("the first character is not ASCII"),
    }
}

fn character(code: i64) -> Outcome<char> {
    match u32::try_from(code).ok().and_then(char::from_u32) {
        Some(c) => Ok(c),
        None => refuse(format!("no such character: {code}")),
    }
}

fn translate<T: PartialEq + Copy, C: FromIterator<T>>(
    values: impl Iterator<Item = T>,
    from: &[T],
    to: &[T],
) -> Outcome<C> {
    let repeated = from
        .iter()
        .enumerate()
        .any(|(at, item)| from.iter().take(at).any(|earlier| earlier == item));
    if repeated {
        return refuse("TRANSLATE names a character twice");
    }
    Ok(values
        .filter_map(|value| match from.iter().position(|item| *item == value) {
            Some(at) => to.get(at).copied(),
            None => Some(value),
        })
        .collect())
}
