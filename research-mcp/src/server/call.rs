//! The requests that functions of a server get.

use std::collections::BTreeMap;

use super::parts::{Caller, PromptCall, ResourceRead, ToolCall};
use crate::tool::Object;

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
