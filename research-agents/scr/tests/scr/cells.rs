//! Every step of every kind of pass, with an answer that cannot be read and with one that does not
//! come.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use research_agents_scr::memo::{Quality, Scr, SectionKind};
use research_agents_scr::synthesizer::{
    REFINE, SECTION, ScrError, ScrSynthesizer, ScrUpdate, SectionTask,
};
use research_llm::testing::ScriptedModel;
use research_llm::{
    ChatModel, EventStream, ModelError, ModelInfo, Request, Response, async_trait, replay_lazily,
};

use crate::support::{QUESTION, delivery, model, with};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Pass {
    First,
    Incremental,
    Refine,
    Complete,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Unreadable,
    Timeout,
}

/// Fails at one section while it is switched on.
struct Faulty {
    inner: Arc<ScriptedModel>,
    task: &'static str,
    section: SectionKind,
    fault: Fault,
    is_on: AtomicBool,
}

#[async_trait]
impl ChatModel for Faulty {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let answer = self.inner.complete(request).await?;
        let task = request.task.as_ref().filter(|task| task.name == self.task);
        let is_it = task.is_some_and(|task| {
            task.parse::<SectionTask>()
                .is_ok_and(|task| task.section == self.section)
        });
        if !is_it || !self.is_on.load(Ordering::SeqCst) {
            return Ok(answer);
        }
        match self.fault {
            Fault::Unreadable => Ok(Response::new("counting", "no JSON at all")),
            Fault::Timeout => Err(ModelError::timeout(Duration::from_secs(30))),
        }
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        replay_lazily(async move { self.complete(&request).await })
    }
}

/// Runs one cell; returns the memo before, what the pass gave, and the memo after the next call
/// without a fault.
async fn cell(pass: Pass, section: SectionKind, fault: Fault) {
    let quality = if pass == Pass::Refine {
        Quality::Shallow
    } else {
        Quality::Good
    };
    let inner = model(quality);
    let faulty = Arc::new(Faulty {
        inner: Arc::clone(&inner),
        task: if pass == Pass::Refine {
            REFINE
        } else {
            SECTION
        },
        section,
        fault,
        is_on: AtomicBool::new(false),
    });
    let retry = research_agents_runtime::limits::RetryPolicy::default()
        .first_wait(Duration::from_millis(1));
    let builder = ScrSynthesizer::builder(Arc::clone(&faulty) as _).retry(retry);
    let synthesizer = builder.early_decision(None).build().unwrap();

    let mut memo = Scr::new(QUESTION);
    let place = format!("{pass:?} {section} {fault:?}");
    match pass {
        Pass::Incremental => drop(synthesizer.update(&mut memo, delivery(0)).await.unwrap()),
        // Findings that wait: an update whose first step fails leaves them to the completion.
        Pass::Complete => {
            let stopped = Arc::new(Faulty {
                inner: Arc::clone(&inner),
                task: SECTION,
                section: SectionKind::Situation,
                fault: Fault::Unreadable,
                is_on: AtomicBool::new(true),
            });
            let other = ScrSynthesizer::builder(stopped as _)
                .retry(retry)
                .build()
                .unwrap();
            other.update(&mut memo, delivery(0)).await.unwrap_err();
            assert_eq!(memo.situation.read, 0, "{place}");
        }
        Pass::First | Pass::Refine => {}
    }

    faulty.is_on.store(true, Ordering::SeqCst);
    let given = match pass {
        Pass::Complete => synthesizer.complete(&mut memo).await,
        _ => synthesizer.update(&mut memo, delivery(1)).await,
    };
    let has_something = memo.situation.read > 0;
    match (fault, given) {
        (Fault::Timeout, Ok(ScrUpdate::Partial(delivery) | ScrUpdate::Whole(delivery))) => {
            assert!(has_something, "{place}");
            let problem = delivery.problem.unwrap();
            assert!(problem.contains(&section.to_string()), "{place}: {problem}");
        }
        (Fault::Timeout, Err(_)) => assert!(!has_something, "{place}"),
        (Fault::Unreadable, Err(ScrError::Step { .. })) => {}
        (_, given) => panic!("{place}: {given:?}"),
    }

    // Steps before the fault are kept, and the next call continues at it.
    faulty.is_on.store(false, Ordering::SeqCst);
    let asked = inner.calls().len();
    synthesizer.complete(&mut memo).await.unwrap();
    assert!(inner.calls().len() > asked, "{place}");
    assert!(!memo.is_partial(), "{place}");

    let whole = with(&model(quality)).early_decision(None).build().unwrap();
    let mut expected = Scr::new(QUESTION);
    if pass == Pass::Incremental {
        whole.update(&mut expected, delivery(0)).await.unwrap();
    }
    let last = usize::from(pass != Pass::Complete);
    whole.update(&mut expected, delivery(last)).await.unwrap();
    assert_eq!(memo.to_markdown(), expected.to_markdown(), "{place}");
}

#[tokio::test]
async fn a_step_that_fails_loses_nothing_and_continues() {
    for pass in [Pass::First, Pass::Incremental, Pass::Refine, Pass::Complete] {
        for section in SectionKind::SCR {
            for fault in [Fault::Unreadable, Fault::Timeout] {
                cell(pass, section, fault).await;
            }
        }
    }
}

#[tokio::test]
async fn the_error_names_the_step_and_the_prompt_names_the_problem() {
    let inner = model(Quality::Good);
    let faulty = Faulty {
        inner: Arc::clone(&inner),
        task: SECTION,
        section: SectionKind::Complication,
        fault: Fault::Unreadable,
        is_on: AtomicBool::new(true),
    };
    let synthesizer = ScrSynthesizer::builder(Arc::new(faulty)).build().unwrap();
    let mut memo = Scr::new(QUESTION);
    let error = synthesizer
        .update(&mut memo, delivery(0))
        .await
        .unwrap_err();

    assert!(
        error
            .to_string()
            .starts_with("Step 2 (Complication) failed:"),
        "{error}"
    );
    let asked = inner.calls_of(SECTION);
    assert_eq!(asked.len(), 1 + 3, "three attempts");
    assert!(
        asked[3].messages.len() > asked[1].messages.len(),
        "the problem is in the prompt"
    );
}
