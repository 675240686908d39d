//! One participant's way to do a workload, and its runs timed one by one.

use std::any::Any;

use futures::future::BoxFuture;

use crate::folder::Folder;
use crate::measure::{Measurement, Pass, alone};

/// What a participant brings to a workload.
pub enum Side {
    /// Runs that need nothing but memory.
    Memory(Pass),
    /// Runs that each have a new database; it is made outside of the timed part.
    Disk(Open),
}

/// Makes a new database and what runs on it.
pub type Open = Box<dyn Fn() -> BoxFuture<'static, Disk> + Send + Sync>;

/// A run on a database of its own.
pub struct Disk {
    /// Gives what closes the database, which is no part of the run.
    pub run: BoxFuture<'static, Box<dyn Any + Send>>,
    pub folder: Folder,
}

/// Times `runs` runs, in memory after a few that warm up: the medians, and the bytes of the last database with its log.
///
/// Each run is timed alone, the reading of the clocks included, as the programs of the rivals do it.
pub async fn time(side: &Side, steps: u64, runs: usize) -> (Measurement, Option<u64>) {
    match side {
        Side::Memory(pass) => {
            for _ in 0..3 {
                pass().await;
            }
            let mut taken = Vec::with_capacity(runs);
            for _ in 0..runs {
                taken.push(alone(steps, async { pass().await }).await.0);
            }
            (Measurement::median(taken), None)
        }
        Side::Disk(open) => {
            let (mut taken, mut bytes) = (Vec::with_capacity(runs), None);
            for _ in 0..runs {
                let Disk { run: work, folder } = open().await;
                let (measured, open) = alone(steps, work).await;
                bytes = folder.bytes().ok();
                drop(open);
                taken.push(measured);
            }
            (Measurement::median(taken), bytes)
        }
    }
}
