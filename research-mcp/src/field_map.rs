//! Which fields of an unknown record are its id, title, address, snippet, date and text.

mod infer;
pub(crate) mod keys;
mod locate;
mod path;
pub(crate) mod payload;
mod reader;
pub(crate) mod schema;
mod table;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub(crate) use self::locate::holds_records;
pub(crate) use self::payload::payload;
pub use self::reader::DocumentReader;
use crate::pager::PagingArguments;
use crate::tool::{Object, Tool};

/// For each role the paths to look at, in order; the first that holds a non-empty string or number wins.
///
/// A path is a field name, or several joined by dots; `[]` after a name takes the first element of a list that has what is
/// looked for (`authors[].name`). Names are matched without regard to case, and failing that without regard to spaces, hyphens
/// and underscores. Every path is also tried under `_source`, where Elasticsearch keeps the record, and under `attributes`,
/// `payload`, `document`, `metadata` or `data` of a record that has only an id and the like beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FieldMap {
    /// Primary id.
    pub id: Vec<String>,
    /// Title.
    pub title: Vec<String>,
    /// Address.
    pub url: Vec<String>,
    /// Summary.
    pub snippet: Vec<String>,
    /// Date.
    pub date: Vec<String>,
    /// Full text.
    pub content: Vec<String>,
}

impl Default for FieldMap {
    /// The names in common use.
    fn default() -> Self {
        Self::empty()
            .id([
                "_id",
                "id",
                "doc_id",
                "document_id",
                "record_id",
                "primary_id",
                "unique_id",
                "uuid",
                "guid",
                "uid",
                "event_id",
                "item_id",
                "article_id",
                "arxiv_id",
                "pmid",
                "doi",
                "pageid",
                "page_id",
                "object_id",
                "key",
                "pk",
                "metadata.id",
            ])
            .title([
                "title",
                "name",
                "headline",
                "event_title",
                "display_name",
                "subject",
                "heading",
                "label",
                "event_name",
                "metadata.title",
            ])
            .url([
                "html_url",
                "url",
                "link",
                "href",
                "web_url",
                "source_url",
                "permalink",
                "uri",
                "event_url",
                "landing_page_url",
                "primary_location.landing_page_url",
                "absolute_url",
                "canonical_url",
                "links[].href",
                "link[].href",
                "link.href",
                "links.html",
                "links.self",
                "_links.self.href",
                "metadata.url",
            ])
            .snippet([
                "snippet",
                "summary",
                "abstract",
                "excerpt",
                "description",
                "highlight",
                "event_summary",
                "text",
                "body",
                "content",
                "page_content",
                "message",
            ])
            .date([
                "date",
                "published_at",
                "published",
                "publication_date",
                "event_date",
                "created_at",
                "timestamp",
                "@timestamp",
                "datetime",
                "time",
                "updated_at",
                "year",
            ])
            .content(["content", "text", "body", "full_text", "page_content", "document", "description", "abstract"])
    }
}

impl FieldMap {
    /// The names in common use, and after them the fields that an output schema gives away: by a format such as `uri` or
    /// `date-time`, or by how their names end.
    ///
    /// The schema is that of a tool's structured content. References within it and alternatives are followed. A schema that
    /// describes no list of records adds nothing.
    pub fn from_schema(schema: &Object) -> Self {
        schema::complete(Self::default(), schema)
    }

    /// A map without any path.
    pub fn empty() -> Self {
        Self {
            id: Vec::new(),
            title: Vec::new(),
            url: Vec::new(),
            snippet: Vec::new(),
            date: Vec::new(),
            content: Vec::new(),
        }
    }

    /// Sets the paths of the primary id.
    #[must_use]
    pub fn id<P: Into<String>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.id = paths.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the paths of the title.
    #[must_use]
    pub fn title<P: Into<String>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.title = paths.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the paths of the address.
    #[must_use]
    pub fn url<P: Into<String>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.url = paths.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the paths of the summary.
    #[must_use]
    pub fn snippet<P: Into<String>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.snippet = paths.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the paths of the date.
    #[must_use]
    pub fn date<P: Into<String>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.date = paths.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the paths of the full text.
    #[must_use]
    pub fn content<P: Into<String>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.content = paths.into_iter().map(Into::into).collect();
        self
    }
}

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
