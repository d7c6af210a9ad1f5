//! What one query may be at most. Each limit has a diagnostic that names it, its value and its key.

/// Limits on a query text and on what it becomes. The keys are those of `[limits]` in the configuration.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of one query text.
    pub query_bytes: usize,
    /// Tokens of one query text.
    pub tokens: usize,
    /// Nesting of brackets.
    pub nesting: usize,
    /// Operators in one chain, such as `a AND b AND c`.
    pub chain: usize,
    /// Arms of one set operation.
    pub set_arms: usize,
    /// CTEs of the caller.
    pub ctes: usize,
    /// Table references after expansion of CTEs.
    pub table_references: usize,
    /// Tables, sub-queries and arrays in one FROM.
    pub from_items: usize,
    /// Joins in one FROM that pair every row with every other.
    pub cross_joins: usize,
    /// Select items of one block, also after expansion of `*`.
    pub select_items: usize,
    /// GROUP BY or ORDER BY items of one block.
    pub sort_items: usize,
    /// Elements of one IN list or array.
    pub list_items: usize,
    /// Branches of one CASE.
    pub case_branches: usize,
    /// Bytes of one string literal.
    pub literal_bytes: usize,
    /// Bytes of one regular expression.
    pub pattern_bytes: usize,
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

impl Default for Limits {
    fn default() -> Self {
        Self {
            query_bytes: 64 * 1024,
            tokens: 8_000,
            nesting: 32,
            chain: 300,
            set_arms: 32,
            ctes: 16,
            table_references: 32,
            from_items: 64,
            cross_joins: 4,
            select_items: 256,
            sort_items: 32,
            list_items: 1_000,
            case_branches: 200,
            literal_bytes: 8 * 1024,
            pattern_bytes: 1024,
            generated_elements: 10_000,
            offset: 100_000,
            lql_clauses: 100,
            lql_columns: 50,
            output_bytes: 256 * 1024,
        }
    }
}
