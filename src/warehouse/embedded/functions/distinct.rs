//! Columns whose rows share values, so that a function need not be computed for each.
//!
//! Dictionaries tell by their keys. In columns of texts, rows that come close to each other often have the same one: the
//! path of a request, a region, an agent. Views of one text in a file are even the same view.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use arrow::array::{Array, ArrayRef, AsArray as _, StringArray, StringViewArray, UInt32Array};
use arrow::buffer::NullBuffer;
use arrow::datatypes::DataType;
use datafusion::error::Result;

/// Values that rows share.
#[derive(Clone)]
pub(super) struct Distinct {
    /// The values; some may be there twice.
    pub(super) values: ArrayRef,
    /// Which of them each row has, or NULL.
    pub(super) keys: ArrayRef,
}

/// The fewest rows for each value: with less, looking for them does not pay.
const ROWS_FOR_EACH: usize = 4;

/// Where more than half of so many first rows have a value of their own, the others are not looked at.
const PROBED: usize = 512;

/// Texts that are remembered at a time, as a power of two.
const REMEMBERED_BITS: u32 = 10;

/// Spreads what differs in low bits over the high ones: 2 to the power of 64 by the golden ratio.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// A column of texts and what its rows share.
struct Latest {
    /// No other column can have its place in memory as long as this is held.
    column: Weak<dyn Array>,
    found: Option<Distinct>,
}

thread_local! {
    /// The latest column: conditions often look for several patterns in one.
    static LATEST: RefCell<Option<Latest>> = const { RefCell::new(None) };
}

impl Distinct {
    /// Returns what the rows of a column share; `None` if that cannot be told at little cost, or is too little.
    pub(super) fn of(array: &ArrayRef) -> Result<Option<Self>> {
        if let Some(dictionary) = array.as_any_dictionary_opt() {
            if dictionary.values().len() > array.len() {
                return Ok(None);
            }
            return Ok(Some(Self {
                values: Arc::clone(dictionary.values()),
                keys: dictionary.keys().slice(0, array.len()),
            }));
        }
        let known = LATEST.with_borrow(|latest| {
            let is_it =
                |latest: &&Latest| std::ptr::addr_eq(latest.column.as_ptr(), Arc::as_ptr(array));
            let latest = latest.as_ref().filter(is_it);
            latest.map(|latest| latest.found.clone())
        });
        if let Some(found) = known {
            return Ok(found);
        }
        let found = Self::of_column(array)?;
        LATEST.set(Some(Latest {
            column: Arc::downgrade(array),
            found: found.clone(),
        }));
        Ok(found)
    }

    fn of_column(array: &ArrayRef) -> Result<Option<Self>> {
        let (first_rows, keys) = match array.data_type() {
            DataType::Utf8View => of_views(array.as_string_view()),
            DataType::Utf8 => of_texts(array.as_string()),
            _ => return Ok(None),
        }
        .unzip();
        let (Some(first_rows), Some(keys)) = (first_rows, keys) else {
            return Ok(None);
        };
        let values = arrow::compute::take(array.as_ref(), &UInt32Array::from(first_rows), None)?;
        let keys = UInt32Array::new(Vec::into(keys), array.nulls().cloned());
        Ok(Some(Self {
            values,
            keys: Arc::new(keys),
        }))
    }
}

/// The first row of each distinct value, and for each row that is not NULL the number of its value.
type Shared = (Vec<u32>, Vec<u32>);

fn of_views(texts: &StringViewArray) -> Option<Shared> {
    let views = texts.views().iter();
    let hash = |view: &u128| {
        #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
        let (low, high) = (*view as u64, (*view >> 64) as u64);
        mixed(low, high)
    };
    shared(views, texts.nulls(), hash)
}

fn of_texts(texts: &StringArray) -> Option<Shared> {
    let bytes = texts.value_data();
    let rows = texts.value_offsets().windows(2).map(|ends| match ends {
        [start, end] => usize::try_from(*start)
            .ok()
            .zip(usize::try_from(*end).ok())
            .and_then(|(start, end)| bytes.get(start..end))
            .unwrap_or_default(),
        _ => &[],
    });
    let hash = |text: &[u8]| {
        let word = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let (first, last) = (word(text.first_chunk()), word(text.last_chunk()));
        // Short texts are told by their length and last byte alone.
        let short = text.last().map_or(0, |byte| u64::from(*byte));
        mixed(first ^ text.len() as u64, last ^ short)
    };
    shared(rows, texts.nulls(), hash)
}

fn mixed(low: u64, high: u64) -> u64 {
    (low.wrapping_mul(SPREAD).rotate_left(32) ^ high).wrapping_mul(SPREAD)
}

fn shared<T: Copy + PartialEq>(
    rows: impl ExactSizeIterator<Item = T>,
    nulls: Option<&NullBuffer>,
    hash: impl Fn(T) -> u64,
) -> Option<Shared> {
    let most = rows.len() / ROWS_FOR_EACH;
    let mut first_rows: Vec<u32> = Vec::new();
    let mut keys = Vec::with_capacity(rows.len());
    // By a part of their hash the last text and its number. A text that was forgotten gets another number.
    let mut known: Vec<Option<(T, u32)>> = vec![None; 1 << REMEMBERED_BITS];
    for (row, text) in rows.enumerate() {
        if row == PROBED && first_rows.len() > PROBED / 2 {
            return None;
        }
        if nulls.is_some_and(|nulls| nulls.is_null(row)) {
            keys.push(0);
            continue;
        }
        let place = usize::try_from(hash(text) >> (u64::BITS - REMEMBERED_BITS)).ok()?;
        let slot = known.get_mut(place)?;
        let key = match slot {
            Some((known, key)) if *known == text => *key,
            _ => {
                if first_rows.len() == most {
                    return None;
                }
                let key = u32::try_from(first_rows.len()).ok()?;
                first_rows.push(u32::try_from(row).ok()?);
                *slot = Some((text, key));
                key
            }
        };
        keys.push(key);
    }
    (!first_rows.is_empty()).then_some((first_rows, keys))
}

#[cfg(test)]
mod tests {
    use arrow::array::{StringBuilder, StringViewBuilder};

    use super::*;

    #[test]
    fn rows_of_shared_texts_are_told() {
        let texts = [
            "",
            "a",
            "b",
            "short",
            "a text that does not fit into its view",
            "a text that does not sit in its view",
        ];
        let (mut views, mut plain) = (
            StringViewBuilder::new().with_deduplicate_strings(),
            StringBuilder::new(),
        );
        for row in 0..1000 {
            let text = texts.get(row % (texts.len() + 1));
            views.append_option(text);
            plain.append_option(text);
        }
        let columns: [ArrayRef; 2] = [Arc::new(views.finish()), Arc::new(plain.finish())];
        for column in columns
            .iter()
            .flat_map(|c| [Arc::clone(c), c.slice(3, 900)])
        {
            let found = Distinct::of(&column).expect("taken");
            let Distinct { values, keys } = found.expect("shared");
            assert!(values.len() < 16, "{}", values.len());
            let again = arrow::compute::take(&values, keys.as_ref(), None).expect("taken");
            assert_eq!(&again, &column);
        }
    }

    #[test]
    fn no_column_is_taken_for_another() {
        for number in 0..100 {
            let texts = vec![format!("of column {number}"); 8];
            let column: ArrayRef = Arc::new(StringArray::from_iter_values(&texts));
            for _ in 0..2 {
                let found = Distinct::of(&column).expect("taken").expect("shared");
                let again = arrow::compute::take(&found.values, found.keys.as_ref(), None);
                assert_eq!(&again.expect("taken"), &column);
            }
        }
    }

    #[test]
    fn rows_of_their_own_are_left() {
        let texts: Vec<String> = (0..1000)
            .map(|n| format!("a text of its own: {n}"))
            .collect();
        let columns: [ArrayRef; 2] = [
            Arc::new(StringViewArray::from_iter_values(&texts)),
            Arc::new(StringArray::from_iter_values(&texts)),
        ];
        for column in columns {
            assert!(Distinct::of(&column).expect("nothing is taken").is_none());
        }
    }
}
