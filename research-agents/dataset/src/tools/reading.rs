//! The reading of a tool: what its schemas reveal, and what the settings say instead.

use research_mcp::{FieldMapping, PagerOptions, Tool};

use crate::data::config::DatasetConfig;
use crate::tools::dialect::ToolArguments;

/// The arguments, paging and mapping of one tool.
pub(crate) struct Reading {
    /// Its arguments.
    pub(crate) arguments: ToolArguments,
    /// Its paging.
    pub(crate) pages: PagerOptions,
}

impl Reading {
    /// Reads the schemas of the tool and the settings; the defaults for a tool that was not listed.
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

        Self {
            arguments,
            pages: pages.max_documents(most).mapping(mapping),
        }
    }

    /// Returns how its records become documents.
    pub(crate) fn mapping(&self) -> &FieldMapping {
        &self.pages.mapping
    }
}
