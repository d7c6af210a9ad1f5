//! Aggregate and window functions.

use super::{Arg, Embedded, Function, Kind, Ret, Signature, T, opt, sig};

use Arg::{Any, AnyArray, Free, LiteralInt, Of, Orderable};
use Embedded::{Form, Native};
use T::{BigNumeric, Bool, Bytes, Float64, Int64, Numeric, String};

/// Returns an aggregate function.
const fn aggregate(
    name: &'static str,
    signatures: &'static [Signature],
    embedded: Embedded,
) -> Function {
    Function {
        name,
        aliases: &[],
        kind: Kind::Aggregate,
        signatures,
        can_fail: false,
        embedded,
        without: &[],
        differs: None,
    }
}

/// Returns an aggregate function that can fail on a value.
const fn partial(
    name: &'static str,
    signatures: &'static [Signature],
    embedded: Embedded,
) -> Function {
    Function {
        can_fail: true,
        ..aggregate(name, signatures, embedded)
    }
}

/// Returns a function that only windows have.
const fn window(name: &'static str, signatures: &'static [Signature]) -> Function {
    Function {
        kind: Kind::Window,
        ..aggregate(name, signatures, Form)
    }
}

/// The most parts that `APPROX_QUANTILES` may make, and the most values that `APPROX_TOP_COUNT` may give.
const PARTS: i64 = 10_000;

/// The most offset that `LAG`, `LEAD`, `NTILE` and `NTH_VALUE` may be given.
const OFFSET: i64 = 1_000_000;

const BIG: &[T] = &[BigNumeric];

const SUMS: &str = "fails where the sum of FLOAT64 values is none, also for AVG";

/// The same for functions of squares.
const SQUARES: &str = "fails where a square of FLOAT64 values is none";

/// What an approximate function of the other engine is on the embedded one.
const EXACT: &str = "the embedded engine keeps every value of a group, so its answer is exact";

/// What replaces a sketch.
const SKETCH: &str = "write APPROX_COUNT_DISTINCT(x), or COUNT(DISTINCT x)";

pub(super) static AGGREGATES: &[Function] = &[
    aggregate("COUNT", &[opt(&[Free], 1, Ret::Of(Int64))], Native("count")),
    aggregate("COUNTIF", &[sig(&[Of(Bool)], Ret::Of(Int64))], Form),
    partial(
        "SUM",
        &[
            sig(&[Of(Int64)], Ret::Of(Int64)),
            sig(&[Of(Float64)], Ret::Of(Float64)),
            sig(&[Of(Numeric)], Ret::Of(Numeric)),
            sig(&[Of(BigNumeric)], Ret::Of(BigNumeric)),
        ],
        Native("sum"),
    )
    .without(BIG)
    .differs(SUMS),
    partial(
        "AVG",
        &[
            sig(&[Of(Int64)], Ret::Of(Float64)),
            sig(&[Of(Float64)], Ret::Of(Float64)),
            sig(&[Of(Numeric)], Ret::Of(Numeric)),
            sig(&[Of(BigNumeric)], Ret::Of(BigNumeric)),
        ],
        Native("avg"),
    )
    .without(BIG)
    .differs(SUMS),
    aggregate("MIN", &[sig(&[Orderable], Ret::Any)], Native("min")),
    aggregate("MAX", &[sig(&[Orderable], Ret::Any)], Native("max")),
    aggregate("ANY_VALUE", &[sig(&[Any], Ret::Any)], Native("first_value")),
    aggregate("ARRAY_AGG", &[sig(&[Any], Ret::ArrayOfAny)], Form),
    partial(
        "ARRAY_CONCAT_AGG",
        &[sig(&[AnyArray], Ret::ArrayOfAny)],
        Form,
    )
    .differs("the embedded engine gives arrays of at most 1048576 elements"),
    aggregate(
        "STRING_AGG",
        &[
            opt(&[Of(String), Arg::LiteralString], 1, Ret::Of(String)),
            opt(&[Of(Bytes), Arg::Constant(Bytes)], 1, Ret::Of(Bytes)),
        ],
        Form,
    )
    .without(&[Bytes]),
    aggregate(
        "LOGICAL_AND",
        &[sig(&[Of(Bool)], Ret::Of(Bool))],
        Native("bool_and"),
    ),
    aggregate(
        "LOGICAL_OR",
        &[sig(&[Of(Bool)], Ret::Of(Bool))],
        Native("bool_or"),
    ),
    aggregate("BIT_AND", INT, Native("bit_and")),
    aggregate("BIT_OR", INT, Native("bit_or")),
    aggregate("BIT_XOR", INT, Native("bit_xor")),
    partial("STDDEV_SAMP", SPREAD, Native("stddev_samp"))
        .alias(&["STDDEV"])
        .without(BIG)
        .differs(SQUARES),
    partial("STDDEV_POP", SPREAD, Native("stddev_pop"))
        .without(BIG)
        .differs(SQUARES),
    partial("VAR_SAMP", SPREAD, Native("var_samp"))
        .alias(&["VARIANCE"])
        .without(BIG)
        .differs(SQUARES),
    partial("VAR_POP", SPREAD, Native("var_pop"))
        .without(BIG)
        .differs(SQUARES),
    partial("CORR", PAIR, Native("corr")).without(BIG),
    partial("COVAR_POP", PAIR, Native("covar_pop")).without(BIG),
    partial("COVAR_SAMP", PAIR, Native("covar_samp")).without(BIG),
    aggregate(
        "GROUPING",
        &[sig(&[Free], Ret::Of(Int64))],
        Native("grouping"),
    ),
    aggregate("MAX_BY", BY, Form),
    aggregate("MIN_BY", BY, Form),
];

pub(super) static APPROXIMATE: &[Function] = &[
    aggregate(
        "APPROX_COUNT_DISTINCT",
        &[sig(&[Free], Ret::Of(Int64))],
        Form,
    )
    .differs(EXACT),
    aggregate(
        "APPROX_QUANTILES",
        &[sig(&[Orderable, LiteralInt(PARTS)], Ret::ArrayOfAny)],
        Form,
    )
    .differs(EXACT),
    aggregate(
        "APPROX_TOP_COUNT",
        &[sig(
            &[Orderable, LiteralInt(PARTS)],
            Ret::Top("count", Int64),
        )],
        Form,
    )
    .differs(EXACT),
    partial(
        "APPROX_TOP_SUM",
        &[
            sig(
                &[Orderable, Of(Int64), LiteralInt(PARTS)],
                Ret::Top("sum", Int64),
            ),
            sig(
                &[Orderable, Of(Float64), LiteralInt(PARTS)],
                Ret::Top("sum", Float64),
            ),
            sig(
                &[Orderable, Of(Numeric), LiteralInt(PARTS)],
                Ret::Top("sum", Numeric),
            ),
            sig(
                &[Orderable, Of(BigNumeric), LiteralInt(PARTS)],
                Ret::Top("sum", BigNumeric),
            ),
        ],
        Form,
    )
    .without(BIG)
    .differs(EXACT),
    aggregate(
        "HLL_COUNT.INIT",
        &[
            opt(&[Of(Int64), LiteralInt(24)], 1, Ret::Of(Bytes)),
            opt(&[Of(Numeric), LiteralInt(24)], 1, Ret::Of(Bytes)),
            opt(&[Of(BigNumeric), LiteralInt(24)], 1, Ret::Of(Bytes)),
            opt(&[Of(String), LiteralInt(24)], 1, Ret::Of(Bytes)),
            opt(&[Of(Bytes), LiteralInt(24)], 1, Ret::Of(Bytes)),
        ],
        Embedded::Absent(SKETCH),
    ),
    partial(
        "HLL_COUNT.MERGE",
        &[sig(&[Of(Bytes)], Ret::Of(Int64))],
        Embedded::Absent(SKETCH),
    ),
    partial(
        "HLL_COUNT.MERGE_PARTIAL",
        &[sig(&[Of(Bytes)], Ret::Of(Bytes))],
        Embedded::Absent(SKETCH),
    ),
    Function {
        kind: Kind::Scalar,
        ..partial(
            "HLL_COUNT.EXTRACT",
            &[sig(&[Of(Bytes)], Ret::Of(Int64))],
            Embedded::Absent(SKETCH),
        )
    },
];

pub(super) static WINDOWS: &[Function] = &[
    window("ROW_NUMBER", &[sig(&[], Ret::Of(Int64))]),
    window("RANK", &[sig(&[], Ret::Of(Int64))]),
    window("DENSE_RANK", &[sig(&[], Ret::Of(Int64))]),
    window("PERCENT_RANK", &[sig(&[], Ret::Of(Float64))]),
    window("CUME_DIST", &[sig(&[], Ret::Of(Float64))]),
    window("NTILE", &[sig(&[LiteralInt(OFFSET)], Ret::Of(Int64))]),
    window("LAG", NEIGHBOUR),
    window("LEAD", NEIGHBOUR),
    window("FIRST_VALUE", &[sig(&[Any], Ret::Any)]),
    window("LAST_VALUE", &[sig(&[Any], Ret::Any)]),
    window("NTH_VALUE", &[sig(&[Any, LiteralInt(OFFSET)], Ret::Any)]),
    window(
        "PERCENTILE_CONT",
        &[
            sig(&[Of(Float64), Arg::Fraction(Float64)], Ret::Of(Float64)),
            sig(&[Of(Numeric), Arg::Fraction(Numeric)], Ret::Of(Numeric)),
            sig(
                &[Of(BigNumeric), Arg::Fraction(BigNumeric)],
                Ret::Of(BigNumeric),
            ),
        ],
    )
    .without(&[Numeric, BigNumeric]),
    window(
        "PERCENTILE_DISC",
        &[sig(&[Orderable, Arg::Fraction(Float64)], Ret::Any)],
    ),
];

const NEIGHBOUR: &[Signature] = &[opt(
    &[Any, LiteralInt(OFFSET), Arg::AnyConstant],
    2,
    Ret::Any,
)];

const INT: &[Signature] = &[sig(&[Of(Int64)], Ret::Of(Int64))];

/// The result is FLOAT64 whatever the numbers are.
const SPREAD: &[Signature] = &[
    sig(&[Of(Float64)], Ret::Of(Float64)),
    sig(&[Of(Numeric)], Ret::Of(Float64)),
    sig(&[Of(BigNumeric)], Ret::Of(Float64)),
];

const PAIR: &[Signature] = &[
    sig(&[Of(Float64), Of(Float64)], Ret::Of(Float64)),
    sig(&[Of(Numeric), Of(Numeric)], Ret::Of(Float64)),
    sig(&[Of(BigNumeric), Of(BigNumeric)], Ret::Of(Float64)),
];

const BY: &[Signature] = &[sig(&[Any, Arg::FreeOrderable], Ret::Any)];
