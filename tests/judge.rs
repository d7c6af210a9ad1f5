//! GoogleSQL as the judge: Google's own analyzer and reference evaluator over the whole corpus.
//!
//! The judge installs itself on first use, see `googlesql/README.md`. Where it cannot run, these tests say
//! so on stderr and pass, unless `REQUIRE_GOOGLESQL_JUDGE=1` is set. What is known to differ stands, with the
//! reason, in `judge/differences.toml`; an entry that no longer holds fails the test.

#![expect(
    clippy::indexing_slicing,
    reason = "a reply that lacks what is read fails the test"
)]

#[path = "judge/analysis.rs"]
mod analysis;
#[path = "corpus/case.rs"]
mod case;
#[path = "judge/data.rs"]
mod data;
#[path = "judge/differences.rs"]
mod differences;
#[cfg(feature = "embedded")]
#[path = "judge/generated.rs"]
mod generated;
#[path = "judge/grid.rs"]
mod grid;
#[path = "judge/install.rs"]
mod install;
#[path = "judge/negation.rs"]
mod negation;
#[path = "python/mod.rs"]
mod python;
#[path = "judge/redaction.rs"]
mod redaction;
#[cfg(feature = "embedded")]
#[path = "judge/rows.rs"]
mod rows;
#[path = "judge/samples.rs"]
mod samples;
#[path = "judge/service.rs"]
mod service;
#[path = "judge/typing.rs"]
mod typing;
