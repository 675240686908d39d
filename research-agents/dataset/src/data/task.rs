//! The machine-readable tasks that accompany a prompt, and the model's answers.
//!
//! A provider of a language model sends the prompt and ignores the task. The offline model does the
//! reverse: it computes the answer from the task. Both answer with the same JSON, whose schema
//! comes from the output type.

pub(crate) mod conversation;
pub(crate) mod facts;
pub(crate) mod no_number;
pub(crate) mod planning;
pub(crate) mod question;
pub(crate) mod reading;
pub(crate) mod review;
pub(crate) mod synthesis;

pub use crate::data::filters::operation::Operation;
pub use crate::data::task::conversation::{Choice, Clarified, Conversation, Reading, Turn};
pub use crate::data::task::facts::{AgentFacts, FieldFacts, FieldKind, QueryOverrides, ToolFacts};
pub use crate::data::task::planning::{
    DecomposeTask, DecomposerOutput, PlanTask, PlannerOutput, ReadQuestion, StateSummary,
};
pub use crate::data::task::reading::{
    DocumentText, DraftFinding, ExtractTask, ExtractorLlmResponse, InsightsOutput, InsightsTask,
};
pub use crate::data::task::review::{
    DraftGap, DraftIssue, GapAnalyzerLlmResponse, GapsTask, PerspectiveOutput, PerspectivesTask,
    ValidateTask, ValidatorLlmResponse,
};
pub use crate::data::task::synthesis::{
    FieldProfile, GroupedMeasure, MeasuredGroup, NumberProfile, RankedRecord, Relations,
    SynthesizeTask, ValuePair,
};

/// Name of [`ClarifyTask`](crate::question::clarify::ClarifyTask); the answer is an
/// [`Ambiguity`](crate::question::clarify::Ambiguity).
pub const CLARIFY: &str = "dataset.clarify";
/// Name of [`PlanTask`]; the answer is a [`PlannerOutput`].
pub const PLAN: &str = "dataset.plan";
/// Name of [`DecomposeTask`]; the answer is a [`DecomposerOutput`].
pub const DECOMPOSE: &str = "dataset.decompose";
/// Name of [`InsightsTask`]; the answer is an [`InsightsOutput`].
pub const INSIGHTS: &str = "dataset.insights";
/// Name of [`ExtractTask`]; the answer is an [`ExtractorLlmResponse`].
pub const EXTRACT: &str = "dataset.extract";
/// Name of [`SynthesizeTask`]; the answer is a [`ReportDraft`](crate::data::record::ReportDraft).
pub const SYNTHESIZE: &str = "dataset.synthesize";

/// Name of [`PerspectivesTask`]; the answer is a [`PerspectiveOutput`].
pub const PERSPECTIVES: &str = "dataset.perspectives";
/// Name of [`ValidateTask`]; the answer is a [`ValidatorLlmResponse`].
pub const VALIDATE: &str = "dataset.validate";
/// Name of [`GapsTask`]; the answer is a [`GapAnalyzerLlmResponse`].
pub const GAPS: &str = "dataset.gaps";
