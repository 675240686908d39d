//! The requests that functions of a server get.

use std::collections::BTreeMap;

use super::caller::Caller;
use crate::tool::Object;

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct ToolCall {
    pub(super) tool: String,
    pub(super) arguments: Object,
    pub(super) caller: Caller,
}

impl ToolCall {
    /// Name of the tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The arguments. They come from a model and are untrusted beyond what the schema says.
    #[must_use]
    pub fn arguments(&self) -> &Object {
        &self.arguments
    }

    /// Who calls: progress, log, questions, cancellation.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.caller
    }
}

/// A request for a prompt.
#[derive(Clone, Debug)]
pub struct PromptCall {
    pub(super) prompt: String,
    pub(super) arguments: BTreeMap<String, String>,
    pub(super) caller: Caller,
}

impl PromptCall {
    /// Name of the prompt.
    #[must_use]
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// What is filled in. Arguments that the prompt requires are there.
    #[must_use]
    pub fn arguments(&self) -> &BTreeMap<String, String> {
        &self.arguments
    }

    /// Who asks for it.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.caller
    }
}

/// A request for a resource.
#[derive(Clone, Debug)]
pub struct ResourceRead {
    pub(super) uri: String,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) caller: Caller,
}

impl ResourceRead {
    /// The address that is asked for. It is untrusted: look it up, never use it as a path.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// What stands in the address for a variable of the template, percent-decoded; empty when there is no such variable. It is
    /// untrusted and may hold anything, `..` and `/` too.
    #[must_use]
    pub fn variable(&self, name: &str) -> &str {
        self.variables.get(name).map_or("", String::as_str)
    }

    /// Who asks for it.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.caller
    }
}

/// A request for values that would complete an argument.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Completing {
    /// Name of the prompt, or the template of the resource.
    pub of: String,
    /// Whether it is a prompt.
    pub is_prompt: bool,
    /// The argument, or the variable of the template.
    pub argument: String,
    /// What is there so far.
    pub value: String,
    /// What is filled in elsewhere.
    pub others: BTreeMap<String, String>,
}
