//! Ends the comparison early, with what was found, when a person or the system asks for it.

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Says whether to stop.
#[derive(Clone)]
pub struct Stop(watch::Receiver<bool>);

impl Stop {
    /// Listens for an interrupt from the keyboard and for a request to terminate.
    pub fn listen() -> std::io::Result<Self> {
        let (sender, receiver) = watch::channel(false);
        let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        tokio::spawn(async move {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            sender.send_replace(true);
        });
        Ok(Self(receiver))
    }

    pub fn asked(&self) -> bool {
        *self.0.borrow()
    }

    /// Ends when somebody asked to stop.
    pub async fn wait(&self) {
        if self.0.clone().wait_for(|&asked| asked).await.is_err() {
            std::future::pending().await
        }
    }
}
