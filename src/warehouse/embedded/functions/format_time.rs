//! FORMAT_DATE, FORMAT_TIME, FORMAT_DATETIME and FORMAT_TIMESTAMP. An element that a type does not
//! have is written as it stands.

use std::fmt::Write;

use super::adapt::Function;
use super::calendar::{Civil, DAY, SECOND, Weekday, iso_year, week_of_year, weekday};
use super::context::Context;
use super::fault::{Fault, Outcome, beyond, mismatch};
use super::string::check_length;
use super::time::zone;
use super::value::{Kind, Value};
use crate::compiler::strftime::{Element, Format, Has, MONTHS, Pad, Token, WEEKDAYS};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("format_timestamp", Kind::String, format_value),
    Function::new("format_datetime", Kind::String, format_value),
    Function::new("format_date", Kind::String, format_value),
    Function::new("format_time", Kind::String, format_value),
];

/// Which elements a format has depends on the value, not on the function's name.
fn format_value<'a>(cx: &Context, args: &[Value<'a>]) -> Outcome<Value<'a>> {
    match args {
        [Value::Str(format), Value::Timestamp(micros)] => {
            write(cx, format, Has::TIMESTAMP, *micros, 0)
        }
        [Value::Str(format), Value::Timestamp(micros), Value::Str(tz)] => {
            let offset = zone(cx, tz)?.shown_offset_at(*micros);
            write(cx, format, Has::TIMESTAMP, *micros, offset)
        }
        [Value::Str(format), Value::Datetime(micros)] => {
            write(cx, format, Has::DATETIME, *micros, 0)
        }
        [Value::Str(format), Value::Date(days)] => {
            write(cx, format, Has::DATE, i64::from(*days) * DAY, 0)
        }
        [Value::Str(format), Value::Time(micros)] => write(cx, format, Has::TIME, *micros, 0),
        _ => mismatch(args),
    }
}

fn write<'a>(
    cx: &Context,
    format: &str,
    has: Has,
    instant: i64,
    offset: i64,
) -> Outcome<Value<'a>> {
    let format = cx.formats.get(format, |text| {
        Format::for_writing(text, has).map_err(Fault::Beyond)
    })?;
    let clock = Clock::new(instant, offset);
    let mut out = String::new();
    for token in &format.tokens {
        match token {
            Token::Literal(text) => out.push_str(text),
            Token::LonePercent => out.push('%'),
            Token::Unknown { what, .. } => return beyond(what),
            Token::Element {
                element, source, ..
            } if !has.allows(*element) => out.push_str(source),
            Token::Element {
                element,
                pad: None,
                source: _,
            } => clock.element(*element, &mut out),
            Token::Element {
                element,
                pad: Some(pad),
                source: _,
            } => clock.padded(*element, *pad, &mut out),
        }
        check_length(Some(out.len()))?;
    }
    Ok(Value::Text(out))
}

/// A wall clock taken apart.
struct Clock {
    instant: i64,
    offset: i64,
    days: i64,
    civil: Civil,
    hour: i64,
    minute: i64,
    second: i64,
    fraction: i64,
}

impl Clock {
    fn new(instant: i64, offset: i64) -> Self {
        let wall_clock = instant + offset;
        let (days, time) = (wall_clock.div_euclid(DAY), wall_clock.rem_euclid(DAY));
        let seconds = time / SECOND;
        Self {
            instant,
            offset,
            days,
            civil: Civil::of(days),
            hour: seconds / 3_600,
            minute: seconds / 60 % 60,
            second: seconds % 60,
            fraction: time % SECOND,
        }
    }

    fn element(&self, element: Element, out: &mut String) {
        // Writing to a string does not fail.
        let _ = match element {
            Element::Letter(letter) => return self.letter(letter, out),
            Element::FourDigitYear => write!(out, "{:04}", self.civil.year),
            Element::Seconds(digits) => {
                let _ = write!(out, "{:02}", self.second);
                let fraction = format!("{:06}000", self.fraction);
                let shown = match digits {
                    Some(digits) => fraction.get(..digits).unwrap_or(&fraction),
                    None => fraction.trim_end_matches('0'),
                };
                if shown.is_empty() {
                    Ok(())
                } else {
                    write!(out, ".{shown}")
                }
            }
            Element::OffsetMinutes => self.offset(":", out),
        };
    }

    /// Writes a number that is padded in another way than its element says, to the same length.
    fn padded(&self, element: Element, pad: Pad, out: &mut String) {
        let mut number = String::new();
        self.element(element, &mut number);
        let width = number.len();
        let digits = match number.trim_start_matches([' ', '0']) {
            "" => "0",
            digits => digits,
        };
        // Writing to a string does not fail.
        let _ = match pad {
            Pad::Nothing => write!(out, "{digits}"),
            Pad::Blanks => write!(out, "{digits:>width$}"),
            Pad::Zeros => write!(out, "{digits:0>width$}"),
        };
    }

    fn offset(&self, separator: &str, out: &mut String) -> std::fmt::Result {
        let sign = if self.offset < 0 { '-' } else { '+' };
        let minutes = self.offset.abs() / (60 * SECOND);
        write!(
            out,
            "{sign}{:02}{separator}{:02}",
            minutes / 60,
            minutes % 60
        )
    }

    fn letters(&self, letters: &str, out: &mut String) {
        for letter in letters.chars() {
            if letter.is_ascii_alphabetic() {
                self.letter(letter, out);
            } else {
                out.push(letter);
            }
        }
    }

    fn letter(&self, letter: char, out: &mut String) {
        let Civil { year, month, day } = self.civil;
        let named = |names: &'static [&'static str], number: i64| {
            usize::try_from(number)
                .ok()
                .and_then(|number| names.get(number).copied())
                .unwrap_or_default()
        };
        let short = |name: &'static str| name.get(..3).unwrap_or(name);
        let hour_of_twelve = (self.hour + 11) % 12 + 1;
        let _ = match letter {
            'A' => out.write_str(named(&WEEKDAYS, weekday(self.days))),
            'a' => out.write_str(short(named(&WEEKDAYS, weekday(self.days)))),
            'B' => out.write_str(named(&MONTHS, month - 1)),
            'b' | 'h' => out.write_str(short(named(&MONTHS, month - 1))),
            'C' => write!(out, "{:02}", year / 100),
            'c' => {
                self.letters("a b e T ", out);
                write!(out, "{year:04}")
            }
            'D' | 'x' => return self.letters("m/d/y", out),
            'd' => write!(out, "{day:02}"),
            'e' => write!(out, "{day:>2}"),
            'F' => write!(out, "{year:04}-{month:02}-{day:02}"),
            'G' => write!(out, "{:04}", iso_year(self.days).0),
            'g' => write!(out, "{:02}", iso_year(self.days).0 % 100),
            'H' => write!(out, "{:02}", self.hour),
            'I' => write!(out, "{hour_of_twelve:02}"),
            'j' => write!(out, "{:03}", self.days - Civil::new_year(year).days() + 1),
            'k' => write!(out, "{:>2}", self.hour),
            'l' => write!(out, "{hour_of_twelve:>2}"),
            'M' => write!(out, "{:02}", self.minute),
            'm' => write!(out, "{month:02}"),
            'n' => out.write_char('\n'),
            'P' => out.write_str(if self.hour < 12 { "am" } else { "pm" }),
            'p' => out.write_str(if self.hour < 12 { "AM" } else { "PM" }),
            'Q' => write!(out, "{}", (month - 1) / 3 + 1),
            'R' => return self.letters("H:M", out),
            'r' => return self.letters("I:M:S p", out),
            'S' => write!(out, "{:02}", self.second),
            's' => write!(out, "{}", self.instant.div_euclid(SECOND)),
            'T' | 'X' => return self.letters("H:M:S", out),
            't' => out.write_char('\t'),
            'U' => write!(out, "{:02}", week_of_year(self.days, Weekday::Sunday)),
            'u' => write!(out, "{}", (weekday(self.days) + 6) % 7 + 1),
            'V' => write!(out, "{:02}", (self.days - iso_year(self.days).1) / 7 + 1),
            'W' => write!(out, "{:02}", week_of_year(self.days, Weekday::Monday)),
            'w' => write!(out, "{}", weekday(self.days)),
            'Y' => write!(out, "{year}"),
            'y' => write!(out, "{:02}", year % 100),
            'Z' => {
                out.push_str("UTC");
                let minutes = self.offset.abs() / (60 * SECOND);
                let sign = if self.offset < 0 { '-' } else { '+' };
                match (minutes / 60, minutes % 60) {
                    (0, 0) => Ok(()),
                    (hours, 0) => write!(out, "{sign}{hours}"),
                    (hours, minutes) => write!(out, "{sign}{hours:02}{minutes:02}"),
                }
            }
            'z' => self.offset("", out),
            '%' => out.write_char('%'),
            _ => Ok(()),
        };
    }
}
