//! What a server says when it wants the user to sign in.

use tokio::sync::watch;

/// What the server said when it wanted the user to sign in. From then on a connection is of no use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Challenge(watch::Sender<Option<String>>);

impl Challenge {
    pub(super) fn set(&self, words: String) {
        self.0.send_replace(Some(words));
    }

    /// What it said last.
    pub(crate) fn said(&self) -> Option<String> {
        self.0.borrow().clone()
    }

    /// Resolves when the server wants the user to sign in.
    pub(crate) async fn made(&self) {
        // The sender is here, so that this cannot fail.
        let _ = self.0.subscribe().wait_for(Option::is_some).await;
    }
}

/// A refusal in words, with what the server says about it.
pub(super) fn refusal(status: u16, said: &str) -> String {
    if said.is_empty() { format!("HTTP {status}") } else { format!("HTTP {status}, {said}") }
}
