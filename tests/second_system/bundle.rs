//! A recorded run as a bundle: verified, replayed, and found out when it is changed.

use research_agents::runtime::bundle::Bundle;
use research_agents::runtime::error::Error;
use research_agents::runtime::run::{Hosted, Run, replay, verify};
use research_core::MemoryCheckpointer;

use crate::survey::Words;
use crate::texts::{QUESTION, Texts, UNCLEAR, ask, kept, survey};

async fn recorded() -> Bundle {
    let ended = ask(&survey(&Texts::default()), QUESTION).record().await.unwrap();
    // A bundle is a file.
    let json = ended.bundle.unwrap().to_json().unwrap();
    Bundle::from_json(&json).unwrap()
}

#[tokio::test]
async fn everything_in_a_bundle_is_verified() {
    let bundle = recorded().await;
    assert_eq!(bundle.system, "survey");
    let verification = verify::<Hosted<Words>>(&bundle).unwrap();
    assert!(verification.holds(), "{:?}", verification.failures().collect::<Vec<_>>());
}

#[tokio::test]
async fn a_replay_gives_the_same_bytes_without_model_and_tools() {
    let bundle = recorded().await;
    let again = replay::<Hosted<Words>>(&bundle).unwrap().await.unwrap();
    assert_eq!(again.markdown(), bundle.markdown);
}

#[tokio::test]
async fn a_run_with_an_answer_of_its_user_is_replayed_too() {
    let system = kept(&Texts::default(), MemoryCheckpointer::default());
    ask(&system, UNCLEAR).thread("t").record().await.unwrap_err();
    let ended = Run::resume(system, "t").answer("2").await.unwrap();
    let bundle = ended.bundle.clone().expect("the run is recorded from its start");

    let again = replay::<Hosted<Words>>(&bundle).unwrap().await.unwrap();

    assert_eq!(again.markdown(), ended.markdown());
    assert!(verify::<Hosted<Words>>(&bundle).unwrap().holds());
}

#[tokio::test]
async fn a_changed_text_of_a_source_is_found() {
    let mut json: serde_json::Value = serde_json::from_str(&recorded().await.to_json().unwrap()).unwrap();
    let text = &mut json["evidence"]["sources"][0]["text"];
    *text = text.as_str().unwrap().replace("clover", "thistle").into();

    let bundle = Bundle::from_json(&json.to_string()).unwrap();

    assert!(!verify::<Hosted<Words>>(&bundle).unwrap().holds());
}

#[tokio::test]
async fn a_replay_that_goes_another_way_says_so() {
    let mut bundle = recorded().await;
    bundle.markdown = bundle.markdown.replace("3 of 4", "4 of 4");
    let error = replay::<Hosted<Words>>(&bundle).unwrap().await.unwrap_err();
    assert!(matches!(error, Error::Diverged { .. }), "{error}");

    let mut bundle = recorded().await;
    bundle.effects.retain(|effect| effect.what != "tool list_texts");
    replay::<Hosted<Words>>(&bundle).unwrap().await.unwrap_err();
}

#[tokio::test]
async fn a_bundle_of_another_system_is_refused() {
    let mut bundle = recorded().await;
    bundle.system = "dataset".to_owned();
    let error = verify::<Hosted<Words>>(&bundle).unwrap_err();
    assert!(error.to_string().contains("`dataset`"), "{error}");
}
