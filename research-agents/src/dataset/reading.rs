//! How a run reads a tool: what its schemas give away, and what the settings say instead.

use research_mcp::{FieldMapping, PagerOptions, Tool};

use super::config::DatasetConfig;
use super::tool_arguments::ToolArguments;

/// How one tool is asked, walked and read.
pub(crate) struct Reading {
    /// Its arguments.
    pub(crate) arguments: ToolArguments,
    /// How it pages.
    pub(crate) pages: PagerOptions,
}

impl Reading {
    /// What the schemas of the tool and the settings say; the defaults for a tool that was not listed.
    pub(crate) fn of(name: &str, tool: Option<&Tool>, config: &DatasetConfig) -> Self {
        let inferred = || tool.map(PagerOptions::for_tool).unwrap_or_default();
        let pages = match config.paging.get(name) {
            Some(own) => own.clone(),
            None => {
                let inferred = inferred();
                let cap = inferred.page_size_cap.min(config.page_size_cap);
                inferred.page_size_cap(cap)
            }
        };
        let mapping = match tool {
            Some(tool) => config.mapping.clone().with_schema_of(tool),
            None => config.mapping.clone(),
        };
        let most = pages.max_documents.min(config.max_docs);
        let arguments = match config.paging.get(name) {
            Some(own) => ToolArguments::of(tool).paging_by(own),
            None => ToolArguments::of(tool),
        };
        Self { arguments, pages: pages.max_documents(most).mapping(mapping) }
    }

    /// How its records become documents.
    pub(crate) fn mapping(&self) -> &FieldMapping {
        &self.pages.mapping
    }
}
