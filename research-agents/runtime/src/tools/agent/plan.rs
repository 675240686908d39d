//! The plan of an agent: what every run of it starts from.

use std::sync::Arc;

use research_llm::{ChatModel, ToolDefinition};

use crate::bundle::expected::Expected;
use crate::job::{Kit, Settings};
use crate::tools::agent::services::{AgentTools, ToolServices};

/// What every run of an agent starts from.
pub(crate) struct Plan {
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) tools: AgentTools,
    pub(crate) definitions: Arc<[ToolDefinition]>,
    pub(crate) system: Arc<str>,
    pub(crate) settings: Settings,
    pub(crate) has_policy: bool,
    pub(crate) is_recorded: bool,
    pub(crate) max_iterations: u32,
    pub(crate) max_output_tokens: u32,
    pub(crate) result_cap: usize,
}

impl Plan {
    /// Creates the resources of one run, whose budget starts now.
    pub(crate) fn services(&self, expected: Option<Arc<Expected>>) -> ToolServices {
        let tools = Arc::new(self.tools.clone());
        let mut kit = Kit::with_asking_tools(Arc::clone(&self.model), tools, self.settings.clone());
        if let Some(expected) = expected {
            kit = kit.replaying(expected);
        }
        ToolServices {
            kit,
            tools: self.tools.clone(),
            definitions: Arc::clone(&self.definitions),
            system: Arc::clone(&self.system),
            max_iterations: self.max_iterations,
            max_output_tokens: self.max_output_tokens,
            result_cap: self.result_cap,
            has_policy: self.has_policy,
        }
    }
}
