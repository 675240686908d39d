//! The scanner: reads all matching records page by page, each once, or samples of each group, and draws findings.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::scan::Scan;
use crate::Error;
use crate::dataset::note::Note;
use crate::dataset::record::{AggregationResult, Finding, Object, SubQuestion};
use crate::dataset::scope::QueryReport;
use crate::dataset::services::DatasetCx;
use crate::kernel::Source;
use crate::subagent::{Card, InvalidInput, SubAgent};
use crate::suggest::closest;

/// Reads all matching records.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scanner;

/// What the scanner takes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ScannerInput {
    /// The data tool to read from.
    #[serde(default)]
    pub tool_name: Option<String>,
    /// Several data tools to read from, one after the other.
    #[serde(default)]
    pub tool_names: Vec<String>,
    /// Arguments for the tool, such as `{"filters": "{\"country\": \"India\"}"}`. Without filters those of the last data call
    /// are taken. With `group_by` in it, samples of each group are read, `samples_per_bucket` of each (20 unless given), and not
    /// all records: for when more match than a run reads. Sizes and cursors in it are not used.
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
    /// Share of the matching records that was read, 0 to 100; absent when it is not known how many match, or when a tool gave more
    /// than it says match.
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

impl SubAgent<DatasetCx> for Scanner {
    type Input = ScannerInput;
    type Output = ScannerOutput;

    fn card(&self) -> Card {
        Card::new(super::SCANNER, "Reads all matching records, at most 300, each once, or samples of each group, and draws findings from them.")
            .use_when("iteration 2 or later, when more records match than were read")
            .speed("a tool call and one or more model calls for each batch")
            .cost("high")
            .fetches_data()
    }

    fn validate(&self, input: &ScannerInput) -> Result<(), InvalidInput> {
        for (field, value) in [("batch_size", Some(input.batch_size)), ("max_batches", input.max_batches)] {
            if value == Some(0) {
                return Err(InvalidInput::new(field, "must be at least 1"));
            }
        }
        Ok(())
    }

    async fn run(&self, cx: &DatasetCx, input: ScannerInput) -> Result<ScannerOutput, Error> {
        let tools = tool_names(cx, input.tool_name.as_deref(), &input.tool_names)?;
        for tool in &tools {
            // Some scans make no call, and would take filters that cannot be read for none.
            cx.reading(tool).arguments.check_filters(&input.tool_args)?;
        }
        let mut scan = Scan::new(cx);
        for tool in tools {
            scan.tool(&tool, &input).await;
        }
        scan.finish()
    }
}

/// The tools that were named, else the first enabled one.
pub(super) fn tool_names(cx: &DatasetCx, one: Option<&str>, several: &[String]) -> Result<Vec<String>, Error> {
    let enabled = &cx.state().enabled_tools;
    let mut named: Vec<String> = Vec::new();
    for name in several.iter().map(String::as_str).chain(one).filter(|name| !name.is_empty()) {
        if !enabled.iter().any(|known| known == name) {
            return Err(Error::UnknownTool {
                name: name.to_owned(),
                suggestion: closest(name, enabled.iter().map(String::as_str)).map(str::to_owned),
                known: enabled.clone(),
            });
        }
        if !named.iter().any(|known| known == name) {
            named.push(name.to_owned());
        }
    }
    if named.is_empty() {
        named.extend(enabled.first().cloned());
    }
    Ok(named)
}

/// The tools that the arguments of a planned call name, else the first enabled one, as [`tool_names`] has them.
pub(in crate::dataset) fn asked_tools(arguments: &Object, enabled: &[String]) -> Vec<String> {
    let one = arguments.get("tool_name").into_iter();
    let several = arguments.get("tool_names").and_then(Value::as_array).into_iter().flatten();
    let names = several.chain(one).filter_map(Value::as_str).filter(|name| !name.is_empty()).map(str::to_owned);
    let mut named: Vec<String> = names.collect();
    if named.is_empty() {
        named.extend(enabled.first().cloned());
    }
    named
}

/// Batches for `total` records, at most as many as `limit` records need: `ceil(total / size)`, capped by `ceil(limit / size)`.
///
/// ```
/// use research_agents::dataset::max_batches;
///
/// assert_eq!(max_batches(Some(165), 75, 300), 3);
/// assert_eq!(max_batches(Some(10_000), 70, 300), 5);
/// assert_eq!(max_batches(None, 100, 300), 3);
/// ```
pub fn max_batches(total: Option<u64>, size: usize, limit: usize) -> usize {
    let most = limit.div_ceil(size.max(1));
    let wanted = total.map(|total| usize::try_from(total).unwrap_or(usize::MAX).div_ceil(size.max(1)));
    wanted.unwrap_or(most).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A-078: every total with every size.
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
                assert_eq!(max_batches(Some(total), size, 300), batches, "{total} in batches of {size}");
            }
        }
    }
}
