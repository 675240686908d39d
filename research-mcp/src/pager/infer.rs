//! Reads from a tool's input schema how it pages.

use serde_json::Value;

use super::{PagerOptions, Paging, PagingArguments};
use crate::field_map::keys::plain;
use crate::field_map::schema::{alternatives, properties};
use crate::tool::Tool;

/// Arguments that take a cursor, in the order of preference and as [`plain`] writes them.
const CURSORS: &[&str] = &[
    "searchafter",
    "cursor",
    "nextcursor",
    "pagetoken",
    "nextpagetoken",
    "nexttoken",
    "continuationtoken",
    "cursormark",
    "endcursor",
    "scrollid",
    "startingafter",
];
/// Arguments that take a cursor in one tool and a date or a text in the next; their description decides.
const MAYBE_CURSORS: &[&str] = &["after", "continuation", "marker", "next", "token"];
/// Arguments that take a number of records to leave out.
const OFFSETS: &[&str] = &["offset", "skip", "startindex"];
/// The same, but only beside a page size: alone they may be years or prices.
const MAYBE_OFFSETS: &[&str] = &["start", "from"];
/// Arguments that take the number of a page.
const PAGES: &[&str] = &["page", "pagenumber", "pageno", "pageindex"];
/// Arguments that take the number of records in one answer.
const SIZES: &[&str] = &[
    "pagesize",
    "perpage",
    "pagelimit",
    "limit",
    "maxresults",
    "numresults",
    "hitsperpage",
    "size",
    "rows",
    "first",
    "count",
];

/// One argument of the tool.
struct Argument<'a> {
    /// Name at the top level, else a JSON pointer.
    name: String,
    plain: String,
    /// The schema and its alternatives.
    schemas: Vec<&'a Value>,
}

impl Argument<'_> {
    fn number(&self, key: &str) -> Option<u64> {
        self.schemas.iter().find_map(|schema| schema.get(key)?.as_u64())
    }

    fn speaks_of_paging(&self) -> bool {
        let words = self.schemas.iter().filter_map(|schema| schema.get("description")?.as_str()).map(str::to_lowercase);
        words
            .into_iter()
            .any(|text| ["cursor", "pagina", "next page", "previous page"].iter().any(|word| text.contains(word)))
    }
}

fn is_number(argument: &Argument<'_>) -> bool {
    argument.schemas.iter().any(|schema| match schema.get("type") {
        Some(Value::String(name)) => matches!(name.as_str(), "integer" | "number"),
        Some(Value::Array(names)) => names.iter().any(|name| name == "integer" || name == "number"),
        _ => false,
    })
}

/// The arguments by which a tool may page, each kind in the order of preference.
struct Roles<'a> {
    cursors: Vec<&'a Argument<'a>>,
    pages: Vec<&'a Argument<'a>>,
    offsets: Vec<&'a Argument<'a>>,
    sizes: Vec<&'a Argument<'a>>,
}

impl<'a> Roles<'a> {
    fn of(arguments: &'a [Argument<'a>]) -> Self {
        let named = |names: &[&str], fits: &dyn Fn(&Argument<'_>) -> bool| -> Vec<&'a Argument<'a>> {
            let of = |name| arguments.iter().filter(move |one| one.plain == name);
            names.iter().flat_map(|name| of(*name)).filter(|one| fits(one)).collect()
        };
        let sizes = named(SIZES, &is_number);
        let has_first = arguments.iter().any(|one| one.plain == "first");
        let mut cursors = named(CURSORS, &|_| true);
        cursors.extend(named(MAYBE_CURSORS, &|one| one.speaks_of_paging() || (one.plain == "after" && has_first)));
        let mut offsets = named(OFFSETS, &is_number);
        if !sizes.is_empty() {
            offsets.extend(named(MAYBE_OFFSETS, &is_number));
        }
        Self { cursors, pages: named(PAGES, &is_number), offsets, sizes }
    }
}

/// All arguments by which this tool pages; a schema without any property leaves those of the default options.
pub(super) fn paging_arguments(tool: &Tool) -> PagingArguments {
    let root = Value::Object(tool.input_schema.clone());
    let arguments = arguments(&root);
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

/// How this tool pages, as far as its input schema says; a schema without any property leaves the defaults.
pub(super) fn options(tool: &Tool) -> PagerOptions {
    let root = Value::Object(tool.input_schema.clone());
    let mut options = PagerOptions::default();
    options.mapping = options.mapping.with_schema_of(tool);
    let arguments = arguments(&root);
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

/// The arguments, and those inside arguments that are objects.
fn arguments(root: &Value) -> Vec<Argument<'_>> {
    let argument =
        |name: String, key: &str, schema| Argument { name, plain: plain(key), schemas: alternatives(root, schema) };
    let outer = properties(root, root);
    let inner = outer.iter().flat_map(|(name, schema)| {
        properties(root, schema).into_iter().map(move |(key, schema)| (format!("/{name}/{key}"), key, schema))
    });
    let outer = outer.iter().map(|(name, schema)| ((*name).clone(), *name, *schema));
    outer.chain(inner).map(|(name, key, schema)| argument(name, key, schema)).collect()
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

    #[test]
    fn a_schema_that_says_nothing_leaves_the_defaults() {
        assert_eq!(PagerOptions::for_tool(&Tool::new("s", "t", serde_json::Map::new())), PagerOptions::default());
    }
}
