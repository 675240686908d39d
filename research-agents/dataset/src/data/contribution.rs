//! The contribution of one call to the run.
//!
//! Every sub-agent and tool result is reduced to a contribution before it is merged. A sub-agent's
//! output contributes everything that it holds under the names below, so that an agent of the host
//! takes part without the merge knowing it.

use std::collections::BTreeMap;

use research_agents_report::claim::{Claim, Statement};
use research_agents_report::document::Report;
use research_agents_report::evidence::Source;
use research_agents_runtime::event::Note;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::query::QueryReport;
use crate::data::record::{AggregationResult, Finding, SubQuestion};
use crate::data::review::{
    Perspective, QuestionConfidence, Recommendation, ResearchGap, ValidationIssue, ValidationStatus,
};

/// The contribution of one call to the run.
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
    /// Checked insights, whose claims name the provisional ids of aggregations.
    pub insights: Vec<Statement>,
    /// Records that the tools returned, with ids that are provisional.
    pub sources: Vec<Source>,
    /// Queries of tools, with how far each one got.
    pub queries: Vec<QueryReport>,
    /// Ids of the sources that were read for findings.
    pub processed_doc_ids: Vec<String>,
    /// New findings of each batch, for calls that read several batches in sequence. Other calls
    /// leave it empty: those of one step count together as one batch.
    pub batch_findings: Vec<usize>,
    /// A validator's verdict.
    pub status: Option<ValidationStatus>,
    /// Issues that the validator raised.
    pub issues: Vec<ValidationIssue>,
    /// Confidence per sub-question.
    pub confidence_scores: QuestionConfidence,
    /// The validator's overall confidence, 0 to 1.
    pub overall_confidence: Option<f64>,
    /// Gaps.
    pub gaps: Vec<ResearchGap>,
    /// The recommendation of a gap analysis.
    pub recommendation: Option<Recommendation>,
    /// The report, as Markdown.
    pub report: Option<String>,
    /// The report as a document.
    pub document: Option<Report>,
    /// The key findings of the report.
    pub key_findings: Vec<String>,
    /// The synthesizer's confidence, 0 to 1.
    pub confidence: Option<f64>,
    /// Limitations that the reader of the report must know.
    pub limitations: Vec<String>,
    /// Suggestions for further research.
    pub suggestions_for_further_research: Vec<String>,
    /// Notes for the user.
    pub notes: Vec<Note>,
    /// Reasons for an agent's decisions, in words; they are logged and not reported.
    pub thinking: Vec<String>,
}

impl Contribution {
    /// Creates a contribution from everything in an agent's output that has the name and type of a
    /// field above. Of a list, each entry that can be read is taken; the others are noted.
    pub(crate) fn from_output(output: &Value) -> Self {
        let mut lists = Lists {
            output,
            problems: Vec::new(),
        };

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

    /// Replaces provisional ids by final ones in all places that name sources and aggregations.
    pub(crate) fn rename(
        &mut self,
        sources: &BTreeMap<String, String>,
        tables: &BTreeMap<String, String>,
    ) {
        self.processed_doc_ids
            .iter_mut()
            .for_each(|id| rename(id, sources));
        for finding in &mut self.findings {
            finding
                .doc_ids
                .iter_mut()
                .for_each(|id| rename(id, sources));
            finding
                .evidence
                .iter_mut()
                .for_each(|claim| rename_claim(claim, sources, tables));
        }

        for insight in &mut self.insights {
            insight
                .claims
                .iter_mut()
                .for_each(|claim| rename_claim(claim, sources, tables));
        }
    }
}

/// Reads the lists of an output.
struct Lists<'a> {
    output: &'a Value,
    /// Notes on entries that could not be read.
    problems: Vec<Note>,
}

impl Lists<'_> {
    fn take<T: DeserializeOwned>(&mut self, name: &str) -> Vec<T> {
        let entries = match self.output.get(name) {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(entries)) => entries,
            Some(_) => {
                self.problems.push(Note::own(format!(
                    "what a sub-agent gave as its {name} is no list; it was left out"
                )));
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
            let message =
                format!("{bad} of {all} {name} of a sub-agent could not be read and were left out");
            let full = format!("{message}: {error}");
            self.problems.push(Note::own(message).in_full(full));
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

fn rename_claim(
    claim: &mut Claim,
    sources: &BTreeMap<String, String>,
    tables: &BTreeMap<String, String>,
) {
    if let Some(id) = claim.aggregation_mut() {
        rename(id, tables);
    }
    if let Some(id) = claim.source_mut() {
        rename(id, sources);
    }
}

#[cfg(test)]
mod tests {
    use research_agents_report::claim::Basis;
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
        assert_eq!(
            contribution.gaps.len(),
            1,
            "one that cannot be read does not cost the others"
        );

        let message: Vec<&str> = contribution.notes.iter().filter_map(Note::told).collect();

        assert_eq!(
            message,
            [
                "what a sub-agent gave as its findings is no list; it was left out",
                "1 of 2 gaps of a sub-agent could not be read and were left out"
            ]
        );
    }

    #[test]
    fn provisional_ids_are_renamed_wherever_they_stand() {
        let quote = |id: &str| Claim::Quote {
            source: id.into(),
            text: "x".into(),
            start: None,
        };
        let total = |id: &str| Claim::Total {
            over: Basis::Aggregation(id.into()),
            number: 1,
        };
        let mut contribution = Contribution {
            insights: vec![Statement {
                text: "1".into(),
                claims: vec![total("A1"), quote("7")],
            }],
            ..Contribution::default()
        };
        let map = |from: &str, to: &str| BTreeMap::from([(from.to_owned(), to.to_owned())]);
        contribution.rename(&map("7", "t:7"), &map("A1", "A2"));

        assert_eq!(contribution.insights[0].claims, [total("A2"), quote("t:7")]);
    }
}
