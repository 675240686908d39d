//! The tools of an agent: told to the model, and run when it calls them.

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroUsize;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, StreamExt, stream};
use serde_json::Value;

use super::callable::Tool;
use crate::call::{ToolCall, ToolDefinition};
use crate::error::ModelError;
use crate::message::ToolResult;
use crate::structured::read_object;

/// Letters that a tool's name may have; both OpenAI and Anthropic take at most so many.
const NAME: usize = 64;

/// Tools that run at once, unless the box says otherwise.
const PARALLEL: usize = 8;

/// How long a tool may take, unless the box says otherwise.
const TIME: Duration = Duration::from_secs(120);

/// Bytes of a result that the model gets, unless the box says otherwise.
const RESULT: usize = 100_000;

/// Tools under their names. Cheap to clone.
///
/// Whatever a model calls, and however a tool ends, there is a [`ToolResult`]: an unknown name, arguments that are no
/// JSON or do not fit, an error, a panic and a time limit become results that say so, for the model to read. What a tool
/// returns stays text: it is data of somebody else, never an instruction.
#[derive(Clone)]
pub struct Toolbox {
    tools: Vec<Arc<dyn Tool>>,
    parallel: NonZeroUsize,
    time: Duration,
    result: usize,
}

impl Toolbox {
    /// An empty box: 8 tools at once, 120 seconds for each, 100,000 bytes of a result.
    #[must_use]
    pub fn new() -> Self {
        let parallel = NonZeroUsize::new(PARALLEL).unwrap_or(NonZeroUsize::MIN);
        Self { tools: Vec::new(), parallel, time: TIME, result: RESULT }
    }

    /// Adds a tool. [`checked`](Self::checked) says whether names are usable and unique.
    #[must_use]
    pub fn with(mut self, tool: impl Tool + 'static) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    /// Sets how many tools run at once in [`run_all`](Self::run_all).
    #[must_use]
    pub fn parallel(mut self, tools: NonZeroUsize) -> Self {
        self.parallel = tools;
        self
    }

    /// Sets how long a tool may take. It is dropped when the time is over.
    #[must_use]
    pub fn time_limit(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Sets how much of a result the model gets, in bytes. What is cut is said at the end.
    #[must_use]
    pub fn result_limit(mut self, bytes: usize) -> Self {
        self.result = bytes;
        self
    }

    /// The box, if providers take its names: 1 to 64 letters of ASCII, digits, `_` and `-`, each name once, and parameters
    /// that are an object.
    ///
    /// # Errors
    /// [`ModelError::InvalidRequest`] with everything that is wrong.
    pub fn checked(self) -> Result<Self, ModelError> {
        let mut problems = Vec::new();
        let mut names = BTreeSet::new();
        for definition in self.tools.iter().map(|tool| tool.definition()) {
            let name = definition.name.as_str();
            if name.is_empty()
                || name.len() > NAME
                || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
            {
                problems.push(format!("`{name}` must be 1 to {NAME} letters, digits, `_` or `-`"));
            }
            if !names.insert(name) {
                problems.push(format!("there are several tools named `{name}`"));
            }
            if definition.parameters.get("type").is_none_or(|kind| kind != "object") {
                problems.push(format!("the parameters of `{name}` are no object"));
            }
        }
        if problems.is_empty() {
            return Ok(self);
        }
        Err(ModelError::invalid_request(format!("unusable tools: {}", problems.join("; ")), None))
    }

    /// What the model is told, in the order in which the tools were added.
    #[must_use]
    pub fn definitions(&self) -> Vec<ToolDefinition> {
        self.tools.iter().map(|tool| tool.definition().clone()).collect()
    }

    /// The tool of a name; of several, the first.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.definition().name == name)
    }

    /// Answers a call. Needs a Tokio runtime with its time driver, for the time limit.
    pub async fn run(&self, call: &ToolCall) -> ToolResult {
        match self.answer(call).await {
            Ok(content) => ToolResult::new(call, self.shorten(content)),
            Err(problem) => ToolResult::new(call, self.shorten(problem)).error(),
        }
    }

    /// Answers the calls of one turn, several at a time. The results are in the order of the calls.
    pub async fn run_all(&self, calls: &[ToolCall]) -> Vec<ToolResult> {
        let runs: Vec<_> = calls.iter().map(|call| self.run(call)).collect();
        stream::iter(runs).buffered(self.parallel.get()).collect().await
    }

    async fn answer(&self, call: &ToolCall) -> Result<String, String> {
        let tool = self.get(&call.name).ok_or_else(|| self.unknown(&call.name))?;
        let arguments = read_arguments(&call.arguments)?;
        // A panic of a tool ends its call and nothing else: what it may leave half done is its own.
        let run = AssertUnwindSafe(async { tool.call(arguments).await }).catch_unwind();
        let ended = tokio::time::timeout(self.time, run)
            .await
            .map_err(|_| format!("the tool did not answer within {:?}", self.time))?;
        match ended {
            Ok(Ok(output)) => Ok(output.content),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => {
                tracing::error!(tool = call.name, "a tool panicked");
                Err("the tool failed: it has a bug".to_owned())
            }
        }
    }

    fn unknown(&self, name: &str) -> String {
        let names: Vec<_> = self.tools.iter().map(|tool| tool.definition().name.as_str()).collect();
        match names.as_slice() {
            [] => format!("there is no tool `{name}`, and no other one"),
            names => format!("there is no tool `{name}`; there are {}", names.join(", ")),
        }
    }

    fn shorten(&self, mut content: String) -> String {
        let length = content.len();
        if length <= self.result {
            return content;
        }
        let end = (0..=self.result).rev().find(|&at| content.is_char_boundary(at)).unwrap_or_default();
        content.truncate(end);
        content.push_str(&format!("\n[The result has {length} bytes; these are the first {end}.]"));
        content
    }
}

/// The arguments of a call as an object, for whoever runs tools without a [`Toolbox`]. No text at all is an object without fields;
/// JSON in a code fence or with small faults is understood as models mean it.
///
/// # Errors
/// What is wrong, in words for the model.
pub fn read_arguments(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    read_object(text).map_err(|problem| format!("the arguments are no JSON object: {problem}"))
}

impl Default for Toolbox {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.tools.iter().map(|tool| tool.definition().name.as_str()).collect();
        f.debug_struct("Toolbox")
            .field("tools", &names)
            .field("parallel", &self.parallel)
            .field("time", &self.time)
            .field("result", &self.result)
            .finish()
    }
}
