//! The text form of dates and times: what casts read and write.

use super::calendar::{Civil, DAY, SECOND};
use super::zone::Zone;

/// A date with an optional time of day, and the text behind them.
pub(super) struct Parsed<'a> {
    /// Days since 1970-01-01.
    pub(super) days: i64,
    /// Microseconds of the day; a leap second is in the next minute.
    pub(super) time: Option<i64>,
    /// What follows.
    pub(super) rest: &'a str,
}

/// Takes a number of so many digits off the front.
fn number(text: &str, digits: std::ops::RangeInclusive<usize>) -> Option<(i64, &str)> {
    let length = text
        .bytes()
        .take(*digits.end())
        .take_while(u8::is_ascii_digit)
        .count();
    if !digits.contains(&length) {
        return None;
    }
    let (number, rest) = text.split_at_checked(length)?;
    Some((number.parse().ok()?, rest))
}

/// Takes `HH:MM:SS[.ffffff]` off the front. A leap second has a fraction in an instant alone.
fn time_of_day(text: &str, is_instant: bool) -> Option<(i64, &str)> {
    let (hour, rest) = number(text, 1..=2)?;
    let (minute, rest) = number(rest.strip_prefix(':')?, 1..=2)?;
    let (second, rest) = number(rest.strip_prefix(':')?, 1..=2)?;
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (fraction, rest) = match rest.strip_prefix('.') {
        None => (0, rest),
        Some(after) => {
            let (value, rest) = number(after, 1..=6)?;
            let missing = 6 - (after.len() - rest.len());
            (value * 10_i64.pow(u32::try_from(missing).ok()?), rest)
        }
    };
    let seconds = hour * 3_600 + minute * 60 + second;
    let fraction = if second == 60 && !is_instant {
        0
    } else {
        fraction
    };
    Some((seconds * SECOND + fraction, rest))
}

/// Reads `YYYY-MM-DD[( |T)HH:MM:SS[.ffffff]]` off the front. The year of an instant may have five digits, since it
/// can lie in another one where the instant is given an offset.
pub(super) fn parse_civil(text: &str, is_instant: bool) -> Option<Parsed<'_>> {
    let (year, rest) = number(text, 4..=4 + usize::from(is_instant))?;
    let (month, rest) = number(rest.strip_prefix('-')?, 1..=2)?;
    let (day, rest) = number(rest.strip_prefix('-')?, 1..=2)?;
    let days = Civil::existing(year, month, day)?.days();
    let time = rest
        .strip_prefix([' ', 'T', 't'])
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let (time, rest) = match time {
        Some(rest) => {
            let (time, rest) = time_of_day(rest, is_instant)?;
            (Some(time), rest)
        }
        None => (None, rest),
    };
    Some(Parsed { days, time, rest })
}

/// Reads a TIME.
pub(super) fn parse_time_of_day(text: &str) -> Option<i64> {
    match time_of_day(text, false)? {
        (time, "") => Some(time % DAY),
        _ => None,
    }
}

/// Writes a DATE.
pub(super) fn write_date(days: i64, out: &mut String) {
    use std::fmt::Write;
    let Civil { year, month, day } = Civil::of(days);
    let _ = write!(out, "{year:04}-{month:02}-{day:02}");
}

/// Writes a TIME; the fraction has three or six digits, or is absent when it is zero.
pub(super) fn write_time(time: i64, out: &mut String) {
    use std::fmt::Write;
    let seconds = time / SECOND;
    let _ = write!(
        out,
        "{:02}:{:02}:{:02}",
        seconds / 3_600,
        seconds / 60 % 60,
        seconds % 60
    );
    let fraction = time % SECOND;
    let _ = match fraction {
        0 => Ok(()),
        _ if fraction % 1_000 == 0 => write!(out, ".{:03}", fraction / 1_000),
        _ => write!(out, ".{fraction:06}"),
    };
}

/// Writes a DATETIME.
pub(super) fn write_datetime(micros: i64, separator: char, out: &mut String) {
    write_date(micros.div_euclid(DAY), out);
    out.push(separator);
    write_time(micros.rem_euclid(DAY), out);
}

/// Writes a TIMESTAMP on the wall clock of a zone, with the offset: `+00`, `+05:30`.
pub(super) fn write_timestamp(micros: i64, zone: &Zone, out: &mut String) {
    use std::fmt::Write;
    let offset = zone.shown_offset_at(micros);
    write_datetime(micros + offset, ' ', out);
    let minutes = offset / (60 * SECOND);
    let sign = if minutes < 0 { '-' } else { '+' };
    let _ = write!(out, "{sign}{:02}", minutes.abs() / 60);
    if minutes % 60 != 0 {
        let _ = write!(out, ":{:02}", minutes.abs() % 60);
    }
}
