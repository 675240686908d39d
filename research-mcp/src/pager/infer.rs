//! Reads from a tool's input schema how it pages.

use serde_json::Value;

use super::options::{PagerOptions, Paging};
use crate::paging::roles::{Roles, read};
use crate::tool::Tool;

impl PagerOptions {
    /// Options for a tool, as far as its schemas tell: how it pages, the arguments for cursor and page size, the largest page, and
    /// which fields are what. A tool whose input schema names no such argument is called once.
    #[must_use]
    pub fn for_tool(tool: &Tool) -> Self {
        options(tool)
    }
}

/// How this tool pages, as far as its input schema says; a schema without any property leaves the defaults.
fn options(tool: &Tool) -> PagerOptions {
    let root = Value::Object(tool.input_schema.clone());
    let mut options = PagerOptions::default();
    options.mapping = options.mapping.with_schema_of(tool);
    let arguments = read(&root);
    if arguments.is_empty() {
        return options;
    }
    let roles = Roles::of(&arguments);
    let size = roles.sizes.first();
    options.size_argument = size.map(|size| size.name.clone());
    if let Some(most) = size.and_then(|size| size.number("maximum")).and_then(|most| usize::try_from(most).ok()) {
        options.page_size_cap = most.max(1);
        options.page_size = options.page_size.min(options.page_size_cap);
    }
    let (argument, paging) = if let Some(cursor) = roles.cursors.first() {
        (cursor, Paging::Cursor)
    } else if let Some(page) = roles.pages.first() {
        // A tool that counts from 0 says so by the default or the least value.
        (page, Paging::Page { first: page.number("default").or_else(|| page.number("minimum")).unwrap_or(1) })
    } else if let Some(offset) = roles.offsets.first() {
        (offset, Paging::Offset)
    } else {
        return options.paging(Paging::Single);
    };
    options.cursor_argument = argument.name.clone();
    options.paging(paging)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn inferred(properties: Value) -> (Paging, String, Option<String>, usize) {
        let schema = json!({"type": "object", "properties": properties});
        let options = PagerOptions::for_tool(&Tool::new("s", "t", schema.as_object().unwrap().clone()));
        (options.paging, options.cursor_argument, options.size_argument, options.page_size_cap)
    }

    fn case(paging: Paging, cursor: &str, size: Option<&str>, cap: usize) -> (Paging, String, Option<String>, usize) {
        (paging, cursor.to_owned(), size.map(str::to_owned), cap)
    }

    #[test]
    fn arguments_are_known_by_name_type_and_description() {
        let number = json!({"anyOf": [{"type": "integer", "maximum": 50}, {"type": "null"}]});
        assert_eq!(
            inferred(
                json!({"size": {"type": "integer"}, "offset": {"type": "integer"}, "search_after": {}, "page_size": number})
            ),
            case(Paging::Cursor, "search_after", Some("page_size"), 50)
        );
        assert_eq!(
            inferred(json!({"q": {}, "page": {"type": "integer", "default": 1}, "perPage": {"type": "integer"}})),
            case(Paging::Page { first: 1 }, "page", Some("perPage"), 100)
        );
        assert_eq!(
            inferred(json!({"page": {"type": "integer", "minimum": 0}})),
            case(Paging::Page { first: 0 }, "page", None, 100)
        );
        assert_eq!(
            inferred(json!({"start": {"type": "integer"}, "rows": {"type": "integer"}})),
            case(Paging::Offset, "start", Some("rows"), 100)
        );
        assert_eq!(
            inferred(
                json!({"after": {"type": "string", "description": "Cursor of the next page"}, "first": {"type": "integer"}})
            ),
            case(Paging::Cursor, "after", Some("first"), 100)
        );
        let dates = inferred(
            json!({"after": {"type": "string", "format": "date"}, "from": {"type": "integer"}, "page": {"type": "string"}}),
        );
        assert_eq!(dates, case(Paging::Single, "search_after", None, 100));
    }

    #[test]
    fn arguments_inside_an_argument_are_reached_by_a_pointer() {
        let inner =
            json!({"type": "object", "properties": {"limit": {"type": "integer"}, "cursor": {"type": "string"}}});
        assert_eq!(
            inferred(json!({ "params": inner })),
            case(Paging::Cursor, "/params/cursor", Some("/params/limit"), 100)
        );
    }

    #[test]
    fn a_schema_that_says_nothing_leaves_the_defaults() {
        assert_eq!(PagerOptions::for_tool(&Tool::new("s", "t", serde_json::Map::new())), PagerOptions::default());
    }
}
