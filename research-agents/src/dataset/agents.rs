//! The sub-agents of this library, one file each.

mod aggregator;
mod decomposer;
mod extraction;
mod extractor;
mod gap_analyzer;
mod perspective;
mod scan;
mod scanner;
mod synthesizer;
mod validator;

pub use aggregator::{Aggregator, AggregatorInput, AggregatorOutput};
pub use decomposer::{Decomposer, DecomposerInput};
pub use extractor::{Extractor, ExtractorInput, ExtractorOutput};
pub use gap_analyzer::{GapAnalyzer, GapAnalyzerInput, GapAnalyzerOutput};
pub use perspective::{PerspectiveAgent, PerspectiveInput};
pub use scanner::{Scanner, ScannerInput, ScannerOutput, max_batches};
pub use synthesizer::{Synthesizer, SynthesizerInput, SynthesizerOutput};
pub use validator::{Validator, ValidatorInput, ValidatorOutput};

pub(in crate::dataset) use scan::scan_arguments;
pub(in crate::dataset) use scanner::asked_tools;

use super::services::DatasetCx;
use crate::subagent::Registry;

/// Name of the agent that reads records.
pub(crate) const SCANNER: &str = "scanner";
/// Name of the agent that writes the report.
pub(crate) const SYNTHESIZER: &str = "synthesizer";
/// Name of the agent that computes statistics.
pub(crate) const AGGREGATOR: &str = "aggregator";
/// Name of the agent that breaks the question down.
pub(crate) const DECOMPOSER: &str = "decomposer";
/// Name of the agent that draws findings from records that came already.
pub(crate) const EXTRACTOR: &str = "extractor";
/// Name of the agent that looks for points of view.
pub(crate) const PERSPECTIVE: &str = "perspective";
/// Name of the agent that checks the findings.
pub(crate) const VALIDATOR: &str = "validator";
/// Name of the agent that looks for what is missing.
pub(crate) const GAP_ANALYZER: &str = "gap_analyzer";

/// The sub-agents of this library: decomposer, perspective, aggregator, scanner, extractor, validator, gap analyzer and
/// synthesizer.
///
/// ```
/// let mut names = research_agents::dataset::standard_agents().names();
/// names.sort();
/// assert_eq!(
///     names,
///     ["aggregator", "decomposer", "extractor", "gap_analyzer", "perspective", "scanner", "synthesizer", "validator"]
/// );
/// ```
pub fn standard_agents() -> Registry<DatasetCx> {
    let mut agents = Registry::new();
    agents.register(Decomposer).register(PerspectiveAgent).register(Aggregator).register(Scanner);
    agents.register(Extractor).register(Validator).register(GapAnalyzer).register(Synthesizer);
    agents
}
