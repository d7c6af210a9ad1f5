//! Any value comes back from each printer.
#![no_main]

use libfuzzer_sys::fuzz_target;
use logboom::compiler::invariant::{literal_bytes, literal_text, literal_value};
use logboom::compiler::ir::{Type, Value};

fuzz_target!(|data: &[u8]| {
    literal_bytes(data).expect("bytes come back");
    literal_text(&String::from_utf8_lossy(data)).expect("a text comes back");
    let Some(number) = data.first_chunk().copied().map(i64::from_le_bytes) else {
        return;
    };
    let values = [
        (Value::Int64(number), Type::Int64),
        (
            Value::Float64(f64::from_bits(number.cast_unsigned())),
            Type::Float64,
        ),
        (
            Value::Timestamp(number % 62_135_596_800_000_000),
            Type::Timestamp,
        ),
        (
            Value::Datetime(number % 62_135_596_800_000_000),
            Type::Datetime,
        ),
        (Value::Time(number.rem_euclid(86_400_000_000)), Type::Time),
    ];
    let (value, ty) = &values[data.len() % values.len()];
    literal_value(value, ty).expect("a number or a time comes back");
});
