//! FORMAT: printf for values.
//!
//! Source: GoogleSQL reference, "FORMAT function".

use std::iter::Peekable;
use std::str::Chars;

use super::adapt::Function;
use super::decimal;
use super::fault::{Outcome, mismatch, refuse};
use super::json::{DOCUMENT, indented, normalized};
use super::literal::{Form, write_value};
use super::string::check_length;
use super::value::{Kind, Value};

pub(super) const FUNCTIONS: &[Function] =
    &[Function::new("format", Kind::String, |_, args| match args {
        [Value::Null, ..] => Ok(Value::Null),
        [Value::Str(format), values @ ..] => Ok(match write(format, values)? {
            Some(text) => Value::Text(text),
            None => Value::Null,
        }),
        _ => mismatch(args),
    })
    .keeping_nulls()];

/// The most digits behind the point of a FLOAT64; all beyond some 1100 are zeros anyway.
const MAX_FLOAT_DIGITS: usize = 10_000;

/// How a value is written.
#[derive(Default)]
struct Directive {
    left: bool,
    plus: bool,
    blank: bool,
    alternate: bool,
    zeros: bool,
    grouped: bool,
    width: usize,
    precision: Option<usize>,
}

/// Writes the values into the format; `None` when one of them is NULL and its directive has no text
/// for that.
fn write(format: &str, values: &[Value<'_>]) -> Outcome<Option<String>> {
    let mut values = values.iter();
    let mut next = || match values.next() {
        Some(value) => Ok(value),
        None => refuse("FORMAT has too few values"),
    };
    let mut out = String::new();
    let mut known = true;
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut directive = Directive::default();
        while let Some(flag) = chars.next_if(|c| "-+ #0'".contains(*c)) {
            match flag {
                '-' => directive.left = true,
                '+' => directive.plus = true,
                ' ' => directive.blank = true,
                '#' => directive.alternate = true,
                '0' => directive.zeros = true,
                _ => directive.grouped = true,
            }
        }
        let mut argument = || match next()? {
            Value::Int64(value) => Ok(*value),
            Value::Null => {
                known = false;
                Ok(0)
            }
            _ => refuse("a width or precision must be INT64"),
        };
        let width = number(&mut chars, &mut argument)?.unwrap_or_default();
        directive.left |= width < 0;
        directive.width = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
        if chars.next_if_eq(&'.').is_some() {
            let precision = number(&mut chars, &mut argument)?.unwrap_or_default();
            directive.precision = usize::try_from(precision).ok();
        }
        check_length(Some(directive.width))?;
        check_length(Some(directive.precision.unwrap_or_default()))?;
        let letter = chars.next();
        let is_float = letter.is_some_and(|c| "fFeEgG".contains(c));
        if is_float && directive.precision > Some(MAX_FLOAT_DIGITS) {
            return refuse("FORMAT writes no more digits than that");
        }
        match letter {
            Some('%') => out.push('%'),
            Some(letter) => {
                let written = directive.value(letter, next()?, &mut out)?;
                known &= written;
            }
            None => return refuse("a format cannot end with a percent sign"),
        }
        check_length(Some(out.len()))?;
    }
    if values.next().is_some() {
        return refuse("FORMAT has too many values");
    }
    Ok(known.then_some(out))
}

/// Takes a number off the front of a format, or an asterisk, which stands for the next value.
fn number(
    chars: &mut Peekable<Chars<'_>>,
    argument: &mut dyn FnMut() -> Outcome<i64>,
) -> Outcome<Option<i64>> {
    if chars.next_if_eq(&'*').is_some() {
        return argument().map(Some);
    }
    let mut digits = String::new();
    while let Some(digit) = chars.next_if(char::is_ascii_digit) {
        digits.push(digit);
    }
    Ok((!digits.is_empty()).then(|| digits.parse().unwrap_or(i64::MAX)))
}

impl Directive {
    /// Writes a value; `false` when it is NULL and has no text.
    fn value(&self, letter: char, value: &Value<'_>, out: &mut String) -> Outcome<bool> {
        let value = match value {
            Value::Struct(fields) if matches!(fields.as_slice(), [(DOCUMENT, Value::Null)]) => {
                &Value::Null
            }
            value => value,
        };
        if value.is_null() && !matches!(letter, 't' | 'T') {
            return Ok(false);
        }
        match (letter, value) {
            ('d' | 'i' | 'x' | 'X' | 'o', Value::Int64(v)) => self.integer(letter, *v, out),
            ('f' | 'F' | 'e' | 'E' | 'g' | 'G', Value::Float64(v)) => {
                let digits = v.is_finite().then(|| Digits::of_float(v.abs()));
                let text = match digits {
                    Some(digits) => self.number(letter, &digits),
                    None if v.is_nan() => "nan".to_owned(),
                    None => "inf".to_owned(),
                };
                self.signed(letter, &text, *v < 0.0, v.is_finite(), out);
            }
            ('f' | 'F' | 'e' | 'E' | 'g' | 'G', Value::Numeric(v)) => {
                let text = self.number(letter, &Digits::of_numeric(*v));
                self.signed(letter, &text, *v < 0, true, out);
            }
            // As in C, the text ends at the first NUL.
            ('s', Value::Str(text)) => self.text(text.split('\0').next().unwrap_or_default(), out),
            ('t' | 'T', value) => {
                let form = if letter == 't' {
                    Form::Plain
                } else {
                    Form::Literal
                };
                let mut text = String::new();
                write_value(value, form, &mut text)?;
                self.text(&text, out);
            }
            ('p' | 'P', Value::Struct(fields)) => match fields.as_slice() {
                [(DOCUMENT, Value::Str(document))] => {
                    let text = normalized(document, true)?;
                    let text = if letter == 'p' { text } else { indented(&text) };
                    self.text(&text, out);
                }
                _ => return refuse("%p is for JSON"),
            },
            _ => return refuse(format!("FORMAT has no %{letter} for {}", value.type_name())),
        }
        Ok(true)
    }

    fn text(&self, text: &str, out: &mut String) {
        let text: String = match self.precision {
            Some(precision) => text.chars().take(precision).collect(),
            None => text.to_owned(),
        };
        self.padded("", &text, false, out);
    }

    /// Writes a sign or prefix and the rest, padded to the width.
    fn padded(&self, prefix: &str, body: &str, zeros: bool, out: &mut String) {
        let length = prefix.chars().count() + body.chars().count();
        let missing = self.width.saturating_sub(length);
        if !self.left && !zeros {
            out.extend(std::iter::repeat_n(' ', missing));
        }
        out.push_str(prefix);
        if !self.left && zeros {
            out.extend(std::iter::repeat_n('0', missing));
        }
        out.push_str(body);
        if self.left {
            out.extend(std::iter::repeat_n(' ', missing));
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.blank) {
            (true, _, _) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        }
    }

    fn integer(&self, letter: char, value: i64, out: &mut String) {
        let size = value.unsigned_abs();
        let (base, digits) = match letter {
            'x' => ("0x", format!("{size:x}")),
            'X' => ("0X", format!("{size:X}")),
            'o' => ("0", format!("{size:o}")),
            _ => ("", size.to_string()),
        };
        let missing = self.precision.unwrap_or(1).saturating_sub(digits.len());
        let mut body = "0".repeat(missing) + &digits;
        let is_plain = base.is_empty() && !self.grouped;
        if value == 0 && self.precision == Some(0) && is_plain {
            body.clear();
        }
        if self.grouped {
            body = match letter {
                'x' | 'X' => grouped(&body, 4, ':'),
                'o' => grouped(&body, 4, ','),
                _ => grouped(&body, 3, ','),
            };
        }
        let shown = if self.alternate { base } else { "" };
        let prefix = format!("{}{shown}", self.sign(value < 0));
        // In C zeros do not go with a precision.
        let zeros = self.zeros && !(is_plain && self.precision.is_some());
        self.padded(&prefix, &body, zeros, out);
    }

    /// Writes a number without its sign; zero has none here.
    fn signed(&self, letter: char, body: &str, negative: bool, finite: bool, out: &mut String) {
        let body = if letter.is_ascii_uppercase() {
            body.to_uppercase()
        } else {
            body.to_owned()
        };
        self.padded(self.sign(negative), &body, self.zeros && finite, out);
    }

    /// Writes a number that is not negative as C's printf does.
    fn number(&self, letter: char, digits: &Digits) -> String {
        let precision = self.precision.unwrap_or(6);
        let text = match letter.to_ascii_lowercase() {
            'f' => digits.fixed(precision),
            'e' => digits.scientific(precision),
            _ => {
                let text = digits.general(precision.max(1));
                if self.alternate {
                    text
                } else {
                    without_zeros(&text)
                }
            }
        };
        let text = match text.split_once('.') {
            Some((whole, fraction)) if self.grouped => {
                format!("{}.{fraction}", grouped(whole, 3, ','))
            }
            None if self.grouped && !text.contains('e') => grouped(&text, 3, ','),
            _ => text,
        };
        if self.alternate && !text.contains('.') {
            let (mantissa, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
            return format!("{mantissa}.{exponent}");
        }
        text
    }
}

/// The exact decimal digits of a number that is not negative.
struct Digits {
    /// Without leading zeros; empty for zero.
    digits: String,
    /// How many of them stand before the point; negative for zeros behind it.
    point: i64,
    /// Whether a half is rounded to the even digit, not away from zero.
    half_to_even: bool,
}

impl Digits {
    fn new(digits: &str, scale: usize, half_to_even: bool) -> Self {
        let significant = digits.trim_start_matches('0');
        let length = i64::try_from(significant.len()).unwrap_or(i64::MAX);
        Self {
            digits: significant.to_owned(),
            point: length - i64::try_from(scale).unwrap_or(i64::MAX),
            half_to_even,
        }
    }

    fn of_float(value: f64) -> Self {
        // No FLOAT64 has more digits behind the point.
        let text = format!("{value:.1074}");
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        Self::new(&digits, 1074, true)
    }

    fn of_numeric(value: i128) -> Self {
        Self::new(&value.unsigned_abs().to_string(), decimal::DIGITS, false)
    }

    /// Returns the digits rounded to so many behind the point, and where the point then is.
    fn rounded(&self, behind: i64) -> (String, i64) {
        let kept = self.point.saturating_add(behind);
        let Ok(kept) = usize::try_from(kept) else {
            return (String::new(), self.point);
        };
        let (head, tail) = self
            .digits
            .split_at_checked(kept)
            .unwrap_or((&self.digits, ""));
        let odd = head.bytes().last().is_some_and(|digit| digit % 2 == 1);
        let up = match tail.bytes().next() {
            Some(b'5') if self.half_to_even => {
                odd || tail.bytes().skip(1).any(|digit| digit != b'0')
            }
            Some(digit) => digit >= b'5',
            None => false,
        };
        let mut digits: Vec<u8> = head.bytes().collect();
        digits.resize(kept, b'0');
        if !up {
            return (String::from_utf8(digits).unwrap_or_default(), self.point);
        }
        let before = digits.len();
        decimal::increment(&mut digits);
        let more = i64::from(digits.len() > before);
        (
            String::from_utf8(digits).unwrap_or_default(),
            self.point + more,
        )
    }

    fn fixed(&self, precision: usize) -> String {
        let behind = i64::try_from(precision).unwrap_or(i64::MAX);
        let (digits, _) = self.rounded(behind);
        let padded = format!("{digits:0>width$}", width = precision + 1);
        let (whole, fraction) = padded
            .split_at_checked(padded.len() - precision)
            .unwrap_or((&padded, ""));
        if fraction.is_empty() {
            whole.to_owned()
        } else {
            format!("{whole}.{fraction}")
        }
    }

    /// Rounds to so many digits and returns them with the exponent of the first one.
    fn significant(&self, count: usize) -> (String, i64) {
        if self.digits.is_empty() {
            return ("0".repeat(count), 0);
        }
        let behind = i64::try_from(count).unwrap_or(i64::MAX) - self.point;
        let (mut digits, point) = self.rounded(behind);
        digits.truncate(count);
        (digits, point - 1)
    }

    fn scientific(&self, precision: usize) -> String {
        let (digits, exponent) = self.significant(precision + 1);
        let (first, rest) = digits.split_at_checked(1).unwrap_or((&digits, ""));
        let point = if rest.is_empty() { "" } else { "." };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{first}{point}{rest}e{sign}{:02}", exponent.abs())
    }

    fn general(&self, precision: usize) -> String {
        let (_, exponent) = self.significant(precision);
        let limit = i64::try_from(precision).unwrap_or(i64::MAX);
        if (-4..limit).contains(&exponent) {
            let behind = usize::try_from(limit - 1 - exponent).unwrap_or_default();
            self.fixed(behind)
        } else {
            self.scientific(precision - 1)
        }
    }
}

/// Removes the zeros at the end of a fraction.
fn without_zeros(text: &str) -> String {
    let (mantissa, exponent) = match text.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    match exponent {
        Some(exponent) => format!("{mantissa}e{exponent}"),
        None => mantissa.to_owned(),
    }
}

/// Puts a mark before every so many digits from the right.
fn grouped(digits: &str, size: usize, mark: char) -> String {
    let count = digits.len();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (count - at).is_multiple_of(size) {
            out.push(mark);
        }
        out.push(digit);
    }
    out
}
