//! The sources of a system: folders, search services and MCP servers, as its host adds them and as
//! its bundles know them.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use research_agents_report::passage::{Document, OriginKind};
use research_agents_runtime::limits::Policy;
use research_agents_runtime::limits::policy::Egress;
use research_agents_sources::corpus::Corpus;
pub use research_agents_sources::search::McpSearch;
use research_agents_sources::search::{
    FolderSearch, McpTools, RecordedSearch, SearchProvider, SourceKind,
};
use serde::{Deserialize, Serialize};

use crate::credibility::Credibility;
use crate::searcher::Searcher;

/// A folder that several systems can search.
pub type SharedCorpus = Arc<Corpus>;
/// A source that several systems can search.
pub type SharedSource = Arc<dyn SearchProvider>;

/// The role of sub-agents, which the policy judges their searches and fetches by.
pub const SEARCHER: &str = "searcher";

/// Maximum number of files that cannot be read and are named each.
const MOST_NAMED: usize = 50;

/// A source as bundles know it, so that a replay can ask the recording in its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceInfo {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: SourceKind,
    /// The tools of an MCP server: to search and to fetch, each with its argument.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<[String; 4]>,
}

impl SourceInfo {
    /// Returns the MCP server as a replay knows it; `None` for another source.
    pub(crate) fn mcp(&self) -> Option<McpSearch> {
        let [search, query, fetch, id] = self.tools.as_ref()?;
        let tools = McpTools::new(search, fetch).query(query).id(id);
        Some(McpSearch::recorded(&*self.name, tools, self.kind))
    }
}

/// Why sources cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceSetError {
    /// No source was added.
    #[error("there is no source; add a folder, a search service or an MCP server")]
    NoSource,
    /// Two sources have one name.
    #[error("two sources are named `{0}`; give one another name")]
    SameName(String),
}

/// Sources that are being added.
///
/// ```
/// use std::sync::Arc;
///
/// use research_agents_fieldwork::source_set::SourceSet;
/// use research_agents_sources::corpus::{Corpus, CorpusOptions, CorpusSpec};
///
/// # let folder = tempfile::tempdir()?;
/// # std::fs::write(folder.path().join("a.md"), "The pump is worn.")?;
/// let spec = CorpusSpec::new("manual", folder.path())?;
/// let mut sources = SourceSet::default();
/// assert!(sources.infos().is_err());
/// sources.add_corpus(Arc::new(Corpus::open(&spec, &CorpusOptions::default())?));
/// assert_eq!(sources.infos()?[0].name, "manual");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct SourceSet {
    providers: Vec<Arc<dyn SearchProvider>>,
    infos: Vec<SourceInfo>,
    not_read: Vec<String>,
}

impl SourceSet {
    /// Adds a folder. Files that could not be read are kept with the reason.
    pub fn add_corpus(&mut self, corpus: Arc<Corpus>) {
        let skipped = &corpus.report().not_read;
        let name = corpus.name().to_owned();
        let lines = skipped.iter().take(MOST_NAMED);
        let lines = lines.map(|file| format!("{name}: {}: {}", file.path, file.reason));
        self.not_read.extend(lines);

        let more = skipped.len().saturating_sub(MOST_NAMED);
        if more > 0 {
            self.not_read.push(format!("{name}: {more} more files"));
        }
        self.add(Arc::new(FolderSearch::new(corpus)));
    }

    /// Adds a source, such as a search service.
    pub fn add(&mut self, source: Arc<dyn SearchProvider>) {
        self.infos.push(SourceInfo {
            name: source.name().to_owned(),
            kind: source.kind(),
            tools: None,
        });
        self.providers.push(source);
    }

    /// Adds an MCP server.
    pub fn add_mcp(&mut self, source: McpSearch) {
        let tools = source.tools().clone();
        self.infos.push(SourceInfo {
            name: source.name().to_owned(),
            kind: source.kind(),
            tools: Some([tools.search, tools.query, tools.fetch, tools.id]),
        });
        self.providers.push(Arc::new(source));
    }

    /// Returns the sources as bundles know them.
    ///
    /// # Errors
    ///
    /// [`SourceSetError`] without a source, and when two have one name.
    pub fn infos(&self) -> Result<Vec<SourceInfo>, SourceSetError> {
        if self.infos.is_empty() {
            return Err(SourceSetError::NoSource);
        }
        let mut names = BTreeSet::new();
        let mut twice = self.infos.iter().filter(|info| !names.insert(&info.name));
        match twice.next() {
            Some(info) => Err(SourceSetError::SameName(info.name.clone())),
            None => Ok(self.infos.clone()),
        }
    }

    /// Returns the files that could not be read, each with the reason.
    pub fn not_read(&self) -> &[String] {
        &self.not_read
    }

    /// Returns a searcher of the sources.
    pub fn searcher(&self, credibility: Credibility) -> Searcher {
        Searcher::new(self.providers.iter().cloned()).credibility(credibility)
    }
}

impl fmt::Debug for SourceSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceSet")
            .field("sources", &self.infos)
            .field("not_read", &self.not_read.len())
            .finish_non_exhaustive()
    }
}

/// Writes the methods that add sources to a builder with a field `sources` of the type
/// [`SourceSet`].
///
/// ```
/// use research_agents_fieldwork::source_set::SourceSet;
/// use research_agents_fieldwork::source_setters;
///
/// #[derive(Default)]
/// pub struct SurveyBuilder {
///     sources: SourceSet,
/// }
///
/// impl SurveyBuilder {
///     source_setters!();
/// }
/// let builder = SurveyBuilder::default().sources(SourceSet::default());
/// assert!(builder.sources.infos().is_err());
/// ```
#[macro_export]
macro_rules! source_setters {
    () => {
        /// Sets the sources, in place of those that were added.
        #[must_use]
        pub fn sources(mut self, sources: $crate::source_set::SourceSet) -> Self {
            self.sources = sources;
            self
        }

        /// Adds a folder. The report names the files that could not be read.
        #[must_use]
        pub fn corpus(mut self, corpus: $crate::source_set::SharedCorpus) -> Self {
            self.sources.add_corpus(corpus);
            self
        }

        /// Adds a source, such as a search service.
        #[must_use]
        pub fn source(mut self, source: $crate::source_set::SharedSource) -> Self {
            self.sources.add(source);
            self
        }

        /// Adds an MCP server, whose tools the tools of the system must have.
        #[must_use]
        pub fn mcp(mut self, source: $crate::source_set::McpSearch) -> Self {
            self.sources.add_mcp(source);
            self
        }
    };
}

/// Returns a searcher that asks the recording of a run in place of its sources.
pub fn recorded_searcher(infos: &[SourceInfo], credibility: Credibility) -> Searcher {
    let recorded = infos.iter().map(|info| match info.mcp() {
        None => Arc::new(RecordedSearch::new(&*info.name, info.kind)) as SharedSource,
        Some(source) => Arc::new(source),
    });
    Searcher::new(recorded).credibility(credibility)
}

/// Returns what sub-agents may call: the searches and fetches of the sources, in the public network
/// if one of them is there.
pub fn policy(infos: &[SourceInfo]) -> Policy {
    let own = ["search_*", "fetch_*"].map(str::to_owned);
    let tools = infos.iter().filter_map(|info| {
        let [search, _, fetch, _] = info.tools.as_ref()?;
        let fetch = (info.kind == SourceKind::Local).then_some(fetch);
        Some([search].into_iter().chain(fetch).cloned())
    });
    let tools = tools.flatten();
    let policy = Policy::new().role(SEARCHER, own.into_iter().chain(tools));

    if infos.iter().any(|info| info.kind == SourceKind::Web) {
        policy.egress(Egress::Public)
    } else {
        policy
    }
}

/// Returns how credible a document is by its site, 0 to 1: `local` for a folder or server that the
/// user named and the table does not know.
pub fn credibility_of(document: &Document, table: &Credibility, local: f64) -> f64 {
    let site = &document.origin.site;
    let is_local = document.origin.kind != OriginKind::Page;
    match table.known(site) {
        None if is_local => local,
        _ => table.of(site),
    }
}
