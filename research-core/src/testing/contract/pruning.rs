//! Promises about pruning.

use super::scribe::{Scribe, ids, made, noting, ok, read, record, state, state_of};
use crate::checkpoint::{CheckpointId, Checkpointer, Prune, RecordKind, ThreadKey};

async fn readable<C: Checkpointer>(store: &C, key: &ThreadKey) {
    for id in ids(store, key).await {
        let loaded = read(store, key, id).await;
        assert_eq!(state(&loaded), state_of(1..=id), "broken promise: what pruning leaves can be read");
    }
}

/// Of each namespace the newest stay, at least one.
pub async fn pruning_keeps_the_newest_of_each_namespace<C: Checkpointer>(store: C) {
    let namespaces = [("", 10), ("a", 2), ("b", 4)];
    for (namespace, count) in namespaces {
        Scribe::claim(&store, &ThreadKey::new("t", namespace)).await.write(count).await;
    }
    Scribe::root(&store, "u").await.write(10).await;
    let removed = ok(store.prune("t", &Prune::keep_last(3)).await, "a thread can be pruned");
    assert_eq!(removed, 8, "broken promise: pruning tells how many checkpoints went");
    for (namespace, expected) in [("", vec![10, 9, 8]), ("a", vec![2, 1]), ("b", vec![4, 3, 2])] {
        let key = ThreadKey::new("t", namespace);
        assert_eq!(ids(&store, &key).await, expected, "broken promise: the newest of each namespace stay");
        readable(&store, &key).await;
    }
    assert_eq!(ids(&store, &ThreadKey::root("u")).await.len(), 10, "broken promise: pruning spares other threads");
    let mut to_nothing = Prune::keep_last(1);
    to_nothing.keep_last = 0;
    assert_eq!(ok(store.prune("t", &to_nothing).await, "a thread can be pruned"), 5, "broken promise: the newest stay");
    for (namespace, count) in namespaces {
        let key = ThreadKey::new("t", namespace);
        assert_eq!(
            ids(&store, &key).await,
            [count as u64],
            "broken promise: the newest of each namespace always stays"
        );
        readable(&store, &key).await;
    }
    let removed = ok(store.prune("never", &Prune::keep_last(1)).await, "pruning what is not there is no error");
    assert_eq!(removed, 0, "broken promise: nothing is pruned when there is nothing");
}

/// What is not old enough stays, and what waits for an answer, unless that is not wanted.
pub async fn pruning_spares_the_young_and_the_interrupted<C: Checkpointer>(store: C) {
    let mut scribe = Scribe::root(&store, "t").await;
    scribe.write(10).await;
    let question = record(3, 1, RecordKind::Question, "q", b"?");
    let notes = [record(2, 0, RecordKind::Done, "", b"x"), record(4, 0, RecordKind::Once, "o", b"x")];
    scribe.put(noting(notes.into_iter().chain([question.clone()]))).await;
    // Checkpoint 6 was made exactly then, and is not older.
    let older = Prune::keep_last(2).older_than(made(10).duration_since(made(6)).unwrap_or_default(), made(10));
    assert_eq!(ok(store.prune("t", &older).await, "a thread can be pruned"), 4, "broken promise: only the old go");
    assert_eq!(ids(&store, &scribe.key).await, [10, 9, 8, 7, 6, 3], "broken promise: the young and interrupted stay");
    readable(&store, &scribe.key).await;
    assert_eq!(read(&store, &scribe.key, 3).await.records, [question], "broken promise: the question stays");
    let all = Prune::keep_last(2).keep_interrupted(false);
    assert_eq!(ok(store.prune("t", &all).await, "a thread can be pruned"), 4, "broken promise: the others can go");
    assert_eq!(ids(&store, &scribe.key).await, [10, 9], "broken promise: interrupted checkpoints can be pruned");
    readable(&store, &scribe.key).await;
}

/// A checkpoint that is to be kept stays and can be read; a namespace that is dropped is gone.
pub async fn pruning_spares_what_is_kept_and_drops_namespaces<C: Checkpointer>(store: C) {
    for (namespace, count) in [("", 6), ("a", 6), ("a/b", 3), ("b", 2)] {
        Scribe::claim(&store, &ThreadKey::new("t", namespace)).await.write(count).await;
    }
    let prune = Prune::keep_last(1).keep("", CheckpointId(2)).keep("a", CheckpointId(3)).drop_namespace("a/b");
    let removed = ok(store.prune("t", &prune).await, "a thread can be pruned");
    assert_eq!(removed, 4 + 4 + 3 + 1, "broken promise: pruning tells how many checkpoints went");
    for (namespace, expected) in [("", vec![6, 2]), ("a", vec![6, 3]), ("a/b", vec![]), ("b", vec![2])] {
        let key = ThreadKey::new("t", namespace);
        let promise = "what is to be kept stays, and a dropped namespace is gone";
        assert_eq!(ids(&store, &key).await, expected, "broken promise: {promise}");
        readable(&store, &key).await;
    }
    let namespaces = ok(store.namespaces("t").await, "namespaces can be listed");
    assert_eq!(namespaces, ["", "a", "b"], "broken promise: a dropped namespace is gone");
    Scribe::claim(&store, &ThreadKey::new("t", "a/b")).await.write(1).await;
}

/// Whoever holds the claim goes on writing as if nothing had happened.
pub async fn a_writer_goes_on_after_pruning<C: Checkpointer>(store: C) {
    let mut scribe = Scribe::root(&store, "t").await;
    for round in 1..=4_u64 {
        scribe.write(5).await;
        ok(store.prune("t", &Prune::keep_last(2)).await, "a thread can be pruned");
        let expected = [5 * round, 5 * round - 1];
        assert_eq!(ids(&store, &scribe.key).await, expected, "broken promise: a thread can be pruned again and again");
        readable(&store, &scribe.key).await;
    }
    let loaded = read(&store, &scribe.key, 20).await;
    assert!(loaded.bodies.len() <= 2, "broken promise: a checkpoint has only the bodies from its base on");
}
