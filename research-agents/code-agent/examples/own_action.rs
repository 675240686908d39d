//! An agent with an action of a host: `own_action [FOLDER]` counts the files of the scope. A model
//! that follows a script takes the place of a language model.

#![expect(clippy::print_stdout, reason = "a program that prints")]

use std::sync::Arc;

use research_agents_code_agent::CodeAgent;
use research_agents_code_agent::actions::{Action, ActionContext, ActionRegistry, ActionResult};
use research_llm::testing::ScriptedModel;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// Counts the files of the scope.
struct CountFiles;

#[derive(Deserialize, JsonSchema)]
struct Ending {
    /// End of the names, such as `.rs`.
    ending: String,
}

impl Action for CountFiles {
    const NAME: &'static str = "count_files";
    const DESCRIPTION: &'static str = "Counts the files of the scope by the end of their names.";
    type Input = Ending;

    async fn execute(&self, input: Ending, cx: &ActionContext) -> ActionResult {
        match cx.view.paths() {
            Ok(paths) => {
                let named = paths
                    .iter()
                    .filter(|path| path.name().ends_with(&input.ending));
                ActionResult::done(format!("{} files", named.count()))
            }
            Err(error) => ActionResult::failed(error),
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let count = json!({"action": "count_files", "reasoning": "", "count_files": {"ending": ".rs"}});
    let end = json!({"action": "finalize", "reasoning": "", "finalize": {"answer": "Counted."}});
    let model = ScriptedModel::new()
        .then(count.to_string())
        .then(end.to_string());

    let actions = ActionRegistry::standard().with(CountFiles).build()?;
    let agent = CodeAgent::builder(folder)?
        .actions(actions)
        .model(Arc::new(model))
        .build()?;
    let run = agent.research("How many files of Rust are there?").await?;

    for step in &run.steps {
        println!("{}: {}", step.action, step.output_summary);
    }
    Ok(())
}
