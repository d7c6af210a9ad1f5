//! Timestamp filters: reading them, and what the shorthands mean at an instant.
//!
//! All times are UTC. Source of the calendar arithmetic: docs/lql.md, "Time".

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;
use jiff::{Span as Length, Timestamp, ToSpan as _};
use pest::Parser as _;
use pest::iterators::Pair;

use super::ast::{Instant, Moment, TimeTest, Unit};
use super::field::comparison;
use super::grammar::{Grammar, Rule};
use super::parse::{Parsed, fault, missing};
use crate::compiler::datetime;
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::ir::BinaryOp;

const EPOCH: Date = Date::constant(1970, 1, 1);
const MICROS_PER_SECOND: i64 = 1_000_000;

/// The first and the last TIMESTAMP, microseconds since the Unix epoch.
const FIRST: i64 = -62_135_596_800_000_000;
const LAST: i64 = 253_402_300_799_999_999;

/// What a test of `timestamp` comes to at an instant. Microseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bounds {
    /// Compares with this.
    Compare(BinaryOp, i64),
    /// From the first to the last, both included.
    Through(i64, i64),
    /// From the first up to but without the last.
    Before(i64, i64),
}

/// Reads a timestamp filter.
pub(super) fn time(pair: Pair<'_, Rule>, clause: Span) -> Parsed<TimeTest> {
    let mut parts = pair.into_inner();
    let (Some(operator), Some(value)) = (parts.next(), parts.next()) else {
        return Err(missing(clause));
    };
    let text = value.as_str();
    if value.as_rule() == Rule::bad && text.is_empty() {
        return Err(missing(clause));
    }
    let Some(op) = comparison(operator.as_str()) else {
        return Err(invalid(clause, "a time goes with : :> :>= :< :<= only"));
    };
    let test = match value.as_rule() {
        Rule::shorthand => shorthand(value, op, clause)?,
        Rule::period_of_time => {
            let mut ends = value.into_inner();
            let (Some(from), Some(to)) = (ends.next(), ends.next()) else {
                return Err(missing(clause));
            };
            between(instant(&from, clause)?, instant(&to, clause)?, clause)?
        }
        Rule::instant => match (instant(&value, clause)?, op) {
            (Instant::Day(date), BinaryOp::Equal) => TimeTest::Day(date),
            (instant, op) => TimeTest::Compare(op, Moment::At(instant)),
        },
        _ => unrecognised(text, clause)?,
    };
    if op == BinaryOp::Equal || matches!(test, TimeTest::Compare(..)) {
        return Ok(test);
    }
    Err(fault(
        Code::RangeInvalid,
        clause,
        "a comparison needs a point in time, not a period",
    )
    .help("write t:> with a date, a time or now, or the period with t: alone")
    .into())
}

fn shorthand(pair: Pair<'_, Rule>, op: BinaryOp, clause: Span) -> Parsed<TimeTest> {
    let word = pair.as_str();
    let (mut count, mut unit) = (None, None);
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::count => count = part.as_str().parse::<i32>().ok(),
            _ => unit = Some(part.as_str()),
        }
    }
    let Some(unit) = unit else {
        return Ok(match word {
            "now" => TimeTest::Compare(op, Moment::Now),
            "today" => TimeTest::Today,
            _ => TimeTest::Yesterday,
        });
    };
    let Some(unit) = Unit::parse(unit) else {
        return Err(invalid(clause, &format!("`{unit}` is no unit of time")));
    };
    if word.starts_with("last@") {
        return Ok(TimeTest::Last(count.unwrap_or(1), unit));
    }
    if unit == Unit::Second {
        return Err(invalid(clause, "`this@` takes no seconds"));
    }
    Ok(TimeTest::This(unit))
}

fn between(from: Instant, to: Instant, clause: Span) -> Parsed<TimeTest> {
    if from.is_zoned() == to.is_zoned() {
        return Ok(TimeTest::Between(from, to));
    }
    Err(zone_mixed(clause))
}

fn zone_mixed(clause: Span) -> Box<Diagnostic> {
    fault(
        Code::TimeZoneMixed,
        clause,
        "one end of the range has a zone and the other has none",
    )
    .help("write Z after a time that is UTC")
    .into()
}

/// Reads what is no instant: braces, or a mistake.
fn unrecognised(text: &str, clause: Span) -> Parsed<TimeTest> {
    if text.starts_with([':', '>', '<', '=', '~', '@']) || text.starts_with("//") {
        return Err(fault(
            Code::ValueOperator,
            clause,
            "the value begins like an operator",
        )
        .help("the operators of a time are : :> :>= :< :<=")
        .into());
    }
    if text.contains('{') {
        return braces(text, clause);
    }
    if text.contains("..") {
        return Err(fault(Code::RangeInvalid, clause, "a range needs two times")
            .help("write t:2026-03-01..2026-03-31")
            .into());
    }
    if text.starts_with(['"', '(']) {
        return Err(invalid(clause, "a time is not quoted"));
    }
    Err(invalid(clause, &format!("`{text}` is no time")))
}

/// Reads a time with `{a..b}` in it: one interval, from all left numbers to all right ones.
fn braces(text: &str, clause: Span) -> Parsed<TimeTest> {
    let malformed = || invalid(clause, "braces hold two numbers: {08..17}");
    let (mut from, mut to) = (String::new(), String::new());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (inside, after) = after.split_once('}').ok_or_else(malformed)?;
        let (low, high) = inside.split_once("..").ok_or_else(malformed)?;
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(low) || !digits(high) {
            return Err(malformed());
        }
        for (out, number) in [(&mut from, low), (&mut to, high)] {
            out.push_str(before);
            out.push_str(number);
        }
        rest = after;
    }
    from.push_str(rest);
    to.push_str(rest);
    if from.contains("..") {
        return Err(fault(
            Code::RangeInvalid,
            clause,
            "a range outside of braces cannot be combined with braces",
        )
        .into());
    }
    let read = |text: &str| {
        let parsed = Grammar::parse(Rule::whole_instant, text).ok();
        let pair = parsed.and_then(|mut pairs| pairs.next()?.into_inner().next());
        let pair = pair.filter(|pair| text.contains('-') && pair.as_rule() == Rule::instant);
        match pair {
            Some(pair) => instant(&pair, clause),
            None => Err(invalid(clause, &format!("`{text}` is no time"))),
        }
    };
    Ok(TimeTest::Between(read(&from)?, read(&to)?))
}

fn invalid(clause: Span, message: &str) -> Box<Diagnostic> {
    fault(Code::TimeInvalid, clause, message)
        .help("write t:last@15m, t:today, t:2026-03-31, t:>=2026-03-31T12:00:00Z, or 10, 13 or 16 digits of Unix time")
        .into()
}

/// Checks a range of dates or times that is sent as text.
pub(super) fn check_civil_range(
    from: &Pair<'_, Rule>,
    to: &Pair<'_, Rule>,
    clause: Span,
) -> Parsed<()> {
    let unix = |pair: &Pair<'_, Rule>| !pair.as_str().contains('-');
    if unix(from) || unix(to) {
        return Err(fault(
            Code::RangeInvalid,
            clause,
            "Unix time is for the timestamp only",
        )
        .into());
    }
    between(instant(from, clause)?, instant(to, clause)?, clause).map(|_| ())
}

fn instant(pair: &Pair<'_, Rule>, clause: Span) -> Parsed<Instant> {
    let text = pair.as_str();
    let none = || invalid(clause, &format!("there is no time `{text}`"));
    let mut parts = pair.clone().into_inner();
    let first = parts.next().ok_or_else(none)?;
    if first.as_rule() == Rule::unix {
        let micros = match (text.len(), text.parse::<i64>()) {
            (10, Ok(seconds)) => seconds * MICROS_PER_SECOND,
            (13, Ok(millis)) => millis * 1_000,
            (_, Ok(micros)) => micros,
            (_, Err(_)) => return Err(none()),
        };
        return Ok(Instant::Point {
            micros,
            zoned: true,
        });
    }
    let Some(clock) = parts.next() else {
        let days = datetime::parse_date(text).ok_or_else(none)?;
        let date = EPOCH.checked_add(days.days());
        return date.map(Instant::Day).map_err(|_| none());
    };
    let zoned = clock.into_inner().any(|part| part.as_rule() == Rule::zone);
    let micros = datetime::parse_timestamp(text).ok_or_else(none)?;
    Ok(Instant::Point { micros, zoned })
}

/// Returns what a test comes to for a request at `now`, microseconds since the Unix epoch.
pub(super) fn bounds(test: TimeTest, now: i64) -> Bounds {
    let now = now - now.rem_euclid(MICROS_PER_SECOND);
    let clock = civil(now);
    let today = clock.date();
    match test {
        TimeTest::Compare(op, Moment::Now) => Bounds::Compare(op, now),
        TimeTest::Compare(op, Moment::At(instant)) => Bounds::Compare(op, start(instant)),
        TimeTest::Between(from, Instant::Day(last)) => until_end_of(start(from), last),
        TimeTest::Between(from, Instant::Point { micros, .. }) => {
            Bounds::Through(start(from), micros)
        }
        TimeTest::Day(date) => until_end_of(midnight(date), date),
        TimeTest::Today => until_end_of(midnight(today), today),
        TimeTest::Yesterday => {
            let yesterday = today.saturating_sub(1.day());
            until_end_of(midnight(yesterday), yesterday)
        }
        TimeTest::This(unit) => Bounds::Through(micros(beginning(clock, unit)), now),
        TimeTest::Last(count, unit) => {
            let from = match unit {
                Unit::Second => clock.saturating_sub(count.seconds()),
                Unit::Minute => beginning(clock, Unit::Minute).saturating_sub(count.minutes()),
                Unit::Hour => beginning(clock, Unit::Hour).saturating_sub(count.hours()),
                Unit::Day => earlier(today, count.days()),
                Unit::Week => earlier(today, count.weeks()),
                Unit::Month => earlier(today, count.months()),
                Unit::Year => earlier(today, count.years()),
            };
            Bounds::Through(micros(from), now)
        }
    }
}

/// Returns the midnight of the day that is so much earlier. A day that the month lacks is its last.
fn earlier(date: Date, length: Length) -> DateTime {
    date.saturating_sub(length).to_datetime(Time::midnight())
}

/// Returns the start of the unit that a moment is in.
fn beginning(clock: DateTime, unit: Unit) -> DateTime {
    let date = clock.date();
    let date = match unit {
        Unit::Week => date.saturating_sub(i32::from(date.weekday().to_monday_zero_offset()).days()),
        Unit::Month => date.first_of_month(),
        Unit::Year => date.first_of_year(),
        Unit::Second | Unit::Minute | Unit::Hour | Unit::Day => date,
    };
    match unit {
        Unit::Second => clock,
        Unit::Minute => date.at(clock.hour(), clock.minute(), 0, 0),
        Unit::Hour => date.at(clock.hour(), 0, 0, 0),
        Unit::Day | Unit::Week | Unit::Month | Unit::Year => date.to_datetime(Time::midnight()),
    }
}

/// Returns the time from an instant to the end of a day. The last day of all has no day after it.
fn until_end_of(from: i64, day: Date) -> Bounds {
    match day.checked_add(1.day()).ok().map(midnight) {
        Some(next) if next < LAST => Bounds::Before(from, next),
        _ => Bounds::Through(from, LAST),
    }
}

fn start(instant: Instant) -> i64 {
    match instant {
        Instant::Day(date) => midnight(date),
        Instant::Point { micros, .. } => micros,
    }
}

fn midnight(date: Date) -> i64 {
    micros(date.to_datetime(Time::midnight()))
}

fn civil(micros: i64) -> DateTime {
    let timestamp = Timestamp::from_microsecond(micros).unwrap_or(Timestamp::UNIX_EPOCH);
    Offset::UTC.to_datetime(timestamp)
}

/// Returns the TIMESTAMP of a moment, or the first or last one where it is out of their range.
fn micros(datetime: DateTime) -> i64 {
    // The library's own timestamps end a day before GoogleSQL's.
    let days = datetime
        .date()
        .since(EPOCH)
        .map_or(0, |length| length.get_days());
    let midnight = i64::from(days) * 86_400 * MICROS_PER_SECOND;
    let seconds = i64::from(datetime.hour()) * 3_600
        + i64::from(datetime.minute()) * 60
        + i64::from(datetime.second());
    (midnight + seconds * MICROS_PER_SECOND).clamp(FIRST, LAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks from when to when a test reaches at an instant; `<` stands before an end that is left out.
    #[track_caller]
    fn check(test: TimeTest, now: &str, expected: &str) {
        let now = now.parse::<Timestamp>().unwrap().as_microsecond();
        let show = |micros: i64| civil(micros).to_string();
        let shown = match bounds(test, now) {
            Bounds::Compare(_, micros) => show(micros),
            Bounds::Through(from, to) => format!("{} {}", show(from), show(to)),
            Bounds::Before(from, to) => format!("{} <{}", show(from), show(to)),
        };
        assert_eq!(shown, expected, "{test:?} at {now}");
    }

    #[test]
    fn shorthands_follow_the_calendar() {
        use TimeTest::{Last, This, Today, Yesterday};
        // A Sunday, the last second of a leap day's month.
        let now = "2032-02-29T23:59:59.999999Z";
        for (test, from) in [
            (This(Unit::Minute), "2032-02-29T23:59:00"),
            (This(Unit::Hour), "2032-02-29T23:00:00"),
            (This(Unit::Day), "2032-02-29T00:00:00"),
            (This(Unit::Week), "2032-02-23T00:00:00"),
            (This(Unit::Month), "2032-02-01T00:00:00"),
            (This(Unit::Year), "2032-01-01T00:00:00"),
            (Last(90, Unit::Second), "2032-02-29T23:58:29"),
            (Last(20, Unit::Minute), "2032-02-29T23:39:00"),
            (Last(6, Unit::Hour), "2032-02-29T17:00:00"),
            (Last(24, Unit::Hour), "2032-02-28T23:00:00"),
            (Last(60, Unit::Day), "2031-12-31T00:00:00"),
            (Last(1, Unit::Week), "2032-02-22T00:00:00"),
            (Last(3, Unit::Month), "2031-11-29T00:00:00"),
            (Last(12, Unit::Month), "2031-02-28T00:00:00"),
            (Last(1, Unit::Year), "2031-02-28T00:00:00"),
            (Last(4, Unit::Year), "2028-02-29T00:00:00"),
            (Last(9_999, Unit::Year), "0001-01-01T00:00:00"),
        ] {
            check(test, now, &format!("{from} 2032-02-29T23:59:59"));
        }
        check(Today, now, "2032-02-29T00:00:00 <2032-03-01T00:00:00");
        check(Yesterday, now, "2032-02-28T00:00:00 <2032-02-29T00:00:00");
        check(
            Last(1, Unit::Month),
            "2026-03-31T12:00:00Z",
            "2026-02-28T00:00:00 2026-03-31T12:00:00",
        );
        check(
            This(Unit::Week),
            "2026-03-02T00:00:00Z",
            "2026-03-02T00:00:00 2026-03-02T00:00:00",
        );
        check(
            Last(1, Unit::Second),
            "1969-12-31T23:59:59.5Z",
            "1969-12-31T23:59:58 1969-12-31T23:59:59",
        );
    }

    #[test]
    fn the_last_day_of_all_has_no_day_after_it() {
        let last = Date::constant(9999, 12, 31);
        let midnight = LAST + 1 - 86_400 * MICROS_PER_SECOND;
        assert_eq!(
            bounds(TimeTest::Day(last), 0),
            Bounds::Through(midnight, LAST)
        );
        let before = Date::constant(9999, 12, 30);
        assert_eq!(
            bounds(TimeTest::Day(before), 0),
            Bounds::Before(midnight - 86_400 * MICROS_PER_SECOND, midnight)
        );
    }
}
