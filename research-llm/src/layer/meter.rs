//! A meter: how many calls, tokens, dollars and seconds, by model and by task.

mod tally;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::cache::is_hit;
use super::shared::observe::{Observer, lazily, observe};
use super::stack::Layer;
use crate::error::ModelError;
use crate::model::{ChatModel, ModelInfo};
use crate::price::PriceTable;
use crate::request::Request;
use crate::response::Response;
use crate::stream::{Accumulated, EventStream, StreamEvent};

use tally::{Call, Outcome};

pub use tally::{Latency, Tally};

/// Counts the calls of models. A clone is another handle on the same meter.
///
/// Every call is also a `tracing` event of the target `research_llm::meter` at level info, with the fields `model`, `task`,
/// `outcome`, `input_tokens`, `output_tokens`, `cost`, `first_token_ms` and `ms`, and without any text of it.
///
/// Put the layer right around each model, so that tokens are priced as those of the model that used them.
///
/// ```
/// use research_llm::layer::Meter;
/// use research_llm::testing::{Reply, ScriptedModel};
/// use research_llm::{ChatModel, ChatModelExt, Request, Task, Usage};
///
/// # futures::executor::block_on(async {
/// let meter = Meter::new();
/// let model = ScriptedModel::new().then(Reply::text("Graz").usage(Usage::new(12, 2))).with(meter.layer());
/// model.complete(&Request::new().user("Where?").task(Task::new("locate", serde_json::json!({})))).await?;
///
/// let seen = meter.snapshot();
/// assert_eq!(seen.total.calls, 1);
/// assert_eq!(seen.tasks["locate"].usage, Usage::new(12, 2));
/// assert_eq!(seen.models["scripted:scripted"].cost.to_string(), "$0.00");
/// # Ok::<(), research_llm::ModelError>(()) }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Meter {
    prices: Arc<PriceTable>,
    counts: Arc<Mutex<Counts>>,
}

#[derive(Debug, Default)]
struct Counts {
    total: Tally,
    models: BTreeMap<String, Tally>,
    tasks: BTreeMap<String, Tally>,
}

/// What a [`Meter`] has counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MeterSnapshot {
    /// All calls.
    pub total: Tally,
    /// The calls of each model, by [`ModelInfo::id`].
    pub models: BTreeMap<String, Tally>,
    /// The calls of each task, by its name. Calls without a task are in none of them.
    pub tasks: BTreeMap<String, Tally>,
    /// The date of the prices.
    pub prices_as_of: String,
}

impl Meter {
    /// A meter with the prices of [`PriceTable::standard`].
    #[must_use]
    pub fn new() -> Self {
        Self::with_prices(PriceTable::standard().clone())
    }

    /// A meter with prices of one's own.
    #[must_use]
    pub fn with_prices(prices: impl Into<Arc<PriceTable>>) -> Self {
        Self { prices: prices.into(), counts: Arc::default() }
    }

    /// A layer that counts for this meter.
    #[must_use]
    pub fn layer(&self) -> MeterLayer {
        MeterLayer { meter: self.clone() }
    }

    /// What has been counted. Calls that are under way are not in it.
    #[must_use]
    pub fn snapshot(&self) -> MeterSnapshot {
        let counts = self.lock();
        MeterSnapshot {
            total: counts.total.clone(),
            models: counts.models.clone(),
            tasks: counts.tasks.clone(),
            prices_as_of: self.prices.as_of.clone(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        // Nothing here can panic half-way, so poisoned counts are still whole.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, info: &ModelInfo, task: Option<&str>, call: &Call) {
        let model = info.id();
        tracing::info!(
            target: "research_llm::meter",
            model,
            task,
            outcome = call.outcome.as_str(),
            input_tokens = call.usage.input_tokens,
            output_tokens = call.usage.output_tokens,
            cost = call.cost.map(tracing::field::display),
            first_token_ms = call.first_token.map(millis),
            ms = millis(call.total),
            "model call"
        );
        let mut counts = self.lock();
        counts.total.add(call);
        counts.models.entry(model).or_default().add(call);
        if let Some(task) = task {
            counts.tasks.entry(task.to_owned()).or_default().add(call);
        }
    }
}

impl Default for Meter {
    fn default() -> Self {
        Self::new()
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Counts the calls of a model for a [`Meter`]; made by [`Meter::layer`].
#[derive(Clone, Debug)]
pub struct MeterLayer {
    meter: Meter,
}

impl<M: ChatModel> Layer<M> for MeterLayer {
    type Model = Metered<M>;

    fn layer(self, inner: M) -> Metered<M> {
        Metered { inner, meter: self.meter }
    }
}

/// A model whose calls are counted.
#[derive(Clone, Debug)]
pub struct Metered<M> {
    inner: M,
    meter: Meter,
}

#[async_trait]
impl<M: ChatModel> ChatModel for Metered<M> {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let mut watch = Watch::new(&self.meter, self.inner.info(), request.task_name());
        let answer = self.inner.complete(request).await;
        match &answer {
            Ok(response) => watch.end(Outcome::Answered, response),
            Err(error) => watch.fail(error),
        }
        answer
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        lazily(move || {
            let watch = Watch::new(&self.meter, self.inner.info(), request.task_name());
            observe(self.inner.stream(request), watch)
        })
    }
}

/// One call under way. Dropped before its end it was cancelled.
struct Watch<'a> {
    meter: &'a Meter,
    info: &'a ModelInfo,
    task: Option<String>,
    start: Instant,
    first_token: Option<Duration>,
    answer: Accumulated,
    is_over: bool,
}

impl<'a> Watch<'a> {
    fn new(meter: &'a Meter, info: &'a ModelInfo, task: Option<&str>) -> Self {
        Self {
            meter,
            info,
            task: task.map(str::to_owned),
            start: Instant::now(),
            first_token: None,
            answer: Accumulated::new(&info.name),
            is_over: false,
        }
    }

    fn end(&mut self, outcome: Outcome, response: &Response) {
        self.is_over = true;
        let price = self.meter.prices.price_of(self.info);
        let call = Call {
            outcome: match outcome {
                Outcome::Answered if is_hit(&response.metadata) => Outcome::Cached,
                outcome => outcome,
            },
            usage: response.usage,
            cost: price.map(|price| price.cost(response.usage)),
            first_token: self.first_token,
            total: self.start.elapsed(),
        };
        self.meter.record(self.info, self.task.as_deref(), &call);
    }

    fn fail(&mut self, error: &ModelError) {
        let mut known = error.received().unwrap_or_else(|| self.answer.so_far()).clone();
        if known.usage == crate::response::Usage::default() {
            known.usage = error.usage();
        }
        self.end(Outcome::Failed(error.kind()), &known);
    }
}

impl Observer for Watch<'_> {
    fn event(&mut self, event: &StreamEvent) {
        if self.first_token.is_none()
            && matches!(event, StreamEvent::Text(_) | StreamEvent::Reasoning(_) | StreamEvent::ToolCall(_))
        {
            self.first_token = Some(self.start.elapsed());
        }
        // Only counts are kept of a long answer, not the answer.
        if let StreamEvent::Usage(_) | StreamEvent::Metadata(_) = event {
            self.answer.add(event.clone());
        }
        if let (StreamEvent::Finish(_), false) = (event, self.is_over) {
            let response = self.answer.so_far().clone();
            self.end(Outcome::Answered, &response);
        }
    }

    fn error(&mut self, error: &ModelError) {
        if !self.is_over {
            self.fail(error);
        }
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            let response = self.answer.so_far().clone();
            self.end(Outcome::Cancelled, &response);
        }
    }
}
