//! `finalize`: the answer, which ends the run if it can be verified.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::actions::action::Action;
use crate::actions::context::ActionContext;
use crate::actions::result::ActionResult;

/// Confidence of an answer that states none.
const CONFIDENCE: f64 = 0.8;

/// Ends the run with an answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Finalize;

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FinalizeInput {
    #[doc = " The answer in a few sentences. After each sentence, the ids of the evidence that \
             shows it in square brackets, such as [ev-1a2b3c4d-001]."]
    pub answer: String,
    /// How sure the answer is, from 0 to 1.
    #[serde(default = "confidence")]
    pub confidence: f64,
}

fn confidence() -> f64 {
    CONFIDENCE
}

impl FinalizeInput {
    /// Returns the confidence within 0 to 1.
    pub fn clamped(&self) -> f64 {
        if self.confidence.is_nan() {
            return CONFIDENCE;
        }
        self.confidence.clamp(0.0, 1.0)
    }
}

impl Action for Finalize {
    const NAME: &'static str = "finalize";
    const DESCRIPTION: &'static str = "Gives the answer and ends the research. Every sentence \
        cites evidence by its id and repeats only names and numbers that are in the cited lines.";
    type Input = FinalizeInput;

    async fn execute(&self, input: FinalizeInput, _: &ActionContext) -> ActionResult {
        if input.answer.trim().is_empty() {
            return ActionResult::failed("the answer is empty");
        }
        let confidence = input.clamped();
        ActionResult::done(format!("answered with confidence {confidence:.2}"))
            .with_data(json!({"answer": input.answer, "confidence": confidence}))
            .stopping()
    }
}
