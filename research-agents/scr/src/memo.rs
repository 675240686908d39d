//! The memo: a value that serializes.

use research_agents_report::conflict::ConflictKind;
use research_agents_report::text::Untrusted;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Something that research found, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Finding {
    /// SHA-256 of source and text, in hexadecimal digits.
    pub id: String,
    /// Its text.
    pub text: Untrusted<String>,
    /// Where it is from.
    pub source: Untrusted<String>,
}

impl Finding {
    /// Creates a finding.
    pub fn new(text: impl Into<String>, source: impl Into<String>) -> Self {
        let (text, source) = (text.into(), source.into());
        let digest = Sha256::digest(format!("{source}\0{text}").as_bytes());

        Self {
            id: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
            text: Untrusted::new(text),
            source: Untrusted::new(source),
        }
    }
}

/// The other side of a contradiction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Against {
    /// A sentence of each of its findings.
    pub text: Untrusted<String>,
    /// Ids of the findings.
    pub findings: Vec<String>,
    /// What the two sides contradict each other about.
    pub about: ConflictKind,
}

impl Against {
    pub(crate) fn new(side: &Statement, about: ConflictKind) -> Self {
        Self {
            text: side.text.clone(),
            findings: side.findings.clone(),
            about,
        }
    }
}

/// A sentence of the memo.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Statement {
    /// Letter of the section and a number that the section never gives again, such as `S3`.
    pub id: String,
    /// A sentence of each of its findings, with single spaces.
    pub text: Untrusted<String>,
    /// Ids of the findings, in the order in which they came.
    pub findings: Vec<String>,
    /// What contradicts it.
    pub against: Option<Against>,
}

/// A section of a memo.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Section {
    /// Its statements, in the order in which they came.
    pub statements: Vec<Statement>,
    /// Number of the newest statement.
    last: usize,
}

impl Section {
    pub(crate) fn push(
        &mut self,
        letter: char,
        text: &str,
        finding: &str,
        against: Option<Against>,
    ) -> Statement {
        self.last += 1;
        let statement = Statement {
            id: format!("{letter}{}", self.last),
            text: Untrusted::new(text.to_owned()),
            findings: vec![finding.to_owned()],
            against,
        };

        self.statements.push(statement.clone());
        statement
    }
}

/// A proposal that waits until the resolution is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pending {
    pub(crate) text: Untrusted<String>,
    pub(crate) finding: String,
}

/// A memo of situation, complication and resolution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Scr {
    /// The question that it answers.
    pub question: String,
    /// Number of the deliveries and completions that changed it.
    pub version: u64,
    /// The findings that it knows, in the order in which they came.
    pub findings: Vec<Finding>,
    /// Facts that no other finding contradicts.
    pub situation: Section,
    /// Contradictions, problems and gaps.
    pub complication: Section,
    /// Proposals, and what enables something.
    pub resolution: Section,
    pub(crate) pending: Vec<Pending>,
}

impl Scr {
    /// Creates an empty memo.
    pub fn new(question: impl Into<String>) -> Self {
        Self {
            question: question.into(),
            version: 0,
            findings: Vec::new(),
            situation: Section::default(),
            complication: Section::default(),
            resolution: Section::default(),
            pending: Vec::new(),
        }
    }

    /// Returns whether proposals wait for [`complete`](Self::complete).
    pub fn is_partial(&self) -> bool {
        !self.pending.is_empty()
    }
}
