//! Which fields of an unknown record are its id, title, address, snippet, date and text.

mod infer;
mod locate;
mod path;
mod reader;

use std::collections::BTreeMap;

pub(crate) use self::locate::payload;
pub use self::reader::DocumentReader;
use crate::tool::Object;

/// For each role the paths to look at, in order; the first that holds a non-empty string or number wins.
///
/// A path is a field name, or several joined by dots; `[]` after a name takes the first element of a list that has what is
/// looked for (`authors[].name`). Names are matched without regard to case, and failing that without regard to spaces, hyphens
/// and underscores. Every path is also tried under `_source`, where Elasticsearch keeps the record.
#[derive(Clone, Debug, PartialEq, Eq)]
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
                "url",
                "link",
                "href",
                "web_url",
                "source_url",
                "permalink",
                "uri",
                "event_url",
                "links[].href",
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldMapping {
    by_tool: BTreeMap<String, FieldMap>,
}

impl FieldMapping {
    /// Gives a tool, by its exposed name, a map of its own. That map is used as it is; nothing is inferred for it.
    #[must_use]
    pub fn for_tool(mut self, tool: impl Into<String>, map: FieldMap) -> Self {
        self.by_tool.insert(tool.into(), map);
        self
    }

    /// A reader for the results of one query of a tool, over all its pages.
    pub fn reader(&self, tool: &str, arguments: &Object) -> DocumentReader {
        DocumentReader::new(self.by_tool.get(tool).cloned(), tool, arguments)
    }
}
