//! The result of a sub-agent whose type its caller may know.

use std::any::Any;
use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::model::SubAgentError;

/// The result of a sub-agent. A caller that knows its type takes the value as it is, and any other
/// reads it as JSON.
///
/// ```
/// # use research_agents_runtime::error::Error;
/// # use research_agents_runtime::tools::registry::{Card, Registry, SubAgent};
/// # struct Clock;
/// # impl SubAgent<()> for Clock {
/// #     type Input = serde_json::Map<String, serde_json::Value>;
/// #     type Output = u64;
/// #     fn card(&self) -> Card {
/// #         Card::new("clock", "Returns the hour.")
/// #     }
/// #     async fn run(&self, _: &(), _: Self::Input) -> Result<u64, Error> {
/// #         Ok(12)
/// #     }
/// # }
/// # futures::executor::block_on(async {
/// # let mut registry = Registry::new();
/// # registry.register(Clock);
/// let output = registry.run("clock", &(), serde_json::json!({})).await?;
/// let output = output.downcast::<String>().unwrap_err();
/// assert_eq!(output.downcast::<u64>().unwrap(), 12);
/// # Ok::<(), research_agents_runtime::tools::registry::SubAgentError>(())
/// # }).unwrap();
/// ```
pub struct AgentOutput {
    agent: &'static str,
    value: Box<dyn AnyOutput>,
}

impl AgentOutput {
    /// Creates the result of an agent.
    pub(crate) fn new<T>(agent: &'static str, value: T) -> Self
    where
        T: Serialize + DeserializeOwned + Send + 'static,
    {
        Self {
            agent,
            value: Box::new(value),
        }
    }

    /// Returns the value.
    ///
    /// # Errors
    ///
    /// The result itself when its type is another one.
    pub fn downcast<T: 'static>(self) -> Result<T, Self> {
        if !(&*self.value as &dyn Any).is::<T>() {
            return Err(self);
        }

        let agent = self.agent;
        let value: Box<dyn Any> = self.value;
        match value.downcast::<T>() {
            Ok(value) => Ok(*value),
            Err(_) => unreachable!("the result of {agent} has the type that was checked above"),
        }
    }

    /// Returns the value as JSON that matches the output schema of the agent.
    ///
    /// # Errors
    ///
    /// [`SubAgentError::InvalidOutput`] when the JSON of the value cannot be read as its type
    /// again, which a `Serialize` that is written by hand may cause.
    pub fn into_json(self) -> Result<Value, SubAgentError> {
        self.value.to_json(self.agent)
    }
}

impl fmt::Debug for AgentOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentOutput")
            .field("agent", &self.agent)
            .finish_non_exhaustive()
    }
}

/// A value of any type that an agent may return.
trait AnyOutput: Any + Send {
    fn to_json(&self, agent: &str) -> Result<Value, SubAgentError>;
}

impl<T: Serialize + DeserializeOwned + Send + 'static> AnyOutput for T {
    fn to_json(&self, agent: &str) -> Result<Value, SubAgentError> {
        let json =
            serde_json::to_value(self).map_err(|error| SubAgentError::output(agent, "", error))?;

        // The JSON must match its schema, even if `Serialize` was written by hand.
        match serde_path_to_error::deserialize::<_, T>(&json) {
            Ok(_) => Ok(json),
            Err(error) => {
                let path = error.path().to_string();
                Err(SubAgentError::output(agent, &path, error.into_inner()))
            }
        }
    }
}
