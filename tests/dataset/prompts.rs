//! The prompts as a model gets them: a change of a template, or of what fills it, shows as a change of the files in `prompts/`.
//! With `REWRITE_PROMPTS=1` the files are written anew.

use std::path::Path;
use std::sync::Arc;

use research_agents::dataset::{ClarificationPolicy, DatasetAgent, DatasetConfig};
use research_agents::kernel::{Clarification, Clarifier};
use research_agents::mcp::BoxFuture;
use serde_json::json;

use crate::fake::FakeTool;
use crate::script::{
    DECOMPOSE, EXTRACT, GAPS, INSIGHTS, PERSPECTIVES, PLAN, SYNTHESIZE, VALIDATE, extraction, finding, helpful, plan,
    prompt,
};
use crate::strikes::Strikes;

const CLARIFY: &str = "dataset.clarify";
const TASKS: [&str; 8] = [PLAN, DECOMPOSE, PERSPECTIVES, INSIGHTS, EXTRACT, VALIDATE, GAPS, SYNTHESIZE];

/// The text with one word in the place of the random marker of untrusted lines.
fn unmarked(prompt: &str) -> String {
    let marked = |line: &&str| line.starts_with('x') && line.get(11..13) == Some("| ") || line.starts_with("<<data ");
    let marker = prompt.lines().find(marked).map(|line| match line.strip_prefix("<<data ") {
        Some(rest) => rest.chars().take_while(char::is_ascii_alphanumeric).collect::<String>(),
        None => line.chars().take_while(char::is_ascii_alphanumeric).collect(),
    });
    marker.map_or_else(|| prompt.to_owned(), |marker| prompt.replace(&marker, "MARKER"))
}

#[tokio::test]
async fn prompts_are_those_that_were_looked_at() {
    let model = Arc::new(
        helpful()
            .on_task(
                PLAN,
                plan(
                    &[
                        ("decomposer", json!({})),
                        ("perspective", json!({})),
                        ("aggregator", json!({"group_by": "parity"})),
                    ],
                    &[json!({"group_by": "parity"})],
                ),
            )
            .on_task(PLAN, plan(&[("scanner", json!({"batch_size": 30, "max_batches": 1}))], &[]))
            .on_task(PLAN, plan(&[("validator", json!({})), ("gap_analyzer", json!({}))], &[]))
            .always(PLAN, plan(&[("synthesizer", json!({}))], &[]))
            .always(EXTRACT, extraction(&[finding("Number 2 is even", &["2"])])),
    );
    let tool = FakeTool::new("analyze_events", 320);
    let agent = DatasetAgent::builder(Arc::clone(&model), tool).build().unwrap();
    agent.run("Which numbers are even?").await.unwrap();

    for task in TASKS {
        assert!(!model.calls_of(task).is_empty(), "{task} was not asked");
        assert_known(task, &prompt(&model, task, 0));
    }
    // There were no insights at first.
    assert_known("dataset.insights.again", &prompt(&model, INSIGHTS, 1));
    // With records unread, and with a verdict and gaps.
    assert_known("dataset.plan.second", &prompt(&model, PLAN, 1));
    assert_known("dataset.plan.last", &prompt(&model, PLAN, 3));
}

/// Has no answer.
struct Silent;

impl Clarifier for Silent {
    fn ask(&self, _: Clarification) -> BoxFuture<'_, Option<String>> {
        Box::pin(async { None })
    }
}

#[tokio::test]
async fn the_prompt_about_what_is_unclear_is_the_one_that_was_looked_at() {
    let strikes = Strikes::new();
    let unclear = json!({"is_ambiguous": true, "question": "Which one?", "options": ["the state", "the airport"]});
    let model = helpful()
        .on_task(CLARIFY, unclear)
        .on_task(PLAN, plan(&[("scanner", json!({}))], &[]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let (model, hub) = (Arc::new(model), strikes.hub().await);
    let config = DatasetConfig { clarification: ClarificationPolicy::Ask, ..DatasetConfig::default() };
    let agent = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&hub)).config(config).build().unwrap();
    agent.run("Strikes in Washington by size").clarifier(Silent).await.unwrap();
    hub.close().await;
    assert_known(CLARIFY, &prompt(&model, CLARIFY, 0));
}

/// The prompt is the one of this name in `prompts/`.
fn assert_known(name: &str, prompt: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("dataset/prompts");
    let text = unmarked(prompt);
    let file = folder.join(format!("{name}.txt"));
    if std::env::var_os("REWRITE_PROMPTS").is_some() {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(&file, &text).unwrap();
    }
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        text, known,
        "{name}: look at the new prompt, give its template a new version, and run with REWRITE_PROMPTS=1"
    );
}
