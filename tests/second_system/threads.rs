//! Threads: what was done is not done again, and a finished thread takes a follow-up question.

use std::sync::Arc;
use std::time::Duration;

use research_agents::runtime::error::Error;
use research_agents::runtime::run::Run;
use research_core::MemoryCheckpointer;
use research_core_sqlite::SqliteCheckpointer;
use tokio::sync::Semaphore;

use crate::texts::{QUESTION, Texts, UNCLEAR, ask, kept};

#[tokio::test]
async fn a_dropped_run_resumes_without_reading_a_text_twice() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("survey.db");
    let gate = Arc::new(Semaphore::new(3));
    let texts = Texts { gate: Some(Arc::clone(&gate)), ..Texts::default() };

    // The run is dropped while it waits for the fourth text.
    let system = kept(&texts, SqliteCheckpointer::open(&file).await.unwrap());
    let run = ask(&system, QUESTION).thread("t");
    let waiting = async {
        while texts.read().len() < 3 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        _ = run.into_future() => panic!("it waits for a text"),
        () = waiting => {}
    }

    gate.add_permits(10);
    let system = kept(&texts, SqliteCheckpointer::open(&file).await.unwrap());
    let ended = Run::resume(system, "t").await.unwrap();
    assert!(ended.markdown().contains("clover is in 3 of 4 texts"), "{}", ended.markdown());
    assert_eq!(texts.read(), ["t1", "t2", "t3", "t4"]);
}

#[tokio::test]
async fn a_finished_thread_gives_its_report_and_takes_a_follow_up() {
    let texts = Texts::default();
    let system = kept(&texts, MemoryCheckpointer::default());

    let first = ask(&system, QUESTION).thread("t").await.unwrap();
    let again = ask(&system, QUESTION).thread("t").await.unwrap();
    assert_eq!((first.markdown(), texts.read().len()), (again.markdown(), 4));

    let follow_up = ask(&system, "Which word of at least 5 letters is in most texts?").thread("t").await.unwrap();
    assert!(follow_up.markdown().contains("clover"), "{}", follow_up.markdown());
    assert_eq!(texts.read().len(), 8);
}

#[tokio::test]
async fn an_unfinished_thread_refuses_another_question() {
    let system = kept(&Texts::default(), MemoryCheckpointer::default());
    ask(&system, UNCLEAR).thread("t").await.unwrap_err();
    let error = ask(&system, QUESTION).thread("t").await.unwrap_err();
    assert!(matches!(error, Error::OtherQuestion { .. }), "{error}");
}
