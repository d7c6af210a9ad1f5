//! REGEXP functions over STRING and BYTES.

use std::rc::Rc;
use std::sync::Arc;

use arrow::array::{
    Array as _, ArrayAccessor, ArrayRef, AsArray as _, BooleanArray, BooleanBufferBuilder,
    StringArray,
};
use arrow::buffer::BooleanBuffer;
use arrow::compute::take;
use arrow::datatypes::DataType;
use datafusion::error::Result;
use datafusion::logical_expr::ColumnarValue;
use memchr::memmem::Finder;

use super::adapt::Function;
use super::context::Context;
use super::distinct::Distinct;
use super::fault::{Outcome, beyond, mismatch, refuse};
use super::math::common_type;
use super::pattern::Pattern;
use super::value::{Kind, MAX_ELEMENTS, MAX_VALUE_BYTES, Value, list_of};
use crate::warehouse::embedded::budget;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("regexp_contains", Kind::Bool, |cx, args| match args {
        [Value::Str(text), Value::Str(pattern)] => {
            let pattern = cx.patterns.get(pattern, |p| Pattern::new(p, false))?;
            Ok(Value::Bool(pattern.is_match(text.as_bytes())))
        }
        _ => {
            let (subject, pattern, _) = subject(cx, args)?;
            Ok(Value::Bool(pattern.is_match(subject.bytes)))
        }
    })
    .with_quick(contains),
    Function::typed("regexp_extract", common_type, extract),
    Function::typed("regexp_substr", common_type, extract),
    Function::typed(
        "regexp_extract_all",
        |types: &[DataType]| common_type(types).map(list_of),
        |cx, args| {
            let (subject, pattern, _) = subject(cx, args)?;
            extract_all(&subject, &pattern)
        },
    ),
    Function::new("regexp_instr", Kind::Int64, instr),
    Function::typed("regexp_replace", common_type, replace),
];

/// Finds a constant pattern in a column of texts.
fn contains(args: &[ColumnarValue]) -> Option<Result<ArrayRef>> {
    let [ColumnarValue::Array(texts), ColumnarValue::Scalar(pattern)] = args else {
        return None;
    };
    // A pattern that cannot be compiled is refused on the first row that is not NULL.
    let pattern = Pattern::new(pattern.try_as_str()??, false).ok()?;
    let is_text = matches!(texts.data_type(), DataType::Utf8 | DataType::Utf8View);
    is_text.then(|| match Distinct::of(texts)? {
        Some(Distinct { values, keys }) => {
            Ok(take(&matches(&values, &pattern)?, keys.as_ref(), None)?)
        }
        None => matches(texts, &pattern),
    })
}

/// Finds a pattern in each text of a column.
fn matches(texts: &ArrayRef, pattern: &Pattern) -> Result<ArrayRef> {
    match (texts.as_string_view_opt(), pattern.literal()) {
        (Some(texts), _) => matches_each(texts, pattern),
        (None, Some(literal)) => found(texts.as_string(), literal),
        (None, None) => matches_each(texts.as_string::<i32>(), pattern),
    }
}

/// Finds a text that is not empty in a column of texts. They stand one behind the other and are searched as one.
fn found(texts: &StringArray, literal: &Finder<'_>) -> Result<ArrayRef> {
    budget::charge(0)?;
    let at = |offset: &i32| usize::try_from(*offset).unwrap_or_default();
    let bytes = texts.value_data();
    let mut ends = texts.value_offsets().iter().map(at);
    let mut from = ends.next().unwrap_or_default();
    let stop = ends.clone().next_back().unwrap_or(from);
    let mut rows = ends.enumerate().peekable();
    let mut found = BooleanBufferBuilder::new(texts.len());
    found.append_n(texts.len(), false);
    while let Some(start) = bytes.get(from..stop).and_then(|rest| literal.find(rest)) {
        let start = from + start;
        while rows.next_if(|(_, end)| *end <= start).is_some() {}
        let Some((row, end)) = rows.peek().copied() else {
            break;
        };
        let is_inside = start + literal.needle().len() <= end;
        found.set_bit(row, is_inside);
        from = if is_inside { end } else { start + 1 };
    }
    let nulls = texts.nulls().cloned();
    Ok(Arc::new(BooleanArray::new(found.finish(), nulls)))
}

/// Texts of so many bytes are searched before it is asked whether the query is still wanted.
const SEARCHED: usize = 64 * 1024;

fn matches_each<'a>(
    texts: impl ArrayAccessor<Item = &'a str>,
    pattern: &Pattern,
) -> Result<ArrayRef> {
    let mut searched = SEARCHED;
    let mut wanted = Ok(());
    let found = BooleanBuffer::collect_bool(texts.len(), |row| {
        if texts.is_null(row) || wanted.is_err() {
            return false;
        }
        let text = texts.value(row);
        searched += text.len();
        if searched > SEARCHED {
            searched = 0;
            wanted = budget::charge(0);
        }
        pattern.is_match(text.as_bytes())
    });
    wanted?;
    Ok(Arc::new(BooleanArray::new(found, texts.nulls().cloned())))
}

/// What a pattern is matched against.
#[derive(Clone, Copy)]
struct Subject<'a> {
    bytes: &'a [u8],
    text: bool,
}

impl<'a> Subject<'a> {
    /// The value of a range that a match gave.
    fn slice(&self, start: usize, end: usize) -> Outcome<Value<'a>> {
        let bytes = self.bytes.get(start..end).unwrap_or_default();
        if !self.text {
            return Ok(Value::Bin(bytes));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Value::Str(text)),
            Err(_) => refuse("a match splits a character"),
        }
    }

    /// The byte at which the character of a number from 0 begins.
    fn offset(&self, characters: usize) -> Option<usize> {
        if !self.text {
            return (characters <= self.bytes.len()).then_some(characters);
        }
        self.bytes
            .iter()
            .enumerate()
            .filter(|(_, byte)| !is_continuation(**byte))
            .map(|(at, _)| at)
            .chain([self.bytes.len()])
            .nth(characters)
    }

    /// How many characters are in the first bytes.
    fn characters(&self, bytes: usize) -> usize {
        let before = self.bytes.get(..bytes).unwrap_or_default();
        if self.text {
            before
                .iter()
                .filter(|byte| !is_continuation(**byte))
                .count()
        } else {
            before.len()
        }
    }

    /// The byte after the character at a byte.
    fn after(&self, at: usize) -> usize {
        let rest = self.bytes.get(at + 1..).unwrap_or_default();
        let more = if self.text {
            rest.iter()
                .take_while(|byte| is_continuation(**byte))
                .count()
        } else {
            0
        };
        at + 1 + more
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Splits the arguments into what is searched, the pattern and the rest.
fn subject<'a, 'b>(
    cx: &Context,
    args: &'b [Value<'a>],
) -> Outcome<(Subject<'a>, Rc<Pattern>, &'b [Value<'a>])> {
    match args {
        [Value::Str(text), Value::Str(pattern), rest @ ..] => Ok((
            Subject {
                bytes: text.as_bytes(),
                text: true,
            },
            cx.patterns.get(pattern, |p| Pattern::new(p, false))?,
            rest,
        )),
        [Value::Bin(bytes), Value::Bin(pattern), rest @ ..] => {
            // In a pattern of bytes each byte is a character.
            let pattern: String = pattern.iter().map(|byte| char::from(*byte)).collect();
            Ok((
                Subject { bytes, text: false },
                cx.patterns.get(&pattern, |p| Pattern::new(p, true))?,
                rest,
            ))
        }
        _ => mismatch(args),
    }
}

fn at_most_one_group(pattern: &Pattern) -> Outcome<()> {
    if pattern.groups() > 1 {
        return refuse("the regular expression has more than one capturing group");
    }
    Ok(())
}

/// Where the search begins and which match counts: `[, position [, occurrence]]`.
fn position_and_occurrence(rest: &[Value<'_>]) -> Outcome<(usize, usize)> {
    let (position, occurrence) = match rest {
        [] => (1, 1),
        [Value::Int64(position)] => (*position, 1),
        [Value::Int64(position), Value::Int64(occurrence)] => (*position, *occurrence),
        _ => return mismatch(rest),
    };
    if position < 1 || occurrence < 1 {
        return refuse("position and occurrence must be positive");
    }
    let saturated = |v: i64| usize::try_from(v).unwrap_or(usize::MAX);
    Ok((saturated(position), saturated(occurrence)))
}

/// A match: where it is as a whole, and where the part that counts is.
struct Found {
    whole: (usize, usize),
    /// The capturing group, if there is one and it took part; the whole match if there is none.
    part: Option<(usize, usize)>,
}

fn find(pattern: &Pattern, bytes: &[u8], from: usize) -> Option<Found> {
    if pattern.groups() == 0 {
        let found = pattern.regex().find_at(bytes, from)?;
        let range = (found.start(), found.end());
        return Some(Found {
            whole: range,
            part: Some(range),
        });
    }
    let captures = pattern.regex().captures_at(bytes, from)?;
    let whole = captures.get(0)?;
    Some(Found {
        whole: (whole.start(), whole.end()),
        part: captures.get(1).map(|group| (group.start(), group.end())),
    })
}

/// Finds the match of a number from 1; after an empty match the search goes on a character later.
fn find_occurrence(subject: &Subject<'_>, pattern: &Pattern, occurrence: usize) -> Option<Found> {
    let mut from = 0;
    for remaining in (0..occurrence).rev() {
        if from >= subject.bytes.len() && from > 0 {
            return None;
        }
        let found = find(pattern, subject.bytes, from)?;
        if remaining == 0 {
            return Some(found);
        }
        let (start, end) = found.whole;
        from = if start == end {
            subject.after(end)
        } else {
            end
        };
    }
    None
}

/// Cuts off what is before a position; `None` when the position is past the end. Of a text the bytes are counted for
/// that, so that nothing may be left.
fn searched<'a>(subject: Subject<'a>, position: usize) -> Option<Subject<'a>> {
    if position > subject.bytes.len().max(1) {
        return None;
    }
    let skipped = subject.offset(position - 1).unwrap_or(subject.bytes.len());
    let bytes = subject.bytes.get(skipped..)?;
    Some(Subject { bytes, ..subject })
}

fn extract<'a>(cx: &Context, args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let (subject, pattern, rest) = subject(cx, args)?;
    at_most_one_group(&pattern)?;
    let (position, occurrence) = position_and_occurrence(rest)?;
    let Some(searched) = searched(subject, position) else {
        return Ok(Value::Null);
    };
    match find_occurrence(&searched, &pattern, occurrence).and_then(|found| found.part) {
        Some((start, end)) => searched.slice(start, end),
        None => Ok(Value::Null),
    }
}

fn extract_all<'a>(subject: &Subject<'a>, pattern: &Pattern) -> Outcome<Value<'a>> {
    at_most_one_group(pattern)?;
    let mut values = Vec::new();
    let mut from = 0;
    while from < subject.bytes.len() || from == 0 {
        let Some(found) = find(pattern, subject.bytes, from) else {
            break;
        };
        let (start, end) = found.whole;
        let (part_start, part_end) = found.part.unwrap_or((start, start));
        values.push(subject.slice(part_start, part_end)?);
        if values.len() > MAX_ELEMENTS {
            return beyond("too many matches");
        }
        from = if start == end {
            subject.after(end)
        } else {
            end
        };
    }
    Ok(Value::List(values))
}

fn instr<'a>(cx: &Context, args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let (subject, pattern, rest) = subject(cx, args)?;
    at_most_one_group(&pattern)?;
    let (rest, after) = match rest {
        [first, second, Value::Int64(after)] => {
            if !matches!(after, 0 | 1) {
                return refuse("the position of a match is 0 or 1");
            }
            ([first.clone(), second.clone()].to_vec(), *after == 1)
        }
        _ => (rest.to_vec(), false),
    };
    let (position, occurrence) = position_and_occurrence(&rest)?;
    if subject.bytes.is_empty() || matches!(args, [_, Value::Str("") | Value::Bin([]), ..]) {
        return Ok(Value::Int64(0));
    }
    let Some(searched) = searched(subject, position) else {
        return Ok(Value::Int64(0));
    };
    let found = find_occurrence(&searched, &pattern, occurrence).and_then(|found| found.part);
    let place = match found {
        // An empty match without a group is told by where the next search would begin.
        Some((start, end)) if start == end && pattern.groups() == 0 => {
            let next = searched.after(end).min(searched.bytes.len());
            position + searched.characters(next)
        }
        Some((start, end)) => position + searched.characters(if after { end } else { start }),
        None => 0,
    };
    Ok(Value::Int64(i64::try_from(place).unwrap_or_default()))
}

/// A piece of a replacement.
enum Piece<'a> {
    Literal(&'a [u8]),
    Group(usize),
}

fn pieces(replacement: &[u8], groups: usize) -> Outcome<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    let mut rest = replacement;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        let (before, escape) = rest.split_at(at);
        pieces.push(Piece::Literal(before));
        rest = match escape {
            [_, digit @ b'0'..=b'9', rest @ ..] => {
                let group = usize::from(digit - b'0');
                if group > groups {
                    return refuse("the replacement names a group that is not there");
                }
                pieces.push(Piece::Group(group));
                rest
            }
            [_, b'\\', rest @ ..] => {
                pieces.push(Piece::Literal(b"\\"));
                rest
            }
            _ => return refuse("a backslash in a replacement needs a digit or a backslash"),
        };
    }
    pieces.push(Piece::Literal(rest));
    Ok(pieces)
}

fn replace<'a>(cx: &Context, args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let (subject, pattern, rest) = subject(cx, args)?;
    let replacement = match rest {
        [Value::Str(text)] => text.as_bytes(),
        [Value::Bin(bytes)] => bytes,
        _ => return mismatch(args),
    };
    let pieces = pieces(replacement, pattern.groups())?;
    let mut out = Vec::new();
    let limit = MAX_VALUE_BYTES.max(subject.bytes.len());
    let grow = |out: &mut Vec<u8>, bytes: &[u8]| {
        out.extend_from_slice(bytes);
        if out.len() > limit {
            return beyond("the result of REGEXP_REPLACE is too long");
        }
        Ok(())
    };
    let between = |start: usize, end: usize| subject.bytes.get(start..end).unwrap_or_default();
    let needs_groups = pieces
        .iter()
        .any(|piece| matches!(piece, Piece::Group(group) if *group > 0));
    let mut locations = pattern.regex().capture_locations();
    let mut copied = 0;
    let mut from = 0;
    let mut last_end = None;
    while from <= subject.bytes.len() {
        let found = if needs_groups {
            pattern
                .regex()
                .captures_read_at(&mut locations, subject.bytes, from)
        } else {
            pattern.regex().find_at(subject.bytes, from)
        };
        let Some((start, end)) = found.map(|found| (found.start(), found.end())) else {
            break;
        };
        // An empty match where the match before ended is none; the search goes on a character later.
        if start == end && last_end == Some(start) {
            from = subject.after(start);
            continue;
        }
        grow(&mut out, between(copied, start))?;
        for piece in &pieces {
            let bytes = match piece {
                Piece::Literal(bytes) => bytes,
                Piece::Group(0) => between(start, end),
                Piece::Group(group) => {
                    let (start, end) = locations.get(*group).unwrap_or_default();
                    between(start, end)
                }
            };
            grow(&mut out, bytes)?;
        }
        copied = end;
        from = end;
        last_end = Some(end);
    }
    grow(&mut out, between(copied, subject.bytes.len()))?;
    if !subject.text {
        return Ok(Value::Binary(out));
    }
    match String::from_utf8(out) {
        Ok(text) => Ok(Value::Text(text)),
        Err(_) => refuse("a match splits a character"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_in_its_own_row() {
        let texts = [
            Some("abab"),
            None,
            Some(""),
            Some("xaba"),
            Some("b"),
            Some("abaabab"),
            Some("ba"),
            Some("bab"),
            Some("a"),
            Some("ä"),
            Some("bä"),
        ];
        let column = StringArray::from_iter(texts);
        for literal in ["aba", "ab", "a", "bab", "ä", "abaabab", "none", "abababab"] {
            for from in 0..texts.len() {
                for length in 0..=texts.len() - from {
                    let wanted: BooleanArray = texts[from..from + length]
                        .iter()
                        .map(|text| text.map(|text| text.contains(literal)))
                        .collect();
                    let column = column.slice(from, length);
                    let found = found(&column, &Finder::new(literal)).expect("searched");
                    assert_eq!(found.as_boolean(), &wanted, "{literal} in {column:?}");
                }
            }
        }
    }
}
