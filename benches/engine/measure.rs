//! Timing of two sides in turn: medians of wall and process-CPU time per step.

use std::future::Future;
use std::pin::Pin;
use std::time::Instant;

use nix::time::{ClockId, clock_gettime};

/// One pass of a workload.
pub type Pass = Box<dyn Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

#[derive(Clone, Copy)]
pub struct Plan {
    /// Steps (fan-out: tasks) of one pass.
    pub steps: u64,
    pub passes: usize,
}

/// Medians, in nanoseconds per step.
pub struct Measurement {
    pub wall: f64,
    pub cpu: f64,
}

/// Measures two sides block by block in turn.
pub async fn pair(plan: Plan, a: Pass, b: Pass) -> (Measurement, Measurement) {
    const BLOCKS: usize = 10;
    let (mut first, mut second) = (Samples::default(), Samples::default());
    for _ in 0..BLOCKS.min(plan.passes) {
        first.take(plan, &a).await;
        second.take(plan, &b).await;
    }
    (first.medians(), second.medians())
}

#[derive(Default)]
struct Samples {
    wall: Vec<f64>,
    cpu: Vec<f64>,
}

impl Samples {
    async fn take(&mut self, plan: Plan, pass: &Pass) {
        let passes = plan.passes.div_ceil(10);
        pass().await;
        let (started, cpu) = (Instant::now(), process_cpu());
        for _ in 0..passes {
            pass().await;
        }
        let steps = plan.steps as f64 * passes as f64;
        self.cpu.push((process_cpu() - cpu) / steps);
        self.wall.push(started.elapsed().as_nanos() as f64 / steps);
    }

    fn medians(mut self) -> Measurement {
        Measurement { wall: median(&mut self.wall), cpu: median(&mut self.cpu) }
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// CPU time of all threads of this process, in nanoseconds.
fn process_cpu() -> f64 {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).unwrap();
    time.tv_sec() as f64 * 1e9 + time.tv_nsec() as f64
}
