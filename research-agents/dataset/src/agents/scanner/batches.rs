//! Input and output of the scanner, and the number of batches that it reads.

use std::collections::BTreeSet;

use research_agents_report::evidence::Source;
use research_agents_runtime::event::Note;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::query::QueryReport;
use crate::data::record::{AggregationResult, Finding, Object, SubQuestion};

/// What the scanner takes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ScannerInput {
    /// The data tool to read from.
    #[serde(default)]
    pub tool_name: Option<String>,
    /// Several data tools to read from, one after the other.
    #[serde(default)]
    pub tool_names: Vec<String>,
    #[doc = " Arguments for the tool, such as `{\"filters\": \"{\\\"country\\\": \
             \\\"India\\\"}\"}`. Without filters those of the last data call\nare taken. With \
             `group_by` in it, samples of each group are read, `samples_per_bucket` of each (20 \
             unless given), and not\nall records: for when more match than a run reads. Sizes \
             and cursors in it are not used."]
    #[serde(default)]
    pub tool_args: Object,
    /// Records of one batch, at least 1.
    #[serde(default = "seventy_five")]
    pub batch_size: usize,
    /// Most batches; computed from the number of matching records when absent.
    #[serde(default)]
    pub max_batches: Option<usize>,
    /// What to look for.
    #[serde(default)]
    pub extraction_focus: String,
    /// The checklist.
    #[serde(default)]
    pub sub_questions: Vec<SubQuestion>,
}

fn seventy_five() -> usize {
    75
}

/// What the scanner returns.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ScannerOutput {
    /// One for each claim.
    pub findings: Vec<Finding>,
    /// Records that this scan has read.
    pub docs_scanned: usize,
    /// Batches it took.
    pub batches_processed: usize,
    /// The records.
    #[schemars(with = "Vec<Value>")]
    pub sources: Vec<Source>,
    #[doc = " Share of the matching records that was read, 0 to 100; absent when it is not known \
             how many match, or when a tool gave more\nthan it says match."]
    pub coverage_percentage: Option<f64>,
    /// Topics of the findings, each once.
    pub unique_themes: BTreeSet<String>,
    /// How far the scan went.
    pub queries: Vec<QueryReport>,
    /// The groups that samples were read of, counted over all matching records.
    pub results: Vec<AggregationResult>,
    /// New findings of each batch.
    pub batch_findings: Vec<usize>,
    /// Ids of the records that were read for findings.
    pub processed_doc_ids: Vec<String>,
    /// What went wrong, in words.
    pub notes: Vec<Note>,
}

/// Returns the number of batches for `total` records, at most as many as `limit` records need:
/// `ceil(total / size)`, capped by `ceil(limit / size)`.
///
/// ```
/// use research_agents_dataset::max_batches;
///
/// assert_eq!(max_batches(Some(165), 75, 300), 3);
/// assert_eq!(max_batches(Some(10_000), 70, 300), 5);
/// assert_eq!(max_batches(None, 100, 300), 3);
/// ```
pub fn max_batches(total: Option<u64>, size: usize, limit: usize) -> usize {
    let most = limit.div_ceil(size.max(1));
    let wanted = total.map(|total| {
        usize::try_from(total)
            .unwrap_or(usize::MAX)
            .div_ceil(size.max(1))
    });
    wanted.unwrap_or(most).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_never_exceed_what_the_limit_needs() {
        let sizes = [1, 70, 75, 100, 150];

        for (total, expected) in [
            (0, [0, 0, 0, 0, 0]),
            (1, [1, 1, 1, 1, 1]),
            (75, [75, 2, 1, 1, 1]),
            (76, [76, 2, 2, 1, 1]),
            (165, [165, 3, 3, 2, 2]),
            (299, [299, 5, 4, 3, 2]),
            (300, [300, 5, 4, 3, 2]),
            (301, [300, 5, 4, 3, 2]),
            (10_000, [300, 5, 4, 3, 2]),
        ] {
            for (size, batches) in sizes.into_iter().zip(expected) {
                assert_eq!(
                    max_batches(Some(total), size, 300),
                    batches,
                    "{total} in batches of {size}"
                );
            }
        }
    }
}
