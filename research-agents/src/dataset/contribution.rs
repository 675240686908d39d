//! What one call adds to the run.
//!
//! Every sub-agent and tool result is reduced to a contribution before it is merged. A sub-agent's output contributes
//! whatever it holds under the names below, so that an agent of the host takes part without the merge knowing it.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::note::Note;
use super::record::{AggregationResult, Finding, SubQuestion};
use super::review::{Perspective, QuestionConfidence, Recommendation, ResearchGap, ValidationIssue, ValidationStatus};
use super::scope::QueryReport;
use crate::kernel::{Basis, Claim, Report, Source, Statement};

/// What one call adds to the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Contribution {
    /// New sub-questions; they replace the checklist.
    pub sub_questions: Vec<SubQuestion>,
    /// New perspectives.
    pub perspectives: Vec<Perspective>,
    /// Findings.
    pub findings: Vec<Finding>,
    /// Aggregations, with ids that are provisional.
    pub results: Vec<AggregationResult>,
    /// Checked insights, whose claims name those ids.
    pub insights: Vec<Statement>,
    /// Records that came, with ids that are provisional.
    pub sources: Vec<Source>,
    /// What was asked of which tool and how far it went.
    pub queries: Vec<QueryReport>,
    /// Ids of the sources that were read for findings.
    pub processed_doc_ids: Vec<String>,
    /// New findings of each batch that was read one after the other. Calls that read in one go leave it empty: those of one
    /// step count together as one batch.
    pub batch_findings: Vec<usize>,
    /// A validator's verdict.
    pub status: Option<ValidationStatus>,
    /// What it objects to.
    pub issues: Vec<ValidationIssue>,
    /// Confidence per sub-question.
    pub confidence_scores: QuestionConfidence,
    /// Its overall confidence, 0 to 1.
    pub overall_confidence: Option<f64>,
    /// Gaps.
    pub gaps: Vec<ResearchGap>,
    /// What a gap analysis recommends.
    pub recommendation: Option<Recommendation>,
    /// The report, as Markdown.
    pub report: Option<String>,
    /// The same as a document.
    pub document: Option<Report>,
    /// Its key findings.
    pub key_findings: Vec<String>,
    /// The synthesizer's confidence, 0 to 1.
    pub confidence: Option<f64>,
    /// What the reader of the report must know.
    pub limitations: Vec<String>,
    /// Where to look next.
    pub suggestions_for_further_research: Vec<String>,
    /// What the user should hear about, in words.
    pub notes: Vec<Note>,
    /// Why an agent decided as it did, in words; it is logged and not reported.
    pub thinking: Vec<String>,
}

impl Contribution {
    /// Takes from an agent's output whatever has the name and type of a field above. Of a list each entry is taken that can be
    /// read; the others are noted.
    pub(crate) fn from_output(output: &Value) -> Self {
        let mut lists = Lists { output, problems: Vec::new() };
        let mut contribution = Self {
            findings: lists.take("findings"),
            batch_findings: take(output, "batch_findings"),
            sub_questions: lists.take("sub_questions"),
            perspectives: lists.take("perspectives"),
            results: lists.take("results"),
            insights: lists.take("insights"),
            sources: lists.take("sources"),
            queries: lists.take("queries"),
            processed_doc_ids: take(output, "processed_doc_ids"),
            status: parse(output, "status"),
            issues: lists.take("issues"),
            confidence_scores: take(output, "confidence_scores"),
            overall_confidence: parse(output, "overall_confidence"),
            gaps: lists.take("gaps"),
            recommendation: parse(output, "recommendation"),
            report: parse(output, "report"),
            document: parse(output, "document"),
            key_findings: take(output, "key_findings"),
            confidence: parse(output, "confidence"),
            limitations: take(output, "limitations"),
            suggestions_for_further_research: take(output, "suggestions_for_further_research"),
            notes: take(output, "notes"),
            thinking: take(output, "thinking"),
        };
        contribution.notes.append(&mut lists.problems);
        contribution
    }

    /// Writes final ids in place of provisional ones, wherever sources and aggregations are named.
    pub(crate) fn rename(&mut self, sources: &BTreeMap<String, String>, tables: &BTreeMap<String, String>) {
        self.processed_doc_ids.iter_mut().for_each(|id| rename(id, sources));
        for finding in &mut self.findings {
            finding.doc_ids.iter_mut().for_each(|id| rename(id, sources));
            finding.evidence.iter_mut().for_each(|claim| rename_claim(claim, sources, tables));
        }
        for insight in &mut self.insights {
            insight.claims.iter_mut().for_each(|claim| rename_claim(claim, sources, tables));
        }
    }
}

/// Reads the lists of an output.
struct Lists<'a> {
    output: &'a Value,
    /// What could not be read.
    problems: Vec<Note>,
}

impl Lists<'_> {
    fn take<T: DeserializeOwned>(&mut self, name: &str) -> Vec<T> {
        let entries = match self.output.get(name) {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(entries)) => entries,
            Some(_) => {
                self.problems
                    .push(Note::own(format!("what a sub-agent gave as its {name} is no list; it was left out")));
                return Vec::new();
            }
        };
        let mut taken = Vec::new();
        let mut errors = Vec::new();
        for entry in entries {
            match T::deserialize(entry) {
                Ok(entry) => taken.push(entry),
                Err(error) => errors.push(error),
            }
        }
        if let Some(error) = errors.first() {
            let (bad, all) = (errors.len(), entries.len());
            let told = format!("{bad} of {all} {name} of a sub-agent could not be read and were left out");
            let full = format!("{told}: {error}");
            self.problems.push(Note::own(told).in_full(full));
        }
        taken
    }
}

fn parse<T: DeserializeOwned>(output: &Value, name: &str) -> Option<T> {
    T::deserialize(output.get(name)?).ok()
}

fn take<T: DeserializeOwned + Default>(output: &Value, name: &str) -> T {
    parse(output, name).unwrap_or_default()
}

fn rename(id: &mut String, names: &BTreeMap<String, String>) {
    if let Some(name) = names.get(id) {
        id.clone_from(name);
    }
}

fn rename_claim(claim: &mut Claim, sources: &BTreeMap<String, String>, tables: &BTreeMap<String, String>) {
    match claim {
        Claim::Count { over: Basis::Aggregation(id), .. } | Claim::Total { over: Basis::Aggregation(id), .. } => {
            rename(id, tables);
        }
        Claim::Statistic { source: Some(id), .. } | Claim::Quote { source: id, .. } => rename(id, sources),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_agent_of_the_host_contributes_by_the_names_of_its_output() {
        let output = json!({
            "perspectives": [{"name": "Regional Expert", "focus": "Cultural context"}],
            "status": "NEEDS_REVISION",
            "overall_confidence": 0.4,
            "findings": "not a list",
            "gaps": [{"description": "no prices", "importance": "high"}, {"description": 3}],
            "own": 3
        });
        let contribution = Contribution::from_output(&output);
        assert_eq!(contribution.perspectives.len(), 1);
        assert_eq!(contribution.status, Some(ValidationStatus::NeedsRevision));
        assert_eq!(contribution.overall_confidence, Some(0.4));
        assert!(contribution.findings.is_empty() && contribution.batch_findings.is_empty());
        assert_eq!(contribution.gaps.len(), 1, "one that cannot be read does not cost the others");
        let told: Vec<&str> = contribution.notes.iter().filter_map(Note::told).collect();
        assert_eq!(
            told,
            [
                "what a sub-agent gave as its findings is no list; it was left out",
                "1 of 2 gaps of a sub-agent could not be read and were left out"
            ]
        );
    }

    #[test]
    fn provisional_ids_are_renamed_wherever_they_stand() {
        let quote = |id: &str| Claim::Quote { source: id.into(), text: "x".into(), start: None };
        let total = |id: &str| Claim::Total { over: Basis::Aggregation(id.into()), number: 1 };
        let mut contribution = Contribution {
            insights: vec![Statement { text: "1".into(), claims: vec![total("A1"), quote("7")] }],
            ..Contribution::default()
        };
        let map = |from: &str, to: &str| BTreeMap::from([(from.to_owned(), to.to_owned())]);
        contribution.rename(&map("7", "t:7"), &map("A1", "A2"));
        assert_eq!(contribution.insights[0].claims, [total("A2"), quote("t:7")]);
    }
}
