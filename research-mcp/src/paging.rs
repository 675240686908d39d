//! The arguments of a tool that belong to whoever walks its pages.

pub(crate) mod arguments;
pub(crate) mod roles;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::roles::{Argument, Roles, read};
use crate::tool::{Object, Tool};

/// The arguments by which a tool pages. Each is a name, or a JSON pointer where it stands inside another argument.
///
/// ```
/// use research_mcp::{PagingArguments, Tool};
/// use serde_json::json;
///
/// let schema = json!({"properties": {"state": {"type": "string"}, "offset": {"type": "integer"}, "limit": {"type": "integer"}}});
/// let paging = PagingArguments::of(&Tool::new("server", "search", schema.as_object().unwrap().clone()));
/// let mut arguments = json!({"state": "Ohio", "offset": 40, "limit": 20}).as_object().unwrap().clone();
/// paging.remove_places(&mut arguments);
/// assert_eq!(json!(arguments), json!({"state": "Ohio", "limit": 20}));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PagingArguments {
    /// They take a cursor.
    pub cursors: Vec<String>,
    /// They take the number of a page.
    pub pages: Vec<String>,
    /// They take a number of records to leave out.
    pub offsets: Vec<String>,
    /// They take the number of records in one page.
    pub sizes: Vec<String>,
}

impl Default for PagingArguments {
    /// Those of a tool that says nothing of its arguments: the ones in the most common use.
    fn default() -> Self {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            cursors: names(&["search_after"]),
            pages: Vec::new(),
            offsets: names(&["offset"]),
            sizes: names(&["page_size", "size"]),
        }
    }
}

impl PagingArguments {
    /// Those of a tool, as far as its input schema says.
    #[must_use]
    pub fn of(tool: &Tool) -> Self {
        paging_arguments(tool)
    }

    /// Takes away what says where a page begins: cursors, numbers of pages, offsets.
    pub fn remove_places(&self, arguments: &mut Object) {
        for name in self.cursors.iter().chain(&self.pages).chain(&self.offsets) {
            arguments::remove(arguments, name);
        }
    }

    /// Takes away what says how long a page is.
    pub fn remove_sizes(&self, arguments: &mut Object) {
        for name in &self.sizes {
            arguments::remove(arguments, name);
        }
    }

    /// The arguments under the names in the most common use, for what compares queries.
    pub(crate) fn in_common_names(&self, given: &Object) -> Object {
        let mut named = given.clone();
        let roles = [
            (&self.cursors, "search_after"),
            (&self.pages, "page"),
            (&self.offsets, "offset"),
            (&self.sizes, "page_size"),
        ];
        for (names, common) in roles {
            let values: Vec<_> = names.iter().filter_map(|name| arguments::remove(&mut named, name)).collect();
            if let Some(value) = values.into_iter().find(|value| !value.is_null()) {
                named.insert(common.to_owned(), value);
            }
        }
        named
    }
}

/// All arguments by which this tool pages; a schema without any property leaves those of the default options.
fn paging_arguments(tool: &Tool) -> PagingArguments {
    let root = Value::Object(tool.input_schema.clone());
    let arguments = read(&root);
    if arguments.is_empty() {
        return PagingArguments::default();
    }
    let roles = Roles::of(&arguments);
    let names = |of: Vec<&Argument<'_>>| of.into_iter().map(|one| one.name.clone()).collect();
    PagingArguments {
        cursors: names(roles.cursors),
        pages: names(roles.pages),
        offsets: names(roles.offsets),
        sizes: names(roles.sizes),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_argument_that_pages_is_known_and_what_only_sounds_like_one_is_not() {
        let number = json!({"type": "integer"});
        let schema = json!({"properties": {
            "search_after": {}, "offset": number, "page": number, "limit": number, "from": number,
            "size": {"type": "string", "enum": ["Small", "Large"]}, "after": {"type": "string", "format": "date"}, "state": {},
            "options": {"properties": {"cursor": {"type": "string"}}}
        }});
        let found = paging_arguments(&Tool::new("s", "t", schema.as_object().unwrap().clone()));
        assert_eq!(found.cursors, ["search_after", "/options/cursor"]);
        assert_eq!((found.pages, found.sizes), (vec!["page".to_owned()], vec!["limit".to_owned()]));
        assert_eq!(found.offsets, ["offset", "from"]);
    }
}
