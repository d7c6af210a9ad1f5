//! The proleptic Gregorian calendar, years 1 to 9999 as in GoogleSQL, in days and microseconds since 1970-01-01; and
//! dates and times as text, as log shippers write them and results show them. No time zones but fixed offsets.

use crate::compiler::datetime;

/// Microseconds of a second.
pub(super) const SECOND: i64 = 1_000_000;
/// Microseconds of a day.
pub(super) const DAY: i64 = 86_400 * SECOND;
/// 0001-01-01.
pub(super) const FIRST_DAY: i64 = -719_162;
/// 9999-12-31.
pub(super) const LAST_DAY: i64 = 2_932_896;

/// A calendar date; it may lie outside the range of DATE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Civil {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
}

impl Civil {
    /// The date of a day number.
    ///
    /// Source, as of [`days`](Self::days): H. Hinnant, "chrono-compatible low-level date algorithms".
    pub(super) fn of(days: i64) -> Self {
        // Years are counted from March, so that the leap day is the last of a year.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let month = if shifted_month < 10 {
            shifted_month + 3
        } else {
            shifted_month - 9
        };
        Self {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month,
            day: day_of_year - (153 * shifted_month + 2) / 5 + 1,
        }
    }

    /// The day number.
    pub(super) fn days(self) -> i64 {
        let year = self.year - i64::from(self.month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let shifted_month = if self.month > 2 {
            self.month - 3
        } else {
            self.month + 9
        };
        let day_of_year = (153 * shifted_month + 2) / 5 + self.day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        era * 146_097 + day_of_era - 719_468
    }

    /// The date with these numbers, if there is one in the range of DATE.
    pub(super) fn checked(year: i64, month: i64, day: i64) -> Option<Self> {
        Self::existing(year, month, day).filter(|_| (1..=9999).contains(&year))
    }

    /// The date with these numbers, if there is one in any year.
    pub(super) fn existing(year: i64, month: i64, day: i64) -> Option<Self> {
        let exists = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
        exists.then_some(Self { year, month, day })
    }

    /// The first day of the year.
    pub(super) fn new_year(year: i64) -> Self {
        Self {
            year,
            month: 1,
            day: 1,
        }
    }
}

/// How many days a month has.
pub(super) fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Returns whether an instant lies in GoogleSQL's range.
pub(super) fn in_range(micros: i64) -> bool {
    (FIRST_DAY..=LAST_DAY).contains(&micros.div_euclid(DAY))
}

/// Reads an RFC 3339 timestamp with any offset; digits beyond the microsecond are cut off. A space may
/// stand for the `T`, and ` UTC` for the offset, as BigQuery exports it.
pub(super) fn parse_timestamp(text: &str) -> Option<i64> {
    let (local, rest) = civil(text.as_bytes())?;
    let offset = match rest {
        b"Z" | b"z" | b" UTC" => 0,
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (number(&[*h1, *h2])?, number(&[*m1, *m2])?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let offset = (hours * 60 + minutes) * 60_000_000;
            if *sign == b'-' { -offset } else { offset }
        }
        _ => return None,
    };
    let micros = local - offset;
    in_range(micros).then_some(micros)
}

/// Reads `YYYY-MM-DDTHH:MM:SS[.f]` without offset as microseconds of the wall clock.
pub(super) fn parse_datetime(text: &str) -> Option<i64> {
    let (micros, rest) = civil(text.as_bytes())?;
    rest.is_empty().then_some(micros)
}

/// Reads `YYYY-MM-DD` as days since 1970-01-01.
pub(super) fn parse_date(text: &str) -> Option<i32> {
    let (days, rest) = date(text.as_bytes())?;
    if !rest.is_empty() {
        return None;
    }
    i32::try_from(days).ok()
}

/// Reads `HH:MM:SS[.f]` as microseconds since midnight.
pub(super) fn parse_time(text: &str) -> Option<i64> {
    let (micros, rest) = time(text.as_bytes())?;
    rest.is_empty().then_some(micros)
}

/// Writes days since 1970-01-01 as `YYYY-MM-DD`.
pub(super) fn format_date(days: i64) -> String {
    let Civil { year, month, day } = Civil::of(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Writes microseconds of the wall clock as `YYYY-MM-DDTHH:MM:SS`, with a fraction only if there is one.
pub(super) fn format_datetime(micros: i64) -> String {
    let date = format_date(micros.div_euclid(DAY));
    format!("{date}T{}", datetime::clock(micros.rem_euclid(DAY)))
}

fn civil(text: &[u8]) -> Option<(i64, &[u8])> {
    let (days, rest) = date(text)?;
    let [b'T' | b't' | b' ', rest @ ..] = rest else {
        return None;
    };
    let (micros, rest) = time(rest)?;
    Some((days * DAY + micros, rest))
}

fn date(text: &[u8]) -> Option<(i64, &[u8])> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, rest @ ..] = text else {
        return None;
    };
    let year = number(&[*y1, *y2, *y3, *y4])?;
    let (month, day) = (number(&[*m1, *m2])?, number(&[*d1, *d2])?);
    Some((Civil::checked(year, month, day)?.days(), rest))
}

fn time(text: &[u8]) -> Option<(i64, &[u8])> {
    let [h1, h2, b':', m1, m2, b':', s1, s2, rest @ ..] = text else {
        return None;
    };
    let (hours, minutes, seconds) = (
        number(&[*h1, *h2])?,
        number(&[*m1, *m2])?,
        number(&[*s1, *s2])?,
    );
    if hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    let whole = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000;
    let [b'.', digits_on @ ..] = rest else {
        return Some((whole, rest));
    };
    let mut rest = digits_on;
    let (mut fraction, mut unit, mut digits) = (0, 100_000, 0);
    while let [digit @ b'0'..=b'9', tail @ ..] = rest {
        fraction += i64::from(digit - b'0') * unit;
        unit /= 10;
        digits += 1;
        rest = tail;
    }
    (1..=9)
        .contains(&digits)
        .then_some((whole + fraction, rest))
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |n, d| {
        d.is_ascii_digit().then(|| n * 10 + i64::from(d - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_read_with_any_offset() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("1970-01-01t00:00:00z", Some(0)),
            ("1970-01-01 00:00:00 UTC", Some(0)),
            ("1970-01-01T02:00:00+02:00", Some(0)),
            ("1969-12-31T18:30:00.5-05:30", Some(500_000)),
            (
                "2026-01-31T23:59:59.123456789Z",
                Some(1_769_903_999_123_456),
            ),
            ("2024-02-29T00:00:00Z", Some(1_709_164_800_000_000)),
            ("0001-01-01T00:00:00Z", Some(-62_135_596_800_000_000)),
            ("9999-12-31T23:59:59.999999Z", Some(253_402_300_799_999_999)),
            ("0001-01-01T00:00:00+00:01", None),
            ("2023-02-29T00:00:00Z", None),
            ("2026-01-31T23:59:59", None),
            ("2026-01-31T24:00:00Z", None),
            ("2026-01-31T23:59:59.Z", None),
            ("2026-01-31T23:59:59.1234567890Z", None),
            ("2026-1-31T23:59:59Z", None),
            ("", None),
        ] {
            assert_eq!(parse_timestamp(text), expected, "{text}");
        }
    }

    #[test]
    fn civil_text_is_read_back() {
        for text in [
            "0001-01-01T00:00:00",
            "1969-12-31T23:59:59.999999",
            "2000-02-29T12:30:00.5",
            "2026-01-31T23:59:59",
            "9999-12-31T23:59:59.00001",
        ] {
            let micros = parse_datetime(text).unwrap();
            assert_eq!(format_datetime(micros), text);
        }
        assert_eq!(parse_date("1970-01-02"), Some(1));
        assert_eq!(parse_time("00:00:01.000001"), Some(1_000_001));
        assert_eq!(parse_time("00:00:01Z"), None);
    }
}
