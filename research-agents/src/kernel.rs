//! What every research system shares: sources, evidence, checked claims, reports, charts, untrusted text, prompts,
//! policy, budget, languages, and bundles in which a run is kept with all that it rests on.
//!
//! The kernel knows nothing of a particular system, of the engine or of a transport. Its one promise: what a report
//! states with a citation was checked by code against the evidence of the run.

pub mod budget;
pub mod bundle;
pub mod chart;
pub mod check;
pub mod claim;
pub mod clarification;
pub mod clock;
pub mod confidence;
pub mod evidence;
mod keys;
pub mod language;
pub mod line;
mod markup;
pub mod policy;
pub mod prompt;
pub mod report;
pub mod source;
pub mod tape;
pub mod untrusted;
pub mod usage;

pub use budget::{Budget, BudgetLeft, BudgetLimits, BudgetSyntax, Exceeded};
pub use bundle::{Bundle, BundleError};
pub use chart::{Chart, ChartError, ChartGroup, ChartKind};
pub use check::{Checker, Failure, Verified};
pub use claim::{Basis, Claim, Statement, Statistic};
pub use clarification::{Clarification, Clarifier};
pub use confidence::Confidence;
pub use evidence::{Evidence, Table, TableRow};
pub use language::{Language, UnknownLanguage};
pub use line::Line;
pub use policy::Policy;
pub use prompt::{Prompt, PromptError, Template, UserText};
pub use report::{Citations, Rendering, Report, ReportWriter, TableView, resolve_citations};
pub use source::{Source, SourceRegistry};
pub use untrusted::{Marker, Untrusted};
pub use usage::{Meter, Usage};
