//! The loop and the graph give the same trace.

use research_agents_code_agent::run::{ResearchRun, RunId};
use research_agents_runtime::run::Run;
use research_llm::testing::ScriptedModel;
use serde_json::json;

use crate::project::{Project, RUN, choose, finalize, open, script};

/// A generator of numbers that is the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// The decisions of one run: actions that succeed and fail, answers that hold and do not, and text
/// that is no decision.
fn decisions(seed: u64) -> Vec<String> {
    let mut numbers = Numbers(seed);
    let mut decisions = Vec::new();
    for _ in 0..numbers.below(6) {
        let first = 1 + numbers.below(30) as usize;
        decisions.push(match numbers.below(8) {
            0 => choose("hybrid_search", json!({"query": "lookup", "k": 2})),
            1 => choose("ts_outline", json!({"file_path": "src/lib.rs"})),
            2 => choose("compute_answer", json!({"question": "Who calls `lookup`?"})),
            3 => choose(
                "lsp_hover",
                json!({"file_path": "src/lib.rs", "line": 1, "column": 0}),
            ),
            4 => "no decision at all".to_owned(),
            5 => json!({"action": "open_span", "reasoning": "without input"}).to_string(),
            _ => open(first, first + 2),
        });
    }
    decisions.push(finalize(match numbers.below(4) {
        0 => "`lookup` is a function. [ev-1a2b3c4d-001]",
        1 => "`invented_name` is called 77 times. [ev-1a2b3c4d-009]",
        2 => "No answer.",
        _ => "`MAX_ENTRIES` is 10_000. [ev-1a2b3c4d-001]\nIt is invented by Nobody. [ev-1a2b3c4d-001]",
    }));
    // What is asked for after an answer that does not hold.
    decisions.extend((0..30).map(|_| finalize("No answer.")));
    decisions
}

fn model(seed: u64) -> ScriptedModel {
    script(decisions(seed))
}

async fn by_loop(project: &Project, seed: u64) -> (ResearchRun, String) {
    let id = RunId::parse(RUN).unwrap();
    let agent = project.with_model(model(seed));
    let ended = agent
        .ask("What is `lookup`?")
        .budget(6)
        .run_id(id)
        .record()
        .run()
        .await
        .unwrap();
    let bundle = ended.bundle.unwrap();
    (
        ended.run.timeless(),
        json!([bundle.markdown, bundle.effects]).to_string(),
    )
}

async fn by_graph(project: &Project, seed: u64) -> (ResearchRun, String) {
    let id = RunId::parse(RUN).unwrap();
    let agent = project.with_model(model(seed));
    let question = agent.ask("What is `lookup`?").budget(6).run_id(id).record();
    let run: Run<_> = question.graph().unwrap();
    let ended = run.await.unwrap();
    let bundle = ended.bundle.unwrap();
    let run = ended.state.run().timeless();
    (run, json!([bundle.markdown, bundle.effects]).to_string())
}

#[tokio::test]
async fn eighty_scripted_runs_have_equal_traces_and_tapes() {
    let project = Project::new();
    let mut lengths = std::collections::BTreeSet::new();
    for seed in 0..80 {
        let looped = by_loop(&project, seed).await;
        let graph = by_graph(&project, seed).await;

        assert_eq!(looped.0, graph.0, "seed {seed}");
        assert_eq!(unmarked(&looped.1), unmarked(&graph.1), "seed {seed}");
        lengths.insert(looped.0.steps.len());
    }
    assert!(lengths.len() >= 5, "{lengths:?}");
}

/// The marker of untrusted text is random in each run, and so are the prompts.
fn unmarked(tape: &str) -> String {
    let Some((_, rest)) = tape.split_once("<<data ") else {
        return tape.to_owned();
    };
    let marker: String = rest
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect();
    tape.replace(&marker, "marker")
}

#[tokio::test]
async fn the_offline_model_has_equal_traces_too() {
    let project = Project::new();
    for question in [
        "Who calls `lookup`?",
        "Where is `Cache` defined?",
        "Where is `Missing` defined?",
        "Why?",
    ] {
        let id = RunId::parse(RUN).unwrap();
        let agent = project.agent();

        let looped = agent
            .ask(question)
            .run_id(id.clone())
            .run()
            .await
            .unwrap()
            .run;
        let graph = agent
            .ask(question)
            .run_id(id)
            .graph()
            .unwrap()
            .await
            .unwrap();

        assert_eq!(
            looped.timeless(),
            graph.state.run().timeless(),
            "{question}"
        );
    }
}
