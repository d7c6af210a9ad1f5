//! What holds for every input, over the whole corpus and over generated texts.
//!
//! The invariants are those of `logboom::compiler::invariant`, which the fuzz targets check as well.

#[expect(dead_code, reason = "only the texts of the corpus are used")]
#[path = "corpus/case.rs"]
mod case;
#[expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "an index is taken of what it looks into, and tokens lie within their text"
)]
#[path = "invariants/mutation.rs"]
mod mutation;
#[path = "invariants/shipped.rs"]
mod shipped;

use std::sync::LazyLock;

use logboom::compiler::ir::{Type, Value};
use logboom::compiler::{AdHoc, invariant};
use logboom::server::STACK_BYTES;
use proptest::prelude::*;

use case::{Case, Language};

static CORPUS: LazyLock<Vec<Case>> = LazyLock::new(case::read_all);

/// Checks a text on a stack as large as the service gives a query.
fn check(text: &str) -> Result<(), TestCaseError> {
    let text = text.to_owned();
    let checked = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || {
            invariant::lexer(&text)?;
            shipped::sandbox(AdHoc::Sql(&text))?;
            shipped::sandbox(AdHoc::Lql(&text))
        })
        .expect("there are threads");
    let checked = checked.join().expect("nothing panics");
    checked.map(|_| ()).map_err(TestCaseError::fail)
}

/// Returns what stands between blanks in the LQL of the corpus.
fn clauses() -> Vec<String> {
    let lql = CORPUS.iter().filter(|case| case.language == Language::Lql);
    lql.flat_map(|case| case.query.split_whitespace().map(str::to_owned))
        .collect()
}

#[test]
fn invariants_hold_over_the_corpus() {
    let mut accepted = 0;
    let mut broken = Vec::new();
    for case in CORPUS.iter() {
        let found = match case.language {
            Language::Sql => invariant::lexer(&case.query)
                .and_then(|()| shipped::sandbox(AdHoc::Sql(&case.query))),
            Language::Lql => shipped::sandbox(AdHoc::Lql(&case.query)),
        };
        match found {
            Ok(count) => accepted += count,
            Err(what) => broken.push(format!("{}: {what}", case.name)),
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
    assert!(accepted > 200, "only {accepted} texts were accepted");
}

/// Microseconds of 0001-01-01 and of the end of 9999, the range of TIMESTAMP.
const MICROS: std::ops::RangeInclusive<i64> = -62_135_596_800_000_000..=253_402_300_799_999_999;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_lexed_or_refused(text in any::<String>()) {
        check(&text)?;
    }

    #[test]
    fn any_text_of_sql_pieces_is_lexed_or_refused(text in mutation::pieces()) {
        check(&text)?;
    }

    #[test]
    fn corpus_queries_with_damage_are_refused_or_mean_what_they_say(
        text in mutation::damaged(CORPUS.iter().map(|case| case.query.clone()).collect())
    ) {
        check(&text)?;
    }

    #[test]
    fn lql_clauses_of_the_corpus_in_any_order_are_refused_or_mean_what_they_say(
        clauses in prop::collection::vec(prop::sample::select(clauses()), 1..6)
    ) {
        check(&clauses.join(" "))?;
    }

    #[test]
    fn generated_queries_are_refused_or_mean_what_they_say(text in mutation::query()) {
        check(&text)?;
    }

    #[test]
    fn any_string_comes_back(text in any::<String>()) {
        invariant::literal_text(&text).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn any_name_comes_back(name in "[A-Za-z_][A-Za-z0-9_]{0,127}") {
        invariant::literal_text(&name).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn any_bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        invariant::literal_bytes(&bytes).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn any_number_comes_back(whole in any::<i64>(), float in prop::num::f64::ANY) {
        let whole = invariant::literal_value(&Value::Int64(whole), &Type::Int64);
        let float = invariant::literal_value(&Value::Float64(float), &Type::Float64);
        whole.and(float).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn any_time_comes_back(micros in MICROS) {
        for (value, ty) in [
            (Value::Timestamp(micros), Type::Timestamp),
            (Value::Datetime(micros), Type::Datetime),
            (Value::Time(micros.rem_euclid(86_400_000_000)), Type::Time),
        ] {
            invariant::literal_value(&value, &ty).map_err(TestCaseError::fail)?;
        }
    }
}
