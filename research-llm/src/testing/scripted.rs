//! A model with prepared answers that remembers every call.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::reply::Reply;
use crate::error::ModelError;
use crate::model::{ChatModel, ModelInfo, ModelKind};
use crate::request::Request;
use crate::response::Response;
use crate::stream::{EventStream, replay_lazily};

type Answerer = dyn Fn(&Request) -> Option<Reply> + Send + Sync;

/// A model that gives prepared answers and records every request.
///
/// For each call the first of these that has an answer gives it: failures of [`fail`](Self::fail), the answers for the
/// request's task, the answers in order, the standing answer for the task, the closure. A call that none
/// of them answers fails with [`ModelError::Unscripted`].
///
/// ```
/// use research_llm::testing::ScriptedModel;
/// use research_llm::{ChatModel, ModelError, Request, Task};
/// use serde_json::json;
///
/// # futures::executor::block_on(async {
/// let model = ScriptedModel::new()
///     .fail(1, ModelError::rate_limit("slow down", None))
///     .on_task("plan", json!({"steps": 2}))
///     .then("in any order");
///
/// let plan = Request::new().user("Plan!").task(Task::new("plan", json!({})));
/// assert!(model.complete(&plan).await.is_err());
/// assert_eq!(model.complete(&plan).await?.text, r#"{"steps":2}"#);
/// assert_eq!(model.complete(&Request::new().user("Hello")).await?.text, "in any order");
/// assert_eq!(model.calls_of("plan").len(), 2);
/// # Ok::<(), ModelError>(()) }).unwrap();
/// ```
pub struct ScriptedModel {
    info: ModelInfo,
    script: Mutex<Script>,
    standing: BTreeMap<String, Reply>,
    otherwise: Option<Box<Answerer>>,
}

#[derive(Default)]
struct Script {
    failures: VecDeque<ModelError>,
    by_task: BTreeMap<String, VecDeque<Reply>>,
    in_order: VecDeque<Reply>,
    calls: Vec<Request>,
}

impl ScriptedModel {
    /// A model without answers, named `scripted:scripted`.
    #[must_use]
    pub fn new() -> Self {
        Self::named(ModelInfo::new("scripted", "scripted", ModelKind::Scripted))
    }

    /// A model without answers that gives itself out for another.
    #[must_use]
    pub fn named(info: ModelInfo) -> Self {
        Self { info, script: Mutex::default(), standing: BTreeMap::new(), otherwise: None }
    }

    /// Adds an answer for the next call that no task answer takes.
    #[must_use]
    pub fn then(self, reply: impl Into<Reply>) -> Self {
        self.lock().in_order.push_back(reply.into());
        self
    }

    /// Adds an answer for the next call with this task.
    #[must_use]
    pub fn on_task(self, task: &str, reply: impl Into<Reply>) -> Self {
        self.lock().by_task.entry(task.to_owned()).or_default().push_back(reply.into());
        self
    }

    /// Answers every call with this task that nothing else answers.
    #[must_use]
    pub fn always(mut self, task: &str, reply: impl Into<Reply>) -> Self {
        self.standing.insert(task.to_owned(), reply.into());
        self
    }

    /// Fails the next calls, whatever they ask, so many times.
    #[must_use]
    pub fn fail(self, times: usize, error: ModelError) -> Self {
        self.lock().failures.extend(std::iter::repeat_n(error, times));
        self
    }

    /// Asks a closure for what is not prepared; `None` leaves the call unanswered.
    #[must_use]
    pub fn otherwise<F>(mut self, answer: F) -> Self
    where
        F: Fn(&Request) -> Option<Reply> + Send + Sync + 'static,
    {
        self.otherwise = Some(Box::new(answer));
        self
    }

    /// Every request so far, oldest first, those that failed included.
    #[must_use]
    pub fn calls(&self) -> Vec<Request> {
        self.lock().calls.clone()
    }

    /// Every request with this task so far, oldest first.
    #[must_use]
    pub fn calls_of(&self, task: &str) -> Vec<Request> {
        self.lock().calls.iter().filter(|request| request.task_name() == Some(task)).cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Script> {
        // Nothing here can panic half-way, so a poisoned script is still whole.
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, request: &Request) -> Result<Response, ModelError> {
        let task = request.task_name();
        let (call, prepared) = {
            let mut script = self.lock();
            script.calls.push(request.clone());
            let prepared = match script.failures.pop_front() {
                Some(error) => Some(Reply::from(error)),
                None => task
                    .and_then(|name| script.by_task.get_mut(name)?.pop_front())
                    .or_else(|| script.in_order.pop_front()),
            };
            (script.calls.len(), prepared)
        };
        let reply = prepared
            .or_else(|| self.standing.get(task?).cloned())
            .or_else(|| self.otherwise.as_ref()?(request))
            .ok_or_else(|| ModelError::Unscripted { call, task: task.map(str::to_owned) })?;
        let mut response = reply.0?;
        if response.model.is_empty() {
            response.model.clone_from(&self.info.name);
        }
        Ok(response)
    }
}

impl Default for ScriptedModel {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl ChatModel for ScriptedModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        self.answer(request)
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        replay_lazily(async move { self.answer(&request) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Task;
    use crate::response::Usage;
    use crate::stream::collect;
    use futures::executor::block_on;
    use serde_json::json;

    fn task(name: &str) -> Request {
        Request::new().task(Task::new(name, json!(null)))
    }

    fn text(model: &ScriptedModel, request: &Request) -> Result<String, ModelError> {
        block_on(model.complete(request)).map(|response| response.text)
    }

    #[test]
    fn answers_come_by_task_then_in_order_then_standing_then_from_the_closure() {
        let model = ScriptedModel::new()
            .on_task("a", "a1")
            .then("first")
            .always("a", "a always")
            .otherwise(|request| request.messages.first().map(|m| Reply::text(m.text())));
        assert_eq!(text(&model, &task("a")).unwrap(), "a1");
        assert_eq!(text(&model, &task("a")).unwrap(), "first");
        assert_eq!(text(&model, &task("a")).unwrap(), "a always");
        assert_eq!(text(&model, &task("b").user("echo")).unwrap(), "echo");
        let error = text(&model, &task("b")).unwrap_err();
        assert!(matches!(error, ModelError::Unscripted { call: 5, task: Some(t) } if t == "b"));
    }

    #[test]
    fn failures_come_first_and_every_call_is_recorded() {
        let model = ScriptedModel::new().then("ok").fail(2, ModelError::Cancelled);
        assert!(text(&model, &task("a")).is_err());
        assert!(text(&model, &task("a")).is_err());
        assert_eq!(text(&model, &task("b")).unwrap(), "ok");
        assert_eq!(model.calls().len(), 3);
        assert_eq!(model.calls_of("a").len(), 2);
    }

    #[test]
    fn a_stream_says_the_same_and_records_only_when_polled() {
        let model =
            ScriptedModel::new().then(Reply::text("one two").usage(Usage::new(1, 2))).then(ModelError::Cancelled);
        drop(model.stream(task("a")));
        assert!(model.calls().is_empty());
        let response = block_on(collect("scripted", model.stream(task("a")))).unwrap();
        assert_eq!((response.text.as_str(), response.usage), ("one two", Usage::new(1, 2)));
        assert!(matches!(block_on(collect("scripted", model.stream(task("a")))), Err(ModelError::Cancelled)));
    }
}
