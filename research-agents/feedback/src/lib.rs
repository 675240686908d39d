//! A workflow that researches towards a decision: what is found decides what is researched next.
//!
//! A lead researcher compares three approaches and gives tasks to searchers. What they find goes
//! into a [memo](research_agents_scr) of situation and complication. A decision names what is
//! missing, which the next pass researches, or ends the research; then the resolution is written,
//! every statement is verified, and the report cites its passages.
//!
//! ```text
//! complexity_analyzer → lead_researcher → subagents → filter_findings → synthesizer → decision
//!                             ↑                                                          │
//!                             └──────────────── needs more research ─────────────────────┤
//!                                complete_synthesis → verifier → citation_agent ←────────┘
//! ```
//!
//! [`FeedbackAgent`] has an example.
//!
//! # Modules, from the bottom up
//!
//! | module | contains |
//! |---|---|
//! | [`records`] | complexity, plan, findings, decision and verification |
//! | [`tasks`] | what nodes ask the model port |
//! | [`offline`] | the answers that need no language model |
//! | [`config`] | the settings |
//! | [`event`] | the events that only this workflow emits |
//!
//! **Architecture Invariant:** a decision reaches the next pass through the state alone, and the
//! resolution of a memo is written when research ends.

pub mod records;
pub mod tasks;
pub mod offline;
pub mod config;
pub mod event;
mod earlier;
mod agent;
mod builder;
mod system;

pub use agent::kit::FeedbackKit;
pub use agent::state::FeedbackState;
pub use builder::{FeedbackAgent, FeedbackBuilder, FeedbackError};
pub use earlier::{EarlierRuns, FeedbackInput};
