//! Runs a reader so that a panic or an endless loop costs its own file only.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use crate::read::error::ReadError;

/// Stack of a reader in bytes. Readers of other crates recurse over what they read.
const STACK: usize = 16 << 20;
/// Maximum number of readers that hang before no further one is started.
const MOST_HANGING: usize = 8;

/// Number of readers that exceeded their time and still run.
static HANGING: AtomicUsize = AtomicUsize::new(0);

/// Returns how many readers exceeded their time limit and still run. A thread cannot be stopped
/// from outside; it ends with its file or with the process.
pub fn abandoned_readers() -> usize {
    HANGING.load(Ordering::Relaxed)
}

/// Runs a reader on a separate thread within a time limit.
///
/// # Errors
///
/// The error of the reader, its panic, or that it took too long.
pub(crate) fn isolated<T: Send + 'static>(
    limit: Duration,
    reader: impl FnOnce() -> Result<T, ReadError> + Send + 'static,
) -> Result<T, ReadError> {
    let count = abandoned_readers();
    if count >= MOST_HANGING {
        return Err(ReadError::Busy { count });
    }

    // 0 while the reader runs in time, 1 when it was abandoned, 2 when it has ended.
    let state = Arc::new(AtomicUsize::new(0));
    let (sender, receiver) = sync_channel(1);
    let theirs = Arc::clone(&state);
    let work = move || {
        let result = catch_unwind(AssertUnwindSafe(reader)).unwrap_or_else(|panic| {
            Err(ReadError::Panicked {
                message: message_of(&*panic),
            })
        });
        if theirs.swap(2, Ordering::AcqRel) == 1 {
            HANGING.fetch_sub(1, Ordering::Relaxed);
        }
        // The caller may have stopped waiting.
        let _ = sender.send(result);
    };
    let thread = thread::Builder::new()
        .name("reader".to_owned())
        .stack_size(STACK)
        .spawn(work);
    if let Err(error) = thread {
        return Err(ReadError::Panicked {
            message: error.to_string(),
        });
    }

    match receiver.recv_timeout(limit) {
        Ok(result) => result,
        Err(RecvTimeoutError::Disconnected) => Err(ReadError::Panicked {
            message: "the reader ended without a result".to_owned(),
        }),
        Err(RecvTimeoutError::Timeout) => {
            HANGING.fetch_add(1, Ordering::Relaxed);
            if state.swap(1, Ordering::AcqRel) == 2 {
                HANGING.fetch_sub(1, Ordering::Relaxed);
            }
            Err(ReadError::TooSlow { limit })
        }
    }
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "it panicked".to_owned());
    text.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_of_its_file() {
        let result: Result<(), _> = isolated(Duration::from_secs(5), || panic!("bad table"));

        assert_eq!(
            result,
            Err(ReadError::Panicked {
                message: "bad table".to_owned()
            })
        );
    }

    #[test]
    fn a_reader_that_hangs_is_abandoned_and_counted() {
        let limit = Duration::from_millis(20);
        let result: Result<(), _> = isolated(limit, || {
            thread::sleep(Duration::from_millis(300));
            Ok(())
        });

        assert_eq!(result, Err(ReadError::TooSlow { limit }));
        assert!(abandoned_readers() >= 1);
        thread::sleep(Duration::from_millis(600));
        assert_eq!(abandoned_readers(), 0);
    }
}
