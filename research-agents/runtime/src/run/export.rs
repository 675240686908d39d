//! Writes a run into a bundle, and verifies one.

use research_agents_report::document::Report;
use serde_json::json;

use crate::bundle::model::{Bundle, BundleVersion, BundledEvidence, Program};
use crate::bundle::verify::outcome::Verification;
use crate::error::model::Error;
use crate::run::state::{Beginning, RunInput, RunState};
use crate::run::system::System;

/// The program that bundles name.
const PROGRAM: &str = "research-agents";

/// Returns a recorded run as a bundle: the report, its evidence, the journal, and everything that
/// the run did outside. `None` if the run was not recorded or wrote no report as a document.
pub fn bundle<S: System>(state: &S::State) -> Option<Bundle> {
    let Beginning {
        input,
        settings,
        model,
        marker,
    } = state.beginning()?;
    let report: Report = state.document()?.clone();
    let mut input = input.clone();
    input.set_replies(state.replies().to_vec());

    let program = Program {
        name: PROGRAM.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let mut bundle = Bundle {
        version: BundleVersion::default(),
        program,
        system: S::NAME.to_owned(),
        question: state.question().to_owned(),
        replays: false,
        digest: String::new(),
        markdown: state.markdown().unwrap_or_default().into_owned(),
        report,
        context: S::context(state),
        input: serde_json::to_value(input).ok()?,
        settings: json!({"config": settings, "marker": marker}),
        model: serde_json::to_value(model).ok()?,
        evidence: BundledEvidence::from(&S::evidence(state)),
        journal: state
            .recording()
            .flat_map(|task| task.events.clone())
            .collect(),
        effects: state
            .recording()
            .flat_map(|task| task.effects.clone())
            .collect(),
    };
    bundle.seal().ok()?;
    Some(bundle)
}

/// Checks everything in a bundle of this system: its digest, sources, numbers, quotes, citations
/// and renderings. Needs no model, tool or clock.
///
/// # Errors
///
/// [`Error::NotReplayable`] when the bundle is of another system.
pub fn verify<S: System>(bundle: &Bundle) -> Result<Verification, Error> {
    check_system::<S>(bundle)?;
    Ok(bundle.verify_against(&S::origins(bundle)))
}

/// Checks that a bundle is of this system.
pub(crate) fn check_system<S: System>(bundle: &Bundle) -> Result<(), Error> {
    if bundle.system == S::NAME {
        return Ok(());
    }
    let problem = format!(
        "it holds a run of the system `{}`; use the program of that system",
        bundle.system
    );
    Err(Error::NotReplayable { problem })
}
