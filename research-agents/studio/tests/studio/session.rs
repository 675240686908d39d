//! Sessions: approval, clarification, steering, stop and follow-up.

use std::sync::Arc;
use std::time::Duration;

use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::clarify::ClarificationPolicy;
use research_agents_runtime::error::Error;
use research_agents_runtime::job::Steering;
use research_agents_runtime::run::{Ended, RunStatus, System, replay, verify};
use research_agents_studio::config::StudioConfig;
use research_agents_studio::{Studio, StudioBuilder, StudioState};
use research_core::MemoryCheckpointer;
use tokio_util::sync::CancellationToken;

use crate::support::{Script, Scripted, folder, over};

const MANUAL: &str = "# Sizes\n\nThe default page size is 4096 bytes.\n\nThe maximum page size is \
    65536 bytes.\n\nThe cache holds 2000 pages by default.\n";

fn asking(builder: StudioBuilder, approve: bool) -> Studio {
    let mut config = StudioConfig::default();
    config.clarification = ClarificationPolicy::Ask;
    config.approve_plan = approve;
    let studio = builder.config(config).build().unwrap();
    studio.with_checkpointer(MemoryCheckpointer::new())
}

#[tokio::test]
async fn a_plan_waits_for_approval_and_can_be_edited() {
    let folder = folder(&[("manual.md", MANUAL)]);
    let studio = asking(over(&[("manual", &folder)]), true);
    let question = "What is the default page size?";

    for (thread, answer, expected) in [
        ("ok", "ok", "4096 bytes"),
        ("edited", "What is the maximum page size?", "65536 bytes"),
    ] {
        let waits = studio.run(question).thread(thread).await;
        assert!(matches!(waits, Err(Error::ClarificationRequired { .. })));
        let ended = studio.resume(thread).answer(answer).await.unwrap();
        assert!(ended.markdown().contains(expected), "{}", ended.markdown());
    }
}

#[tokio::test]
async fn an_ambiguous_question_is_asked_about() {
    let planet = "# Mercury (planet)\n\nMercury has a diameter of 4879 km.";
    let ship = "# Mercury (ship)\n\nMercury has a diameter of 12 m at the wheel.";
    let folder = folder(&[("planet.md", planet), ("ship.md", ship)]);
    let studio = asking(over(&[("wiki", &folder)]), false);

    let waits = studio
        .run("What is the diameter of Mercury?")
        .thread("t")
        .await;
    let Err(Error::ClarificationRequired { clarification, .. }) = waits else {
        panic!("{waits:?}");
    };
    assert_eq!(clarification.options.len(), 2, "{clarification:?}");
    let ended = studio.resume("t").answer("Mercury (planet)").await.unwrap();
    let report = ended.markdown();
    assert!(
        report.contains("4879 km") && !report.contains("12 m at"),
        "{report}"
    );

    // Nobody can be asked without a thread.
    let ended = studio
        .run("What is the diameter of Mercury?")
        .await
        .unwrap();
    assert!(
        !ended.markdown().contains("was taken to mean"),
        "{}",
        ended.markdown()
    );
}

#[tokio::test]
async fn a_sentence_that_is_added_becomes_a_question_of_the_next_round() {
    let folder = folder(&[("manual.md", MANUAL)]);
    let studio = over(&[("manual", &folder)]).build().unwrap();
    let steering = Steering::default();
    steering.send("What is the maximum page size?");

    let run = studio
        .run("What is the default page size?")
        .steering(steering);
    let ended = run.await.unwrap();
    assert_eq!(ended.state.research_metadata().iterations, 2);
    let report = ended.markdown();
    assert!(
        report.contains("4096 bytes") && report.contains("65536 bytes"),
        "{report}"
    );
}

#[tokio::test]
async fn a_stopped_run_reports_what_it_has() {
    let source = Scripted {
        takes: Duration::from_secs(600),
        ..Scripted::default()
    };
    let script = Script::default();
    let builder = Studio::builder()
        .model(script.model())
        .source(Arc::new(source));
    let studio = builder.build().unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();

    let ended = studio.run("How heavy is it?").cancel(cancel).await.unwrap();
    let report = ended.markdown();
    assert!(report.contains("The research ended early"), "{report}");
    assert!(
        report.contains("Not researched: “How heavy is it?”"),
        "{report}"
    );
    assert!(!report.contains("No source answers"), "{report}");
    assert_eq!(Studio::end_status(&ended.state), RunStatus::Cancelled);
}

#[tokio::test]
async fn a_follow_up_reads_the_evidence_before_it() {
    let folder = folder(&[("manual.md", MANUAL)]);
    let studio = asking(over(&[("manual", &folder)]), false);
    let first = studio
        .run("What is the default page size?")
        .thread("t")
        .await
        .unwrap();
    let second = studio
        .run("What is the maximum page size?")
        .thread("t")
        .await
        .unwrap();

    assert!(
        second.markdown().contains("65536 bytes"),
        "{}",
        second.markdown()
    );
    let ids = |state: &research_agents_studio::StudioState| -> Vec<String> {
        let documents = state.passages().documents();
        documents.map(|document| document.id.clone()).collect()
    };
    assert_eq!(ids(&first.state), ids(&second.state));
}

#[tokio::test]
async fn a_follow_up_is_verified_and_replays_with_what_was_read_before_it() {
    let folders = [folder(&[("manual.md", MANUAL)]), folder(&[])];
    let store = Arc::new(MemoryCheckpointer::new());
    let over = |at: usize| {
        let studio = over(&[("manual", &folders[at])]).build().unwrap();
        studio.with_checkpointer(Arc::clone(&store))
    };
    let first = over(0).run("What is the default page size?");
    first.thread("t").record().await.unwrap();

    // The folder is empty now, so that the answer is in what the first run read.
    let second = over(1).run("What is the maximum page size?");
    let second = second.thread("t").record().await.unwrap();
    let third = over(1).run("How many pages does the cache hold?");
    let third = third.thread("t").record().await.unwrap();

    let effects = |ended: &Ended<StudioState>| {
        let input = &ended.bundle.as_ref().unwrap().input;
        input["earlier"]["evidence"]["effects"]
            .as_array()
            .unwrap()
            .len()
    };
    assert!(effects(&second) > 0 && effects(&third) > effects(&second));
    for (ended, answer) in [(second, "65536 bytes"), (third, "2000 pages")] {
        assert!(ended.markdown().contains(answer), "{}", ended.markdown());
        let bundle = ended.bundle.unwrap().to_json().unwrap();
        let bundle = Bundle::from_json(&bundle).unwrap();
        let again = replay::<Studio>(&bundle).unwrap().await.unwrap();
        assert_eq!(again.markdown(), bundle.markdown);

        let verification = verify::<Studio>(&bundle).unwrap();
        let failures: Vec<String> = verification
            .failures()
            .map(|one| one.place.clone())
            .collect();
        assert!(failures.is_empty(), "{failures:?}");
    }
}
