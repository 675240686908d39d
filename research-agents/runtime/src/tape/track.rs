//! The exchanges of one effect while it is under way: recorded as they happen, or replayed in
//! order.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use research_llm::layer::{Recorder, Replayer};
use research_llm::{
    ChatModel, ChatModelExt, EventStream, ModelError, ModelInfo, Request, Response, collect,
    replay_lazily,
};
use serde_json::Value;

use crate::tape::exchange::Exchange;

/// The exchanges of one effect. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Track(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    mode: Mode,
    exchanges: VecDeque<Exchange>,
    /// The context window of the model when it was last looked at, if it differs from the one that
    /// the model states.
    context: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Off,
    Recording,
    Replaying,
}

impl Track {
    /// Creates a track that records every exchange.
    pub fn recording() -> Self {
        Self::new(Mode::Recording, Vec::new())
    }

    /// Creates a track that provides recorded exchanges.
    pub fn replaying(exchanges: Vec<Exchange>) -> Self {
        Self::new(Mode::Replaying, exchanges)
    }

    fn new(mode: Mode, exchanges: Vec<Exchange>) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            mode,
            exchanges: exchanges.into(),
            context: None,
        })))
    }

    /// Returns `true` if the track provides recorded exchanges.
    pub fn is_replaying(&self) -> bool {
        self.lock().mode == Mode::Replaying
    }

    /// Returns `true` if the track records exchanges.
    pub fn is_recording(&self) -> bool {
        self.lock().mode == Mode::Recording
    }

    /// Records an exchange, if the track records.
    pub fn push(&self, exchange: Exchange) {
        let mut inner = self.lock();
        if inner.mode == Mode::Recording {
            inner.exchanges.push_back(exchange);
        }
    }

    /// Records a call of the model. A call that waits for budget that others have reserved is
    /// refused repeatedly; only the last of these refusals is kept.
    fn push_call(&self, interaction: Value) {
        let mut inner = self.lock();
        if inner.mode != Mode::Recording {
            return;
        }

        match inner.exchanges.back_mut() {
            Some(Exchange::Model { interaction: last })
                if is_refusal(last)
                    && is_refusal(&interaction)
                    && last["request"] == interaction["request"] =>
            {
                *last = interaction;
            }
            _ => inner.exchanges.push_back(Exchange::Model { interaction }),
        }
    }

    /// Records several exchanges, if the track records.
    pub fn push_all(&self, exchanges: impl IntoIterator<Item = Exchange>) {
        exchanges
            .into_iter()
            .for_each(|exchange| self.push(exchange));
    }

    /// Takes the next recorded exchange, if this is a replay.
    pub fn take(&self) -> Option<Exchange> {
        let mut inner = self.lock();
        if inner.mode == Mode::Replaying {
            inner.exchanges.pop_front()
        } else {
            None
        }
    }

    /// Takes the next recorded exchange, if this is a replay and the exchange passes a test.
    pub fn take_if(&self, test: impl FnOnce(&Exchange) -> bool) -> Option<Exchange> {
        let mut inner = self.lock();
        let is_next = inner.mode == Mode::Replaying && inner.exchanges.front().is_some_and(test);
        is_next.then(|| inner.exchanges.pop_front()).flatten()
    }

    /// Returns `true` if the next recorded exchange is one with a model.
    pub fn has_answer(&self) -> bool {
        let inner = self.lock();
        inner.mode == Mode::Replaying
            && matches!(inner.exchanges.front(), Some(Exchange::Model { .. }))
    }

    /// Returns the exchanges that were recorded so far, or that are left to replay.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.lock().exchanges.iter().cloned().collect()
    }

    /// Replaces the exchanges by those of an earlier execution.
    pub fn fill(&self, exchanges: Vec<Exchange>) {
        self.lock().exchanges = exchanges.into();
    }

    /// Returns the known context window of the model, in tokens. `live` is its present size and
    /// `base` the one that the model states. A recording keeps changes, and a replay returns the
    /// recorded size.
    pub fn context(&self, live: u64, base: u64) -> u64 {
        let mut inner = self.lock();

        match inner.mode {
            Mode::Off => live,
            Mode::Recording => {
                if live != inner.context.unwrap_or(base) {
                    inner.context = Some(live);
                    inner
                        .exchanges
                        .push_back(Exchange::Context { tokens: live });
                }
                live
            }
            Mode::Replaying => {
                if let Some(Exchange::Context { tokens }) = inner.exchanges.front() {
                    inner.context = Some(*tokens);
                    inner.exchanges.pop_front();
                }
                inner.context.unwrap_or(base)
            }
        }
    }

    /// Wraps a model so that this track records its calls, or answers them in place of the model.
    pub fn around(&self, model: &Arc<dyn ChatModel>) -> Arc<dyn ChatModel> {
        let mode = self.lock().mode;
        match mode {
            Mode::Off => Arc::clone(model),
            Mode::Recording => {
                Arc::new(Arc::clone(model).with(Recorder::to_writer(Lines(self.clone()))))
            }
            Mode::Replaying => Arc::new(Answering {
                info: model.info().clone(),
                track: self.clone(),
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns `true` if a budget refused the recorded call.
fn is_refusal(interaction: &Value) -> bool {
    interaction
        .pointer("/outcome/error/error")
        .is_some_and(|kind| kind == "budget_exceeded")
}

/// Receives the lines of a recorder.
struct Lines(Track);

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.push_call(serde_json::from_slice(line)?);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A model that answers from a track.
struct Answering {
    info: ModelInfo,
    track: Track,
}

impl Answering {
    /// Returns the recorded call that comes next.
    fn next(&self) -> Result<Replayer, ModelError> {
        let is_call = |next: &Exchange| matches!(next, Exchange::Model { .. });
        match self.track.take_if(is_call) {
            Some(Exchange::Model { interaction }) => {
                Ok(Replayer::parse(&format!("{interaction}\n"))?.regardless())
            }
            _ => Err(ModelError::Cancelled),
        }
    }
}

#[async_trait]
impl ChatModel for Answering {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        self.next()?.complete(request).await
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        replay_lazily(async move {
            let recorded = self.next()?;
            collect(&self.info.name, recorded.stream(request)).await
        })
    }
}

#[cfg(test)]
mod tests {
    use research_llm::testing::ScriptedModel;

    use super::*;
    use crate::limits::budget::Budget;
    use crate::limits::budget_limits::BudgetLimits;

    #[tokio::test]
    async fn answers_and_errors_of_a_model_are_replayed_in_order() {
        let scripted: Arc<dyn ChatModel> = Arc::new(
            ScriptedModel::new()
                .then("one")
                .then(ModelError::rate_limit("slow down", None))
                .then("two"),
        );
        let track = Track::recording();
        let (model, request) = (track.around(&scripted), Request::new().user("say"));
        let mut said = Vec::new();

        for _ in 0..3 {
            said.push(
                model
                    .complete(&request)
                    .await
                    .map(|answer| answer.text)
                    .map_err(|error| error.to_string()),
            );
        }

        let kept = track.exchanges();
        assert_eq!(kept.len(), 3);
        let again = Track::replaying(kept);
        let silent: Arc<dyn ChatModel> = Arc::new(ScriptedModel::new());
        let model = again.around(&silent);

        for expected in said {
            let answer = model.complete(&Request::new().user("in other words")).await;
            assert_eq!(
                answer
                    .map(|answer| answer.text)
                    .map_err(|error| error.to_string()),
                expected
            );
        }

        assert!(matches!(
            model.complete(&request).await,
            Err(ModelError::Cancelled)
        ));
    }

    #[tokio::test]
    async fn refusals_of_one_waiting_call_are_kept_once() {
        let budget = Budget::new(BudgetLimits::default().calls(1));
        let track = Track::recording();
        let model = track.around(&budget.around(Arc::new(ScriptedModel::new().then("one"))));
        let said = async |words: &str| model.complete(&Request::new().user(words)).await.is_ok();

        assert!(said("say").await);
        for words in ["say", "say", "say", "another"] {
            assert!(!said(words).await);
        }

        let refused = |exchange: &Exchange| match exchange {
            Exchange::Model { interaction } => is_refusal(interaction),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            track.exchanges().iter().map(refused).collect::<Vec<_>>(),
            [false, true, true]
        );
    }

    #[test]
    fn the_context_is_recorded_only_where_it_differs() {
        let track = Track::recording();
        assert_eq!(
            [0, 0, 512, 512].map(|live| track.context(live, 0)),
            [0, 0, 512, 512]
        );
        assert_eq!(track.exchanges(), [Exchange::Context { tokens: 512 }]);
        let again = Track::replaying(track.exchanges());
        assert_eq!(again.context(9_999, 0), 512);
        assert_eq!(again.context(9_999, 0), 512);
    }
}
