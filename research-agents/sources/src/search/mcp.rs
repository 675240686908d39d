//! An MCP server as a source: by the contract of `search` and `fetch`, or by tools that are named.

use async_trait::async_trait;
use research_agents_report::text::Untrusted;
use research_agents_runtime::job::Job;
use research_mcp::{CallOutput, Object};
use serde_json::{Value, json};

#[cfg(feature = "fetch")]
use crate::fetch::Fetcher;
use crate::read::{Format, ReadLimits, date_in, read};
use crate::search::error::{CallError, SourceError};
use crate::search::model::{Fetched, Hit, Query, SearchResults};
#[cfg(feature = "fetch")]
use crate::search::pages::Pages;
use crate::search::provider::{SearchProvider, SourceKind, hits_of};
use crate::search::recorded::RecordedSearch;

/// The tools of a server, and the arguments that take the query and the id.
///
/// The default is the contract that deep research connectors follow: `search(query)` returns
/// `{results: [{id, title, url}]}`, and `fetch(id)` returns `{id, title, text, url, metadata}`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct McpTools {
    /// Name of the tool that searches.
    pub search: String,
    /// Argument that takes the query.
    pub query: String,
    /// Name of the tool that fetches. It is not called if a fetcher reads the pages.
    pub fetch: String,
    /// Argument that takes the id or address.
    pub id: String,
}

impl Default for McpTools {
    fn default() -> Self {
        Self::new("search", "fetch")
    }
}

impl McpTools {
    /// Names the tools, whose arguments are `query` and `id`.
    pub fn new(search: impl Into<String>, fetch: impl Into<String>) -> Self {
        Self {
            search: search.into(),
            query: "query".to_owned(),
            fetch: fetch.into(),
            id: "id".to_owned(),
        }
    }

    /// Sets the argument that takes the query.
    #[must_use]
    pub fn query(mut self, argument: impl Into<String>) -> Self {
        self.query = argument.into();
        self
    }

    /// Sets the argument that takes the id or address of a document.
    #[must_use]
    pub fn id(mut self, argument: impl Into<String>) -> Self {
        self.id = argument.into();
        self
    }
}

/// Searches through the tools of a job. Every call passes the gate of the run's tools.
///
/// A document is what the tool that fetches returns, or the page of a hit, which a fetcher reads
/// under the policy of the run.
#[derive(Clone, Debug)]
pub struct McpSearch {
    name: String,
    tools: McpTools,
    reading: Reading,
    limits: ReadLimits,
}

/// How the documents of hits are read.
#[derive(Clone, Debug)]
enum Reading {
    /// The tool of the server returns them.
    Tool,
    #[cfg(feature = "fetch")]
    Pages(Pages),
    /// A fetcher read them in the run that is replayed.
    Recorded(RecordedSearch),
}

impl McpSearch {
    /// Creates a source of a server that follows the contract.
    pub fn new(name: impl Into<String>) -> Self {
        Self::with_tools(name, McpTools::default())
    }

    /// Creates a source of a server with other tools.
    pub fn with_tools(name: impl Into<String>, tools: McpTools) -> Self {
        Self {
            name: name.into(),
            tools,
            reading: Reading::Tool,
            limits: ReadLimits::default(),
        }
    }

    /// Reads the pages of hits with a fetcher, in place of the tool that fetches. The source is
    /// then one of the web.
    ///
    /// ```
    /// use research_agents_sources::fetch::Fetcher;
    /// use research_agents_sources::search::{McpSearch, McpTools, SearchProvider, SourceKind};
    ///
    /// let tools = McpTools::new("searxng_web_search", "web_url_read");
    /// let source = McpSearch::with_tools("web", tools).pages(Fetcher::builder().build()?);
    /// assert_eq!(source.kind(), SourceKind::Web);
    /// # Ok::<(), research_agents_sources::fetch::FetchError>(())
    /// ```
    #[cfg(feature = "fetch")]
    #[must_use]
    pub fn pages(mut self, fetcher: Fetcher) -> Self {
        self.reading = Reading::Pages(Pages::new(&self.name, fetcher));
        self
    }

    /// Creates the source that a run had under this name, for a replay: of the web if a fetcher
    /// read the pages.
    pub fn recorded(name: impl Into<String>, tools: McpTools, kind: SourceKind) -> Self {
        let mut source = Self::with_tools(name, tools);
        if kind == SourceKind::Web {
            source.reading = Reading::Recorded(RecordedSearch::new(&*source.name, kind));
        }
        source
    }

    /// Returns the tools.
    pub fn tools(&self) -> &McpTools {
        &self.tools
    }

    /// Checks that the server has the tools that are called.
    ///
    /// # Errors
    ///
    /// [`SourceError::NoTools`] with the tools that it has.
    pub async fn check(&self, job: &Job) -> Result<(), CallError> {
        let listing = job
            .list_tools()
            .await
            .map_err(research_agents_runtime::error::Error::from)?;
        let has = |name: &str| listing.get(name).is_some();
        let fetches = !matches!(self.reading, Reading::Tool) || has(&self.tools.fetch);
        if has(&self.tools.search) && fetches {
            return Ok(());
        }
        let tools = listing.tools.iter().map(|tool| tool.exposed_name.clone());
        Err(SourceError::NoTools {
            service: self.name.clone(),
            tools: tools.collect(),
        }
        .into())
    }

    async fn call(
        &self,
        job: &Job,
        tool: &str,
        key: &str,
        value: &str,
    ) -> Result<CallOutput, CallError> {
        let mut arguments = Object::new();
        arguments.insert(key.to_owned(), value.into());
        Ok(job.call_tool(tool, arguments).await?.output)
    }

    /// Reads the answer of the tool that searches: at most `limit` hits.
    ///
    /// # Errors
    ///
    /// [`SourceError`] when it reports an error or has no list of results.
    pub fn read_results(
        &self,
        answer: &CallOutput,
        limit: usize,
    ) -> Result<SearchResults, SourceError> {
        let answer = self.value(answer)?;
        let records = match &answer {
            Value::String(text) => Some(listed(text)),
            answer => records_of(answer).cloned(),
        };
        let records = records.ok_or_else(|| SourceError::NoResults {
            service: self.name.clone(),
            place: "results".to_owned(),
        })?;

        let hits: Vec<Hit> = records.iter().filter_map(hit_of).collect();
        Ok(SearchResults {
            unusable: records.len() - hits.len(),
            beyond: hits.len().saturating_sub(limit),
            hits: hits.into_iter().take(limit).collect(),
        })
    }

    /// Reads the answer of the tool that fetches, for a hit.
    ///
    /// # Errors
    ///
    /// [`SourceError`] when it reports an error or has no text.
    pub fn read_document(&self, answer: &CallOutput, hit: &Hit) -> Result<Fetched, SourceError> {
        let answer = self.value(answer)?;
        // A tool that answers in text, and not in fields, wrote the page in Markdown.
        let (text, format) = match &answer {
            Value::String(text) => (Some(text.as_str()), Format::Markdown),
            answer => {
                let text = text_of(answer, &["text", "content", "markdown", "body"]);
                (text, Format::Text)
            }
        };
        let text = text.filter(|text| !text.trim().is_empty());
        let text = text.ok_or_else(|| SourceError::NoDocument {
            service: self.name.clone(),
            id: hit.id.chars().take(120).collect(),
        })?;

        let mut document = read(text.as_bytes(), Some(format), &self.limits)?;
        if let Some(title) = text_of(&answer, &["title"]) {
            document.title = Untrusted::new(title.to_owned());
        }
        let metadata = answer.get("metadata");
        document.date = metadata
            .and_then(|metadata| text_of(metadata, &["date", "published"]))
            .and_then(date_in)
            .or_else(|| hit.date.clone());
        Ok(Fetched {
            id: hit.id.clone(),
            url: text_of(&answer, &["url"])
                .and_then(web_address)
                .or_else(|| hit.url.clone()),
            site: self.name.clone(),
            document,
        })
    }

    /// Returns the answer as JSON, or its text as a JSON string.
    fn value(&self, answer: &CallOutput) -> Result<Value, SourceError> {
        if answer.is_error {
            return Err(SourceError::Unreached {
                problem: answer.text.chars().take(300).collect(),
                is_transient: false,
            });
        }
        match answer.json() {
            Ok(json) => Ok(json),
            Err(_) if !answer.text.trim().is_empty() => Ok(Value::String(answer.text.clone())),
            Err(_) => Err(SourceError::NotJson {
                service: self.name.clone(),
                found: "an empty answer".to_owned(),
            }),
        }
    }
}

#[async_trait]
impl SearchProvider for McpSearch {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> SourceKind {
        match self.reading {
            Reading::Tool => SourceKind::Local,
            _ => SourceKind::Web,
        }
    }

    async fn search(&self, job: &Job, query: &Query) -> Result<SearchResults, CallError> {
        let McpTools {
            search, query: key, ..
        } = &self.tools;
        let answer = self.call(job, search, key, &query.text).await?;
        Ok(self.read_results(&answer, hits_of(query, self.kind()))?)
    }

    async fn fetch(&self, job: &Job, hit: &Hit) -> Result<Fetched, CallError> {
        match &self.reading {
            Reading::Tool => {
                let McpTools { fetch, id, .. } = &self.tools;
                let answer = self.call(job, fetch, id, &hit.id).await?;
                Ok(self.read_document(&answer, hit)?)
            }
            #[cfg(feature = "fetch")]
            Reading::Pages(pages) => pages.fetch(job, hit).await,
            Reading::Recorded(recorded) => recorded.fetch(job, hit).await,
        }
    }
}

/// Returns the list of results, wherever the server puts it.
fn records_of(answer: &Value) -> Option<&Vec<Value>> {
    answer.as_array().or_else(|| {
        let names = ["results", "documents", "items", "hits", "data"];
        names.iter().find_map(|name| answer.get(name)?.as_array())
    })
}

fn hit_of(record: &Value) -> Option<Hit> {
    let url = text_of(record, &["url", "link", "href"]).and_then(web_address);
    let id = record.get("id").and_then(|id| match id {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    });
    let id = id
        .filter(|id| !id.trim().is_empty())
        .or_else(|| url.clone())?;

    let metadata = record.get("metadata").unwrap_or(record);
    let number = |name: &str| usize::try_from(metadata.get(name)?.as_u64()?).ok();
    let headings = metadata.get("headings").and_then(Value::as_array);
    let headings = headings.into_iter().flatten().filter_map(Value::as_str);
    let text = |names: &[&str]| text_of(record, names).unwrap_or_default().to_owned();
    Some(Hit {
        id,
        title: Untrusted::new(text(&["title", "name"])),
        url,
        snippet: Untrusted::new(text(&[
            "text",
            "snippet",
            "content",
            "description",
            "summary",
        ])),
        date: text_of(record, &["date", "published", "publishedDate"]).and_then(date_in),
        headings: headings.map(str::to_owned).collect(),
        range: number("start")
            .zip(number("end"))
            .map(|(start, end)| start..end),
        score: record.get("score").and_then(Value::as_f64),
    })
}

/// Returns the results of an answer that is text, with lines such as `Title: …` and `URL: …`. Each
/// title begins a result.
fn listed(text: &str) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for line in text.lines() {
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        let name = name.trim().trim_matches('*').to_ascii_lowercase();
        let value = value.trim();
        let key = match name.as_str() {
            "title" => {
                found.push(json!({}));
                "title"
            }
            "url" | "link" => "url",
            "description" | "snippet" | "content" | "text" => "text",
            _ => continue,
        };

        if let Some(last) = found.last_mut() {
            last[key] = value.into();
        }
    }
    found
}

fn text_of<'v>(value: &'v Value, names: &[&str]) -> Option<&'v str> {
    names.iter().find_map(|name| value.get(name)?.as_str())
}

/// Returns an address of the web.
fn web_address(text: &str) -> Option<String> {
    let url = url::Url::parse(text.trim()).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.to_string())
}
