//! The sub-agents of this library, one file each.

use research_agents_runtime::tools::registry::Registry;

use crate::agents::aggregator::Aggregator;
use crate::agents::decomposer::Decomposer;
use crate::agents::extractor::Extractor;
use crate::agents::gap_analyzer::GapAnalyzer;
use crate::agents::perspective::PerspectiveAgent;
use crate::agents::scanner::Scanner;
use crate::agents::synthesizer::Synthesizer;
use crate::agents::validator::Validator;
use crate::cx::DatasetCx;

/// Returns the sub-agents of this library: decomposer, perspective, aggregator, scanner, extractor,
/// validator, gap analyzer and synthesizer.
///
/// ```
/// let mut names = research_agents_dataset::standard_agents().names();
/// names.sort();
/// assert_eq!(
///     names,
///     [
///         "aggregator", "decomposer", "extractor", "gap_analyzer", "perspective", "scanner",
///         "synthesizer", "validator",
///     ]
/// );
/// ```
pub fn standard_agents() -> Registry<DatasetCx> {
    let mut agents = Registry::new();
    agents
        .register(Decomposer)
        .register(PerspectiveAgent)
        .register(Aggregator)
        .register(Scanner);
    agents
        .register(Extractor)
        .register(Validator)
        .register(GapAnalyzer)
        .register(Synthesizer);
    agents
}
