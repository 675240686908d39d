//! The events of a run, and its report.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use futures::StreamExt;
use research_agents::runtime::event::{EventKind, RunEvent};

use crate::texts::{QUESTION, Texts, ask, survey};

#[tokio::test]
async fn the_report_says_what_was_counted_and_quotes_it() {
    let texts = Texts::default();

    let ended = ask(&survey(&texts), QUESTION).await.unwrap();

    let said = "The word clover is in 3 of 4 texts, such as “A forager that finds clover returns to the hive and dances.” (A1) [t1].";
    assert!(ended.markdown().contains(said), "{}", ended.markdown());
    assert_eq!(texts.read(), ["t1", "t2", "t3", "t4"], "the fifth text need not be read");
}

#[tokio::test]
async fn events_come_in_order_with_common_names() {
    let texts = Texts { failures: Arc::new(AtomicUsize::new(1)), ..Texts::default() };
    let mut stream = ask(&survey(&texts), QUESTION).stream();

    let (mut names, mut numbers) = (Vec::new(), Vec::new());
    while let Some(event) = stream.next().await {
        numbers.push(event.seq);
        let json = serde_json::to_value(&event).unwrap();
        names.push(json["event"].as_str().unwrap().to_owned());
        assert!(!event.run_id.is_empty());
        if let EventKind::Run(RunEvent::Retry { what, attempt, .. }) = &event.kind {
            assert_eq!((what.as_str(), *attempt), ("read_text", 1));
        }
    }

    assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>());
    assert_eq!(names.first().unwrap(), "run_started");
    assert_eq!(names.last().unwrap(), "run_completed");
    for name in ["tool_call", "tool_result", "retry", "report_start", "report_delta", "report_end"] {
        assert!(names.iter().any(|known| known == name), "{name} is missing in {names:?}");
    }
    assert!(stream.outcome().await.unwrap().markdown().contains("clover"));
}
