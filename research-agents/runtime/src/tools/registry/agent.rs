//! The trait of a sub-agent, and the object-safe form of it that a registry stores.

use std::future::Future;

use futures::future::BoxFuture;
use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::model::{Error, InvalidInput, SubAgentError};
use crate::tools::registry::output::AgentOutput;

/// The description of a sub-agent for a planner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Card {
    /// Name of the sub-agent in a plan.
    pub name: &'static str,
    /// What the sub-agent does.
    pub description: &'static str,
    /// When to use it.
    pub use_when: &'static str,
    /// How long it takes, in words.
    pub speed: &'static str,
    /// What it costs, in words.
    pub cost: &'static str,
    /// `true` if it reads data through tools; other sub-agents only work on data that was read.
    pub fetches_data: bool,
}

impl Card {
    /// Creates the card of a sub-agent that does not fetch data.
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            description,
            use_when: "",
            speed: "",
            cost: "",
            fetches_data: false,
        }
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

    /// Marks the sub-agent as one that reads data through tools.
    #[must_use]
    pub const fn fetches_data(mut self) -> Self {
        self.fetches_data = true;
        self
    }
}

/// An agent with one job, called by a planner. `C` is the context that the research system gives
/// its agents: state, model, tools.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sub-agent for the context `{C}`",
    label = "this must implement `SubAgent<{C}>`",
    note = "implement `card` and `run`, with an `Input` and an `Output` that derive serde's traits \
            and `JsonSchema`"
)]
pub trait SubAgent<C: Sync>: Send + Sync + 'static {
    /// The arguments. What a planner leaves out must have a default, and so must what is
    /// [`filled`](Self::filled).
    type Input: DeserializeOwned + JsonSchema + Send;
    /// The result.
    type Output: Serialize + DeserializeOwned + JsonSchema + Send + 'static;

    /// Returns the description for the planner.
    fn card(&self) -> Card;

    /// Returns the names of the arguments that [`fill`](Self::fill) sets. What a plan writes there
    /// is left out. Returns none by default.
    fn filled(&self) -> &'static [&'static str] {
        &[]
    }

    /// Sets the [`filled`](Self::filled) arguments from the context, after those of the plan were
    /// parsed and before they are validated. Sets nothing by default.
    fn fill(&self, cx: &C, input: &mut Self::Input) {
        let _ = (cx, input);
    }

    /// Checks what the types cannot express. Accepts everything by default.
    ///
    /// # Errors
    ///
    /// The first argument that is wrong.
    fn validate(&self, input: &Self::Input) -> Result<(), InvalidInput> {
        let _ = input;
        Ok(())
    }

    /// Runs the sub-agent.
    ///
    /// # Errors
    ///
    /// When it has nothing to return. A partial result is a result.
    fn run(
        &self,
        cx: &C,
        input: Self::Input,
    ) -> impl Future<Output = Result<Self::Output, Error>> + Send;
}

/// The object-safe form of [`SubAgent`], which every sub-agent implements.
pub(crate) trait DynSubAgent<C>: Send + Sync {
    fn card(&self) -> Card;
    fn input_schema(&self) -> Value;
    fn output_schema(&self) -> Value;
    fn filled(&self) -> &'static [&'static str];
    fn run<'a>(
        &'a self,
        cx: &'a C,
        input: Value,
    ) -> BoxFuture<'a, Result<AgentOutput, SubAgentError>>;
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

    fn filled(&self) -> &'static [&'static str] {
        SubAgent::filled(self)
    }

    fn run<'a>(
        &'a self,
        cx: &'a C,
        input: Value,
    ) -> BoxFuture<'a, Result<AgentOutput, SubAgentError>> {
        Box::pin(async move {
            let agent = SubAgent::card(self).name;
            let invalid = |wrong: InvalidInput| SubAgentError::invalid_input(agent, wrong);
            let mut input: A::Input =
                parse(without(input, SubAgent::filled(self))).map_err(invalid)?;
            self.fill(cx, &mut input);
            self.validate(&input).map_err(invalid)?;

            let output = SubAgent::run(self, cx, input)
                .await
                .map_err(|source| SubAgentError::failed(agent, source))?;
            Ok(AgentOutput::new(agent, output))
        })
    }
}

/// Returns the arguments without those that a plan may not write.
fn without(mut input: Value, names: &[&str]) -> Value {
    if let Value::Object(arguments) = &mut input {
        arguments.retain(|name, _| !names.contains(&name.as_str()));
    }
    input
}

fn parse<T: for<'de> Deserialize<'de>>(input: Value) -> Result<T, InvalidInput> {
    serde_path_to_error::deserialize(input).map_err(|error| {
        let problem = error.inner().to_string();
        let path = error.path().to_string();
        // The path of a missing field ends at its parent; only the message has the name.
        let missing = problem
            .strip_prefix("missing field `")
            .and_then(|rest| rest.split('`').next());
        let field = match (missing, path.as_str()) {
            (Some(name), "." | "") => name.to_owned(),
            (Some(name), path) => format!("{path}.{name}"),
            (None, path) => path.to_owned(),
        };
        InvalidInput { field, problem }
    })
}
