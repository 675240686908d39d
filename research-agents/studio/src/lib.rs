//! Answers by question and source: what is known, what is disputed, what is missing, and when
//! research ends.
//!
//! An [`AnswerTable`](table::AnswerTable) holds typed values at places of passages. A value that
//! its quote does not state is refused. For each question the table gives a
//! [`Standing`](table::Standing): answered with a mark, conflicting, or unanswered. A
//! [`Review`](gaps::Review) of the standings names the gaps and computes the confidence of each
//! section, and [`next`](route::next) decides whether another round follows.
//!
//! ```
//! use research_agents_report::assessment::Rating;
//! use research_agents_report::language::Language;
//! use research_agents_report::passage::{Document, Found, Origin, PassageRegistry};
//! use research_agents_report::trust::Mark;
//! use research_agents_report::trust::value::values;
//! use research_agents_studio::gaps::{PlannedQuestion, Review};
//! use research_agents_studio::route::{Next, Progress, Stops, next};
//! use research_agents_studio::table::{Answer, AnswerTable, Standing};
//!
//! let mut passages = PassageRegistry::default();
//! let mut table = AnswerTable::default();
//! for (site, text) in [
//!     ("example.org", "The bridge is 120 m long and was built of steel."),
//!     ("example.com", "With its arches it crosses the river in 120 metres."),
//! ] {
//!     let origin = Origin { site: site.into(), address: "bridge".into(), ..Origin::default() };
//!     let document = passages.add_document(Document::new("", text).with_origin(origin));
//!     let passage = passages.add(&document, 0..text.len(), Found::by("manual"))?;
//!     let value = values(text, Language::ENGLISH)[0].value.clone();
//!     table.add(Answer::new("length", passage, 0..text.len(), value), &passages)?;
//! }
//!
//! let standing = table.standing("length", &passages, &Rating::default());
//! let Standing::Answered(agreed) = &standing else { panic!() };
//! assert_eq!((agreed.mark, agreed.confidence), (Mark::CrossValidated, 0.75));
//!
//! let plan = [PlannedQuestion::new("length", "Size"), PlannedQuestion::new("age", "History")];
//! let standings = [("length".to_owned(), standing)].into();
//! let review = Review::new(&plan, &standings, 0.6);
//! assert_eq!(review.gaps[0].section, "History");
//! assert_eq!(review.overall, 0.375);
//!
//! let progress = Progress { iteration: 1, confidence: review.overall, previous: 0.0, gaps: 1 };
//! assert_eq!(next(&progress, &Stops::default()), Next::Orchestrator);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules, from the bottom up
//!
//! | module | contains |
//! |---|---|
//! | [`table`] | typed values at places, and the standing of each question |
//! | [`extract`] | answers read from passages without a language model |
//! | [`gaps`] | what is missing, and the confidence of sections |
//! | [`route`] | whether another round follows |
//!
//! **Architecture Invariant:** the quote of an answer must state its value, even if a model
//! proposes it, and code alone decides about marks, conflicts and gaps.

mod answers;
pub mod records;
pub mod tasks;
pub mod offline;
pub mod config;
pub mod event;
mod earlier;
mod agent;
mod builder;
mod system;

pub use agent::kit::StudioKit;
pub use agent::state::StudioState;
pub use answers::{extract, gaps, route, table};
pub use builder::{Studio, StudioBuilder, StudioError};
pub use earlier::{EarlierRuns, StudioInput};
