//! A memo of situation, complication and resolution that keeps up with findings.
//!
//! A [memo](memo::Scr) is a value that serializes. A [delivery](update) of findings reads only
//! those that the memo does not know, and returns what it changed, sentence by sentence, with the
//! finding that caused it. Nothing else of the memo changes.
//!
//! Without a language model every statement is a sentence of a finding, word by word; [rules for
//! English](role) choose its section:
//!
//! | section | sentences |
//! |---|---|
//! | situation | facts that no other finding contradicts |
//! | complication | contradictions with both sides, problems and gaps |
//! | resolution | proposals, and what enables something |
//!
//! A [`synthesizer`] does the same with a model, which words the statements and joins
//! findings. Code checks each statement against its findings, keeps both sides of a contradiction,
//! and adds the sentences whose numbers would be lost.
//!
//! # Example
//!
//! ```
//! use research_agents_scr::memo::{Finding, Scr};
//! use research_agents_scr::update::Resolution;
//!
//! let mut memo = Scr::new("Should we move to version 16?");
//! let findings = [
//!     Finding::new("Version 16 was released in 2023.", "notes.md"),
//!     Finding::new("Backups fail on old disks. We recommend new disks.", "incidents.md"),
//! ];
//!
//! // The situation and the complication first; the resolution when it is asked for.
//! let delivery = memo.update(findings.clone(), Resolution::OnRequest);
//! assert_eq!(delivery.changes.len(), 2);
//! memo.complete();
//! assert_eq!(memo.resolution.statements[0].text.for_code(), "We recommend new disks.");
//!
//! // Findings that the memo knows change nothing.
//! assert!(memo.update(findings, Resolution::OnRequest).is_unchanged());
//! ```

pub mod role;
pub mod memo;
pub mod lines;
pub mod markdown;
pub mod update;
pub mod relations;
pub mod synthesizer;
pub mod report;
pub mod system;
