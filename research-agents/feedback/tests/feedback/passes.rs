//! How many passes a run takes, and what each asks.

use std::sync::Arc;

use research_agents_feedback::config::FeedbackConfig;
use research_agents_feedback::tasks::{ANALYZE, COMPLEXITY, DECIDE, LEAD};
use research_agents_feedback::{FeedbackAgent, FeedbackState};
use research_agents_runtime::run::{System, replay, verify};
use research_agents_scr::memo::{SectionKind, Structure};
use research_agents_scr::synthesizer::{REFLECT, SECTION, SectionTask};
use research_core::MemoryCheckpointer;
use research_llm::testing::ScriptedModel;
use serde_json::json;

use crate::support::{QUESTION, asking, model, notes, over, prompt};

fn continuing(is_needed: bool) -> serde_json::Value {
    json!({
        "needs_more_research": is_needed,
        "confidence": 0.4,
        "reasoning": "The costs are missing.",
        "key_factors": ["costs of tape storage", "restore time"],
    })
}

fn sections(model: &ScriptedModel) -> Vec<SectionKind> {
    let calls = model.calls_of(SECTION).into_iter();
    calls
        .map(|call| call.task.unwrap().parse::<SectionTask>().unwrap().section)
        .collect()
}

#[tokio::test]
async fn a_decider_that_always_continues_ends_at_the_limit() {
    let folder = notes();
    for (by_question, by_config, expected) in [(3, 3, 3), (3, 2, 2), (1, 3, 1)] {
        let model = model(move |task| match task.name.as_str() {
            DECIDE => Some(continuing(true)),
            COMPLEXITY => Some(json!({"recommended_workers": 2, "max_iterations": by_question})),
            _ => None,
        });
        let mut config = FeedbackConfig::default();
        config.max_iterations = by_config;
        let agent = asking(&folder, &model, config);
        let ended = agent.run(QUESTION).await.unwrap();

        assert_eq!(ended.state.iteration_count(), expected);
        assert_eq!(model.calls_of(DECIDE).len(), expected as usize - 1);
        assert!(ended.markdown().contains("## Resolution"));
    }
}

#[tokio::test]
async fn a_decider_that_never_continues_ends_after_one_pass() {
    let folder = notes();
    let model = model(|task| (task.name == DECIDE).then(|| continuing(false)));
    let agent = over(&folder)
        .model(Arc::clone(&model) as _)
        .build()
        .unwrap();
    let ended = agent.run(QUESTION).await.unwrap();

    assert_eq!(ended.state.iteration_count(), 1);
    let state = &ended.state;
    assert_eq!(state.get("decision_reasoning"), Some(json!(null)));
    assert_eq!(state.get("decision_key_factors"), Some(json!([])));
    assert_eq!(state.get("no such field"), None);
}

#[tokio::test]
async fn a_decider_that_fails_ends_with_what_there_is_and_says_so() {
    let folder = notes();
    let model = model(|task| (task.name == DECIDE).then(|| json!("no decision")));
    let agent = over(&folder)
        .model(Arc::clone(&model) as _)
        .build()
        .unwrap();
    let ended = agent.run(QUESTION).await.unwrap();

    let report = ended.markdown();
    assert!(report.contains("could not be decided"), "{report}");
    assert!(
        report.contains("We recommend to replace the nightly backup"),
        "{report}"
    );
    assert_eq!(ended.state.iteration_count(), 1);
}

#[tokio::test]
async fn a_memo_that_the_model_does_not_write_is_written_by_rules() {
    let folder = notes();
    for section in ["situation", "complication", "resolution"] {
        let model = model(move |task| {
            let is_it = task.name == SECTION && task.input["section"] == section;
            is_it.then(|| json!("no edits"))
        });
        let agent = over(&folder)
            .model(Arc::clone(&model) as _)
            .build()
            .unwrap();
        let ended = agent.run(QUESTION).await.unwrap();

        let report = ended.markdown();
        assert!(
            report.contains("Rules wrote the rest of the memo"),
            "{report}"
        );
        for part in ["412 GB", "fails on full disks", "We recommend to replace"] {
            assert!(
                report.contains(part),
                "{section}: {part} is not in\n{report}"
            );
        }
    }
}

#[tokio::test]
async fn the_resolution_is_written_once_when_research_ends() {
    use SectionKind::{Complication as C, Resolution as R, Situation as S};

    // A pass whose tasks find nothing new asks for no section.
    let folder = notes();
    let model = model(|task| match task.name.as_str() {
        DECIDE => Some(continuing(true)),
        COMPLEXITY => Some(json!({"recommended_workers": 2, "max_iterations": 3})),
        LEAD => {
            let pass = task.input["iteration"].as_u64()?;
            let subject = [
                "backup hours tape",
                "backup fails disks",
                "snapshots storage",
            ];
            let subject = subject[usize::try_from(pass).ok()?];
            Some(json!({
                "approaches": [{}, {}, {}],
                "tasks": [{"description": subject, "queries": [subject]}],
            }))
        }
        ANALYZE => {
            // One passage a pass, the one that the task names.
            let names = [
                ("tape", "It writes 412 GB to tape."),
                ("fails", "It failed on 2024-03-05."),
                ("snapshots", "Snapshots need 3 TB of storage."),
            ];
            let asked = task.input["task"].as_str()?;
            let (_, quote) = names.into_iter().find(|(name, _)| asked.contains(name))?;
            let passages = task.input["passages"].as_array()?;
            let has = |one: &&serde_json::Value| {
                one["text"]
                    .as_str()
                    .is_some_and(|text| text.contains(quote))
            };
            let passage = passages.iter().find(has)?["id"].clone();
            Some(json!({"findings": [{"passage": passage, "quotes": [quote]}]}))
        }
        _ => None,
    });
    let agent = over(&folder)
        .model(Arc::clone(&model) as _)
        .build()
        .unwrap();
    let ended = agent.run(QUESTION).await.unwrap();

    assert_eq!(sections(&model), [S, C, S, C, S, C, R]);
    assert_eq!(model.calls_of(REFLECT).len(), 1);
    assert!(ended.state.reflection_analysis().is_some());
    assert_eq!(ended.state.memo().findings.len(), 3);
    assert!(!ended.state.has_partial_synthesis());
}

#[tokio::test]
async fn what_a_decision_misses_reaches_lead_and_synthesizer_by_the_state() {
    let folder = notes();
    let long = format!("{}🚀 and what follows is cut", "x".repeat(298));
    let factors = ["one", "two", "three", "four", "five", "six"].map(|one| format!("factor {one}"));
    let decided = json!({
        "needs_more_research": true, "reasoning": long, "key_factors": factors,
    });
    let model = model(move |task| (task.name == DECIDE).then(|| decided.clone()));
    let agent = over(&folder)
        .model(Arc::clone(&model) as _)
        .build()
        .unwrap();
    agent.run(QUESTION).await.unwrap();

    let plans = model.calls_of(LEAD);
    assert!(!prompt(&plans[0]).contains("Previous iteration identified gaps"));
    let second = prompt(&plans[1]);
    let (before, focus) = second.split_once("Pay special attention").unwrap();
    assert!(before.contains("Previous iteration identified gaps"));
    assert!(
        before.contains("factor five") && !before.contains("factor six"),
        "{before}"
    );
    assert!(
        focus.contains("factor three") && !focus.contains("factor four"),
        "{focus}"
    );
    assert!(focus.contains("Focus new tasks on addressing these specific gaps."));
    assert!(!second.contains("what follows is cut"), "{second}");

    let sections = model.calls_of(SECTION);
    let tasks: Vec<SectionTask> = sections
        .iter()
        .map(|call| call.task.clone().unwrap().parse().unwrap())
        .collect();
    assert!(tasks[0].feedback.is_none());
}

#[tokio::test]
async fn a_decider_sees_how_the_pass_changed_what_is_known() {
    let folder = notes();
    let model = model(|task| match task.name.as_str() {
        DECIDE => Some(continuing(true)),
        COMPLEXITY => Some(json!({"recommended_workers": 2, "max_iterations": 3})),
        _ => None,
    });
    let agent = over(&folder)
        .model(Arc::clone(&model) as _)
        .build()
        .unwrap();
    let ended = agent.run(QUESTION).await.unwrap();

    let second = prompt(&model.calls_of(DECIDE)[1]);
    for part in ["synthesis_length", "findings", "citations", "mean"] {
        assert!(second.contains(part), "{part} is not in\n{second}");
    }
    let (_, growth) = ended.state.decision();
    assert_eq!(growth.iteration, 3);
    assert_eq!(growth.findings[0], growth.findings[1]);
    assert!(growth.is_diminishing());
}

#[tokio::test]
async fn a_memo_of_one_section_takes_one_question_a_pass() {
    let folder = notes();
    let model = model(|task| (task.name == DECIDE).then(|| continuing(true)));
    let mut config = FeedbackConfig::default();
    config.max_iterations = 2;
    config.memo.structure = Structure::Summary;
    let agent = asking(&folder, &model, config);
    let ended = agent.run(QUESTION).await.unwrap();

    let asked = sections(&model);
    assert!(asked.iter().all(|kind| *kind == SectionKind::Summary));
    assert_eq!(asked.len() as u64, ended.state.memo().version);
    assert_eq!(model.calls_of(REFLECT).len(), 0);
    let report = ended.markdown();
    for part in [
        "## Summary",
        "412 GB",
        "6 hours",
        "9 hours",
        "We recommend to replace",
    ] {
        assert!(report.contains(part), "{part} is not in\n{report}");
    }
    assert!(!report.contains("## Resolution"), "{report}");
}

#[tokio::test]
async fn a_follow_up_begins_with_the_findings_about_its_question() {
    let folder = notes();
    let store = Arc::new(MemoryCheckpointer::new());
    let first = over(&folder).build().unwrap();
    let first = first.with_checkpointer(Arc::clone(&store));
    let before = first.run(QUESTION).thread("t").record().await.unwrap();

    // The folder is empty now, so that all that the report states is from the run before.
    let empty = tempfile::tempdir().unwrap();
    let second = over(&empty).build().unwrap().with_checkpointer(store);
    let after = second.run("How much storage do snapshots need?");
    let after = after.thread("t").record().await.unwrap();

    let report = after.markdown();
    assert!(
        report.contains("Snapshots need 3 TB of storage"),
        "{report}"
    );
    assert!(!report.contains("on full disks"), "{report}");
    let ids = |state: &FeedbackState| -> Vec<String> {
        let evidence = FeedbackAgent::evidence(state);
        let documents = evidence.passages.documents();
        documents.map(|document| document.id.clone()).collect()
    };
    assert_eq!(ids(&after.state), ids(&before.state));

    let bundle = after.bundle.unwrap();
    assert!(verify::<FeedbackAgent>(&bundle).unwrap().holds());
    let again = replay::<FeedbackAgent>(&bundle).unwrap().await.unwrap();
    assert_eq!(again.markdown(), bundle.markdown);
}
