//! What the results of the sub-agents contribute to the run.

use research_agents_runtime::tools::registry::{AgentOutput, SubAgentError};

use crate::agents::aggregator::AggregatorOutput;
use crate::agents::extractor::ExtractorOutput;
use crate::agents::gap_analyzer::GapAnalyzerOutput;
use crate::agents::scanner::ScannerOutput;
use crate::agents::synthesizer::SynthesizerOutput;
use crate::agents::validator::ValidatorOutput;
use crate::data::contribution::Contribution;
use crate::data::task::DecomposerOutput;
use crate::data::task::review::PerspectiveOutput;

/// Returns what the result of a sub-agent contributes. The types of the agents of this crate are
/// known; a result of an agent of the host is read by the names in its JSON.
///
/// # Errors
///
/// [`SubAgentError::InvalidOutput`] when the result of an agent of the host does not match its
/// schema.
pub(crate) fn contribution(output: AgentOutput) -> Result<Contribution, SubAgentError> {
    let known = typed::<AggregatorOutput>(output)
        .or_else(typed::<ScannerOutput>)
        .or_else(typed::<ExtractorOutput>)
        .or_else(typed::<DecomposerOutput>)
        .or_else(typed::<PerspectiveOutput>)
        .or_else(typed::<ValidatorOutput>)
        .or_else(typed::<GapAnalyzerOutput>)
        .or_else(typed::<SynthesizerOutput>);
    known.or_else(|output| Ok(Contribution::from_output(&output.into_json()?)))
}

fn typed<T: Into<Contribution> + 'static>(
    output: AgentOutput,
) -> Result<Contribution, AgentOutput> {
    output.downcast::<T>().map(T::into)
}

impl From<AggregatorOutput> for Contribution {
    fn from(output: AggregatorOutput) -> Self {
        Self {
            results: output.results,
            insights: output.insights,
            sources: output.sources,
            queries: output.queries,
            notes: output.notes,
            ..Self::default()
        }
    }
}

impl From<ScannerOutput> for Contribution {
    fn from(output: ScannerOutput) -> Self {
        Self {
            findings: output.findings,
            batch_findings: output.batch_findings,
            results: output.results,
            sources: output.sources,
            queries: output.queries,
            processed_doc_ids: output.processed_doc_ids,
            notes: output.notes,
            ..Self::default()
        }
    }
}

impl From<ExtractorOutput> for Contribution {
    fn from(output: ExtractorOutput) -> Self {
        Self {
            findings: output.findings,
            batch_findings: output.batch_findings,
            queries: output.queries,
            processed_doc_ids: output.processed_doc_ids,
            notes: output.notes,
            thinking: output.thinking,
            ..Self::default()
        }
    }
}

impl From<DecomposerOutput> for Contribution {
    fn from(output: DecomposerOutput) -> Self {
        Self {
            sub_questions: output.sub_questions,
            ..Self::default()
        }
    }
}

impl From<PerspectiveOutput> for Contribution {
    fn from(output: PerspectiveOutput) -> Self {
        Self {
            perspectives: output.perspectives,
            ..Self::default()
        }
    }
}

impl From<ValidatorOutput> for Contribution {
    fn from(output: ValidatorOutput) -> Self {
        Self {
            status: Some(output.status),
            issues: output.issues,
            confidence_scores: output.confidence_scores,
            overall_confidence: Some(output.overall_confidence),
            thinking: output.thinking,
            ..Self::default()
        }
    }
}

impl From<GapAnalyzerOutput> for Contribution {
    fn from(output: GapAnalyzerOutput) -> Self {
        Self {
            gaps: output.gaps,
            recommendation: Some(output.recommendation),
            thinking: output.thinking,
            ..Self::default()
        }
    }
}

impl From<SynthesizerOutput> for Contribution {
    fn from(output: SynthesizerOutput) -> Self {
        Self {
            report: Some(output.report),
            document: output.document,
            key_findings: output.key_findings,
            confidence: Some(output.confidence),
            limitations: output.limitations,
            suggestions_for_further_research: output.suggestions_for_further_research,
            notes: output.notes,
            ..Self::default()
        }
    }
}
