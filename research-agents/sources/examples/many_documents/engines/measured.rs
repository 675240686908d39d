//! What is measured of an engine.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::queries::QUERIES;

/// Name of the scorer without an index.
pub(crate) const BRUTE: &str = "a scorer without an index";

/// The best passages of a query with their scores, the best first.
pub(crate) type Ranking = Vec<(String, f64)>;

/// What an engine did.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) engine: String,
    pub(crate) documents: usize,
    pub(crate) passages: usize,
    /// Time to read and split the documents; 0 where that is part of the next time.
    pub(crate) read_s: f64,
    /// Time to make the index.
    pub(crate) index_s: f64,
    /// Peak of the resident memory of its process.
    pub(crate) memory_mb: f64,
    pub(crate) query_ms: Vec<f64>,
    pub(crate) best: Vec<Ranking>,
    /// Whether its scores are to be those of the scorer without an index.
    pub(crate) ranks_as_we_do: bool,
}

impl Measured {
    pub(crate) fn new(engine: &str) -> Self {
        Self {
            engine: engine.to_owned(),
            ..Self::default()
        }
    }

    /// Asks every query, once to warm up and once with a watch.
    pub(crate) fn ask<E>(
        &mut self,
        mut search: impl FnMut(&str) -> Result<Ranking, E>,
    ) -> Result<(), E> {
        for query in QUERIES {
            search(query)?;
            let start = Instant::now();
            let best = search(query)?;
            self.query_ms.push(start.elapsed().as_secs_f64() * 1e3);
            self.best.push(best);
        }
        self.memory_mb = peak_memory();
        Ok(())
    }
}

/// Returns the peak of the resident memory of this process in MB; 0 where the kernel does not
/// tell.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1e3
}
