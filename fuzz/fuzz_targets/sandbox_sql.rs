//! Any text sent to a shipped endpoint is refused, or becomes queries that mean what it says and read
//! nothing but the published sub-tables.
#![no_main]

use libfuzzer_sys::fuzz_target;
use logboom::compiler::AdHoc;

#[path = "../../tests/invariants/shipped.rs"]
mod shipped;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    shipped::sandbox(AdHoc::Sql(&text)).expect("the invariant of the sandbox holds");
});
