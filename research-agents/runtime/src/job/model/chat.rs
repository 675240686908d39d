//! Free turns of a conversation with the model, streamed.

use std::sync::atomic::{AtomicBool, Ordering};

use futures::StreamExt;
use research_llm::{Accumulated, ChatModel, ModelError, Request, Response, StreamEvent};
use serde::{Deserialize, Serialize};

use crate::error::model::Error;
use crate::job::model::ask::usage;
use crate::job::once::OnceError;
use crate::job::task::Job;
use crate::limits::usage::Usage;
use crate::tape::track::Track;

/// A turn of the model, and what it used.
#[derive(Serialize, Deserialize)]
struct Turn {
    response: Response,
    used: Usage,
}

impl Job {
    /// Sends a request as it is, and returns the model's turn. `what` names the turn, `on_text`
    /// receives its text as it arrives.
    ///
    /// The turn is recorded: when the node runs again, the model is not asked again, and `on_text`
    /// receives nothing. A call that fails with a transient error before any text has arrived is
    /// retried after a delay. With `is_last` the request is sent even if gathering must stop, in
    /// what the budget reserves for an answer.
    ///
    /// # Errors
    ///
    /// The model's error, or why the run must stop.
    pub async fn chat(
        &self,
        what: &str,
        request: Request,
        is_last: bool,
        on_text: impl Fn(&str) + Send + Sync,
    ) -> Result<Response, Error> {
        let (request, on_text) = (&request, &on_text);
        let turn = self
            .once(what, &request.messages, |track| async move {
                self.turn(what, request, is_last, on_text, &track).await
            })
            .await;

        match turn {
            Ok(Turn { response, used }) => {
                self.count(used);
                Ok(response)
            }
            Err(OnceError::Failed(error)) => Err(error),
            Err(OnceError::Unrecorded(error)) => Err(Error::other(error.to_string())),
        }
    }

    async fn turn(
        &self,
        what: &str,
        request: &Request,
        is_last: bool,
        on_text: &(impl Fn(&str) + Send + Sync),
        track: &Track,
    ) -> Result<Turn, Error> {
        let model = &track.around(&self.kit.model);
        let (mut failed, mut failures) = (Usage::default(), 0);
        loop {
            let has_text = &AtomicBool::new(false);
            let send = || stream(&**model, request.clone(), has_text, on_text);
            let error = match self.send_within_budget(is_last, track, send).await? {
                Ok(response) => {
                    let mut used = usage(response.usage, 1);
                    used += failed;
                    return Ok(Turn { response, used });
                }
                Err(error) => error,
            };

            // Text that was shown cannot be taken back, so that turn is not asked for again.
            failures += 1;
            failed += usage(error.usage(), 1);
            let error = Error::from(error);
            if has_text.load(Ordering::Relaxed)
                || !self.delay(what, is_last, track, failures, &error).await
            {
                self.count(failed);
                return Err(error);
            }
        }
    }
}

/// Streams one turn.
async fn stream(
    model: &dyn ChatModel,
    request: Request,
    has_text: &AtomicBool,
    on_text: &(impl Fn(&str) + Send + Sync),
) -> Result<Response, ModelError> {
    let mut turn = Accumulated::new(&model.info().name);
    let mut events = model.stream(request);

    while let Some(event) = events.next().await {
        match event {
            Ok(event) => {
                if let StreamEvent::Text(text) = &event {
                    has_text.store(true, Ordering::Relaxed);
                    on_text(text.as_str());
                }
                turn.add(event);
            }
            Err(error) => return Err(turn.interrupted(error)),
        }
    }

    turn.finish()
}
