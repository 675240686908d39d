//! The dataset agent's rules for tool calls: which are allowed, how their arguments are adapted,
//! and how their results are summarised.

use std::sync::Arc;

use research_agents_runtime::error::Error;
use research_agents_runtime::job::ToolDialect;
use research_agents_runtime::limits::Changed;
use research_core::Snapshot;
use research_mcp::envelope::DataResult;
use research_mcp::{CallOutput, Object, Tool};
use serde_json::Value;

use crate::state::model::DatasetState;
use crate::tools::dialect::ToolArguments;
use crate::tools::reduce::reduce;

/// The argument that sets the size of a page.
const PAGE_SIZE: &str = "page_size";

/// Adapts calls to the arguments that the tools of a run declare.
pub(crate) struct DatasetDialect {
    state: Snapshot<DatasetState>,
    /// The tools that the task itself has discovered and enabled. The state has them afterwards.
    discovered: Option<Arc<[Tool]>>,
}

impl DatasetDialect {
    /// Creates the dialect of a task that sees this state.
    pub(crate) fn new(state: Snapshot<DatasetState>) -> Self {
        Self {
            state,
            discovered: None,
        }
    }

    /// Takes the tools from the task instead of the state.
    pub(crate) fn with_discovered(mut self, tools: &[Tool]) -> Self {
        self.discovered = Some(tools.into());
        self
    }

    fn arguments_of(&self, tool: &str) -> ToolArguments {
        let listed = match &self.discovered {
            Some(tools) => tools.iter().find(|known| known.exposed_name == tool),
            None => self.state.listed_tool(tool),
        };
        ToolArguments::of(listed)
    }
}

impl ToolDialect for DatasetDialect {
    fn is_enabled(&self, tool: &str) -> bool {
        if let Some(tools) = &self.discovered {
            return tools.iter().any(|known| known.exposed_name == tool);
        }
        self.state
            .enabled_tools
            .iter()
            .any(|enabled| enabled == tool)
    }

    /// Returns the questions of the thread, the replies, and the values of the filters that the
    /// user fixed.
    fn user_text(&self) -> String {
        let state = &*self.state;

        let mut all = vec![state.question.as_str()];
        all.extend(state.turns.iter().map(|turn| turn.question.as_str()));
        all.extend(
            state
                .clarifications
                .iter()
                .map(|settled| settled.answer.as_str()),
        );
        state
            .overrides
            .filters
            .iter()
            .flat_map(Object::values)
            .for_each(|value| collect_strings(value, &mut all));
        all.join("\n")
    }

    fn for_policy(&self, tool: &str, arguments: &Object) -> Object {
        self.arguments_of(tool).opened(arguments)
    }

    fn check(&self, tool: &str, arguments: &Object) -> Result<(), Error> {
        self.arguments_of(tool).check_filters(arguments)
    }

    fn for_tool(&self, tool: &str, arguments: Object) -> Object {
        self.arguments_of(tool).spoken(arguments)
    }

    fn reduce(&self, arguments: &mut Object) -> Changed {
        reduce(arguments)
    }

    fn page_size(&self) -> Option<&str> {
        Some(PAGE_SIZE)
    }

    fn expects_json(&self) -> bool {
        true
    }

    /// Returns the number of matching records and of groups.
    fn summary(&self, output: &CallOutput, json: Option<&DataResult>) -> String {
        let mut parts = Vec::new();

        if let Some(data) = json {
            let matched = data.context().unique_ids_matched;
            parts.extend(matched.map(|matched| match matched {
                1 => "1 record matches".to_owned(),
                matched => format!("{matched} records match"),
            }));
            let groups: usize = data
                .aggregations()
                .iter()
                .map(|found| found.buckets.len())
                .sum();
            if groups > 0 {
                parts.push(if groups == 1 {
                    "1 group".to_owned()
                } else {
                    format!("{groups} groups")
                });
            }
        }

        parts.push(format!("{} bytes", output.bytes));
        parts.join(", ")
    }
}

fn collect_strings<'v>(value: &'v Value, all: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => all.push(text),
        Value::Array(values) => values.iter().for_each(|value| collect_strings(value, all)),
        Value::Object(values) => values
            .values()
            .for_each(|value| collect_strings(value, all)),
        _ => {}
    }
}
