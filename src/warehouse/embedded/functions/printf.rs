//! FORMAT: printf for values. Known are `%d %i %x %X %o %f %F %e %E %g %G %s %%` and `%t` of scalars
//! other than BYTES; `%T %p %P` and grouping of floating point numbers are refused.

use std::iter::Peekable;
use std::str::Chars;

use super::adapt::Function;
use super::cast::{float64_text, general, numeric_to_float64, text_of};
use super::fault::{Outcome, mismatch, refuse};
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
            Some(letter) => known &= directive.value(letter, next()?, &mut out)?,
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
        if value.is_null() && letter != 't' {
            return Ok(false);
        }
        match (letter, value) {
            ('d' | 'i' | 'x' | 'X' | 'o', Value::Int64(v)) => self.integer(letter, *v, out),
            ('f' | 'F' | 'e' | 'E' | 'g' | 'G', Value::Float64(v)) if !self.grouped => {
                self.float(letter, *v, out);
            }
            ('f' | 'F' | 'e' | 'E' | 'g' | 'G', Value::Numeric(v)) if !self.grouped => {
                self.float(letter, numeric_to_float64(*v), out);
            }
            ('s' | 't', Value::Str(text)) => self.text(text, out),
            ('t', Value::Null) => self.text("NULL", out),
            ('t', Value::Float64(v)) => {
                let text = float64_text(*v);
                let whole = text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
                self.text(&format!("{text}{}", if whole { ".0" } else { "" }), out);
            }
            ('t', value) => match text_of(value) {
                Some(text) => self.text(&text, out),
                None => return refuse("FORMAT does not write such a value"),
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
        if value == 0 && self.precision == Some(0) {
            body.clear();
        }
        if self.grouped && matches!(letter, 'd' | 'i') {
            body = grouped(&body);
        }
        let base = if self.alternate { base } else { "" };
        let prefix = format!("{}{base}", self.sign(value < 0));
        self.padded(&prefix, &body, self.zeros && self.precision.is_none(), out);
    }

    fn float(&self, letter: char, value: f64, out: &mut String) {
        let precision = self.precision.unwrap_or(6);
        let size = value.abs();
        let body = if !value.is_finite() {
            if value.is_nan() { "nan" } else { "inf" }.to_owned()
        } else {
            match letter.to_ascii_lowercase() {
                'f' => format!("{size:.precision$}"),
                'e' => scientific(size, precision),
                _ => general(size, precision.max(1)),
            }
        };
        let body = if letter.is_ascii_uppercase() {
            body.to_uppercase()
        } else {
            body
        };
        // Zero has no sign here.
        let negative = value < 0.0;
        let zeros = self.zeros && value.is_finite();
        self.padded(self.sign(negative), &body, zeros, out);
    }
}

/// Puts a comma before every third digit from the right.
fn grouped(digits: &str) -> String {
    let count = digits.len();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (count - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Writes a number as `%e` does, with at least two digits of exponent.
fn scientific(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return text;
    };
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{digits:0>2}")
}
