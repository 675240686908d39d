//! A run in one file: its report, what that rests on, and all that went on outside, so that anybody can look again.
//!
//! A bundle holds nothing of the machine that it was written on: no clock, no path, no id of a run, no header and no key.
//! What a data source or a model wrote is in it word for word.

mod digest;
mod form;
pub mod verify;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::evidence::{Evidence, Table};
use super::report::Report;
use super::source::Source;
use super::tape::Effect;

pub use form::BundleError;
pub use verify::{Check, CheckKind, Origins, Tally, Verification};

/// Number of the form that this library writes and reads.
const VERSION: u32 = 1;

/// A run in one file. It is written by [`to_json`](Self::to_json) and read by [`from_json`](Self::from_json).
///
/// ```no_run
/// use research_agents::kernel::Bundle;
///
/// let bundle = Bundle::from_json(&std::fs::read_to_string("strikes.bundle.json")?)?;
/// println!("{}", bundle.markdown);
/// println!("{} sources, {} effects", bundle.evidence.sources.len(), bundle.effects.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Bundle {
    /// Form of the JSON. Reading refuses one that it does not know.
    pub version: BundleVersion,
    /// The program that wrote it.
    pub program: Program,
    /// The research system whose run it was, such as `dataset`.
    pub system: String,
    /// The question.
    pub question: String,
    /// The same run again from this bundle was tried, and gave the same Markdown byte for byte.
    pub replays: bool,
    /// SHA-256 of all the rest in hexadecimal digits; empty where nobody has computed it.
    #[serde(default)]
    pub digest: String,
    /// The report as Markdown.
    pub markdown: String,
    /// The report as a document, with the claims of every sentence.
    pub report: Report,
    /// Texts whose numbers a sentence may repeat: filters in words, names of fields, the question.
    pub context: Vec<String>,
    /// What the run was asked to do, in the form of its system.
    pub input: Value,
    /// Its settings, likewise.
    pub settings: Value,
    /// What was known about the model.
    pub model: Value,
    /// What was read and counted.
    pub evidence: BundledEvidence,
    /// What the run told on the way, in the order of its tasks, without times.
    pub journal: Vec<Value>,
    /// What it did outside, in the order of its tasks.
    pub effects: Vec<Effect>,
}

/// The form of a bundle's JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct BundleVersion(());

impl From<BundleVersion> for u32 {
    fn from(_: BundleVersion) -> Self {
        VERSION
    }
}

impl TryFrom<u32> for BundleVersion {
    type Error = String;

    fn try_from(number: u32) -> Result<Self, String> {
        (number == VERSION).then_some(Self(())).ok_or_else(|| format!("the bundle has form {number}"))
    }
}

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Everything that claims can be checked against.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BundledEvidence {
    /// All records that the run has read, first read first.
    pub sources: Vec<BundledSource>,
    /// All aggregations, in the order of their ids.
    pub tables: Vec<Table>,
}

/// A record with its hash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BundledSource {
    /// [`hash`](Self::hash_of) of the record.
    pub sha256: String,
    /// The record.
    #[serde(flatten)]
    pub source: Source,
}

impl BundledSource {
    /// SHA-256, in hexadecimal digits, of a record with its id, fields and text: of its [canonical] JSON.
    ///
    /// [canonical]: canonical
    pub fn hash_of(source: &Source) -> String {
        serde_json::to_value(source).map(|value| sha256(&canonical(value))).unwrap_or_default()
    }
}

impl From<&Source> for BundledSource {
    fn from(source: &Source) -> Self {
        Self { sha256: Self::hash_of(source), source: source.clone() }
    }
}

impl From<&Evidence> for BundledEvidence {
    fn from(evidence: &Evidence) -> Self {
        let sources = evidence.sources.iter().map(|source| BundledSource::from(&**source)).collect();
        Self { sources, tables: evidence.tables.clone() }
    }
}

impl BundledEvidence {
    /// The evidence in the form that the checker reads.
    pub fn to_evidence(&self) -> Evidence {
        let sources: Vec<Source> = self.sources.iter().map(|bundled| bundled.source.clone()).collect();
        Evidence { sources: sources.into(), tables: self.tables.clone() }
    }
}

/// JSON without blanks whose fields stand in the order of their names, so that equal values are equal bytes.
pub fn canonical(mut value: Value) -> String {
    value.sort_all_objects();
    value.to_string()
}

/// SHA-256 of a text in hexadecimal digits.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
