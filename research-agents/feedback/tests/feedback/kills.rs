//! Runs that end at any node continue there: no finding is doubled, and no answer is asked for
//! again.

use std::sync::Arc;

use futures::StreamExt;
use research_agents_feedback::tasks::{COMPLEXITY, DECIDE};
use research_core::MemoryCheckpointer;
use research_core_sqlite::SqliteCheckpointer;
use serde_json::json;

use crate::support::{QUESTION, model, notes, over};

#[tokio::test]
async fn a_run_that_ends_at_any_node_writes_the_same_report() {
    let folder = notes();
    let scripted = || {
        model(|task| match task.name.as_str() {
            DECIDE => Some(json!({"needs_more_research": true, "key_factors": ["tape storage"]})),
            COMPLEXITY => Some(json!({"recommended_workers": 2, "max_iterations": 2})),
            _ => None,
        })
    };
    let whole = over(&folder).model(scripted()).build().unwrap();
    let whole = whole.run(QUESTION).await.unwrap();
    let directory = tempfile::tempdir().unwrap();

    for events in (1..60).step_by(3) {
        for is_stored in [false, true] {
            let agent = over(&folder).model(scripted()).build().unwrap();
            let agent = if is_stored {
                let file = directory.path().join(format!("{events}.db"));
                agent.with_checkpointer(SqliteCheckpointer::open(file).await.unwrap())
            } else {
                agent.with_checkpointer(MemoryCheckpointer::new())
            };
            let mut stream = Box::pin(agent.run(QUESTION).thread("t").stream());
            for _ in 0..events {
                if stream.next().await.is_none() {
                    break;
                }
            }
            drop(stream);

            let ended = agent.run(QUESTION).thread("t").await.unwrap();
            assert_eq!(ended.markdown(), whole.markdown(), "after {events} events");
            let (own, expected) = (&ended.state, &whole.state);
            assert_eq!(
                own.subagent_findings().len(),
                expected.subagent_findings().len()
            );
            assert_eq!(own.memo().findings, expected.memo().findings);
        }
    }
}

#[tokio::test]
async fn two_threads_share_nothing() {
    let (backup, other) = (notes(), tempfile::tempdir().unwrap());
    std::fs::write(other.path().join("bees.md"), "The hive holds 9000 bees.").unwrap();
    let store = Arc::new(MemoryCheckpointer::new());
    let one = over(&backup)
        .build()
        .unwrap()
        .with_checkpointer(Arc::clone(&store));
    let two = over(&other).build().unwrap().with_checkpointer(store);

    for round in 0..100 {
        let (a, b) = tokio::join!(
            one.run(QUESTION).thread(format!("a{round}")),
            two.run("How many bees does the hive hold?")
                .thread(format!("b{round}")),
        );
        let (a, b) = (a.unwrap(), b.unwrap());
        assert!(a.markdown().contains("412 GB") && !a.markdown().contains("bees"));
        assert!(b.markdown().contains("9000 bees") && !b.markdown().contains("backup"));
    }
}
