//! A run in one file: its report, the evidence behind it, and its effects, so that anyone can
//! verify or replay it.
//!
//! A bundle contains nothing that is specific to a machine: no time, path, run id, header or key.
//! The output of data sources and models is in it verbatim.

use research_agents_report::document::Report;
use research_agents_report::evidence::{Evidence, Source, Table};
use research_agents_report::passage::PassageRegistry;
use research_mcp::CallOutput;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tape::digest::{canonical, sha256};
use crate::tape::exchange::{Effect, Exchange, Outcome};

/// Version of the form that this library writes and reads.
pub(crate) const VERSION: u32 = 1;

/// A run in one file. [`to_json`](Self::to_json) writes it and [`from_json`](Self::from_json) reads
/// it.
///
/// ```no_run
/// use research_agents_runtime::bundle::Bundle;
///
/// let bundle = Bundle::from_json(&std::fs::read_to_string("strikes.bundle.json")?)?;
/// println!("{}", bundle.markdown);
/// println!("{} sources, {} effects", bundle.evidence.sources.len(), bundle.effects.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bundle {
    /// Version of the JSON form. Reading refuses an unknown one.
    pub version: BundleVersion,
    /// The program that wrote the bundle.
    pub program: Program,
    /// Name of the research system of the run, such as `dataset`.
    pub system: String,
    /// The user's question.
    pub question: String,
    /// `true` if a replay of this bundle was tried and reproduced the Markdown byte for byte.
    pub replays: bool,
    /// SHA-256 of all other fields in hexadecimal digits; empty if it was not computed.
    #[serde(default)]
    pub digest: String,
    /// The report as Markdown.
    pub markdown: String,
    /// The report as a document, with the claims of every sentence.
    pub report: Report,
    /// Texts whose numbers a sentence may repeat: filters in words, names of fields, and the
    /// question.
    pub context: Vec<String>,
    /// Input of the run, in the form of its system.
    pub input: Value,
    /// Settings of the run, in the form of its system.
    pub settings: Value,
    /// What was known about the model.
    pub model: Value,
    /// The records that were read, and the aggregations.
    pub evidence: BundledEvidence,
    /// Events of the run, in the order of its tasks, without times.
    pub journal: Vec<Value>,
    /// Effects of the run outside of the process, in the order of its tasks.
    pub effects: Vec<Effect>,
}

impl Bundle {
    /// Returns the recorded results of tools, in the order of the tasks that called them.
    pub fn tool_results(&self) -> impl Iterator<Item = &CallOutput> {
        let exchanges = self.effects.iter().flat_map(|effect| &effect.exchanges);
        exchanges.filter_map(|exchange| match exchange {
            Exchange::Tool {
                outcome: Outcome::Given(output),
                ..
            } => Some(output),
            _ => None,
        })
    }
}

/// The version of a bundle's JSON form.
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
        (number == VERSION)
            .then_some(Self(()))
            .ok_or_else(|| format!("the bundle has form {number}"))
    }
}

/// The program that wrote a bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Name of the program.
    pub name: String,
    /// Version of the program.
    pub version: String,
}

/// The evidence that claims are checked against.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BundledEvidence {
    /// All records that the run has read, in the order of reading.
    pub sources: Vec<BundledSource>,
    /// All aggregations, in the order of their ids.
    pub tables: Vec<Table>,
    /// The documents with their stored text, the hash of their file and their reader, and the
    /// passages of them.
    #[serde(default, skip_serializing_if = "PassageRegistry::is_empty")]
    pub passages: PassageRegistry,
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
    /// Returns the SHA-256 of a record with its id, fields and text, computed from its [canonical]
    /// JSON, in hexadecimal digits.
    ///
    /// [canonical]: canonical
    pub fn hash_of(source: &Source) -> String {
        serde_json::to_value(source)
            .map(|value| sha256(&canonical(value)))
            .unwrap_or_default()
    }
}

impl From<&Source> for BundledSource {
    fn from(source: &Source) -> Self {
        Self {
            sha256: Self::hash_of(source),
            source: source.clone(),
        }
    }
}

impl From<&Evidence> for BundledEvidence {
    fn from(evidence: &Evidence) -> Self {
        let sources = evidence
            .sources
            .iter()
            .map(|source| BundledSource::from(&**source))
            .collect();
        Self {
            sources,
            tables: evidence.tables.clone(),
            passages: evidence.passages.clone(),
        }
    }
}

impl BundledEvidence {
    /// Returns the evidence in the form that the checker reads.
    pub fn to_evidence(&self) -> Evidence {
        let sources: Vec<Source> = self
            .sources
            .iter()
            .map(|bundled| bundled.source.clone())
            .collect();
        Evidence {
            sources: sources.into(),
            tables: self.tables.clone(),
            passages: self.passages.clone(),
        }
    }
}
