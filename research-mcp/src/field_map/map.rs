//! Which fields of a record are its id, title, address, snippet, date and text.

use serde::{Deserialize, Serialize};

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
