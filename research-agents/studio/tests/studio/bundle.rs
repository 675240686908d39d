//! Bundles: replay byte by byte, and verification.

use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::run::{replay, verify};
use research_agents_studio::Studio;

use crate::support::{folder, over};

const MANUAL: &str = "# Sizes\n\nThe default page size is 4096 bytes.\n\nThe maximum page size is \
    65536 bytes.\n";

async fn bundle() -> Bundle {
    let folder = folder(&[("manual.md", MANUAL), ("broken.html", "")]);
    let studio = over(&[("manual", &folder)]).build().unwrap();
    let run = studio.run("What is the default page size? What is the colour?");
    let ended = run.record().await.unwrap();
    let bundle = ended.bundle.unwrap();
    Bundle::from_json(&bundle.to_json().unwrap()).unwrap()
}

#[tokio::test]
async fn a_run_replays_without_its_sources() {
    let bundle = bundle().await;
    let again = replay::<Studio>(&bundle).unwrap().await.unwrap();
    assert_eq!(again.markdown(), bundle.markdown);
}

#[tokio::test]
async fn a_bundle_holds_until_a_word_is_changed() {
    let whole = bundle().await;
    let verification = verify::<Studio>(&whole).unwrap();
    let failures: Vec<String> = verification
        .failures()
        .map(|failure| format!("{}: {}", failure.place, failure.what))
        .collect();
    assert!(failures.is_empty(), "{failures:?}");

    let changed = whole
        .to_json()
        .unwrap()
        .replace("is 4096 bytes", "is 8192 bytes");
    let changed = Bundle::from_json(&changed).unwrap();
    assert!(!verify::<Studio>(&changed).unwrap().holds());
}
