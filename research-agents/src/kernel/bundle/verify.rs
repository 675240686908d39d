//! Checks a bundle again, without a model, a tool or a clock: every source, number, quote, citation and rendering in it.
//!
//! What is checked against what:
//!
//! | part | held against |
//! |---|---|
//! | the whole, each source, the arguments of each recorded call | its hash |
//! | each source, each table | the recorded answers of tools, read once more as the run read them |
//! | each claim: counts, totals, statistics, quotes at their spans | the sources and tables of the bundle |
//! | each number in a sentence | its claims, and the question, filters and fields of the run |
//! | each citation | what the claims of its sentence give, and the lists of data and sources |
//! | data, charts and sources of the report | the sources and tables of the bundle |
//! | coverage | what the recorded answers say of how much matches, and what came |
//! | the Markdown | the document, byte for byte |
//!
//! Words that carry no claim are not checked, and each line of them is told as [`Outcome::NotCovered`].

mod document;
mod evidence;
mod origins;
mod sentences;
mod words;

use std::fmt;

use serde::Serialize;

pub use self::origins::{OriginTable, Origins};
use super::Bundle;

/// What a check is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CheckKind {
    /// The digest of the whole.
    Digest,
    /// A recorded answer of a tool: it could be read, and is kept under the arguments that it has.
    Answer,
    /// A record: its hash, its id, and the recorded answer that it came with.
    Source,
    /// An aggregation: the recorded answer that it came with.
    Table,
    /// A text whose numbers sentences may repeat.
    Context,
    /// A number: a claimed count, total or statistic, or one that stands in a sentence.
    Number,
    /// A quote at its span.
    Quote,
    /// A citation, or an entry that citations lead to.
    Citation,
    /// An entry of the report's data or sources, with its chart.
    Entry,
    /// How much of the matching data was read.
    Coverage,
    /// The Markdown.
    Rendering,
    /// Other words: of titles, notes, and sentences without a claim.
    Words,
}

impl CheckKind {
    /// All kinds, in the order in which they are checked.
    pub const ALL: [Self; 12] = [
        Self::Digest,
        Self::Answer,
        Self::Source,
        Self::Table,
        Self::Context,
        Self::Number,
        Self::Quote,
        Self::Citation,
        Self::Entry,
        Self::Coverage,
        Self::Rendering,
        Self::Words,
    ];
}

impl fmt::Display for CheckKind {
    /// As the heading of a table, in the plural.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Digest => "digest",
            Self::Answer => "recorded answers",
            Self::Source => "source records",
            Self::Table => "aggregations",
            Self::Context => "context",
            Self::Number => "numbers",
            Self::Quote => "quotes",
            Self::Citation => "citations",
            Self::Entry => "data and sources",
            Self::Coverage => "coverage",
            Self::Rendering => "rendering",
            Self::Words => "other words",
        })
    }
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// It is as stated.
    Holds,
    /// It is not.
    Fails {
        /// What is stated and what was found instead.
        why: String,
    },
    /// Nothing in the bundle proves or disproves it.
    NotCovered {
        /// Why.
        why: String,
    },
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Check {
    /// What it is about.
    pub kind: CheckKind,
    /// Where it stands, such as `Key Findings, sentence 2`.
    pub place: String,
    /// What was looked at, such as a number or a quote, in words.
    pub what: String,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// How many checks of one kind came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Checks that hold.
    pub holds: usize,
    /// Checks that fail.
    pub fails: usize,
    /// What could not be checked.
    pub not_covered: usize,
}

/// What a verification found. `dataset::verify` makes one of a bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Verification {
    /// Every check, in the order of the bundle.
    pub checks: Vec<Check>,
}

impl Verification {
    /// Whether nothing fails. What is not covered does not count; [`tally`](Self::tally) says how much that is.
    pub fn holds(&self) -> bool {
        !self.checks.is_empty() && self.failures().next().is_none()
    }

    /// The checks that fail.
    pub fn failures(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| matches!(check.outcome, Outcome::Fails { .. }))
    }

    /// How the checks of one kind came out.
    pub fn tally(&self, kind: CheckKind) -> Tally {
        let mut tally = Tally::default();
        for check in self.checks.iter().filter(|check| check.kind == kind) {
            match check.outcome {
                Outcome::Holds => tally.holds += 1,
                Outcome::Fails { .. } => tally.fails += 1,
                Outcome::NotCovered { .. } => tally.not_covered += 1,
            }
        }
        tally
    }

    fn holds_at(&mut self, kind: CheckKind, place: &str, what: impl Into<String>) {
        self.add(kind, place, what, Outcome::Holds);
    }

    fn fails_at(&mut self, kind: CheckKind, place: &str, what: impl Into<String>, why: impl Into<String>) {
        self.add(kind, place, what, Outcome::Fails { why: why.into() });
    }

    fn not_covered_at(&mut self, kind: CheckKind, place: &str, what: impl Into<String>, why: &str) {
        self.add(kind, place, what, Outcome::NotCovered { why: why.to_owned() });
    }

    /// Holds, or fails for the reason that is given.
    fn judge(&mut self, kind: CheckKind, place: &str, what: impl Into<String>, problem: Option<String>) {
        let outcome = problem.map_or(Outcome::Holds, |why| Outcome::Fails { why });
        self.add(kind, place, what, outcome);
    }

    fn add(&mut self, kind: CheckKind, place: &str, what: impl Into<String>, outcome: Outcome) {
        self.checks.push(Check { kind, place: place.to_owned(), what: what.into(), outcome });
    }
}

impl Bundle {
    /// Checks everything in the bundle, its sources and tables against what the recorded traffic gives. That depends on how
    /// the system reads what tools answer, so each system has a function that finds the origins and calls this one:
    /// `dataset::verify`.
    pub fn verify_against(&self, origins: &Origins) -> Verification {
        let mut found = Verification::default();
        self.check_digest(&mut found);
        let evidence = self.evidence.to_evidence();
        evidence::check(self, origins, &mut found);
        sentences::check(self, &evidence, &mut found);
        document::check(self, &evidence, origins, &mut found);
        found
    }

    fn check_digest(&self, found: &mut Verification) {
        let problem = match self.computed_digest() {
            Ok(actual) if actual == self.digest => None,
            Ok(actual) => Some(format!("stated {}, the content has {actual}: something was changed", self.digest)),
            Err(error) => Some(error.to_string()),
        };
        found.judge(CheckKind::Digest, "bundle", "SHA-256 over the whole", problem);
    }
}
