//! Random input to everything that reads what others wrote: no panic, no hang, and only errors that have a type.
//!
//! Each target runs a number of rounds, each with a seed of its own. `FUZZ_ROUNDS=20` runs twenty times as many, and
//! `FUZZ_SEED=7` begins with another seed. A round that fails prints its seed, with which it can be repeated.

mod bundle;
mod checker;
mod checkpoints;
mod filters;
mod mcp_client;
mod mcp_server;
mod mutate;
mod panics;
mod readers;
mod sse;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use fastrand::Rng;
use tokio::runtime::Builder;

/// How long a round may take before it counts as hanging. It is far above what any round needs.
const HANGS: Duration = Duration::from_secs(300);

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number")))
}

/// Runs a target with so many seeds, or a multiple of them.
fn fuzz(rounds: u64, target: impl Fn(&mut Rng)) {
    let first = setting("FUZZ_SEED", 1);
    for seed in first..first + rounds * setting("FUZZ_ROUNDS", 1) {
        let watch = panics::Watch::new();
        let round = catch_unwind(AssertUnwindSafe(|| target(&mut Rng::with_seed(seed))));

        if let Err(reason) = round {
            eprintln!("to repeat the round, set FUZZ_SEED={seed}");
            resume_unwind(reason);
        }
        let panics = watch.seen();
        assert!(panics.is_empty(), "a task panicked, with FUZZ_SEED={seed}: {panics:#?}");
    }
}

/// Runs an asynchronous round, which must come to an end.
fn wait<T>(round: impl Future<Output = T>) -> T {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(HANGS, round).await.expect("the round hangs") })
}
