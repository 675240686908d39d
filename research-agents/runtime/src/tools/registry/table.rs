//! The registry of sub-agents.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::error::model::SubAgentError;
use crate::error::suggest::closest;
use crate::tools::registry::agent::{Card, DynSubAgent, SubAgent};
use crate::tools::registry::output::AgentOutput;

/// Sub-agents by name, in the order of their registration. Clones share the agents.
pub struct Registry<C> {
    agents: Vec<Arc<dyn DynSubAgent<C>>>,
}

impl<C: Sync + 'static> Registry<C> {
    /// Creates a registry without agents.
    pub fn new() -> Self {
        Self { agents: Vec::new() }
    }

    /// Adds an agent. It replaces an agent of the same name, at the same position.
    pub fn register(&mut self, agent: impl SubAgent<C>) -> &mut Self {
        let agent: Arc<dyn DynSubAgent<C>> = Arc::new(agent);
        match self
            .agents
            .iter()
            .position(|known| known.card().name == agent.card().name)
        {
            Some(at) => self.agents[at] = agent,
            None => self.agents.push(agent),
        }
        self
    }

    /// Returns the cards of all agents.
    pub fn cards(&self) -> impl ExactSizeIterator<Item = Card> {
        self.agents.iter().map(|agent| agent.card())
    }

    /// Returns the names of all agents.
    pub fn names(&self) -> Vec<&'static str> {
        self.cards().map(|card| card.name).collect()
    }

    /// Returns the card of the agent of this name.
    ///
    /// # Errors
    ///
    /// [`SubAgentError::Unknown`] with the closest name.
    pub fn card(&self, name: &str) -> Result<Card, SubAgentError> {
        Ok(self.find(name)?.card())
    }

    /// Returns the JSON schema of an agent's arguments.
    ///
    /// # Errors
    ///
    /// [`SubAgentError::Unknown`] with the closest name.
    pub fn input_schema(&self, name: &str) -> Result<Value, SubAgentError> {
        Ok(self.find(name)?.input_schema())
    }

    /// Returns the JSON schema of an agent's result.
    ///
    /// # Errors
    ///
    /// [`SubAgentError::Unknown`] with the closest name.
    pub fn output_schema(&self, name: &str) -> Result<Value, SubAgentError> {
        Ok(self.find(name)?.output_schema())
    }

    /// Checks the arguments, runs the agent, and checks its result.
    ///
    /// # Errors
    ///
    /// [`SubAgentError`] when the name is unknown, an argument is wrong, the agent fails, or its
    /// result does not match its schema.
    pub async fn call(&self, name: &str, cx: &C, input: Value) -> Result<Value, SubAgentError> {
        self.run(name, cx, input).await?.into_json()
    }

    /// Checks the arguments, and runs the agent. Its result becomes JSON only if the caller wants
    /// it so.
    ///
    /// # Errors
    ///
    /// [`SubAgentError`] when the name is unknown, an argument is wrong, or the agent fails.
    pub async fn run(
        &self,
        name: &str,
        cx: &C,
        input: Value,
    ) -> Result<AgentOutput, SubAgentError> {
        let agent = Arc::clone(self.find(name)?);
        agent.run(cx, input).await
    }

    /// Returns the names of the arguments that an agent fills from its context; see
    /// [`SubAgent::filled`].
    ///
    /// # Errors
    ///
    /// [`SubAgentError::Unknown`] with the closest name.
    pub fn filled(&self, name: &str) -> Result<&'static [&'static str], SubAgentError> {
        Ok(self.find(name)?.filled())
    }

    fn find(&self, name: &str) -> Result<&Arc<dyn DynSubAgent<C>>, SubAgentError> {
        self.agents
            .iter()
            .find(|agent| agent.card().name == name)
            .ok_or_else(|| SubAgentError::Unknown {
                name: name.to_owned(),
                suggestion: closest(name, self.names()).map(str::to_owned),
                known: self.names().into_iter().map(str::to_owned).collect(),
            })
    }
}

impl<C: Sync + 'static> Default for Registry<C> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C> Clone for Registry<C> {
    fn clone(&self) -> Self {
        Self {
            agents: self.agents.clone(),
        }
    }
}

impl<C> fmt::Debug for Registry<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.agents.iter().map(|agent| agent.card().name))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;
    use crate::error::model::{Error, InvalidInput};

    #[derive(Deserialize, JsonSchema)]
    struct Order {
        #[serde(default = "one")]
        top_n: u32,
        items: Vec<Item>,
    }
    #[derive(Deserialize, JsonSchema)]
    struct Item {
        name: String,
    }
    fn one() -> u32 {
        1
    }
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Names {
        names: Vec<String>,
    }

    struct Lister(&'static str);

    impl SubAgent<()> for Lister {
        type Input = Order;
        type Output = Names;

        fn card(&self) -> Card {
            Card::new("lister", self.0)
        }

        fn validate(&self, input: &Order) -> Result<(), InvalidInput> {
            if input.top_n == 0 {
                Err(InvalidInput::new("top_n", "must be at least 1"))
            } else {
                Ok(())
            }
        }

        async fn run(&self, _: &(), input: Order) -> Result<Names, Error> {
            Ok(Names {
                names: input.items.into_iter().map(|item| item.name).collect(),
            })
        }
    }

    async fn wrong(input: Value) -> (String, String) {
        let mut registry = Registry::new();
        registry.register(Lister("lists"));
        match registry.call("lister", &(), input).await {
            Err(SubAgentError::InvalidInput { wrong, .. }) => (wrong.field, wrong.problem),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_wrong_argument_is_named_by_its_path() {
        assert_eq!(wrong(json!({})).await.0, "items");
        assert_eq!(
            wrong(json!({"items": [{"name": "a"}, {}]})).await.0,
            "items[1].name"
        );
        assert_eq!(wrong(json!({"items": [], "top_n": "x"})).await.0, "top_n");
        assert_eq!(
            wrong(json!({"items": [], "top_n": 0})).await,
            ("top_n".into(), "must be at least 1".into())
        );
    }

    #[tokio::test]
    async fn the_newest_agent_of_a_name_replaces_the_older() {
        let mut registry = Registry::new();
        registry.register(Lister("old")).register(Lister("new"));
        assert_eq!(
            registry
                .cards()
                .map(|card| card.description)
                .collect::<Vec<_>>(),
            ["new"]
        );
        let output = registry
            .call("lister", &(), json!({"items": [{"name": "a"}]}))
            .await
            .unwrap();
        assert_eq!(output, json!({"names": ["a"]}));
    }

    #[test]
    fn schemas_come_from_the_types() {
        let mut registry = Registry::new();
        registry.register(Lister("lists"));
        assert_eq!(
            registry.input_schema("lister").unwrap()["properties"]["top_n"]["default"],
            1
        );
        assert!(registry.output_schema("lister").unwrap()["properties"]["names"].is_object());
        assert!(
            registry
                .input_schema("listr")
                .unwrap_err()
                .to_string()
                .contains("did you mean `lister`?")
        );
    }
}
