//! The names of the sub-agents, and of the arguments that plans may not write.

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

/// Arguments that the state owns: a plan's values for them are replaced.
pub(crate) const STATE_OWNED: &[&str] = &[
    "findings",
    "sub_questions",
    "aggregation_results",
    "documents",
];
