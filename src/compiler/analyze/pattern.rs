//! Regular expressions, checked before any engine sees them.

use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::limits::Limits;
use crate::compiler::re2;

/// Checks a regular expression for STRING, or for BYTES, where each character stands for the byte of that number;
/// returns the number of its capturing groups.
///
/// # Errors
/// It is too long, malformed, or too large once compiled.
pub(in crate::compiler) fn check(
    pattern: &str,
    bytes: bool,
    span: Span,
    limits: &Limits,
) -> Result<usize, Box<Diagnostic>> {
    let most = limits.pattern_bytes;
    let length = if bytes {
        pattern.chars().count()
    } else {
        pattern.len()
    };
    if length > most {
        return Err(Box::new(Diagnostic::new(
            Code::PatternTooLong,
            span,
            format!(
                "a regular expression of {length} bytes, the limit is {most} (limits.pattern_bytes)"
            ),
        )));
    }
    let malformed = |reason: &str| {
        let message = format!("this regular expression is malformed: {reason}");
        let help = "the syntax is RE2's; in SQL write it as a raw string: r'\\d+'";
        Box::new(Diagnostic::new(Code::BadPattern, span, message).help(help))
    };
    let translated = re2::translate(pattern, bytes).map_err(malformed)?;
    let most = limits.pattern_program_bytes;
    let compiled = regex::bytes::RegexBuilder::new(&translated)
        .unicode(!bytes)
        .size_limit(most)
        .build();
    match compiled {
        Ok(regex) => Ok(regex.captures_len() - 1),
        Err(regex::Error::CompiledTooBig(_)) => {
            let message = format!(
                "this regular expression is too large once compiled, the limit is {most} bytes \
                 (limits.pattern_program_bytes)"
            );
            let help =
                "repeat less, and classes of fewer characters: [a-z]{10} in place of \\pL{100}";
            Err(Box::new(
                Diagnostic::new(Code::PatternTooLong, span, message).help(help),
            ))
        }
        Err(error) => {
            let error = error.to_string();
            // The reason is the last line; those before it draw the pattern.
            let reason = error.rsplit("error: ").next().unwrap_or_default();
            Err(malformed(reason.trim()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What GoogleSQL's evaluator said of each.
    #[test]
    fn patterns_are_accepted_and_refused_as_by_re2() {
        let accepted = [
            r"a{1000}",
            r"(?s)a",
            r"(?U)a",
            r"(?m)a",
            r"\b{start}a",
            r"\<a",
            r"\x{41}",
            r"\x41",
            r"[a[b]]",
            r"[a&&b]",
            r"[a~~b]",
            r"[[:alpha:]]",
            r"(?<n>a)",
            r"(?P<n>a)",
            r"\pL",
            r"\p{Greek}",
            r"\d",
            r"\z",
            r"\A",
            r"\Qa\E",
            r"\C",
            r"[\w-z]",
            r"\/",
            r"\_",
            r"(?i-s:a)",
            r"()",
            r"x{,5}",
            r"{",
            r"a{1",
            r"]",
            r"}",
            r"\p{^Greek}",
            r"\0",
            r"\07",
            r"\a\f\t\n\r\v",
            r"[]a]",
            r"[^]a]",
            r"\B",
            r"a(?i)b",
            r"\p{Any}",
        ];
        let refused = [
            r"a{1001}",
            r"a{0,2000}",
            r"(a{30}){40}",
            r"(?x)a b",
            r"(?u)a",
            r"(?R)a",
            r"\u0041",
            r"[a--b]",
            r"\p{Script=Greek}",
            r"\h",
            r"\Z",
            r"a**",
            r"a*+",
            r"a++",
            r"a{2}{3}",
            r"\é",
            r"a|*",
            r"[z-a]",
            r"\1",
            r"\e",
            r"\U00000041",
            r"(?:a",
            r"(?=a)",
            r"\K",
            r"\X",
        ];
        let check = |pattern: &str| check(pattern, false, Span::default(), &Limits::default());
        for pattern in accepted {
            assert!(check(pattern).is_ok(), "{pattern}: {:?}", check(pattern));
        }
        for pattern in refused {
            let refusal = check(pattern).expect_err(pattern);
            assert_eq!(refusal.code, Code::BadPattern, "{pattern}");
        }
        assert_eq!(check("(a)(?:b)(?P<c>d)").ok(), Some(2));
    }

    /// What GoogleSQL's evaluator removed from all 256 bytes, counted.
    #[test]
    fn properties_of_bytes_are_those_of_latin_1() {
        let cases = [
            (r"\pL", 117),
            (r"\PL", 139),
            (r"\p{^L}", 139),
            (r"\p{Greek}", 0),
            (r"[\p{Greek}x]", 1),
            (r"(?i)\p{Lu}", 82),
            (r"[\p{N}x]", 17),
            (r"[^\p{N}x]", 239),
            (r"\p{Any}", 256),
        ];
        for (pattern, count) in cases {
            assert!(check(pattern, true, Span::default(), &Limits::default()).is_ok());
            let regex = re2::compile(pattern, true).expect(pattern);
            let matching = (0..=u8::MAX).filter(|byte| regex.is_match(&[*byte]));
            assert_eq!(matching.count(), count, "{pattern}");
        }
        assert!(re2::compile(r"\p{Foo}", true).is_err());
    }
}
