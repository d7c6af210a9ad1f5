//! Text to DATE, DATETIME, TIME and TIMESTAMP values, in the forms that GoogleSQL accepts.
//!
//! Source: GoogleSQL reference, "Canonical format" of each type, and "Date and time literals". Time
//! zones come from the database that is built into the program, so the result depends on nothing else.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};

/// The first and the last representable point in time, microseconds since the Unix epoch.
const TIMESTAMP_RANGE: std::ops::RangeInclusive<i64> =
    -62_135_596_800_000_000..=253_402_300_799_999_999;

/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// Reads a DATE: `2026-01-31`, days since 1970-01-01.
#[must_use]
pub fn parse_date(text: &str) -> Option<i32> {
    let mut scan = Scan::new(text);
    let date = scan.date()?;
    scan.end().then(|| days(date))?
}

/// Reads a DATETIME: `2026-01-31[( |T)12:34:56[.123456]]`, microseconds since 1970-01-01 00:00:00.
#[must_use]
pub fn parse_datetime(text: &str) -> Option<i64> {
    let mut scan = Scan::new(text);
    let datetime = scan.datetime()?;
    scan.end().then(|| wall_clock(datetime))?
}

/// Reads a TIME: `12:34:56[.123456]`, microseconds since midnight.
#[must_use]
pub fn parse_time(text: &str) -> Option<i64> {
    let mut scan = Scan::new(text);
    let time = scan.time()?;
    scan.end().then(|| micros_of_day(time))
}

/// Reads a TIMESTAMP: a DATETIME with an optional zone (`Z`, `+02`, `-03:30`, ` Europe/Berlin`), UTC
/// when there is none; microseconds since the Unix epoch.
#[must_use]
pub fn parse_timestamp(text: &str) -> Option<i64> {
    let mut scan = Scan::new(text);
    let datetime = scan.datetime()?;
    let zone = scan.zone()?;
    if !scan.end() {
        return None;
    }
    // The library's instants end a day before those of GoogleSQL, its dates do not.
    let micros = match zone.to_fixed_offset() {
        Ok(offset) => wall_clock(datetime)? - i64::from(offset.seconds()) * 1_000_000,
        Err(_) => zone.to_timestamp(datetime).ok()?.as_microsecond(),
    };
    TIMESTAMP_RANGE.contains(&micros).then_some(micros)
}

/// Returns the time zone of a name or offset such as `Europe/Berlin`, `UTC` or `+02:00`.
#[must_use]
pub fn time_zone(text: &str) -> Option<TimeZone> {
    let mut scan = Scan::new(text);
    if text.starts_with(['+', '-']) {
        let zone = scan.offset()?;
        return scan.end().then_some(zone);
    }
    TimeZoneDatabase::bundled().get(text).ok()
}

/// Returns a TIMESTAMP in canonical form, `2026-01-31 12:34:56.123456+00`; `None` outside its range.
#[must_use]
pub fn format_timestamp(micros: i64) -> Option<String> {
    Some(format!("{}+00", format_datetime(micros)?))
}

/// Returns a DATETIME in canonical form, `2026-01-31 12:34:56.123456`; `None` outside its range.
#[must_use]
pub fn format_datetime(micros: i64) -> Option<String> {
    let days = i32::try_from(micros.div_euclid(DAY)).ok()?;
    let clock = clock(micros.rem_euclid(DAY));
    Some(format!("{} {clock}", format_date(days)?))
}

/// Returns a DATE in canonical form, `2026-01-31`; `None` outside its range.
#[must_use]
pub fn format_date(days: i32) -> Option<String> {
    let span = jiff::Span::new().try_days(days).ok()?;
    let date = Date::constant(1970, 1, 1).checked_add(span).ok()?;
    (date.year() >= 1).then(|| date.to_string())
}

/// Returns a TIME in canonical form, `12:34:56.123456`; `None` outside its range.
#[must_use]
pub fn format_time(micros: i64) -> Option<String> {
    (0..DAY).contains(&micros).then(|| clock(micros))
}

/// Returns microseconds since midnight as `12:34:56.123456`, the fraction without zeros at its end.
pub(crate) fn clock(micros_of_day: i64) -> String {
    let (seconds, fraction) = (micros_of_day / 1_000_000, micros_of_day % 1_000_000);
    let (minutes, hours) = (seconds / 60 % 60, seconds / 3_600);
    let mut text = format!("{hours:02}:{minutes:02}:{:02}", seconds % 60);
    if fraction != 0 {
        let digits = format!(".{fraction:06}");
        text.push_str(digits.trim_end_matches('0'));
    }
    text
}

fn days(date: Date) -> Option<i32> {
    let since = date.since(Date::constant(1970, 1, 1)).ok()?;
    Some(since.get_days())
}

fn wall_clock(datetime: DateTime) -> Option<i64> {
    Some(i64::from(days(datetime.date())?) * DAY + micros_of_day(datetime.time()))
}

fn micros_of_day(time: Time) -> i64 {
    let seconds =
        i64::from(time.hour()) * 3_600 + i64::from(time.minute()) * 60 + i64::from(time.second());
    seconds * 1_000_000 + i64::from(time.subsec_nanosecond() / 1_000)
}

/// Reads a text from left to right.
struct Scan<'a> {
    rest: &'a str,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    fn end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Takes one of these characters.
    fn one(&mut self, of: &[char]) -> Option<()> {
        self.rest = self.rest.strip_prefix(of)?;
        Some(())
    }

    /// Takes between `least` and `most` digits.
    fn digits(&mut self, least: usize, most: usize) -> Option<&'a str> {
        let count = self
            .rest
            .bytes()
            .take(most)
            .take_while(u8::is_ascii_digit)
            .count();
        if count < least {
            return None;
        }
        let (digits, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(digits)
    }

    fn date(&mut self) -> Option<Date> {
        let year = self.digits(4, 4)?.parse().ok()?;
        self.one(&['-'])?;
        let month = self.digits(1, 2)?.parse().ok()?;
        self.one(&['-'])?;
        let day = self.digits(1, 2)?.parse().ok()?;
        let date = Date::new(year, month, day).ok()?;
        (date.year() >= 1).then_some(date)
    }

    fn time(&mut self) -> Option<Time> {
        let hour = self.digits(1, 2)?.parse().ok()?;
        self.one(&[':'])?;
        let minute = self.digits(1, 2)?.parse().ok()?;
        self.one(&[':'])?;
        let second = self.digits(1, 2)?.parse().ok()?;
        let nanos = if self.one(&['.']).is_some() {
            let digits = self.digits(0, 6)?;
            format!("{digits:0<9}").parse().ok()?
        } else {
            0
        };
        Time::new(hour, minute, second, nanos).ok()
    }

    fn datetime(&mut self) -> Option<DateTime> {
        let date = self.date()?;
        let before = self.rest;
        if self.one(&[' ', 'T', 't']).is_some() {
            if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
                return Some(date.to_datetime(self.time()?));
            }
            self.rest = before;
        }
        Some(date.to_datetime(Time::midnight()))
    }

    fn zone(&mut self) -> Option<TimeZone> {
        if self.end() {
            return Some(TimeZone::UTC);
        }
        if self.rest.eq_ignore_ascii_case("z") {
            self.rest = "";
            return Some(TimeZone::UTC);
        }
        if self.rest.starts_with(['+', '-']) {
            return self.offset();
        }
        let name = self.rest.strip_prefix(' ')?;
        if name.starts_with(['+', '-']) {
            self.rest = name;
            return self.offset();
        }
        self.rest = "";
        TimeZoneDatabase::bundled().get(name).ok()
    }

    fn offset(&mut self) -> Option<TimeZone> {
        let west = self.rest.starts_with('-');
        self.one(&['+', '-'])?;
        let hours: i32 = self.digits(1, 2)?.parse().ok()?;
        let minutes: i32 = if self.one(&[':']).is_some() {
            self.digits(2, 2)?.parse().ok()?
        } else {
            0
        };
        if minutes > 59 || hours * 60 + minutes > 14 * 60 {
            return None;
        }
        let seconds = (hours * 60 + minutes) * 60;
        let offset = Offset::from_seconds(if west { -seconds } else { seconds }).ok()?;
        Some(TimeZone::fixed(offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps() {
        for (text, expected) in [
            ("1970-01-01", Some(0)),
            ("1970-01-01T00:00:01Z", Some(1_000_000)),
            ("1970-01-01 00:00:01.5", Some(1_500_000)),
            ("1970-1-1 0:0:1.000001+00", Some(1_000_001)),
            ("1970-01-01T02:00:00+02:00", Some(0)),
            ("1970-01-01 00:00:00 UTC", Some(0)),
            ("1970-01-01 01:00:00 Europe/Berlin", Some(0)),
            ("1970-01-01 +01", Some(-3_600_000_000)),
            ("9999-12-31 23:59:59.999999", Some(253_402_300_799_999_999)),
            ("9999-12-31 23:59:59.999999-01", None),
            ("0001-01-01 00:00:00+01", None),
            ("2026-03-01T00:00:00.000Z", Some(1_772_323_200_000_000)),
            ("2024-13-45T99:99:99Z", None),
            ("1970-01-01T", None),
            ("1970-01-01 00:00", None),
            ("0000-01-01", None),
            ("now", None),
            ("", None),
            ("1e400", None),
            ("1970-01-01T00:00:00.1234567Z", None),
            ("1970-01-01 00:00:00 Mars/Olympus", None),
            ("1970-01-01 00:00:00+15", None),
        ] {
            assert_eq!(parse_timestamp(text), expected, "{text}");
        }
    }

    #[test]
    fn canonical_forms_read_back() {
        for micros in [
            0,
            1,
            -1,
            1_772_323_200_123_000,
            -62_135_596_800_000_000,
            253_402_300_799_999_999,
        ] {
            let text = format_timestamp(micros).unwrap();
            assert_eq!(parse_timestamp(&text), Some(micros), "{text}");
            let text = format_datetime(micros).unwrap();
            assert_eq!(parse_datetime(&text), Some(micros), "{text}");
        }
        for days in [0, -1, 20_000, -719_162] {
            assert_eq!(parse_date(&format_date(days).unwrap()), Some(days));
        }
        for days in [-719_163, 2_932_897] {
            assert_eq!(format_date(days), None);
            assert_eq!(format_timestamp(i64::from(days) * DAY), None);
        }
        assert_eq!(format_time(DAY), None);
        assert_eq!(format_time(1_500_000).as_deref(), Some("00:00:01.5"));
        assert_eq!(parse_time("00:00:01.5"), Some(1_500_000));
    }
}
