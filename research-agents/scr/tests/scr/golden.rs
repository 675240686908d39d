//! Exact traces: the patterns of work on a memo, and the examples of reflection and decision.

use std::sync::Arc;

use research_agents_scr::memo::{Finding, Quality, Reflection, Scr, SectionKind};
use research_agents_scr::synthesizer::{
    After, Feedback, Purpose, REFINE, REFLECT, ScrConfig, SectionEdits, SectionTask, StatementEdit,
};
use research_llm::testing::ScriptedModel;
use research_llm::{ModelInfo, ModelKind};

use crate::support::{QUESTION, delivery, model, prompt, scripted, with};

/// What the model was asked for, in order.
fn trace(model: &ScriptedModel) -> Vec<String> {
    let asked = model.calls().into_iter().map(|call| {
        let task = call.task.unwrap();
        if task.name == REFLECT {
            return "reflect".to_owned();
        }
        let asked: SectionTask = task.parse().unwrap();
        let verb = match asked.purpose {
            Purpose::Write => "write",
            Purpose::Update => "update",
            Purpose::Refine => "refine",
        };
        format!("{verb} {}", asked.section.letter())
    });
    asked.collect()
}

/// The sentences of a section.
fn texts(memo: &Scr, kind: SectionKind) -> Vec<&str> {
    let statements = memo.section(kind).statements.iter();
    statements.map(|one| one.text.for_code().as_str()).collect()
}

fn feedback() -> Feedback {
    Feedback {
        reasoning: "Missing recent developments from 2024".to_owned(),
        key_factors: vec![
            "2024 research papers".to_owned(),
            "Latest benchmarks".to_owned(),
        ],
    }
}

#[tokio::test]
async fn pattern_1_first_time_synthesis() {
    let model = model(Quality::Moderate);
    let synthesizer = with(&model).early_decision(None).build().unwrap();
    let mut memo = Scr::new(QUESTION);
    synthesizer.update(&mut memo, delivery(0)).await.unwrap();

    let expected = [
        "write S", "write C", "write R", "reflect", "refine S", "refine C", "refine R",
    ];
    assert_eq!(trace(&model), expected);
}

#[tokio::test]
async fn pattern_2_incremental_update() {
    let model = model(Quality::Good);
    let synthesizer = with(&model).early_decision(None).build().unwrap();
    let mut memo = Scr::new(QUESTION);
    synthesizer.update(&mut memo, delivery(0)).await.unwrap();
    synthesizer.update(&mut memo, delivery(1)).await.unwrap();

    let second = ["update S", "update C", "update R"];
    assert_eq!(trace(&model)[4..], second);
}

#[tokio::test]
async fn pattern_3_early_decision() {
    for (after, expected) in [
        (
            After::Complication,
            vec![
                "write S", "write C", "update S", "update C", "write R", "reflect",
            ],
        ),
        (
            After::Situation,
            vec!["write S", "update S", "write C", "write R", "reflect"],
        ),
    ] {
        let model = model(Quality::Good);
        let synthesizer = with(&model).early_decision(after).build().unwrap();
        let mut memo = Scr::new(QUESTION);
        for pass in 0..2 {
            synthesizer.update(&mut memo, delivery(pass)).await.unwrap();
            assert!(memo.is_partial(), "{after:?}");
        }
        synthesizer.complete(&mut memo).await.unwrap();
        assert_eq!(trace(&model), expected);
    }
}

#[tokio::test]
async fn pattern_4_partial_completion() {
    let model = model(Quality::Good);
    let partial = with(&model).build().unwrap();
    let mut memo = Scr::new(QUESTION);
    partial.update(&mut memo, delivery(0)).await.unwrap();
    let whole = with(&model).early_decision(None).build().unwrap();
    whole.update(&mut memo, delivery(1)).await.unwrap();

    let second = ["update S", "update C", "write R", "reflect"];
    assert_eq!(trace(&model)[2..], second);
    let proposals = ["We recommend disk 0.", "We recommend disk 1."];
    assert_eq!(texts(&memo, SectionKind::Resolution), proposals);
}

#[tokio::test]
async fn pattern_5_refinement_after_decision() {
    let model = model(Quality::Good);
    let mut config = ScrConfig::default();
    (config.early_decision, config.refine_after_decision) = (None, true);
    let synthesizer = with(&model).config(config).build().unwrap();
    let mut memo = Scr::new(QUESTION);
    synthesizer.update(&mut memo, delivery(0)).await.unwrap();
    let feedback = feedback();
    let update = synthesizer.update_after(&mut memo, delivery(1), Some(&feedback));
    update.await.unwrap();

    let second = ["refine S", "refine C", "refine R"];
    assert_eq!(trace(&model)[4..], second);
}

/// The refinement adds what the reflection misses.
#[tokio::test]
async fn a_moderate_memo_gets_its_missing_insights() {
    let missing = [
        "Lacks specific performance metrics",
        "Missing comparison with baseline methods",
        "No discussion of trade-offs",
    ];
    let suggestions = [
        "Add quantitative performance data",
        "Include comparison table",
        "Discuss limitations and trade-offs",
    ];
    let added = [
        "Flash attention doubles the throughput of training.",
        "The baseline moves each score through slow memory.",
        "Its price is a kernel for each device.",
    ];
    let reflection = Reflection {
        overall_quality: Quality::Moderate,
        missing_core_insights: missing.map(str::to_owned).to_vec(),
        improvement_suggestions: suggestions.map(str::to_owned).to_vec(),
        ..Reflection::default()
    };
    let info = ModelInfo::new("scripted", "scripted", ModelKind::Language);
    let model = scripted(info, reflection.clone(), move |task| {
        let text = match (task.purpose, task.section) {
            (Purpose::Refine, kind) => added[kind.step() - 1],
            (_, SectionKind::Situation) => "Attention compares all pairs of words.",
            _ => return Some(SectionEdits::default()),
        };
        let edit = StatementEdit {
            id: None,
            text: text.to_owned(),
            findings: vec!["F1".to_owned()],
        };
        Some(SectionEdits {
            statements: vec![edit],
        })
    });
    let synthesizer = with(&model).early_decision(None).build().unwrap();
    let mut memo = Scr::new("Which attention do we use?");
    let text = format!("Attention compares all pairs of words. {}", added.join(" "));
    let finding = Finding::new(text, "attention.md");
    synthesizer.update(&mut memo, [finding]).await.unwrap();

    let expected = [
        "write S", "write C", "write R", "reflect", "refine S", "refine C", "refine R",
    ];
    assert_eq!(trace(&model), expected);
    for call in model.calls_of(REFINE) {
        let prompt = prompt(&call);
        for part in missing.iter().chain(&suggestions) {
            assert!(prompt.contains(part), "{part} is not in\n{prompt}");
        }
    }
    let situation = ["Attention compares all pairs of words.", added[0]];
    assert_eq!(texts(&memo, SectionKind::Situation), situation);
    assert_eq!(texts(&memo, SectionKind::Complication), [added[1]]);
    assert_eq!(texts(&memo, SectionKind::Resolution), [added[2]]);
    assert_eq!(memo.reflection, Some(reflection));
}

/// A decision that misses 2024 leads to sections that have it.
#[tokio::test]
async fn a_decision_that_misses_a_year_brings_it_into_the_sections() {
    let model: Arc<ScriptedModel> = model(Quality::Good);
    let synthesizer = with(&model).build().unwrap();
    let mut memo = Scr::new("Which attention do we use?");
    let first = Finding::new("Sparse attention was published in 2019.", "history.md");
    synthesizer.update(&mut memo, [first]).await.unwrap();
    assert_eq!(texts(&memo, SectionKind::Situation).len(), 1);

    let recent = [
        Finding::new("In 2024 most models use grouped attention.", "papers.md"),
        Finding::new(
            "Grouped attention fails on the latest long benchmarks. We recommend a mixture.",
            "benchmarks.md",
        ),
    ];
    let feedback = feedback();
    let update = synthesizer.update_after(&mut memo, recent, Some(&feedback));
    update.await.unwrap();
    let expected = ["write S", "write C", "update S", "update C"];
    assert_eq!(trace(&model), expected);
    for call in &model.calls()[2..] {
        let prompt = prompt(call);
        for part in [
            "<decision_reasoning>",
            "Missing recent developments from 2024",
            "2024 research papers",
            "Latest benchmarks",
        ] {
            assert!(prompt.contains(part), "{part} is not in\n{prompt}");
        }
    }

    let (situation, complication) = (SectionKind::Situation, SectionKind::Complication);
    let year = "In 2024 most models use grouped attention.";
    assert!(texts(&memo, situation).contains(&year));
    let challenge = "Grouped attention fails on the latest long benchmarks.";
    assert_eq!(texts(&memo, complication), [challenge]);
    assert!(memo.is_partial(), "the resolution waits");
    synthesizer.complete(&mut memo).await.unwrap();
    assert_eq!(trace(&model)[4..], ["write R", "reflect"]);
    let proposal = ["We recommend a mixture."];
    assert_eq!(texts(&memo, SectionKind::Resolution), proposal);
}
