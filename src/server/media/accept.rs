//! Lists of names with quality values (RFC 9110, section 12.4.2).

use hyper::header::{HeaderMap, HeaderName};

/// The quality of a name that has none, in thousandths.
const FULL: u16 = 1000;

/// A name that a caller accepts, in lower case, and how much they like it: 0 (not at all) to 1000.
pub(super) type Preference = (String, u16);

/// Reads every occurrence of a header. Parameters other than `q` are passed over; a quality that cannot
/// be read counts as 0.
pub(super) fn preferences(headers: &HeaderMap, header: &HeaderName) -> Vec<Preference> {
    let mut preferences = Vec::new();
    for value in headers.get_all(header) {
        let value = String::from_utf8_lossy(value.as_bytes());
        for item in value.split(',').map(str::trim).filter(|i| !i.is_empty()) {
            let mut parts = item.split(';').map(str::trim);
            let name = parts.next().unwrap_or_default().to_ascii_lowercase();
            let quality = parts
                .filter_map(|parameter| parameter.split_once('='))
                .find(|(key, _)| key.trim().eq_ignore_ascii_case("q"))
                .map_or(FULL, |(_, quality)| thousandths(quality.trim()));
            preferences.push((name, quality));
        }
    }
    preferences
}

/// Returns the quality of a thing that has these names, the most specific first. `None` when the caller
/// mentions none of them.
pub(super) fn quality(preferences: &[Preference], names: &[&str]) -> Option<u16> {
    names.iter().find_map(|name| {
        let mut found = preferences.iter().filter(|(accepted, _)| accepted == name);
        found.next().map(|(_, quality)| *quality)
    })
}

/// Reads `0`, `0.` to `0.999`, `1`, `1.` to `1.000`.
fn thousandths(text: &str) -> u16 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return 0;
    }
    match whole {
        "0" => format!("{fraction:0<3}").parse().unwrap_or(0),
        "1" if fraction.bytes().all(|b| b == b'0') => FULL,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::{ACCEPT, HeaderValue};

    use super::*;

    #[test]
    fn qualities() {
        for (text, expected) in [
            ("1", 1000),
            ("1.000", 1000),
            ("0.5", 500),
            ("0.05", 50),
            ("0.", 0),
            ("0", 0),
            ("1.001", 0),
            ("2", 0),
            ("-1", 0),
            ("0.1234", 0),
            ("NaN", 0),
            ("", 0),
        ] {
            assert_eq!(thousandths(text), expected, "{text:?}");
        }
    }

    #[test]
    fn lists_of_several_headers() {
        let mut headers = HeaderMap::new();
        headers.append(ACCEPT, HeaderValue::from_static("A/b;x=1;Q=0.3, ,c"));
        headers.append(ACCEPT, HeaderValue::from_static("*/*;q=0.1"));
        let found = preferences(&headers, &ACCEPT);
        let expected = [("a/b", 300), ("c", 1000), ("*/*", 100)];
        assert_eq!(found, expected.map(|(name, q)| (name.to_owned(), q)));
        assert_eq!(quality(&found, &["a/b", "*/*"]), Some(300));
        assert_eq!(quality(&found, &["x", "*/*"]), Some(100));
        assert_eq!(quality(&found, &["x"]), None);
    }
}
