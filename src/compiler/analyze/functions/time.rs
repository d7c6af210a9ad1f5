//! Functions of dates and times.

use super::{Arg, Embedded, Function, Ret, T, opt, partial, sig, total};
use crate::compiler::ir::DatePart;

use Arg::{Interval, Of, Part};
use DatePart::{
    Day, DayOfWeek, DayOfYear, Hour, IsoWeek, IsoYear, Microsecond, Millisecond, Minute, Month,
    Quarter, Second, Week, WeekFriday, WeekMonday, WeekSaturday, WeekThursday, WeekTuesday,
    WeekWednesday, Year,
};
use T::{Date, Datetime, Int64, String, Time, Timestamp};

/// Parts of a fixed length.
const FIXED: &[DatePart] = &[Microsecond, Millisecond, Second, Minute, Hour, Day];
/// Parts of a time of day.
const OF_DAY: &[DatePart] = &[Microsecond, Millisecond, Second, Minute, Hour];
/// Parts that a date can be moved by.
const MOVES_DATE: &[DatePart] = &[Day, Week, Month, Quarter, Year];
/// Parts that a date and time can be moved by.
const MOVES_DATETIME: &[DatePart] = &[
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
];
/// Parts that a date can be cut to.
const CUTS_DATE: &[DatePart] = &[
    Day,
    Week,
    WeekMonday,
    WeekTuesday,
    WeekWednesday,
    WeekThursday,
    WeekFriday,
    WeekSaturday,
    IsoWeek,
    Month,
    Quarter,
    Year,
    IsoYear,
];
/// Parts that a point in time can be cut to.
const CUTS: &[DatePart] = &[
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    WeekMonday,
    WeekTuesday,
    WeekWednesday,
    WeekThursday,
    WeekFriday,
    WeekSaturday,
    IsoWeek,
    Month,
    Quarter,
    Year,
    IsoYear,
];
/// Parts that can be read off a point in time.
const READS: &[DatePart] = &[
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    DayOfWeek,
    Day,
    DayOfYear,
    Week,
    WeekMonday,
    WeekTuesday,
    WeekWednesday,
    WeekThursday,
    WeekFriday,
    WeekSaturday,
    IsoWeek,
    Month,
    Quarter,
    Year,
    IsoYear,
    DatePart::Date,
    DatePart::Datetime,
    DatePart::Time,
];
/// Parts that can be read off a date.
const READS_DATE: &[DatePart] = &[
    DayOfWeek,
    Day,
    DayOfYear,
    Week,
    WeekMonday,
    WeekTuesday,
    WeekWednesday,
    WeekThursday,
    WeekFriday,
    WeekSaturday,
    IsoWeek,
    Month,
    Quarter,
    Year,
    IsoYear,
];

pub(super) static FUNCTIONS: &[Function] = &[
    total("CURRENT_TIMESTAMP", &[sig(&[], Ret::Of(Timestamp))]).spelt(Embedded::Form),
    partial("CURRENT_DATE", &[opt(&[Of(String)], 1, Ret::Of(Date))]).spelt(Embedded::Form),
    partial(
        "CURRENT_DATETIME",
        &[opt(&[Of(String)], 1, Ret::Of(Datetime))],
    )
    .spelt(Embedded::Form),
    partial(
        "TIMESTAMP",
        &[
            sig(&[Of(Timestamp)], Ret::Of(Timestamp)),
            opt(&[Of(String), Of(String)], 1, Ret::Of(Timestamp)),
            opt(&[Of(Date), Of(String)], 1, Ret::Of(Timestamp)),
            opt(&[Of(Datetime), Of(String)], 1, Ret::Of(Timestamp)),
        ],
    ),
    partial(
        "TIMESTAMP_ADD",
        &[sig(&[Of(Timestamp), Interval(FIXED)], Ret::Of(Timestamp))],
    ),
    partial(
        "TIMESTAMP_SUB",
        &[sig(&[Of(Timestamp), Interval(FIXED)], Ret::Of(Timestamp))],
    ),
    partial(
        "TIMESTAMP_DIFF",
        &[sig(
            &[Of(Timestamp), Of(Timestamp), Part(FIXED)],
            Ret::Of(Int64),
        )],
    ),
    partial(
        "TIMESTAMP_TRUNC",
        &[opt(
            &[Of(Timestamp), Part(CUTS), Of(String)],
            1,
            Ret::Of(Timestamp),
        )],
    ),
    partial(
        "TIMESTAMP_SECONDS",
        &[sig(&[Of(Int64)], Ret::Of(Timestamp))],
    ),
    partial("TIMESTAMP_MILLIS", &[sig(&[Of(Int64)], Ret::Of(Timestamp))]),
    partial("TIMESTAMP_MICROS", &[sig(&[Of(Int64)], Ret::Of(Timestamp))]),
    total("UNIX_SECONDS", &[sig(&[Of(Timestamp)], Ret::Of(Int64))]),
    total("UNIX_MILLIS", &[sig(&[Of(Timestamp)], Ret::Of(Int64))]),
    total("UNIX_MICROS", &[sig(&[Of(Timestamp)], Ret::Of(Int64))]),
    partial(
        "FORMAT_TIMESTAMP",
        &[opt(
            &[Of(String), Of(Timestamp), Of(String)],
            1,
            Ret::Of(String),
        )],
    ),
    partial(
        "PARSE_TIMESTAMP",
        &[opt(
            &[Of(String), Of(String), Of(String)],
            1,
            Ret::Of(Timestamp),
        )],
    ),
    partial(
        "DATE",
        &[
            sig(&[Of(Int64), Of(Int64), Of(Int64)], Ret::Of(Date)),
            opt(&[Of(Timestamp), Of(String)], 1, Ret::Of(Date)),
            sig(&[Of(Datetime)], Ret::Of(Date)),
            sig(&[Of(Date)], Ret::Of(Date)),
        ],
    ),
    partial(
        "DATE_ADD",
        &[
            sig(&[Of(Date), Interval(MOVES_DATE)], Ret::Of(Date)),
            sig(&[Of(Datetime), Interval(MOVES_DATETIME)], Ret::Of(Datetime)),
            sig(&[Of(Timestamp), Interval(FIXED)], Ret::Of(Timestamp)),
        ],
    ),
    partial(
        "DATE_SUB",
        &[
            sig(&[Of(Date), Interval(MOVES_DATE)], Ret::Of(Date)),
            sig(&[Of(Datetime), Interval(MOVES_DATETIME)], Ret::Of(Datetime)),
            sig(&[Of(Timestamp), Interval(FIXED)], Ret::Of(Timestamp)),
        ],
    ),
    partial(
        "DATE_DIFF",
        &[
            sig(&[Of(Date), Of(Date), Part(CUTS_DATE)], Ret::Of(Int64)),
            sig(&[Of(Datetime), Of(Datetime), Part(CUTS)], Ret::Of(Int64)),
            sig(&[Of(Timestamp), Of(Timestamp), Part(FIXED)], Ret::Of(Int64)),
        ],
    ),
    partial(
        "DATE_TRUNC",
        &[
            sig(&[Of(Date), Part(CUTS_DATE)], Ret::Of(Date)),
            sig(&[Of(Datetime), Part(CUTS)], Ret::Of(Datetime)),
            opt(
                &[Of(Timestamp), Part(CUTS), Of(String)],
                1,
                Ret::Of(Timestamp),
            ),
        ],
    ),
    partial(
        "FORMAT_DATE",
        &[sig(&[Of(String), Of(Date)], Ret::Of(String))],
    ),
    partial(
        "PARSE_DATE",
        &[sig(&[Of(String), Of(String)], Ret::Of(Date))],
    ),
    partial(
        "DATETIME",
        &[
            sig(
                &[
                    Of(Int64),
                    Of(Int64),
                    Of(Int64),
                    Of(Int64),
                    Of(Int64),
                    Of(Int64),
                ],
                Ret::Of(Datetime),
            ),
            opt(&[Of(Timestamp), Of(String)], 1, Ret::Of(Datetime)),
            opt(&[Of(Date), Of(Time)], 1, Ret::Of(Datetime)),
            sig(&[Of(Datetime)], Ret::Of(Datetime)),
            sig(&[Of(String)], Ret::Of(Datetime)),
        ],
    ),
    partial(
        "DATETIME_ADD",
        &[sig(
            &[Of(Datetime), Interval(MOVES_DATETIME)],
            Ret::Of(Datetime),
        )],
    ),
    partial(
        "DATETIME_SUB",
        &[sig(
            &[Of(Datetime), Interval(MOVES_DATETIME)],
            Ret::Of(Datetime),
        )],
    ),
    partial(
        "DATETIME_DIFF",
        &[sig(
            &[Of(Datetime), Of(Datetime), Part(CUTS)],
            Ret::Of(Int64),
        )],
    ),
    partial(
        "DATETIME_TRUNC",
        &[sig(&[Of(Datetime), Part(CUTS)], Ret::Of(Datetime))],
    ),
    partial(
        "FORMAT_DATETIME",
        &[sig(&[Of(String), Of(Datetime)], Ret::Of(String))],
    ),
    partial(
        "PARSE_DATETIME",
        &[sig(&[Of(String), Of(String)], Ret::Of(Datetime))],
    ),
    partial(
        "TIME",
        &[
            sig(&[Of(Int64), Of(Int64), Of(Int64)], Ret::Of(Time)),
            opt(&[Of(Timestamp), Of(String)], 1, Ret::Of(Time)),
            sig(&[Of(Datetime)], Ret::Of(Time)),
        ],
    ),
    partial(
        "TIME_ADD",
        &[sig(&[Of(Time), Interval(OF_DAY)], Ret::Of(Time))],
    ),
    partial(
        "TIME_SUB",
        &[sig(&[Of(Time), Interval(OF_DAY)], Ret::Of(Time))],
    ),
    partial(
        "TIME_DIFF",
        &[sig(&[Of(Time), Of(Time), Part(OF_DAY)], Ret::Of(Int64))],
    ),
    partial(
        "TIME_TRUNC",
        &[sig(&[Of(Time), Part(OF_DAY)], Ret::Of(Time))],
    ),
    partial(
        "FORMAT_TIME",
        &[sig(&[Of(String), Of(Time)], Ret::Of(String))],
    ),
    partial(
        "PARSE_TIME",
        &[sig(&[Of(String), Of(String)], Ret::Of(Time))],
    ),
    partial(
        "LAST_DAY",
        &[
            opt(&[Of(Date), Part(CUTS_DATE)], 1, Ret::Of(Date)),
            opt(&[Of(Datetime), Part(CUTS_DATE)], 1, Ret::Of(Date)),
        ],
    ),
    total("UNIX_DATE", &[sig(&[Of(Date)], Ret::Of(Int64))]),
    partial("DATE_FROM_UNIX_DATE", &[sig(&[Of(Int64)], Ret::Of(Date))]),
    partial(
        "TIMESTAMP_BUCKET",
        &[opt(
            &[Of(Timestamp), Interval(FIXED), Of(Timestamp)],
            1,
            Ret::Of(Timestamp),
        )],
    ),
    partial(
        "EXTRACT",
        &[
            opt(&[Part(READS), Of(Timestamp), Of(String)], 1, Ret::Extracted),
            sig(&[Part(READS_DATE), Of(Date)], Ret::Extracted),
            sig(&[Part(READS), Of(Datetime)], Ret::Extracted),
            sig(&[Part(OF_DAY), Of(Time)], Ret::Extracted),
        ],
    ),
];
