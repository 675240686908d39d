//! Defaults and limits of the dataset agent.

use std::collections::BTreeMap;

use research_agents_report::language::Language;
use research_agents_runtime::clarify::ClarificationPolicy;
use research_agents_runtime::error::Error;
use research_agents_runtime::limits::policy::Policy;
use research_agents_runtime::limits::{BudgetLimits, RetryPolicy};
use research_mcp::{FieldMapping, PagerOptions};
use serde::{Deserialize, Serialize};

use crate::data::record::ReportFormat;
use crate::data::review::ReviewRules;

/// The maximum number of documents that a run reads, regardless of the configuration.
pub const MAX_DOCS_LIMIT: usize = 300;
/// The minimum number of sub-questions that are asked for.
pub(crate) const MIN_QUESTIONS: usize = 3;
/// The maximum number of sub-questions that can be asked for.
pub(crate) const MAX_QUESTIONS: usize = 7;
/// The maximum number of questions to the user that can be allowed.
const MAX_CLARIFICATIONS: u32 = 3;
/// The number of insights of one aggregator call.
pub(crate) const INSIGHTS: std::ops::RangeInclusive<usize> = 3..=5;

/// Settings of the dataset agent.
///
/// ```
/// use research_agents_dataset::DatasetConfig;
///
/// let config = DatasetConfig { max_iterations: 4, exhaustive: true, ..DatasetConfig::default() };
/// assert_eq!((config.batch_size, config.max_docs), (75, 300));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatasetConfig {
    /// Maximum number of times the planner is asked, at least 1. Defaults to 10.
    pub max_iterations: u32,
    /// Overall confidence, 0 to 1, at which the research ends. Defaults to 0.7.
    pub completion_confidence: f64,
    /// Number of consecutive data-fetching batches without a new finding after which the research
    /// ends. Defaults to 3.
    pub no_new_findings_batches: u32,
    /// Whether everything that matches is read, up to `max_docs` or until a tool fails. Neither
    /// confidence nor a lack of new findings ends the research earlier, nor does a plan that stops
    /// a scan after some batches, reads samples, or requests the report. Only `max_iterations` and
    /// the budget do. Defaults to `false`.
    pub exhaustive: bool,
    /// Maximum number of sub-questions, 3 to 7. Defaults to 7.
    pub max_questions: usize,
    /// Number of groups that an aggregator asks for, at least 1. Defaults to 20.
    pub top_n: u32,
    /// Number of sample documents that an aggregator asks for in each group. Defaults to 0.
    pub samples_per_bucket: u32,
    /// Number of documents of one scan batch, at least 1. Defaults to 75.
    pub batch_size: usize,
    /// Maximum number of documents that a run reads, 1 to 300. Defaults to 300.
    pub max_docs: usize,
    /// Maximum number of documents that a tool returns in one call. Defaults to 100.
    pub page_size_cap: usize,
    /// Maximum number of findings drawn from one document. Defaults to 3.
    pub max_findings_per_doc: usize,
    /// Shape of the report.
    pub format: ReportFormat,
    /// Language of the answer. Defaults to that of the question, and to English if that is not
    /// certain.
    pub language: Option<Language>,
    /// Maximum number of sub-agents and tools that run concurrently; the others wait. Defaults to
    /// 5.
    pub parallel_calls: usize,
    /// Maximum number of concurrent extraction requests to the model. Defaults to 4.
    pub parallel_extractions: usize,
    /// Maximum number of tokens of documents in one extraction request, by an estimate that errs
    /// high. Lower for models with a smaller context window. Defaults to 40,000.
    pub extraction_tokens: usize,
    /// Weights of the confidence without a validator's verdict.
    pub confidence_weights: ConfidenceWeights,
    /// Rules by which findings and gaps are judged.
    pub review: ReviewRules,
    /// Mapping of records to documents, for tools whose schemas and records do not reveal it.
    pub mapping: FieldMapping,
    /// Paging of tools by their exposed names, for tools whose schemas do not reveal it. Its limit
    /// on documents applies in addition to `max_docs`, its page size cap instead of
    /// `page_size_cap`; its mapping is not used.
    pub paging: BTreeMap<String, PagerOptions>,
    /// Retries of calls to models and tools that failed with a transient error.
    pub retry: RetryPolicy,
    /// Treatment of an ambiguous question. By default the likeliest reading is taken and reported.
    pub clarification: ClarificationPolicy,
    /// Maximum number of questions that a run asks its user, 0 to 3; 0 turns the check for
    /// ambiguity off. Defaults to 1.
    pub max_clarifications: u32,
    /// Resources that a run may use. When they are used up, gathering ends and the report says so.
    pub budget: BudgetLimits,
    /// Permissions of a run. By default plans and the agents that fetch data may call the enabled
    /// tools, and arguments contain no host or path that the user has not named.
    pub policy: Option<Policy>,
}

/// Confidence without a validator: the sum of these, with `coverage` times the fraction of matching
/// documents read.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfidenceWeights {
    /// Weight of having an aggregation. Defaults to 0.3.
    pub aggregations: f64,
    /// Weight of having a finding. Defaults to 0.2.
    pub findings: f64,
    /// Weight of the coverage, 0 to 1. Defaults to 0.3.
    pub coverage: f64,
    /// Weight of having read all matching documents. Defaults to 0.2.
    pub all_fetched: f64,
}

impl Default for ConfidenceWeights {
    fn default() -> Self {
        Self {
            aggregations: 0.3,
            findings: 0.2,
            coverage: 0.3,
            all_fetched: 0.2,
        }
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
            (
                "no_new_findings_batches",
                self.no_new_findings_batches as usize,
            ),
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
            return wrong(
                "max_questions",
                format!("must be {MIN_QUESTIONS} to {MAX_QUESTIONS}"),
            );
        }
        if self.max_clarifications > MAX_CLARIFICATIONS {
            return wrong(
                "max_clarifications",
                format!("must be 0 to {MAX_CLARIFICATIONS}"),
            );
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
mod tests;
