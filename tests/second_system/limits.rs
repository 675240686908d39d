//! Budgets, the gate of tools, and cancellation.

use std::sync::Arc;

use futures::StreamExt;
use research_agents::core::CompiledGraph;
use research_agents::report::evidence::Evidence;
use research_agents::runtime::event::{EventKind, RunEvent};

use research_agents::runtime::offline::OfflineModel;
use research_agents::runtime::prelude::*;
use research_llm::testing::ScriptedModel;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::survey::{Survey, Words};
use crate::texts::{QUESTION, Texts, ask, input, survey, survey_within};

#[tokio::test]
async fn a_used_up_budget_ends_in_a_report_of_what_was_read() {
    let texts = Texts::default();
    // One call lists the texts, two read some, and one is for the report.
    let system = survey_within(&texts, BudgetLimits::default().calls(4));

    let ended = ask(&system, QUESTION).await.unwrap();

    assert!(texts.read().len() < 4, "{:?}", texts.read());
    assert!(ended.markdown().contains(&format!("of {} texts", texts.read().len())), "{}", ended.markdown());
    let stats = ended.stats();
    assert!(stats.mcp_calls + stats.llm_calls <= 4, "{stats:?}");
}

#[tokio::test]
async fn cancelling_ends_in_a_report_of_what_was_read() {
    let gate = Arc::new(Semaphore::new(1));
    let texts = Texts { gate: Some(Arc::clone(&gate)), ..Texts::default() };
    let cancel = CancellationToken::new();
    let mut stream = ask(&survey(&texts), QUESTION).cancel(cancel.clone()).stream();

    // One text arrives; the other is under way when the user has enough.
    while let Some(event) = stream.next().await {
        if matches!(&event.kind, EventKind::Run(RunEvent::ToolResult { tool, .. }) if tool == "read_text") {
            cancel.cancel();
        }
    }

    let ended = stream.outcome().await.unwrap();
    assert_eq!(texts.read().len(), 1);
    assert!(ended.markdown().contains("of 1 texts"), "{}", ended.markdown());
}

/// The survey with another policy.
struct Forbidden;

impl Workflow for Forbidden {
    const NAME: &'static str = "forbidden";
    type State = Survey;
    type Config = ();

    fn graph() -> Result<CompiledGraph<Survey, Kit>, Error> {
        Words::graph()
    }

    fn limits(_: &()) -> Settings {
        Settings::new(Policy::new().role("reader", ["list_texts"]))
    }

    fn evidence(state: &Survey) -> Evidence {
        Words::evidence(state)
    }

    fn origins(bundle: &Bundle) -> Origins {
        Words::origins(bundle)
    }
}

#[tokio::test]
async fn a_tool_that_the_policy_does_not_allow_is_never_called() {
    let texts = Texts::default();
    let model = Arc::new(OfflineModel::new(crate::survey::answers()));
    let system = Hosted::<Forbidden>::new(model, Arc::new(texts.clone()), ()).unwrap();
    let mut stream = system.run(input(QUESTION)).stream();

    let mut refused = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Run(RunEvent::Refused { audit }) = &event.kind {
            refused.push((audit.role.clone(), audit.code.as_str()));
        }
    }

    assert_eq!(refused.len(), 5, "{refused:?}");
    assert!(refused.iter().all(|refusal| *refusal == ("reader".to_owned(), "tool_not_allowed")), "{refused:?}");
    assert_eq!(texts.read(), [""; 0]);
}

#[tokio::test]
async fn a_sentence_that_does_not_follow_is_not_printed() {
    let exaggerated = serde_json::json!({"statements": [
        {"text": "The word clover is in 7 texts.", "claims": [{
            "type": "count", "over": {"aggregation": "A1"}, "field": "word", "value": "clover", "number": 3}]},
        {"text": "The word clover is in 3 of 4 texts.", "claims": [{
            "type": "count", "over": {"aggregation": "A1"}, "field": "word", "value": "clover", "number": 3}]},
    ]});
    let model = Arc::new(ScriptedModel::new().then(exaggerated.to_string()));
    let system = Hosted::<Words>::new(model, Arc::new(Texts::default()), BudgetLimits::default()).unwrap();

    let ended = ask(&system, QUESTION).await.unwrap();

    assert!(ended.markdown().contains("in 3 of 4 texts"), "{}", ended.markdown());
    assert!(!ended.markdown().contains("in 7 texts"), "{}", ended.markdown());
}
