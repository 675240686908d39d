//! The exchanges of one effect while it is under way: written as they come, or given out as they were.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use research_llm::layer::{Recorder, Replayer};
use research_llm::{ChatModel, ChatModelExt, EventStream, ModelError, ModelInfo, Request, Response, replay_lazily};
use serde_json::Value;

use super::Exchange;

/// The exchanges of one effect. Clones are handles on the same.
#[derive(Clone, Debug, Default)]
pub struct Track(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    mode: Mode,
    exchanges: VecDeque<Exchange>,
    /// Tokens that the model was known to hold when that was looked at last, where it is not what the model says itself.
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
    /// One on which everything is kept.
    pub fn recording() -> Self {
        Self::new(Mode::Recording, Vec::new())
    }

    /// One that gives out what was kept.
    pub fn replaying(exchanges: Vec<Exchange>) -> Self {
        Self::new(Mode::Replaying, exchanges)
    }

    fn new(mode: Mode, exchanges: Vec<Exchange>) -> Self {
        Self(Arc::new(Mutex::new(Inner { mode, exchanges: exchanges.into(), context: None })))
    }

    /// It gives out what was kept.
    pub fn is_replaying(&self) -> bool {
        self.lock().mode == Mode::Replaying
    }

    /// It keeps what comes.
    pub fn is_recording(&self) -> bool {
        self.lock().mode == Mode::Recording
    }

    /// Keeps an exchange, where exchanges are kept.
    pub fn push(&self, exchange: Exchange) {
        let mut inner = self.lock();
        if inner.mode == Mode::Recording {
            inner.exchanges.push_back(exchange);
        }
    }

    /// Keeps a call of the model. While a call waits for what others have reserved it is refused again and again: of these
    /// refusals the last one stays.
    fn push_call(&self, interaction: Value) {
        let mut inner = self.lock();
        if inner.mode != Mode::Recording {
            return;
        }
        match inner.exchanges.back_mut() {
            Some(Exchange::Model { interaction: last })
                if is_refusal(last) && is_refusal(&interaction) && last["request"] == interaction["request"] =>
            {
                *last = interaction;
            }
            _ => inner.exchanges.push_back(Exchange::Model { interaction }),
        }
    }

    /// Keeps several.
    pub fn push_all(&self, exchanges: impl IntoIterator<Item = Exchange>) {
        exchanges.into_iter().for_each(|exchange| self.push(exchange));
    }

    /// The next exchange of those that were kept.
    pub fn take(&self) -> Option<Exchange> {
        let mut inner = self.lock();
        if inner.mode == Mode::Replaying { inner.exchanges.pop_front() } else { None }
    }

    /// The next exchange, if it is such a one.
    pub fn take_if(&self, is_such: impl FnOnce(&Exchange) -> bool) -> Option<Exchange> {
        let mut inner = self.lock();
        let is_next = inner.mode == Mode::Replaying && inner.exchanges.front().is_some_and(is_such);
        is_next.then(|| inner.exchanges.pop_front()).flatten()
    }

    /// Whether a model comes next.
    pub fn has_answer(&self) -> bool {
        let inner = self.lock();
        inner.mode == Mode::Replaying && matches!(inner.exchanges.front(), Some(Exchange::Model { .. }))
    }

    /// What was kept so far, or is left.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.lock().exchanges.iter().cloned().collect()
    }

    /// Puts what was kept earlier in place of what is there.
    pub fn fill(&self, exchanges: Vec<Exchange>) {
        self.lock().exchanges = exchanges.into();
    }

    /// What the model is known to hold, in tokens: as it is, and kept where it has changed; or as it was.
    pub fn context(&self, live: u64, base: u64) -> u64 {
        let mut inner = self.lock();
        match inner.mode {
            Mode::Off => live,
            Mode::Recording => {
                if live != inner.context.unwrap_or(base) {
                    inner.context = Some(live);
                    inner.exchanges.push_back(Exchange::Context { tokens: live });
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

    /// The model, its calls kept on this track, or answered from it without a word to the model.
    pub fn around(&self, model: &Arc<dyn ChatModel>) -> Arc<dyn ChatModel> {
        let mode = self.lock().mode;
        match mode {
            Mode::Off => Arc::clone(model),
            Mode::Recording => Arc::new(Arc::clone(model).with(Recorder::to_writer(Lines(self.clone())))),
            Mode::Replaying => Arc::new(Answering { info: model.info().clone(), track: self.clone() }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a call that was kept was refused by a budget.
fn is_refusal(interaction: &Value) -> bool {
    interaction.pointer("/outcome/error/error").is_some_and(|kind| kind == "budget_exceeded")
}

/// Takes the lines of a recorder.
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

#[async_trait]
impl ChatModel for Answering {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        match self.track.take_if(|next| matches!(next, Exchange::Model { .. })) {
            Some(Exchange::Model { interaction }) => {
                Replayer::parse(&format!("{interaction}\n"))?.regardless().complete(request).await
            }
            _ => Err(ModelError::Cancelled),
        }
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        replay_lazily(async move { self.complete(&request).await })
    }
}

#[cfg(test)]
mod tests {
    use research_llm::testing::ScriptedModel;

    use super::*;
    use crate::kernel::{Budget, BudgetLimits};

    #[tokio::test]
    async fn what_a_model_said_and_refused_is_given_out_again_in_order() {
        let scripted: Arc<dyn ChatModel> =
            Arc::new(ScriptedModel::new().then("one").then(ModelError::rate_limit("slow down", None)).then("two"));
        let track = Track::recording();
        let (model, request) = (track.around(&scripted), Request::new().user("say"));
        let mut said = Vec::new();
        for _ in 0..3 {
            said.push(model.complete(&request).await.map(|answer| answer.text).map_err(|error| error.to_string()));
        }
        let kept = track.exchanges();
        assert_eq!(kept.len(), 3);
        let again = Track::replaying(kept);
        let silent: Arc<dyn ChatModel> = Arc::new(ScriptedModel::new());
        let model = again.around(&silent);
        for expected in said {
            let answer = model.complete(&Request::new().user("in other words")).await;
            assert_eq!(answer.map(|answer| answer.text).map_err(|error| error.to_string()), expected);
        }
        assert!(matches!(model.complete(&request).await, Err(ModelError::Cancelled)));
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
        assert_eq!(track.exchanges().iter().map(refused).collect::<Vec<_>>(), [false, true, true]);
    }

    #[test]
    fn the_context_is_kept_only_where_it_is_not_what_the_model_says() {
        let track = Track::recording();
        assert_eq!([0, 0, 512, 512].map(|live| track.context(live, 0)), [0, 0, 512, 512]);
        assert_eq!(track.exchanges(), [Exchange::Context { tokens: 512 }]);
        let again = Track::replaying(track.exchanges());
        assert_eq!(again.context(9_999, 0), 512);
        assert_eq!(again.context(9_999, 0), 512);
    }
}
