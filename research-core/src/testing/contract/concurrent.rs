//! Promises about many writers at once.

use std::sync::Arc;

use super::scribe::{Scribe, batch, header, ids, noting, ok, read, record, state, state_of};
use crate::checkpoint::{CheckpointId, CheckpointRecord, Checkpointer, RecordKind, ThreadKey};

/// Writers on different threads do not hinder each other.
pub async fn many_threads_are_written_at_once<C: Checkpointer>(store: C) {
    let store = Arc::new(store);
    let mut tasks = Vec::new();
    for number in 0..40_u32 {
        let store = Arc::clone(&store);
        tasks.push(tokio::spawn(async move {
            let mut scribe = Scribe::root(&store, &format!("t{number}")).await;
            for id in 1..=20 {
                scribe.write(1).await;
                scribe.put(noting([record(id, number, RecordKind::Done, "", &id.to_le_bytes())])).await;
                let loaded = read(&store, &scribe.key, id).await;
                assert_eq!(state(&loaded), state_of(1..=id), "broken promise: a writer reads what it wrote");
            }
        }));
    }
    for task in tasks {
        finished(task.await);
    }
    assert_eq!(
        ok(store.threads(None, 100).await, "threads can be listed").len(),
        40,
        "broken promise: no thread is lost"
    );
    for number in 0..40_u32 {
        let key = ThreadKey::root(format!("t{number}"));
        for id in 1..=20_u64 {
            let expected = record(id, number, RecordKind::Done, "", &id.to_le_bytes());
            let loaded = read(&store, &key, id).await;
            assert_eq!(loaded.records, [expected], "broken promise: no record is lost or misplaced");
        }
    }
}

/// Of writers that take a thread from each other, each number has one who was told that it is stored, and what is stored is its.
pub async fn of_many_writers_on_a_thread_one_wins_each_number<C: Checkpointer>(store: C) {
    let store = Arc::new(store);
    let key = ThreadKey::root("t");
    let mut tasks = Vec::new();
    for number in 0..8_u64 {
        let (store, key) = (Arc::clone(&store), key.clone());
        tasks.push(tokio::spawn(async move {
            let mut won = Vec::new();
            for attempt in 0..25_u64 {
                let claim = ok(store.claim(&key, None).await, "a thread can be claimed while others do");
                let id = CheckpointId(claim.head.map_or(1, |head| head.0 + 1));
                let mark = (number * 25 + attempt).to_le_bytes().to_vec();
                let checkpoint = CheckpointRecord::new(header(id, claim.head, id, "run-1"), mark.clone());
                tokio::task::yield_now().await;
                match store.put(&key, claim.epoch, batch([checkpoint])).await {
                    Ok(()) => won.push((id.0, mark)),
                    Err(error) => {
                        assert!(error.is_conflict(), "broken promise: who loses gets a conflict, not {error:?}")
                    }
                }
            }
            won
        }));
    }
    let mut won = Vec::new();
    for task in tasks {
        won.extend(finished(task.await));
    }
    won.sort_unstable();
    let numbers: Vec<u64> = won.iter().map(|(id, _)| *id).collect();
    let expected: Vec<u64> = (1..=won.len() as u64).collect();
    assert!(!won.is_empty() && numbers == expected, "broken promise: each number has one winner: {numbers:?}");
    assert_eq!(ids(&store, &key).await.len(), won.len(), "broken promise: what was refused is not stored");
    for (id, mark) in won {
        assert_eq!(read(&store, &key, id).await.bodies, [mark], "broken promise: what the winner wrote is stored");
    }
}

#[track_caller]
fn finished<T>(result: Result<T, tokio::task::JoinError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => panic!("a task of the suite was cancelled: {error}"),
        },
    }
}
