//! Field work of research systems: a searcher that turns one question into passages of documents.
//!
//! An [`Assignment`](assignment::Assignment) is a question with queries. The
//! [`Searcher`](searcher::Searcher) searches every source with every query, fetches what it finds,
//! and returns the passages that hold words of the question, each at its place in a document, with
//! a typed entry for every call that failed. All calls go through the
//! [`Job`](research_agents_runtime::job::Job) of the task: its policy, budget, tape and events.
//!
//! ```
//! use std::sync::Arc;
//!
//! use research_agents_fieldwork::assignment::Assignment;
//! use research_agents_fieldwork::searcher::Searcher;
//! use research_agents_runtime::job::{Job, Kit, NoTools, PlainLoop, Settings};
//! use research_agents_runtime::limits::Policy;
//! use research_agents_runtime::offline::{OfflineAnswers, OfflineModel};
//! use research_agents_sources::corpus::{Corpus, CorpusOptions, CorpusSpec, IndexPlace};
//! use research_agents_sources::search::FolderSearch;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # std::fs::write(folder.path().join("pump.md"), "The seal of the pump is worn.")?;
//! # let model = Arc::new(OfflineModel::new(OfflineAnswers::new()));
//! # let tools = Arc::new(NoTools);
//! let options = CorpusOptions::default().index(IndexPlace::Memory);
//! let corpus = Corpus::open(&CorpusSpec::new("manuals", folder.path())?, &options)?;
//! let searcher = Searcher::new([Arc::new(FolderSearch::new(Arc::new(corpus))) as _]);
//!
//! let policy = Policy::new().role("searcher", ["search_*", "fetch_*"]);
//! let kit = Kit::new(model, tools, Settings::new(policy));
//! let job = Job::new(PlainLoop::new(), &kit, "fieldwork", false).in_role("searcher");
//!
//! let findings = searcher.work(&job, &Assignment::new("q1", "Which seal is worn?")).await;
//! assert_eq!(findings.passages[0].text(), "The seal of the pump is worn.");
//! assert_eq!(findings.passages[0].document.origin.site, "manuals");
//! assert!(findings.failures.is_empty());
//! # Ok(()) }
//! ```
//!
//! # Modules, from the bottom up
//!
//! | module | contains |
//! |---|---|
//! | [`assignment`] | a question that one searcher answers |
//! | [`queries`] | which queries are asked already |
//! | [`credibility`] | how credible sites are, as data |
//! | [`findings`] | passages, and the calls that failed |
//! | [`searcher`] | search, fetch and extract |
//! | [`recorded`] | the documents of a recorded run |
//! | [`source_set`] | the sources of a system, and what its policy allows |
//! | [`asked`] | questions of nodes to the model port |
//! | [`told`] | events about documents, and where a quote is |
//! | [`input`] | what a run over documents is asked to do |
//!
//! **Architecture Invariant:** a searcher reaches the outside through its sources alone, and a
//! passage is a range of the text of a document that was fetched.

pub mod assignment;
pub mod queries;
pub mod credibility;
pub mod findings;
pub mod searcher;
pub mod recorded;
pub mod source_set;
pub mod asked;
pub mod told;
pub mod input;
