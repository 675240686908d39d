//! The memo: a value that serializes.

use std::fmt;
use std::ops::Range;

use research_agents_report::conflict::ConflictKind;
use research_agents_report::text::Untrusted;
use research_llm::Message;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::role::Role;

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

/// The sections that a memo consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Structure {
    /// Situation, complication and resolution.
    #[default]
    Scr,
    /// A summary, which each delivery updates with one question.
    Summary,
}

impl Structure {
    /// Returns the sections, in the order in which they are written.
    pub fn sections(self) -> &'static [SectionKind] {
        match self {
            Self::Scr => &SectionKind::SCR,
            Self::Summary => &[SectionKind::Summary],
        }
    }

    /// Returns the section that sentences with a role belong to.
    pub fn section_of(self, role: Role) -> SectionKind {
        match (self, role) {
            (Self::Summary, _) => SectionKind::Summary,
            (Self::Scr, Role::Fact) => SectionKind::Situation,
            (Self::Scr, Role::Problem) => SectionKind::Complication,
            (Self::Scr, Role::Proposal) => SectionKind::Resolution,
        }
    }

    /// Returns the section that is written first.
    pub(crate) fn first(self) -> SectionKind {
        self.section_of(Role::Fact)
    }

    /// Returns the section that is written last.
    pub(crate) fn last(self) -> SectionKind {
        self.section_of(Role::Proposal)
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A section of a memo.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SectionKind {
    /// What findings say, in a memo of one section.
    Summary,
    /// What is the case.
    Situation,
    /// What is disputed, goes wrong or is missing.
    Complication,
    /// What is proposed.
    Resolution,
}

impl SectionKind {
    /// The sections of a memo of three, in the order in which they are written.
    pub const SCR: [Self; 3] = [Self::Situation, Self::Complication, Self::Resolution];

    /// Returns its heading.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Summary => "Summary",
            Self::Situation => "Situation",
            Self::Complication => "Complication",
            Self::Resolution => "Resolution",
        }
    }

    /// Returns the letter that ids of its statements begin with.
    pub fn letter(self) -> char {
        match self {
            Self::Summary | Self::Situation => 'S',
            Self::Complication => 'C',
            Self::Resolution => 'R',
        }
    }

    /// Returns its number in the order of writing: 1 to 3.
    pub fn step(self) -> usize {
        match self {
            Self::Summary | Self::Situation => 1,
            Self::Complication => 2,
            Self::Resolution => 3,
        }
    }

    /// Returns the section that is written after it.
    pub fn next(self) -> Option<Self> {
        match self {
            Self::Situation => Some(Self::Complication),
            Self::Complication => Some(Self::Resolution),
            Self::Summary | Self::Resolution => None,
        }
    }
}

impl fmt::Display for SectionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.heading())
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

/// What the text of a statement rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Basis {
    /// It is a sentence of its findings, word by word.
    #[default]
    Quoted,
    /// A model wrote it, and its findings carry it.
    Carried,
    /// A model wrote it. Numbers, names and negations agree with its findings, but some of its
    /// words are not theirs.
    Unsure {
        /// The words without support.
        missing: Vec<String>,
    },
}

impl Basis {
    fn is_quoted(&self) -> bool {
        *self == Self::Quoted
    }
}

/// A sentence of the memo.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Statement {
    /// Letter of the section and a number that the section never gives again, such as `S3`.
    pub id: String,
    /// The sentence, with single spaces.
    pub text: Untrusted<String>,
    /// Ids of the findings, in the order in which they came.
    pub findings: Vec<String>,
    /// What contradicts it.
    pub against: Option<Against>,
    /// What its text rests on.
    #[serde(default, skip_serializing_if = "Basis::is_quoted")]
    pub basis: Basis,
}

/// The statements of a section.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Section {
    /// Its statements, in the order in which they came.
    pub statements: Vec<Statement>,
    /// Number of findings of the memo that it takes account of.
    #[serde(default)]
    pub read: usize,
    /// Number of the newest statement.
    last: usize,
}

impl Section {
    fn is_new(&self) -> bool {
        *self == Self::default()
    }

    pub(crate) fn push(&mut self, kind: SectionKind, new: NewStatement<'_>) -> Statement {
        self.last += 1;
        let statement = Statement {
            id: format!("{}{}", kind.letter(), self.last),
            text: Untrusted::new(new.text.to_owned()),
            findings: new.findings,
            against: new.against,
            basis: new.basis,
        };

        self.statements.push(statement.clone());
        statement
    }
}

/// A statement without an id.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewStatement<'a> {
    pub(crate) text: &'a str,
    pub(crate) findings: Vec<String>,
    pub(crate) against: Option<Against>,
    pub(crate) basis: Basis,
}

impl<'a> NewStatement<'a> {
    /// A sentence of a finding.
    pub(crate) fn quoted(text: &'a str, finding: &str) -> Self {
        Self {
            text,
            findings: vec![finding.to_owned()],
            ..Self::default()
        }
    }
}

/// What a model wrote and the memo does not state, since its findings do not carry it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Withheld {
    /// The section that it was written for.
    pub section: SectionKind,
    /// The sentence.
    pub text: Untrusted<String>,
    /// Why it is not stated.
    pub reason: String,
}

/// How good a first whole memo is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// Nothing is to be improved.
    #[serde(alias = "deep")]
    Excellent,
    /// It needs no further work.
    #[default]
    Good,
    /// It is to be refined.
    Moderate,
    /// It says little of what the findings say, and is to be refined.
    Shallow,
}

impl Quality {
    /// Returns whether a memo of this quality is refined.
    pub fn needs_refinement(self) -> bool {
        matches!(self, Self::Moderate | Self::Shallow)
    }
}

/// What a model thinks of the first whole memo.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Reflection {
    /// `excellent`, `good`, `moderate` or `shallow`.
    #[schemars(with = "String")]
    pub overall_quality: Quality,
    /// How deep it goes.
    pub depth_assessment: String,
    /// What the findings say and the memo does not.
    pub missing_core_insights: Vec<String>,
    /// Where its logic fails.
    pub logic_issues: Vec<String>,
    /// What would make it better.
    pub improvement_suggestions: Vec<String>,
}

/// What writing a memo took. Tokens are estimates of the workspace's tokenizer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Spent {
    /// Questions to the model port about sections.
    pub section_calls: u64,
    /// Questions about the quality of the memo.
    pub reflection_calls: u64,
    /// Tokens of prompts that the model had not seen.
    pub fresh_tokens: u64,
    /// Tokens of the history and of statements that prompts showed again.
    pub repeated_tokens: u64,
    /// Tokens that prompts would have had in place of the fresh ones if every section had been
    /// written from all findings each time: the situation from the findings, and each section after
    /// it from what was written before it.
    pub regeneration_tokens: u64,
}

impl Spent {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// A memo of situation, complication and resolution, or of a summary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Scr {
    /// The question that it answers.
    pub question: String,
    /// The sections that it consists of.
    #[serde(default, skip_serializing_if = "Structure::is_default")]
    pub structure: Structure,
    /// Number of the deliveries and completions that changed it.
    pub version: u64,
    /// The findings that it knows, in the order in which they came.
    pub findings: Vec<Finding>,
    /// What findings say, in a memo of one section.
    #[serde(default, skip_serializing_if = "Section::is_new")]
    pub summary: Section,
    /// Facts that no other finding contradicts.
    pub situation: Section,
    /// Contradictions, problems and gaps.
    pub complication: Section,
    /// Proposals, and what enables something.
    pub resolution: Section,
    /// What a model thought of the first whole memo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection: Option<Reflection>,
    /// The section that is refined next, while a refinement is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) refining: Option<SectionKind>,
    /// What a model wrote and the memo does not state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<Withheld>,
    /// What writing it took.
    #[serde(default, skip_serializing_if = "Spent::is_nothing")]
    pub spent: Spent,
    /// Whether a language model wrote a part of it; otherwise rules did.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_model: bool,
    /// The conversation with the model, if the history is kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) conversation: Vec<Message>,
    /// Tokens of the conversation.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) conversation_tokens: u64,
    /// The marker of untrusted text in the conversation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) marker: String,
    /// Places of the findings that the conversation contains.
    #[serde(default, skip_serializing_if = "Range::is_empty")]
    pub(crate) shown: Range<usize>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Scr {
    /// Creates an empty memo.
    pub fn new(question: impl Into<String>) -> Self {
        Self {
            question: question.into(),
            ..Self::default()
        }
    }

    /// Sets the sections of a memo that is empty.
    #[must_use]
    pub fn with_structure(mut self, structure: Structure) -> Self {
        self.structure = structure;
        self
    }

    /// Returns the sections that it consists of, in the order in which they are written.
    pub fn sections(&self) -> &'static [SectionKind] {
        self.structure.sections()
    }

    /// Returns its statements, section by section.
    pub fn statements(&self) -> impl Iterator<Item = &Statement> {
        let sections = self.sections().iter();
        sections.flat_map(|kind| &self.section(*kind).statements)
    }

    /// Returns whether the last section does not take account of all findings yet.
    pub fn is_partial(&self) -> bool {
        self.section(self.structure.last()).read < self.findings.len()
    }

    /// Returns whether a section takes account of a finding.
    pub(crate) fn is_begun(&self) -> bool {
        self.section(self.structure.first()).read > 0
    }

    /// Returns a section.
    pub fn section(&self, kind: SectionKind) -> &Section {
        match kind {
            SectionKind::Summary => &self.summary,
            SectionKind::Situation => &self.situation,
            SectionKind::Complication => &self.complication,
            SectionKind::Resolution => &self.resolution,
        }
    }

    /// Returns the messages of the conversation with the model, if the history is kept.
    pub fn conversation(&self) -> &[Message] {
        &self.conversation
    }

    /// Returns the number of a finding, as in `F3`; the first is 1.
    pub fn number_of(&self, finding: &str) -> Option<usize> {
        let at = self.findings.iter().position(|known| known.id == finding)?;
        Some(at + 1)
    }

    pub(crate) fn section_mut(&mut self, kind: SectionKind) -> &mut Section {
        match kind {
            SectionKind::Summary => &mut self.summary,
            SectionKind::Situation => &mut self.situation,
            SectionKind::Complication => &mut self.complication,
            SectionKind::Resolution => &mut self.resolution,
        }
    }
}
