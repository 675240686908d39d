//! What an answer must hold before it leaves.

use research_agents_code_agent::run::{RunStatus, VerificationStatus};
use serde_json::json;

use crate::project::{Project, always, ask, choose, finalize, open, script};

fn scripted(project: &Project, answers: &[&str]) -> research_agents_code_agent::CodeAgent {
    let replies = [open(1, 26)]
        .into_iter()
        .chain(answers.iter().map(|answer| finalize(answer)));
    project.with_model(script(replies))
}

#[tokio::test]
async fn an_answer_that_its_lines_show_passes() {
    let project = Project::new();
    let answer = "`Cache::get` calls `lookup(key)`. [ev-1a2b3c4d-001]\n\
                  MAX_ENTRIES is 10,000. [ev-1a2b3c4d-001]";
    let project_answer = answer.replace("Cache::get", "get");

    let run = ask(
        &scripted(&project, &[&project_answer]),
        "What calls `lookup`?",
    )
    .await;

    assert_eq!(run.answer.as_deref(), Some(project_answer.as_str()));
    assert!(!run.is_partial && run.status == RunStatus::Done);
    assert_ne!(run.verification.unwrap().status, VerificationStatus::Failed);
}

#[tokio::test]
async fn invented_names_and_numbers_are_sent_back_with_the_reason() {
    let project = Project::new();
    let wrong = "`Cache` calls `frobnicate` 42 times. [ev-1a2b3c4d-001]";
    let right = "`get` calls `lookup`. [ev-1a2b3c4d-001]";
    let model = script([open(1, 26), finalize(wrong), finalize(right)]);
    let model = std::sync::Arc::new(model);
    let asked = std::sync::Arc::clone(&model);

    let run = ask(&project.with_model(model), "What calls `lookup`?").await;

    assert_eq!(run.answer.as_deref(), Some(right));
    assert_eq!(run.verification.unwrap().retries, 1);
    let calls = asked.calls();
    let prompt = calls[2].messages.last().unwrap().text();
    assert!(
        prompt.contains("`frobnicate`") && prompt.contains("`42`"),
        "{prompt}"
    );
}

#[tokio::test]
async fn after_two_retries_only_what_holds_is_left() {
    let project = Project::new();
    let mixed =
        "`get` calls `lookup`. [ev-1a2b3c4d-001]\nIt was written by Ada in 1843. [ev-1a2b3c4d-001]";
    let agent = scripted(&project, &[mixed, mixed, mixed]);

    let run = ask(&agent, "What calls `lookup`?").await;

    let answer = run.answer.unwrap();
    assert!(
        answer.contains("`get` calls `lookup`.") && !answer.contains("Ada"),
        "{answer}"
    );
    assert!(answer.contains("1 sentence was removed"), "{answer}");
    assert!(run.is_partial && run.verification.unwrap().retries == 2);
}

#[tokio::test]
async fn nothing_but_inventions_is_an_honest_partial_answer() {
    let project = Project::new();
    let wrong = "`frobnicate` does it. [ev-1a2b3c4d-001]";
    let agent = scripted(&project, &[wrong, wrong, wrong]);

    let run = ask(&agent, "What calls `lookup`?").await;

    let answer = run.answer.unwrap();
    assert!(
        !answer.contains("frobnicate") && answer.contains("No complete answer"),
        "{answer}"
    );
    assert_eq!((run.is_partial, run.confidence), (true, None));
}

#[tokio::test]
async fn a_citation_that_does_not_resolve_fails() {
    let project = Project::new();
    let wrong = "`get` calls `lookup`. [ev-1a2b3c4d-007]";
    let agent = scripted(&project, &[wrong, wrong, wrong]);

    let run = ask(&agent, "What calls `lookup`?").await;

    let verification = run.verification.unwrap();
    assert_eq!(verification.status, VerificationStatus::Failed);
    let problems: Vec<&str> = verification.problems().collect();
    assert!(
        problems
            .iter()
            .any(|problem| problem.contains("is not the id of any evidence"))
    );
}

#[tokio::test]
async fn lines_that_changed_meanwhile_are_not_cited() {
    let project = Project::new();
    let folder = project.path().to_owned();
    let mut opened = false;
    let lock = std::sync::Mutex::new(move || {
        if opened {
            let changed = crate::project::LIB.replace("10_000", "20_000");
            std::fs::write(folder.join("src/lib.rs"), changed).unwrap();
            return finalize("`MAX_ENTRIES` is 10_000. [ev-1a2b3c4d-001]");
        }
        opened = true;
        open(2, 2)
    });
    let model = research_llm::testing::ScriptedModel::new()
        .otherwise(move |_| Some((lock.lock().unwrap())().into()));

    let run = ask(&project.with_model(model), "What is `MAX_ENTRIES`?").await;

    let answer = run.answer.unwrap();
    assert!(!answer.contains("is 10_000"), "{answer}");
    let verification = run.verification.unwrap();
    assert!(
        verification
            .problems()
            .any(|problem| problem.contains("have changed"))
    );
}

#[tokio::test]
async fn a_computed_count_may_be_repeated_with_its_lines() {
    let project = Project::new();
    let model = script([
        choose("compute_answer", json!({"question": "Who calls `lookup`?"})),
        finalize("There are 3 calls of `lookup`. [ev-1a2b3c4d-001]"),
    ]);

    let run = ask(&project.with_model(model), "Who calls `lookup`?").await;

    assert!(
        run.answer.unwrap().contains("There are 3 calls"),
        "{:?}",
        run.verification
    );
}

#[tokio::test]
async fn confidence_is_clamped_and_has_a_default() {
    let project = Project::new();
    for (input, confidence) in [
        (json!({"answer": "Nothing."}), 0.8),
        (json!({"answer": "Nothing.", "confidence": 7.0}), 1.0),
        (json!({"answer": "Nothing.", "confidence": -1.0}), 0.0),
    ] {
        let agent = project.with_model(always(choose("finalize", input)));
        let run = ask(&agent, "What is here?").await;
        assert_eq!(run.steps[0].data["confidence"], confidence);
    }
}

#[tokio::test]
async fn a_file_that_changes_before_the_check_is_computed_again() {
    use research_agents_code_agent::actions::ComputeInput;
    use research_agents_code_agent::actions::{
        Action, ActionContext, ActionRegistry, ActionResult, ComputeAnswer,
    };

    /// Computes an answer, and moves the lines of the file the first time.
    struct Moving(std::path::PathBuf, std::sync::atomic::AtomicUsize);

    impl Action for Moving {
        const NAME: &'static str = ComputeAnswer::NAME;
        const DESCRIPTION: &'static str = ComputeAnswer::DESCRIPTION;
        type Input = ComputeInput;

        async fn execute(&self, input: ComputeInput, cx: &ActionContext) -> ActionResult {
            let result = Action::execute(&ComputeAnswer, input, cx).await;
            if self.1.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0 {
                std::fs::write(&self.0, format!("// one\n// two\n{}", crate::project::LIB))
                    .unwrap();
            }
            result
        }
    }

    let project = Project::new();
    let moving = Moving(project.path().join("src/lib.rs"), Default::default());
    let actions = ActionRegistry::standard().with(moving).build().unwrap();
    let builder = project.builder();

    let run = ask(
        &builder.actions(actions).build().unwrap(),
        "Where is `warm` defined?",
    )
    .await;

    let answer = run.answer.clone().unwrap();
    assert!(answer.contains("25") && !run.is_partial, "{answer}");
    let cited: Vec<String> = run
        .cited_evidence()
        .map(|evidence| evidence.place())
        .collect();
    assert_eq!(cited, ["src/lib.rs:25-28"]);
}

#[tokio::test]
async fn no_computed_sentence_is_removed_from_an_answer_of_code() {
    let project = Project::new();
    project.write(
        "notes.md",
        "# Cache\n\nWarm it first. See `get`, e.g. twice. It keeps 3 numbers.\n",
    );
    for question in [
        "How is the cache kept warm?",
        "What is the default of `size`?",
        "What does `lookup` return?",
        "What is in `src/lib.rs`?",
        "How does `get` get to `lookup`?",
        "List all methods of `Cache`",
        "What changed about `warm`?",
    ] {
        let run = ask(&project.agent(), question).await;
        let verification = run.verification.clone().unwrap();
        let problems: Vec<&str> = verification.problems().collect();
        assert_eq!(
            verification.removed, 0,
            "{question}: {problems:?}\n{:?}",
            run.answer
        );
    }
}

#[tokio::test]
async fn what_was_not_found_needs_no_citation() {
    let project = Project::new();
    let honest = "The evidence does not answer the question.";
    let agent = scripted(&project, &[honest]);

    let run = ask(&agent, "Why is it fast?").await;

    assert_eq!(run.answer.as_deref(), Some(honest));
    let agent = scripted(&project, &["It is fast because of good design."; 3]);
    assert!(
        !ask(&agent, "Why is it fast?")
            .await
            .answer
            .unwrap()
            .contains("good design")
    );
}
