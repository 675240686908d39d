//! Promises about leases, for the stores that keep them.

use std::time::{Duration, SystemTime};

use super::scribe::{Scribe, batch, ids, ok, refused, there};
use crate::checkpoint::{CheckpointId, Checkpointer, Lease, LeaseReply, Seen, StoreErrorKind, ThreadKey};

/// So many seconds after the beginning of the test, on the clock of its runs.
fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + seconds)
}

/// Whether the store keeps leases. One that does not must say so for every method.
async fn keeps_leases<C: Checkpointer>(store: &C) -> bool {
    let promise = "a store without leases refuses all methods of leases as unsupported";
    let acquired = store.acquire_lease("probe", "run", at(0), at(1)).await;
    if acquired.as_ref().is_err_and(|error| error.kind() == StoreErrorKind::Unsupported) {
        refused(store.renew_lease("probe", 1, at(1)).await, StoreErrorKind::Unsupported, promise);
        refused(store.release_lease("probe", 1).await, StoreErrorKind::Unsupported, promise);
        refused(store.lease("probe").await, StoreErrorKind::Unsupported, promise);
        return false;
    }
    ok(acquired, promise);
    true
}

/// Asks for a lease that must be granted; gives its number.
#[track_caller]
fn granted(reply: LeaseReply, promise: &str) -> u64 {
    match reply {
        LeaseReply::Granted(token) => token,
        LeaseReply::Held(lease) => panic!("broken promise: {promise}; the store says that it is held: {lease:?}"),
    }
}

/// Checks that a lease was not granted, because this one is held.
#[track_caller]
fn held(reply: &LeaseReply, lease: &Lease, promise: &str) {
    assert!(*reply == LeaseReply::Held(lease.clone()), "broken promise: {promise}; the store says {reply:?}");
}

/// While a run holds the lease of a thread, another one is told which and since when; after the release it is granted.
pub async fn a_lease_is_granted_to_one_run_until_it_is_released<C: Checkpointer>(store: C) {
    if !keeps_leases(&store).await {
        return;
    }
    let promise = "the lease of a thread is granted to one run until it is released";
    let (since, until) = (at(0) + Duration::from_millis(7), at(10) + Duration::from_millis(3));

    let first = granted(ok(store.acquire_lease("t", "run-1", since, until).await, promise), promise);
    let lease = Lease::new(first, "run-1".into(), since, until);
    held(&ok(store.acquire_lease("t", "run-2", at(9), at(19)).await, promise), &lease, promise);
    held(&ok(store.acquire_lease("t", "run-1", at(9), at(19)).await, promise), &lease, promise);
    assert!(
        ok(store.lease("t").await, promise) == Some(lease),
        "broken promise: a lease is read back as it was granted"
    );
    let other = granted(ok(store.acquire_lease("u", "run-2", at(9), at(19)).await, promise), promise);
    assert!(first != other, "broken promise: no two leases have the same number");

    ok(store.release_lease("t", other).await, promise);
    assert!(ok(store.lease("t").await, promise).is_some(), "broken promise: only its holder releases a lease");
    ok(store.release_lease("t", first).await, promise);
    assert!(ok(store.lease("t").await, promise).is_none(), "broken promise: {promise}");
    let second = granted(ok(store.acquire_lease("t", "run-1", at(9), at(19)).await, promise), promise);
    assert!(second != first && second != other, "broken promise: no two leases have the same number");
    ok(store.release_lease("t", first).await, promise);
    assert!(ok(store.lease("t").await, promise).is_some(), "broken promise: only its holder releases a lease");

    let listed = ok(store.threads(None, 9).await, promise);
    assert!(listed.is_empty(), "broken promise: a lease makes no thread");
}

/// A lease is granted to another run at the time when it expires, and the run that had it has lost it.
pub async fn a_lease_that_expired_is_granted_to_another_run<C: Checkpointer>(store: C) {
    if !keeps_leases(&store).await {
        return;
    }
    let promise = "a lease that has expired is granted to another run";

    let first = granted(ok(store.acquire_lease("t", "run-1", at(0), at(10)).await, promise), promise);
    let second = granted(ok(store.acquire_lease("t", "run-2", at(10), at(20)).await, promise), promise);

    assert!(first != second, "broken promise: no two leases have the same number");
    assert!(!ok(store.renew_lease("t", first, at(99)).await, promise), "broken promise: a lost lease is not renewed");
    ok(store.release_lease("t", first).await, promise);
    let lease = Lease::new(second, "run-2".into(), at(10), at(20));
    held(&ok(store.acquire_lease("t", "run-1", at(19), at(29)).await, promise), &lease, promise);
}

/// A renewal extends a lease, also one that has expired and was not granted again.
pub async fn a_renewed_lease_does_not_expire<C: Checkpointer>(store: C) {
    if !keeps_leases(&store).await {
        return;
    }
    let promise = "a renewed lease does not expire";

    let token = granted(ok(store.acquire_lease("t", "run-1", at(0), at(10)).await, promise), promise);
    assert!(ok(store.renew_lease("t", token, at(20)).await, promise), "broken promise: {promise}");
    let lease = Lease::new(token, "run-1".into(), at(0), at(20));
    held(&ok(store.acquire_lease("t", "run-2", at(19), at(29)).await, promise), &lease, promise);
    assert!(ok(store.renew_lease("t", token, at(40)).await, promise), "broken promise: {promise}");
    let lease = Lease::new(token, "run-1".into(), at(0), at(40));
    held(&ok(store.acquire_lease("t", "run-2", at(39), at(49)).await, promise), &lease, promise);

    assert!(
        !ok(store.renew_lease("t", token + 1, at(99)).await, promise),
        "broken promise: a lease is known by its number"
    );
    assert!(!ok(store.renew_lease("u", token, at(99)).await, promise), "broken promise: a lease is of one thread");
}

/// A claim under a lease is made while the thread is under that lease, expired or not, and not afterwards. A claim without
/// one is made whoever holds a lease.
pub async fn a_claim_under_a_lease_is_refused_when_the_lease_was_lost<C: Checkpointer>(store: C) {
    if !keeps_leases(&store).await {
        return;
    }
    let promise = "a claim under a lease is refused, and fences nobody off, when the lease was lost";
    let key = ThreadKey::root("t");
    let seen = |token| Seen::head(None).records([]).lease(token);

    let first = granted(ok(store.acquire_lease("t", "run-1", at(0), at(10)).await, promise), promise);
    there(store.claim_if(&key, &seen(first)).await, "a claim under the lease of the thread is made");
    there(store.claim_if(&ThreadKey::new("t", "child"), &seen(first)).await, "a lease is one of all namespaces");
    let second = granted(ok(store.acquire_lease("t", "run-2", at(10), at(20)).await, promise), promise);
    let epoch = there(store.claim_if(&key, &seen(second)).await, "a claim under the lease of the thread is made");
    assert!(ok(store.claim_if(&key, &seen(first)).await, promise).is_none(), "broken promise: {promise}");
    assert!(
        ok(store.claim_if(&ThreadKey::root("u"), &seen(first)).await, promise).is_none(),
        "broken promise: {promise}"
    );
    let mut scribe = Scribe::root(&store, "other").await;
    ok(store.put(&key, epoch, batch([scribe.next()])).await, promise);

    ok(store.release_lease("t", second).await, promise);
    let seen = Seen::head(Some(CheckpointId(1)));
    assert!(
        ok(store.claim_if(&key, &seen.clone().lease(second)).await, promise).is_none(),
        "broken promise: {promise}"
    );
    there(store.claim_if(&key, &seen).await, "a claim without a lease is made as before");
    assert!(ids(&store, &key).await == [1], "broken promise: {promise}");
}

/// Whoever held the lease of a thread that was deleted has lost it.
pub async fn a_deleted_thread_is_under_no_lease<C: Checkpointer>(store: C) {
    if !keeps_leases(&store).await {
        return;
    }
    let promise = "a thread that was deleted is under no lease";

    let token = granted(ok(store.acquire_lease("t", "run-1", at(0), at(10)).await, promise), promise);
    Scribe::root(&store, "t").await.write(1).await;
    ok(store.delete_thread("t").await, promise);

    assert!(ok(store.lease("t").await, promise).is_none(), "broken promise: {promise}");
    assert!(!ok(store.renew_lease("t", token, at(20)).await, promise), "broken promise: {promise}");
    granted(ok(store.acquire_lease("t", "run-2", at(1), at(11)).await, promise), promise);
}

/// Of many runs that ask for the lease of a thread at the same time, one is granted it, and the others are told which.
pub async fn of_many_runs_that_ask_at_once_one_is_granted_the_lease<C: Checkpointer>(store: C) {
    if !keeps_leases(&store).await {
        return;
    }
    let promise = "of many runs that ask for a lease at the same time one is granted it";

    let store = std::sync::Arc::new(store);
    let asking = (0..16).map(|number| {
        let store = std::sync::Arc::clone(&store);
        tokio::spawn(async move { store.acquire_lease("t", &format!("run-{number}"), at(0), at(10)).await })
    });
    let asking: Vec<_> = asking.collect();
    let mut winners = Vec::new();
    let mut named = Vec::new();
    for (number, asked) in asking.into_iter().enumerate() {
        match asked.await {
            Ok(reply) => match ok(reply, promise) {
                LeaseReply::Granted(_) => winners.push(format!("run-{number}")),
                LeaseReply::Held(lease) => named.push(lease.run.to_string()),
            },
            Err(error) => panic!("broken promise: {promise}; a task failed: {error}"),
        }
    }

    assert!(winners.len() == 1, "broken promise: {promise}; it was granted to {winners:?}");
    assert!(
        named.iter().all(|run| *run == winners[0]),
        "broken promise: the others are told which; they were told {named:?}"
    );
}
