//! The names that every research system uses, from [`crate::report`] and [`crate::runtime`]:
//! evidence, checked claims, reports, charts, untrusted text, prompts, policies, budgets, languages
//! and bundles.

pub use research_agents_report::chart::{self, Chart, ChartError, ChartGroup, ChartKind};
pub use research_agents_report::check::{self, Checker, Failure, Verified};
pub use research_agents_report::claim::{self, Basis, Claim, Statement, Statistic};
pub use research_agents_report::confidence::{self, Confidence};
pub use research_agents_report::document::{
    self as report, Citations, Rendering, Report, ReportWriter, TableView, resolve_citations,
};
pub use research_agents_report::evidence::{
    self, Evidence, Searched, Source, SourceRegistry, Table, TableCorrelation, TableKind,
    TableMeasure, TableOrder, TableRow,
};
pub use research_agents_report::language::{self, Language, UnknownLanguage};
pub use research_agents_report::text::{Line, Marker, Untrusted};
pub use research_agents_runtime::ask::{Prompt, PromptError, Template, UserText};
pub use research_agents_runtime::bundle::{self, Bundle, BundleError};
pub use research_agents_runtime::clarify::{Clarification, Clarifier};
pub use research_agents_runtime::limits::policy::{self, Policy};
pub use research_agents_runtime::limits::{
    Budget, BudgetLeft, BudgetLimits, BudgetSyntax, Exceeded,
};
pub use research_agents_runtime::limits::{Meter, Usage};
pub use research_agents_runtime::tape;

/// Text from outside the program, and its rendering into prompts.
pub mod untrusted {
    pub use research_agents_report::text::{Marker, Untrusted, visible};
}

/// Single lines of text.
pub mod line {
    pub use research_agents_report::text::Line;
}

/// Sources and their registry.
pub mod source {
    pub use research_agents_report::evidence::{Source, SourceRegistry};
}

/// Budgets of a run.
pub mod budget {
    pub use research_agents_runtime::limits::{
        Budget, BudgetLeft, BudgetLimits, BudgetSyntax, Exceeded,
    };
}

/// Questions to the user.
pub mod clarification {
    pub use research_agents_runtime::clarify::{Clarification, Clarifier};
}

/// Timestamps as text.
pub mod clock {
    pub use research_agents_runtime::event::rfc3339;
}

/// Prompts and their templates.
pub mod prompt {
    pub use research_agents_runtime::ask::{Prompt, PromptError, Template, UserText};
}

/// The usage of a run, and its meter.
pub mod usage {
    pub use research_agents_runtime::limits::{Meter, Usage};
}
