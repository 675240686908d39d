//! Whole runs: without a model, with verification and without, and the examples of feedback.

use std::sync::Arc;

use research_agents_feedback::FeedbackAgent;
use research_agents_feedback::config::FeedbackConfig;
use research_agents_feedback::tasks::{ANALYZE, COMPLEXITY, DECIDE, LEAD};
use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::run::{RunStatus, System, replay, verify};
use research_agents_scr::synthesizer::{REFINE, REFLECT, SECTION};
use research_core::MemoryCheckpointer;
use research_llm::ChatModel;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{QUESTION, model, notes, over, prompt};

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

/// Three things that are missing become three tasks.
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

/// The nodes that ran on the thread `t`, in order.
async fn ran(agent: &FeedbackAgent) -> Vec<String> {
    let history = agent.graph().thread("t").history().await.unwrap();
    let moments = history.moments().iter().rev();
    moments.flat_map(|moment| moment.ran.clone()).collect()
}

/// A moderate memo is refined once, with what the reflection misses.
#[tokio::test]
async fn a_moderate_memo_is_refined_before_it_is_verified() {
    let folder = notes();
    let missing = [
        "Lacks specific performance metrics",
        "Missing comparison with baseline methods",
        "No discussion of trade-offs",
    ];
    let model = model(move |task| match task.name.as_str() {
        COMPLEXITY => Some(json!({"recommended_workers": 2, "max_iterations": 1})),
        LEAD => Some(json!({
            "approaches": [{}, {}, {}], "tasks": [{"description": "The nightly backup"}],
        })),
        REFLECT => Some(json!({"overall_quality": "moderate", "missing_core_insights": missing})),
        _ => None,
    });
    let builder = over(&folder).model(Arc::clone(&model) as _);
    let agent = builder.build().unwrap();
    let agent = agent.with_checkpointer(MemoryCheckpointer::new());
    let ended = agent.run(QUESTION).thread("t").await.unwrap();

    let mut expected = vec![
        "complexity_analyzer",
        "lead_researcher",
        "subagent",
        "filter_findings",
    ];
    expected.extend(["synthesizer", "synthesizer", "decision"]);
    expected.extend(["complete_synthesis"; 5]);
    expected.extend(["verifier", "citation_agent"]);
    assert_eq!(ran(&agent).await, expected);
    let refinements = model.calls_of(REFINE);
    assert_eq!(refinements.len(), 3);
    for part in missing {
        assert!(prompt(&refinements[0]).contains(part), "{part}");
    }
    let reflection = ended.state.reflection_analysis().unwrap();
    assert_eq!(reflection.missing_core_insights, missing);
}

/// The next pass researches the year that the decision misses, and the
/// sections that are written already take account of it.
#[tokio::test]
async fn a_decision_that_misses_a_year_leads_the_next_pass() {
    let folder = tempfile::tempdir().unwrap();
    let sentences = [
        "Attention methods compare all pairs of words.",
        "The research papers of 2024 use grouped attention.",
        "The latest benchmarks show that grouped attention fails on long texts.",
    ];
    for (at, sentence) in sentences.iter().enumerate() {
        std::fs::write(folder.path().join(format!("{at}.md")), sentence).unwrap();
    }
    let factors = ["2024 research papers", "Latest benchmarks"];
    let model = model(move |task| match task.name.as_str() {
        COMPLEXITY => Some(json!({"recommended_workers": 1, "max_iterations": 3})),
        DECIDE => Some(json!({
            "needs_more_research": task.input["growth"]["iteration"] == 1,
            "reasoning": "Missing recent developments from 2024",
            "key_factors": factors,
        })),
        LEAD if task.input["iteration"] == 0 => Some(json!({
            "approaches": [{}, {}, {}], "tasks": [{"description": "Attention methods"}],
        })),
        ANALYZE => {
            // Each task keeps the sentence that it is about.
            let tasks = ["Attention methods", factors[0], factors[1]];
            let asked = task.input["task"].as_str()?;
            let quote = sentences[tasks.iter().position(|one| asked.contains(one))?];
            let has = |one: &&Value| one["text"].as_str().is_some_and(|text| text == quote);
            let passage = task.input["passages"].as_array()?.iter().find(has)?;
            Some(json!({"findings": [{"passage": passage["id"], "quotes": [quote]}]}))
        }
        _ => None,
    });
    let builder = over(&folder).model(Arc::clone(&model) as _);
    let agent = builder.build().unwrap();
    let agent = agent.with_checkpointer(MemoryCheckpointer::new());
    let ended = agent.run("Which attention do we use?").thread("t").await;
    let state = ended.unwrap().state;

    let mut expected = vec!["complexity_analyzer"];
    for tasks in 1..=2 {
        expected.push("lead_researcher");
        expected.extend(vec!["subagent"; tasks]);
        expected.extend(["filter_findings", "synthesizer", "synthesizer", "decision"]);
    }
    expected.extend(["complete_synthesis", "complete_synthesis"]);
    expected.extend(["verifier", "citation_agent"]);
    assert_eq!(ran(&agent).await, expected);

    let prompts: Vec<String> = model.calls_of(SECTION).iter().map(prompt).collect();
    let is_led = |prompt: &String| prompt.contains("Missing recent developments from 2024");
    let led: Vec<bool> = prompts.iter().map(is_led).collect();
    assert_eq!(led, [false, false, true, true, false]);
    let memo = state.memo();
    let has = |statements: &[research_agents_scr::memo::Statement], text: &str| {
        statements.iter().any(|one| one.text.for_code() == text)
    };
    assert!(has(&memo.situation.statements, sentences[1]));
    assert!(has(&memo.complication.statements, sentences[2]));
}
