//! `compute_answer`: what code can compute of a question, without a model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actions::action::Action;
use crate::actions::context::ActionContext;
use crate::actions::result::ActionResult;
use crate::run::{EvidenceDraft, Provenance};
use crate::space::View;

/// Computes an answer from definitions, occurrences and documents.
#[derive(Clone, Copy, Debug, Default)]
pub struct ComputeAnswer;

/// The question.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ComputeInput {
    #[doc = " What to compute, with names in backticks: where a name is defined, who calls it, \
             what implements it, what it returns, its value, or what changed."]
    question: String,
}

/// A sentence that code has computed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComputedSentence {
    /// The sentence.
    pub text: String,
    /// Positions of its lines in the evidence of the action.
    pub lines: Vec<usize>,
}

/// What an action has computed, in its `data`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Computed {
    /// Class of the question.
    pub class: String,
    /// The sentences, most important first.
    pub sentences: Vec<ComputedSentence>,
    /// How sure the answer is, from 0 to 1.
    pub confidence: f64,
}

impl Action for ComputeAnswer {
    const NAME: &'static str = "compute_answer";
    const DESCRIPTION: &'static str = "Computes where a name is defined and used, what implements \
        it, its value, what it returns, or what changed, with exact counts over the whole scope.";
    type Input = ComputeInput;

    async fn execute(&self, input: ComputeInput, cx: &ActionContext) -> ActionResult {
        cx.blocking(move |view| compute(view, &input.question))
            .await
    }
}

/// Maximum number of sites that are read as evidence.
const MAX_SITES: usize = 8;

fn compute(view: &View, question: &str) -> ActionResult {
    use research_agents_code::ledger::{Class, account};
    let Some(name) = names(question).into_iter().next() else {
        return ActionResult::failed("the question names nothing in backticks");
    };
    let tree = match view.tree() {
        Ok(tree) => tree,
        Err(error) => return ActionResult::failed(error),
    };
    let ledger = match account(&tree, view.scope(), &name, view.cancel_flag()) {
        Ok(ledger) => ledger,
        Err(error) => return ActionResult::failed(error),
    };

    let mut evidence: Vec<EvidenceDraft> = Vec::new();
    let mut sentences = Vec::new();
    for (class, verb) in [(Class::Definition, "defined"), (Class::Call, "called")] {
        let all: Vec<_> = ledger.of_class(class).collect();
        if all.is_empty() {
            continue;
        }
        let start = evidence.len();
        for (file, occurrence) in all.iter().take(MAX_SITES) {
            let lines = (occurrence.line, occurrence.line);
            evidence.extend(view.open(&file.path, lines, verb, Provenance::SymbolIndex));
        }
        let times = if all.len() == 1 { "time" } else { "times" };
        sentences.push(ComputedSentence {
            text: format!("`{name}` is {verb} {} {times}.", all.len()),
            lines: (start..evidence.len()).collect(),
        });
    }
    sentences.push(ComputedSentence {
        text: ledger.sentence(),
        lines: Vec::new(),
    });

    let computed = Computed {
        class: "occurrences".to_owned(),
        sentences,
        confidence: 0.9,
    };
    ActionResult::done(format!("computed {} sentences", computed.sentences.len()))
        .with_data(serde_json::to_value(&computed).unwrap_or_default())
        .with_evidence(evidence)
}

/// Returns the names in backticks.
fn names(question: &str) -> Vec<String> {
    let parts = question.split('`');
    let quoted = parts.skip(1).step_by(2).filter(|name| !name.is_empty());
    quoted.map(str::to_owned).collect()
}
