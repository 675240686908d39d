//! Walks a tool that pages through an argument, page after page, until there is a reason to stop.
//!
//! The tool takes a cursor in an argument (`search_after` unless told otherwise) and returns the next one in its result. The
//! cursor is opaque: whatever JSON value the tool returns goes back as it is.

mod cursor;
mod options;

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

pub use self::options::PagerOptions;
use crate::document::Document;
use crate::envelope::{DataContext, data_context};
use crate::error::McpError;
use crate::field_map::{DocumentReader, payload};
use crate::source::ToolSource;
use crate::tool::Object;

/// One page of new documents.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Page {
    /// Position of the page in the walk, from 0.
    pub index: usize,
    /// Documents that no earlier page held, in the tool's order.
    pub documents: Vec<Document>,
    /// Records whose id an earlier record of the walk had.
    pub duplicates: usize,
    /// The result as the tool returned it, without its envelope.
    pub raw: Value,
}

/// Why a walk ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum PageEnd {
    /// The tool said that there is no more, or neither claimed more nor gave a cursor.
    NoMore,
    /// The tool claimed more but gave no cursor to go on with.
    MissingCursor,
    /// The tool claimed more, and then a page held no record.
    EmptyPage,
    /// The tool returned a cursor that it had returned before.
    RepeatedCursor,
    /// A page held only records that earlier pages held.
    OnlySeenDocuments,
    /// The limit on pages was reached.
    PageCap,
    /// The limit on documents was reached, and there are or may be more.
    DocumentCap,
    /// The limit on bytes was reached.
    ByteBudget,
    /// A call failed. The pages before it stand.
    Failed(McpError),
}

impl PageEnd {
    /// Whether the tool itself ended the walk, so that nothing was left out.
    pub fn is_complete(&self) -> bool {
        matches!(self, Self::NoMore)
    }

    /// Whether a limit of the caller ended the walk.
    pub fn is_capped(&self) -> bool {
        matches!(self, Self::PageCap | Self::DocumentCap | Self::ByteBudget)
    }

    /// Why, in words for a report.
    pub fn reason(&self) -> String {
        match self {
            Self::NoMore => "the tool has no more records".to_owned(),
            Self::MissingCursor => "the tool claimed more records but gave no cursor to them".to_owned(),
            Self::EmptyPage => "the tool returned an empty page".to_owned(),
            Self::RepeatedCursor => "the tool returned the same cursor again".to_owned(),
            Self::OnlySeenDocuments => "the tool returned only records that were already read".to_owned(),
            Self::PageCap => "the limit on pages was reached".to_owned(),
            Self::DocumentCap => "the limit on records was reached".to_owned(),
            Self::ByteBudget => "the limit on bytes was reached".to_owned(),
            Self::Failed(error) => error.to_string(),
        }
    }
}

/// A walk over the pages of one query of a tool.
///
/// ```
/// # use std::sync::Arc;
/// # use research_mcp::{McpError, Object, Pager, PagerOptions, ToolSource};
/// # async fn example(tools: Arc<dyn ToolSource>) {
/// let arguments = Object::from_iter([("filters".to_owned(), r#"{"country":"India"}"#.into())]);
/// let mut pager = Pager::new(tools, "analyze_events", arguments, PagerOptions::default().page_size(75));
/// while let Some(page) = pager.next_page().await {
///     println!("page {}: {} new documents", page.index, page.documents.len());
/// }
/// # }
/// ```
pub struct Pager {
    source: Arc<dyn ToolSource>,
    tool: String,
    arguments: Object,
    options: PagerOptions,
    reader: DocumentReader,
    cursors: HashSet<String>,
    context: Option<DataContext>,
    calls: usize,
    pages: usize,
    documents: usize,
    duplicates: usize,
    bytes: usize,
    end: Option<PageEnd>,
}

impl Pager {
    /// A walk that has made no call yet. `arguments` are sent with every call; a cursor in them is where the walk begins.
    pub fn new(source: Arc<dyn ToolSource>, tool: impl Into<String>, arguments: Object, options: PagerOptions) -> Self {
        let tool = tool.into();
        let cursors = arguments.get(&options.cursor_argument).map(Value::to_string).into_iter().collect();
        Self {
            reader: options.mapping.reader(&tool, &arguments),
            source,
            tool,
            arguments,
            options,
            cursors,
            context: None,
            calls: 0,
            pages: 0,
            documents: 0,
            duplicates: 0,
            bytes: 0,
            end: None,
        }
    }

    /// The next page, of the page size of the options. `None` when the walk has ended; [`end`](Self::end) says why.
    pub async fn next_page(&mut self) -> Option<Page> {
        self.next_page_of(self.options.page_size).await
    }

    /// The next page, asking for `size` documents. The request never asks for more than the tool's cap on the page size, nor
    /// for more than the limit on documents leaves.
    pub async fn next_page_of(&mut self, size: usize) -> Option<Page> {
        if self.end.is_some() {
            return None;
        }
        let left = self.options.max_documents.saturating_sub(self.documents);
        if left == 0 {
            return self.finish(PageEnd::DocumentCap);
        }
        if self.calls >= self.options.max_pages {
            return self.finish(PageEnd::PageCap);
        }
        let mut size = size.min(self.options.page_size_cap).min(left).max(1);
        loop {
            if let Some(name) = &self.options.size_argument {
                self.arguments.insert(name.clone(), size.into());
            }
            self.calls += 1;
            match self.fetch().await {
                Ok(result) => return self.take(&result, left),
                // Long records: the same place again with a smaller page, and smaller ones from here on.
                Err(McpError::TooLarge { .. })
                    if size > 1 && self.options.size_argument.is_some() && self.calls < self.options.max_pages =>
                {
                    size /= 2;
                    self.options.page_size_cap = size;
                }
                Err(error) => return self.finish(PageEnd::Failed(error)),
            }
        }
    }

    /// Why the walk ended; `None` while it goes on.
    pub fn end(&self) -> Option<&PageEnd> {
        self.end.as_ref()
    }

    /// The same, for a caller that is done with the walk. A walk that was not led to its end gives `None`.
    pub fn into_end(self) -> Option<PageEnd> {
        self.end
    }

    /// Calls made so far.
    pub fn calls(&self) -> usize {
        self.calls
    }

    /// Distinct documents handed out so far.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Records left out so far because their id was known.
    pub fn duplicates(&self) -> usize {
        self.duplicates
    }

    /// What the first result said about the data; `None` before it.
    pub fn context(&self) -> Option<&DataContext> {
        self.context.as_ref()
    }

    async fn fetch(&mut self) -> Result<Value, McpError> {
        let output = self.source.call_tool(&self.tool, self.arguments.clone()).await?;
        self.bytes = self.bytes.saturating_add(output.bytes);
        Ok(payload(&output.into_json()?).into_owned())
    }

    fn take(&mut self, result: &Value, left: usize) -> Option<Page> {
        self.context.get_or_insert_with(|| data_context(result));
        let mut extraction = self.reader.read(result);
        self.duplicates += extraction.duplicates;
        if extraction.documents.is_empty() {
            return self.finish(match cursor::next(result, &self.options) {
                cursor::Next::NoMore => PageEnd::NoMore,
                _ if extraction.records() == 0 => PageEnd::EmptyPage,
                cursor::Next::MissingCursor => PageEnd::MissingCursor,
                cursor::Next::Cursor(_) => PageEnd::OnlySeenDocuments,
            });
        }
        self.pages += 1;
        let cut = extraction.documents.len() > left;
        extraction.documents.truncate(left);
        self.documents += extraction.documents.len();
        self.end = if cut { Some(PageEnd::DocumentCap) } else { self.go_on(result) };
        Some(Page {
            index: self.pages - 1,
            documents: extraction.documents,
            duplicates: extraction.duplicates,
            raw: result.clone(),
        })
    }

    /// Prepares the next call, or says why there is none.
    fn go_on(&mut self, result: &Value) -> Option<PageEnd> {
        let next = match cursor::next(result, &self.options) {
            cursor::Next::NoMore => return Some(PageEnd::NoMore),
            cursor::Next::MissingCursor => return Some(PageEnd::MissingCursor),
            cursor::Next::Cursor(next) => next,
        };
        if !self.cursors.insert(next.to_string()) {
            return Some(PageEnd::RepeatedCursor);
        }
        self.arguments.insert(self.options.cursor_argument.clone(), next);
        if self.documents >= self.options.max_documents {
            return Some(PageEnd::DocumentCap);
        }
        (self.bytes >= self.options.max_bytes).then_some(PageEnd::ByteBudget)
    }

    fn finish(&mut self, end: PageEnd) -> Option<Page> {
        self.end = Some(end);
        None
    }
}

#[cfg(test)]
mod tests;
