//! The result of an action.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::run::EvidenceDraft;

/// The result of an action.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ActionResult {
    /// Whether the action did what it was asked to.
    pub success: bool,
    /// The result in one line.
    pub output_summary: String,
    /// The lines that it has read.
    pub evidence: Vec<EvidenceDraft>,
    /// Further output.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
    /// The error of an action that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether the run ends with this action.
    pub should_stop: bool,
}

impl ActionResult {
    /// Creates the result of an action that succeeded.
    pub fn done(summary: impl Into<String>) -> Self {
        Self {
            success: true,
            output_summary: summary.into(),
            ..Self::default()
        }
    }

    /// Creates the result of an action that failed.
    pub fn failed(error: impl ToString) -> Self {
        let error = error.to_string();
        Self {
            output_summary: format!("failed: {error}"),
            error: Some(error),
            ..Self::default()
        }
    }

    /// Sets the lines that the action has read.
    #[must_use]
    pub fn with_evidence(mut self, evidence: Vec<EvidenceDraft>) -> Self {
        self.evidence = evidence;
        self
    }

    /// Sets further output.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = data;
        self
    }

    /// Ends the run.
    #[must_use]
    pub fn stopping(mut self) -> Self {
        self.should_stop = true;
        self
    }
}
