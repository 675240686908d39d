//! Time per step with a checkpoint in memory after each, beside plain tokio that keeps a copy or the change.

use research_benches::measure::{Plan, pair};
use research_benches::{plain_store, research_store};

pub async fn run(name: &str, item: Option<usize>, test: bool) {
    let sizes: &[u64] = if item.is_some() { &[250, 1_000, 4_000] } else { &[1_000] };
    for &steps in sizes {
        let plan = Plan { steps, passes: if test { 1 } else { 100 } };
        let plain = if item.is_some() { plain_store::noting_changes(steps) } else { plain_store::copying(steps) };
        let engine = research_store::in_memory(steps, item);
        // On a worker, as the other benches.
        let (engine, tokio) = tokio::spawn(pair(plan, engine, plain)).await.unwrap();
        println!(
            "{:<18} engine {:>6.0} ns a step (cpu {:>6.0}), tokio {:>6.0} ns (cpu {:>6.0}), ratio {:.2} (cpu {:.2})",
            format!("{name}_{steps}"),
            engine.wall,
            engine.cpu,
            tokio.wall,
            tokio.cpu,
            engine.wall / tokio.wall,
            engine.cpu / tokio.cpu,
        );
    }
}
