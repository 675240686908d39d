//! `summarize_evidence`: a memo of what was found. A memo is not evidence.

use research_agents_runtime::ask::{Template, UserText};
use research_agents_runtime::job::Ask;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actions::action::Action;
use crate::actions::context::ActionContext;
use crate::actions::result::ActionResult;

/// Name of the task that writes a memo.
pub const MEMO: &str = "code.memo";

const PROMPT: Template = Template::new(MEMO, 1, include_str!("../../prompts/summarize.v1.md"));

/// Asks the model for a memo of the evidence.
#[derive(Clone, Copy, Debug, Default)]
pub struct SummarizeEvidence;

/// What the memo is for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SummarizeInput {
    /// What the memo is for.
    goal: String,
}

/// The material of a memo.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SummarizeTask {
    /// What the memo is for.
    pub goal: String,
    /// Places of the evidence, with their first lines.
    pub evidence: Vec<(String, String)>,
}

/// A memo of the evidence.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Memo {
    /// What the evidence shows.
    pub summary: String,
    /// The findings that matter for the goal.
    pub key_findings: Vec<String>,
    /// The files that matter.
    pub relevant_files: Vec<String>,
    /// What is still missing.
    pub gaps: Vec<String>,
}

impl SummarizeTask {
    /// Returns a memo that lists the places without judging them: what can be said without a
    /// language model.
    pub fn listed(&self) -> Memo {
        let mut files: Vec<String> = self
            .evidence
            .iter()
            .filter_map(|(place, _)| Some(place.rsplit_once(':')?.0.to_owned()))
            .collect();
        files.dedup();
        Memo {
            summary: format!("{} places were read", self.evidence.len()),
            key_findings: Vec::new(),
            relevant_files: files,
            gaps: vec!["no language model has judged the evidence".to_owned()],
        }
    }
}

impl Action for SummarizeEvidence {
    const NAME: &'static str = "summarize_evidence";
    const DESCRIPTION: &'static str =
        "Writes a memo of the evidence so far. A memo cannot be cited.";
    type Input = SummarizeInput;

    async fn execute(&self, input: SummarizeInput, cx: &ActionContext) -> ActionResult {
        let evidence = cx.evidence.iter();
        let task = SummarizeTask {
            goal: input.goal,
            evidence: evidence
                .map(|evidence| (evidence.place(), evidence.text().to_owned()))
                .collect(),
        };
        let lines: Vec<String> = task
            .evidence
            .iter()
            .map(|(place, text)| format!("{place}\n{text}"))
            .collect();
        let data = lines.join("\n").into();
        let goal = task.goal.clone().into();
        let question = UserText::new(&*cx.question);
        let ask = Ask::new(&PROMPT, MEMO, &task, |prompt| {
            prompt
                .set("question", question.clone())
                .data("goal", &goal)
                .data("evidence", &data)
        });

        match cx.job.ask::<Memo>(ask).await {
            Ok(memo) => {
                let summary = memo.summary.chars().take(300).collect::<String>();
                let data = serde_json::to_value(&memo).unwrap_or_default();
                ActionResult::done(summary).with_data(data)
            }
            Err(error) => ActionResult::failed(error),
        }
    }
}
