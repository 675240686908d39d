//! Whole runs: without a model, with verification and without, and the examples of feedback.

use std::sync::Arc;

use research_agents_feedback::FeedbackAgent;
use research_agents_feedback::config::FeedbackConfig;
use research_agents_feedback::tasks::{DECIDE, LEAD};
use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::run::{RunStatus, System, replay, verify};
use research_llm::ChatModel;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{QUESTION, model, notes, over};

#[tokio::test]
async fn a_question_is_answered_without_a_model() {
    let folder = notes();
    let ended = over(&folder).build().unwrap().run(QUESTION).await.unwrap();
    let report = ended.markdown();

    for part in [
        "No language model was used",
        "## Situation",
        "It writes 412 GB to tape",
        "## Complication",
        "Findings contradict each other:",
        "takes 6 hours",
        "takes 9 hours",
        "fails on full disks",
        "## Resolution",
        "We recommend to replace the nightly backup by snapshots",
        "### How it was researched",
        "## Sources",
    ] {
        assert!(report.contains(part), "{part} is not in\n{report}");
    }
    assert_eq!(
        FeedbackAgent::end_status(&ended.state),
        RunStatus::Completed
    );
}

#[tokio::test]
async fn without_a_proposal_the_report_says_so() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("a.md"),
        "The nightly backup takes 6 hours.",
    )
    .unwrap();
    let ended = over(&folder).build().unwrap().run(QUESTION).await.unwrap();
    assert!(
        ended
            .markdown()
            .contains("No source proposes a resolution."),
        "{}",
        ended.markdown()
    );
}

#[tokio::test]
async fn the_verifier_marks_statements_and_can_be_left_out() {
    let folder = notes();
    for verifies in [true, false] {
        let mut config = FeedbackConfig::default();
        config.verify = verifies;
        let agent = over(&folder).config(config).build().unwrap();
        let ended = agent.run(QUESTION).await.unwrap();
        assert_eq!(ended.state.verification().is_some(), verifies);
        assert_eq!(
            ended.markdown().contains('✓'),
            verifies,
            "{}",
            ended.markdown()
        );
    }
}

#[tokio::test]
async fn a_bundle_is_verified_and_replayed() {
    let folder = notes();
    let decided = model(|task| {
        (task.name == DECIDE)
            .then(|| json!({"needs_more_research": true, "key_factors": ["storage"]}))
    });
    for model in [None, Some(decided)] {
        let builder = over(&folder);
        let builder = match model {
            Some(model) => builder.model(model as Arc<dyn ChatModel>),
            None => builder,
        };
        let ended = builder
            .build()
            .unwrap()
            .run(QUESTION)
            .record()
            .await
            .unwrap();
        let json = ended.bundle.as_ref().unwrap().to_json().unwrap();
        let bundle = Bundle::from_json(&json).unwrap();

        let verification = verify::<FeedbackAgent>(&bundle).unwrap();
        let failures: Vec<_> = verification.failures().collect();
        assert!(failures.is_empty(), "{failures:?}");
        let again = replay::<FeedbackAgent>(&bundle).unwrap().await.unwrap();
        assert_eq!(again.markdown(), ended.markdown());

        let changed = Bundle::from_json(&json.replace("412 GB", "512 GB")).unwrap();
        assert!(!verify::<FeedbackAgent>(&changed).unwrap().holds());
    }
}

#[tokio::test]
async fn a_cancelled_run_reports_what_it_has() {
    let folder = notes();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let agent = over(&folder).build().unwrap();
    let ended = agent.run(QUESTION).cancel(cancel).await.unwrap();
    assert!(
        ended.markdown().contains("The research ended early"),
        "{}",
        ended.markdown()
    );
    assert_eq!(
        FeedbackAgent::end_status(&ended.state),
        RunStatus::Cancelled
    );
}

/// Example 1 of the design: three things that are missing become three tasks.
#[tokio::test]
async fn missing_topics_become_tasks_of_the_next_pass() {
    let folder = notes();
    let factors = [
        "Flash Attention implementation details",
        "Sparse Attention variants comparison",
        "Performance benchmarks for different attention mechanisms",
    ];
    let model = model(move |task| match task.name.as_str() {
        DECIDE => Some(json!({
            "needs_more_research": true,
            "reasoning": "The synthesis covers basic transformer concepts but lacks detail.",
            "key_factors": factors,
        })),
        _ => None,
    });
    let agent = over(&folder)
        .model(Arc::clone(&model) as _)
        .build()
        .unwrap();
    let ended = agent.run(QUESTION).await.unwrap();

    assert_eq!(model.calls_of(LEAD).len(), 2);
    let findings = ended.state.subagent_findings().iter();
    let second: Vec<&str> = findings
        .filter(|one| one.iteration == 2)
        .map(|one| one.task.description.as_str())
        .collect();
    assert_eq!(second, factors);
}
