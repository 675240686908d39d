//! A synthesizer: keeps a memo with a model port, which proposes; code checks, dedupes and counts.
//!
//! | the memo contains | an [update](ScrSynthesizer::update) | questions |
//! |---|---|---:|
//! | nothing | writes the sections up to the early decision, if there is one | 1 to 3 |
//! | sections | updates them by the new findings alone | 1 to 3 |
//! | every finding already | does nothing | 0 |
//!
//! A [completion](ScrSynthesizer::complete) writes the sections after the early decision, each with
//! one question.
//!
//! The first whole memo is judged once, and refined once if it is moderate or shallow: 1 question,
//! and 3 more.
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//!
//! use research_agents_runtime::offline::OfflineModel;
//! use research_agents_scr::memo::{Finding, Scr};
//! use research_agents_scr::synthesizer::{ScrSynthesizer, ScrUpdate, answers};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = OfflineModel::new(answers());
//! let synthesizer = ScrSynthesizer::builder(Arc::new(model)).build()?;
//!
//! let mut memo = Scr::new("Should we move to version 16?");
//! let findings = [Finding::new("Backups fail on old disks. We recommend new disks.", "a.md")];
//! let update = synthesizer.update(&mut memo, findings).await?;
//! assert!(matches!(update, ScrUpdate::Partial(_)));
//!
//! synthesizer.complete(&mut memo).await?;
//! assert_eq!(memo.resolution.statements[0].text.for_code(), "We recommend new disks.");
//! assert_eq!(memo.spent.section_calls, 3);
//! # Ok(()) }
//! ```

use std::fmt;
use std::sync::Arc;

use research_agents_runtime::error::Error;
use research_agents_runtime::job::{Job, Kit, NoTools, PlainLoop, Settings};
use research_agents_runtime::limits::{Policy, RetryPolicy};
use research_agents_sources::memory::FindingsMemory;
use research_llm::ChatModel;
use tokio_util::sync::CancellationToken;

pub(crate) mod config;
pub(crate) mod tasks;
pub(crate) mod error;
pub(crate) mod offline;
pub(crate) mod prompts;
pub(crate) mod capacity;
pub(crate) mod material;
pub(crate) mod edits;
pub(crate) mod steps;

pub use config::{After, History, ScrConfig, Tiers};
pub use error::{ScrError, Step};
pub use offline::answers;
pub use steps::Steps;
pub use tasks::{
    Feedback, FindingView, FindingsMetadata, Known, Purpose, REFINE, REFLECT, ReflectTask, SECTION,
    SectionEdits, SectionTask, StatementEdit, StatementView,
};

use crate::memo::{Finding, Scr, SectionKind};
use crate::update::Delivery;

/// What an update or a completion did to a memo.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ScrUpdate {
    /// No finding is known. The model was not asked.
    Empty,
    /// The memo knew every finding, and all its sections take account of them. The model was not
    /// asked, and the memo has the same bytes as before.
    Unchanged,
    /// Sections after the decision, or after a step that did not end in time, are not written yet.
    Partial(Delivery),
    /// All sections take account of all findings.
    Whole(Delivery),
}

impl ScrUpdate {
    /// Returns what changed, if the memo was changed.
    pub fn delivery(&self) -> Option<&Delivery> {
        match self {
            Self::Empty | Self::Unchanged => None,
            Self::Partial(delivery) | Self::Whole(delivery) => Some(delivery),
        }
    }
}

/// Keeps memos with a model. Clones share the model.
#[derive(Clone)]
pub struct ScrSynthesizer {
    model: Arc<dyn ChatModel>,
    config: ScrConfig,
    memory: FindingsMemory,
    retry: RetryPolicy,
    cancel: CancellationToken,
}

/// A synthesizer that is being built.
#[derive(Clone)]
pub struct ScrSynthesizerBuilder(ScrSynthesizer);

impl ScrSynthesizer {
    /// Starts building a synthesizer.
    pub fn builder(model: Arc<dyn ChatModel>) -> ScrSynthesizerBuilder {
        ScrSynthesizerBuilder(Self {
            model,
            config: ScrConfig::default(),
            memory: FindingsMemory::new(),
            retry: RetryPolicy::default(),
            cancel: CancellationToken::new(),
        })
    }

    /// Reads the findings that the memo does not know, and writes its sections up to the early
    /// decision, if there is one.
    ///
    /// A step that does not end in time leaves a partial memo, with the reason in the delivery.
    ///
    /// # Errors
    ///
    /// [`ScrError::Step`] when the model gives nothing that can be used after three attempts. The
    /// memo keeps what the steps before it wrote, and the next call continues there.
    pub async fn update(
        &self,
        memo: &mut Scr,
        findings: impl IntoIterator<Item = Finding>,
    ) -> Result<ScrUpdate, ScrError> {
        self.update_after(memo, findings, None).await
    }

    /// Does the same after a decision to continue the research, whose reasons prompts contain.
    ///
    /// # Errors
    ///
    /// Those of [`update`](Self::update).
    pub async fn update_after(
        &self,
        memo: &mut Scr,
        findings: impl IntoIterator<Item = Finding>,
        feedback: Option<&Feedback>,
    ) -> Result<ScrUpdate, ScrError> {
        let delivery = memo.deliver(findings);
        if memo.findings.is_empty() {
            return Ok(ScrUpdate::Empty);
        }
        let job = self.job();
        let until = self.config.until();
        let steps = self.steps(&job, feedback);
        self.write(&job, &steps, memo, until, delivery).await
    }

    /// Writes the sections that do not take account of all findings: after an early decision the
    /// resolution alone. Sections that do stay as they are, byte for byte.
    ///
    /// # Errors
    ///
    /// Those of [`update`](Self::update).
    pub async fn complete(&self, memo: &mut Scr) -> Result<ScrUpdate, ScrError> {
        if memo.findings.is_empty() {
            return Ok(ScrUpdate::Empty);
        }
        let job = self.job();
        let until = SectionKind::Resolution;
        let steps = self.steps(&job, None);
        let delivery = Delivery::default();
        self.write(&job, &steps, memo, until, delivery).await
    }

    /// Takes the steps up to a section.
    async fn write(
        &self,
        job: &Job,
        steps: &Steps<'_>,
        memo: &mut Scr,
        until: SectionKind,
        mut delivery: Delivery,
    ) -> Result<ScrUpdate, ScrError> {
        let mut taken = 0;
        while let Some(step) = memo.next_step(until, &self.config) {
            match steps.take(memo, step, &mut delivery).await {
                Ok(()) => taken += 1,
                Err(error) if error.is_timeout() && memo.is_begun() => {
                    job.warn(&Error::other(error.to_string()));
                    delivery.problem = Some(error.to_string());
                    memo.version += 1;
                    return Ok(ScrUpdate::Partial(delivery));
                }
                Err(error) => return Err(error),
            }
        }

        if taken == 0 && delivery.is_unchanged() {
            return Ok(ScrUpdate::Unchanged);
        }
        memo.version += 1;
        Ok(if memo.is_partial() {
            ScrUpdate::Partial(delivery)
        } else {
            ScrUpdate::Whole(delivery)
        })
    }

    fn steps<'a>(&'a self, job: &'a Job, feedback: Option<&'a Feedback>) -> Steps<'a> {
        Steps::new(job, &self.config)
            .memory(&self.memory)
            .after(feedback)
    }

    fn job(&self) -> Job {
        let settings = Settings::new(Policy::new())
            .budget(self.config.budget)
            .retry(self.retry);
        let kit = Kit::new(Arc::clone(&self.model), Arc::new(NoTools), settings);
        let kit = kit.with_cancel(self.cancel.clone());
        Job::new(PlainLoop::new(), &kit, "scr", false)
    }
}

impl ScrSynthesizerBuilder {
    /// Sets the settings.
    #[must_use]
    pub fn config(mut self, config: ScrConfig) -> Self {
        self.0.config = config;
        self
    }

    /// Sets the section after which an update stops; `None` to write all sections.
    #[must_use]
    pub fn early_decision(mut self, after: impl Into<Option<After>>) -> Self {
        self.0.config.early_decision = after.into();
        self
    }

    /// Sets what prompts repeat.
    #[must_use]
    pub fn history(mut self, history: History) -> Self {
        self.0.config.history = Some(history);
        self
    }

    /// Sets how findings from before are recalled: by words, and by meaning if the memory has an
    /// embedder.
    #[must_use]
    pub fn memory(mut self, memory: FindingsMemory) -> Self {
        self.0.memory = memory;
        self
    }

    /// Sets how calls are retried.
    #[must_use]
    pub fn retry(mut self, retry: RetryPolicy) -> Self {
        self.0.retry = retry;
        self
    }

    /// Sets the token that stops the model: what is left is then computed by rules.
    #[must_use]
    pub fn cancel(mut self, cancel: CancellationToken) -> Self {
        self.0.cancel = cancel;
        self
    }

    /// Builds the synthesizer.
    ///
    /// # Errors
    ///
    /// [`ScrError::TopK`] when the number of recalled findings is out of its range.
    pub fn build(self) -> Result<ScrSynthesizer, ScrError> {
        match self.0.config.top_k {
            1..=50 => Ok(self.0),
            top_k => Err(ScrError::TopK(top_k)),
        }
    }
}

impl fmt::Debug for ScrSynthesizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScrSynthesizer")
            .field("model", &self.model.info().id())
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ScrSynthesizerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
