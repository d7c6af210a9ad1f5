//! Dates and instants as callers write them in parameters.
//!
//! Accepts more than RFC 3339, because the callers of a log service are dashboards, shells and people:
//! no zone (UTC), a space for the `T`, a date alone, no seconds, and an offset whose `+` a URL turned
//! into a space. A text that could mean two instants is not accepted.

use jiff::civil::{Date, DateTime, Time};

const MICROS_PER_SECOND: i64 = 1_000_000;

/// 0001-01-01 00:00:00 and 9999-12-31 23:59:59.999999 in UTC.
///
/// Source: GoogleSQL reference, "Data types", range of TIMESTAMP.
const FIRST: i64 = -62_135_596_800_000_000;
const LAST: i64 = 253_402_300_799_999_999;

/// Returns microseconds since the Unix epoch, or `None` when the text is no instant in the years 1 to
/// 9999 of UTC. Digits of a fraction beyond the sixth are cut off.
pub(super) fn timestamp(text: &str) -> Option<i64> {
    let mut cursor = Cursor(text.as_bytes());
    let date = read_date(&mut cursor)?;
    let (time, offset_seconds) = if cursor.is_at_end() {
        (Time::midnight(), 0)
    } else {
        if !(cursor.eat(b'T') || cursor.eat(b't') || cursor.eat(b' ')) {
            return None;
        }
        (read_time(&mut cursor)?, read_zone(&mut cursor)?)
    };
    let local = date.to_datetime(time).duration_since(epoch());
    let micros = i64::try_from(local.as_micros()).ok()? - offset_seconds * MICROS_PER_SECOND;
    (FIRST..=LAST).contains(&micros).then_some(micros)
}

/// Returns days since 1970-01-01, or `None` when the text is no `YYYY-MM-DD` in the years 1 to 9999.
pub(super) fn date(text: &str) -> Option<i32> {
    let mut cursor = Cursor(text.as_bytes());
    let date = read_date(&mut cursor)?;
    if !cursor.is_at_end() {
        return None;
    }
    i32::try_from(date.duration_since(epoch().date()).as_hours() / 24).ok()
}

fn epoch() -> DateTime {
    DateTime::constant(1970, 1, 1, 0, 0, 0, 0)
}

fn read_date(cursor: &mut Cursor<'_>) -> Option<Date> {
    let year = cursor.number(4)?;
    let month = cursor.after(b'-', 2)?;
    let day = cursor.after(b'-', 2)?;
    if year == 0 {
        return None;
    }
    Date::new(narrow(year)?, narrow(month)?, narrow(day)?).ok()
}

fn read_time(cursor: &mut Cursor<'_>) -> Option<Time> {
    let hour = cursor.number(2)?;
    let minute = cursor.after(b':', 2)?;
    let mut second = 0;
    let mut micros = 0;
    if cursor.eat(b':') {
        second = cursor.number(2)?;
        if cursor.eat(b'.') {
            micros = cursor.fraction()?;
        }
    }
    let nanos = i32::try_from(micros * 1_000).ok()?;
    Time::new(narrow(hour)?, narrow(minute)?, narrow(second)?, nanos).ok()
}

/// Reads the rest of the text as a zone and returns its offset from UTC in seconds.
fn read_zone(cursor: &mut Cursor<'_>) -> Option<i64> {
    if cursor.is_at_end() {
        return Some(0);
    }
    let spaced = cursor.eat(b' ');
    if cursor.is_rest(b"Z") || cursor.is_rest(b"UTC") {
        return Some(0);
    }
    let sign = if cursor.eat(b'-') {
        -1
    } else if cursor.eat(b'+') || spaced {
        1
    } else {
        return None;
    };
    let hours = cursor.number(2)?;
    let minutes = if cursor.is_at_end() {
        0
    } else {
        let _ = cursor.eat(b':');
        cursor.number(2)?
    };
    (cursor.is_at_end() && hours < 24 && minutes < 60)
        .then_some(sign * (hours * 3_600 + minutes * 60))
}

fn narrow<T: TryFrom<i64>>(number: i64) -> Option<T> {
    T::try_from(number).ok()
}

/// The bytes that are still to be read.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    fn is_rest(&self, word: &[u8]) -> bool {
        self.0.eq_ignore_ascii_case(word)
    }

    fn eat(&mut self, byte: u8) -> bool {
        match self.0.split_first() {
            Some((first, rest)) if *first == byte => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    fn digit(&mut self) -> Option<i64> {
        let (first, rest) = self.0.split_first()?;
        let digit = first.is_ascii_digit().then(|| i64::from(first - b'0'))?;
        self.0 = rest;
        Some(digit)
    }

    /// Reads exactly this many digits.
    fn number(&mut self, digits: usize) -> Option<i64> {
        (0..digits).try_fold(0, |number, _| Some(number * 10 + self.digit()?))
    }

    fn after(&mut self, separator: u8, digits: usize) -> Option<i64> {
        self.eat(separator).then_some(())?;
        self.number(digits)
    }

    /// Reads one to nine digits of a fraction and returns microseconds.
    fn fraction(&mut self) -> Option<i64> {
        let mut micros = 0;
        let mut unit = MICROS_PER_SECOND / 10;
        for read in 0..=9 {
            match self.digit() {
                Some(_) if read == 9 => return None,
                Some(digit) => {
                    micros += digit * unit;
                    unit /= 10;
                }
                None if read == 0 => return None,
                None => break,
            }
        }
        Some(micros)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_read_in_every_accepted_form() {
        // 2026-03-01T00:00:00Z
        const MARCH: i64 = 1_772_323_200_000_000;
        for (text, expected) in [
            ("2026-03-01T00:00:00Z", Some(MARCH)),
            ("2026-03-01t00:00:00z", Some(MARCH)),
            ("2026-03-01 00:00:00", Some(MARCH)),
            ("2026-03-01 00:00:00 UTC", Some(MARCH)),
            ("2026-03-01T00:00", Some(MARCH)),
            ("2026-03-01", Some(MARCH)),
            ("2026-03-01T02:00:00+02:00", Some(MARCH)),
            ("2026-03-01T02:00:00 02:00", Some(MARCH)),
            ("2026-03-01 02:00:00+02", Some(MARCH)),
            ("2026-03-01T02:00:00+0200", Some(MARCH)),
            ("2026-02-28T16:00:00-08:00", Some(MARCH)),
            ("2026-03-01T00:00:00.5Z", Some(MARCH + 500_000)),
            ("2026-03-01T00:00:00.000001Z", Some(MARCH + 1)),
            ("2026-03-01T00:00:00.123456789Z", Some(MARCH + 123_456)),
            ("1970-01-01T00:00:00Z", Some(0)),
            ("1969-12-31T23:59:59.999999Z", Some(-1)),
            ("0001-01-01T00:00:00Z", Some(-62_135_596_800_000_000)),
            ("9999-12-31T23:59:59.999999Z", Some(253_402_300_799_999_999)),
            ("9999-12-31T23:59:59-00:01", None),
            ("0001-01-01T00:00:00+00:01", None),
            ("0000-01-01T00:00:00Z", None),
            ("10000-01-01T00:00:00Z", None),
            ("2026-02-29T00:00:00Z", None),
            ("2026-03-01T24:00:00Z", None),
            ("2026-03-01T00:60:00Z", None),
            ("2026-03-01T00:00:60Z", None),
            ("2026-03-01T00:00:00.Z", None),
            ("2026-03-01T00:00:00.1234567890Z", None),
            ("2026-03-01T00:00:00+24:00", None),
            ("2026-03-01T", None),
            ("2026-03-01X00:00:00", None),
            ("2026-3-1", None),
            ("2026-03-01T00:00:00Z ", None),
            (" 2026-03-01", None),
            ("1772323200000000", None),
            ("yesterday", None),
            ("２０２６-03-01", None),
            ("", None),
        ] {
            assert_eq!(timestamp(text), expected, "{text}");
        }
    }

    #[test]
    fn dates_are_read() {
        for (text, expected) in [
            ("1970-01-01", Some(0)),
            ("1969-12-31", Some(-1)),
            ("2026-03-01", Some(20_513)),
            ("0001-01-01", Some(-719_162)),
            ("9999-12-31", Some(2_932_896)),
            ("2026-03-01T00:00:00Z", None),
            ("2026-13-01", None),
            ("", None),
        ] {
            assert_eq!(date(text), expected, "{text}");
        }
    }
}
