//! The prompts as a model gets them: a change of a template, or of what fills it, shows as a change of the files in `prompts/`.
//! With `REWRITE_PROMPTS=1` the files are written anew.

use std::path::Path;
use std::sync::Arc;

use research_agents::dataset::DatasetAgent;
use serde_json::json;

use crate::fake::FakeTool;
use crate::script::{
    DECOMPOSE, EXTRACT, GAPS, INSIGHTS, PERSPECTIVES, PLAN, SYNTHESIZE, VALIDATE, extraction, finding, helpful, plan,
    prompt,
};

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

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("dataset/prompts");
    for task in TASKS {
        assert!(!model.calls_of(task).is_empty(), "{task} was not asked");
        let text = unmarked(&prompt(&model, task, 0));
        let file = folder.join(format!("{task}.txt"));
        if std::env::var_os("REWRITE_PROMPTS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        let known = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(
            text, known,
            "{task}: look at the new prompt, give its template a new version, and run with REWRITE_PROMPTS=1"
        );
    }
}
