//! The registry of actions, and what is generated from it: the schema of a decision, the list in
//! the prompt, and the reader of a decision.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use research_llm::OutputSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::actions::action::{Action, DynAction};
use crate::actions::compute::ComputeAnswer;
use crate::actions::finalize::Finalize;
use crate::actions::graph::{GraphExpand, GraphPack, GraphTrace};
use crate::actions::lsp::{LspDefinition, LspDiagnostics, LspHover, LspReferences};
use crate::actions::open_span::OpenSpan;
use crate::actions::search::HybridSearch;
use crate::actions::summarize::SummarizeEvidence;
use crate::actions::tree::{TsEnclosingSymbol, TsFindSymbol, TsOutline};
use crate::lsp::Servers;

/// Why a registry cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Nothing would end a run.
    #[error("the registry has no action `finalize`; register one, such as `Finalize`")]
    NoFinalize,
    /// The name of an action cannot be the name of a field of a decision.
    #[error("`{name}` cannot be the name of an action; use lower case letters, digits and `_`")]
    Name {
        /// The name.
        name: String,
    },
}

/// The actions of an agent. Cheap to clone.
#[derive(Clone)]
pub struct ActionRegistry {
    actions: Arc<BTreeMap<&'static str, Arc<dyn DynAction>>>,
    order: Arc<[&'static str]>,
}

/// Actions that are being collected.
#[derive(Default)]
pub struct RegistryBuilder {
    actions: BTreeMap<&'static str, Arc<dyn DynAction>>,
    order: Vec<&'static str>,
}

/// A decision: the chosen action with its input.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ActionSelection {
    /// Name of the action.
    pub action: String,
    /// Why it was chosen.
    pub reasoning: String,
    /// Its input.
    pub input: Value,
}

/// Why a decision cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct SelectionError {
    problem: String,
}

impl ActionRegistry {
    /// Starts an empty registry.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// Starts a registry with the actions of this crate, without language servers.
    pub fn standard() -> RegistryBuilder {
        Self::with_servers(Servers::default())
    }

    /// Starts a registry with the actions of this crate, on these language servers.
    pub fn with_servers(servers: Servers) -> RegistryBuilder {
        Self::builder()
            .with(HybridSearch::default())
            .with(OpenSpan)
            .with(SummarizeEvidence)
            .with(Finalize)
            .with(ComputeAnswer)
            .with(TsOutline)
            .with(TsFindSymbol)
            .with(TsEnclosingSymbol)
            .with(GraphExpand)
            .with(GraphPack)
            .with(GraphTrace)
            .with(LspDefinition(servers.clone()))
            .with(LspReferences(servers.clone()))
            .with(LspHover(servers.clone()))
            .with(LspDiagnostics(servers))
    }

    /// Returns an action.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn DynAction>> {
        self.actions.get(name)
    }

    /// Returns the names of the actions, in the order of their registration.
    pub fn names(&self) -> &[&'static str] {
        &self.order
    }

    /// Returns the list of the actions for a prompt, one line each.
    pub fn list(&self) -> String {
        let line = |name: &&'static str| {
            let action = self.actions.get(name)?;
            Some(format!("- {name}: {}", action.description()))
        };
        let lines: Vec<String> = self.order.iter().filter_map(line).collect();
        lines.join("\n")
    }

    /// Returns the schema of a decision: the name of an action, the reasoning, and a field for the
    /// input of each action.
    pub fn schema(&self) -> OutputSchema {
        let mut properties = Map::new();
        properties.insert(
            "action".to_owned(),
            json!({"type": "string", "enum": &*self.order}),
        );
        properties.insert(
            "reasoning".to_owned(),
            json!({"type": "string", "description": "Why this action, in one sentence."}),
        );
        for name in &*self.order {
            if let Some(action) = self.actions.get(name) {
                properties.insert((*name).to_owned(), action.input_schema());
            }
        }

        let schema = json!({
            "type": "object",
            "description": "The next action, with its input in the field of the same name.",
            "properties": properties,
            "required": ["action", "reasoning"],
            "additionalProperties": false,
        });
        OutputSchema::new("ActionSelection", schema)
    }

    /// Reads a decision. Inputs of actions that were not chosen are ignored.
    ///
    /// # Errors
    ///
    /// [`SelectionError`] when the action is not registered, or its input is missing or does not
    /// fit.
    pub fn select(&self, decision: &Value) -> Result<ActionSelection, SelectionError> {
        let refuse = |problem: String| SelectionError { problem };
        let chosen = decision
            .get("action")
            .and_then(Value::as_str)
            .ok_or_else(|| refuse("the field `action` is missing".to_owned()))?;
        let action = self.get(chosen).ok_or_else(|| {
            refuse(format!(
                "there is no action `{}`; choose one of {}",
                chosen.chars().take(60).collect::<String>(),
                self.order.join(", ")
            ))
        })?;

        let name = action.name();
        let input = decision.get(name).filter(|input| !input.is_null());
        let input =
            input.ok_or_else(|| refuse(format!("the input of the action is missing: `{name}`")))?;
        if let Some(problem) = action.check_input(input) {
            return Err(refuse(format!(
                "the input of `{name}` does not fit: {problem}"
            )));
        }
        let reasoning = decision.get("reasoning").and_then(Value::as_str);
        Ok(ActionSelection {
            action: name.to_owned(),
            reasoning: reasoning.unwrap_or_default().to_owned(),
            input: input.clone(),
        })
    }
}

impl RegistryBuilder {
    /// Registers an action. One that has the same name is replaced.
    #[must_use]
    pub fn with(self, action: impl Action) -> Self {
        self.with_dyn(Arc::new(action))
    }

    /// Registers an action that is stored already.
    #[must_use]
    pub fn with_dyn(mut self, action: Arc<dyn DynAction>) -> Self {
        let name = action.name();
        if self.actions.insert(name, action).is_none() {
            self.order.push(name);
        }
        self
    }

    /// Removes an action.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.actions.remove(name);
        self.order.retain(|known| *known != name);
        self
    }

    /// Builds the registry.
    ///
    /// # Errors
    ///
    /// [`RegistryError`] when `finalize` is missing, or a name cannot be a field.
    pub fn build(self) -> Result<ActionRegistry, RegistryError> {
        let is_name = |name: &str| {
            let is_valid = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
            !name.is_empty()
                && name.len() <= 60
                && name.bytes().all(is_valid)
                && !matches!(name, "action" | "reasoning")
        };
        if let Some(name) = self.order.iter().find(|name| !is_name(name)) {
            return Err(RegistryError::Name {
                name: (*name).to_owned(),
            });
        }

        if !self.actions.contains_key(Finalize::NAME) {
            return Err(RegistryError::NoFinalize);
        }
        Ok(ActionRegistry {
            actions: Arc::new(self.actions),
            order: self.order.into(),
        })
    }
}

impl fmt::Debug for ActionRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ActionRegistry").field(&self.order).finish()
    }
}

impl fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RegistryBuilder").field(&self.order).finish()
    }
}
