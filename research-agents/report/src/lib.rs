//! Research reports whose numbers, quotes and citations are checked by code before they are
//! printed.
//!
//! A model drafts sentences, and adds to each the typed [claims](claim) that support it. The
//! [checker](check) recounts every claim against the [evidence] of the run and compares the text of
//! the sentence with its claims. A [report](document) contains only sentences that passed, with
//! citations that resolve, and renders to Markdown, HTML and JSON.
//!
//! This crate does not depend on the graph engine, on models, tools or a clock: the same evidence
//! and the same sentences always give the same bytes.
//!
//! # Modules
//!
//! | module | job |
//! |---|---|
//! | [`text`] | untrusted text, single lines, words, ranking by relevance |
//! | [`language`] | languages, detection, the texts of the program, numerals |
//! | [`passage`] | documents and the passages of them that sentences rest on |
//! | [`evidence`] | the records that were read, and the tables that data sources computed |
//! | [`claim`] | typed claims: counts, totals, statistics and quotes |
//! | [`check`] | the checker of sentences, and the reasons why one does not hold |
//! | [`trust`] | typed values, independence of sources, confidence and marks |
//! | [`conflict`] | contradictions between the texts of records and of passages |
//! | [`passage::extract`] | answers of quoted sentences, without a language model |
//! | [`assessment`] | marks, confidence and the hallucination score of a report |
//! | [`confidence`] | the scale of confidence |
//! | [`chart`] | charts of aggregations, as data and as SVG |
//! | [`document`] | the document of a report, its writer and its renderings |
//!
//! # Example
//!
//! ```
//! use research_agents_report::check::{Checker, Failure};
//! use research_agents_report::claim::{Basis, Claim, Statement};
//! use research_agents_report::document::{ReportWriter, resolve_citations};
//! use research_agents_report::evidence::{Evidence, Table, TableRow};
//!
//! // The evidence of a run: a table that a data source computed.
//! let row = |size: &str, count| TableRow::new("size", size, count);
//! let table = Table {
//!     id: "A1".into(),
//!     caption: "records by size".into(),
//!     field: "size".into(),
//!     total: 116,
//!     rows: vec![row("Small", 99), row("Large", 17)],
//!     ..Table::default()
//! };
//! let evidence = Evidence { tables: vec![table], ..Evidence::default() };
//!
//! // A sentence with the claim that supports it, as a model drafts it.
//! let claim = Claim::Count {
//!     over: Basis::Aggregation("A1".into()),
//!     field: "size".into(),
//!     value: "Small".into(),
//!     number: 99,
//! };
//! let draft = |text: &str| Statement { text: text.into(), claims: vec![claim.clone()] };
//!
//! // The checker recounts the claim, and compares the sentence with it.
//! let checker = Checker::new(&evidence, ["Which size is most frequent?"]);
//! let verified = checker.check(&draft("The largest group is Small with 99 records (85.3 %)."))?;
//!
//! let rounded_up = checker.check(&draft("Small has 100 records."));
//! assert!(matches!(rounded_up, Err(Failure::UnsupportedNumber { .. })));
//! let reversed = checker.check(&draft("The smallest group is Small."));
//! assert!(matches!(reversed, Err(Failure::WrongComparison { .. })));
//!
//! // A report takes verified sentences only, and lists what they cite.
//! let mut writer = ReportWriter::new(&evidence, "Records by size");
//! writer.section("Key findings");
//! writer.bullets(&[verified]);
//! let markdown = writer.finish().to_markdown();
//!
//! let blocks = [
//!     "# Records by size",
//!     "## Key findings",
//!     "- The largest group is Small with 99 records (85.3 %) (A1).",
//!     "## Data",
//!     "- (A1) records by size\n",
//! ];
//! assert_eq!(markdown, blocks.join("\n\n"));
//! assert!(resolve_citations(&markdown).is_ok());
//! # Ok::<(), Failure>(())
//! ```
//!
//! # What is not checked
//!
//! Notes, limitations and suggestions have no claims, and so have no citations: the writer of a
//! report only removes addresses and keys from them. [`check::numbers_stand_in`] tells whether
//! their numbers are known. The evidence itself is not checked: a claim is only as good as the data
//! source that counted.

pub mod text;
pub mod language;
pub mod passage;
pub mod evidence;
pub mod claim;
pub mod trust;
pub mod check;
pub mod conflict;
pub mod confidence;
pub mod chart;
pub mod document;
pub mod assessment;
