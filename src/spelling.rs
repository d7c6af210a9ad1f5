//! Which known name somebody may have meant.

/// Returns the known name that is closest to `name`, or `None` when none is close enough to be meant.
///
/// Case does not count; of two that are as close, the first is returned.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // The distance is quadratic in the lengths; nobody means a known name with this many characters.
    if name.len() > 128 {
        return None;
    }
    let wanted = name.to_lowercase();
    let limit = (wanted.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| {
            let distance = strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase());
            (distance, candidate)
        })
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_close_names_are_suggested() {
        let known = ["max_rows", "cache_seconds", "sandbox"];
        for (name, expected) in [
            ("max_row", Some("max_rows")),
            ("MAX_ROWS", Some("max_rows")),
            ("sandobx", Some("sandbox")),
            ("cache_second", Some("cache_seconds")),
            ("x", None),
            ("description", None),
        ] {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
    }
}
