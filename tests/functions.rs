//! The compiler's table of functions and the engine's library of them agree.
#![cfg(feature = "embedded")]

use std::collections::BTreeSet;

use logboom::compiler::analyze::functions::{Embedded, all};

#[test]
fn every_function_of_the_allow_list_exists_on_the_engine() {
    let known: BTreeSet<String> = logboom::warehouse::embedded::functions::all()
        .iter()
        .map(|function| function.name().to_owned())
        .collect();
    let mut missing = Vec::new();
    for function in all() {
        if function.embedded != Embedded::Udf {
            continue;
        }
        let name = function.udf_name();
        if !known.contains(&name) {
            missing.push(name.clone());
        }
        let safe = format!("safe_{name}");
        if function.can_fail && !known.contains(&safe) {
            missing.push(safe);
        }
    }
    assert_eq!(missing, Vec::<String>::new(), "functions without a meaning");
}
