//! Questions of nodes to the model port, which code answers in its place when a run must stop.

use research_agents_report::text::Untrusted;
use research_agents_runtime::ask::{BLOCK_CAP, Template, Trusted, tokens};
use research_agents_runtime::error::Error;
use research_agents_runtime::job::{Ask, Job};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Tokens of the prompts themselves, and of what surrounds the evidence in them.
const AROUND: usize = 2_000;
/// Minimum tokens of the evidence in a prompt.
const LEAST_ROOM: usize = 500;
/// Tokens of the evidence for a model whose window is not known.
const UNKNOWN_WINDOW: usize = 15_000;

/// Returns how many tokens of evidence a prompt can hold whose answer is a `T`. `what` and `with`
/// tell the places of a run apart where the window is asked for.
pub fn room<T: JsonSchema>(job: &Job, what: &str, with: &impl Serialize) -> usize {
    let window = job.window_at(what, with);
    match window.prompt::<T>() {
        Some(tokens) => tokens.saturating_sub(AROUND).max(LEAST_ROOM),
        None if window.is_bounded() => UNKNOWN_WINDOW,
        None => usize::MAX,
    }
}

/// Returns how many tokens a value takes in a prompt.
pub fn tokens_of(value: &impl Serialize) -> usize {
    tokens(&serde_json::to_string_pretty(value).unwrap_or_default())
}

/// A task with its prompt.
///
/// ```no_run
/// use research_agents_fieldwork::asked::Asked;
/// use research_agents_runtime::ask::{Template, UserText};
/// use research_agents_runtime::error::Error;
/// use research_agents_runtime::job::Job;
///
/// const PROMPT: Template = Template::new("count", 1, "What {{question}} asks for: {{texts}}");
///
/// async fn count(job: &Job, question: &str, texts: &[String]) -> Result<usize, Error> {
///     let asked = Asked::new(&PROMPT, "count", &texts)
///         .set("question", UserText::new(question))
///         .data("texts", &texts);
///     // A run that must stop counts the texts.
///     asked.or_compute(job, |texts| texts.len()).await
/// }
/// ```
#[derive(Debug)]
pub struct Asked<'a, I> {
    template: &'a Template,
    task: &'static str,
    input: &'a I,
    set: Vec<(&'static str, Trusted)>,
    /// Slot, block and maximum number of its characters.
    data: Vec<(&'static str, Untrusted<String>, usize)>,
}

impl<'a, I: Serialize + Sync> Asked<'a, I> {
    /// Creates the question of a task by its template and its input.
    pub fn new(template: &'a Template, task: &'static str, input: &'a I) -> Self {
        Self {
            template,
            task,
            input,
            set: Vec::new(),
            data: Vec::new(),
        }
    }

    /// Fills a slot of the prompt with the user's words or a number.
    #[must_use]
    pub fn set(mut self, slot: &'static str, value: impl Into<Trusted>) -> Self {
        self.set.push((slot, value.into()));
        self
    }

    /// Fills a slot of the prompt with a value as a block of untrusted JSON, at most [`BLOCK_CAP`]
    /// characters of it.
    #[must_use]
    pub fn data(self, slot: &'static str, value: &impl Serialize) -> Self {
        self.capped(slot, value, BLOCK_CAP)
    }

    /// Fills a slot of the prompt with a value as a block of untrusted JSON, which the caller has
    /// fitted to the model.
    #[must_use]
    pub fn fitted(self, slot: &'static str, value: &impl Serialize) -> Self {
        self.capped(slot, value, usize::MAX)
    }

    fn capped(mut self, slot: &'static str, value: &impl Serialize, cap: usize) -> Self {
        let json = serde_json::to_string_pretty(value).unwrap_or_default();
        self.data.push((slot, Untrusted::new(json), cap));
        self
    }

    /// Asks the model port. A run that must stop, and a model that fails, get what `fallback`
    /// computes; what failed is a warning of the run.
    ///
    /// # Errors
    ///
    /// When a replay has no such question.
    pub async fn or_compute<T>(
        &self,
        job: &Job,
        fallback: impl FnOnce(&I) -> T + Send,
    ) -> Result<T, Error>
    where
        T: JsonSchema + DeserializeOwned + Serialize + Send,
    {
        match self.ask(job).await {
            Some(Ok(answer)) => Ok(answer),
            None => Ok(fallback(self.input)),
            Some(Err(error)) if matches!(error.root(), Error::Diverged { .. }) => Err(error),
            Some(Err(error)) => {
                job.warn(&error);
                Ok(fallback(self.input))
            }
        }
    }

    /// Asks the model port for what a run cannot do without. A run that must stop gets what
    /// `fallback` computes.
    ///
    /// # Errors
    ///
    /// The model's error.
    pub async fn required<T>(
        &self,
        job: &Job,
        fallback: impl FnOnce(&I) -> T + Send,
    ) -> Result<T, Error>
    where
        T: JsonSchema + DeserializeOwned + Serialize + Send,
    {
        match self.ask(job).await {
            Some(answered) => answered,
            None => Ok(fallback(self.input)),
        }
    }

    /// Asks the model port. `None` if the run must stop before it answers.
    async fn ask<T>(&self, job: &Job) -> Option<Result<T, Error>>
    where
        T: JsonSchema + DeserializeOwned + Serialize + Send,
    {
        let ask = Ask::new(self.template, self.task, self.input, |mut prompt| {
            for (slot, value) in &self.set {
                prompt = prompt.set(slot, value.clone());
            }
            for (slot, text, cap) in &self.data {
                prompt = prompt.data_capped(slot, text, *cap);
            }
            prompt
        });
        let asked = job.without_tools();
        job.unless_stopped(self.task, &"answer", asked.ask(ask))
            .await
            .ok()
    }
}
