//! Any text is refused by the lexer, or its tokens tile it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use logboom::compiler::invariant;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    invariant::lexer(&text).expect("the invariant of the lexer holds");
});
