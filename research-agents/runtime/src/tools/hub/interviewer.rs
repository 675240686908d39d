//! Questions of servers that cannot wait for an answer.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use research_mcp::{BoxFuture, ElicitAnswer, Elicitation, Elicitor};
use tokio::sync::{OwnedMutexGuard, oneshot};

use crate::job::source::AnsweredQuestions;

/// Receives the questions of servers of MCP 2025-11-25 and earlier, which expect the answer while
/// their call waits, for [`HubTools::call_in`](crate::tools::hub::HubTools::call_in).
///
/// The call that asks is cancelled. Once the answer is known, it is made again from its beginning,
/// and the question is then answered immediately. This suits tools that ask before they act. A
/// question that does not belong to such a call is answered as if the user had gone away. The calls
/// of such a server are made one after the other, so that their questions can be assigned.
#[derive(Default)]
pub struct Interviewer {
    /// By server, the lock that its only active call holds.
    turns: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
    active: Mutex<HashMap<String, Active>>,
}

/// The state of a call that may ask.
struct Active {
    tool: String,
    known: AnsweredQuestions,
    ask: Option<oneshot::Sender<Elicitation>>,
}

/// How a question is handled.
enum Reply {
    Known(ElicitAnswer),
    Taken,
    Unexpected,
}

impl Interviewer {
    /// Creates an interviewer without questions.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits for the turn of a call, and receives its questions from then on.
    pub(crate) async fn begin_call(
        &self,
        server: &str,
        tool: &str,
        known: AnsweredQuestions,
    ) -> ActiveCall<'_> {
        let turn = Arc::clone(lock(&self.turns).entry(server.to_owned()).or_default());
        let turn = turn.lock_owned().await;
        let (ask, asked) = oneshot::channel();
        lock(&self.active).insert(
            server.to_owned(),
            Active {
                tool: tool.to_owned(),
                known,
                ask: Some(ask),
            },
        );

        ActiveCall {
            interviewer: self,
            server: server.to_owned(),
            asked,
            _turn: turn,
        }
    }

    fn reply(&self, question: Elicitation) -> Reply {
        let mut active = lock(&self.active);
        let Some(call) = active.get_mut(&question.server) else {
            return Reply::Unexpected;
        };
        if question.tool.as_ref() != Some(&call.tool) {
            return Reply::Unexpected;
        }

        let is_same = |known: &Elicitation| {
            known.message == question.message && known.wanted == question.wanted
        };
        if let Some(at) = call.known.iter().position(|(known, _)| is_same(known)) {
            return Reply::Known(call.known.remove(at).1);
        }

        // A call passes on one question; others come up when it is made again.
        if call
            .ask
            .take()
            .is_some_and(|ask| ask.send(question).is_ok())
        {
            Reply::Taken
        } else {
            Reply::Unexpected
        }
    }
}

impl Elicitor for Interviewer {
    fn ask(&self, question: Elicitation) -> BoxFuture<'_, ElicitAnswer> {
        Box::pin(async move {
            match self.reply(question) {
                Reply::Known(answer) => answer,
                Reply::Unexpected => ElicitAnswer::Cancel,
                // The hub drops this future when the call is cancelled, and informs the server.
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

/// A call that may ask. It ends when this is dropped.
pub(crate) struct ActiveCall<'i> {
    interviewer: &'i Interviewer,
    server: String,
    asked: oneshot::Receiver<Elicitation>,
    _turn: OwnedMutexGuard<()>,
}

impl ActiveCall<'_> {
    /// Waits for a question to which no answer is known. Never returns if the server does not ask
    /// one.
    pub(crate) async fn question(&mut self) -> Elicitation {
        match (&mut self.asked).await {
            Ok(question) => question,
            Err(_) => std::future::pending().await,
        }
    }
}

impl Drop for ActiveCall<'_> {
    fn drop(&mut self) {
        lock(&self.interviewer.active).remove(&self.server);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code under these locks can panic half-way.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use serde_json::json;

    use super::*;

    fn question(tool: Option<&str>, message: &str) -> Elicitation {
        let wanted = json!({"form": {"schema": {"type": "object"}}});
        serde_json::from_value(
            json!({"server": "s", "tool": tool, "message": message, "wanted": wanted}),
        )
        .unwrap()
    }

    #[tokio::test]
    async fn a_known_question_is_answered_once_and_another_is_passed_on() {
        let interviewer = Interviewer::new();
        let green = ElicitAnswer::Accept(json!("green"));
        let known = vec![(question(Some("t"), "Colour?"), green.clone())];
        let mut call = interviewer.begin_call("s", "t", known).await;

        assert_eq!(interviewer.ask(question(Some("t"), "Colour?")).await, green);
        let mut again = interviewer.ask(question(Some("t"), "Colour?"));
        assert!(
            (&mut again).now_or_never().is_none(),
            "the second time it is another question"
        );
        assert_eq!(call.question().await.message, "Colour?");
        assert_eq!(
            interviewer.ask(question(Some("t"), "Size?")).await,
            ElicitAnswer::Cancel,
            "one at a time"
        );
    }

    #[tokio::test]
    async fn a_question_without_an_active_call_is_cancelled() {
        let interviewer = Interviewer::new();

        assert_eq!(
            interviewer.ask(question(Some("t"), "Colour?")).await,
            ElicitAnswer::Cancel
        );

        let call = interviewer
            .begin_call("s", "t", AnsweredQuestions::new())
            .await;
        for tool in [None, Some("other")] {
            assert_eq!(
                interviewer.ask(question(tool, "Colour?")).await,
                ElicitAnswer::Cancel,
                "{tool:?}"
            );
        }

        drop(call);
        assert_eq!(
            interviewer.ask(question(Some("t"), "Colour?")).await,
            ElicitAnswer::Cancel
        );
    }

    #[tokio::test]
    async fn the_calls_of_a_server_wait_for_each_other() {
        let interviewer = Interviewer::new();
        let first = interviewer
            .begin_call("s", "t", AnsweredQuestions::new())
            .await;
        let mut second = Box::pin(interviewer.begin_call("s", "t", AnsweredQuestions::new()));

        assert!((&mut second).now_or_never().is_none());
        assert!(
            interviewer
                .begin_call("other", "t", AnsweredQuestions::new())
                .now_or_never()
                .is_some()
        );

        drop(first);
        let mut second = second.await;
        assert!(
            interviewer
                .ask(question(Some("t"), "Colour?"))
                .now_or_never()
                .is_none()
        );

        assert_eq!(second.question().await.message, "Colour?");
    }
}
