use proptest::prelude::*;

use super::*;

fn kinds(text: &str) -> Result<Vec<TokenKind>, Diagnostics> {
    lex(text, &Limits::default()).map(|tokens| tokens.into_iter().map(|t| t.kind).collect())
}

#[track_caller]
fn check(text: &str, expected: &[TokenKind]) {
    assert_eq!(kinds(text).as_deref(), Ok(expected), "{text:?}");
}

/// Checks the first problem of a text, and what of the text it is about.
#[track_caller]
fn refuse(text: &str, code: Code, about: &str) {
    let problems = lex(text, &Limits::default()).expect_err(text).0;
    let problem = problems.first().expect("a refusal has a reason");
    let span = problem.span.unwrap_or_default();
    assert_eq!(
        (problem.code, text.get(span.start..span.end)),
        (code, Some(about)),
        "{text:?}: {problems:?}"
    );
}

fn string(value: &str) -> TokenKind {
    TokenKind::String(value.to_owned())
}

fn bytes(value: &[u8]) -> TokenKind {
    TokenKind::Bytes(value.to_vec())
}

fn word(value: &str) -> TokenKind {
    TokenKind::Word(value.to_owned())
}

fn quoted(value: &str) -> TokenKind {
    TokenKind::Quoted(value.to_owned())
}

fn number(value: &str) -> TokenKind {
    TokenKind::Number(value.to_owned())
}

/// The literals are those that Google's own parser was asked about.
#[test]
fn strings_in_every_form() {
    for quote in ["'", "\"", "'''", "\"\"\""] {
        for prefix in ["", "r", "R"] {
            check(&format!("{prefix}{quote}ab{quote}"), &[string("ab")]);
            check(&format!("{prefix}{quote}{quote}"), &[string("")]);
        }
        for prefix in ["b", "B", "rb", "Rb", "bR", "BR"] {
            check(&format!("{prefix}{quote}ab{quote}"), &[bytes(b"ab")]);
        }
        check(&format!("{quote}a\\n{quote}"), &[string("a\n")]);
        check(&format!("r{quote}a\\n{quote}"), &[string("a\\n")]);
        check(&format!("b{quote}a\\n{quote}"), &[bytes(b"a\n")]);
        check(&format!("rb{quote}a\\n{quote}"), &[bytes(b"a\\n")]);
    }
    check("'''a'b''c'''", &[string("a'b''c")]);
    check("'''a\nb'''", &[string("a\nb")]);
    check("'''a\rb\r\nc'''", &[string("a\nb\nc")]);
    check("r'''a\rb\r\nc'''", &[string("a\nb\nc")]);
    check("r'''a\\\r\nb'''", &[string("a\\\r\nb")]);
    check("r'a\\\nb'", &[string("a\\\nb")]);
    check("'a\u{0}é\u{2028}'", &[string("a\u{0}é\u{2028}")]);
    check("b'é'", &[bytes("é".as_bytes())]);
    check("'a'as x", &[string("a"), word("as"), word("x")]);
    check("date'2020-01-01'", &[word("date"), string("2020-01-01")]);
    check("'' ''''''".split(' ').next().unwrap(), &[string("")]);
}

#[test]
fn escapes() {
    check(
        r#"'\a\b\f\n\r\t\v\\\?\"\'\`'"#,
        &[string("\u{7}\u{8}\u{c}\n\r\t\u{b}\\?\"'`")],
    );
    check(r"'\x41\X41\101\u0041\U00000041'", &[string("AAAAA")]);
    check(
        r"'\xe9\377\u0000\U0010ffff'",
        &[string("éÿ\u{0}\u{10ffff}")],
    );
    check(r"b'\xff\377\x00'", &[bytes(&[0xff, 0xff, 0])]);
    for (text, about) in [
        (r"'\q'", r"\q"),
        (r"'\Z'", r"\Z"),
        (r"'\%'", r"\%"),
        (r"'\0'", r"\0"),
        (r"'\12'", r"\1"),
        (r"'\400'", r"\4"),
        (r"'\x4'", r"\x"),
        (r"'\u004'", r"\u"),
        (r"'\ud800'", r"\ud800"),
        (r"'\U00110000'", r"\U00110000"),
        (r"b'\u0041'", r"\u"),
        ("'''a\\\nb'''", "\\\n"),
        (r"'\é'", r"\é"),
    ] {
        refuse(text, Code::BadEscape, about);
    }
}

/// The ways out of a sandbox that lie in where a literal, name or comment ends.
#[test]
fn escapes_from_the_sandbox() {
    check(r"'\\' 1", &[string("\\"), number("1")]);
    check(r#"'''\\''' 1"#, &[string("\\"), number("1")]);
    refuse(r"`\` FROM x -- `", Code::BadIdentifier, r"`\`");
    check(r"r'\' FROM x -- '", &[string(r"\' FROM x -- ")]);
    check(r#"R"\" FROM x -- ""#, &[string(r#"\" FROM x -- "#)]);
    check(r"b'\' FROM x -- '", &[bytes(b"' FROM x -- ")]);
    check(
        "- -1",
        &[
            TokenKind::Symbol(Symbol::Minus),
            TokenKind::Symbol(Symbol::Minus),
            number("1"),
        ],
    );
    check(
        "1 --1\n+ 2",
        &[number("1"), TokenKind::Symbol(Symbol::Plus), number("2")],
    );
    check(r"'\''", &[string("'")]);
    refuse("1 -- a\r FROM x", Code::UnexpectedCharacter, "\r");
    refuse("1 # a\r FROM x", Code::UnexpectedCharacter, "\r");
    check(
        "1 -- a\r\n+ 2",
        &[number("1"), TokenKind::Symbol(Symbol::Plus), number("2")],
    );
    // One token, which the analyzer takes for the name of a table and for nothing else.
    check("`a.b`", &[TokenKind::Quoted("a.b".to_owned())]);
}

#[test]
fn names() {
    check("`select` Select", &[quoted("select"), word("Select")]);
    check(
        "@Project @_p1",
        &[
            TokenKind::Parameter("project".to_owned()),
            TokenKind::Parameter("_p1".to_owned()),
        ],
    );
    let long = "a".repeat(128);
    check(&long, &[word(&long)]);
    check(&format!("`{long}`"), &[quoted(&long)]);
    let longer = "a".repeat(129);
    refuse(&longer, Code::NameTooLong, &longer);
    for text in [
        "``", "`a b`", "`1a`", "`é`", "`a-b`", "`a.`", "`.a`", "`a..b`", "`a.1`", "`a\u{0}`",
    ] {
        refuse(text, Code::BadIdentifier, text);
    }
    refuse("`a``b`", Code::BadIdentifier, "`b`");
    refuse("`a\nb`", Code::Unterminated, "`a");
    refuse("select `a", Code::Unterminated, "`a");
    refuse("@@version", Code::ForeignSyntax, "@@version");
    refuse("@{x=1}", Code::ForeignSyntax, "@{");
    refuse("@ x", Code::UnexpectedCharacter, "@");
    refuse("@`x`", Code::UnexpectedCharacter, "@");
}

#[test]
fn numbers() {
    for text in [
        "0", "007", "1", ".5", "1.", "1.5", "1e5", "1E+5", "1.e-2", ".5e1",
    ] {
        check(text, &[number(text)]);
    }
    check("0x1F 0X1f 0x00", &[number("31"), number("31"), number("0")]);
    check("0x8000000000000000", &[number("9223372036854775808")]);
    check(
        "1+.5",
        &[number("1"), TokenKind::Symbol(Symbol::Plus), number(".5")],
    );
    for (text, about) in [
        ("1_000", "1_000"),
        ("1n", "1n"),
        ("1e", "1e"),
        ("1e+", "1e"),
        ("1d", "1d"),
        ("0b1", "0b1"),
        ("1AS x", "1AS"),
        ("1.2.3", "1.2."),
        ("0x", "0x"),
        ("0x1g", "0x1g"),
        ("0xFFFFFFFFFFFFFFFF", "0xFFFFFFFFFFFFFFFF"),
    ] {
        refuse(text, Code::BadNumber, about);
    }
}

#[test]
fn blanks_and_comments() {
    check("/* a /* b */ 1 # c", &[number("1")]);
    check("--a\n#b\n1--", &[number("1")]);
    check("\t\r\n 1", &[number("1")]);
    check("'--' '''#'''".split(' ').next().unwrap(), &[string("--")]);
    refuse("1 /* a", Code::Unterminated, "/* a");
    for text in ["", "  ", ";", " ;; ", "-- nothing yet\n", "/**/;"] {
        refuse(text, Code::EmptyQuery, "");
    }
}

#[test]
fn symbols() {
    for symbol in Symbol::ALL {
        if matches!(
            symbol,
            Symbol::LeftParenthesis
                | Symbol::RightParenthesis
                | Symbol::LeftBracket
                | Symbol::RightBracket
        ) {
            continue;
        }
        let text = format!("a {} b", symbol.as_str());
        check(&text, &[word("a"), TokenKind::Symbol(*symbol), word("b")]);
    }
    refuse("(a", Code::Syntax, "(");
    refuse("a)", Code::Syntax, ")");
    refuse("(a]", Code::Syntax, "]");
}

#[test]
fn foreign_forms() {
    for (text, about) in [
        ("N'a'", "N"),
        ("x'1f'", "x"),
        ("E'\\n'", "E"),
        ("U&'a'", "U&"),
        ("a::text", "::"),
        (":name", ":"),
        ("a = ?", "?"),
        ("$1", "$"),
        ("$$a$$", "$$"),
        ("{fn now()}", "{"),
        ("a->>'b'", "->>"),
        ("x -> x", "->"),
        ("a % b", "%"),
        ("a == b", "=="),
        ("a && b", "&&"),
        ("!a", "!"),
        ("'it''s'", "''"),
    ] {
        refuse(text, Code::ForeignSyntax, about);
    }
    refuse("'a' 'b'", Code::Syntax, "'b'");
    refuse("‘a’", Code::UnexpectedCharacter, "‘");
    refuse("a\u{a0}b", Code::UnexpectedCharacter, "\u{a0}");
    refuse("a\u{0}b", Code::UnexpectedCharacter, "\u{0}");
    refuse("a\u{c}b", Code::UnexpectedCharacter, "\u{c}");
    refuse("a \\ b", Code::UnexpectedCharacter, "\\");
    refuse("'a\nb'", Code::Unterminated, "'a");
    refuse("'''a", Code::Unterminated, "'''a");
    refuse(r"'a\'", Code::Unterminated, r"'a\'");
}

#[test]
fn problems_are_told_together() {
    let problems = lex("select a::text, 1_000, `b-c`, '\\q'", &Limits::default());
    let codes: Vec<Code> = problems
        .expect_err("four problems")
        .0
        .iter()
        .map(|p| p.code)
        .collect();
    assert_eq!(
        codes,
        [
            Code::ForeignSyntax,
            Code::BadNumber,
            Code::BadIdentifier,
            Code::BadEscape
        ]
    );
}

#[test]
fn limits_name_themselves() {
    let limits = Limits {
        query_bytes: 40,
        tokens: 8,
        nesting: 2,
        literal_bytes: 4,
        name_bytes: 6,
        ..Limits::default()
    };
    for (text, code, key) in [
        (
            "a".repeat(41),
            Code::TooLong,
            "at most 40 are allowed (limits.query_bytes)",
        ),
        (
            "a ".repeat(9),
            Code::TooManyTokens,
            "more than 8 words and symbols (limits.tokens)",
        ),
        (
            "((a[1]))".to_owned(),
            Code::TooDeep,
            "deeper than 2 levels (limits.nesting)",
        ),
        (
            "'abcde'".to_owned(),
            Code::LiteralTooLong,
            "at most 4 are allowed (limits.literal_bytes)",
        ),
        (
            "abcdefg".to_owned(),
            Code::NameTooLong,
            "at most 6 are allowed (limits.name_bytes)",
        ),
    ] {
        let problems = lex(&text, &limits).expect_err(&text).0;
        let [problem] = problems.as_slice() else {
            panic!("one problem expected for {text}: {problems:?}");
        };
        assert_eq!(problem.code, code, "{text}");
        assert!(problem.message.contains(key), "{}", problem.message);
    }
    assert!(lex("((a))", &limits).is_ok());
    assert!(lex("a b c d e f g h", &limits).is_ok());
}

fn fragments() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("'"),
        Just("\""),
        Just("'''"),
        Just("\"\"\""),
        Just("`"),
        Just("\\"),
        Just("r'"),
        Just("b\""),
        Just("--"),
        Just("#"),
        Just("/*"),
        Just("*/"),
        Just("\r"),
        Just("\n"),
        Just("@"),
        Just("x"),
        Just("1"),
        Just("."),
        Just("e"),
        Just("("),
        Just(")"),
        Just("\u{0}"),
        Just("é"),
        Just("\u{2028}"),
        Just(" "),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

#[track_caller]
fn spans_are_in_order(text: &str) {
    match lex(text, &Limits::default()) {
        Ok(tokens) => {
            let mut end = 0;
            for token in tokens {
                assert!(
                    token.span.start >= end && token.span.end > token.span.start,
                    "{text:?}"
                );
                assert!(
                    text.get(token.span.start..token.span.end).is_some(),
                    "{text:?}"
                );
                end = token.span.end;
            }
        }
        Err(problems) => {
            assert!(!problems.0.is_empty());
            for span in problems.0.iter().filter_map(|p| p.span) {
                assert!(
                    text.get(span.start..span.end).is_some(),
                    "{text:?} {problems:?}"
                );
            }
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_lexed_or_refused(text in any::<String>()) {
        spans_are_in_order(&text);
    }

    #[test]
    fn any_bytes_are_lexed_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        spans_are_in_order(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn quotes_and_comments_in_any_order(text in fragments()) {
        spans_are_in_order(&text);
    }
}
