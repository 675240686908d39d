//! The engine beside raw tokio, workload by workload in one run: process-CPU and wall time per step (fan-out: per task).
//!
//! `cargo bench -p research-benches --bench engine` prints the table; with `-- PART` only the workloads whose name holds
//! PART. With `-- --test` each workload runs once and only its result is checked.

use research_benches::measure::{self, Measurement, Plan};
use research_benches::{plain, research};

/// Names shared with the rivals' programs, steps of one pass, passes, and the two sides.
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let test = arguments.iter().any(|argument| argument == "--test");
    let part = arguments.iter().find(|argument| !argument.starts_with("--")).map_or("", String::as_str);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();

    println!(
        "{:<16} {:>14} {:>14} {:>9} {:>14} {:>14} {:>9}",
        "workload", "engine cpu", "tokio cpu", "ratio", "engine wall", "tokio wall", "ratio"
    );
    for (name, steps, passes) in [
        ("a_chain_10", 10, 2_000),
        ("a_chain_1000", 1_000, 300),
        ("b_loop_1000", 1_000, 300),
        ("c_fanout_100", 100, 500),
        ("c_fanout_1000", 1_000, 200),
        ("c_waiting_1000", 1_000, 100),
        ("d_accum_250", 250, 200),
        ("d_accum_1000", 1_000, 100),
        ("d_accum_4000", 4_000, 50),
        ("s_stream_1000", 1_000, 100),
    ] {
        if !name.contains(part) {
            continue;
        }
        let plan = Plan { steps, passes: if test { 1 } else { passes } };
        // The two sides take turns in blocks, so that a drift of the machine's speed meets both.
        let (engine, tokio) = runtime.block_on(async { tokio::spawn(sides(name, plan)).await.unwrap() });
        println!(
            "{name:<16} {:>11.0} ns {:>11.0} ns {:>9.2} {:>11.0} ns {:>11.0} ns {:>9.2}",
            engine.cpu,
            tokio.cpu,
            engine.cpu / tokio.cpu,
            engine.wall,
            tokio.wall,
            engine.wall / tokio.wall,
        );
    }
}

async fn sides(name: &'static str, plan: Plan) -> (Measurement, Measurement) {
    let steps = plan.steps;
    match name.split('_').next() {
        Some("a") => measure::pair(plan, research::chain(steps), plain::chain(steps)).await,
        Some("b") => measure::pair(plan, research::counting(steps, None), plain::counting(steps, None)).await,
        Some("c") if name.contains("waiting") => {
            measure::pair(plan, research::fan_out(steps, true), plain::fan_out(steps, true)).await
        }
        Some("c") => measure::pair(plan, research::fan_out(steps, false), plain::fan_out(steps, false)).await,
        Some("d") => measure::pair(plan, research::counting(steps, Some(200)), plain::counting(steps, Some(200))).await,
        _ => measure::pair(plan, research::streamed(steps), plain::counting(steps, None)).await,
    }
}
