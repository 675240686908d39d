//! The result of checking an answer.

use serde::{Deserialize, Serialize};

/// The judgement of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerificationStatus {
    /// Every check holds.
    #[default]
    Passed,
    /// Something is weak: little evidence, no citation, or a confidence that the evidence does not
    /// support.
    Warning,
    /// A citation does not resolve, lines have changed, a sentence is not supported, or there is
    /// almost no evidence.
    Failed,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckOutcome {
    /// Name of the check.
    pub check: String,
    /// Whether it holds.
    pub holds: bool,
    /// What was found.
    pub details: Vec<String>,
}

/// The checks of an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Verification {
    /// The judgement.
    pub status: VerificationStatus,
    /// How strongly the evidence supports the answer, from 0 to 1.
    pub support: f64,
    /// Difference between the stated confidence and the support.
    pub calibration: f64,
    /// The checks.
    pub checks: Vec<CheckOutcome>,
    /// How often the answer was sent back to the model.
    pub retries: u32,
    /// Number of sentences that were removed from the answer.
    pub removed: usize,
}

impl Verification {
    /// Returns the details of every check that does not hold.
    pub fn problems(&self) -> impl Iterator<Item = &str> {
        let failed = self.checks.iter().filter(|check| !check.holds);
        failed.flat_map(|check| check.details.iter().map(String::as_str))
    }
}
