//! Bundles checked again: untouched ones hold wholly, and whatever is changed in one is found.

mod every_field;
mod forgery;
mod hostile;
mod mutation;
mod mutations;
mod odd;
mod program;
mod provenance;
mod read;
mod runs;
mod untouched;

use research_agents::dataset;
use research_agents::kernel::Bundle;
use research_agents::kernel::bundle::Verification;
use serde_json::Value;

/// The bundle that stands in a value; none when it cannot be read.
fn read(value: &Value) -> Option<Bundle> {
    Bundle::from_json(&value.to_string()).ok()
}

/// The verification of the bundle with its digest computed again: what the content alone proves.
fn resealed(mut bundle: Bundle) -> Verification {
    bundle.seal().unwrap();
    dataset::verify(&bundle)
}

/// What does not hold, in words.
fn failures(verification: &Verification) -> Vec<String> {
    verification.failures().map(|check| format!("{}: {}: {:?}", check.place, check.what, check.outcome)).collect()
}
