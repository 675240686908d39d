//! Keeps the newest part of a child's standard error for error messages.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::JoinHandle;

/// Bytes kept.
const KEPT: usize = 8 * 1024;
/// Lines shown in an error.
const SHOWN: usize = 8;

/// The newest bytes of a stream, read by a task of its own so that the child never blocks on a full pipe.
pub(super) struct StderrTail {
    newest: Arc<Mutex<VecDeque<u8>>>,
    task: tokio::sync::Mutex<JoinHandle<()>>,
}

impl StderrTail {
    /// Starts to read.
    pub(super) fn follow(mut stream: impl AsyncRead + Send + Unpin + 'static) -> Self {
        let newest = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&newest);
        let task = tokio::spawn(async move {
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
        Self { newest, task: tokio::sync::Mutex::new(task) }
    }

    /// The newest lines, joined by ` | `; empty when there are none.
    pub(super) fn text(&self) -> String {
        let mut kept = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(kept.make_contiguous());
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let shown = lines.len().saturating_sub(SHOWN);
        lines[shown..].join(" | ").chars().filter(|c| !c.is_control()).collect()
    }

    /// The newest lines once the stream has ended, or after a short wait for that.
    pub(super) async fn text_at_end(&self) -> String {
        let mut task = self.task.lock().await;
        if !task.is_finished() {
            // A grandchild may keep the stream open, so the end is not waited for without limit.
            let _ = tokio::time::timeout(Duration::from_millis(200), &mut *task).await;
        }
        drop(task);
        self.text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_newest_lines_are_kept() {
        let text: String = (0..10_000).map(|n| format!("line {n}\n")).collect();
        let tail = StderrTail::follow(std::io::Cursor::new(text.into_bytes()));
        let shown = tail.text_at_end().await;
        assert!(shown.starts_with("line 9992 | ") && shown.ends_with("| line 9999"), "{shown}");
    }
}
