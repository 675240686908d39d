//! Defaults and limits of the dataset agent.

use std::collections::BTreeMap;

use research_mcp::{FieldMapping, PagerOptions};
use serde::{Deserialize, Serialize};

use super::clarify::ClarificationPolicy;
use super::record::ReportFormat;
use super::retry::RetryPolicy;
use super::review::ReviewRules;
use crate::Error;
use crate::kernel::{BudgetLimits, Language, Policy};

/// The most documents that a run reads, whatever the configuration says.
pub const MAX_DOCS_LIMIT: usize = 300;
/// Fewest sub-questions that are asked for.
pub(crate) const MIN_QUESTIONS: usize = 3;
/// Most sub-questions that can be asked for.
pub(crate) const MAX_QUESTIONS: usize = 7;
/// Most questions to the user that can be allowed.
const MAX_CLARIFICATIONS: u32 = 3;
/// Fewest and most insights of one aggregator call.
pub(crate) const INSIGHTS: std::ops::RangeInclusive<usize> = 3..=5;

/// Settings of the dataset agent.
///
/// ```
/// use research_agents::dataset::DatasetConfig;
///
/// let config = DatasetConfig { max_iterations: 4, exhaustive: true, ..DatasetConfig::default() };
/// assert_eq!((config.batch_size, config.max_docs), (75, 300));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatasetConfig {
    /// Times the planner may be asked. At least 1; default 10.
    pub max_iterations: u32,
    /// Overall confidence, 0 to 1, from which the research ends. Default 0.7.
    pub completion_confidence: f64,
    /// Consecutive data-fetching batches without a new finding after which the research ends. Default 3.
    pub no_new_findings_batches: u32,
    /// Everything is read that matches, up to `max_docs`, or until a tool fails: neither confidence nor a lack of news ends the
    /// research before, nor does a plan that stops a scan after so many batches, reads samples, or has the report written.
    /// Only `max_iterations` and the budget do. Default off.
    pub exhaustive: bool,
    /// Most sub-questions, 3 to 7. Default 7.
    pub max_questions: usize,
    /// Groups that an aggregator asks for. At least 1; default 20.
    pub top_n: u32,
    /// Sample documents of each group that an aggregator asks for. Default 0.
    pub samples_per_bucket: u32,
    /// Documents of one scan batch. At least 1; default 75.
    pub batch_size: usize,
    /// Most documents that a run reads, 1 to 300. Default 300.
    pub max_docs: usize,
    /// Most documents that a tool gives in one call. Default 100.
    pub page_size_cap: usize,
    /// Most findings drawn from one document. Default 3.
    pub max_findings_per_doc: usize,
    /// Shape of the report.
    pub format: ReportFormat,
    /// Language of the answer. Default none: that of the question, and English where that is not certain.
    pub language: Option<Language>,
    /// Sub-agents and tools in flight at once; the others wait. Default 5.
    pub parallel_calls: usize,
    /// Extraction requests to the model in flight at once. Default 4.
    pub parallel_extractions: usize,
    /// Most tokens of documents in one extraction request, by an estimate that errs high; less where the model holds less.
    /// Default 40,000.
    pub extraction_tokens: usize,
    /// How confidence is computed when no validator has spoken.
    pub confidence_weights: ConfidenceWeights,
    /// How findings and gaps are judged.
    pub review: ReviewRules,
    /// How records of a tool become documents, for tools whose schemas and records do not tell.
    pub mapping: FieldMapping,
    /// How a tool pages, by its exposed name, for tools whose schemas do not tell. Its limit on documents holds below
    /// `max_docs`, its page size cap in the place of `page_size_cap`; its mapping is not used.
    pub paging: BTreeMap<String, PagerOptions>,
    /// How calls of models and tools that failed for a passing reason are tried again.
    pub retry: RetryPolicy,
    /// What is done about a question that can be read in several ways. Default: the likeliest reading is taken, and said.
    pub clarification: ClarificationPolicy,
    /// Most questions that a run asks its user, 0 to 3; with 0 ambiguity is not looked for. Default 1.
    pub max_clarifications: u32,
    /// What a run may use. When it is used up gathering ends, and the report says so.
    pub budget: BudgetLimits,
    /// What a run may touch. By default the agents that fetch data, and plans themselves, may call the enabled tools, and
    /// no host or path is named to a tool that the user has not named.
    pub policy: Option<Policy>,
}

/// Confidence without a validator: the sum of these, with `coverage` times the fraction of matching documents read.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfidenceWeights {
    /// There is an aggregation. Default 0.3.
    pub aggregations: f64,
    /// There is a finding. Default 0.2.
    pub findings: f64,
    /// Times the coverage, 0 to 1. Default 0.3.
    pub coverage: f64,
    /// All matching documents were read. Default 0.2.
    pub all_fetched: f64,
}

impl Default for ConfidenceWeights {
    fn default() -> Self {
        Self { aggregations: 0.3, findings: 0.2, coverage: 0.3, all_fetched: 0.2 }
    }
}

impl Default for DatasetConfig {
    fn default() -> Self {
        Self {
            max_iterations: 10,
            completion_confidence: 0.7,
            no_new_findings_batches: 3,
            exhaustive: false,
            max_questions: MAX_QUESTIONS,
            top_n: 20,
            samples_per_bucket: 0,
            batch_size: 75,
            max_docs: MAX_DOCS_LIMIT,
            page_size_cap: 100,
            max_findings_per_doc: 3,
            format: ReportFormat::default(),
            language: None,
            parallel_calls: 5,
            parallel_extractions: 4,
            extraction_tokens: 40_000,
            confidence_weights: ConfidenceWeights::default(),
            review: ReviewRules::default(),
            mapping: FieldMapping::default(),
            retry: RetryPolicy::default(),
            clarification: ClarificationPolicy::default(),
            max_clarifications: 1,
            budget: BudgetLimits::default(),
            policy: None,
            paging: BTreeMap::new(),
        }
    }
}

impl DatasetConfig {
    /// Checks the ranges.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] with the first setting that is out of its range.
    pub fn validate(&self) -> Result<(), Error> {
        let wrong = |key, problem: String| Err(Error::Config { key, problem });
        for (key, value) in [
            ("batch_size", self.batch_size),
            ("page_size_cap", self.page_size_cap),
            ("max_findings_per_doc", self.max_findings_per_doc),
            ("parallel_calls", self.parallel_calls),
            ("parallel_extractions", self.parallel_extractions),
            ("extraction_tokens", self.extraction_tokens),
            ("top_n", self.top_n as usize),
            ("no_new_findings_batches", self.no_new_findings_batches as usize),
        ] {
            if value == 0 {
                return wrong(key, "must be at least 1".to_owned());
            }
        }
        if self.max_iterations == 0 {
            return wrong("max_iterations", "must be at least 1".to_owned());
        }
        if !(1..=MAX_DOCS_LIMIT).contains(&self.max_docs) {
            return wrong("max_docs", format!("must be 1 to {MAX_DOCS_LIMIT}"));
        }
        if !(MIN_QUESTIONS..=MAX_QUESTIONS).contains(&self.max_questions) {
            return wrong("max_questions", format!("must be {MIN_QUESTIONS} to {MAX_QUESTIONS}"));
        }
        if self.max_clarifications > MAX_CLARIFICATIONS {
            return wrong("max_clarifications", format!("must be 0 to {MAX_CLARIFICATIONS}"));
        }
        if !(0.0..=1.0).contains(&self.completion_confidence) {
            return wrong("completion_confidence", "must be 0 to 1".to_owned());
        }
        if let Some(problem) = self.budget.problem() {
            return wrong("budget", problem.to_owned());
        }
        if !(0.0..=1.0).contains(&self.retry.jitter) {
            return wrong("retry.jitter", "must be 0 to 1".to_owned());
        }
        if let Some((key, problem)) = self.review.problem() {
            return wrong(key, problem);
        }
        Ok(())
    }
}

#[cfg(test)]
mod defaults;
