//! The trait that a sub-agent implements, and its twin that a registry stores.

use std::future::Future;

use futures::future::BoxFuture;
use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::SubAgentError;
use crate::Error;

/// What a planner is told about a sub-agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Card {
    /// Name that a plan uses.
    pub name: &'static str,
    /// What it does.
    pub description: &'static str,
    /// When to use it.
    pub use_when: &'static str,
    /// How long it takes, in words.
    pub speed: &'static str,
    /// What it costs, in words.
    pub cost: &'static str,
    /// It reads data through tools; the others only think about what was read.
    pub fetches_data: bool,
}

impl Card {
    /// A card of an agent that fetches no data.
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        Self { name, description, use_when: "", speed: "", cost: "", fetches_data: false }
    }

    /// Sets when to use it.
    #[must_use]
    pub const fn use_when(mut self, words: &'static str) -> Self {
        self.use_when = words;
        self
    }

    /// Sets how long it takes.
    #[must_use]
    pub const fn speed(mut self, words: &'static str) -> Self {
        self.speed = words;
        self
    }

    /// Sets what it costs.
    #[must_use]
    pub const fn cost(mut self, words: &'static str) -> Self {
        self.cost = words;
        self
    }

    /// Says that it reads data through tools.
    #[must_use]
    pub const fn fetches_data(mut self) -> Self {
        self.fetches_data = true;
        self
    }
}

/// An argument that has the right type and a wrong value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {problem}")]
pub struct InvalidInput {
    /// Path of the argument.
    pub field: String,
    /// What is wrong with it.
    pub problem: String,
}

impl InvalidInput {
    /// An argument with a wrong value.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }
}

/// An agent with one job, called by a planner. `C` is what the research system gives its agents: state, model, tools.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sub-agent for the context `{C}`",
    label = "this must implement `SubAgent<{C}>`",
    note = "implement `card` and `run`, with an `Input` and an `Output` that derive serde's traits and `JsonSchema`"
)]
pub trait SubAgent<C: Sync>: Send + Sync + 'static {
    /// Its arguments. What a planner leaves out must have a default or be filled from the state.
    type Input: DeserializeOwned + JsonSchema + Send;
    /// Its result.
    type Output: Serialize + DeserializeOwned + JsonSchema + Send;

    /// What the planner is told about it.
    fn card(&self) -> Card;

    /// Checks what the types cannot say.
    ///
    /// # Errors
    ///
    /// The first argument that is wrong.
    fn validate(&self, input: &Self::Input) -> Result<(), InvalidInput> {
        let _ = input;
        Ok(())
    }

    /// Does the job.
    ///
    /// # Errors
    ///
    /// When there is no result at all. Partial results are results.
    fn run(&self, cx: &C, input: Self::Input) -> impl Future<Output = Result<Self::Output, Error>> + Send;
}

/// A sub-agent behind a pointer. Every [`SubAgent`] is one; nothing else can be.
pub(super) trait DynSubAgent<C>: Send + Sync {
    fn card(&self) -> Card;
    fn input_schema(&self) -> Value;
    fn output_schema(&self) -> Value;
    fn call<'a>(&'a self, cx: &'a C, input: Value) -> BoxFuture<'a, Result<Value, SubAgentError>>;
}

impl<C: Sync, A: SubAgent<C>> DynSubAgent<C> for A {
    fn card(&self) -> Card {
        SubAgent::card(self)
    }

    fn input_schema(&self) -> Value {
        schema_for!(A::Input).to_value()
    }

    fn output_schema(&self) -> Value {
        schema_for!(A::Output).to_value()
    }

    fn call<'a>(&'a self, cx: &'a C, input: Value) -> BoxFuture<'a, Result<Value, SubAgentError>> {
        Box::pin(async move {
            let agent = SubAgent::card(self).name;
            let invalid = |wrong: InvalidInput| SubAgentError::invalid_input(agent, wrong);
            let input: A::Input = parse(input).map_err(invalid)?;
            self.validate(&input).map_err(invalid)?;
            let output = self.run(cx, input).await.map_err(|source| SubAgentError::failed(agent, source))?;
            let output = serde_json::to_value(output).map_err(|error| SubAgentError::output(agent, "", error))?;
            // What a consumer reads back must be what the schema says, also where `Serialize` was written by hand.
            match serde_path_to_error::deserialize::<_, A::Output>(&output) {
                Ok(_) => Ok(output),
                Err(error) => Err(SubAgentError::output(agent, &error.path().to_string(), error.into_inner())),
            }
        })
    }
}

fn parse<T: for<'de> Deserialize<'de>>(input: Value) -> Result<T, InvalidInput> {
    serde_path_to_error::deserialize(input).map_err(|error| {
        let problem = error.inner().to_string();
        let path = error.path().to_string();
        // For a missing field serde's path ends at its parent; the name stands in the message.
        let missing = problem.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
        let field = match (missing, path.as_str()) {
            (Some(name), "." | "") => name.to_owned(),
            (Some(name), path) => format!("{path}.{name}"),
            (None, path) => path.to_owned(),
        };
        InvalidInput { field, problem }
    })
}
