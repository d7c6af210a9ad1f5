//! Text into chunks of whole lines.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::ImportError;
use crate::warehouse::embedded::store::failed;

/// Bytes of one chunk, more when a line is longer.
const CHUNK: usize = 2 * 1024 * 1024;
/// Bytes of the longest line.
const LINE: usize = 64 * 1024 * 1024;

/// Some whole lines, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// The lines; the last one need not end in a line break.
    pub text: Vec<u8>,
}

/// Splits a text into chunks.
pub(super) struct Lines<'a> {
    reader: Box<dyn Read + Send + 'a>,
    file: PathBuf,
    /// The begin of a line whose end is not read yet.
    rest: Vec<u8>,
    first: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(reader: Box<dyn Read + Send + 'a>, file: &Path) -> Self {
        Self {
            reader,
            file: file.to_path_buf(),
            rest: Vec::new(),
            first: true,
        }
    }

    /// Returns the next lines, `None` after the last.
    pub(super) fn next_chunk(&mut self) -> Result<Option<Chunk>, ImportError> {
        let mut text = std::mem::take(&mut self.rest);
        loop {
            let wanted = CHUNK as u64;
            let read = (&mut self.reader)
                .take(wanted)
                .read_to_end(&mut text)
                .map_err(failed("reading the file", &self.file))?;
            if std::mem::take(&mut self.first) && text.starts_with(b"\xef\xbb\xbf") {
                text.drain(..3);
            }
            if read == 0 {
                return Ok((!text.is_empty()).then_some(Chunk { text }));
            }
            if let Some(end) = text.iter().rposition(|b| *b == b'\n') {
                self.rest = text.split_off(end + 1);
                return Ok(Some(Chunk { text }));
            }
            if text.len() > LINE {
                return Err(ImportError::File {
                    file: self.file.clone(),
                    message: format!(
                        "a line is longer than {LINE} bytes; NDJSON has one row a line"
                    ),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_whole_lines_and_lose_nothing() {
        let mut text = Vec::new();
        for i in 0..40_000 {
            text.extend(format!("{i}:{}\n", "x".repeat(i % 300)).bytes());
        }
        text.extend(b"no line break at the end");
        let mut with_mark = b"\xef\xbb\xbf".to_vec();
        with_mark.extend(&text);
        let mut lines = Lines::new(Box::new(&with_mark[..]), Path::new("a"));
        let mut joined = Vec::new();
        let mut chunks = 0;
        while let Some(chunk) = lines.next_chunk().unwrap() {
            chunks += 1;
            joined.extend(chunk.text);
            assert!(joined.ends_with(b"\n") || joined.len() == text.len());
        }
        assert!(chunks > 2);
        assert!(joined == text);
    }
}
