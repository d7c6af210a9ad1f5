//! Functions of dates and times.

use super::{Arg, Embedded, Function, Ret, Signature, T, opt, partial, sig, total};
use crate::compiler::ir::DatePart;

use Arg::{Interval, NoLiteral, Of, Part};
use DatePart::{
    Day, DayOfWeek, DayOfYear, Hour, IsoWeek, IsoYear, Microsecond, Millisecond, Minute, Month,
    Quarter, Second, Week, WeekFriday, WeekMonday, WeekSaturday, WeekThursday, WeekTuesday,
    WeekWednesday, Year,
};
use T::{Date, Datetime, Int64, String, Time, Timestamp};

/// Parts of a fixed length.
const FIXED: &[DatePart] = &[Microsecond, Millisecond, Second, Minute, Hour, Day];
/// Parts of a fixed length, and weeks.
const FIXED_OR_WEEK: &[DatePart] = &[Microsecond, Millisecond, Second, Minute, Hour, Day, Week];
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
/// Parts that can be read off a date and time without zone.
const READS_DATETIME: &[DatePart] = &[
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

/// Parts that the last day of can be asked for.
const LASTS: &[DatePart] = &[
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
    total("CURRENT_TIMESTAMP", &[sig(&[], Ret::Of(Timestamp))])
        .spelt(Embedded::Form)
        .differs(CLOCK),
    partial("CURRENT_DATE", &[opt(&[Of(String)], 1, Ret::Of(Date))])
        .spelt(Embedded::Form)
        .differs(CLOCK),
    partial(
        "CURRENT_DATETIME",
        &[opt(&[Of(String)], 1, Ret::Of(Datetime))],
    )
    .spelt(Embedded::Form)
    .differs(CLOCK),
    partial("CURRENT_TIME", &[opt(&[Of(String)], 1, Ret::Of(Time))])
        .spelt(Embedded::Form)
        .differs(CLOCK),
    partial(
        "TIMESTAMP",
        &[
            sig(&[Of(Timestamp)], Ret::Of(Timestamp)),
            opt(&[Of(String), Of(String)], 1, Ret::Of(Timestamp)),
            opt(&[Of(Date), Of(String)], 1, Ret::Of(Timestamp)),
            opt(&[Of(Datetime), Of(String)], 1, Ret::Of(Timestamp)),
        ],
    ),
    partial("TIMESTAMP_ADD", &[MOVE_TIMESTAMP, MOVE_DATETIME]),
    partial("TIMESTAMP_SUB", &[MOVE_TIMESTAMP, MOVE_DATETIME]),
    partial("TIMESTAMP_DIFF", &[DIFF_TIMESTAMP, ALSO_DIFF_DATETIME]),
    partial("TIMESTAMP_TRUNC", &[CUT_TIMESTAMP, CUT_DATETIME]),
    partial(
        "TIMESTAMP_SECONDS",
        &[sig(&[Of(Int64)], Ret::Of(Timestamp))],
    ),
    partial("TIMESTAMP_MILLIS", &[sig(&[Of(Int64)], Ret::Of(Timestamp))]),
    partial("TIMESTAMP_MICROS", &[sig(&[Of(Int64)], Ret::Of(Timestamp))]),
    total("UNIX_SECONDS", &[sig(&[Of(Timestamp)], Ret::Of(Int64))]),
    total("UNIX_MILLIS", &[sig(&[Of(Timestamp)], Ret::Of(Int64))]),
    total("UNIX_MICROS", &[sig(&[Of(Timestamp)], Ret::Of(Int64))]),
    partial("FORMAT_TIMESTAMP", &[WRITE_TIMESTAMP, WRITE_DATETIME]),
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
            sig(&[NoLiteral(String)], Ret::Of(Date)),
        ],
    ),
    partial("DATE_ADD", &[MOVE_DATE, MOVE_DATETIME, MOVE_TIMESTAMP]),
    partial("DATE_SUB", &[MOVE_DATE, MOVE_DATETIME, MOVE_TIMESTAMP]),
    partial(
        "DATE_DIFF",
        &[DIFF_DATE, ALSO_DIFF_DATETIME, ALSO_DIFF_TIMESTAMP],
    ),
    partial(
        "DATE_TRUNC",
        &[
            sig(&[Of(Date), Part(CUTS_DATE)], Ret::Of(Date)),
            CUT_DATETIME,
            ALSO_CUT_TIMESTAMP,
        ],
    ),
    partial(
        "FORMAT_DATE",
        &[
            sig(&[Of(String), Of(Date)], Ret::Of(String)),
            WRITE_DATETIME,
            ALSO_WRITE_TIMESTAMP,
        ],
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
    partial("DATETIME_ADD", &[MOVE_DATETIME, MOVE_TIMESTAMP]),
    partial("DATETIME_SUB", &[MOVE_DATETIME, MOVE_TIMESTAMP]),
    partial("DATETIME_DIFF", &[DIFF_DATETIME, ALSO_DIFF_TIMESTAMP]),
    partial("DATETIME_TRUNC", &[CUT_DATETIME, ALSO_CUT_TIMESTAMP]),
    partial("FORMAT_DATETIME", &[WRITE_DATETIME, ALSO_WRITE_TIMESTAMP]),
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
            sig(&[Of(Time)], Ret::Of(Time)),
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
            opt(&[Of(Date), Part(LASTS)], 1, Ret::Of(Date)),
            opt(&[Of(Datetime), Part(LASTS)], 1, Ret::Of(Date)),
        ],
    ),
    total("UNIX_DATE", &[sig(&[Of(Date)], Ret::Of(Int64))]),
    partial("DATE_FROM_UNIX_DATE", &[sig(&[Of(Int64)], Ret::Of(Date))]),
    partial(
        "TIMESTAMP_BUCKET",
        &[
            opt(
                &[Of(Timestamp), Interval(FIXED_OR_WEEK), Of(Timestamp)],
                1,
                Ret::Of(Timestamp),
            ),
            ALSO_BUCKET_DATE,
            ALSO_BUCKET_DATETIME,
        ],
    ),
    partial(
        "DATE_BUCKET",
        &[
            opt(
                &[Of(Date), Interval(MOVES_DATE), Of(Date)],
                1,
                Ret::Of(Date),
            ),
            ALSO_BUCKET_DATETIME,
            ALSO_BUCKET_TIMESTAMP,
        ],
    ),
    partial(
        "DATETIME_BUCKET",
        &[
            opt(
                &[Of(Datetime), Interval(MOVES_DATETIME), Of(Datetime)],
                1,
                Ret::Of(Datetime),
            ),
            ALSO_BUCKET_DATE,
            ALSO_BUCKET_TIMESTAMP,
        ],
    ),
    partial(
        "EXTRACT",
        &[
            opt(&[Part(READS), Of(Timestamp), Of(String)], 1, Ret::Extracted),
            sig(&[Part(READS_DATE), Of(Date)], Ret::Extracted),
            sig(&[Part(READS_DATETIME), Of(Datetime)], Ret::Extracted),
            sig(&[Part(OF_DAY), Of(Time)], Ret::Extracted),
        ],
    ),
];

/// What holds for every way of asking for the time.
const CLOCK: &str = "on the embedded engine the instant at which the request came";

const MOVE_DATE: Signature = sig(&[Of(Date), Interval(MOVES_DATE)], Ret::Of(Date));

const MOVE_DATETIME: Signature = sig(&[Of(Datetime), Interval(MOVES_DATETIME)], Ret::Of(Datetime));

const MOVE_TIMESTAMP: Signature = sig(&[Of(Timestamp), Interval(FIXED)], Ret::Of(Timestamp));

const DIFF_DATE: Signature = sig(&[Of(Date), Of(Date), Part(CUTS_DATE)], Ret::Of(Int64));

const DIFF_DATETIME: Signature = sig(&[Of(Datetime), Of(Datetime), Part(CUTS)], Ret::Of(Int64));

const DIFF_TIMESTAMP: Signature = sig(&[Of(Timestamp), Of(Timestamp), Part(FIXED)], Ret::Of(Int64));

/// Difference of a type that the function is not named for: a literal is of the type it is named for.
const ALSO_DIFF_DATETIME: Signature = sig(
    &[NoLiteral(Datetime), NoLiteral(Datetime), Part(CUTS)],
    Ret::Of(Int64),
);

/// As [`ALSO_DIFF_DATETIME`].
const ALSO_DIFF_TIMESTAMP: Signature = sig(
    &[NoLiteral(Timestamp), NoLiteral(Timestamp), Part(FIXED)],
    Ret::Of(Int64),
);

const CUT_DATETIME: Signature = sig(&[Of(Datetime), Part(CUTS)], Ret::Of(Datetime));

const CUT_TIMESTAMP: Signature = opt(
    &[Of(Timestamp), Part(CUTS), Of(String)],
    1,
    Ret::Of(Timestamp),
);

/// That of a function of another type, which a literal is of.
const ALSO_CUT_TIMESTAMP: Signature = opt(
    &[NoLiteral(Timestamp), Part(CUTS), Of(String)],
    1,
    Ret::Of(Timestamp),
);

/// That of a function of another type, which literals are of. What it means is the function named for the type.
const ALSO_BUCKET_DATE: Signature = opt(
    &[NoLiteral(Date), Interval(MOVES_DATE), NoLiteral(Date)],
    1,
    Ret::Of(Date),
);

/// As [`ALSO_BUCKET_DATE`].
const ALSO_BUCKET_DATETIME: Signature = opt(
    &[
        NoLiteral(Datetime),
        Interval(MOVES_DATETIME),
        NoLiteral(Datetime),
    ],
    1,
    Ret::Of(Datetime),
);

/// As [`ALSO_BUCKET_DATE`].
const ALSO_BUCKET_TIMESTAMP: Signature = opt(
    &[
        NoLiteral(Timestamp),
        Interval(FIXED_OR_WEEK),
        NoLiteral(Timestamp),
    ],
    1,
    Ret::Of(Timestamp),
);

const WRITE_DATETIME: Signature = sig(&[Of(String), Of(Datetime)], Ret::Of(String));

const WRITE_TIMESTAMP: Signature =
    opt(&[Of(String), Of(Timestamp), Of(String)], 1, Ret::Of(String));

/// That of a function of another type, which a literal is of.
const ALSO_WRITE_TIMESTAMP: Signature = opt(
    &[Of(String), NoLiteral(Timestamp), Of(String)],
    1,
    Ret::Of(String),
);
