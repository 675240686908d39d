//! How often the model is asked.

use SectionKind::{Complication as C, Resolution as R, Situation as S};
use research_agents_scr::memo::{Quality, Scr, SectionKind};
use research_agents_scr::synthesizer::{After, History, ScrUpdate};

use crate::support::{QUESTION, counts, delivery, model, run, sections, with};

const EARLY: [Option<After>; 3] = [None, Some(After::Complication), Some(After::Situation)];

#[tokio::test]
async fn an_early_decision_saves_a_third_of_each_continuing_pass() {
    for passes in 1..=3 {
        let regenerating = 3 * passes;
        let expected = [regenerating, 2 * passes + 1, passes + 2];
        for (early, expected) in EARLY.into_iter().zip(expected) {
            let model = model(Quality::Good);
            run(&model, early, History::Compact, passes).await;
            assert_eq!(counts(&model)[0], expected, "{passes} passes, {early:?}");
        }
    }
}

#[tokio::test]
async fn the_resolution_is_written_once_when_research_ends() {
    for (early, expected) in [
        (Some(After::Complication), vec![S, C, S, C, S, C, R]),
        (Some(After::Situation), vec![S, S, S, C, R]),
    ] {
        let model = model(Quality::Good);
        let memo = run(&model, early, History::Compact, 3).await;
        assert_eq!(sections(&model), expected);
        assert_eq!(memo.resolution.statements.len(), 3);
    }
}

#[tokio::test]
async fn the_first_whole_memo_is_judged_once_and_refined_once() {
    for (quality, refinements) in [
        (Quality::Excellent, 0),
        (Quality::Good, 0),
        (Quality::Moderate, 3),
        (Quality::Shallow, 3),
    ] {
        let one = model(quality);
        run(&one, None, History::Compact, 1).await;
        assert_eq!(counts(&one), [3, 1, refinements]);

        let three = model(quality);
        run(&three, Some(After::Complication), History::Compact, 3).await;
        assert_eq!(counts(&three), [7, 1, refinements]);

        let every_time = model(quality);
        run(&every_time, None, History::Compact, 3).await;
        assert_eq!(counts(&every_time), [9, 1, refinements]);
    }
}

#[tokio::test]
async fn findings_that_are_known_ask_nothing_and_change_no_byte() {
    for early in EARLY {
        let model = model(Quality::Good);
        let synthesizer = with(&model).early_decision(early).build().unwrap();
        let mut memo = run(&model, early, History::Append, 2).await;
        let (before, asked) = (serde_json::to_string(&memo).unwrap(), counts(&model));

        let all = [delivery(0), delivery(1)].concat();
        let update = synthesizer.update(&mut memo, all).await.unwrap();
        assert_eq!(update, ScrUpdate::Unchanged);
        let update = synthesizer.complete(&mut memo).await.unwrap();
        assert_eq!(update, ScrUpdate::Unchanged);
        assert_eq!(serde_json::to_string(&memo).unwrap(), before);
        assert_eq!(counts(&model), asked);
    }
}

#[tokio::test]
async fn without_findings_nothing_is_asked() {
    let model = model(Quality::Good);
    let synthesizer = with(&model).build().unwrap();
    let mut memo = Scr::new(QUESTION);

    assert_eq!(
        synthesizer.update(&mut memo, []).await.unwrap(),
        ScrUpdate::Empty
    );
    assert_eq!(
        synthesizer.complete(&mut memo).await.unwrap(),
        ScrUpdate::Empty
    );
    assert_eq!(counts(&model), [0, 0, 0]);
    assert!(memo.to_markdown().contains("No findings to synthesize."));
}

#[tokio::test]
async fn completion_leaves_situation_and_complication_byte_for_byte() {
    let model = model(Quality::Good);
    let synthesizer = with(&model).build().unwrap();
    let mut memo = Scr::new(QUESTION);
    synthesizer.update(&mut memo, delivery(0)).await.unwrap();
    let sections_of =
        |memo: &Scr| serde_json::to_string(&(&memo.situation, &memo.complication)).unwrap();
    let before = sections_of(&memo);

    synthesizer.complete(&mut memo).await.unwrap();
    assert_eq!(sections_of(&memo), before);
    let last = model.calls_of("scr.section").pop().unwrap();
    let prompt = crate::support::prompt(&last);
    for statement in memo
        .situation
        .statements
        .iter()
        .chain(&memo.complication.statements)
    {
        assert!(prompt.contains(statement.text.for_code()), "{prompt}");
    }
}
