//! The plans of the lead researcher, and the tasks of searchers.

use std::sync::Arc;

use research_agents_feedback::FeedbackAgent;
use research_agents_feedback::config::FeedbackConfig;
use research_agents_feedback::records::TaskStatus;
use research_agents_feedback::tasks::{ANALYZE, COMPLEXITY, DECIDE, LEAD};
use research_agents_scr::synthesizer::History;
use research_llm::testing::assert_stable_prefix;
use serde_json::{Value, json};

use crate::support::{QUESTION, Slow, asking, model, notes, over, prompt};

fn plan(index: usize, tasks: &[&str]) -> Value {
    let tasks: Vec<Value> = tasks
        .iter()
        .map(|task| json!({"description": task}))
        .collect();
    json!({"approaches": [{}, {}, {}], "selected_approach_index": index, "tasks": tasks})
}

#[tokio::test]
async fn a_plan_that_cannot_be_used_is_asked_for_again_with_the_problem() {
    let folder = notes();
    for (first, problem) in [
        (
            plan(3, &["backup"]),
            "`selected_approach_index` is 3; it must be 0 to 2",
        ),
        (
            json!({"approaches": [{}], "tasks": [{"description": "x"}]}),
            "`approaches` has 1 items",
        ),
        (plan(0, &[" "]), "`tasks` is empty"),
    ] {
        let model = model(move |task| {
            if task.name == DECIDE {
                return Some(json!({"needs_more_research": false}));
            }
            let is_first = task.name == LEAD && task.input.get("problem").is_none();
            is_first.then(|| first.clone())
        });
        let agent = over(&folder)
            .model(Arc::clone(&model) as _)
            .build()
            .unwrap();
        let ended = agent.run(QUESTION).await.unwrap();

        let asked = model.calls_of(LEAD);
        assert!(prompt(&asked[1]).contains(problem), "{}", prompt(&asked[1]));
        assert_eq!(ended.state.iteration_count(), 1, "an attempt is not a pass");
        assert_eq!(ended.state.research_plan().unwrap().approaches.len(), 3);
    }
}

#[tokio::test]
async fn tasks_beyond_the_workers_wait_and_none_is_lost() {
    let source = Slow::default();
    let subjects = ["cats", "dogs", "fish", "birds", "bees", "ants", "frogs"];
    let model = model(move |task| match task.name.as_str() {
        COMPLEXITY => Some(json!({"recommended_workers": 2, "max_iterations": 1})),
        LEAD => Some(plan(0, &subjects)),
        _ => None,
    });
    let builder = FeedbackAgent::builder()
        .model(model)
        .source(Arc::new(source.clone()));
    let ended = builder.build().unwrap().run(QUESTION).await.unwrap();

    assert_eq!(source.searches(), 7);
    assert_eq!(source.most(), 2);
    let findings = ended.state.subagent_findings();
    assert_eq!(findings.len(), 7);
    assert!(findings.iter().all(|one| one.status == TaskStatus::Nothing));
    assert!(
        ended
            .markdown()
            .contains("No passage says anything about “frogs”")
    );
}

#[tokio::test]
async fn a_task_that_was_given_is_not_given_again() {
    let folder = notes();
    let model = model(|task| match task.name.as_str() {
        DECIDE => Some(json!({"needs_more_research": true, "key_factors": ["hours"]})),
        LEAD => Some(plan(
            0,
            &["The hours of the nightly backup", "nightly backup hours"],
        )),
        _ => None,
    });
    let agent = over(&folder)
        .model(Arc::clone(&model) as _)
        .build()
        .unwrap();
    let ended = agent.run(QUESTION).await.unwrap();
    assert_eq!(ended.state.iteration_count(), 2);
    assert_eq!(ended.state.subagent_findings().len(), 1);
}

#[tokio::test]
async fn a_searcher_knows_nothing_of_other_tasks() {
    let folder = notes();
    let model = model(|task| {
        (task.name == LEAD).then(|| {
            plan(
                0,
                &[
                    "nightly backup SENTINELONE",
                    "nightly backup tape SENTINELTWO disks",
                ],
            )
        })
    });
    let agent = over(&folder)
        .model(Arc::clone(&model) as _)
        .build()
        .unwrap();
    agent.run(QUESTION).await.unwrap();

    let prompts: Vec<String> = model.calls_of(ANALYZE).iter().map(prompt).collect();
    assert_eq!(prompts.len(), 2);
    for prompt in &prompts {
        let named = ["SENTINELONE", "SENTINELTWO"]
            .iter()
            .filter(|one| prompt.contains(**one));
        assert_eq!(named.count(), 1, "{prompt}");
    }
}

#[tokio::test]
async fn the_conversation_of_the_lead_researcher_only_grows() {
    let folder = notes();
    let model = model(|task| match task.name.as_str() {
        DECIDE => Some(json!({"needs_more_research": true, "key_factors": [
            format!("factor {}", task.input["growth"]["iteration"])
        ]})),
        COMPLEXITY => Some(json!({"recommended_workers": 2, "max_iterations": 3})),
        _ => None,
    });
    let mut config = FeedbackConfig::default();
    config.memo.history = Some(History::Append);
    let agent = asking(&folder, &model, config);
    let ended = agent.run(QUESTION).await.unwrap();

    let calls = model.calls_of(LEAD);
    assert_eq!(calls.len(), 3);
    assert_stable_prefix(&calls);
    assert_stable_prefix(&model.calls_of("scr.section"));
    assert_eq!(ended.state.lead_researcher_messages().count(), 6);
    assert!(!ended.state.synthesizer_messages().is_empty());

    // Findings are sent to the lead researcher once.
    let sent = calls[2]
        .messages
        .iter()
        .map(research_llm::Message::text)
        .collect::<String>();
    let new = sent.split("# Tasks so far").collect::<Vec<_>>();
    let count = new
        .iter()
        .filter(|part| part.contains("takes 6 hours"))
        .count();
    assert_eq!(count, 1, "{sent}");
}
