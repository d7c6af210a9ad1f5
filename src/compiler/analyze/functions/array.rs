//! Functions of ARRAY.

use super::{Arg, Function, Ret, Signature, T, many, opt, partial, sig, total};
use crate::compiler::ir::DatePart;

use Arg::{AnyArray, Constant, Interval, Of};
use DatePart::{Day, Hour, Microsecond, Millisecond, Minute, Month, Quarter, Second, Week, Year};
use T::{BigNumeric, Bytes, Date, Float64, Int64, Numeric, String, Timestamp};

pub(super) static ARRAYS: &[Function] = &[
    total("ARRAY_LENGTH", &[sig(&[AnyArray], Ret::Of(Int64))]),
    partial(
        "ARRAY_TO_STRING",
        &[
            opt(
                &[Arg::ArrayOf(String), Of(String), Of(String)],
                1,
                Ret::Of(String),
            ),
            opt(
                &[Arg::ArrayOf(Bytes), Of(Bytes), Of(Bytes)],
                1,
                Ret::Of(Bytes),
            ),
        ],
    ),
    partial("ARRAY_CONCAT", &[many(&[AnyArray], Ret::ArrayOfAny)]),
    partial("ARRAY_FIRST", &[sig(&[AnyArray], Ret::Element)]),
    partial("ARRAY_LAST", &[sig(&[AnyArray], Ret::Element)]),
    total("ARRAY_REVERSE", &[sig(&[AnyArray], Ret::ArrayOfAny)]),
    partial(
        "GENERATE_ARRAY",
        &[
            generated(&[Constant(Int64), Constant(Int64), Constant(Int64)], Int64),
            generated(
                &[Constant(Float64), Constant(Float64), Constant(Float64)],
                Float64,
            ),
            generated(
                &[Constant(Numeric), Constant(Numeric), Constant(Numeric)],
                Numeric,
            ),
            generated(
                &[
                    Constant(BigNumeric),
                    Constant(BigNumeric),
                    Constant(BigNumeric),
                ],
                BigNumeric,
            ),
        ],
    )
    .without(&[BigNumeric])
    .differs(GENERATED),
    partial(
        "GENERATE_DATE_ARRAY",
        &[generated(
            &[
                Constant(Date),
                Constant(Date),
                Interval(&[Day, Week, Month, Quarter, Year]),
            ],
            Date,
        )],
    )
    .differs(GENERATED),
    partial(
        "GENERATE_TIMESTAMP_ARRAY",
        &[sig(
            &[
                Constant(Timestamp),
                Constant(Timestamp),
                Interval(&[Microsecond, Millisecond, Second, Minute, Hour, Day]),
            ],
            Ret::ArrayOf(Timestamp),
        )],
    )
    .differs(GENERATED),
];

/// What holds on both engines alike.
const GENERATED: &str = "bounds and step are literals that give at most 10000 elements";

const fn generated(args: &'static [Arg], element: T) -> Signature {
    opt(args, 1, Ret::ArrayOf(element))
}
