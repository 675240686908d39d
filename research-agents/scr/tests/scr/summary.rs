//! Memos of one section: a summary.

use research_agents_scr::memo::{Finding, Quality, Scr, SectionKind, Structure};
use research_agents_scr::synthesizer::{History, ScrUpdate, SectionEdits};
use research_agents_scr::update::Resolution;

use crate::support::{QUESTION, answering, counts, delivery, model, prompt, sections, with};

fn empty() -> Scr {
    Scr::new(QUESTION).with_structure(Structure::Summary)
}

#[tokio::test]
async fn a_summary_takes_one_question_a_delivery() {
    let model = model(Quality::Shallow);
    let synthesizer = with(&model).history(History::Append).build().unwrap();
    let mut memo = empty();
    for pass in 0..3 {
        let update = synthesizer.update(&mut memo, delivery(pass)).await.unwrap();
        assert!(matches!(update, ScrUpdate::Whole(_)));
    }
    let completed = synthesizer.complete(&mut memo).await.unwrap();

    assert!(matches!(completed, ScrUpdate::Unchanged));
    assert_eq!(sections(&model), [SectionKind::Summary; 3]);
    assert_eq!(counts(&model), [3, 0, 0]);
    let first = &model.calls()[0].messages;
    let text = first.iter().map(|message| message.text());
    let text: String = text.collect();
    assert!(text.contains("Write the section Summary."), "{text}");
    assert!(!text.contains("resolution"), "{text}");
    let last = prompt(model.calls().last().unwrap());
    assert!(last.contains("Update the section Summary."), "{last}");
}

#[tokio::test]
async fn a_summary_keeps_what_a_model_leaves_out() {
    let model = answering(Quality::Good, |_| Some(SectionEdits::default()));
    let synthesizer = with(&model).build().unwrap();
    let mut memo = empty();
    synthesizer.update(&mut memo, delivery(7)).await.unwrap();

    let text = memo.to_markdown();
    for part in ["1007", "backup of node 7 fails", "recommend disk 7"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(text.contains("\n## Summary\n"), "{text}");
    for heading in ["## Situation", "## Complication", "## Resolution"] {
        assert!(!text.contains(heading), "{text}");
    }
}

#[tokio::test]
async fn a_summary_keeps_all_sides_of_a_contradiction() {
    let values = [(16, "a.md"), (12, "b.md"), (14, "c.md")];
    let findings = values.map(|(count, source)| {
        Finding::new(format!("The library supports {count} shards."), source)
    });
    let model = model(Quality::Good);
    let synthesizer = with(&model).build().unwrap();
    let (mut asked, mut by_rules) = (empty(), empty());
    for finding in findings {
        synthesizer
            .update(&mut asked, [finding.clone()])
            .await
            .unwrap();
        by_rules.update([finding], Resolution::WithDelivery);
    }

    for memo in [asked, by_rules] {
        let text = memo.to_markdown();
        for side in ["16 shards.” (F1)", "12 shards.” (F2)", "14 shards.” (F3)"] {
            assert!(text.contains(side), "{side} is not in\n{text}");
        }
        assert!(memo.statements().all(|one| one.against.is_some()));
    }
}

#[test]
fn several_deliveries_write_the_summary_that_one_writes() {
    let (mut slowly, mut at_once) = (empty(), empty());
    let all: Vec<Finding> = (0..4).flat_map(delivery).collect();
    for finding in all.clone() {
        slowly.update([finding], Resolution::WithDelivery);
    }
    at_once.update(all, Resolution::OnRequest);

    assert_eq!(slowly.summary, at_once.summary);
    assert_eq!(at_once.summary.statements.len(), 12);
    assert!(!at_once.is_partial());
}

#[test]
fn the_structure_of_a_memo_is_stored_with_it() {
    let mut summary = empty();
    summary.update(delivery(1), Resolution::WithDelivery);
    let stored = serde_json::to_string(&summary).unwrap();
    assert_eq!(serde_json::from_str::<Scr>(&stored).unwrap(), summary);

    // Memos of three sections are stored as they were before there were others.
    let stored = serde_json::to_string(&Scr::new(QUESTION)).unwrap();
    assert!(!stored.contains("structure") && !stored.contains("summary"));
}
