//! What checkpoints cost: time beside plain tokio, reading and writing at the end of a long history, bytes, memory.
//!
//! `cargo bench -p research-benches --bench checkpoint` prints every part that takes seconds; with `-- PART` only those whose
//! name holds PART, among them `idle` and `soak`, which run only when they are named. With `-- --test` each part runs
//! once at a small size and only its results are checked.

mod growth;
mod history;
mod idle;
mod soak;
mod speed;
mod storage;

use std::process::ExitCode;

/// The parts that run only when they are named.
const LONG: [&str; 2] = ["idle", "soak"];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let test = arguments.iter().any(|argument| argument == "--test");
    let part = arguments.iter().find(|argument| !argument.starts_with("--")).map_or("", String::as_str);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut any = false;
    for name in ["loop", "append", "history", "growth", "storage", "idle", "soak"] {
        let named = !part.is_empty() && name.contains(part);
        if !(named || part.is_empty() && (test || !LONG.contains(&name))) {
            continue;
        }
        any = true;
        runtime.block_on(async {
            match name {
                "loop" => speed::run("e_loop_ckpt", None, test).await,
                "append" => speed::run("f_accum_ckpt", Some(200), test).await,
                "history" => history::run(test).await,
                "growth" => growth::run(test).await,
                "storage" => storage::run(test).await,
                "idle" => idle::run(test).await,
                _ => soak::run(test).await,
            }
        });
    }
    if !any {
        eprintln!("no part's name contains {part:?}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
