//! Ctrl-C: the first ends the run gracefully, the second at once.

use tokio::sync::watch;

/// Exit status of a program that Ctrl-C ended without an answer: 128 and the number of the signal.
pub const STATUS: u8 = 130;

/// Ctrl-C ended the program before there was a report.
#[derive(Debug, thiserror::Error)]
#[error("stopped by Ctrl-C before there was a report")]
pub struct Interrupted;

/// Counts how often Ctrl-C was pressed.
#[derive(Clone)]
pub struct Interrupts(watch::Receiver<u32>);

impl Interrupts {
    /// Counts from now on.
    pub fn listen() -> Self {
        let (count, receiver) = watch::channel(0);
        tokio::spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() {
                count.send_modify(|count| *count += 1);
            }
        });
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
