//! Time zones: fixed offsets from UTC, and the names of the IANA database.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

use super::calendar::{Civil, DAY, SECOND};
use super::fault::{Outcome, refuse};

/// The greatest offset from UTC, in minutes.
pub(super) const MAX_OFFSET: i64 = 14 * 60;

/// A time zone.
#[derive(Debug)]
pub(super) enum Zone {
    /// Microseconds east of UTC.
    Fixed(i64),
    /// A zone with rules.
    Named(TimeZone),
}

impl Zone {
    /// UTC.
    pub(super) const UTC: Zone = Zone::Fixed(0);

    /// Reads `UTC`, an offset (`+8`, `-08:30`, `UTC+8`) or a name (`America/Los_Angeles`).
    pub(super) fn parse(text: &str) -> Outcome<Self> {
        if text == "UTC" {
            return Ok(Self::UTC);
        }
        let offset = text.strip_prefix("UTC").unwrap_or(text);
        if let Some(minutes) = parse_offset(offset) {
            return Ok(Self::Fixed(minutes * 60 * SECOND));
        }
        match TimeZone::get(text) {
            // The database is searched without regard to case; the language is not.
            Ok(zone) if zone.iana_name() == Some(text) => Ok(Self::Named(zone)),
            Ok(_) | Err(_) => refuse(format!("invalid time zone: {text}")),
        }
    }

    /// Returns how far east of UTC clocks are at an instant, in microseconds.
    pub(super) fn offset_at(&self, instant: i64) -> i64 {
        match self {
            Zone::Fixed(offset) => *offset,
            Zone::Named(zone) => {
                let clamped = instant.clamp(
                    Timestamp::MIN.as_microsecond(),
                    Timestamp::MAX.as_microsecond(),
                );
                let timestamp = Timestamp::from_microsecond(clamped).unwrap_or(Timestamp::MAX);
                i64::from(zone.to_offset(timestamp).seconds()) * SECOND
            }
        }
    }

    /// Returns the offset in whole minutes, as text shows it: local mean times have seconds.
    pub(super) fn shown_offset_at(&self, instant: i64) -> i64 {
        let minute = 60 * SECOND;
        self.offset_at(instant) / minute * minute
    }

    /// Returns the wall clock at an instant.
    pub(super) fn wall_clock(&self, instant: i64) -> i64 {
        instant + self.offset_at(instant)
    }

    /// Returns the instant of a wall clock. Where clocks are turned back it is the first one; where
    /// they are turned forward, the instant by the offset before.
    pub(super) fn instant(&self, wall_clock: i64) -> i64 {
        match self {
            Zone::Fixed(offset) => wall_clock - offset,
            Zone::Named(zone) => {
                let offset = jiff_datetime(wall_clock).map(|datetime| {
                    match zone.to_ambiguous_timestamp(datetime).offset() {
                        jiff::tz::AmbiguousOffset::Unambiguous { offset } => offset,
                        jiff::tz::AmbiguousOffset::Gap { before, .. }
                        | jiff::tz::AmbiguousOffset::Fold { before, .. } => before,
                    }
                });
                match offset {
                    Some(offset) => wall_clock - i64::from(offset.seconds()) * SECOND,
                    None => wall_clock - self.offset_at(wall_clock),
                }
            }
        }
    }
}

fn jiff_datetime(wall_clock: i64) -> Option<DateTime> {
    let civil = Civil::of(wall_clock.div_euclid(DAY));
    let seconds = wall_clock.rem_euclid(DAY) / SECOND;
    let date = Date::new(
        i16::try_from(civil.year).ok()?,
        i8::try_from(civil.month).ok()?,
        i8::try_from(civil.day).ok()?,
    );
    let time = Time::new(
        i8::try_from(seconds / 3_600).ok()?,
        i8::try_from(seconds / 60 % 60).ok()?,
        i8::try_from(seconds % 60).ok()?,
        0,
    );
    Some(DateTime::from_parts(date.ok()?, time.ok()?))
}

/// Reads `+H`, `+HH`, `+HHMM`, `+H:M` and so on, in minutes.
pub(super) fn parse_offset(text: &str) -> Option<i64> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+')?),
    };
    let (hours, minutes) = match rest.split_once(':') {
        Some((hours, minutes)) => (hours, minutes),
        None if rest.len() == 4 => rest.split_at_checked(2)?,
        None => (rest, "0"),
    };
    let number = |text: &str| -> Option<i64> {
        let digits = matches!(text.len(), 1 | 2) && text.bytes().all(|b| b.is_ascii_digit());
        if digits { text.parse().ok() } else { None }
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let total = hours * 60 + minutes;
    (minutes < 60 && total <= MAX_OFFSET).then_some(sign * total)
}
