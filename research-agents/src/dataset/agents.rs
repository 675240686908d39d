//! The sub-agents of this library, one file each.

mod aggregator;
mod decomposer;
mod extraction;
mod scan;
mod scanner;
mod synthesizer;

pub use aggregator::{Aggregator, AggregatorInput, AggregatorOutput};
pub use decomposer::{Decomposer, DecomposerInput};
pub use scanner::{Scanner, ScannerInput, ScannerOutput, max_batches};
pub use synthesizer::{Synthesizer, SynthesizerInput, SynthesizerOutput};

use super::services::DatasetCx;
use crate::subagent::Registry;

/// Name of the agent that reads records.
pub(crate) const SCANNER: &str = "scanner";
/// Name of the agent that writes the report.
pub(crate) const SYNTHESIZER: &str = "synthesizer";
/// Name of the agent that computes statistics.
pub(crate) const AGGREGATOR: &str = "aggregator";

/// The sub-agents of this library: decomposer, aggregator, scanner, synthesizer.
pub fn standard_agents() -> Registry<DatasetCx> {
    let mut agents = Registry::new();
    agents.register(Decomposer).register(Aggregator).register(Scanner).register(Synthesizer);
    agents
}
