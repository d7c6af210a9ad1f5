//! What the rows of a moving frame come to, where a row cannot be taken off what several came to.
//!
//! Each row is joined to others twice, however many rows the frame has.
//!
//! Source: the queue of two stacks, K. Tangwongsan, M. Hirzel, S. Schneider, "Optimal and general out-of-order
//! sliding-window aggregation", 2019, section 2.

use std::fmt::Debug;

/// What one or more rows come to.
pub(super) trait Joinable: Copy + Debug + Send + Sync + 'static {
    /// Returns what the rows of both come to; those of the other are behind.
    fn joined(self, behind: Self) -> Self;
}

/// The rows of a frame.
#[derive(Debug)]
pub(super) struct Stacks<P> {
    /// Whether rows leave the frame.
    moves: bool,
    /// Of each of the older rows, it and those up to the newer ones; the oldest is the last.
    older: Vec<P>,
    newer: Vec<P>,
    /// The newer ones as one.
    joined: Option<P>,
}

impl<P: Joinable> Stacks<P> {
    pub(super) fn new(moves: bool) -> Self {
        Self {
            moves,
            older: Vec::new(),
            newer: Vec::new(),
            joined: None,
        }
    }

    /// Adds the newest row.
    pub(super) fn push(&mut self, piece: P) {
        if self.moves {
            self.newer.push(piece);
        }
        self.joined = Some(match self.joined {
            Some(joined) => joined.joined(piece),
            None => piece,
        });
    }

    /// Takes off so many of the oldest rows.
    pub(super) fn pop(&mut self, count: usize) {
        let mut count = count;
        if count >= self.older.len() {
            count -= self.older.len();
            self.older.clear();
            self.newer.drain(..count.min(self.newer.len()));
            count = 0;
            self.joined = None;
            while let Some(piece) = self.newer.pop() {
                self.older.push(match self.older.last() {
                    Some(behind) => piece.joined(*behind),
                    None => piece,
                });
            }
        }
        self.older.truncate(self.older.len() - count);
    }

    /// Returns the bytes that the rows take.
    pub(super) fn size(&self) -> usize {
        (self.older.capacity() + self.newer.capacity()) * size_of::<P>()
    }

    /// Returns what all rows come to.
    pub(super) fn total(&self) -> Option<P> {
        match (self.older.last(), self.joined) {
            (Some(older), Some(newer)) => Some(older.joined(newer)),
            (Some(older), None) => Some(*older),
            (None, newer) => newer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first and the last of rows that follow each other.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Span(usize, usize);

    impl Joinable for Span {
        fn joined(self, behind: Self) -> Self {
            assert_eq!(self.1 + 1, behind.0, "rows are joined in their order");
            Span(self.0, behind.1)
        }
    }

    #[test]
    fn the_total_is_that_of_the_rows_in_the_frame() {
        for width in [1, 2, 3, 7, 50] {
            for step in [1, 2, 5] {
                let mut stacks = Stacks::new(true);
                let (mut first, mut end) = (0, 0);
                while end < 60 {
                    for row in end..end + step {
                        stacks.push(Span(row, row));
                    }
                    end += step;
                    let left = end.saturating_sub(width).max(first);
                    stacks.pop(left - first);
                    first = left;
                    assert_eq!(stacks.total(), Some(Span(first, end - 1)));
                }
                stacks.pop(end - first);
                assert_eq!(stacks.total(), None);
            }
        }
    }

    #[test]
    fn rows_that_never_leave_are_not_kept() {
        let mut stacks = Stacks::new(false);
        for row in 0..10 {
            stacks.push(Span(row, row));
        }
        assert_eq!(stacks.total(), Some(Span(0, 9)));
        assert!(stacks.newer.is_empty());
    }
}
