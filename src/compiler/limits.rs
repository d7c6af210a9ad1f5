//! What one query may be at most. Each limit has a diagnostic that names it, its value and its key.

use serde::{Deserialize, Deserializer, de::Error as _};

use super::catalog::NAME_BYTES;
use super::re2;

/// Limits on a query text and on what it becomes. The keys are those of `[limits]` in the configuration.
///
/// Those that bound how deep the compiler recurses can be raised up to [`Limits::DEEPEST`] alone, because a
/// stack that overflows ends the process; the size of a compiled pattern up to what the engine takes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of one query text.
    pub query_bytes: usize,
    /// Tokens of one query text.
    #[serde(deserialize_with = "at_most::<{ Limits::DEEPEST.tokens }, _>")]
    pub tokens: usize,
    /// Nesting of brackets.
    #[serde(deserialize_with = "at_most::<{ Limits::DEEPEST.nesting }, _>")]
    pub nesting: usize,
    /// Nesting of expressions and queries, with or without brackets.
    #[serde(deserialize_with = "at_most::<{ Limits::DEEPEST.depth }, _>")]
    pub depth: usize,
    /// Operators in one chain, such as `a AND b AND c`, or inside of one another.
    #[serde(deserialize_with = "at_most::<{ Limits::DEEPEST.chain }, _>")]
    pub chain: usize,
    /// Arms of one set operation.
    pub set_arms: usize,
    /// CTEs of the caller.
    pub ctes: usize,
    /// References of the caller to one CTE or sub-table.
    pub cte_references: usize,
    /// Table references after expansion of CTEs.
    pub table_references: usize,
    /// Tables, sub-queries and arrays in one FROM.
    #[serde(deserialize_with = "at_most::<{ Limits::DEEPEST.from_items }, _>")]
    pub from_items: usize,
    /// Joins in one FROM that pair every row with every other.
    pub cross_joins: usize,
    /// Select items of one block, also after expansion of `*`.
    pub select_items: usize,
    /// Fields of one STRUCT, or of all columns of one block, those inside of others included.
    #[serde(deserialize_with = "at_most::<{ Limits::DEEPEST.struct_fields }, _>")]
    pub struct_fields: usize,
    /// GROUP BY items of one block.
    pub group_items: usize,
    /// ORDER BY items of one block.
    pub sort_items: usize,
    /// Arguments of one call.
    pub arguments: usize,
    /// Elements of one IN list or array.
    pub list_items: usize,
    /// Branches of one CASE.
    pub case_branches: usize,
    /// Bytes of one string literal.
    pub literal_bytes: usize,
    /// Bytes of one name.
    #[serde(deserialize_with = "at_most::<{ Limits::DEEPEST.name_bytes }, _>")]
    pub name_bytes: usize,
    /// Bytes of one regular expression.
    pub pattern_bytes: usize,
    /// Bytes of one regular expression once compiled.
    #[serde(deserialize_with = "at_most::<{ Limits::DEEPEST.pattern_program_bytes }, _>")]
    pub pattern_program_bytes: usize,
    /// Elements of one array of `GENERATE_ARRAY` and its kin.
    pub generated_elements: u32,
    /// The greatest OFFSET.
    pub offset: u64,
    /// Clauses of one LQL text.
    pub lql_clauses: usize,
    /// Columns that one LQL text selects.
    pub lql_columns: usize,
    /// Bytes of the printed query.
    pub output_bytes: usize,
}

impl Limits {
    /// The limits of a service that sets none.
    const STANDARD: Limits = Limits {
        query_bytes: 64 * 1024,
        tokens: 8_000,
        nesting: 32,
        depth: 50,
        chain: 300,
        set_arms: 32,
        ctes: 16,
        cte_references: 16,
        table_references: 32,
        from_items: 64,
        cross_joins: 4,
        select_items: 256,
        struct_fields: 1_000,
        group_items: 32,
        sort_items: 32,
        arguments: 1_000,
        list_items: 1_000,
        case_branches: 200,
        literal_bytes: 8 * 1024,
        name_bytes: 128,
        pattern_bytes: 1024,
        pattern_program_bytes: 1 << 20,
        generated_elements: 10_000,
        offset: 100_000,
        lql_clauses: 100,
        lql_columns: 50,
        output_bytes: 256 * 1024,
    };

    /// The limits that a query stack holds with every check at its greatest, in a debug build as well.
    pub const DEEPEST: Limits = Limits {
        tokens: 20_000,
        nesting: 64,
        depth: 100,
        chain: 600,
        from_items: 128,
        struct_fields: 4_000,
        name_bytes: NAME_BYTES,
        pattern_program_bytes: re2::MAX_PROGRAM_BYTES,
        ..Self::STANDARD
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::STANDARD
    }
}

/// Reads a limit that cannot be set higher than `MOST`.
fn at_most<'de, const MOST: usize, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<usize, D::Error> {
    let limit = usize::deserialize(deserializer)?;
    if limit <= MOST {
        return Ok(limit);
    }
    let message = format!("{limit} is more than {MOST}, the most that this limit can be");
    Err(D::Error::custom(message))
}
