//! A walk through the pages of a tool.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde_json::Value;

use super::coverage::Coverage;
use super::options::{PagerOptions, Paging};
use super::{answer, cursor};
use crate::document::{Document, Skipped};
use crate::envelope::{DataContext, DataResult};
use crate::error::McpError;
use crate::field_map::DocumentReader;
use crate::paging::arguments;
use crate::payload::keys;
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
    /// The tool said that there is no more, or neither claimed more nor gave a cursor, or had no record on a later page.
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
    /// A call failed, or its result is none: an error in place of records, or nothing that could hold them. The pages before it
    /// stand.
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
    /// Number of the page that is asked for, or records before it, where the walk counts.
    at: u64,
    /// Documents that the last call asked for.
    size: Option<usize>,
    /// The walk began at the begin of the result.
    from_start: bool,
    /// What the last page held, when its records have no ids.
    content: Option<u64>,
    skipped: Skipped,
    /// Records came as samples of groups.
    samples: bool,
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
        let given = arguments::get(&arguments, &options.cursor_argument).filter(|cursor| !cursor.is_null());
        let first = if let Paging::Page { first } = options.paging { first } else { 0 };
        let at = given.and_then(number);
        Self {
            at: at.unwrap_or(first),
            from_start: given.is_none() || (options.paging == Paging::Offset && at == Some(0)),
            cursors: given.map(Value::to_string).into_iter().collect(),
            size: None,
            content: None,
            skipped: Skipped::default(),
            samples: false,
            reader: options.mapping.reader(&tool, &arguments),
            source,
            tool,
            arguments,
            options,
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
    /// for more than the limit on documents leaves. Where pages are numbered, all are as long as the first.
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
        // A numbered page begins elsewhere when pages have another length.
        let fixed = matches!(self.options.paging, Paging::Page { .. }) && (self.pages > 0 || !self.from_start);
        if fixed {
            size = self.size.unwrap_or(size);
        }
        loop {
            self.size = Some(size);
            if let Some(name) = &self.options.size_argument {
                arguments::set(&mut self.arguments, name, size.into());
            }
            self.calls += 1;
            match self.fetch().await {
                Ok((result, server)) => return self.take(&result, server, left),
                // Long records: the same place again with a smaller page, and smaller ones from here on.
                Err(McpError::TooLarge { .. })
                    if size > 1
                        && !fixed
                        && self.options.size_argument.is_some()
                        && self.calls < self.options.max_pages =>
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

    /// How much of what the query matches was read so far.
    pub fn coverage(&self) -> Coverage {
        let matched = self.context.as_ref().and_then(|context| context.unique_ids_matched);
        let come = (self.documents + self.skipped.total()) as u64;
        Coverage {
            matched,
            read: self.documents as u64,
            duplicates: self.duplicates as u64,
            skipped: self.skipped,
            complete: self.end.as_ref().is_some_and(PageEnd::is_complete)
                && self.from_start
                // Samples of groups are not all records, unless as many came as match.
                && matched.map_or(!self.samples, |matched| come >= matched),
        }
    }

    /// The next result, and the name of the server that gave it.
    async fn fetch(&mut self) -> Result<(DataResult, String), McpError> {
        let output = self.source.call_for_data(&self.tool, self.arguments.clone()).await?;
        self.bytes = self.bytes.saturating_add(output.bytes);
        Ok((output.data?, output.server))
    }

    fn take(&mut self, result: &DataResult, server: String, left: usize) -> Option<Page> {
        let mut extraction = self.reader.read_data(result);
        if extraction.records() == 0
            && let Some(message) = answer::problem(result, &self.options)
        {
            let tool = self.tool.clone();
            return self.finish(PageEnd::Failed(McpError::Tool { server, tool, message }));
        }
        self.context.get_or_insert_with(|| result.context().clone());
        self.skipped.add(extraction.skipped);
        self.samples |= extraction.samples;
        let next = self.next(result.payload(), extraction.records());
        if self.is_repeated(&extraction.documents) {
            extraction.duplicates += std::mem::take(&mut extraction.documents).len();
        }
        self.duplicates += extraction.duplicates;
        if extraction.documents.is_empty() {
            return self.finish(match next {
                cursor::Next::NoMore | cursor::Next::Silent => PageEnd::NoMore,
                _ if extraction.records() == 0 => PageEnd::EmptyPage,
                cursor::Next::MissingCursor => PageEnd::MissingCursor,
                cursor::Next::Cursor(_) => PageEnd::OnlySeenDocuments,
            });
        }
        self.pages += 1;
        let cut = extraction.documents.len() > left;
        extraction.documents.truncate(left);
        self.documents += extraction.documents.len();
        self.end = if cut { Some(PageEnd::DocumentCap) } else { self.go_on(next) };
        Some(Page {
            index: self.pages - 1,
            documents: extraction.documents,
            duplicates: extraction.duplicates,
            raw: result.payload().clone(),
        })
    }

    /// What comes next; where the tool leaves the counting to its caller, the number is formed here.
    fn next(&mut self, result: &Value, records: usize) -> cursor::Next {
        let next = cursor::next(result, &self.options);
        let numbered = match self.options.paging {
            Paging::Cursor => {
                let more = cursor::more(result, &self.options) == Some(true);
                // Solr and others give the cursor of the last page back as it came when there is nothing after it.
                let same = matches!(&next, cursor::Next::Cursor(next) if self.cursors.contains(&next.to_string()));
                return if records == 0 && same && !more { cursor::Next::NoMore } else { next };
            }
            Paging::Single if next == cursor::Next::NoMore || next == cursor::Next::Silent => return next,
            Paging::Single => return cursor::Next::MissingCursor,
            Paging::Page { .. } => {
                if self.from_start && self.pages == 0 {
                    let named = keys::find(result, &["page", "currentpage", "pagenumber"], number);
                    self.at = named.filter(|page| *page <= 1).unwrap_or(self.at);
                }
                self.at.saturating_add(1)
            }
            Paging::Offset => self.at.saturating_add(records as u64),
        };
        match next {
            cursor::Next::Cursor(given) if records > 0 => {
                self.at = number(&given).unwrap_or(numbered);
                cursor::Next::Cursor(given)
            }
            cursor::Next::Silent if records == 0 || self.has_all() => cursor::Next::NoMore,
            cursor::Next::Silent | cursor::Next::MissingCursor if records > 0 => {
                self.at = numbered;
                cursor::Next::Cursor(numbered.into())
            }
            other => other,
        }
    }

    /// Whether as many distinct records were read as match.
    fn has_all(&self) -> bool {
        let total = self.context.as_ref().and_then(|context| context.unique_ids_matched);
        self.from_start && total.is_some_and(|total| self.reader.seen() as u64 >= total)
    }

    /// Whether records without ids are those of the page before, as a tool sends them that ignores the argument for the page.
    ///
    /// A page of equal rows is not judged: real data holds rows that are equal and yet several records.
    fn is_repeated(&mut self, documents: &[Document]) -> bool {
        let hashes = documents.iter().map(|document| {
            let mut hasher = DefaultHasher::new();
            Value::Object(document.fields.clone()).to_string().hash(&mut hasher);
            hasher.finish()
        });
        let hashes: Vec<u64> = hashes.collect();
        let varied = hashes.iter().any(|hash| *hash != hashes[0]);
        let content = (varied && documents.iter().all(|document| document.anonymous)).then(|| {
            let mut hasher = DefaultHasher::new();
            hashes.hash(&mut hasher);
            hasher.finish()
        });
        let repeated = content.is_some() && content == self.content;
        self.content = content;
        repeated
    }

    /// Prepares the next call, or says why there is none.
    fn go_on(&mut self, next: cursor::Next) -> Option<PageEnd> {
        let next = match next {
            cursor::Next::NoMore | cursor::Next::Silent => return Some(PageEnd::NoMore),
            cursor::Next::MissingCursor => return Some(PageEnd::MissingCursor),
            cursor::Next::Cursor(next) => next,
        };
        if !self.cursors.insert(next.to_string()) {
            return Some(PageEnd::RepeatedCursor);
        }
        arguments::set(&mut self.arguments, &self.options.cursor_argument, next);
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

/// A whole number, also one that is written as a text.
fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}
