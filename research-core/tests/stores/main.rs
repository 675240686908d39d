//! Stores keep their contract, and the contract finds stores that do not.

#[expect(clippy::unwrap_used, reason = "helpers of tests")]
mod flawed;

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use research_core::checkpoint::MemoryCheckpointer;
use research_core::testing::contract;

use flawed::{Flaw, Flawed};

#[tokio::test(flavor = "multi_thread")]
async fn the_store_in_memory_keeps_the_contract() {
    contract::run_all(async || MemoryCheckpointer::new()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_behind_a_wrapper_without_a_flaw_keeps_the_contract() {
    contract::run_all(async || Flawed::new(Flaw::None)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_flaw_is_found_and_the_promise_named() {
    let mut misreported = Vec::new();
    for (flaw, promise) in [
        (Flaw::NoFence, "a write under an earlier claim is refused"),
        (Flaw::ClaimsUnseen, "a claim on what was seen is refused when that has changed"),
        (Flaw::EpochsOfAnyThread, "only the holder of a claim of the history may write"),
        (Flaw::RecordsBeforeConflicts, "a batch with a conflict leaves nothing"),
        (Flaw::LaterRecordsReplace, "the first record of a key stays"),
        (Flaw::RecordsUnordered, "records come by task, then kind, then name"),
        (Flaw::NeverSettles, "settling removes records"),
        (Flaw::NeverRemoves, "records are removed before others are added"),
        (Flaw::OldestFirst, "a list has the headers as they were written"),
        (Flaw::LimitBeforeFilter, "filters select checkpoints"),
        (Flaw::ForgetsBase, "bodies are kept byte for byte"),
        (Flaw::TrimsBodies, "bodies are kept byte for byte"),
        (Flaw::MixesThreads, "the holder of the newest claim may write"),
        (Flaw::DropsMetadata, "as it was written"),
        (Flaw::PrunesTheInterrupted, "only the old go"),
        (Flaw::KeepsNamespaces, "a deleted thread is gone"),
        (Flaw::CopiesOver, "not copied over another"),
        (Flaw::GrantsHeldLeases, "the lease of a thread is granted to one run until it is released"),
        (Flaw::RenewsNothing, "a renewed lease does not expire"),
        (Flaw::RenewsLostLeases, "a lost lease is not renewed"),
        (Flaw::ClaimsUnderLostLeases, "a claim under a lease is refused"),
    ] {
        let run = AssertUnwindSafe(contract::run_all(async || Flawed::new(flaw))).catch_unwind();
        let panic = run.await.expect_err(&format!("{flaw:?} is found"));
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let message = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default();
        if !message.split("broken promise: ").nth(1).is_some_and(|message| message.contains(promise)) {
            misreported.push(format!("{flaw:?} is reported as: {message}"));
        }
    }
    assert!(misreported.is_empty(), "{misreported:#?}");
}
