//! STRING_AGG over the rows of a window: `string_agg_over(value, separator, whole)`. The last two are literals;
//! `whole` says that all rows of a partition have the same frame.

use std::collections::{HashSet, VecDeque};

use arrow::array::ArrayRef;
use datafusion::common::{ScalarValue, internal_err};
use datafusion::error::Result;
use datafusion::logical_expr::Accumulator;
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::physical_expr::expressions::Literal;

use super::super::column::{Reader, readable};
use super::super::value::Value;
use super::{is_whole, no_state};
use crate::warehouse::embedded::budget;

/// The texts of a frame.
#[derive(Debug)]
pub(super) struct Texts {
    separator: String,
    whole: bool,
    /// The texts so far, where each counts once.
    seen: Option<HashSet<String>>,
    /// Each text behind a separator. Those in front of `first` have left the frame.
    text: String,
    first: usize,
    /// The bytes of each text and its separator.
    lengths: VecDeque<usize>,
    rows: usize,
}

impl Texts {
    pub(super) fn of(args: &AccumulatorArgs<'_>) -> Result<Self> {
        let [_, separator, _] = args.exprs else {
            return internal_err!("string_agg_over takes three arguments");
        };
        let separator = separator.downcast_ref::<Literal>().map(Literal::value);
        let Some(ScalarValue::Utf8(Some(separator))) = separator else {
            return internal_err!("the separator of string_agg_over is a literal");
        };
        Ok(Self {
            separator: separator.clone(),
            whole: is_whole(args)?,
            seen: args.is_distinct.then(HashSet::new),
            text: String::new(),
            first: 0,
            lengths: VecDeque::new(),
            rows: 0,
        })
    }
}

/// Calls a function with each text.
fn each(arguments: &[ArrayRef], mut call: impl FnMut(&str)) -> Result<()> {
    let Some(values) = arguments.first() else {
        return internal_err!("string_agg_over takes texts");
    };
    let values = readable(values)?;
    let reader = Reader::new(values.as_ref())?;
    for row in 0..values.len() {
        match reader.value(row) {
            Value::Str(text) => call(text),
            Value::Null => {}
            _ => return internal_err!("string_agg_over takes texts"),
        }
    }
    Ok(())
}

impl Accumulator for Texts {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.rows += values.first().map_or(0, |values| values.len());
        let before = self.text.len();
        let Self {
            separator,
            text,
            lengths,
            seen,
            ..
        } = self;
        each(values, |value| {
            if let Some(seen) = seen
                && !seen.insert(value.to_owned())
            {
                return;
            }
            text.push_str(separator);
            text.push_str(value);
            lengths.push_back(separator.len() + value.len());
        })?;
        budget::charge(self.text.len() - before)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let mut count = 0;
        each(values, |_| count += 1)?;
        let left = self.lengths.drain(..count.min(self.lengths.len()));
        self.first += left.sum::<usize>();
        // What has left is moved over when it is half of the text.
        if self.first > self.text.len() / 2 {
            self.text.drain(..self.first);
            self.first = 0;
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let text = self.text.get(self.first + self.separator.len()..);
        let text = text.filter(|_| !self.lengths.is_empty());
        let results = if self.whole { self.rows } else { 1 };
        budget::charge(text.map_or(0, str::len).saturating_mul(results))?;
        Ok(ScalarValue::Utf8(text.map(str::to_owned)))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.text.capacity() + self.lengths.capacity() * size_of::<usize>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        no_state()
    }

    fn merge_batch(&mut self, _: &[ArrayRef]) -> Result<()> {
        no_state()
    }
}
