//! Questions of servers that cannot wait for an answer.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use research_mcp::{BoxFuture, ElicitAnswer, Elicitation, Elicitor};
use tokio::sync::{OwnedMutexGuard, oneshot};

/// Takes the questions of servers of MCP 2025-11-25 and before, which want the answer while their call waits, for
/// [`HubTools::call_in`](super::HubTools::call_in).
///
/// The call that asks is cancelled, and made again from its beginning when the answer is there; the question is then answered at once.
/// So it suits tools that ask before they act. A question that cannot be told to belong to such a call is answered as if the user had
/// gone away. To tell them apart, the calls of such a server are made one after the other.
#[derive(Default)]
pub struct Interviewer {
    /// Held by the one call of a server that is under way.
    turns: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
    open: Mutex<HashMap<String, Open>>,
}

/// A call that may ask.
struct Open {
    tool: String,
    known: Known,
    ask: Option<oneshot::Sender<Elicitation>>,
}

/// Questions of a call with their answers, in the order in which they were asked.
pub(super) type Known = Vec<(Elicitation, ElicitAnswer)>;

/// What becomes of a question.
enum Reply {
    Known(ElicitAnswer),
    Taken,
    Unexpected,
}

impl Interviewer {
    /// One that nobody has asked yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits for the turn of a call, and takes its questions from then on.
    pub(super) async fn sit(&self, server: &str, tool: &str, known: Known) -> Sitting<'_> {
        let turn = Arc::clone(lock(&self.turns).entry(server.to_owned()).or_default());
        let turn = turn.lock_owned().await;
        let (ask, asked) = oneshot::channel();
        lock(&self.open).insert(server.to_owned(), Open { tool: tool.to_owned(), known, ask: Some(ask) });
        Sitting { interviewer: self, server: server.to_owned(), asked, _turn: turn }
    }

    fn reply(&self, question: Elicitation) -> Reply {
        let mut open = lock(&self.open);
        let Some(call) = open.get_mut(&question.server) else { return Reply::Unexpected };
        if question.tool.as_ref() != Some(&call.tool) {
            return Reply::Unexpected;
        }
        let is_same = |known: &Elicitation| known.message == question.message && known.wanted == question.wanted;
        if let Some(at) = call.known.iter().position(|(known, _)| is_same(known)) {
            return Reply::Known(call.known.remove(at).1);
        }
        if call.ask.take().is_some_and(|ask| ask.send(question).is_ok()) { Reply::Taken } else { Reply::Unexpected }
    }
}

impl Elicitor for Interviewer {
    fn ask(&self, question: Elicitation) -> BoxFuture<'_, ElicitAnswer> {
        Box::pin(async move {
            match self.reply(question) {
                Reply::Known(answer) => answer,
                Reply::Unexpected => ElicitAnswer::Cancel,
                // The hub drops this when the call is cancelled, and tells the server.
                Reply::Taken => std::future::pending().await,
            }
        })
    }
}

impl fmt::Debug for Interviewer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interviewer").finish_non_exhaustive()
    }
}

/// A call that may ask; over when it is dropped.
pub(super) struct Sitting<'i> {
    interviewer: &'i Interviewer,
    server: String,
    asked: oneshot::Receiver<Elicitation>,
    _turn: OwnedMutexGuard<()>,
}

impl Sitting<'_> {
    /// The question that the server asks and to which no answer is known; never when there is none.
    pub(super) async fn asked(&mut self) -> Elicitation {
        match (&mut self.asked).await {
            Ok(question) => question,
            Err(_) => std::future::pending().await,
        }
    }
}

impl Drop for Sitting<'_> {
    fn drop(&mut self) {
        lock(&self.interviewer.open).remove(&self.server);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that is done under these locks can panic half-way.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use serde_json::json;

    use super::*;

    fn question(tool: Option<&str>, message: &str) -> Elicitation {
        let wanted = json!({"form": {"schema": {"type": "object"}}});
        serde_json::from_value(json!({"server": "s", "tool": tool, "message": message, "wanted": wanted})).unwrap()
    }

    #[tokio::test]
    async fn a_known_question_is_answered_once_and_another_is_handed_on() {
        let interviewer = Interviewer::new();
        let green = ElicitAnswer::Accept(json!("green"));
        let known = vec![(question(Some("t"), "Colour?"), green.clone())];
        let mut sitting = interviewer.sit("s", "t", known).await;
        assert_eq!(interviewer.ask(question(Some("t"), "Colour?")).await, green);
        let mut again = interviewer.ask(question(Some("t"), "Colour?"));
        assert!((&mut again).now_or_never().is_none(), "the second time it is another question");
        assert_eq!(sitting.asked().await.message, "Colour?");
        assert_eq!(interviewer.ask(question(Some("t"), "Size?")).await, ElicitAnswer::Cancel, "one at a time");
    }

    #[tokio::test]
    async fn a_question_that_belongs_to_no_call_is_not_taken() {
        let interviewer = Interviewer::new();
        assert_eq!(interviewer.ask(question(Some("t"), "Colour?")).await, ElicitAnswer::Cancel);
        let sitting = interviewer.sit("s", "t", Known::new()).await;
        for tool in [None, Some("other")] {
            assert_eq!(interviewer.ask(question(tool, "Colour?")).await, ElicitAnswer::Cancel, "{tool:?}");
        }
        drop(sitting);
        assert_eq!(interviewer.ask(question(Some("t"), "Colour?")).await, ElicitAnswer::Cancel);
    }

    #[tokio::test]
    async fn the_calls_of_a_server_wait_for_each_other() {
        let interviewer = Interviewer::new();
        let first = interviewer.sit("s", "t", Known::new()).await;
        let mut second = Box::pin(interviewer.sit("s", "t", Known::new()));
        assert!((&mut second).now_or_never().is_none());
        assert!(interviewer.sit("other", "t", Known::new()).now_or_never().is_some());
        drop(first);
        let mut second = second.await;
        assert!(interviewer.ask(question(Some("t"), "Colour?")).now_or_never().is_none());
        assert_eq!(second.asked().await.message, "Colour?");
    }
}
