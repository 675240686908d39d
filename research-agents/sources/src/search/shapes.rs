//! What search services are asked and how they answer, as data.

/// How a service takes its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyPlace {
    /// It needs none.
    None,
    /// In a header, after these words.
    Header(&'static str, &'static str),
}

/// The shape of a search service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchShape {
    /// Name of the service.
    pub name: &'static str,
    /// Address of its API; empty if the user must give it.
    pub address: &'static str,
    /// Path of its search, after the address.
    pub path: &'static str,
    /// Whether the query is sent as JSON rather than in the address.
    pub is_post: bool,
    /// Parameter of the query.
    pub query: &'static str,
    /// Parameter of the number of results; empty if the service has no such parameter.
    pub count: &'static str,
    /// Further parameters.
    pub fixed: &'static [(&'static str, &'static str)],
    /// How it takes the key.
    pub key: KeyPlace,
    /// Environment variable that usually contains the key; empty if it needs none.
    pub variable: &'static str,
    /// JSON pointer to the list of results.
    pub results: &'static str,
    /// Fields of a result that may contain the title.
    pub title: &'static [&'static str],
    /// Fields of a result that may contain what is shown of the page.
    pub snippet: &'static [&'static str],
    /// Fields of a result that may contain the date.
    pub date: &'static [&'static str],
}

/// The services that are known.
pub const SHAPES: &[SearchShape] = &[
    SearchShape {
        name: "searxng",
        address: "",
        path: "/search",
        is_post: false,
        query: "q",
        count: "",
        fixed: &[("format", "json")],
        key: KeyPlace::None,
        variable: "",
        results: "/results",
        title: &["title"],
        snippet: &["content"],
        date: &["publishedDate"],
    },
    SearchShape {
        name: "brave",
        address: "https://api.search.brave.com",
        path: "/res/v1/web/search",
        is_post: false,
        query: "q",
        count: "count",
        fixed: &[("text_decorations", "false")],
        key: KeyPlace::Header("x-subscription-token", ""),
        variable: "BRAVE_API_KEY",
        results: "/web/results",
        title: &["title"],
        snippet: &["description"],
        date: &["page_age", "age"],
    },
    SearchShape {
        name: "tavily",
        address: "https://api.tavily.com",
        path: "/search",
        is_post: true,
        query: "query",
        count: "max_results",
        fixed: &[],
        key: KeyPlace::Header("authorization", "Bearer "),
        variable: "TAVILY_API_KEY",
        results: "/results",
        title: &["title"],
        snippet: &["content"],
        date: &["published_date"],
    },
    SearchShape {
        name: "exa",
        address: "https://api.exa.ai",
        path: "/search",
        is_post: true,
        query: "query",
        count: "numResults",
        fixed: &[],
        key: KeyPlace::Header("x-api-key", ""),
        variable: "EXA_API_KEY",
        results: "/results",
        title: &["title"],
        snippet: &["text", "summary", "snippet"],
        date: &["publishedDate"],
    },
];

impl SearchShape {
    /// Returns the shape of a service by its name.
    pub fn named(name: &str) -> Option<&'static Self> {
        SHAPES.iter().find(|shape| shape.name == name)
    }
}
