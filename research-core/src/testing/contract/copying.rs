//! Promises about copying.

use super::scribe::{Scribe, batch, ids, noting, ok, read, record, refused, state, state_of};
use crate::checkpoint::{Checkpointer, Query, RecordKind, StoreErrorKind, ThreadKey};

/// A copy has every namespace, checkpoint and record.
pub async fn a_copy_has_everything_of_the_original<C: Checkpointer>(store: C) {
    let namespaces = ["", "a", "a/b"];
    for namespace in namespaces {
        let mut scribe = Scribe::claim(&store, &ThreadKey::new("from", namespace)).await;
        for run in ["run-1", "run-2"] {
            scribe.run = run.into();
            scribe.write(3).await;
        }
        scribe.put(noting([2, 6].map(|id| record(id, id as u32, RecordKind::Question, namespace, b"?")))).await;
    }
    let promise = "a copy has everything of the original";
    ok(store.copy_thread("from", "to").await, promise);
    assert_eq!(ok(store.namespaces("to").await, promise), namespaces, "broken promise: {promise}");
    assert_eq!(ok(store.threads(None, 9).await, promise), ["from", "to"], "broken promise: {promise}");
    for namespace in namespaces {
        let (from, to) = (ThreadKey::new("from", namespace), ThreadKey::new("to", namespace));
        let query = Query::all();
        let headers = ok(store.list(&from, &query).await, promise);
        assert_eq!(ok(store.list(&to, &query).await, promise), headers, "broken promise: {promise}");
        for id in 1..=6 {
            assert_eq!(read(&store, &to, id).await, read(&store, &from, id).await, "broken promise: {promise}");
        }
    }
}

/// What happens to a copy does not happen to the original, nor the other way.
pub async fn a_copy_is_independent_of_the_original<C: Checkpointer>(store: C) {
    let mut original = Scribe::root(&store, "from").await;
    original.write(3).await;
    ok(store.copy_thread("from", "to").await, "a thread can be copied");
    let mut copy = Scribe::root(&store, "to").await;
    copy.write(2).await;
    original.write(1).await;
    let promise = "a copy is independent of the original";
    assert_eq!(ids(&store, &original.key).await, [4, 3, 2, 1], "broken promise: {promise}");
    assert_eq!(state(&read(&store, &copy.key, 5).await), state_of(1..=5), "broken promise: {promise}");
    let next = copy.next();
    let crossed = store.put(&original.key, copy.epoch, batch([next])).await;
    refused(crossed, StoreErrorKind::Conflict, "the claim of a copy is none of the original");
    ok(store.delete_thread("from").await, "a thread can be deleted");
    let mut copy = Scribe::claim(&store, &copy.key).await;
    copy.write(1).await;
    assert_eq!(state(&read(&store, &copy.key, 6).await), state_of(1..=6), "broken promise: {promise}");
}

/// A thread that is not there cannot be copied, nor one over another; who claimed the new name is fenced off.
pub async fn a_thread_that_cannot_be_copied_is_refused<C: Checkpointer>(store: C) {
    Scribe::root(&store, "from").await.write(2).await;
    Scribe::root(&store, "there").await.write(1).await;
    let mut claimed = Scribe::root(&store, "claimed").await;
    for missing in ["never", "claimed"] {
        let refusal = store.copy_thread(missing, "to").await;
        refused(refusal, StoreErrorKind::NotFound, "a thread that is not there cannot be copied");
    }
    for taken in ["there", "from"] {
        let refusal = store.copy_thread("from", taken).await;
        refused(refusal, StoreErrorKind::AlreadyExists, "a thread is not copied over another");
    }
    assert_eq!(ids(&store, &ThreadKey::root("there")).await, [1], "broken promise: a refused copy changes nothing");
    ok(store.copy_thread("from", "claimed").await, "a name that was only claimed is free");
    let next = claimed.next();
    let refusal = claimed.try_put(batch([next])).await;
    refused(refusal, StoreErrorKind::Conflict, "who claimed the name of a copy before is fenced off");
    assert_eq!(ids(&store, &claimed.key).await, [2, 1], "broken promise: a thread can be copied to a claimed name");
}
