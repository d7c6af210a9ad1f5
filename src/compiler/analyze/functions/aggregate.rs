//! Aggregate and window functions.

use super::{Arg, Embedded, Function, Kind, Ret, Signature, T, opt, sig};

use Arg::{Any, Free, LiteralInt, Of, Orderable};
use Embedded::{Form, Native};
use T::{Bool, Bytes, Float64, Int64, Numeric, String};

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
    }
}

/// Returns a function that only windows have.
const fn window(name: &'static str, signatures: &'static [Signature]) -> Function {
    Function {
        name,
        aliases: &[],
        kind: Kind::Window,
        signatures,
        can_fail: false,
        embedded: Form,
    }
}

const FLOAT: &[Signature] = &[sig(&[Of(Float64)], Ret::Of(Float64))];

const INT: &[Signature] = &[sig(&[Of(Int64)], Ret::Of(Int64))];

const TWO_FLOATS: &[Signature] = &[sig(&[Of(Float64), Of(Float64)], Ret::Of(Float64))];

/// The most parts that `APPROX_QUANTILES` may make.
const QUANTILES: i64 = 10_000;

/// The most offset that `LAG`, `LEAD`, `NTILE` and `NTH_VALUE` may be given.
const OFFSET: i64 = 1_000_000;

pub(super) static FUNCTIONS: &[Function] = &[
    aggregate("COUNT", &[opt(&[Free], 1, Ret::Of(Int64))], Native("count")),
    aggregate("COUNTIF", &[sig(&[Of(Bool)], Ret::Of(Int64))], Form),
    Function {
        can_fail: true,
        ..aggregate(
            "SUM",
            &[
                sig(&[Of(Int64)], Ret::Of(Int64)),
                sig(&[Of(Numeric)], Ret::Of(Numeric)),
                sig(&[Of(Float64)], Ret::Of(Float64)),
            ],
            Native("sum"),
        )
    },
    aggregate(
        "AVG",
        &[
            sig(&[Of(Int64)], Ret::Of(Float64)),
            sig(&[Of(Numeric)], Ret::Of(Numeric)),
            sig(&[Of(Float64)], Ret::Of(Float64)),
        ],
        Native("avg"),
    ),
    aggregate("MIN", &[sig(&[Orderable], Ret::Any)], Native("min")),
    aggregate("MAX", &[sig(&[Orderable], Ret::Any)], Native("max")),
    aggregate("ANY_VALUE", &[sig(&[Any], Ret::Any)], Native("first_value")),
    aggregate("ARRAY_AGG", &[sig(&[Any], Ret::ArrayOfAny)], Form),
    aggregate(
        "STRING_AGG",
        &[
            opt(&[Of(String), Of(String)], 1, Ret::Of(String)),
            opt(&[Of(Bytes), Of(Bytes)], 1, Ret::Of(Bytes)),
        ],
        Form,
    ),
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
    aggregate("STDDEV_SAMP", FLOAT, Native("stddev_samp")).alias(&["STDDEV"]),
    aggregate("STDDEV_POP", FLOAT, Native("stddev_pop")),
    aggregate("VAR_SAMP", FLOAT, Native("var_samp")).alias(&["VARIANCE"]),
    aggregate("VAR_POP", FLOAT, Native("var_pop")),
    aggregate(
        "APPROX_COUNT_DISTINCT",
        &[sig(&[Free], Ret::Of(Int64))],
        Form,
    ),
    aggregate("BIT_AND", INT, Native("bit_and")),
    aggregate("BIT_OR", INT, Native("bit_or")),
    aggregate("BIT_XOR", INT, Native("bit_xor")),
    aggregate("CORR", TWO_FLOATS, Native("corr")),
    aggregate("COVAR_POP", TWO_FLOATS, Native("covar_pop")),
    aggregate("COVAR_SAMP", TWO_FLOATS, Native("covar_samp")),
    aggregate("MAX_BY", &[sig(&[Any, Arg::FreeOrderable], Ret::Any)], Form),
    aggregate("MIN_BY", &[sig(&[Any, Arg::FreeOrderable], Ret::Any)], Form),
    aggregate(
        "APPROX_QUANTILES",
        &[sig(&[Orderable, LiteralInt(QUANTILES)], Ret::ArrayOfAny)],
        Form,
    ),
    window("ROW_NUMBER", &[sig(&[], Ret::Of(Int64))]),
    window("RANK", &[sig(&[], Ret::Of(Int64))]),
    window("DENSE_RANK", &[sig(&[], Ret::Of(Int64))]),
    window("PERCENT_RANK", &[sig(&[], Ret::Of(Float64))]),
    window("CUME_DIST", &[sig(&[], Ret::Of(Float64))]),
    window("NTILE", &[sig(&[LiteralInt(OFFSET)], Ret::Of(Int64))]),
    window("LAG", &[opt(&[Any, LiteralInt(OFFSET), Any], 2, Ret::Any)]),
    window("LEAD", &[opt(&[Any, LiteralInt(OFFSET), Any], 2, Ret::Any)]),
    window("FIRST_VALUE", &[sig(&[Any], Ret::Any)]),
    window("LAST_VALUE", &[sig(&[Any], Ret::Any)]),
    window("NTH_VALUE", &[sig(&[Any, LiteralInt(OFFSET)], Ret::Any)]),
];
