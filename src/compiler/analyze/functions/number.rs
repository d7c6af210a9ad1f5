//! Functions of numbers.

use super::{Arg, Function, Ret, Signature, T, many, opt, partial, sig, total};

use Arg::{Of, Orderable};
use T::{BigNumeric, Bool, Bytes, Float64, Int64, Numeric};

/// What our functions of the embedded engine do not compute with.
const BIG: &[T] = &[BigNumeric];
/// The same, for functions whose NUMERIC values have more digits on the way than the engine keeps.
const DECIMALS: &[T] = &[Numeric, BigNumeric];

pub(super) static NUMBERS: &[Function] = &[
    partial("ABS", NUMBER).without(BIG),
    total("SIGN", NUMBER).without(BIG),
    partial("ROUND", ROUND).without(BIG),
    partial("TRUNC", ROUND).without(BIG),
    partial("CEIL", FRACTION).alias(&["CEILING"]).without(BIG),
    partial("FLOOR", FRACTION).without(BIG),
    partial("DIV", WHOLE).without(BIG),
    partial("MOD", WHOLE).without(BIG),
    partial("POW", TWO_FRACTIONS)
        .alias(&["POWER"])
        .without(DECIMALS),
    partial("SQRT", FRACTION).without(BIG),
    partial("CBRT", FRACTION).without(DECIMALS),
    partial("EXP", FRACTION).without(DECIMALS),
    partial("LN", FRACTION).without(DECIMALS),
    partial(
        "LOG",
        &[
            opt(&[Of(Float64), Of(Float64)], 1, Ret::Of(Float64)),
            opt(&[Of(Numeric), Of(Numeric)], 1, Ret::Of(Numeric)),
            opt(&[Of(BigNumeric), Of(BigNumeric)], 1, Ret::Of(BigNumeric)),
        ],
    )
    .without(DECIMALS),
    partial("LOG10", FRACTION).without(DECIMALS),
    total(
        "BIT_COUNT",
        &[
            sig(&[Of(Int64)], Ret::Of(Int64)),
            sig(&[Of(Bytes)], Ret::Of(Int64)),
        ],
    ),
    total("GREATEST", &[many(&[Orderable], Ret::Any)]),
    total("LEAST", &[many(&[Orderable], Ret::Any)]),
    total("IS_NAN", &[sig(&[Of(Float64)], Ret::Of(Bool))]),
    total("IS_INF", &[sig(&[Of(Float64)], Ret::Of(Bool))]),
    total(
        "IEEE_DIVIDE",
        &[sig(&[Of(Float64), Of(Float64)], Ret::Of(Float64))],
    ),
    total("SAFE_DIVIDE", TWO_FRACTIONS).without(BIG),
    total("SAFE_ADD", TWO_NUMBERS).without(BIG),
    total("SAFE_SUBTRACT", TWO_NUMBERS).without(BIG),
    total("SAFE_MULTIPLY", TWO_NUMBERS).without(BIG),
    total("SAFE_NEGATE", NUMBER).without(BIG),
    partial(
        "RANGE_BUCKET",
        &[sig(&[Orderable, Arg::ArrayOfAny], Ret::Of(Int64))],
    ),
];

const NUMBER: &[Signature] = &[
    sig(&[Of(Int64)], Ret::Of(Int64)),
    sig(&[Of(Float64)], Ret::Of(Float64)),
    sig(&[Of(Numeric)], Ret::Of(Numeric)),
    sig(&[Of(BigNumeric)], Ret::Of(BigNumeric)),
];

const TWO_NUMBERS: &[Signature] = &[
    sig(&[Of(Int64), Of(Int64)], Ret::Of(Int64)),
    sig(&[Of(Float64), Of(Float64)], Ret::Of(Float64)),
    sig(&[Of(Numeric), Of(Numeric)], Ret::Of(Numeric)),
    sig(&[Of(BigNumeric), Of(BigNumeric)], Ret::Of(BigNumeric)),
];

const WHOLE: &[Signature] = &[
    sig(&[Of(Int64), Of(Int64)], Ret::Of(Int64)),
    sig(&[Of(Numeric), Of(Numeric)], Ret::Of(Numeric)),
    sig(&[Of(BigNumeric), Of(BigNumeric)], Ret::Of(BigNumeric)),
];

const FRACTION: &[Signature] = &[
    sig(&[Of(Float64)], Ret::Of(Float64)),
    sig(&[Of(Numeric)], Ret::Of(Numeric)),
    sig(&[Of(BigNumeric)], Ret::Of(BigNumeric)),
];

const TWO_FRACTIONS: &[Signature] = &[
    sig(&[Of(Float64), Of(Float64)], Ret::Of(Float64)),
    sig(&[Of(Numeric), Of(Numeric)], Ret::Of(Numeric)),
    sig(&[Of(BigNumeric), Of(BigNumeric)], Ret::Of(BigNumeric)),
];

const ROUND: &[Signature] = &[
    opt(&[Of(Float64), Of(Int64)], 1, Ret::Of(Float64)),
    opt(&[Of(Numeric), Of(Int64)], 1, Ret::Of(Numeric)),
    opt(&[Of(BigNumeric), Of(Int64)], 1, Ret::Of(BigNumeric)),
];
