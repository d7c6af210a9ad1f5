//! Parts of dates: weeks, months and years of days since 1970-01-01. No time zones here.

use crate::compiler::ir::DatePart;

pub(super) use super::super::civil::{Civil, DAY, SECOND, days_in_month};
use super::super::civil::{FIRST_DAY, LAST_DAY};
use super::fault::{Outcome, refuse};

/// A day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weekday {
    Sunday,
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
}

/// The day of the week as a number from 0 for Sunday.
pub(super) fn weekday(days: i64) -> i64 {
    (days + 4).rem_euclid(7)
}

/// The last day on or before this one that is this day of the week.
pub(super) fn week_start(days: i64, first: Weekday) -> i64 {
    days - (weekday(days) - first as i64).rem_euclid(7)
}

/// The day on which weeks of a part begin; `None` when the part is no week.
pub(super) fn first_weekday(part: DatePart) -> Option<Weekday> {
    Some(match part {
        DatePart::Week => Weekday::Sunday,
        DatePart::WeekMonday | DatePart::IsoWeek => Weekday::Monday,
        DatePart::WeekTuesday => Weekday::Tuesday,
        DatePart::WeekWednesday => Weekday::Wednesday,
        DatePart::WeekThursday => Weekday::Thursday,
        DatePart::WeekFriday => Weekday::Friday,
        DatePart::WeekSaturday => Weekday::Saturday,
        _ => return None,
    })
}

/// The ISO 8601 week-numbering year of a day, and the Monday on which it begins.
pub(super) fn iso_year(days: i64) -> (i64, i64) {
    let year = Civil::of(week_start(days, Weekday::Monday) + 3).year;
    let fourth = Civil {
        year,
        month: 1,
        day: 4,
    };
    (year, week_start(fourth.days(), Weekday::Monday))
}

/// The number of the week within the year; days before the first such weekday are in week 0.
pub(super) fn week_of_year(days: i64, first: Weekday) -> i64 {
    let new_year = Civil::new_year(Civil::of(days).year).days();
    let day_of_year = days - new_year;
    let since_first = (weekday(days) - first as i64).rem_euclid(7);
    (day_of_year - since_first + 7).div_euclid(7)
}

/// The microseconds of a part that has a fixed length.
pub(super) fn fixed_length(part: DatePart) -> Option<i64> {
    Some(match part {
        DatePart::Microsecond => 1,
        DatePart::Millisecond => 1_000,
        DatePart::Second => SECOND,
        DatePart::Minute => 60 * SECOND,
        DatePart::Hour => 3_600 * SECOND,
        DatePart::Day => DAY,
        DatePart::Week => 7 * DAY,
        _ => return None,
    })
}

/// The first day of the part that a day is in, which may be before the first DATE; the part is a day
/// or longer.
pub(super) fn truncate(days: i64, part: DatePart) -> Outcome<i64> {
    let civil = Civil::of(days);
    Ok(match part {
        DatePart::Day => days,
        DatePart::Month => Civil { day: 1, ..civil }.days(),
        DatePart::Quarter => Civil {
            month: (civil.month - 1) / 3 * 3 + 1,
            day: 1,
            ..civil
        }
        .days(),
        DatePart::Year => Civil::new_year(civil.year).days(),
        DatePart::IsoYear => iso_year(days).1,
        _ => match first_weekday(part) {
            Some(first) => week_start(days, first),
            None => return refuse(format!("cannot truncate to {}", part.as_str())),
        },
    })
}

/// The day, unless it is outside the range of DATE.
pub(super) fn in_range(days: i64) -> Outcome<i64> {
    if (FIRST_DAY..=LAST_DAY).contains(&days) {
        Ok(days)
    } else {
        refuse("the date is out of range")
    }
}

/// The point in time or on the wall clock, unless it is outside 0001 to 9999.
pub(super) fn micros_in_range(micros: i64) -> Outcome<i64> {
    in_range(micros.div_euclid(DAY)).map(|_| micros)
}

/// A day moved by whole parts of a day or longer; the last day of the month where the month is shorter.
pub(super) fn add_to_day(days: i64, count: i64, part: DatePart) -> Outcome<i64> {
    let moved = match part {
        DatePart::Day => days.checked_add(count),
        DatePart::Week => count.checked_mul(7).and_then(|n| days.checked_add(n)),
        DatePart::Month => add_months(days, Some(count)),
        DatePart::Quarter => add_months(days, count.checked_mul(3)),
        DatePart::Year => add_months(days, count.checked_mul(12)),
        _ => return refuse(format!("cannot add a number of {}", part.as_str())),
    };
    match moved {
        Some(days) => in_range(days),
        None => refuse("the date is out of range"),
    }
}

fn add_months(days: i64, count: Option<i64>) -> Option<i64> {
    let civil = Civil::of(days);
    let months = (civil.year * 12 + civil.month - 1).checked_add(count?)?;
    let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
    if !(1..=9999).contains(&year) {
        return None;
    }
    Some(
        Civil {
            year,
            month,
            day: civil.day.min(days_in_month(year, month)),
        }
        .days(),
    )
}

/// How many boundaries of a part of a day or longer lie between two days.
pub(super) fn boundaries(later: i64, earlier: i64, part: DatePart) -> Outcome<i64> {
    let months = |days| {
        let civil = Civil::of(days);
        civil.year * 12 + civil.month - 1
    };
    Ok(match part {
        DatePart::Day => later - earlier,
        DatePart::Month => months(later) - months(earlier),
        DatePart::Quarter => months(later) / 3 - months(earlier) / 3,
        DatePart::Year => Civil::of(later).year - Civil::of(earlier).year,
        DatePart::IsoYear => iso_year(later).0 - iso_year(earlier).0,
        _ => match first_weekday(part) {
            Some(first) => (week_start(later, first) - week_start(earlier, first)) / 7,
            None => return refuse(format!("cannot count {}", part.as_str())),
        },
    })
}

/// The number of a part of a wall-clock date and time.
pub(super) fn extract(micros: i64, part: DatePart) -> Outcome<i64> {
    let (days, time) = (micros.div_euclid(DAY), micros.rem_euclid(DAY));
    let civil = Civil::of(days);
    Ok(match part {
        DatePart::Microsecond => time % SECOND,
        DatePart::Millisecond => time % SECOND / 1_000,
        DatePart::Second => time / SECOND % 60,
        DatePart::Minute => time / (60 * SECOND) % 60,
        DatePart::Hour => time / (3_600 * SECOND),
        DatePart::Day => civil.day,
        DatePart::DayOfWeek => weekday(days) + 1,
        DatePart::DayOfYear => days - Civil::new_year(civil.year).days() + 1,
        DatePart::IsoWeek => (days - iso_year(days).1) / 7 + 1,
        DatePart::Month => civil.month,
        DatePart::Quarter => (civil.month - 1) / 3 + 1,
        DatePart::Year => civil.year,
        DatePart::IsoYear => iso_year(days).0,
        _ => match first_weekday(part) {
            Some(first) => week_of_year(days, first),
            None => return refuse(format!("{} is not a number", part.as_str())),
        },
    })
}
