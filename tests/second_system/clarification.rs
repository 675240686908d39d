//! Questions to the user: in the process, and over an interrupted thread.

use futures::future::BoxFuture;
use research_agents::runtime::clarify::{Clarification, Clarifier};
use research_agents::runtime::error::Error;
use research_agents::runtime::run::Run;
use research_core::MemoryCheckpointer;

use crate::texts::{Texts, UNCLEAR, ask, kept, survey};

/// Always takes the second option.
struct Second;

impl Clarifier for Second {
    fn ask(&self, clarification: Clarification) -> BoxFuture<'_, Option<String>> {
        Box::pin(async move { clarification.options.get(1).cloned() })
    }
}

#[tokio::test]
async fn a_clarifier_answers_in_the_process() {
    let ended = ask(&survey(&Texts::default()), UNCLEAR).clarifier(Second).await.unwrap();
    assert!(
        ended.markdown().contains("The word foragers is in 1 of 5 texts") || ended.markdown().contains("of 5 texts")
    );
    assert!(!ended.markdown().contains("clover is in"), "clover has six letters: {}", ended.markdown());
}

#[tokio::test]
async fn a_thread_waits_for_the_answer_and_resumes_with_it() {
    let (texts, store) = (Texts::default(), MemoryCheckpointer::default());
    let system = kept(&texts, store.clone());

    let error = ask(&system, UNCLEAR).thread("t").await.unwrap_err();
    let Error::ClarificationRequired { thread, clarification } = &error else { panic!("{error}") };
    assert_eq!((thread.as_str(), clarification.question.as_str()), ("t", "Which words count?"));
    assert_eq!(texts.read(), [""; 0]);

    // Another process resumes it.
    let ended = Run::resume(kept(&texts, store), "t").answer("1").await.unwrap();
    assert!(ended.markdown().contains("The word clover is in 3 of 4 texts"), "{}", ended.markdown());
}

#[tokio::test]
async fn without_anyone_to_ask_the_likeliest_reading_holds() {
    let ended = ask(&survey(&Texts::default()), UNCLEAR).await.unwrap();
    assert!(ended.markdown().contains("clover"), "{}", ended.markdown());
}
