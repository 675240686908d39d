//! The synthesizer as a system: threads, kills, bundles.

use std::sync::Arc;

use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::offline::OfflineModel;
use research_agents_runtime::run::{Hosted, replay, verify};
use research_agents_scr::memo::{Quality, Scr};
use research_agents_scr::synthesizer::{ScrConfig, SectionTask, answers};
use research_agents_scr::system::{MemoInput, MemoWorkflow, memo_system};
use research_core::MemoryCheckpointer;
use research_core_sqlite::SqliteCheckpointer;
use tokio_util::sync::CancellationToken;

use crate::support::{QUESTION, delivery, model};

fn config() -> ScrConfig {
    let mut config = ScrConfig::default();
    config.early_decision = None;
    config
}

fn input(numbers: std::ops::Range<usize>) -> MemoInput {
    let findings = numbers.flat_map(delivery).collect();
    MemoInput::new(Scr::new(QUESTION), findings).with_config(config())
}

#[tokio::test]
async fn a_bundle_is_verified_and_replayed() {
    for model in [
        Arc::new(OfflineModel::new(answers())) as Arc<dyn research_llm::ChatModel>,
        model(Quality::Shallow),
    ] {
        let system = memo_system(model, config()).unwrap();
        let ended = system.run(input(0..3)).record().await.unwrap();
        let json = ended.bundle.as_ref().unwrap().to_json().unwrap();
        let bundle = Bundle::from_json(&json).unwrap();

        let verification = verify::<Hosted<MemoWorkflow>>(&bundle).unwrap();
        let failures: Vec<_> = verification.failures().collect();
        assert!(failures.is_empty(), "{failures:?}");
        let again = replay::<Hosted<MemoWorkflow>>(&bundle)
            .unwrap()
            .await
            .unwrap();
        assert_eq!(again.markdown(), ended.markdown());
        assert_eq!(again.state.memo(), ended.state.memo());

        let changed = json.replace("1001", "1007");
        if let Ok(changed) = Bundle::from_json(&changed) {
            let verification = verify::<Hosted<MemoWorkflow>>(&changed).unwrap();
            assert!(!verification.holds());
        }
    }
}

#[tokio::test]
async fn a_run_that_ends_at_any_step_writes_the_same_memo() {
    let whole = memo_system(model(Quality::Shallow), config()).unwrap();
    let whole = whole.run(input(0..2)).await.unwrap();
    let directory = tempfile::tempdir().unwrap();

    for steps in 0..9_u64 {
        for is_stored in [false, true] {
            let asked = model(Quality::Shallow);
            let system = memo_system(Arc::clone(&asked) as _, config()).unwrap();
            let system = if is_stored {
                let file = directory.path().join(format!("{steps}.db"));
                system.checkpointer(SqliteCheckpointer::open(file).await.unwrap())
            } else {
                system.checkpointer(MemoryCheckpointer::new())
            };

            // The stream is dropped in the middle, after some of its steps.
            let mut events = Box::pin(system.run(input(0..2)).thread("t").stream());
            let mut seen = 0;
            while seen < steps {
                let Some(event) = futures::StreamExt::next(&mut events).await else {
                    break;
                };
                let json = serde_json::to_value(event).unwrap();
                seen += u64::from(json["event"] == "progress");
            }
            drop(events);

            let ended = system.run(input(0..2)).thread("t").await.unwrap();
            assert_eq!(
                ended.state.memo().to_markdown(),
                whole.state.memo().to_markdown()
            );
            let sections = asked.calls_of("scr.section");
            let resolutions = sections.iter().filter(|call| {
                let task = call.task.clone().unwrap();
                task.input["section"] == "resolution"
            });
            assert!(
                resolutions.count() <= 2,
                "an answer that was recorded is not asked again"
            );
        }
    }
}

#[tokio::test]
async fn a_cancelled_run_writes_by_rules_what_the_model_did_not() {
    let asked = model(Quality::Good);
    let system = memo_system(Arc::clone(&asked) as _, config()).unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let ended = system.run(input(0..1)).cancel(cancel).await.unwrap();

    assert!(asked.calls().is_empty());
    assert!(
        ended.markdown().contains("Node 0 stores 1000 records"),
        "{}",
        ended.markdown()
    );
    assert!(!ended.state.memo().is_partial());
}

#[tokio::test]
async fn a_memory_that_fails_recalls_all_earlier_findings() {
    let asked = model(Quality::Good);
    let mut config = config();
    config.top_k = 0;
    let system = memo_system(Arc::clone(&asked) as _, config).unwrap();
    let first = MemoInput::new(Scr::new(QUESTION), delivery(0)).with_config(config);
    let first = system.run(first).await.unwrap();
    let memo = first.state.memo().clone();
    let second = MemoInput::new(memo, delivery(1)).with_config(config);
    let second = system.run(second).await.unwrap();

    let sections = asked.calls_of("scr.section");
    let tasks: Vec<SectionTask> = sections
        .iter()
        .map(|call| call.task.clone().unwrap().parse().unwrap())
        .collect();
    let recalled: Vec<&str> = tasks[3]
        .known
        .recalled
        .iter()
        .map(|one| one.id.as_str())
        .collect();
    assert_eq!(recalled, ["F1", "F2"]);
    assert!(second.markdown().contains("Node 1 stores 1001 records"));
}

#[tokio::test]
async fn two_threads_share_nothing() {
    let store = MemoryCheckpointer::new();
    let system = memo_system(model(Quality::Good), config()).unwrap();
    let system = system.checkpointer(store);
    for round in 0..20 {
        let (one, other) = (format!("a{round}"), format!("b{round}"));
        let (a, b) = tokio::join!(
            system.run(input(0..1)).thread(one),
            system.run(input(5..6)).thread(other),
        );
        let (a, b) = (a.unwrap(), b.unwrap());
        assert!(a.markdown().contains("Node 0") && !a.markdown().contains("Node 5"));
        assert!(b.markdown().contains("Node 5") && !b.markdown().contains("Node 0"));
    }
}
