//! The parts that the arguments of a tool play in paging, read from its input schema.

use serde_json::Value;

use crate::payload::keys::plain;
use crate::payload::schema::{alternatives, properties};

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
pub(crate) struct Argument<'a> {
    /// Name at the top level, else a JSON pointer.
    pub(crate) name: String,
    plain: String,
    /// The schema and its alternatives.
    schemas: Vec<&'a Value>,
}

impl Argument<'_> {
    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        self.schemas.iter().find_map(|schema| schema.get(key)?.as_u64())
    }

    fn speaks_of_paging(&self) -> bool {
        let words = self.schemas.iter().filter_map(|schema| schema.get("description")?.as_str()).map(str::to_lowercase);
        words
            .into_iter()
            .any(|text| ["cursor", "pagina", "next page", "previous page"].iter().any(|word| text.contains(word)))
    }
}

pub(crate) fn is_number(argument: &Argument<'_>) -> bool {
    argument.schemas.iter().any(|schema| match schema.get("type") {
        Some(Value::String(name)) => matches!(name.as_str(), "integer" | "number"),
        Some(Value::Array(names)) => names.iter().any(|name| name == "integer" || name == "number"),
        _ => false,
    })
}

/// The arguments by which a tool may page, each kind in the order of preference.
pub(crate) struct Roles<'a> {
    pub(crate) cursors: Vec<&'a Argument<'a>>,
    pub(crate) pages: Vec<&'a Argument<'a>>,
    pub(crate) offsets: Vec<&'a Argument<'a>>,
    pub(crate) sizes: Vec<&'a Argument<'a>>,
}

impl<'a> Roles<'a> {
    pub(crate) fn of(arguments: &'a [Argument<'a>]) -> Self {
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

/// The arguments, and those inside arguments that are objects.
pub(crate) fn read(root: &Value) -> Vec<Argument<'_>> {
    let argument =
        |name: String, key: &str, schema| Argument { name, plain: plain(key), schemas: alternatives(root, schema) };
    let outer = properties(root, root);
    let inner = outer.iter().flat_map(|(name, schema)| {
        properties(root, schema).into_iter().map(move |(key, schema)| (format!("/{name}/{key}"), key, schema))
    });
    let outer = outer.iter().map(|(name, schema)| ((*name).clone(), *name, *schema));
    outer.chain(inner).map(|(name, key, schema)| argument(name, key, schema)).collect()
}
