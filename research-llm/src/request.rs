//! What is asked of a model: messages, limits, the wanted schema, and the task in machine-readable form.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::call::{ToolChoice, ToolDefinition};
use crate::error::ModelError;
use crate::message::Message;

/// A request to a model.
///
/// ```
/// use research_llm::{Message, Request};
///
/// let request = Request::new()
///     .system("Answer in one word.")
///     .user("What is the largest planet?")
///     .max_output_tokens(5)
///     .temperature(0.0);
/// assert_eq!(request.messages[1], Message::user("What is the largest planet?"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Request {
    /// The conversation, oldest turn first.
    pub messages: Vec<Message>,
    /// The answer may be so long, in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// 0 for the likeliest answer; the upper end depends on the provider. `None` leaves it to the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
    /// Of the likeliest tokens, those that hold this share of the probability are drawn from, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f32>,
    /// The answer ends before any of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// The same seed and request make the same answer, where the provider keeps that promise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How much the model should think before it answers; a model that does not reason ignores it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// What kind of model is wanted, for a router of tiers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    /// Tools that the model may call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolDefinition>,
    /// Whether it may, must or must not call them.
    #[serde(default, skip_serializing_if = "ToolChoice::is_auto")]
    pub tool_choice: ToolChoice,
    /// Whether it may call several at once; `None` leaves it to the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_tool_calls: Option<bool>,
    /// The answer must be JSON of this schema. A provider without a schema mode puts it into the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<OutputSchema>,
    /// The same request for a machine. Providers of language models never send it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
    /// Fields of the provider's own, set in the body of the call as they are, after everything else.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
    /// Whether the answer keeps what the provider sent, in [`Response::raw`](crate::Response::raw).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_raw: bool,
    /// When the answer is of no use any more. Nothing is tried again past it. It is of this process and not written down.
    #[serde(skip)]
    pub deadline: Option<Instant>,
}

impl Request {
    /// An empty request.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a standing instruction.
    #[must_use]
    pub fn system(self, text: impl Into<String>) -> Self {
        self.message(Message::system(text))
    }

    /// Adds a turn of the one who asks.
    #[must_use]
    pub fn user(self, text: impl Into<String>) -> Self {
        self.message(Message::user(text))
    }

    /// Adds any turn.
    #[must_use]
    pub fn message(mut self, message: Message) -> Self {
        self.messages.push(message);
        self
    }

    /// Limits the answer, in tokens.
    #[must_use]
    pub fn max_output_tokens(mut self, tokens: u32) -> Self {
        self.max_output_tokens = Some(tokens);
        self
    }

    /// Sets the temperature.
    #[must_use]
    pub fn temperature(mut self, temperature: f32) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Draws from the likeliest tokens that hold this share of the probability.
    #[must_use]
    pub fn top_p(mut self, share: f32) -> Self {
        self.top_p = Some(share);
        self
    }

    /// Ends the answer before this text; may be called several times.
    #[must_use]
    pub fn stop(mut self, text: impl Into<String>) -> Self {
        self.stop.push(text.into());
        self
    }

    /// Sets the seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Sets how much the model should think.
    #[must_use]
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = Some(effort);
        self
    }

    /// Sets what kind of model is wanted.
    #[must_use]
    pub fn tier(mut self, tier: Tier) -> Self {
        self.tier = Some(tier);
        self
    }

    /// Offers a tool.
    #[must_use]
    pub fn tool(mut self, tool: ToolDefinition) -> Self {
        self.tools.push(tool);
        self
    }

    /// Says whether tools may, must or must not be called.
    #[must_use]
    pub fn tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = choice;
        self
    }

    /// Says whether several tools may be called at once.
    #[must_use]
    pub fn parallel_tool_calls(mut self, allowed: bool) -> Self {
        self.parallel_tool_calls = Some(allowed);
        self
    }

    /// Sets a field of the provider's own.
    #[must_use]
    pub fn extra(mut self, field: impl Into<String>, value: impl Into<Value>) -> Self {
        self.extra.insert(field.into(), value.into());
        self
    }

    /// Keeps what the provider sends.
    #[must_use]
    pub fn keep_raw(mut self) -> Self {
        self.keep_raw = true;
        self
    }

    /// Sets when the answer is of no use any more.
    #[must_use]
    pub fn deadline(mut self, at: Instant) -> Self {
        self.deadline = Some(at);
        self
    }

    /// Demands JSON of a schema.
    #[must_use]
    pub fn schema(mut self, schema: OutputSchema) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Adds the task in machine-readable form.
    #[must_use]
    pub fn task(mut self, task: Task) -> Self {
        self.task = Some(task);
        self
    }

    /// Name of the task, if there is one.
    #[must_use]
    pub fn task_name(&self) -> Option<&str> {
        self.task.as_ref().map(|task| task.name.as_str())
    }
}

/// How much a model should think before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effort {
    /// Not at all, or as little as the model can.
    Minimal,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

/// What kind of model a request wants, from the quickest and cheapest to the ablest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Tier {
    /// Quick and cheap.
    Turbo,
    /// For most work.
    #[default]
    Plus,
    /// The ablest.
    Max,
}

/// What the messages ask for, as data. A model that computes its answers reads this and not the prose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Task {
    /// A name that asker and answerer agree on, such as `dataset.plan`.
    pub name: String,
    /// The input of the task.
    pub input: Value,
}

impl Task {
    /// A task with its input as JSON.
    pub fn new(name: impl Into<String>, input: Value) -> Self {
        Self { name: name.into(), input }
    }

    /// A task with its input as a value of a type.
    ///
    /// # Errors
    /// [`ModelError::InvalidRequest`] if the input cannot be written as JSON, such as a map whose keys are no strings.
    pub fn of<T: Serialize + ?Sized>(name: impl Into<String>, input: &T) -> Result<Self, ModelError> {
        let name = name.into();
        match serde_json::to_value(input) {
            Ok(input) => Ok(Self { name, input }),
            Err(error) => Err(ModelError::invalid_request(
                format!("the input of task `{name}` is no JSON"),
                Some(std::sync::Arc::new(error)),
            )),
        }
    }

    /// Reads the input as a value of a type.
    ///
    /// # Errors
    /// [`ModelError::InvalidRequest`] naming the path of the first part that does not fit.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ModelError> {
        serde_path_to_error::deserialize(&self.input).map_err(|error| {
            let path = error.path().to_string();
            ModelError::invalid_request(
                format!("the input of task `{}` does not fit at `{path}`", self.name),
                Some(std::sync::Arc::new(error.into_inner())),
            )
        })
    }
}

/// A JSON schema with a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OutputSchema {
    /// Name of the type, as providers want one.
    pub name: String,
    /// The JSON schema (draft 2020-12).
    pub schema: Value,
}

impl OutputSchema {
    /// A schema written by hand.
    pub fn new(name: impl Into<String>, schema: Value) -> Self {
        Self { name: name.into(), schema }
    }

    /// The schema of a type.
    #[must_use]
    pub fn of<T: JsonSchema>() -> Self {
        let schema = schemars::SchemaGenerator::default().into_root_schema_for::<T>();
        Self { name: T::schema_name().into_owned(), schema: schema.to_value() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    struct Point {
        x: i32,
        at: Vec<Option<u8>>,
    }

    #[test]
    fn a_task_round_trips_its_input() {
        let point = Point { x: -3, at: vec![Some(1), None] };
        let task = Task::of("point", &point).unwrap();
        assert_eq!(task.parse::<Point>().unwrap(), point);
    }

    #[test]
    fn a_task_that_does_not_fit_names_the_place() {
        let task = Task::new("point", json!({"x": 1, "at": [1, "two"]}));
        let error = task.parse::<Point>().unwrap_err();
        assert!(error.to_string().contains("at[1]"), "{error}");
    }

    #[test]
    fn the_schema_of_a_type_names_it_and_its_fields() {
        let schema = OutputSchema::of::<Point>();
        assert_eq!(schema.name, "Point");
        assert_eq!(schema.schema["properties"]["x"]["type"], "integer");
    }

    #[test]
    fn a_request_round_trips_as_json() {
        let request = Request::new()
            .system("s")
            .user("u")
            .temperature(0.5)
            .schema(OutputSchema::of::<Point>())
            .task(Task::new("t", json!({"a": 1})));
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<Request>(&text).unwrap(), request);
    }
}
