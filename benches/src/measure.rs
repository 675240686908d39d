//! Timing: wall and process-CPU time per step, of two sides in turn or of single runs.

use std::time::Instant;

use futures::future::BoxFuture;
use nix::time::{ClockId, clock_gettime};

/// One run of a workload.
pub type Pass = Box<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

#[derive(Clone, Copy)]
pub struct Plan {
    /// Steps (fan-out: tasks) of one pass.
    pub steps: u64,
    pub passes: usize,
}

/// Nanoseconds per step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measurement {
    pub wall: f64,
    pub cpu: f64,
}

impl Measurement {
    /// The medians of both times, each for itself; of an even number the mean of the two in the middle.
    ///
    /// # Panics
    ///
    /// Without a measurement.
    pub fn median(of: impl IntoIterator<Item = Self>) -> Self {
        let (wall, cpu): (Vec<_>, Vec<_>) = of.into_iter().map(|one| (one.wall, one.cpu)).unzip();
        Self { wall: median(wall), cpu: median(cpu) }
    }
}

/// Measures two sides block by block in turn; many passes make a block, so that reading the clocks weighs nothing.
pub async fn pair(plan: Plan, a: Pass, b: Pass) -> (Measurement, Measurement) {
    const BLOCKS: usize = 10;
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for _ in 0..BLOCKS.min(plan.passes) {
        first.push(block(plan, &a).await);
        second.push(block(plan, &b).await);
    }
    (Measurement::median(first), Measurement::median(second))
}

async fn block(plan: Plan, pass: &Pass) -> Measurement {
    let passes = plan.passes.div_ceil(10);
    pass().await;
    let clocks = Clocks::read();
    for _ in 0..passes {
        pass().await;
    }
    clocks.since(plan.steps * passes as u64)
}

/// Times one run by itself, and gives what it gave.
pub async fn alone<T>(steps: u64, run: impl Future<Output = T>) -> (Measurement, T) {
    let clocks = Clocks::read();
    let done = run.await;
    (clocks.since(steps), done)
}

struct Clocks {
    wall: Instant,
    cpu: f64,
}

impl Clocks {
    fn read() -> Self {
        Self { wall: Instant::now(), cpu: process_cpu() }
    }

    fn since(&self, steps: u64) -> Measurement {
        let cpu = process_cpu() - self.cpu;
        Measurement { wall: self.wall.elapsed().as_nanos() as f64 / steps as f64, cpu: cpu / steps as f64 }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// CPU time of all threads of this process, in nanoseconds.
fn process_cpu() -> f64 {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).unwrap();
    time.tv_sec() as f64 * 1e9 + time.tv_nsec() as f64
}

#[cfg(test)]
mod tests {
    use super::Measurement;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_two_in_the_middle() {
        let of = |walls: &[f64]| Measurement::median(walls.iter().map(|&wall| Measurement { wall, cpu: -wall }));
        assert_eq!(of(&[9.0, 1.0, 4.0]), Measurement { wall: 4.0, cpu: -4.0 });
        assert_eq!(of(&[9.0, 1.0, 4.0, 2.0]), Measurement { wall: 3.0, cpu: -3.0 });
    }
}
