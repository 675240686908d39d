//! Questions of nodes to the model port, which code answers in its place when a run must stop.

use std::io::{self, Write};

use research_agents_report::text::Untrusted;
use research_agents_runtime::ask::{BLOCK_CAP, Template, Trusted, tokens};
use research_agents_runtime::error::Error;
use research_agents_runtime::job::{Ask, Job};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::ser::{Formatter, Serializer};

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
    tokens(&lines_of(value))
}

/// Returns a value as JSON with a line for each element of its arrays.
///
/// Every line of a block of untrusted text begins with the marker of its prompt, which is longer
/// than most values. A line for each field would therefore cost twice the tokens.
fn lines_of(value: &impl Serialize) -> String {
    let mut json = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut json, ElementLines::default());
    if value.serialize(&mut serializer).is_err() {
        return String::new();
    }
    String::from_utf8(json).unwrap_or_default()
}

/// Begins a line for each element of an array and each field of the outermost object, and none
/// within an object that is an element.
#[derive(Default)]
struct ElementLines {
    /// Containers that are open, from the outermost one; `true` for an array.
    open: Vec<bool>,
    /// How many of them there are within an object that is an element, with that object.
    within: usize,
    is_empty: bool,
}

impl ElementLines {
    fn begin(&mut self, is_array: bool) {
        let is_element = !is_array && self.open.last() == Some(&true);
        if self.within > 0 || is_element {
            self.within += 1;
        }
        self.open.push(is_array);
        self.is_empty = true;
    }

    fn end(&mut self, writer: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let is_broken = self.within == 0 && !self.is_empty;
        self.within = self.within.saturating_sub(1);
        self.open.pop();
        self.is_empty = false;
        if is_broken {
            writer.write_all(b"\n")
        } else {
            Ok(())
        }
    }

    fn separate(&mut self, writer: &mut (impl Write + ?Sized), is_first: bool) -> io::Result<()> {
        self.is_empty = false;
        if !is_first {
            writer.write_all(b",")?;
        }
        if self.within == 0 {
            writer.write_all(b"\n")
        } else {
            Ok(())
        }
    }
}

impl Formatter for ElementLines {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(true);
        writer.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer)?;
        writer.write_all(b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        is_first: bool,
    ) -> io::Result<()> {
        self.separate(writer, is_first)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(false);
        writer.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer)?;
        writer.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        is_first: bool,
    ) -> io::Result<()> {
        self.separate(writer, is_first)
    }
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
        self.data.push((slot, Untrusted::new(lines_of(value)), cap));
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_element_takes_a_line() {
        let value = (
            Vec::<u8>::new(),
            vec![json!({"a": [1, {"b": "two\nlines"}]}), json!({})],
            json!({"c": [3, 4], "d": {}}),
        );
        let lines =
            "[\n[],\n[\n{\"a\":[1,{\"b\":\"two\\nlines\"}]},\n{}\n],\n{\"c\":[3,4],\"d\":{}}\n]";
        assert_eq!(lines_of(&value), lines);
        assert_eq!(lines_of(&json!({"c": [3, 4]})), "{\n\"c\":[\n3,\n4\n]\n}");
    }
}
