//! What the connections of a fake server share with its handle.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::answer::Answer;
use super::received::Received;

type Responder = dyn Fn(&Received) -> Answer + Send + Sync;

/// What the connections share with the handle.
pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    /// Changes whenever a request comes in or a client leaves.
    pub(super) changed: watch::Sender<()>,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) answers: VecDeque<Answer>,
    pub(super) otherwise: Option<Arc<Responder>>,
    pub(super) received: Vec<Received>,
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing here can panic half-way, so the state of a poisoned lock is still whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a request; its number and what to answer.
    pub(super) fn take(&self, request: Received) -> (usize, Answer) {
        let (number, prepared, otherwise) = {
            let mut state = self.lock();
            state.received.push(request.clone());
            (state.received.len() - 1, state.answers.pop_front(), state.otherwise.clone())
        };
        self.changed.send_replace(());
        let answer = prepared.or_else(|| otherwise.map(|answer| answer(&request)));
        (number, answer.unwrap_or_else(|| Answer::text(501, "text/plain", "no answer is prepared")))
    }

    /// Records that a client did not wait for the whole answer.
    pub(super) fn left(&self, request: usize) {
        if let Some(request) = self.lock().received.get_mut(request) {
            request.left = true;
        }
        self.changed.send_replace(());
    }
}
