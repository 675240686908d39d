//! Draws findings from a batch of records: values that many share, values that occur together,
//! outliers, and sentences.
//!
//! A finding states no count: the same finding of another batch joins it, and code counts the
//! records.

pub(crate) mod batch;
pub(crate) mod prose;
pub(crate) mod tabular;

use std::collections::BTreeMap;

use research_agents_report::claim::Claim;

use crate::data::task::{DraftFinding, ExtractTask, ExtractorLlmResponse};
use crate::offline::extract::batch::Batch;
use crate::offline::extract::prose::sentences;
use crate::offline::extract::tabular::{outliers, shared_values, together};

/// The maximum number of themes that are named.
const MOST_THEMES: usize = 12;

/// Answers the task.
pub(crate) fn extract(task: &ExtractTask) -> ExtractorLlmResponse {
    let batch = Batch::new(task);
    let cap = task.max_findings_per_doc.max(1);

    // Shared values take all findings of a record but one, so that a shared value is found in every
    // record that has it.
    let fields = if cap == 1 { 1 } else { cap - 1 };
    let mut findings = shared_values(&batch, fields);
    let themes_discovered = themes(&findings);

    let mut special = sentences(&batch, task);
    special.extend(outliers(&batch));
    special.extend(together(&batch));
    findings.extend(special);
    cap_per_record(&mut findings, cap);

    ExtractorLlmResponse {
        findings,
        themes_discovered,
    }
}

fn themes(findings: &[DraftFinding]) -> Vec<String> {
    let mut themes: Vec<String> = Vec::new();
    for theme in findings.iter().flat_map(|finding| &finding.themes) {
        if themes.len() < MOST_THEMES && !themes.contains(theme) {
            themes.push(theme.clone());
        }
    }
    themes
}

/// Removes records from findings after the first `cap` findings of each record. A finding that
/// would lose more than half of its records this way is dropped.
fn cap_per_record(findings: &mut Vec<DraftFinding>, cap: usize) {
    let mut used: BTreeMap<String, usize> = BTreeMap::new();

    findings.retain_mut(|finding| {
        let all = finding.doc_ids.len();
        finding
            .doc_ids
            .retain(|id| used.get(id).is_none_or(|places| *places < cap));
        let ids = &finding.doc_ids;
        finding.evidence.retain(|claim| match claim {
            Claim::Quote { source, .. } => ids.contains(source),
            _ => true,
        });
        let keep = ids.len() * 2 >= all && !finding.evidence.is_empty();
        if keep {
            ids.iter()
                .for_each(|id| *used.entry(id.clone()).or_default() += 1);
        }
        keep
    });
}

#[cfg(test)]
mod tests;
