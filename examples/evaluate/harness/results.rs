//! The results of an evaluation: case by case, in all, and as a file.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::metric::{Measures, Metric, SUCCESS_RATE};
use super::score::Score;
use super::suite::Case;
use super::unusable::Unusable;

/// Number of the form that this program writes and reads.
const FORM: u32 = 1;

/// What an evaluation measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// Form of the file.
    pub form: u32,
    /// Provider and name of the model, and how its answers were spoiled.
    pub model: String,
    /// The cases, in their order.
    pub cases: Vec<CaseResult>,
    /// All of them together.
    pub totals: Measures,
}

/// What a case measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseResult {
    /// Name of the case.
    pub id: String,
    /// The question and its expected answer, as a fingerprint: results of another case are not compared.
    pub fingerprint: String,
    /// What the case is about.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub tags: BTreeSet<String>,
    /// Everything was right.
    pub passed: bool,
    /// What was not, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
    /// Why there is no report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The measures.
    pub measures: Measures,
    /// What helps to understand a failure.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub excerpt: String,
}

impl CaseResult {
    /// Creates the result of a case.
    pub fn new(case: &impl Case, score: Score, error: Option<String>) -> Self {
        let Score { measures, failures, excerpt } = score;
        Self {
            id: case.id().to_owned(),
            fingerprint: fingerprint(case),
            tags: case.tags().clone(),
            passed: error.is_none() && failures.is_empty(),
            failures,
            error,
            measures,
            excerpt,
        }
    }
}

/// Returns digits that change when the case does.
fn fingerprint(case: &impl Case) -> String {
    use sha2::{Digest, Sha256};
    let text = serde_json::to_string(case).unwrap_or_default();
    Sha256::digest(text.as_bytes()).iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

impl Results {
    /// Creates the results of these cases.
    pub fn new(metrics: &[Metric], model: String, cases: Vec<CaseResult>) -> Self {
        let totals = Measures::together(metrics, cases.iter().map(|case| &case.measures));
        debug_assert!(totals.get(&SUCCESS_RATE).sum <= totals.get(&SUCCESS_RATE).of);
        Self { form: FORM, model, cases, totals }
    }

    /// How many cases were right in everything.
    pub fn passed(&self) -> usize {
        self.cases.iter().filter(|case| case.passed).count()
    }

    /// What a later run can be compared with: without what differs from run to run.
    pub fn baseline(&self) -> Self {
        let lasting = |case: &CaseResult| CaseResult {
            measures: case.measures.lasting(),
            excerpt: String::new(),
            ..case.clone()
        };
        let cases = self.cases.iter().map(lasting).collect();
        Self { cases, totals: self.totals.lasting(), ..self.clone() }
    }

    /// Writes the results as JSON.
    pub fn write(&self, path: &Path) -> Result<(), Unusable> {
        let shown = path.display().to_string();
        let text = serde_json::to_string_pretty(self).map_err(|error| Unusable::new(format!("{shown}: {error}")))?;
        fs::write(path, text + "\n").map_err(|error| Unusable::file(&shown, &error))
    }

    /// Reads results that were written.
    pub fn read(path: &Path) -> Result<Self, Unusable> {
        let shown = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|error| Unusable::file(&format!("--baseline {shown}"), &error))?;
        let remedy = "write one with --write-baseline";
        let read: Self = serde_json::from_str(&text).map_err(|error| {
            Unusable::new(format!("--baseline {shown} is no baseline of this program: {error}; {remedy}"))
        })?;
        if read.form != FORM {
            let reason = format!("it has form {}, and this program reads form {FORM}", read.form);
            return Err(Unusable::new(format!("--baseline {shown}: {reason}; {remedy}")));
        }
        Ok(read)
    }
}
