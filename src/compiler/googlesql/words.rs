//! What words are in GoogleSQL: reserved, keywords of some places, or names like any other.
//!
//! Source: GoogleSQL reference, "Lexical structure and syntax", reserved keywords; "Query syntax".

use sqlparser::keywords::{ALL_KEYWORDS, ALL_KEYWORDS_INDEX, Keyword};

/// Returns whether a keyword of the library is a reserved word that queries use.
pub(super) fn is_reserved_keyword(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::ALL
            | Keyword::AND
            | Keyword::ANY
            | Keyword::ARRAY
            | Keyword::AS
            | Keyword::ASC
            | Keyword::AT
            | Keyword::BETWEEN
            | Keyword::BY
            | Keyword::CASE
            | Keyword::CAST
            | Keyword::CROSS
            | Keyword::CUBE
            | Keyword::CURRENT
            | Keyword::DESC
            | Keyword::DISTINCT
            | Keyword::ELSE
            | Keyword::END
            | Keyword::EXCEPT
            | Keyword::EXISTS
            | Keyword::EXTRACT
            | Keyword::FALSE
            | Keyword::FOLLOWING
            | Keyword::FROM
            | Keyword::FULL
            | Keyword::GROUP
            | Keyword::GROUPING
            | Keyword::HAVING
            | Keyword::IGNORE
            | Keyword::IN
            | Keyword::INNER
            | Keyword::INTERSECT
            | Keyword::INTERVAL
            | Keyword::IS
            | Keyword::JOIN
            | Keyword::LEFT
            | Keyword::LIKE
            | Keyword::LIMIT
            | Keyword::NOT
            | Keyword::NULL
            | Keyword::NULLS
            | Keyword::ON
            | Keyword::OR
            | Keyword::ORDER
            | Keyword::OUTER
            | Keyword::OVER
            | Keyword::PARTITION
            | Keyword::PRECEDING
            | Keyword::QUALIFY
            | Keyword::RANGE
            | Keyword::RECURSIVE
            | Keyword::RESPECT
            | Keyword::RIGHT
            | Keyword::ROLLUP
            | Keyword::ROWS
            | Keyword::SELECT
            | Keyword::SOME
            | Keyword::STRUCT
            | Keyword::THEN
            | Keyword::TRUE
            | Keyword::UNBOUNDED
            | Keyword::UNION
            | Keyword::UNNEST
            | Keyword::USING
            | Keyword::WHEN
            | Keyword::WHERE
            | Keyword::WINDOW
            | Keyword::WITH
    )
}

/// Returns whether an expression can begin with a reserved word. One that [`is_callable`] must be followed by `(`.
pub(super) fn begins_expression(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::ARRAY
            | Keyword::CASE
            | Keyword::CAST
            | Keyword::EXISTS
            | Keyword::EXTRACT
            | Keyword::FALSE
            | Keyword::INTERVAL
            | Keyword::NOT
            | Keyword::NULL
            | Keyword::STRUCT
            | Keyword::TRUE
    )
}

/// Returns whether a reserved word is also the name of a function.
pub(super) fn is_callable(keyword: Keyword) -> bool {
    matches!(keyword, Keyword::GROUPING | Keyword::LEFT | Keyword::RIGHT)
}

/// Returns whether a word without reservation is a keyword wherever it stands: types, date parts, REPLACE. As
/// names of columns and aliases they work all the same.
pub(super) fn is_unreserved(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::BIGDECIMAL
            | Keyword::BIGINT
            | Keyword::BIGNUMERIC
            | Keyword::BOOL
            | Keyword::BOOLEAN
            | Keyword::BYTES
            | Keyword::DATE
            | Keyword::DATETIME
            | Keyword::DAY
            | Keyword::DAYOFWEEK
            | Keyword::DAYOFYEAR
            | Keyword::DECIMAL
            | Keyword::FLOAT64
            | Keyword::HOUR
            | Keyword::INT
            | Keyword::INT64
            | Keyword::INTEGER
            | Keyword::ISOWEEK
            | Keyword::ISOYEAR
            | Keyword::JSON
            | Keyword::MICROSECOND
            | Keyword::MILLISECOND
            | Keyword::MINUTE
            | Keyword::MONTH
            | Keyword::NUMERIC
            | Keyword::QUARTER
            | Keyword::REPLACE
            | Keyword::SECOND
            | Keyword::SMALLINT
            | Keyword::STRING
            | Keyword::TIME
            | Keyword::TIMESTAMP
            | Keyword::TINYINT
            | Keyword::WEEK
            | Keyword::YEAR
    )
}

/// Reserved words of forms that are not accepted here: the word, and what to write.
const REFUSED: &[(&str, &str)] = &[
    ("ASSERT_ROWS_MODIFIED", ""),
    ("COLLATE", "compare LOWER(x), or NORMALIZE_AND_CASEFOLD(x)"),
    ("CONTAINS", "write STRPOS(x, '…') > 0, or x LIKE '%…%'"),
    ("CREATE", ""),
    ("DEFAULT", ""),
    ("DEFINE", ""),
    ("ENUM", ""),
    (
        "ESCAPE",
        "a backslash escapes % and _ in a LIKE pattern: '100\\\\%'",
    ),
    ("EXCLUDE", "write `* EXCEPT (name)`"),
    ("FETCH", "write LIMIT count OFFSET skip"),
    (
        "FOR",
        "neither FOR UPDATE nor FOR SYSTEM_TIME is accepted; a part of a text is SUBSTR(x, position, length)",
    ),
    ("GROUPS", "a window frame counts ROWS or RANGE"),
    ("HASH", ""),
    (
        "INTO",
        "the result of a query is its answer; leave INTO out",
    ),
    (
        "LATERAL",
        "write CROSS JOIN UNNEST(array), or a sub-query in an expression",
    ),
    ("LOOKUP", ""),
    ("MERGE", ""),
    ("NATURAL", "name the columns: JOIN … USING (id)"),
    ("NEW", ""),
    ("NO", ""),
    ("OF", ""),
    ("PROTO", ""),
    ("SET", ""),
    (
        "TABLESAMPLE",
        "write LIMIT, or WHERE MOD(ABS(FARM_FINGERPRINT(id)), 100) = 0 for one row in a hundred",
    ),
    (
        "TO",
        "write REGEXP_CONTAINS(x, r'…') for SIMILAR TO; an interval has one part: INTERVAL 90 MINUTE",
    ),
    ("TREAT", ""),
    (
        "WITHIN",
        "write ARRAY_AGG(x ORDER BY y), or APPROX_QUANTILES",
    ),
];

/// Returns whether a word is reserved, so that a name like it needs backticks.
///
/// Source: GoogleSQL reference, "Lexical structure and syntax", reserved keywords.
pub(in crate::compiler) fn is_reserved(word: &str) -> bool {
    is_reserved_keyword(keyword_of(word)) || refused(word).is_some()
}

/// Returns the entry of a word in [`REFUSED`].
pub(super) fn refused(word: &str) -> Option<(&'static str, &'static str)> {
    REFUSED
        .iter()
        .find(|(reserved, _)| reserved.eq_ignore_ascii_case(word))
        .copied()
}

/// Returns the library's keyword of a word, in any case. The library's own look-up copies the word.
pub(super) fn keyword_of(word: &str) -> Keyword {
    let upper = || word.bytes().map(|byte| byte.to_ascii_uppercase());
    let found = ALL_KEYWORDS.binary_search_by(|keyword| keyword.bytes().cmp(upper()));
    let keyword = found.ok().and_then(|at| ALL_KEYWORDS_INDEX.get(at));
    keyword.copied().unwrap_or(Keyword::NoKeyword)
}
