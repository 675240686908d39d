//! The result of a verification: checks, their outcomes and tallies.

use std::fmt;

use serde::Serialize;

/// The subject of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CheckKind {
    /// The digest of the whole.
    Digest,
    /// A recorded answer of a tool: it can be read, and is recorded under its own arguments.
    Answer,
    /// A record: its hash, its id, and the recorded answer that it came from.
    Source,
    /// An aggregation: the recorded answer that it came from.
    Table,
    /// A text whose numbers sentences may repeat.
    Context,
    /// A number: a claimed count, total or statistic, or a number in a sentence.
    Number,
    /// A quote at its span.
    Quote,
    /// A citation, or an entry that citations lead to.
    Citation,
    /// The mark of a sentence, which must not be higher than its passages allow.
    Mark,
    /// An entry of the report's data or sources, with its chart.
    Entry,
    /// How much of the matching data was read.
    Coverage,
    /// The Markdown.
    Rendering,
    /// The origin of the bundle: its question, its effects, and what it says about itself.
    Provenance,
    /// Other text: titles, notes, and sentences without a claim.
    Words,
}

impl CheckKind {
    /// All kinds, in the order in which they are checked.
    pub const ALL: [Self; 14] = [
        Self::Digest,
        Self::Answer,
        Self::Source,
        Self::Table,
        Self::Context,
        Self::Number,
        Self::Quote,
        Self::Citation,
        Self::Mark,
        Self::Entry,
        Self::Coverage,
        Self::Rendering,
        Self::Provenance,
        Self::Words,
    ];
}

impl fmt::Display for CheckKind {
    /// Writes the kind as the heading of a table, in the plural.
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
            Self::Mark => "marks",
            Self::Entry => "data and sources",
            Self::Coverage => "coverage",
            Self::Rendering => "rendering",
            Self::Provenance => "provenance",
            Self::Words => "other words",
        })
    }
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// The bundle is right.
    Holds,
    /// The bundle is wrong.
    Fails {
        /// What is stated and what was found instead.
        why: String,
    },
    /// Nothing in the bundle proves or disproves the text.
    NotCovered {
        /// The reason.
        why: String,
    },
}

/// A check of one part of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Check {
    /// The subject.
    pub kind: CheckKind,
    /// Place in the report, such as `Key Findings, sentence 2`.
    pub place: String,
    /// The part that was checked, such as a number or a quote, in words.
    pub what: String,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Numbers of checks of one kind by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Checks that hold.
    pub holds: usize,
    /// Checks that fail.
    pub fails: usize,
    /// Parts that could not be checked.
    pub not_covered: usize,
}

/// The result of a verification, which [`verify`](crate::run::verify) returns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Verification {
    /// Every check, in the order of the bundle.
    pub checks: Vec<Check>,
}

impl Verification {
    /// Returns `true` if no check fails. Parts that are not covered do not count;
    /// [`tally`](Self::tally) counts them.
    pub fn holds(&self) -> bool {
        !self.checks.is_empty() && self.failures().next().is_none()
    }

    /// Returns the checks that fail.
    pub fn failures(&self) -> impl Iterator<Item = &Check> {
        self.checks
            .iter()
            .filter(|check| matches!(check.outcome, Outcome::Fails { .. }))
    }

    /// Returns the tally of the checks of one kind.
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

    pub(crate) fn holds_at(&mut self, kind: CheckKind, place: &str, what: impl Into<String>) {
        self.add(kind, place, what, Outcome::Holds);
    }

    pub(crate) fn fails_at(
        &mut self,
        kind: CheckKind,
        place: &str,
        what: impl Into<String>,
        why: impl Into<String>,
    ) {
        self.add(kind, place, what, Outcome::Fails { why: why.into() });
    }

    pub(crate) fn not_covered_at(
        &mut self,
        kind: CheckKind,
        place: &str,
        what: impl Into<String>,
        why: &str,
    ) {
        self.add(
            kind,
            place,
            what,
            Outcome::NotCovered {
                why: why.to_owned(),
            },
        );
    }

    /// Adds a check that fails if there is a problem.
    pub(crate) fn judge(
        &mut self,
        kind: CheckKind,
        place: &str,
        what: impl Into<String>,
        problem: Option<String>,
    ) {
        let outcome = problem.map_or(Outcome::Holds, |why| Outcome::Fails { why });
        self.add(kind, place, what, outcome);
    }

    pub(crate) fn add(
        &mut self,
        kind: CheckKind,
        place: &str,
        what: impl Into<String>,
        outcome: Outcome,
    ) {
        self.checks.push(Check {
            kind,
            place: place.to_owned(),
            what: what.into(),
            outcome,
        });
    }
}
