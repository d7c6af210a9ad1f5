//! Scalar functions, except those of dates and times.

use super::{Arg, Embedded, Function, Ret, T, many, opt, partial, sig, total};

use Arg::{Any, AnyArray, LiteralBound, LiteralInt, LiteralString, Of, Orderable, Pattern};
use T::{Bool, Bytes, Float64, Int64, Json, Numeric, String};

/// The greatest count that `REPEAT`, `LPAD` and `RPAD` may be given.
const PADDING: i64 = 1_000;

/// The greatest bound that `GENERATE_ARRAY` may be given.
const GENERATED: i64 = 10_000;

pub(super) static FUNCTIONS: &[Function] = &[
    // Conditional.
    total("COALESCE", &[many(&[Any], Ret::Any)]).spelt(Embedded::Native("coalesce")),
    total("IFNULL", &[sig(&[Any, Any], Ret::Any)]).spelt(Embedded::Native("coalesce")),
    total("NULLIF", &[sig(&[Any, Any], Ret::Any)]).spelt(Embedded::Native("nullif")),
    // Strings.
    total("ASCII", &[sig(&[Of(String)], Ret::Of(Int64))]),
    total("BYTE_LENGTH", BYTE_OR_TEXT_TO_INT).alias(&["OCTET_LENGTH"]),
    total("CHAR_LENGTH", &[sig(&[Of(String)], Ret::Of(Int64))]).alias(&["CHARACTER_LENGTH"]),
    partial("CHR", &[sig(&[Of(Int64)], Ret::Of(String))]),
    partial(
        "CODE_POINTS_TO_STRING",
        &[sig(&[Arg::ArrayOf(Int64)], Ret::Of(String))],
    ),
    partial(
        "CONCAT",
        &[
            many(&[Of(String)], Ret::Of(String)),
            many(&[Of(Bytes)], Ret::Of(Bytes)),
        ],
    ),
    total("ENDS_WITH", TWO_TEXTS_TO_BOOL),
    total(
        "INITCAP",
        &[opt(&[Of(String), Of(String)], 1, Ret::Of(String))],
    ),
    partial(
        "INSTR",
        &[opt(
            &[Of(String), Of(String), Of(Int64), Of(Int64)],
            2,
            Ret::Of(Int64),
        )],
    ),
    partial("LEFT", TEXT_AND_INT),
    total("LENGTH", BYTE_OR_TEXT_TO_INT),
    total("LOWER", &[sig(&[Of(String)], Ret::Of(String))]),
    partial("LPAD", PAD),
    total("LTRIM", TRIM),
    partial(
        "REPEAT",
        &[sig(&[Of(String), LiteralInt(PADDING)], Ret::Of(String))],
    ),
    partial(
        "REPLACE",
        &[sig(&[Of(String), Of(String), Of(String)], Ret::Of(String))],
    ),
    total("REVERSE", &[sig(&[Of(String)], Ret::Of(String))]),
    partial("RIGHT", TEXT_AND_INT),
    partial("RPAD", PAD),
    total("RTRIM", TRIM),
    total(
        "SPLIT",
        &[opt(&[Of(String), Of(String)], 1, Ret::ArrayOf(String))],
    ),
    total("STARTS_WITH", TWO_TEXTS_TO_BOOL),
    total(
        "STRPOS",
        &[
            sig(&[Of(String), Of(String)], Ret::Of(Int64)),
            sig(&[Of(Bytes), Of(Bytes)], Ret::Of(Int64)),
        ],
    ),
    partial(
        "SUBSTR",
        &[
            opt(&[Of(String), Of(Int64), Of(Int64)], 1, Ret::Of(String)),
            opt(&[Of(Bytes), Of(Int64), Of(Int64)], 1, Ret::Of(Bytes)),
        ],
    )
    .alias(&["SUBSTRING"]),
    total("TO_CODE_POINTS", &[sig(&[Of(String)], Ret::ArrayOf(Int64))]),
    partial(
        "TRANSLATE",
        &[sig(&[Of(String), Of(String), Of(String)], Ret::Of(String))],
    ),
    total("TRIM", TRIM),
    total("UNICODE", &[sig(&[Of(String)], Ret::Of(Int64))]),
    total("UPPER", &[sig(&[Of(String)], Ret::Of(String))]),
    // Regular expressions.
    total(
        "REGEXP_CONTAINS",
        &[sig(&[Of(String), Pattern], Ret::Of(Bool))],
    ),
    partial(
        "REGEXP_EXTRACT",
        &[opt(
            &[Of(String), Pattern, Of(Int64), Of(Int64)],
            2,
            Ret::Of(String),
        )],
    )
    .alias(&["REGEXP_SUBSTR"]),
    partial(
        "REGEXP_EXTRACT_ALL",
        &[sig(&[Of(String), Pattern], Ret::ArrayOf(String))],
    ),
    partial(
        "REGEXP_INSTR",
        &[opt(
            &[Of(String), Pattern, Of(Int64), Of(Int64)],
            2,
            Ret::Of(Int64),
        )],
    ),
    partial(
        "REGEXP_REPLACE",
        &[sig(&[Of(String), Pattern, Of(String)], Ret::Of(String))],
    ),
    // Bytes and hashes.
    total("MD5", HASH),
    total("SHA1", HASH),
    total("SHA256", HASH),
    total("SHA512", HASH),
    total("TO_BASE64", &[sig(&[Of(Bytes)], Ret::Of(String))]),
    partial("FROM_BASE64", &[sig(&[Of(String)], Ret::Of(Bytes))]),
    total("TO_BASE32", &[sig(&[Of(Bytes)], Ret::Of(String))]),
    partial("FROM_BASE32", &[sig(&[Of(String)], Ret::Of(Bytes))]),
    total("TO_HEX", &[sig(&[Of(Bytes)], Ret::Of(String))]),
    partial("FROM_HEX", &[sig(&[Of(String)], Ret::Of(Bytes))]),
    total(
        "SAFE_CONVERT_BYTES_TO_STRING",
        &[sig(&[Of(Bytes)], Ret::Of(String))],
    ),
    // Numbers.
    partial("ABS", NUMBER),
    total("SIGN", NUMBER),
    partial("ROUND", ROUND),
    partial("TRUNC", ROUND),
    partial("CEIL", FLOAT_NUMBER).alias(&["CEILING"]),
    partial("FLOOR", FLOAT_NUMBER),
    partial("DIV", &[sig(&[Of(Int64), Of(Int64)], Ret::Of(Int64))]),
    partial("MOD", &[sig(&[Of(Int64), Of(Int64)], Ret::Of(Int64))]),
    partial("POW", TWO_FLOATS).alias(&["POWER"]),
    partial("SQRT", FLOAT),
    partial("EXP", FLOAT),
    partial("LN", FLOAT),
    partial(
        "LOG",
        &[opt(&[Of(Float64), Of(Float64)], 1, Ret::Of(Float64))],
    ),
    partial("LOG10", FLOAT),
    total("CBRT", FLOAT),
    total("BIT_COUNT", &[sig(&[Of(Int64)], Ret::Of(Int64))]),
    total("GREATEST", &[many(&[Orderable], Ret::Any)]),
    total("LEAST", &[many(&[Orderable], Ret::Any)]),
    total("IS_NAN", &[sig(&[Of(Float64)], Ret::Of(Bool))]),
    total("IS_INF", &[sig(&[Of(Float64)], Ret::Of(Bool))]),
    total("IEEE_DIVIDE", TWO_FLOATS),
    total("SAFE_DIVIDE", TWO_FLOATS),
    total("SAFE_ADD", SAFE_ARITHMETIC),
    total("SAFE_SUBTRACT", SAFE_ARITHMETIC),
    total("SAFE_MULTIPLY", SAFE_ARITHMETIC),
    total(
        "SAFE_NEGATE",
        &[
            sig(&[Of(Int64)], Ret::Of(Int64)),
            sig(&[Of(Float64)], Ret::Of(Float64)),
        ],
    ),
    // JSON.
    total("JSON_VALUE", JSON_SCALAR).alias(&["JSON_EXTRACT_SCALAR"]),
    total(
        "JSON_QUERY",
        &[
            opt(&[Of(Json), LiteralString], 1, Ret::Of(Json)),
            opt(&[Of(String), LiteralString], 1, Ret::Of(String)),
        ],
    )
    .alias(&["JSON_EXTRACT"]),
    total(
        "JSON_VALUE_ARRAY",
        &[
            opt(&[Of(Json), LiteralString], 1, Ret::ArrayOf(String)),
            opt(&[Of(String), LiteralString], 1, Ret::ArrayOf(String)),
        ],
    ),
    total(
        "JSON_QUERY_ARRAY",
        &[
            opt(&[Of(Json), LiteralString], 1, Ret::ArrayOf(Json)),
            opt(&[Of(String), LiteralString], 1, Ret::ArrayOf(String)),
        ],
    ),
    partial("PARSE_JSON", &[sig(&[Of(String)], Ret::Of(Json))]),
    total("JSON_TYPE", &[sig(&[Of(Json)], Ret::Of(String))]),
    total("TO_JSON_STRING", &[sig(&[Arg::Free], Ret::Of(String))]).spelt(Embedded::Form),
    partial("BOOL", &[sig(&[Of(Json)], Ret::Of(Bool))]),
    partial("INT64", &[sig(&[Of(Json)], Ret::Of(Int64))]),
    partial("FLOAT64", &[sig(&[Of(Json)], Ret::Of(Float64))]),
    partial(
        "STRING",
        &[
            sig(&[Of(Json)], Ret::Of(String)),
            opt(&[Of(T::Timestamp), Of(String)], 1, Ret::Of(String)),
            sig(&[Of(T::Date)], Ret::Of(String)),
            sig(&[Of(T::Datetime)], Ret::Of(String)),
            sig(&[Of(T::Time)], Ret::Of(String)),
        ],
    ),
    total("LAX_BOOL", &[sig(&[Of(Json)], Ret::Of(Bool))]),
    total("LAX_INT64", &[sig(&[Of(Json)], Ret::Of(Int64))]),
    total("LAX_FLOAT64", &[sig(&[Of(Json)], Ret::Of(Float64))]),
    total("LAX_STRING", &[sig(&[Of(Json)], Ret::Of(String))]),
    // Arrays.
    total("ARRAY_LENGTH", &[sig(&[AnyArray], Ret::Of(Int64))]),
    total(
        "ARRAY_TO_STRING",
        &[opt(
            &[Arg::ArrayOf(String), Of(String), Of(String)],
            1,
            Ret::Of(String),
        )],
    ),
    partial(
        "GENERATE_ARRAY",
        &[opt(
            &[
                LiteralBound(GENERATED),
                LiteralBound(GENERATED),
                LiteralBound(GENERATED),
            ],
            1,
            Ret::ArrayOf(Int64),
        )],
    ),
    partial("ARRAY_CONCAT", &[many(&[AnyArray], Ret::ArrayOfAny)]),
    total("ARRAY_FIRST", &[sig(&[AnyArray], Ret::Element)]),
    total("ARRAY_LAST", &[sig(&[AnyArray], Ret::Element)]),
    total("ARRAY_REVERSE", &[sig(&[AnyArray], Ret::ArrayOfAny)]),
];

const BYTE_OR_TEXT_TO_INT: &[super::Signature] = &[
    sig(&[Of(String)], Ret::Of(Int64)),
    sig(&[Of(Bytes)], Ret::Of(Int64)),
];

const TWO_TEXTS_TO_BOOL: &[super::Signature] = &[
    sig(&[Of(String), Of(String)], Ret::Of(Bool)),
    sig(&[Of(Bytes), Of(Bytes)], Ret::Of(Bool)),
];

const TEXT_AND_INT: &[super::Signature] = &[sig(&[Of(String), Of(Int64)], Ret::Of(String))];

const PAD: &[super::Signature] = &[opt(
    &[Of(String), LiteralInt(PADDING), Of(String)],
    1,
    Ret::Of(String),
)];

const TRIM: &[super::Signature] = &[opt(&[Of(String), Of(String)], 1, Ret::Of(String))];

const HASH: &[super::Signature] = &[
    sig(&[Of(String)], Ret::Of(Bytes)),
    sig(&[Of(Bytes)], Ret::Of(Bytes)),
];

const NUMBER: &[super::Signature] = &[
    sig(&[Of(Int64)], Ret::Of(Int64)),
    sig(&[Of(Numeric)], Ret::Of(Numeric)),
    sig(&[Of(Float64)], Ret::Of(Float64)),
];

const FLOAT: &[super::Signature] = &[sig(&[Of(Float64)], Ret::Of(Float64))];

const FLOAT_NUMBER: &[super::Signature] = &[
    sig(&[Of(Float64)], Ret::Of(Float64)),
    sig(&[Of(Numeric)], Ret::Of(Numeric)),
];

const TWO_FLOATS: &[super::Signature] = &[sig(&[Of(Float64), Of(Float64)], Ret::Of(Float64))];

const ROUND: &[super::Signature] = &[
    opt(&[Of(Float64), Of(Int64)], 1, Ret::Of(Float64)),
    opt(&[Of(Numeric), Of(Int64)], 1, Ret::Of(Numeric)),
];

const SAFE_ARITHMETIC: &[super::Signature] = &[
    sig(&[Of(Int64), Of(Int64)], Ret::Of(Int64)),
    sig(&[Of(Float64), Of(Float64)], Ret::Of(Float64)),
];

const JSON_SCALAR: &[super::Signature] = &[
    opt(&[Of(Json), LiteralString], 1, Ret::Of(String)),
    opt(&[Of(String), LiteralString], 1, Ret::Of(String)),
];
