//! What a host builds on: its own sub-agents, the graph itself.

use std::sync::Arc;

use research_agents::Error;
use research_agents::dataset::{Completion, DatasetAgent, DatasetCx, graph};
use research_agents::subagent::{Card, SubAgent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::fake::FakeTool;
use crate::script::{PLAN, helpful, plan};

/// A validator of the host: content with what it sees.
struct Validator;

#[derive(Deserialize, JsonSchema)]
struct Review {
    original_query: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Verdict {
    status: String,
    overall_confidence: f64,
}

impl SubAgent<DatasetCx> for Validator {
    type Input = Review;
    type Output = Verdict;

    fn card(&self) -> Card {
        Card::new("validator", "Checks the findings.").use_when("before the report").speed("instant").cost("none")
    }

    async fn run(&self, cx: &DatasetCx, input: Review) -> Result<Verdict, Error> {
        assert_eq!(input.original_query, cx.state().question);
        Ok(Verdict { status: "PASSED".into(), overall_confidence: 0.85 })
    }
}

#[tokio::test]
async fn a_sub_agent_of_the_host_is_planned_and_accumulated() {
    let model = helpful().on_task(PLAN, plan(&[], &[json!({"group_by": "parity"})])).on_task(
        PLAN,
        plan(&[("validator", json!({})), ("scanner", json!({"max_batches": 1, "batch_size": 10}))], &[]),
    );
    let model = Arc::new(model);
    let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", 165))
        .agent(Validator)
        .build()
        .unwrap();
    let report = agent.run("numbers by parity").await.unwrap();
    assert_eq!(report.completion, Some(Completion::Confidence));
    assert_eq!(report.stats.confidence, 0.85);
    let prompt: String = model.calls_of(PLAN)[0].messages.iter().map(|message| message.text()).collect();
    assert!(prompt.contains("## validator") && prompt.contains("use when: before the report"), "{prompt}");
}

#[test]
fn the_graph_can_be_drawn() {
    let drawing = graph().unwrap().to_mermaid();
    for node in
        ["initialize", "planner", "execute_agents", "execute_tools", "accumulate", "check_complete", "synthesizer"]
    {
        assert!(drawing.contains(node), "{drawing}");
    }
}
