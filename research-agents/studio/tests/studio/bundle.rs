//! Bundles: replay byte by byte, and verification.

use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::bundle::verify::{CheckKind, Verification};
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

#[tokio::test]
async fn a_mark_is_not_higher_than_its_sources_allow() {
    let whole = bundle().await.to_json().unwrap();
    let marks = |verification: &Verification| {
        let tally = verification.tally(CheckKind::Mark);
        (tally.holds, tally.fails)
    };
    let verified = verify::<Studio>(&Bundle::from_json(&whole).unwrap()).unwrap();
    let (held, failed) = marks(&verified);
    assert!(held > 0 && failed == 0, "{held} {failed}");

    // One manual is one publisher, whatever its report says.
    let forged = whole.replace("\"verified\"", "\"cross_validated\"");
    assert_ne!(forged, whole);
    let forged = verify::<Studio>(&Bundle::from_json(&forged).unwrap()).unwrap();
    assert_eq!(marks(&forged), (0, held));

    // A folder that its user hardly trusts gives no ✓.
    let doubted = whole.replace("\"local_credibility\":0.7", "\"local_credibility\":0.2");
    assert_ne!(doubted, whole);
    let doubted = verify::<Studio>(&Bundle::from_json(&doubted).unwrap()).unwrap();
    assert_eq!(marks(&doubted), (0, held));
}

#[tokio::test]
async fn settings_that_cannot_be_read_are_a_failure() {
    let whole = bundle().await.to_json().unwrap();
    let changed = whole.replace(
        "\"local_credibility\":0.7",
        "\"local_credibility\":\"high\"",
    );
    assert_ne!(changed, whole);

    let changed = verify::<Studio>(&Bundle::from_json(&changed).unwrap()).unwrap();
    assert_eq!(changed.tally(CheckKind::Answer).fails, 1);
}

#[tokio::test]
async fn what_is_nearest_to_an_open_question_is_shown_and_verified() {
    let cache = "# Cache\n\nThe cache is cleared at every start. Pages are read again.\n";
    let lamp = "# Lamp\n\nThe lamp of the lighthouse weighs 40 kg.\n";
    let folder = folder(&[("cache.md", cache), ("lamp.md", lamp)]);
    let studio = over(&[("manual", &folder)]).build().unwrap();
    let run = studio.run("Which command clears the cache at the start? How heavy is the lamp?");
    let ended = run.record().await.unwrap();

    let report = ended.markdown().to_owned();
    let (_, shown) = report.split_once("## Nearest passages").expect(&report);
    let (shown, _) = shown.split_once("\n## ").unwrap();
    assert!(
        shown.contains("The cache is cleared at every start"),
        "{shown}"
    );
    // They are no claims, and of the passages that were found for their question.
    assert!(
        !shown.contains('✓') && !shown.contains("lighthouse"),
        "{shown}"
    );
    assert!(
        report.contains("The lamp of the lighthouse weighs 40 kg"),
        "{report}"
    );

    let bundle = ended.bundle.unwrap();
    assert!(verify::<Studio>(&bundle).unwrap().holds());
    let forged = bundle
        .to_json()
        .unwrap()
        .replace("at every start", "at no start");
    let forged = Bundle::from_json(&forged).unwrap();
    assert!(!verify::<Studio>(&forged).unwrap().holds());
}
