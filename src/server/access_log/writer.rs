//! Where log lines go: those of requests many at a time, all others at once.
//!
//! A system call for each line is a good part of what a request with a kept result costs. Lines of requests therefore
//! wait for each other, until they are [enough](BATCH_BYTES) or for at most [`LATEST`]; any other line takes those
//! that wait with it, so that all stay in order. Nothing is left out: where nobody takes the log, requests wait, as they
//! do where each line is written alone.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

/// How long a line waits at most.
const LATEST: Duration = Duration::from_millis(100);

/// How many bytes wait at most: few enough that their memory is still in the processor's cache when it is written to
/// again. Whoever has the last line writes them, so that no other thread has to be woken.
const BATCH_BYTES: usize = 8 * 1024;

/// A place for log lines. Clones are one place.
#[derive(Clone)]
pub struct LogWriter {
    shared: Arc<Shared>,
}

struct Shared {
    /// Locked before `waiting`, where both are.
    out: Mutex<Out>,
    waiting: Mutex<Waiting>,
    /// Told when lines begin to wait while the attendant sleeps, or nobody comes any more.
    changed: Condvar,
}

struct Out {
    out: Box<dyn Write + Send>,
    /// Empty, kept for its room.
    spare: Vec<u8>,
}

#[derive(Default)]
struct Waiting {
    lines: Vec<u8>,
    /// Whether a thread writes what waits.
    is_attended: bool,
    /// Whether that thread has to be woken for it.
    is_asleep: bool,
    is_over: bool,
}

/// Writes what waits, until it is dropped; what waits then is written.
#[derive(Debug)]
pub struct Attendant {
    writer: LogWriter,
    thread: Option<JoinHandle<()>>,
}

impl LogWriter {
    /// Returns a place for lines that go there.
    #[must_use]
    pub fn new(out: impl Write + Send + 'static) -> Self {
        let shared = Shared {
            out: Mutex::new(Out {
                out: Box::new(out),
                spare: Vec::new(),
            }),
            waiting: Mutex::default(),
            changed: Condvar::new(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Lets lines of requests wait for each other from now on. Until then each is written at once.
    ///
    /// # Errors
    /// The system gives no more threads.
    pub fn attend(&self) -> io::Result<Attendant> {
        lock(&self.shared.waiting).is_over = false;
        let shared = Arc::clone(&self.shared);
        let thread = thread::Builder::new()
            .name("log".into())
            .spawn(move || shared.attend())?;
        lock(&self.shared.waiting).is_attended = true;
        Ok(Attendant {
            writer: self.clone(),
            thread: Some(thread),
        })
    }

    /// Takes the line of a request, with its end.
    pub(super) fn put(&self, line: &[u8]) {
        let mut waiting = lock(&self.shared.waiting);
        if !waiting.is_attended {
            drop(waiting);
            self.shared.write(line);
            return;
        }
        waiting.lines.extend_from_slice(line);
        let is_enough = waiting.lines.len() >= BATCH_BYTES;
        let is_asleep = std::mem::take(&mut waiting.is_asleep);
        drop(waiting);
        if is_asleep {
            self.shared.changed.notify_one();
        }
        if is_enough {
            self.shared.write(b"");
        }
    }
}

impl Shared {
    /// Writes what waits, and then a line. What cannot be written is lost: there is nowhere to tell it.
    fn write(&self, line: &[u8]) {
        let mut out = lock(&self.out);
        let spare = std::mem::take(&mut out.spare);
        let mut lines = std::mem::replace(&mut lock(&self.waiting).lines, spare);
        for text in [&lines[..], line] {
            if !text.is_empty() {
                drop(out.out.write_all(text));
            }
        }
        drop(out.out.flush());
        lines.clear();
        out.spare = lines;
    }

    /// Writes what waits, as long as somebody may come.
    fn attend(&self) {
        loop {
            let mut waiting = lock(&self.waiting);
            // While lines keep coming it need not be woken.
            waiting.is_asleep = waiting.lines.is_empty();
            let waiting = self
                .changed
                .wait_while(waiting, |w| w.is_asleep && !w.is_over)
                .unwrap_or_else(PoisonError::into_inner);
            let (waiting, _) = self
                .changed
                .wait_timeout_while(waiting, LATEST, |w| !w.is_over)
                .unwrap_or_else(PoisonError::into_inner);
            let is_over = waiting.is_over;
            drop(waiting);
            self.write(b"");
            if is_over {
                return;
            }
        }
    }
}

/// Nothing that is done under a lock leaves anything half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Attendant {
    fn drop(&mut self) {
        let shared = &self.writer.shared;
        {
            let mut waiting = lock(&shared.waiting);
            waiting.is_attended = false;
            waiting.is_over = true;
        }
        shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // It does not panic, and if it did nothing more could be done.
            drop(thread.join());
        }
    }
}

impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.shared.write(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl fmt::Debug for LogWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogWriter").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// Tells of each write.
    struct Told(Sender<String>);

    impl Write for Told {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let text = String::from_utf8_lossy(bytes).into_owned();
            self.0.send(text).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn writer() -> (LogWriter, Receiver<String>) {
        let (sender, receiver) = channel();
        (LogWriter::new(Told(sender)), receiver)
    }

    #[test]
    fn without_attendance_each_line_is_written_at_once() {
        let (mut writer, written) = writer();
        writer.put(b"a\n");
        assert_eq!(written.try_recv().unwrap(), "a\n");
        writer.write_all(b"b\n").unwrap();
        assert_eq!(written.try_recv().unwrap(), "b\n");
    }

    #[test]
    fn lines_wait_for_each_other_and_none_is_lost() {
        let (mut writer, written) = writer();
        let attendant = writer.attend().unwrap();
        writer.put(b"a\n");
        // It comes without anything else.
        assert_eq!(written.recv().unwrap(), "a\n");
        // A line of another kind takes those that wait with it and stays behind them.
        for line in ["b\n", "c\n"] {
            writer.put(line.as_bytes());
        }
        writer.write_all(b"d\n").unwrap();
        let mut all = String::new();
        while !all.ends_with("d\n") {
            all.push_str(&written.try_recv().unwrap());
        }
        assert_eq!(all, "b\nc\nd\n");
        // What waits at the end is written.
        writer.put(b"e\n");
        drop(attendant);
        assert_eq!(written.try_recv().unwrap(), "e\n");
        writer.put(b"f\n");
        assert_eq!(written.try_recv().unwrap(), "f\n");
        // And again.
        let _attendant = writer.attend().unwrap();
        writer.put(b"g\n");
        assert_eq!(written.recv().unwrap(), "g\n");
    }

    #[test]
    fn lines_of_many_threads_are_whole_and_few_writes() {
        let (writer, written) = writer();
        let attendant = writer.attend().unwrap();
        thread::scope(|scope| {
            for name in ["a", "b", "c", "d"] {
                let writer = &writer;
                scope.spawn(move || {
                    for number in 0..5000 {
                        writer.put(format!("{name}{number:05} {}\n", "x".repeat(200)).as_bytes());
                    }
                });
            }
        });
        drop(attendant);
        let writes: Vec<String> = written.try_iter().collect();
        let all = writes.concat();
        assert!(all.lines().all(|line| line.len() == 207), "whole lines");
        for name in ["a", "b", "c", "d"] {
            let numbers = all.lines().filter_map(|line| line.strip_prefix(name));
            let numbers: Vec<usize> = numbers
                .filter_map(|rest| rest.get(..5)?.parse().ok())
                .collect();
            assert!(numbers.iter().copied().eq(0..5000), "{name} in order");
        }
        assert!(writes.len() < 5000, "{}", writes.len());
    }
}
