//! Time per step at the start and at the end of a long run that stores a checkpoint after each step.
//!
//! Of each hundred the mean and the median step: SQLite brings its log into the file once in a hundred steps or two, for the
//! first time after the first hundred, which the mean shows and the median does not.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use research_benches::folder::Folder;
use research_benches::plain::item;
use research_benches::research_store::sqlite;
use research_core::checkpoint::{Checkpointer, MemoryCheckpointer};
use research_core::{Durability, END, Graph, State};
use research_core_sqlite::Synchronous;

/// Steps that are timed together.
const HUNDRED: usize = 100;

#[derive(Clone, Debug, Default, State)]
struct Work {
    n: u64,
    #[reduce(append)]
    items: Vec<String>,
}

pub async fn run(test: bool) {
    let (steps, passes) = if test { (300, 1) } else { (4_000, 9) };
    for bytes in [None, Some(200)] {
        let mut times = Vec::new();
        for _ in 0..passes {
            times.push(first_and_last(MemoryCheckpointer::new(), steps, bytes).await);
        }
        print("memory", steps, bytes, times);
        let mut times = Vec::new();
        for _ in 0..passes {
            let folder = Folder::create().unwrap();
            times.push(first_and_last(sqlite(&folder, Synchronous::Normal).await, steps, bytes).await);
        }
        print("SQLite", steps, bytes, times);
    }
}

/// Nanoseconds per step of the steps of one hundred.
#[derive(Clone, Copy)]
struct Hundred {
    mean: f64,
    median: f64,
}

impl Hundred {
    fn new(begun: &[Instant]) -> Self {
        let steps: Vec<f64> = begun.windows(2).map(|pair| (pair[1] - pair[0]).as_nanos() as f64).collect();
        Self { mean: steps.iter().sum::<f64>() / steps.len() as f64, median: median(steps) }
    }
}

/// The first and the last hundred.
async fn first_and_last(store: impl Checkpointer, steps: usize, bytes: Option<usize>) -> [Hundred; 2] {
    let begun = Arc::new(Mutex::new(Vec::with_capacity(steps)));
    let clock = Arc::clone(&begun);
    let mut g = Graph::<Work>::new("growth");
    let step = g.node("step", move |cx| {
        clock.lock().unwrap().push(Instant::now());
        async move {
            let update = Work::update().n(cx.state.n + 1);
            Ok(match bytes {
                Some(bytes) => update.items([item(cx.state.n, bytes)]),
                None => update,
            })
        }
    });
    let limit = steps as u64;
    g.entry(step).route(step, move |s: &Work| if s.n < limit { step } else { END });
    let graph = g.compile().unwrap().with_checkpointer(store);
    let run = graph.run(Work::update()).thread("t").durability(Durability::Sync).step_limit(limit);
    let done = run.await.unwrap();
    assert_eq!((done.state.n, done.state.items.len()), (limit, if bytes.is_some() { steps } else { 0 }));
    let begun = begun.lock().unwrap();
    assert_eq!(begun.len(), steps);
    [Hundred::new(&begun[..=HUNDRED]), Hundred::new(&begun[steps - HUNDRED - 1..])]
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn print(store: &str, steps: usize, bytes: Option<usize>, times: Vec<[Hundred; 2]>) {
    let over_passes =
        |of: fn(&Hundred) -> f64| [0, 1].map(|at| median(times.iter().map(|pass| of(&pass[at])).collect()));
    let [first, last] = over_passes(|hundred| hundred.mean);
    let [first_median, last_median] = over_passes(|hundred| hundred.median);
    println!(
        "growth   {store}, {}: the first hundred of {steps} steps {first:.0} ns a step, the last {last:.0} ns: ratio {:.2}; \
         median step {first_median:.0} ns and {last_median:.0} ns: ratio {:.2} (target 1.3)",
        bytes.map_or("loop".to_string(), |bytes| format!("{bytes} bytes appended a step")),
        last / first,
        last_median / first_median,
    );
}
