//! Conditional functions, functions of text and regular expressions.

use super::{Arg, Embedded, Function, Ret, Signature, T, many, opt, partial, sig, total};

use Arg::{Any, BytesPattern, LiteralInt, Mode, Of, Orderable, Pattern};
use T::{Bool, Bytes, Int64, String};

/// The greatest count that `REPEAT`, `LPAD` and `RPAD` may be given.
const PADDING: i64 = 1_000;

pub(super) static CONDITIONAL: &[Function] = &[
    total("COALESCE", &[many(&[Any], Ret::Any)]).spelt(Embedded::Native("coalesce")),
    total("IFNULL", &[sig(&[Any, Any], Ret::Any)]).spelt(Embedded::Native("coalesce")),
    total("NULLIF", &[sig(&[Orderable, Orderable], Ret::Any)]).spelt(Embedded::Native("nullif")),
];

pub(super) static STRINGS: &[Function] = &[
    partial(
        "ASCII",
        &[
            sig(&[Of(String)], Ret::Of(Int64)),
            sig(&[Of(Bytes)], Ret::Of(Int64)),
        ],
    ),
    total("BYTE_LENGTH", TEXT_TO_INT).alias(&["OCTET_LENGTH"]),
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
    partial(
        "FORMAT",
        &[Signature {
            optional: 1,
            ..many(&[Arg::LiteralString, Arg::Free], Ret::Of(String))
        }],
    )
    .differs("the embedded engine writes at most 1 MiB"),
    total(
        "INITCAP",
        &[opt(&[Of(String), Of(String)], 1, Ret::Of(String))],
    ),
    partial(
        "INSTR",
        &[
            opt(
                &[Of(String), Of(String), Of(Int64), Of(Int64)],
                2,
                Ret::Of(Int64),
            ),
            opt(
                &[Of(Bytes), Of(Bytes), Of(Int64), Of(Int64)],
                2,
                Ret::Of(Int64),
            ),
        ],
    ),
    partial("LEFT", TEXT_AND_INT),
    total("LENGTH", TEXT_TO_INT),
    total("LOWER", TEXT),
    partial("LPAD", PAD),
    total("LTRIM", TRIM),
    partial("NORMALIZE", &[opt(&[Of(String), Mode], 1, Ret::Of(String))]),
    partial(
        "NORMALIZE_AND_CASEFOLD",
        &[opt(&[Of(String), Mode], 1, Ret::Of(String))],
    )
    .absent("write LOWER(NORMALIZE(x, NFKC)), which differs in few letters"),
    partial(
        "REPEAT",
        &[
            sig(&[Of(String), LiteralInt(PADDING)], Ret::Of(String)),
            sig(&[Of(Bytes), LiteralInt(PADDING)], Ret::Of(Bytes)),
        ],
    ),
    partial("REPLACE", THREE_TEXTS),
    total("REVERSE", TEXT),
    partial("RIGHT", TEXT_AND_INT),
    partial("RPAD", PAD),
    total("RTRIM", TRIM),
    partial(
        "SPLIT",
        &[
            opt(&[Of(String), Of(String)], 1, Ret::ArrayOf(String)),
            sig(&[Of(Bytes), Of(Bytes)], Ret::ArrayOf(Bytes)),
        ],
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
    partial(
        "TO_CODE_POINTS",
        &[
            sig(&[Of(String)], Ret::ArrayOf(Int64)),
            sig(&[Of(Bytes)], Ret::ArrayOf(Int64)),
        ],
    ),
    partial("TRANSLATE", THREE_TEXTS),
    total("TRIM", TRIM),
    total("UNICODE", &[sig(&[Of(String)], Ret::Of(Int64))]),
    total("UPPER", TEXT),
];

pub(super) static PATTERNS: &[Function] = &[
    partial(
        "REGEXP_CONTAINS",
        &[
            sig(&[Of(String), Pattern], Ret::Of(Bool)),
            sig(&[Of(Bytes), BytesPattern], Ret::Of(Bool)),
        ],
    ),
    partial(
        "REGEXP_EXTRACT",
        &[
            opt(
                &[Of(String), Pattern, Of(Int64), Of(Int64)],
                2,
                Ret::Of(String),
            ),
            opt(
                &[Of(Bytes), BytesPattern, Of(Int64), Of(Int64)],
                2,
                Ret::Of(Bytes),
            ),
        ],
    )
    .alias(&["REGEXP_SUBSTR"]),
    partial(
        "REGEXP_EXTRACT_ALL",
        &[
            sig(&[Of(String), Pattern], Ret::ArrayOf(String)),
            sig(&[Of(Bytes), BytesPattern], Ret::ArrayOf(Bytes)),
        ],
    ),
    partial(
        "REGEXP_INSTR",
        &[
            opt(
                &[Of(String), Pattern, Of(Int64), Of(Int64), Of(Int64)],
                3,
                Ret::Of(Int64),
            ),
            opt(
                &[Of(Bytes), BytesPattern, Of(Int64), Of(Int64), Of(Int64)],
                3,
                Ret::Of(Int64),
            ),
        ],
    ),
    partial(
        "REGEXP_REPLACE",
        &[
            sig(&[Of(String), Pattern, Of(String)], Ret::Of(String)),
            sig(&[Of(Bytes), BytesPattern, Of(Bytes)], Ret::Of(Bytes)),
        ],
    ),
];

const TEXT: &[Signature] = &[
    sig(&[Of(String)], Ret::Of(String)),
    sig(&[Of(Bytes)], Ret::Of(Bytes)),
];

const TEXT_TO_INT: &[Signature] = &[
    sig(&[Of(String)], Ret::Of(Int64)),
    sig(&[Of(Bytes)], Ret::Of(Int64)),
];

const TWO_TEXTS_TO_BOOL: &[Signature] = &[
    sig(&[Of(String), Of(String)], Ret::Of(Bool)),
    sig(&[Of(Bytes), Of(Bytes)], Ret::Of(Bool)),
];

const THREE_TEXTS: &[Signature] = &[
    sig(&[Of(String), Of(String), Of(String)], Ret::Of(String)),
    sig(&[Of(Bytes), Of(Bytes), Of(Bytes)], Ret::Of(Bytes)),
];

const TEXT_AND_INT: &[Signature] = &[
    sig(&[Of(String), Of(Int64)], Ret::Of(String)),
    sig(&[Of(Bytes), Of(Int64)], Ret::Of(Bytes)),
];

const PAD: &[Signature] = &[
    opt(
        &[Of(String), LiteralInt(PADDING), Of(String)],
        1,
        Ret::Of(String),
    ),
    opt(
        &[Of(Bytes), LiteralInt(PADDING), Of(Bytes)],
        1,
        Ret::Of(Bytes),
    ),
];

const TRIM: &[Signature] = &[
    opt(&[Of(String), Of(String)], 1, Ret::Of(String)),
    sig(&[Of(Bytes), Of(Bytes)], Ret::Of(Bytes)),
];
