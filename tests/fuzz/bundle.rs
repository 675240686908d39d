//! Bundles of a real run, changed anywhere: each is refused with a typed error, or verified to an end.

use std::sync::Arc;

use fastrand::Rng;
use research_agents::dataset::record::ReportFormat::ComprehensiveReport;
use research_agents::dataset::{self, DatasetAgent};
use research_agents::kernel::Bundle;
use research_agents::kernel::bundle::BundleError;
use research_agents::offline::OfflineModel;
use research_examples::dataset::{dataset_server, parse};
use research_mcp::Hub;
use serde_json::Value;

use crate::{fuzz, mutate, wait};

/// A small run, so that many changes of it can be verified.
async fn recorded() -> Bundle {
    let row = |n: usize| format!("{n},{},{},note {n} is short\n", ["red", "blue", "green"][n % 3], n as f64 * 1.25);
    let rows: String = (1..=9).map(row).collect();
    let data = parse("colours", format!("id,colour,size,note\n{rows}").as_bytes(), Some("csv")).unwrap();
    let server = dataset_server(data, "analyze_events").unwrap();
    let hub = Arc::new(Hub::builder().in_process("colours", server).connect().await.unwrap());
    let agent = DatasetAgent::builder(OfflineModel::new(), Arc::clone(&hub)).build().unwrap();
    let report = agent.run("Size by colour").format(ComprehensiveReport).record().await.unwrap();
    hub.close().await;
    report.bundle().unwrap().clone()
}

/// What a reader of the bundle does with it.
fn used(bundle: &Bundle) -> bool {
    let verification = dataset::verify(bundle);
    let report = bundle.report.to_markdown();
    drop(bundle.report.to_html());
    assert!(!report.contains('\u{202e}'), "a control character is printed");
    verification.holds()
}

fn is_typed(error: &BundleError) {
    let text = error.to_string();
    assert!(!text.is_empty() && text.chars().count() < 1_000, "{text}");
}

#[test]
fn a_bundle_of_changed_values_is_refused_or_verified() {
    let bundle = wait(recorded());
    assert!(used(&bundle));
    let whole = serde_json::to_value(&bundle).unwrap();
    fuzz(80, |rng: &mut Rng| {
        let mut changed = whole.clone();
        mutate::json(rng, &mut changed);

        match Bundle::from_json(&changed.to_string()) {
            Err(error) => is_typed(&error),
            Ok(read) => {
                assert!(read == bundle || !used(&read), "its digest belongs to something else");
                let mut sealed = read;
                // A value that cannot be written has no digest.
                if sealed.seal().is_ok() {
                    used(&sealed);
                }
            }
        }
    });
}

#[test]
fn a_bundle_of_changed_bytes_is_refused_or_verified() {
    let bundle = wait(recorded());
    let text = bundle.to_json().unwrap().into_bytes();
    fuzz(250, |rng: &mut Rng| {
        let mut changed = text.clone();
        match rng.u8(0..20) {
            // Levels that would take the stack of a reader that calls itself.
            0 => {
                let at = rng.usize(0..changed.len());
                drop(changed.splice(at..at, mutate::deep(rng.usize(1..200_000)).into_bytes()));
            }
            _ => mutate::bytes(rng, &mut changed),
        }

        match Bundle::read(changed.as_slice()) {
            Err(error) => is_typed(&error),
            Ok(read) => assert!(read == bundle || !used(&read), "its digest belongs to something else"),
        }
    });
}

#[test]
fn what_is_no_bundle_is_refused() {
    fuzz(2_000, |rng: &mut Rng| {
        let mut value = mutate::value(rng, 4);
        if let Value::Object(fields) = &mut value {
            fields.insert("format".into(), ["research-bundle".into(), mutate::value(rng, 1)][rng.usize(0..2)].clone());
        }
        is_typed(&Bundle::from_json(&value.to_string()).unwrap_err());
    });
}
