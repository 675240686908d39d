//! The session: start, status, resume, stop, steer, fork and follow up, in any order.

use std::sync::Arc;

use proptest::prelude::*;
use research_agents::runtime::run::{Hosted, Resume, RunState, RunStatus, Session, SessionError};
use research_core::MemoryCheckpointer;
use tokio::sync::Semaphore;

use crate::survey::{Survey, Words};
use crate::texts::{QUESTION, Texts, UNCLEAR, input, kept};

fn state(question: &str) -> Survey {
    Survey::from_input(input(question))
}

fn session(texts: &Texts) -> Session<Hosted<Words>> {
    kept(texts, MemoryCheckpointer::default()).session()
}

#[tokio::test]
async fn a_run_is_started_answered_and_followed_up() {
    let session = session(&Texts::default());

    let mut run = session.start("t", state(UNCLEAR)).await.unwrap();
    assert!(!run.run_id().is_empty());
    while run.next_event().await.is_some() {}
    run.outcome().await.unwrap_err();
    assert_eq!(session.status("t").await.unwrap(), RunStatus::AwaitingInput);

    let run = session.resume("t", Resume::Clarification("1".into())).await.unwrap();
    assert!(run.outcome().await.unwrap().markdown().contains("clover"));
    assert_eq!(session.status("t").await.unwrap(), RunStatus::Completed);

    let again = session.resume("t", Resume::Clarification("2".into())).await.unwrap_err();
    assert!(matches!(again, SessionError::NotAwaitingInput { .. }), "{again}");
    let run = session.follow_up("t", state(QUESTION)).await.unwrap();
    assert!(run.outcome().await.unwrap().markdown().contains("clover"));
}

#[tokio::test]
async fn a_running_thread_is_stopped_and_reports_what_it_has() {
    let gate = Arc::new(Semaphore::new(2));
    let texts = Texts { gate: Some(gate), ..Texts::default() };
    let session = session(&texts);
    let mut run = session.start("t", state(QUESTION)).await.unwrap();
    while texts.read().len() < 2 {
        run.next_event().await.unwrap();
    }

    assert!(matches!(session.start("t", state(QUESTION)).await, Err(SessionError::AlreadyRunning { .. })));
    session.steer("t", "Look for bees.").unwrap();
    session.stop("t").unwrap();

    let ended = run.outcome().await.unwrap();
    assert!(ended.markdown().contains("of 2 texts"), "{}", ended.markdown());
    assert!(matches!(session.stop("t"), Err(SessionError::NotRunning { .. })));
}

/// What a host may ask of a session.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Start,
    StartUnclear,
    Answer,
    Continue,
    Stop,
    Steer,
    FollowUp,
}

/// The status of the thread as a host expects it, between operations that are awaited.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expected {
    Unknown,
    /// It waits for the answer to its unclear question.
    Awaiting,
    /// It holds the report of the unclear question, or of the clear one.
    Completed {
        is_unclear: bool,
    },
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        Just(Operation::Start),
        Just(Operation::StartUnclear),
        Just(Operation::Answer),
        Just(Operation::Continue),
        Just(Operation::Stop),
        Just(Operation::Steer),
        Just(Operation::FollowUp),
    ]
}

/// Performs an operation and waits for the end of the run that it starts, if it starts one.
async fn perform(session: &Session<Hosted<Words>>, operation: Operation) -> Result<(), SessionError> {
    let run = match operation {
        Operation::Start => session.start("t", state(QUESTION)).await?,
        Operation::StartUnclear => session.start("t", state(UNCLEAR)).await?,
        Operation::Answer => session.resume("t", Resume::Clarification("1".into())).await?,
        Operation::Continue => session.resume("t", Resume::Continue).await?,
        Operation::Stop => return session.stop("t"),
        Operation::Steer => return session.steer("t", "Look for bees."),
        Operation::FollowUp => session.follow_up("t", state(QUESTION)).await?,
    };
    drop(run.outcome().await);
    Ok(())
}

/// Whether an operation is accepted, and the status after it.
fn model(before: Expected, operation: Operation) -> (bool, Expected) {
    use Expected::{Awaiting, Completed, Unknown};
    let clear = Completed { is_unclear: false };
    match (operation, before) {
        // A start is accepted at once; that its question does not fit the thread is the outcome of its run.
        (Operation::Start, Awaiting) => (true, Awaiting),
        (Operation::Start, _) | (Operation::FollowUp, Completed { .. }) => (true, clear),
        // The question of a finished thread gives its report again.
        (Operation::StartUnclear, Completed { is_unclear: true }) => (true, before),
        (Operation::StartUnclear, _) | (Operation::Continue, Awaiting) => (true, Awaiting),
        (Operation::Answer, Awaiting) => (true, Completed { is_unclear: true }),
        (Operation::Answer | Operation::Continue, Unknown | Completed { .. })
        | (Operation::FollowUp, Unknown | Awaiting)
        | (Operation::Stop | Operation::Steer, _) => (false, before),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn operations_in_any_order_are_accepted_or_refused_as_the_status_says(
        operations in proptest::collection::vec(operation(), 1..8),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let session = session(&Texts::default());
            let mut expected = Expected::Unknown;
            for operation in operations {
                let (is_accepted, after) = model(expected, operation);
                let outcome = perform(&session, operation).await;
                prop_assert_eq!(outcome.is_ok(), is_accepted, "{:?} in {:?}: {:?}", operation, expected, outcome);
                expected = after;
                let status = session.status("t").await.ok();
                let wanted = match expected {
                    Expected::Unknown => None,
                    Expected::Awaiting => Some(RunStatus::AwaitingInput),
                    Expected::Completed { .. } => Some(RunStatus::Completed),
                };
                prop_assert_eq!(status, wanted, "after {:?}", operation);
            }
            Ok(())
        })?;
    }
}
