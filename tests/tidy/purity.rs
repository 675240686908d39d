//! Plan and apply decide without looking at the world.

use super::sources::all;

/// What a pure function has no use for.
const IMPURE: &[&str] = &[
    "tokio",
    "std::time",
    "Instant",
    "SystemTime",
    "Clock",
    "HashMap",
    "HashSet",
    "RandomState",
    "async ",
    ".await",
    "spawn",
    "std::fs",
    "std::io",
    "std::net",
    "std::env",
    "std::process",
    "thread",
    "Mutex",
    "Atomic",
    "static ",
];

#[test]
fn plan_and_apply_know_no_clock_chance_hash_order_spawn_or_io() {
    let pure =
        ["research-core/src/run/plan.rs", "research-core/src/run/apply.rs", "research-core/src/run/checkpoint.rs"];
    let mut seen = 0;
    for source in all().iter().filter(|source| pure.contains(&source.path.as_str())) {
        seen += 1;
        for line in source.code().filter(|line| !line.trim_start().starts_with("//")) {
            let found = IMPURE.iter().find(|word| line.contains(*word));
            assert!(found.is_none(), "{} uses {found:?}: {line}", source.path);
        }
    }
    assert_eq!(seen, pure.len());
}
