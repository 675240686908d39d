//! Where a tool keeps cursor and page size, and how far to walk.

use serde::{Deserialize, Serialize};

use crate::field_map::FieldMapping;

/// What the cursor argument takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Paging {
    /// The cursor that the last result gave, unchanged.
    #[default]
    Cursor,
    /// The number of a page. It is one more than that of the last page, unless a result says which one comes next.
    Page {
        /// Number of the first page. A first result that names another one, 0 or 1, is believed.
        first: u64,
    },
    /// The number of records to leave out: those that were read.
    Offset,
    /// The tool does not page: there is one call.
    Single,
}

/// How a pager speaks to its tool, and its limits. Every walk is limited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PagerOptions {
    /// What the cursor argument takes. Default: a cursor.
    pub paging: Paging,
    /// Argument that takes the cursor; a JSON pointer when it stands inside another argument. Default `search_after`.
    pub cursor_argument: String,
    /// Argument that takes the page size, named likewise; `None` for a tool without one. Default `page_size`.
    pub size_argument: Option<String>,
    /// JSON pointer to the next cursor in a result; `None` looks at the places in common use.
    pub cursor_pointer: Option<String>,
    /// JSON pointer to the flag that says whether there is more; `None` looks at the places in common use.
    pub has_more_pointer: Option<String>,
    /// Documents to ask for in one call. Default 100.
    pub page_size: usize,
    /// The most documents that the tool gives in one call. Default 100.
    pub page_size_cap: usize,
    /// Limit on calls. Default 1,000.
    pub max_pages: usize,
    /// Limit on distinct documents; the last page is cut. Default 10,000.
    pub max_documents: usize,
    /// Limit on bytes of results, checked after each page. Default 64 MiB.
    pub max_bytes: usize,
    /// How records become documents.
    pub mapping: FieldMapping,
}

impl Default for PagerOptions {
    fn default() -> Self {
        Self {
            paging: Paging::Cursor,
            cursor_argument: "search_after".to_owned(),
            size_argument: Some("page_size".to_owned()),
            cursor_pointer: None,
            has_more_pointer: None,
            page_size: 100,
            page_size_cap: 100,
            max_pages: 1_000,
            max_documents: 10_000,
            max_bytes: 64 << 20,
            mapping: FieldMapping::default(),
        }
    }
}

impl PagerOptions {
    /// Sets what the cursor argument takes.
    #[must_use]
    pub fn paging(mut self, paging: Paging) -> Self {
        self.paging = paging;
        self
    }

    /// Sets the argument that takes the cursor.
    #[must_use]
    pub fn cursor_argument(mut self, name: impl Into<String>) -> Self {
        self.cursor_argument = name.into();
        self
    }

    /// Sets the argument that takes the page size, or that there is none.
    #[must_use]
    pub fn size_argument(mut self, name: Option<&str>) -> Self {
        self.size_argument = name.map(str::to_owned);
        self
    }

    /// Sets the JSON pointer to the next cursor.
    #[must_use]
    pub fn cursor_pointer(mut self, pointer: impl Into<String>) -> Self {
        self.cursor_pointer = Some(pointer.into());
        self
    }

    /// Sets the JSON pointer to the flag that says whether there is more.
    #[must_use]
    pub fn has_more_pointer(mut self, pointer: impl Into<String>) -> Self {
        self.has_more_pointer = Some(pointer.into());
        self
    }

    /// Sets how many documents to ask for in one call.
    #[must_use]
    pub fn page_size(mut self, size: usize) -> Self {
        self.page_size = size;
        self
    }

    /// Sets the most documents that the tool gives in one call.
    #[must_use]
    pub fn page_size_cap(mut self, size: usize) -> Self {
        self.page_size_cap = size;
        self
    }

    /// Sets the limit on calls.
    #[must_use]
    pub fn max_pages(mut self, pages: usize) -> Self {
        self.max_pages = pages;
        self
    }

    /// Sets the limit on distinct documents.
    #[must_use]
    pub fn max_documents(mut self, documents: usize) -> Self {
        self.max_documents = documents;
        self
    }

    /// Sets the limit on bytes of results.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets how records become documents.
    #[must_use]
    pub fn mapping(mut self, mapping: FieldMapping) -> Self {
        self.mapping = mapping;
        self
    }
}
