//! Functions of JSON, as JSON and as text.

use super::{Arg, Embedded, Function, Ret, Signature, T, many, opt, partial, sig, total};

use Arg::{Free, LiteralString, Named, Of};
use T::{Bool, Float64, Int64, Json, String};

/// What the embedded engine, which keeps JSON as its text, cannot write.
const NESTED: &str =
    "the embedded engine refuses a STRUCT or ARRAY that holds JSON, and values of more than 1 MiB";

pub(super) static JSON: &[Function] = &[
    partial("JSON_VALUE", SCALAR),
    partial("JSON_QUERY", DOCUMENT),
    partial("JSON_VALUE_ARRAY", SCALARS),
    partial("JSON_QUERY_ARRAY", DOCUMENTS),
    partial("JSON_EXTRACT_SCALAR", SCALAR),
    partial("JSON_EXTRACT", DOCUMENT),
    partial("JSON_EXTRACT_STRING_ARRAY", SCALARS),
    partial("JSON_EXTRACT_ARRAY", DOCUMENTS),
    partial(
        "PARSE_JSON",
        &[opt(
            &[Of(String), Named("wide_number_mode", String)],
            1,
            Ret::Of(Json),
        )],
    ),
    partial(
        "TO_JSON",
        &[opt(
            &[Free, Named("stringify_wide_numbers", Bool)],
            1,
            Ret::Of(Json),
        )],
    )
    .spelt(Embedded::Form)
    .differs(NESTED),
    partial(
        "TO_JSON_STRING",
        &[opt(&[Free, Of(Bool)], 1, Ret::Of(String))],
    )
    .spelt(Embedded::Form)
    .differs(NESTED),
    partial(
        "JSON_ARRAY",
        &[Signature {
            optional: 1,
            ..many(&[Free], Ret::Of(Json))
        }],
    )
    .spelt(Embedded::Form)
    .differs(NESTED),
    partial(
        "JSON_OBJECT",
        &[
            Signature {
                args: &[Of(String), Free],
                optional: 2,
                repeated: 2,
                result: Ret::Of(Json),
            },
            sig(&[Arg::ArrayOf(String), Arg::AnyArray], Ret::Of(Json)),
        ],
    )
    .spelt(Embedded::Form)
    .differs(NESTED),
    total("JSON_TYPE", &[sig(&[Of(Json)], Ret::Of(String))]),
    partial(
        "JSON_KEYS",
        &[
            opt(
                &[Of(Json), Of(Int64), Named("mode", String)],
                2,
                Ret::ArrayOf(String),
            ),
            sig(&[Of(Json), Named("mode", String)], Ret::ArrayOf(String)),
        ],
    )
    .spelt(Embedded::Form)
    .differs("the embedded engine has no mode but 'strict'"),
    partial("BOOL", &[sig(&[Of(Json)], Ret::Of(Bool))]),
    partial("INT64", &[sig(&[Of(Json)], Ret::Of(Int64))]),
    partial(
        "FLOAT64",
        &[opt(
            &[Of(Json), Named("wide_number_mode", String)],
            1,
            Ret::Of(Float64),
        )],
    ),
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
];

const SCALAR: &[Signature] = &[
    opt(&[Of(String), LiteralString], 1, Ret::Of(String)),
    opt(&[Of(Json), LiteralString], 1, Ret::Of(String)),
];

const DOCUMENT: &[Signature] = &[
    sig(&[Of(String), LiteralString], Ret::Of(String)),
    sig(&[Of(Json), LiteralString], Ret::Of(Json)),
];

const SCALARS: &[Signature] = &[
    opt(&[Of(String), LiteralString], 1, Ret::ArrayOf(String)),
    opt(&[Of(Json), LiteralString], 1, Ret::ArrayOf(String)),
];

const DOCUMENTS: &[Signature] = &[
    opt(&[Of(String), LiteralString], 1, Ret::ArrayOf(String)),
    opt(&[Of(Json), LiteralString], 1, Ret::ArrayOf(Json)),
];
