//! Functions of DATE, TIME, DATETIME and TIMESTAMP, apart from formatting and parsing.

use std::rc::Rc;
use std::sync::Arc;

use arrow::array::{Array as _, ArrayRef, AsArray as _, TimestampMicrosecondArray};
use arrow::datatypes::{DataType, TimestampMicrosecondType};
use datafusion::error::Result;
use datafusion::logical_expr::ColumnarValue;

use crate::compiler::ir::DatePart;

use super::adapt::Function;
use super::calendar::{
    self, Civil, DAY, days_in_month, first_weekday, fixed_length, in_range, iso_year,
    micros_in_range, week_start,
};
use super::cast::{date_from_text, date_of, datetime_from_text, timestamp_from_text};
use super::context::Context;
use super::fault::{Outcome, mismatch, refuse};
use super::math::common_type;
use super::value::{Kind, Value};
use super::zone::Zone;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("timestamp", Kind::Timestamp, |cx, args| match args {
        [Value::Timestamp(micros)] => Ok(Value::Timestamp(*micros)),
        [Value::Str(text)] => timestamp_from_text(cx, text, None).map(Value::Timestamp),
        [Value::Str(text), Value::Str(tz)] => {
            timestamp_from_text(cx, text, Some(&*zone(cx, tz)?)).map(Value::Timestamp)
        }
        [Value::Date(days)] => Ok(Value::Timestamp(i64::from(*days) * DAY)),
        [Value::Date(days), Value::Str(tz)] => {
            micros_in_range(zone(cx, tz)?.instant(i64::from(*days) * DAY)).map(Value::Timestamp)
        }
        [Value::Datetime(micros)] => Ok(Value::Timestamp(*micros)),
        [Value::Datetime(micros), Value::Str(tz)] => {
            micros_in_range(zone(cx, tz)?.instant(*micros)).map(Value::Timestamp)
        }
        _ => mismatch(args),
    }),
    Function::new("datetime", Kind::Datetime, |cx, args| {
        let micros = match args {
            [Value::Datetime(micros) | Value::Timestamp(micros)] => *micros,
            [Value::Timestamp(micros), Value::Str(tz)] => zone(cx, tz)?.wall_clock(*micros),
            [Value::Date(days)] => i64::from(*days) * DAY,
            [Value::Date(days), Value::Time(time)] => i64::from(*days) * DAY + time,
            [Value::Str(text)] => datetime_from_text(text)?,
            [
                Value::Int64(year),
                Value::Int64(month),
                Value::Int64(day),
                Value::Int64(hour),
                Value::Int64(minute),
                Value::Int64(second),
            ] => match (
                Civil::checked(*year, *month, *day),
                time_of(*hour, *minute, *second),
            ) {
                (Some(civil), Some(time)) => civil.days() * DAY + time,
                _ => return refuse("no such datetime"),
            },
            _ => return mismatch(args),
        };
        micros_in_range(micros).map(Value::Datetime)
    }),
    Function::new("date", Kind::Date, |cx, args| match args {
        [Value::Date(days)] => Ok(Value::Date(*days)),
        [Value::Datetime(micros) | Value::Timestamp(micros)] => date_of(*micros),
        [Value::Timestamp(micros), Value::Str(tz)] => date_of(zone(cx, tz)?.wall_clock(*micros)),
        [Value::Str(text)] => date_from_text(text),
        [Value::Int64(year), Value::Int64(month), Value::Int64(day)] => {
            match Civil::checked(*year, *month, *day) {
                Some(civil) => date_of(civil.days() * DAY),
                None => refuse("no such date"),
            }
        }
        _ => mismatch(args),
    }),
    Function::new("time", Kind::Time, |cx, args| match args {
        [Value::Time(time)] => Ok(Value::Time(*time)),
        [Value::Datetime(micros) | Value::Timestamp(micros)] => {
            Ok(Value::Time(micros.rem_euclid(DAY)))
        }
        [Value::Timestamp(micros), Value::Str(tz)] => Ok(Value::Time(
            zone(cx, tz)?.wall_clock(*micros).rem_euclid(DAY),
        )),
        [
            Value::Int64(hour),
            Value::Int64(minute),
            Value::Int64(second),
        ] => match time_of(*hour, *minute, *second) {
            Some(time) => Ok(Value::Time(time % DAY)),
            None => refuse("no such time"),
        },
        _ => mismatch(args),
    }),
    Function::new("timestamp_seconds", Kind::Timestamp, |_, args| {
        from_unix(args, 1_000_000)
    }),
    Function::new("timestamp_millis", Kind::Timestamp, |_, args| {
        from_unix(args, 1_000)
    }),
    Function::new("timestamp_micros", Kind::Timestamp, |_, args| {
        from_unix(args, 1)
    }),
    Function::new("unix_seconds", Kind::Int64, |_, args| {
        to_unix(args, 1_000_000)
    }),
    Function::new("unix_millis", Kind::Int64, |_, args| to_unix(args, 1_000)),
    Function::new("unix_micros", Kind::Int64, |_, args| to_unix(args, 1)),
    Function::new("unix_date", Kind::Int64, |_, args| match args {
        [Value::Date(days)] => Ok(Value::Int64(i64::from(*days))),
        _ => mismatch(args),
    }),
    Function::new("date_from_unix_date", Kind::Date, |_, args| match args {
        [Value::Int64(days)] => date(*days),
        _ => mismatch(args),
    }),
    Function::typed("timestamp_trunc", common_type, truncate).with_quick(truncate_column),
    Function::typed("datetime_trunc", common_type, truncate),
    Function::typed("date_trunc", common_type, truncate),
    Function::typed("time_trunc", common_type, truncate),
    Function::typed("timestamp_add", common_type, |cx, args| add(cx, args, 1)),
    Function::typed("timestamp_sub", common_type, |cx, args| add(cx, args, -1)),
    Function::typed("datetime_add", common_type, |cx, args| add(cx, args, 1)),
    Function::typed("datetime_sub", common_type, |cx, args| add(cx, args, -1)),
    Function::typed("date_add", common_type, |cx, args| add(cx, args, 1)),
    Function::typed("date_sub", common_type, |cx, args| add(cx, args, -1)),
    Function::typed("time_add", common_type, |cx, args| add(cx, args, 1)),
    Function::typed("time_sub", common_type, |cx, args| add(cx, args, -1)),
    Function::new("timestamp_diff", Kind::Int64, difference),
    Function::new("datetime_diff", Kind::Int64, difference),
    Function::new("date_diff", Kind::Int64, difference),
    Function::new("time_diff", Kind::Int64, difference),
    Function::new("last_day", Kind::Date, |cx, args| match args {
        [Value::Date(days)] => last_day(i64::from(*days), DatePart::Month),
        [Value::Datetime(micros)] => last_day(micros.div_euclid(DAY), DatePart::Month),
        [Value::Date(days), Value::Str(unit)] => last_day(i64::from(*days), *part(cx, unit)?),
        [Value::Datetime(micros), Value::Str(unit)] => {
            last_day(micros.div_euclid(DAY), *part(cx, unit)?)
        }
        _ => mismatch(args),
    }),
    Function::of_literal("extract", extract_kind, |cx, args| match args {
        [Value::Str(unit), rest @ ..] => {
            let clock = wall_clock(cx, rest)?;
            match *part(cx, unit)? {
                DatePart::Date => date_of(clock),
                DatePart::Time => Ok(Value::Time(clock.rem_euclid(DAY))),
                DatePart::Datetime => micros_in_range(clock).map(Value::Datetime),
                unit => calendar::extract(clock, unit).map(Value::Int64),
            }
        }
        _ => mismatch(args),
    }),
    Function::typed("timestamp_bucket", bucket_type, bucket),
    Function::typed("datetime_bucket", bucket_type, bucket),
    Function::typed("date_bucket", bucket_type, bucket),
];

/// Returns the time zone of a text.
pub(super) fn zone(cx: &Context, text: &str) -> Outcome<Rc<Zone>> {
    cx.zones.get(text, Zone::parse)
}

/// Returns the date part of a text.
pub(super) fn part(cx: &Context, text: &str) -> Outcome<Rc<DatePart>> {
    cx.parts.get(text, |text| match DatePart::parse(text) {
        Some(part) => Ok(part),
        None => refuse(format!("no such date part: {text}")),
    })
}

fn date<'a>(days: i64) -> Outcome<Value<'a>> {
    date_of(in_range(days)?.saturating_mul(DAY))
}

fn time_of(hour: i64, minute: i64, second: i64) -> Option<i64> {
    let exists = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..=60).contains(&second);
    exists.then(|| (hour * 3_600 + minute * 60 + second) * calendar::SECOND)
}

fn from_unix<'a>(args: &[Value<'a>], unit: i64) -> Outcome<Value<'a>> {
    match args {
        [Value::Int64(count)] => match count.checked_mul(unit) {
            Some(micros) => micros_in_range(micros).map(Value::Timestamp),
            None => refuse("the timestamp is out of range"),
        },
        _ => mismatch(args),
    }
}

fn to_unix<'a>(args: &[Value<'a>], unit: i64) -> Outcome<Value<'a>> {
    match args {
        [Value::Timestamp(micros)] => Ok(Value::Int64(micros.div_euclid(unit))),
        _ => mismatch(args),
    }
}

/// The type of a part.
fn extract_kind(part: &str) -> Kind {
    match DatePart::parse(part) {
        Some(DatePart::Date) => Kind::Date,
        Some(DatePart::Time) => Kind::Time,
        Some(DatePart::Datetime) => Kind::Datetime,
        Some(_) | None => Kind::Int64,
    }
}

/// The wall clock that a part is taken from; a TIME is on 1970-01-01.
fn wall_clock(cx: &Context, args: &[Value<'_>]) -> Outcome<i64> {
    match args {
        [Value::Date(days)] => Ok(i64::from(*days) * DAY),
        [Value::Time(micros) | Value::Datetime(micros) | Value::Timestamp(micros)] => Ok(*micros),
        [Value::Timestamp(micros), Value::Str(tz)] => Ok(zone(cx, tz)?.wall_clock(*micros)),
        _ => mismatch(args),
    }
}

fn truncate<'a>(cx: &Context, args: &[Value<'a>]) -> Outcome<Value<'a>> {
    match args {
        [Value::Date(days), Value::Str(unit)] => {
            date(calendar::truncate(i64::from(*days), *part(cx, unit)?)?)
        }
        [Value::Time(time), Value::Str(unit)] => match fixed_length(*part(cx, unit)?) {
            Some(length) => Ok(Value::Time(time - time.rem_euclid(length))),
            None => refuse("TIME has no such part"),
        },
        [Value::Datetime(micros), Value::Str(unit)] => truncate_clock(*micros, *part(cx, unit)?)
            .and_then(micros_in_range)
            .map(Value::Datetime),
        [Value::Timestamp(micros), Value::Str(unit)] => {
            truncate_instant(*micros, *part(cx, unit)?, &Zone::UTC).map(Value::Timestamp)
        }
        [Value::Timestamp(micros), Value::Str(unit), Value::Str(tz)] => {
            truncate_instant(*micros, *part(cx, unit)?, &*zone(cx, tz)?).map(Value::Timestamp)
        }
        _ => mismatch(args),
    }
}

/// Truncates a column of instants, in UTC, to a constant part of at most a day. Days begin at midnight there, so
/// no result is before the first one.
fn truncate_column(args: &[ColumnarValue]) -> Option<Result<ArrayRef>> {
    let [ColumnarValue::Array(instants), ColumnarValue::Scalar(part)] = args else {
        return None;
    };
    let part = DatePart::parse(part.try_as_str()??)?;
    let length = fixed_length(part).filter(|length| *length <= DAY)?;
    let instants = instants.as_primitive_opt::<TimestampMicrosecondType>()?;
    let truncated: TimestampMicrosecondArray =
        instants.unary(|micros| micros - micros.rem_euclid(length));
    Some(Ok(Arc::new(
        truncated.with_data_type(instants.data_type().clone()),
    )))
}

/// Truncates on the wall clock.
fn truncate_clock(micros: i64, part: DatePart) -> Outcome<i64> {
    match fixed_length(part) {
        Some(length) if length < DAY => Ok(micros - micros.rem_euclid(length)),
        _ => Ok(calendar::truncate(micros.div_euclid(DAY), part)? * DAY),
    }
}

/// Truncates on the wall clock of a zone. Parts shorter than a day keep the offset of the instant.
fn truncate_instant(micros: i64, part: DatePart, zone: &Zone) -> Outcome<i64> {
    let offset = zone.offset_at(micros);
    let truncated = match fixed_length(part) {
        Some(length) if length < DAY => {
            let clock = micros + offset;
            clock - clock.rem_euclid(length) - offset
        }
        _ => zone.instant(truncate_clock(micros + offset, part)?),
    };
    micros_in_range(truncated)
}

fn add<'a>(cx: &Context, args: &[Value<'a>], sign: i64) -> Outcome<Value<'a>> {
    let [value, Value::Int64(count), Value::Str(unit)] = args else {
        return mismatch(args);
    };
    let unit = *part(cx, unit)?;
    let Some(count) = count.checked_mul(sign) else {
        return refuse("the interval is out of range");
    };
    let fixed = |micros: i64, length: i64| match count
        .checked_mul(length)
        .and_then(|span| micros.checked_add(span))
    {
        Some(moved) => Ok(moved),
        None => refuse("the interval is out of range"),
    };
    match value {
        Value::Date(days) => date(calendar::add_to_day(i64::from(*days), count, unit)?),
        Value::Time(time) => match fixed_length(unit).filter(|length| *length < DAY) {
            Some(length) => {
                // Times go round the clock, so only the rest of the days counts.
                let span = (i128::from(count) * i128::from(length)).rem_euclid(i128::from(DAY));
                let moved = (i128::from(*time) + span).rem_euclid(i128::from(DAY));
                Ok(Value::Time(i64::try_from(moved).unwrap_or_default()))
            }
            None => refuse("TIME has no such part"),
        },
        Value::Datetime(micros) => {
            let moved = match fixed_length(unit) {
                Some(length) => fixed(*micros, length)?,
                None => {
                    let days = calendar::add_to_day(micros.div_euclid(DAY), count, unit)?;
                    days * DAY + micros.rem_euclid(DAY)
                }
            };
            micros_in_range(moved).map(Value::Datetime)
        }
        Value::Timestamp(micros) => match fixed_length(unit) {
            Some(length) => micros_in_range(fixed(*micros, length)?).map(Value::Timestamp),
            None => refuse("TIMESTAMP has no such part"),
        },
        _ => mismatch(args),
    }
}

fn difference<'a>(cx: &Context, args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let [later, earlier, Value::Str(unit)] = args else {
        return mismatch(args);
    };
    let unit = *part(cx, unit)?;
    let count = match (later, earlier) {
        (Value::Date(later), Value::Date(earlier)) => {
            calendar::boundaries(i64::from(*later), i64::from(*earlier), unit)?
        }
        // On a wall clock, what counts is how often the part changes between the two.
        (Value::Datetime(later), Value::Datetime(earlier))
        | (Value::Time(later), Value::Time(earlier)) => match fixed_length(unit) {
            Some(length) if length < DAY => later.div_euclid(length) - earlier.div_euclid(length),
            _ => calendar::boundaries(later.div_euclid(DAY), earlier.div_euclid(DAY), unit)?,
        },
        (Value::Timestamp(later), Value::Timestamp(earlier)) => match fixed_length(unit) {
            Some(length) => (later - earlier) / length,
            None => return refuse("TIMESTAMP has no such part"),
        },
        _ => return mismatch(args),
    };
    Ok(Value::Int64(count))
}

fn last_day<'a>(days: i64, part: DatePart) -> Outcome<Value<'a>> {
    let civil = Civil::of(days);
    let end_of_month = |month: i64| {
        Civil {
            month,
            day: days_in_month(civil.year, month),
            ..civil
        }
        .days()
    };
    let last = match part {
        DatePart::Month => end_of_month(civil.month),
        DatePart::Quarter => end_of_month((civil.month - 1) / 3 * 3 + 3),
        DatePart::Year => end_of_month(12),
        DatePart::IsoYear => {
            let (year, start) = iso_year(days);
            // A year of 53 weeks goes on after 52.
            let weeks = if iso_year(start + 52 * 7).0 == year {
                53
            } else {
                52
            };
            start + weeks * 7 - 1
        }
        _ => match first_weekday(part) {
            Some(first) => week_start(days, first) + 6,
            None => return refuse("LAST_DAY takes no such part"),
        },
    };
    date(last)
}

fn bucket_type(types: &[DataType]) -> Option<DataType> {
    types.get(..1).and_then(common_type)
}

/// `…_bucket(value, count, part [, origin])`: the start of the bucket, counted from an origin that is
/// 1950-01-01 unless told.
fn bucket<'a>(cx: &Context, args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let (value, count, unit, origin) = match args {
        [value, Value::Int64(count), Value::Str(unit)] => (value, *count, *part(cx, unit)?, None),
        [value, Value::Int64(count), Value::Str(unit), origin] => {
            (value, *count, *part(cx, unit)?, Some(origin))
        }
        _ => return mismatch(args),
    };
    if count <= 0 {
        return refuse("the width of a bucket must be positive");
    }
    let default_origin = Civil::new_year(1950).days() * DAY;
    let (clock, origin) = match (value, origin) {
        (Value::Date(days), None) => (i64::from(*days) * DAY, default_origin),
        (Value::Datetime(v) | Value::Timestamp(v), None) => (*v, default_origin),
        (Value::Date(days), Some(Value::Date(from))) => {
            (i64::from(*days) * DAY, i64::from(*from) * DAY)
        }
        (Value::Datetime(v), Some(Value::Datetime(from)))
        | (Value::Timestamp(v), Some(Value::Timestamp(from))) => (*v, *from),
        _ => return mismatch(args),
    };
    let start = match fixed_length(unit) {
        Some(length) => {
            let Some(width) = count.checked_mul(length) else {
                return refuse("the width of a bucket is out of range");
            };
            clock - (clock - origin).rem_euclid(width)
        }
        None => month_bucket(clock, origin, count, unit)?,
    };
    match value {
        Value::Date(_) => date_of(start),
        Value::Datetime(_) => micros_in_range(start).map(Value::Datetime),
        _ => micros_in_range(start).map(Value::Timestamp),
    }
}

fn month_bucket(clock: i64, origin: i64, count: i64, unit: DatePart) -> Outcome<i64> {
    let months = match unit {
        DatePart::Month => Some(count),
        DatePart::Quarter => count.checked_mul(3),
        DatePart::Year => count.checked_mul(12),
        _ => return refuse("buckets have no such part"),
    };
    let Some(width) = months else {
        return refuse("the width of a bucket is out of range");
    };
    let (origin_day, origin_time) = (origin.div_euclid(DAY), origin.rem_euclid(DAY));
    let passed = calendar::boundaries(clock.div_euclid(DAY), origin_day, DatePart::Month)?;
    let mut step = passed.div_euclid(width);
    let start_of = |step: i64| -> Outcome<i64> {
        let months = step.saturating_mul(width);
        let day = calendar::add_to_day(origin_day, months, DatePart::Month)?;
        Ok(day * DAY + origin_time)
    };
    if start_of(step)? > clock {
        step -= 1;
    }
    start_of(step)
}
