//! The function against REGEXP_REPLACE, and over every storage.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BinaryViewArray, DictionaryArray, Int64Array, LargeStringArray, ListArray,
    StringArray, StringViewArray, StructArray, new_null_array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field, Int32Type};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::ColumnarValue;
use proptest::prelude::*;

use super::super::evaluate;
use super::super::tests::invoke;
use crate::compiler::redaction::{BUILT_IN, REPLACEMENT};

fn utf8(text: &str) -> ScalarValue {
    ScalarValue::Utf8View(Some(text.to_owned()))
}

fn redact(text: &str, rules: &[&str]) -> String {
    let mut args = vec![utf8(text), utf8("t")];
    args.extend(rules.iter().map(|rule| utf8(rule)));
    match evaluate("redact", &args).unwrap() {
        ScalarValue::Utf8View(Some(text)) => text,
        other => panic!("{other:?}"),
    }
}

fn regexp_replace(text: &str, pattern: &str) -> String {
    let args = [utf8(text), utf8(pattern), utf8(REPLACEMENT)];
    match evaluate("regexp_replace", &args).unwrap() {
        ScalarValue::Utf8View(Some(text)) => text,
        other => panic!("{other:?}"),
    }
}

/// Texts that look like what rules look for, and break off.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[0-9]{1,4}",
        4 => "[.:]{1,2}",
        2 => "[0-9a-fA-F]{1,5}",
        1 => Just("%3A".to_owned()),
        1 => Just("%40".to_owned()),
        2 => Just("@".to_owned()),
        2 => "[a-zA-Z]{1,6}",
        1 => Just(".com".to_owned()),
        1 => Just("10.0.0.1".to_owned()),
        1 => Just("2001:db8::".to_owned()),
        1 => Just("::ffff:".to_owned()),
        1 => Just("eyJhbGciOiJIUzI1NiJ9.".to_owned()),
        1 => Just("Bearer ".to_owned()),
        1 => Just("4111 1111 1111 1111".to_owned()),
        1 => Just("+1 (415) 555-0123".to_owned()),
        2 => "[ ,;/\\[\\]()\"'<>=&?_%+-]",
        1 => "\\\\[nrtbfu]",
        1 => "[éß漢\u{1F600}\n\t\u{0}]",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_rule_is_regexp_replace_with_its_pattern(text in texts()) {
        for rule in BUILT_IN {
            prop_assert_eq!(redact(&text, &[rule.name]), regexp_replace(&text, rule.pattern), "{}", rule.name);
        }
        let own = r"[a-c]\d|é.";
        prop_assert_eq!(redact(&text, &["=[a-c]\\d|é."]), regexp_replace(&text, own));
    }

    #[test]
    fn rules_are_applied_in_turn(text in texts()) {
        let all: Vec<&str> = BUILT_IN.iter().map(|rule| rule.name).collect();
        let expected = BUILT_IN.iter().fold(text.clone(), |text, rule| regexp_replace(&text, rule.pattern));
        prop_assert_eq!(redact(&text, &all), expected);
    }
}

fn column(array: ArrayRef, leaves: &str) -> ArrayRef {
    let rows = array.len();
    let constants = [ScalarValue::Null, utf8(leaves), utf8("ip"), utf8("email")];
    let mut args = vec![ColumnarValue::Array(array)];
    args.extend(constants[1..].iter().cloned().map(ColumnarValue::Scalar));
    match invoke("redact", args, &constants, rows).unwrap() {
        ColumnarValue::Array(array) => array,
        ColumnarValue::Scalar(_) => panic!("a column gives a column"),
    }
}

const RAW: [Option<&str>; 4] = [Some("at 10.0.0.1"), None, Some("plain"), Some("10.0.0.1")];
const REDACTED: [Option<&str>; 4] = [Some("at REDACTED"), None, Some("plain"), Some("REDACTED")];

#[test]
fn every_storage_of_text() {
    #[track_caller]
    fn check<A: Array + PartialEq + 'static>(raw: A, redacted: A) {
        let given = column(Arc::new(raw), "t");
        assert_eq!(given.as_any().downcast_ref::<A>(), Some(&redacted));
    }
    check(
        StringViewArray::from_iter(RAW),
        StringViewArray::from_iter(REDACTED),
    );
    check(
        StringArray::from_iter(RAW),
        StringArray::from_iter(REDACTED),
    );
    check(
        LargeStringArray::from_iter(RAW),
        LargeStringArray::from_iter(REDACTED),
    );
    let dictionary: DictionaryArray<Int32Type> = RAW.into_iter().collect();
    let given = column(Arc::new(dictionary), "t");
    assert_eq!(
        given.as_ref(),
        &StringArray::from_iter(REDACTED) as &dyn Array
    );
    let nothing = column(new_null_array(&DataType::Null, 2), "t");
    assert_eq!(nothing.len(), 2);
}

#[test]
fn values_without_a_match_are_not_copied() {
    let array: ArrayRef = Arc::new(StringViewArray::from_iter([Some("a"), None, Some("1.2.3")]));
    assert!(Arc::ptr_eq(&column(Arc::clone(&array), "t"), &array));
}

#[test]
fn records_and_lists_keep_their_shape() {
    let build = |texts: [Option<&str>; 4], bytes: [Option<&[u8]>; 4]| {
        let list = ListArray::new(
            Arc::new(Field::new("item", DataType::Utf8View, true)),
            OffsetBuffer::new(vec![0, 2, 2, 2, 4].into()),
            Arc::new(StringViewArray::from_iter(texts)),
            Some(NullBuffer::from(vec![true, true, false, true])),
        );
        let columns: Vec<(Arc<Field>, ArrayRef)> = vec![
            (
                Arc::new(Field::new("t", DataType::Utf8View, true)),
                Arc::new(StringViewArray::from_iter(texts)),
            ),
            (
                Arc::new(Field::new("n", DataType::Int64, true)),
                Arc::new(Int64Array::from_iter([Some(1), None, Some(3), Some(4)])),
            ),
            (
                Arc::new(Field::new("b", DataType::BinaryView, true)),
                Arc::new(BinaryViewArray::from_iter(bytes)),
            ),
            (
                Arc::new(Field::new("l", list.data_type().clone(), true)),
                Arc::new(list),
            ),
        ];
        let (fields, columns): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        StructArray::new(
            fields.into(),
            columns,
            Some(NullBuffer::from(vec![true, false, true, true])),
        )
    };
    let raw = build(RAW, [Some(b"x"), None, Some(b""), Some(b"10.0.0.1")]);
    let given = column(Arc::new(raw), "(t.bt)");
    assert_eq!(given.as_ref(), &build(REDACTED, [None; 4]) as &dyn Array);
}

#[test]
fn json_stays_json() {
    let raw = [
        Some(r#"{"ip":"10.0.0.1","n":[1,{"10.0.0.2":"a\n10.0.0.3"}]}"#),
        Some(r#""bob@example.com""#),
        Some("17"),
        None,
    ];
    let redacted = [
        Some(r#"{"ip":"REDACTED","n":[1,{"REDACTED":"a\nREDACTED"}]}"#),
        Some(r#""REDACTED""#),
        Some("17"),
        None,
    ];
    let given = column(Arc::new(StringViewArray::from_iter(raw)), "j");
    assert_eq!(
        given.as_ref(),
        &StringViewArray::from_iter(redacted) as &dyn Array
    );
}

#[test]
fn what_no_printer_writes_is_refused() {
    let text: ArrayRef = Arc::new(StringViewArray::from_iter(RAW));
    for (leaves, rule) in [
        ("", "ip"),
        ("x", "ip"),
        ("(t", "ip"),
        ("tt", "ip"),
        ("(t)", "ip"),
        ("t", "nope"),
        ("t", "=("),
    ] {
        let constants = [ScalarValue::Null, utf8(leaves), utf8(rule)];
        let mut args = vec![ColumnarValue::Array(Arc::clone(&text))];
        args.extend(constants[1..].iter().cloned().map(ColumnarValue::Scalar));
        assert!(
            invoke("redact", args, &constants, 4).is_err(),
            "{leaves} {rule}"
        );
    }
}
