//! The bundle of a run, from its last state.

use super::evidence::evidence;
use super::filters::describe_filters;
use super::state::{DatasetState, Recorded, RunInput};
use crate::kernel::Bundle;
use crate::kernel::bundle::{BundleVersion, BundledEvidence, Program};

/// Name of this system in bundles.
pub(super) const SYSTEM: &str = "dataset";

/// The bundle of a run that was recorded and has a report, sealed.
pub(super) fn bundle(state: &DatasetState) -> Option<Bundle> {
    let recorded = state.recorded.as_ref()?;
    let report = state.final_document.clone()?;
    let Recorded { input, settings, model, marker } = &**recorded;
    let settings = serde_json::json!({"config": settings, "marker": marker});
    let mut bundle = Bundle {
        version: BundleVersion::default(),
        program: Program { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        system: SYSTEM.to_owned(),
        question: state.question.clone(),
        replays: false,
        digest: String::new(),
        markdown: state.final_report.clone().unwrap_or_default(),
        report,
        context: context(state),
        input: serde_json::to_value(RunInput { answers: state.answers.clone(), ..input.clone() }).ok()?,
        settings,
        model: serde_json::to_value(model).ok()?,
        evidence: BundledEvidence::from(&evidence(state)),
        journal: state.recording.iter().flat_map(|task| task.events.clone()).collect(),
        effects: state.recording.iter().flat_map(|task| task.effects.clone()).collect(),
    };
    bundle.seal().ok()?;
    Some(bundle)
}

/// Texts whose numbers a report may repeat freely: filters in words, names of fields, the question.
fn context(state: &DatasetState) -> Vec<String> {
    let filters = state.ledger.scopes().iter().map(|scope| describe_filters(&scope.filters));
    let fields = state.tools().flat_map(|tool| tool.fields.iter().map(|field| field.name.clone()));
    filters.chain(fields).chain([state.question.clone()]).collect()
}
