//! Values that not every number or text is one of.

use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer};

use super::WarehouseKind;

pub(super) fn positive<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    let number = u64::deserialize(deserializer)?;
    T::try_from(number)
        .ok()
        .filter(|_| number > 0)
        .ok_or_else(|| D::Error::invalid_value(Unexpected::Unsigned(number), &"a number above 0"))
}

pub(super) fn some_positive<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<usize>, D::Error> {
    positive(deserializer).map(Some)
}

pub(super) fn header_prefix<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    let is_token = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    if text.is_empty() || text.len() > 64 || !is_token {
        let expected = "1 to 64 letters, digits and `-`";
        return Err(D::Error::invalid_value(Unexpected::Str(&text), &expected));
    }
    Ok(text)
}

pub(super) fn origins<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let origins = Vec::<String>::deserialize(deserializer)?;
    for origin in &origins {
        let host = origin
            .strip_prefix("https://")
            .or_else(|| origin.strip_prefix("http://"));
        let is_origin = host.is_some_and(|host| {
            !host.is_empty()
                && host.bytes().all(|b| {
                    b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b':' | b'[' | b']')
                })
        });
        if origin != "*" && !is_origin {
            let expected = "`*` or an origin such as `https://logs.example.com`, without a path";
            return Err(D::Error::invalid_value(Unexpected::Str(origin), &expected));
        }
    }
    Ok(origins)
}

pub(super) fn warehouse_kind<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<WarehouseKind, D::Error> {
    match String::deserialize(deserializer)?.as_str() {
        "embedded" => Ok(WarehouseKind::Embedded),
        "bigquery" => Ok(WarehouseKind::BigQuery),
        other => Err(D::Error::unknown_variant(other, &["embedded", "bigquery"])),
    }
}

pub(super) fn some_project<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if !is_table_part(&text) {
        let expected = "the id of a project";
        return Err(D::Error::invalid_value(Unexpected::Str(&text), &expected));
    }
    Ok(Some(text))
}

pub(super) fn some_price<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<f64>, D::Error> {
    let price = f64::deserialize(deserializer)?;
    if !price.is_finite() || price < 0.0 {
        let expected = "a price, 0 or more";
        return Err(D::Error::invalid_value(Unexpected::Float(price), &expected));
    }
    Ok(Some(price))
}

pub(super) fn table<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let parts: Vec<&str> = text.split('.').collect();
    if parts.len() != 3 || !parts.iter().all(|part| is_table_part(part)) {
        let expected = "a table as `project.dataset.table`";
        return Err(D::Error::invalid_value(Unexpected::Str(&text), &expected));
    }
    Ok(Some(text))
}

/// A project may have `-` in its name; datasets and tables are identifiers, tables also with `-`.
fn is_table_part(part: &str) -> bool {
    !part.is_empty()
        && part
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}
