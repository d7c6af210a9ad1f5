//! PARSE_DATE, PARSE_TIME, PARSE_DATETIME and PARSE_TIMESTAMP. What a text does not say is taken from
//! 1970-01-01 00:00:00; a later element overrides an earlier one.
//!
//! Source: GoogleSQL reference, "Format elements", and where it is silent the reference implementation. Elements
//! that this one leaves to its C library (`%F`, `%k`, `%u`, `%D`, `%x`, `%c`) read what the reference says.

use super::adapt::Function;
use super::calendar::{
    Civil, DAY, SECOND, Weekday, days_in_month, iso_year, micros_in_range, weekday,
};
use super::cast::{date_of, is_blank};
use super::context::Context;
use super::fault::{Outcome, beyond, mismatch, refuse};
use super::time::zone;
use super::value::{Kind, Value};
use super::zone::{MAX_OFFSET, Zone};
use crate::compiler::strftime::{Element, Format, Has, MONTHS, Token, WEEKDAYS, unknown};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("parse_timestamp", Kind::Timestamp, |cx, args| match args {
        [Value::Str(format), Value::Str(text)] => parse(cx, format, text, Has::TIMESTAMP)?
            .instant(cx, &Zone::UTC)
            .map(Value::Timestamp),
        [Value::Str(format), Value::Str(text), Value::Str(tz)] => {
            let zone = zone(cx, tz)?;
            parse(cx, format, text, Has::TIMESTAMP)?
                .instant(cx, &zone)
                .map(Value::Timestamp)
        }
        _ => mismatch(args),
    }),
    Function::new("parse_datetime", Kind::Datetime, |cx, args| match args {
        [Value::Str(format), Value::Str(text)] => parse(cx, format, text, Has::DATETIME)?
            .instant(cx, &Zone::UTC)
            .map(Value::Datetime),
        _ => mismatch(args),
    }),
    Function::new("parse_date", Kind::Date, |cx, args| match args {
        [Value::Str(format), Value::Str(text)] => {
            date_of(parse(cx, format, text, Has::DATE)?.instant(cx, &Zone::UTC)?)
        }
        _ => mismatch(args),
    }),
    Function::new("parse_time", Kind::Time, |cx, args| match args {
        [Value::Str(format), Value::Str(text)] => {
            let micros = parse(cx, format, text, Has::TIME)?.instant(cx, &Zone::UTC)?;
            Ok(Value::Time(micros.rem_euclid(DAY)))
        }
        _ => mismatch(args),
    }),
];

/// What a text said of a date or a part of it.
#[derive(Clone, Copy, Debug, Default)]
struct Said<T> {
    value: T,
    /// The number of the element that said it, from 1; 0 where none did.
    by: usize,
}

/// What a text said.
struct Parsed {
    /// The number of the element that is being read.
    element: usize,
    year: Said<i64>,
    century: Option<i64>,
    year_of_century: Option<i64>,
    month: Said<i64>,
    day: Said<i64>,
    day_of_year: Option<Said<i64>>,
    /// A week of the year, with the day on which weeks begin.
    week: Option<Said<(i64, Weekday)>>,
    iso_year: Option<i64>,
    iso_week: bool,
    weekday: bool,
    hour: i64,
    /// Whether the hour counts to twelve.
    half_days: bool,
    afternoon: bool,
    minute: i64,
    second: i64,
    fraction: i64,
    /// Seconds since the Unix epoch, which say everything.
    epoch: Option<i64>,
    /// Minutes east of UTC.
    offset: Option<i64>,
    zone: Option<String>,
}

impl Parsed {
    fn new() -> Self {
        let one = Said { value: 1, by: 0 };
        Self {
            element: 0,
            year: Said { value: 1970, by: 0 },
            century: None,
            year_of_century: None,
            month: one,
            day: one,
            day_of_year: None,
            week: None,
            iso_year: None,
            iso_week: false,
            weekday: false,
            hour: 0,
            half_days: false,
            afternoon: false,
            minute: 0,
            second: 0,
            fraction: 0,
            epoch: None,
            offset: None,
            zone: None,
        }
    }

    fn said<T>(&self, value: T) -> Said<T> {
        Said {
            value,
            by: self.element,
        }
    }

    fn year(&self) -> i64 {
        match (self.century, self.year_of_century) {
            (None, None) => self.year.value,
            (Some(century), short) => century * 100 + short.unwrap_or_default(),
            (None, Some(short)) => full_year(short),
        }
    }

    fn days(&self) -> Outcome<i64> {
        let new_year = Civil::new_year(self.year()).days();
        if let Some(Said { value: day, by }) = self.day_of_year {
            if day > 337 + days_in_month(self.year(), 2) {
                return refuse("no such day of the year");
            }
            return self.later_parts(new_year + day - 1, by);
        }
        if let Some(Said { value, by }) = self.week {
            let (week, first) = value;
            if self.weekday {
                return refuse("a weekday beside the number of a week is not supported");
            }
            // Week 1 begins on the first such weekday of the year.
            let before = (first as i64 - weekday(new_year)).rem_euclid(7);
            let start = new_year + before + (week - 1) * 7;
            let end = Civil::new_year(self.year() + 1).days();
            if start >= end || start + 6 < new_year {
                return refuse("no such week of the year");
            }
            return self.later_parts(start, by);
        }
        let is_dated = [self.year.by, self.month.by, self.day.by] != [0, 0, 0];
        if let Some(year) = self.iso_year
            && !is_dated
        {
            if self.iso_week {
                return refuse("ISO weeks are not supported");
            }
            let fourth = Civil {
                year,
                month: 1,
                day: 4,
            };
            return Ok(iso_year(fourth.days()).1);
        }
        self.later_parts(new_year, 0)
    }

    /// Returns a day with those parts that elements behind another one have said.
    fn later_parts(&self, days: i64, behind: usize) -> Outcome<i64> {
        let mut civil = Civil::of(days);
        if self.year.by > behind {
            civil.year = self.year();
        }
        if self.month.by > behind {
            civil.month = self.month.value;
        }
        if self.day.by > behind {
            civil.day = self.day.value;
        }
        match Civil::existing(civil.year, civil.month, civil.day) {
            Some(civil) => Ok(civil.days()),
            None => refuse("no such date"),
        }
    }

    fn instant(&self, cx: &Context, default: &Zone) -> Outcome<i64> {
        if let Some(seconds) = self.epoch {
            // A zone changes nothing, but has to be one.
            if let Some(name) = &self.zone {
                zone(cx, name)?;
            }
            return match seconds.checked_mul(SECOND) {
                Some(micros) => micros_in_range(micros),
                None => refuse("the time is out of range"),
            };
        }
        let hour = if self.half_days {
            self.hour % 12 + if self.afternoon { 12 } else { 0 }
        } else {
            self.hour
        };
        // A leap second is the next one, from its beginning.
        let fraction = if self.second == 60 { 0 } else { self.fraction };
        let time = (hour * 3_600 + self.minute * 60 + self.second) * SECOND + fraction;
        let clock = self.days()? * DAY + time;
        micros_in_range(match (&self.zone, self.offset) {
            (_, Some(minutes)) => clock - minutes * 60 * SECOND,
            (Some(name), None) => zone(cx, name)?.instant(clock),
            (None, None) => default.instant(clock),
        })
    }
}

fn parse(cx: &Context, format: &str, text: &str, has: Has) -> Outcome<Parsed> {
    let format = cx.formats.get(format, |text| Ok(Format::parse(text)))?;
    let mut reader = Reader {
        rest: text.trim_start_matches(is_blank),
        parsed: Parsed::new(),
    };
    let mut tokens = format.tokens.iter().peekable();
    while let Some(token) = tokens.next() {
        let read = match token {
            Token::Literal(literal) => reader.literal(literal),
            Token::LonePercent => return refuse("a format cannot end with a percent sign"),
            Token::Unknown {
                what,
                never_read: true,
            } => return refuse(what),
            Token::Unknown {
                what,
                never_read: false,
            } => return beyond(what),
            Token::Element {
                pad: Some(_),
                source,
                ..
            } => return beyond(unknown(source)),
            Token::Element {
                element, source, ..
            } if !readable(has, *element) => {
                return refuse(format!("the type has no {source}"));
            }
            Token::Element { element, .. } => {
                let alone = matches!(tokens.peek(), None | Some(Token::Literal(_)));
                reader.parsed.element += 1;
                reader.element(*element, alone)
            }
        };
        if read.is_none() {
            return refuse(format!("failed to parse: {text}"));
        }
    }
    // A text may end in NUL, as for a C library.
    let rest = reader.rest.trim_start_matches(is_blank);
    if rest.is_empty() || rest == "\0" {
        Ok(reader.parsed)
    } else {
        refuse(format!("failed to parse: {text}"))
    }
}

/// Returns whether PARSE reads an element for such a value. A quarter counts for a TIME, too: it is read and
/// changes nothing.
fn readable(has: Has, element: Element) -> bool {
    has.allows(element) || element == Element::Letter('Q')
}

/// The year of two digits, as POSIX has it.
fn full_year(short: i64) -> i64 {
    short + if short >= 69 { 1_900 } else { 2_000 }
}

/// Reads a text from the left; `None` when it is not what the format says.
struct Reader<'a> {
    rest: &'a str,
    parsed: Parsed,
}

impl Reader<'_> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches(is_blank);
    }

    fn literal(&mut self, literal: &str) -> Option<()> {
        for c in literal.chars() {
            if is_blank(c) {
                self.blanks();
            } else {
                self.rest = self.rest.strip_prefix(c)?;
            }
        }
        Some(())
    }

    /// Takes a number of at most so many digits, within bounds.
    fn number(&mut self, digits: usize, low: i64, high: i64) -> Option<i64> {
        let length = self
            .rest
            .bytes()
            .take(digits)
            .take_while(u8::is_ascii_digit)
            .count();
        let (number, rest) = self.rest.split_at_checked(length)?;
        let number: i64 = number.parse().ok()?;
        self.rest = rest;
        (low..=high).contains(&number).then_some(number)
    }

    /// Takes one of these names, in full or its first three letters, in any case.
    fn name(&mut self, names: &[&str]) -> Option<i64> {
        for (number, name) in names.iter().enumerate() {
            for candidate in [Some(*name), name.get(..3)].into_iter().flatten() {
                if let Some((head, rest)) = self.rest.split_at_checked(candidate.len())
                    && head.eq_ignore_ascii_case(candidate)
                {
                    self.rest = rest;
                    return i64::try_from(number).ok();
                }
            }
        }
        None
    }

    /// Reads what stands for several elements. Its day of the week only has to be one.
    fn letters(&mut self, letters: &str) -> Option<()> {
        let weekday = self.parsed.weekday;
        for letter in letters.chars() {
            if letter.is_ascii_alphabetic() {
                self.letter(letter, false)?;
            } else {
                self.literal(letter.encode_utf8(&mut [0; 4]))?;
            }
        }
        self.parsed.weekday = weekday;
        Some(())
    }

    fn set_year(&mut self, year: i64) {
        self.parsed.year = self.parsed.said(year);
        self.parsed.century = None;
        self.parsed.year_of_century = None;
    }

    /// Reads an element. One that stands alone, before no other element, may have a digit more.
    fn element(&mut self, element: Element, alone: bool) -> Option<()> {
        match element {
            Element::Letter(letter) => self.letter(letter, alone),
            Element::FourDigitYear => {
                let before = self.rest.len();
                let year = self.number(4, 0, 9_999)?;
                self.set_year(year);
                (before - self.rest.len() == 4).then_some(())
            }
            Element::Seconds(digits) => {
                // A value has microseconds.
                if digits.is_some_and(|digits| digits > 6) {
                    return None;
                }
                self.parsed.second = self.number(2, 0, 60)?;
                if digits == Some(0) {
                    return Some(());
                }
                let Some(rest) = self.rest.strip_prefix('.') else {
                    return Some(());
                };
                let limit = digits.unwrap_or(usize::MAX);
                let length = rest
                    .bytes()
                    .take(limit)
                    .take_while(u8::is_ascii_digit)
                    .count();
                let (fraction, rest) = rest.split_at_checked(length)?;
                if fraction.is_empty() {
                    return None;
                }
                self.rest = rest;
                let micros: String = fraction.chars().chain("000000".chars()).take(6).collect();
                self.parsed.fraction = micros.parse().ok()?;
                Some(())
            }
            Element::OffsetMinutes => self.offset(true),
        }
    }

    /// Takes `+HHMM`, or, where a colon is allowed, `+HH:MM`, `Z`, too.
    fn offset(&mut self, colon: bool) -> Option<()> {
        if colon && let Some(rest) = self.rest.strip_prefix(['Z', 'z']) {
            self.rest = rest;
            self.parsed.offset = Some(0);
            return Some(());
        }
        let (sign, rest) = match self.rest.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, self.rest.strip_prefix('+')?),
        };
        let (hours, rest) = rest.split_at_checked(2)?;
        let rest = if colon {
            rest.strip_prefix(':').unwrap_or(rest)
        } else {
            rest
        };
        let number = |text: &str, high: i64| -> Option<i64> {
            let digits = text.bytes().all(|b| b.is_ascii_digit());
            let number = if digits { text.parse().ok() } else { None };
            number.filter(|number| *number <= high)
        };
        let hours = number(hours, 23)?;
        let (minutes, rest) = match rest.split_at_checked(2) {
            Some((minutes, after)) if minutes.bytes().all(|b| b.is_ascii_digit()) => {
                (number(minutes, 59)?, after)
            }
            _ => (0, rest),
        };
        self.rest = rest;
        self.parsed.offset = Some(sign * (hours * 60 + minutes));
        (hours * 60 + minutes <= MAX_OFFSET).then_some(())
    }

    fn letter(&mut self, letter: char, alone: bool) -> Option<()> {
        match letter {
            'A' | 'a' => {
                self.name(&WEEKDAYS)?;
                self.parsed.weekday = true;
            }
            'B' | 'b' | 'h' => {
                let month = self.name(&MONTHS)? + 1;
                self.parsed.month = self.parsed.said(month);
            }
            'C' => {
                self.parsed.century = Some(self.number(2 + usize::from(alone), 0, 100)?);
                self.parsed.year.by = self.parsed.element;
            }
            'c' => return self.letters("a b e H:M:S Y"),
            'D' | 'x' => {
                self.letters("m/d/y")?;
                let short = self.parsed.year_of_century?;
                self.set_year(full_year(short));
            }
            'd' | 'e' => {
                let day = self.number(2, 1, 31)?;
                self.parsed.day = self.parsed.said(day);
            }
            'F' => return self.letters("Y-m-d"),
            'G' => self.parsed.iso_year = Some(self.number(usize::MAX, 0, 9_999)?),
            'g' => self.parsed.iso_year = Some(full_year(self.number(2, 0, 99)?)),
            'H' | 'k' => {
                if letter == 'k' {
                    self.blanks();
                }
                self.parsed.hour = self.number(2, 0, 23)?;
                self.parsed.half_days = false;
            }
            'I' | 'l' => {
                self.blanks();
                self.parsed.hour = self.number(2, 1, 12)?;
                self.parsed.half_days = true;
            }
            'j' => {
                let day = self.number(3, 1, 366)?;
                self.parsed.day_of_year = Some(self.parsed.said(day));
            }
            'M' => self.parsed.minute = self.number(2, 0, 59)?,
            'm' => {
                let month = self.number(2, 1, 12)?;
                self.parsed.month = self.parsed.said(month);
            }
            'n' | 't' => self.blanks(),
            'P' | 'p' => {
                let (half, rest) = self.rest.split_at_checked(2)?;
                self.parsed.afternoon = half.eq_ignore_ascii_case("pm");
                if !self.parsed.afternoon && !half.eq_ignore_ascii_case("am") {
                    return None;
                }
                self.rest = rest;
            }
            'Q' => {
                let month = self.number(1, 1, 4)? * 3 - 2;
                self.parsed.month = self.parsed.said(month);
                self.parsed.day = self.parsed.said(1);
            }
            'R' => return self.letters("H:M"),
            'r' => return self.letters("I:M:S p"),
            'S' => self.parsed.second = self.number(2, 0, 60)?,
            's' => {
                let negative = self.rest.starts_with('-');
                self.rest = self.rest.strip_prefix('-').unwrap_or(self.rest);
                let seconds = self.number(18, 0, i64::MAX)?;
                self.parsed.epoch = Some(if negative { -seconds } else { seconds });
            }
            'T' | 'X' => return self.letters("H:M:S"),
            'U' | 'W' => {
                let week = self.number(2, 0, 53)?;
                let first = if letter == 'U' {
                    Weekday::Sunday
                } else {
                    Weekday::Monday
                };
                self.parsed.week = Some(self.parsed.said((week, first)));
            }
            'u' | 'w' => {
                let least = i64::from(letter == 'u');
                self.number(1, least, least + 6)?;
                self.parsed.weekday = true;
            }
            'V' => {
                self.number(2, 1, 53)?;
                self.parsed.iso_week = true;
            }
            'Y' => {
                let year = self.number(4 + usize::from(alone), 0, 10_000)?;
                self.set_year(year);
            }
            'y' => {
                self.parsed.year_of_century = Some(self.number(2, 0, 99)?);
                self.parsed.year.by = self.parsed.element;
            }
            'Z' => {
                let end = self
                    .rest
                    .find(char::is_whitespace)
                    .unwrap_or(self.rest.len());
                let (name, rest) = self.rest.split_at_checked(end)?;
                self.parsed.zone = Some(name.to_owned());
                self.parsed.offset = None;
                self.rest = rest;
            }
            'z' => return self.offset(false),
            '%' => self.rest = self.rest.strip_prefix('%')?,
            _ => return None,
        }
        Some(())
    }
}
