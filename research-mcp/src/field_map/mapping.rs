//! Field maps by tool, and the readers that use them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::map::FieldMap;
use super::reader::DocumentReader;
use crate::paging::PagingArguments;
use crate::tool::{Object, Tool};

/// The field map of each tool. A tool without one of its own gets the common names, completed from its first page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldMapping {
    by_tool: BTreeMap<String, FieldMap>,
    by_schema: BTreeMap<String, FieldMap>,
    paging: BTreeMap<String, PagingArguments>,
}

impl FieldMapping {
    /// Gives a tool, by its exposed name, a map of its own. That map is used as it is; nothing is inferred for it.
    #[must_use]
    pub fn for_tool(mut self, tool: impl Into<String>, map: FieldMap) -> Self {
        self.by_tool.insert(tool.into(), map);
        self
    }

    /// Takes what the tool's output schema says about its records, see [`FieldMap::from_schema`], and what its input schema says
    /// about the arguments that page. A map that [`for_tool`](Self::for_tool) gave stands; what the schema leaves open is
    /// completed from the first page.
    #[must_use]
    pub fn with_schema_of(mut self, tool: &Tool) -> Self {
        if tool.input_schema.contains_key("properties") {
            self.paging.insert(tool.exposed_name.clone(), PagingArguments::of(tool));
        }
        if let Some(schema) = &tool.output_schema {
            self.by_schema.insert(tool.exposed_name.clone(), FieldMap::from_schema(schema));
        }
        self
    }

    /// A reader for the results of one query of a tool, over all its pages.
    ///
    /// `arguments` are those of the first call. An offset or a cursor among them says where in the result it begins, so that
    /// records without an id that come with later calls by hand do not take the ids of earlier ones.
    pub fn reader(&self, tool: &str, arguments: &Object) -> DocumentReader {
        let named = self.paging.get(tool).map(|paging| paging.in_common_names(arguments));
        let arguments = named.as_ref().unwrap_or(arguments);
        match self.by_tool.get(tool) {
            Some(map) => DocumentReader::new(map.clone(), false, tool, arguments),
            None => DocumentReader::new(self.by_schema.get(tool).cloned().unwrap_or_default(), true, tool, arguments),
        }
    }
}
