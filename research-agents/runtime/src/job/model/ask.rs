//! Questions to the model: a prompt that fits the context window, retries, and what an answer used.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use research_agents_report::text::{Marker, Untrusted};
use research_llm::{
    ChatModelExt, ErrorKind as ModelErrorKind, Message, ModelError, OutputSchema, Request, Task,
    Tier,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ask::prompt::{Prompt, PromptError, Template};
use crate::ask::window::{self, ContextWindow, Shrink};
use crate::error::category::ErrorCategory;
use crate::error::model::Error;
use crate::job::once::OnceError;
use crate::job::task::Job;
use crate::limits::retry::Changed;
use crate::limits::stop::Stop;
use crate::limits::usage::Usage;
use crate::tape::exchange::Exchange;
use crate::tape::track::Track;

/// Follows a prompt whose answer was incomplete, before the model is asked again.
const AGAIN: Template = Template::new(
    "runtime.again",
    1,
    include_str!("../../../prompts/again.v1.md"),
);

/// An incomplete answer. Asking again shows it to the model: the same prompt would lead to the same
/// answer.
#[derive(Clone, Debug)]
pub struct Incomplete {
    /// The answer, one line per part.
    pub answer: Untrusted<String>,
    /// Number of parts that can be used.
    pub usable: usize,
    /// Minimum number of parts.
    pub wanted: usize,
}

impl Incomplete {
    fn to_prompt(&self, marker: &Marker) -> Result<String, PromptError> {
        let prompt = Prompt::new(&AGAIN, marker).data("before", &self.answer);
        prompt
            .set("kept", self.usable)
            .set("wanted", self.wanted)
            .finish()
    }
}

type Fill<'a> = Box<dyn for<'p> Fn(Prompt<'p>, Shrink) -> Prompt<'p> + Send + Sync + 'a>;
type Rewrite<'a> = Box<dyn Fn(String) -> String + Send + Sync + 'a>;

/// A list of a prompt: its name, its usual length, and its minimum length.
pub type ListedPart = (&'static str, usize, usize);

/// A question to the model: the prompt for a language model, and the task for a program that
/// computes its answer.
pub struct Ask<'a, I> {
    template: &'a Template,
    task: &'static str,
    input: &'a I,
    history: &'a [Message],
    tier: Option<Tier>,
    fill: Fill<'a>,
    rewrite: Option<Rewrite<'a>>,
    max_shrink: Shrink,
    is_report: bool,
    is_divisible: bool,
    incomplete: Option<&'a Incomplete>,
    lists: &'static [ListedPart],
    schema: Option<OutputSchema>,
    keeps_messages: bool,
}

impl<'a, I: Serialize + Sync> Ask<'a, I> {
    /// Creates a question: the template of its prompt and what fills it, and the name and input of
    /// its task.
    pub fn new(
        template: &'a Template,
        task: &'static str,
        input: &'a I,
        fill: impl for<'p> Fn(Prompt<'p>) -> Prompt<'p> + Send + Sync + 'a,
    ) -> Self {
        let ask = Self::shrinking(template, task, input, move |prompt, _| fill(prompt));
        Self {
            max_shrink: Shrink::default(),
            ..ask
        }
    }

    /// Creates a question whose prompt lists less if the model cannot hold all of it.
    pub fn shrinking(
        template: &'a Template,
        task: &'static str,
        input: &'a I,
        fill: impl for<'p> Fn(Prompt<'p>, Shrink) -> Prompt<'p> + Send + Sync + 'a,
    ) -> Self {
        Self {
            template,
            task,
            input,
            history: &[],
            tier: None,
            fill: Box::new(fill),
            rewrite: None,
            max_shrink: Shrink::MOST,

            is_report: false,
            is_divisible: false,
            incomplete: None,
            lists: &[],
            schema: None,
            keeps_messages: false,
        }
    }

    /// Sets the schema of the answer, made at run time. Without one it is that of the answer's
    /// type.
    #[must_use]
    pub fn schema(mut self, schema: OutputSchema) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Sets the messages before the prompt. They form a prefix that grows from question to
    /// question, so that a provider can cache it.
    #[must_use]
    pub fn history(mut self, messages: &'a [Message]) -> Self {
        self.history = messages;
        self
    }

    /// Sets the tier of the model.
    #[must_use]
    pub fn tier(mut self, tier: Tier) -> Self {
        self.tier = Some(tier);
        self
    }

    /// Sets a function that rewrites the filled prompt, such as one that adds the language of the
    /// answer.
    #[must_use]
    pub fn rewrite(mut self, rewrite: impl Fn(String) -> String + Send + Sync + 'a) -> Self {
        self.rewrite = Some(Box::new(rewrite));
        self
    }

    /// Lets the caller divide the question when no answer comes in time, instead of retrying it.
    #[must_use]
    pub fn divisible(mut self) -> Self {
        self.is_divisible = true;
        self
    }

    /// Asks again after an incomplete answer, which the prompt then shows.
    #[must_use]
    pub fn after(mut self, incomplete: Option<&'a Incomplete>) -> Self {
        self.incomplete = incomplete;
        self
    }

    /// Names the lists of the prompt, for the event of a retry with shorter lists.
    #[must_use]
    pub fn listing(mut self, lists: &'static [ListedPart]) -> Self {
        self.lists = lists;
        self
    }

    /// Marks the question as part of writing the report: it is asked even if gathering must stop,
    /// in the time that is reserved for the report.
    #[must_use]
    pub fn for_report(mut self) -> Self {
        self.is_report = true;
        self
    }

    /// Returns the template of the prompt.
    pub fn template(&self) -> &Template {
        self.template
    }

    /// Returns which lists a shorter prompt shortens.
    fn shortened(&self, from: Shrink, to: Shrink) -> Changed {
        let lengths = |usual, least| {
            [
                from.length(usual, least) as u64,
                to.length(usual, least) as u64,
            ]
        };
        self.lists
            .iter()
            .map(|(name, usual, least)| ((*name).to_owned(), lengths(*usual, *least)))
            .filter(|(_, [old, new])| new < old)
            .collect()
    }
}

impl<I> fmt::Debug for Ask<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask")
            .field("task", &self.task)
            .finish_non_exhaustive()
    }
}

/// A typed answer of a [conversation](Job::converse).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reply<T> {
    /// The answer.
    pub value: T,
    /// What was said after the history: the prompt, the answers that could not be read with what
    /// was wrong with them, and the answer. The history of the next question ends with them.
    pub messages: Vec<Message>,
}

/// A value that the model answered, and what it used.
#[derive(Serialize, Deserialize)]
struct Answer<T> {
    value: T,
    used: Usage,
    /// What was said after the history, up to the answer. Empty if no history is kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    said: Vec<Message>,
}

/// What identifies a question on the tape next to its task: the input, and the history where there
/// is one.
#[derive(Serialize)]
#[serde(untagged)]
enum Identity<'a, I> {
    Input(&'a I),
    WithHistory {
        input: &'a I,
        history: &'a [Message],
    },
}

impl Job {
    /// Asks the model and returns its typed answer.
    ///
    /// The prompt is made to fit the context window before it is sent, and is shortened when the
    /// model refuses it as too long. A call that fails with a transient error is retried after a
    /// delay. Both follow the [retry policy](crate::limits::RetryPolicy).
    ///
    /// # Errors
    ///
    /// The model's error; [`ModelError::Cancelled`] when the run was cancelled.
    pub async fn ask<T>(&self, ask: Ask<'_, impl Serialize + Sync>) -> Result<T, Error>
    where
        T: Serialize + DeserializeOwned + JsonSchema + Send,
    {
        self.answered(ask).await.map(|Answer { value, .. }| value)
    }

    /// Asks the model like [`ask`](Self::ask), and returns what the conversation grows by as well.
    ///
    /// With it at the end of the [history](Ask::history) of the next question, that question begins
    /// with every byte of this one, even if answers could not be read.
    ///
    /// # Errors
    ///
    /// Those of [`ask`](Self::ask). The conversation does not grow then.
    pub async fn converse<T>(&self, ask: Ask<'_, impl Serialize + Sync>) -> Result<Reply<T>, Error>
    where
        T: Serialize + DeserializeOwned + JsonSchema + Send,
    {
        let ask = Ask {
            keeps_messages: true,
            ..ask
        };
        let Answer { value, said, .. } = self.answered::<T>(ask).await?;

        let mut messages = said;
        messages.push(Message::assistant(serde_json::to_string(&value)?));
        Ok(Reply { value, messages })
    }

    async fn answered<T>(&self, ask: Ask<'_, impl Serialize + Sync>) -> Result<Answer<T>, Error>
    where
        T: Serialize + DeserializeOwned + JsonSchema + Send,
    {
        let identity = match ask.history {
            [] => Identity::Input(ask.input),
            history => Identity::WithHistory {
                input: ask.input,
                history,
            },
        };
        let asked = &ask;
        let answered = self
            .once(ask.task, &identity, |track| async move {
                self.answer::<T>(asked, &track).await
            })
            .await;

        match answered {
            Ok(answer) => {
                self.count(answer.used);
                Ok(answer)
            }
            Err(OnceError::Failed(error)) => Err(error),
            Err(OnceError::Unrecorded(error)) => Err(Error::other(error.to_string())),
        }
    }

    async fn answer<T>(
        &self,
        ask: &Ask<'_, impl Serialize + Sync>,
        track: &Track,
    ) -> Result<Answer<T>, Error>
    where
        T: DeserializeOwned + JsonSchema + Send,
    {
        let mut failed = Usage::default();

        match self.attempts::<T>(ask, track, &mut failed).await {
            // Failed attempts belong to the recorded answer, so that a resumed run knows what they
            // used.
            Ok(mut answer) => {
                answer.used += failed;
                Ok(answer)
            }
            Err(error) => {
                self.count(failed);
                Err(error)
            }
        }
    }

    async fn attempts<T>(
        &self,
        ask: &Ask<'_, impl Serialize + Sync>,
        track: &Track,
        failed: &mut Usage,
    ) -> Result<Answer<T>, Error>
    where
        T: DeserializeOwned + JsonSchema + Send,
    {
        let task = Task::of(ask.task, ask.input)?;
        let mut shrink = Shrink::default();
        let (mut refusals, mut failures) = (0, 0);
        loop {
            // Fill a prompt that fits what the model is known to hold by now.
            let stated = self.kit.stated_window(ask.tier);
            let live = self.kit.window(ask.tier).tokens();
            let window = stated.holding(track.context(live, stated.tokens()));
            let (prompt, used) = self.fit::<T>(ask, shrink, &window)?;

            let mut request = Request::new();
            request.messages.extend(ask.history.iter().cloned());
            let mut request = request.user(prompt).task(task.clone());
            request.max_output_tokens = window.answer();
            request.tier = ask.tier;
            let error = match self.request(ask, request, track, failed).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };

            // A refusal for length teaches the window and is answered with a shorter prompt,
            // without a delay.
            if let Error::Model(refusal) = &error
                && refusal.kind() == ModelErrorKind::TokenLimit
            {
                self.kit.window(ask.tier).learn(refusal);
                refusals += 1;
                let most = self.kit.settings().retry.retries;
                match used
                    .next()
                    .filter(|next| *next <= ask.max_shrink && refusals <= most)
                {
                    Some(next) => shrink = next,
                    None => return Err(error),
                }
                self.report_retry(
                    ask.task,
                    refusals,
                    &error,
                    ask.shortened(used, shrink),
                    Duration::ZERO,
                );
                continue;
            }

            failures += 1;
            // A caller that can ask for less does so rather than wait for the same answer again.
            let is_for_caller = ask.is_divisible && error.category() == ErrorCategory::Timeout;
            if is_for_caller
                || !self
                    .delay(ask.task, ask.is_report, track, failures, &error)
                    .await
            {
                return Err(error);
            }
        }
    }

    /// Waits before the model is asked again. Returns `false` if the call is not retried.
    pub(crate) async fn delay(
        &self,
        task: &str,
        is_report: bool,
        track: &Track,
        failures: u32,
        error: &Error,
    ) -> bool {
        let budget = self.kit.budget();
        let deadline = if is_report {
            budget.deadline()
        } else {
            budget.gathering_deadline()
        };
        let retry = self.retry_on(track, task, failures, error, Changed::new(), deadline);
        if is_report || track.is_replaying() {
            return retry.await;
        }

        tokio::select! {
            biased;
            // First, so that a delay that is cut off was reported.
            is_retried = retry => is_retried,
            stop = self.stopped() => {
                track.push(stop.to_exchange(true));
                false
            }
        }
    }

    /// Returns the longest form of the prompt that fits, starting from a given one; the shortest if
    /// none fits.
    fn fit<T: JsonSchema>(
        &self,
        ask: &Ask<'_, impl Serialize + Sync>,
        from: Shrink,
        window: &ContextWindow,
    ) -> Result<(String, Shrink), Error> {
        let history: usize = ask
            .history
            .iter()
            .map(|message| window::tokens(&message.text()))
            .sum();
        let limit = window
            .prompt::<T>()
            .map(|limit| limit.saturating_sub(history));

        let mut shrink = from;
        loop {
            let mut prompt =
                (ask.fill)(Prompt::new(ask.template, self.kit.marker()), shrink).finish()?;
            if let Some(rewrite) = &ask.rewrite {
                prompt = rewrite(prompt);
            }
            if let Some(incomplete) = ask.incomplete {
                prompt.push_str(&incomplete.to_prompt(self.kit.marker())?);
            }

            let fits = limit.is_none_or(|limit| window::tokens(&prompt) <= limit);
            match shrink
                .next()
                .filter(|next| !fits && *next <= ask.max_shrink)
            {
                Some(next) => shrink = next,
                None => return Ok((prompt, shrink)),
            }
        }
    }

    /// Sends one request for a typed answer, within the budget.
    async fn request<T>(
        &self,
        ask: &Ask<'_, impl Serialize + Sync>,
        request: Request,
        track: &Track,
        failed: &mut Usage,
    ) -> Result<Answer<T>, Error>
    where
        T: DeserializeOwned + JsonSchema + Send,
    {
        let model = track.around(&self.kit.model);
        let send = || async {
            match &ask.schema {
                None => {
                    let answer = model.structured::<T>(request.clone()).await?;
                    let used = usage(answer.usage, u64::from(answer.attempts));
                    Ok((answer.value, used, answer.rejected))
                }
                Some(schema) => {
                    let request = request.clone().schema(schema.clone());
                    let answer = model.structured_value(request).await?;
                    let used = usage(answer.usage, u64::from(answer.attempts));
                    Ok((typed(answer.value)?, used, answer.rejected))
                }
            }
        };

        match self.send_within_budget(ask.is_report, track, send).await? {
            Ok((value, used, rejected)) => {
                let mut said = Vec::new();
                if ask.keeps_messages {
                    said.extend(request.messages.into_iter().skip(ask.history.len()));
                    said.extend(rejected);
                }
                Ok(Answer { value, used, said })
            }
            Err(error) => {
                let attempts = match &error {
                    ModelError::InvalidOutput(output) => output.attempts,
                    ModelError::ReaskFailed { before, .. } => before.attempts + 1,
                    _ => 1,
                };
                *failed += usage(error.usage(), u64::from(attempts));
                Err(error.into())
            }
        }
    }

    /// Sends one request to the model, within the budget: not at all after the run must stop, and
    /// only until it must stop. The outer error says why it stopped. In a replay `send` reads the
    /// recorded answer from the track.
    pub(crate) async fn send_within_budget<T, F>(
        &self,
        is_report: bool,
        track: &Track,
        send: impl Fn() -> F + Send,
    ) -> Result<Result<T, ModelError>, Error>
    where
        T: Send,
        F: Future<Output = Result<T, ModelError>> + Send,
    {
        let budget = self.kit.budget();
        if let Some(stop) = self.stop_before(is_report, track) {
            return Err(stop.into_model_error());
        }
        if !budget.charges(self.kit.model.info()) {
            budget.take_report_call();
        }

        let answer = if track.is_replaying() {
            loop {
                let answer = send().await;
                // The recorded call was cut off, or waited for reserved budget and was made again.
                let cut = track.take_if(|next| {
                    matches!(next, Exchange::Stopped { begun: true, .. }) && answer.is_err()
                });
                if let Some(stop) = cut.as_ref().and_then(Stop::from_exchange) {
                    return Err(stop.into_model_error());
                }
                let is_refused = answer
                    .as_ref()
                    .err()
                    .is_some_and(|error| budget.refused(error).is_some());
                if !(is_refused && track.has_answer()) {
                    break answer;
                }
            }
        } else {
            let stop = async {
                if !is_report {
                    return self.stopped().await;
                }
                tokio::time::sleep_until(budget.deadline()).await;
                Stop::Budget(budget.time_is_up())
            };
            tokio::select! {
                biased;
                stop = stop => {
                    track.push(stop.to_exchange(true));
                    return Err(stop.into_model_error());
                }
                answer = budget.retry_while_reserved(&send) => answer,
            }
        };

        // Gathering ends with the first call that does not fit the budget.
        if let Err(error) = &answer {
            budget.refused(error);
        }
        Ok(answer)
    }

    /// Returns why a call of the model does not take place. The report of a stopped run is still
    /// written.
    fn stop_before(&self, is_report: bool, track: &Track) -> Option<Stop> {
        if track.is_replaying() {
            let kept = track.take_if(|next| matches!(next, Exchange::Stopped { begun: false, .. }));
            return kept.as_ref().and_then(Stop::from_exchange);
        }

        let stop = if is_report { None } else { self.must_stop() };
        track.push_all(stop.iter().map(|stop| stop.to_exchange(false)));
        stop
    }
}

/// Reads a value that fits a schema made at run time as the type of the answer.
fn typed<T: DeserializeOwned>(value: Value) -> Result<T, ModelError> {
    serde_json::from_value(value).map_err(|error| {
        let problem = "the answer fits its schema and is not of the type that was asked for";
        ModelError::other(problem, Some(Arc::new(error)))
    })
}

pub(crate) fn usage(usage: research_llm::Usage, calls: u64) -> Usage {
    Usage {
        tokens_in: usage.input_tokens,
        tokens_out: usage.output_tokens,
        llm_calls: calls,
        ..Usage::default()
    }
}
