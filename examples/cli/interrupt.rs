//! Ctrl-C: the first ends the run gracefully, the second at once.

use std::error::Error;

use tokio::sync::watch;

/// Exit status of a program that Ctrl-C ended without an answer: 128 and the number of the signal.
pub const STATUS: u8 = 130;

/// Ctrl-C ended the program before there was a report.
#[derive(Debug, thiserror::Error)]
#[error("stopped by Ctrl-C before there was a report")]
pub struct Interrupted;

/// Ctrl-C ended a run that is kept on a thread.
#[derive(Debug, thiserror::Error)]
#[error(
    "stopped by Ctrl-C; what was found is kept: the same question with the same --thread and --db goes on from here"
)]
pub struct Kept;

/// Whether Ctrl-C is the reason for this error.
pub fn ended(error: &(dyn Error + 'static)) -> bool {
    error.is::<Interrupted>() || error.is::<Kept>()
}

/// Counts how often Ctrl-C was pressed.
#[derive(Clone)]
pub struct Interrupts(watch::Receiver<u32>);

impl Interrupts {
    /// Counts from now on: one that comes before the task below has begun is not lost.
    pub fn listen() -> Self {
        let (count, receiver) = watch::channel(0);
        if let Ok(mut presses) = super::ctrl_c() {
            tokio::spawn(async move {
                while presses.recv().await.is_some() {
                    count.send_modify(|count| *count += 1);
                }
            });
        }
        Self(receiver)
    }

    /// Waits until it was pressed so often since the start.
    pub async fn reach(mut self, times: u32) {
        if self.0.wait_for(|count| *count >= times).await.is_err() {
            // Where the system does not tell, it never happens.
            std::future::pending::<()>().await;
        }
    }
}
