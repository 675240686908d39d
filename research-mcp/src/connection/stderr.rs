//! Keeps the newest part of a child's standard error for error messages.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// Bytes kept.
const KEPT: usize = 8 * 1024;
/// Lines shown in an error.
const SHOWN: usize = 8;

/// The newest bytes of a stream, read by a task of its own so that the child never blocks on a full pipe.
pub(super) struct StderrTail {
    newest: Arc<Mutex<VecDeque<u8>>>,
    /// Closed at the end of the stream.
    end: watch::Receiver<()>,
}

impl StderrTail {
    /// Starts to read.
    pub(super) fn follow(mut stream: impl AsyncRead + Send + Unpin + 'static) -> Self {
        let newest = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&newest);
        let (open, end) = watch::channel(());
        tokio::spawn(async move {
            let _open = open;
            let mut buffer = [0; 4096];
            while let Ok(read) = stream.read(&mut buffer).await {
                if read == 0 {
                    break;
                }
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(&buffer[..read]);
                let surplus = kept.len().saturating_sub(KEPT);
                kept.drain(..surplus);
            }
        });
        Self { newest, end }
    }

    /// The newest lines, joined by ` | `; empty when there are none.
    pub(super) fn text(&self) -> String {
        let mut kept = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(kept.make_contiguous());
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let shown = lines.len().saturating_sub(SHOWN);
        lines[shown..].join(" | ").chars().filter(|c| !c.is_control()).collect()
    }

    /// The newest lines once the stream has ended, or when it is time: what a child started may keep it open.
    pub(super) async fn text_at_end(&self, until: Instant) -> String {
        // Nothing is ever sent; an error says that the sender is gone.
        let _ = timeout_at(until, self.end.clone().changed()).await;
        self.text()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn only_the_newest_lines_are_kept() {
        let text: String = (0..10_000).map(|n| format!("line {n}\n")).collect();
        let tail = StderrTail::follow(std::io::Cursor::new(text.into_bytes()));
        let shown = tail.text_at_end(Instant::now() + Duration::from_secs(60)).await;
        assert!(shown.starts_with("line 9992 | ") && shown.ends_with("| line 9999"), "{shown}");
    }
}
