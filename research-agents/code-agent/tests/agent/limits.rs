//! Each limit of a run ends it by itself.

use std::sync::Arc;
use std::time::Duration;

use research_agents_code_agent::CodeAgent;
use research_agents_code_agent::actions::{Action, ActionContext, ActionRegistry, ActionResult};
use research_agents_code_agent::run::{AgentConfig, RunStatus};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::project::{Project, always, choose, open, script};

/// Waits on the clock of the test.
struct Wait;

#[derive(Deserialize, JsonSchema)]
struct Seconds {
    seconds: u64,
}

impl Action for Wait {
    const NAME: &'static str = "wait";
    const DESCRIPTION: &'static str = "Waits.";
    type Input = Seconds;

    async fn execute(&self, input: Seconds, _: &ActionContext) -> ActionResult {
        tokio::time::sleep(Duration::from_secs(input.seconds)).await;
        ActionResult::done("waited")
    }
}

fn waiting(project: &Project, config: AgentConfig, seconds: u64) -> CodeAgent {
    let model = always(choose("wait", json!({"seconds": seconds})));
    let actions = ActionRegistry::standard().with(Wait).build().unwrap();
    let builder = project.builder();
    builder
        .model(Arc::new(model))
        .config(config)
        .actions(actions)
        .build()
        .unwrap()
}

#[tokio::test]
async fn steps_are_limited() {
    let project = Project::new();
    let config = AgentConfig {
        max_steps: 3,
        ..AgentConfig::default()
    };
    let agent = project.with(always(open(1, 2)), config);

    let run = agent.research("What is here?").await.unwrap();

    assert_eq!((run.steps.len(), run.budget_used), (3, 3));
    assert_eq!((run.status, run.is_partial), (RunStatus::Done, true));
    let answer = run.answer.unwrap();
    assert!(
        answer.starts_with("No complete answer: the budget of 3 steps is used up."),
        "{answer}"
    );
}

#[tokio::test]
async fn the_budget_of_a_question_replaces_the_steps_and_is_clamped() {
    let project = Project::new();
    for (requested, steps) in [(2, 2), (0, 1), (-5, 1), (21, 20)] {
        let agent = project.with_model(always(open(1, 2)));

        let run = agent
            .ask("What is here?")
            .budget(requested)
            .run()
            .await
            .unwrap()
            .run;

        assert_eq!(
            (run.budget_steps, run.steps.len()),
            (steps, steps as usize),
            "{requested}"
        );
        assert_eq!(run.notes.is_empty(), requested == 2, "{:?}", run.notes);
    }
}

#[tokio::test(start_paused = true)]
async fn wall_time_is_limited() {
    let project = Project::new();
    let config = AgentConfig {
        max_wall_time_seconds: 100,
        action_timeout_seconds: 60,
        ..AgentConfig::default()
    };

    let run = waiting(&project, config, 40)
        .research("What is here?")
        .await
        .unwrap();

    assert!((1..=2).contains(&run.steps.len()), "{:?}", run.steps);
    assert!(run.is_partial && run.answer.unwrap().contains("1m40s"));
}

#[tokio::test(start_paused = true)]
async fn an_action_is_limited_and_the_run_continues() {
    let project = Project::new();
    let config = AgentConfig {
        max_steps: 2,
        max_wall_time_seconds: 1_000,
        action_timeout_seconds: 5,
        ..AgentConfig::default()
    };

    let run = waiting(&project, config, 40)
        .research("What is here?")
        .await
        .unwrap();

    assert_eq!(run.steps.len(), 2);
    for step in &run.steps {
        assert_eq!(
            step.error.as_deref(),
            Some("the action took longer than 5 seconds")
        );
    }
}

#[test]
fn a_limit_that_allows_nothing_is_refused() {
    let project = Project::new();
    for config in [
        AgentConfig {
            max_steps: 0,
            ..AgentConfig::default()
        },
        AgentConfig {
            max_wall_time_seconds: 0,
            ..AgentConfig::default()
        },
        AgentConfig {
            action_timeout_seconds: 0,
            ..AgentConfig::default()
        },
    ] {
        let built = CodeAgent::builder(project.path())
            .unwrap()
            .config(config)
            .build();
        assert!(built.unwrap_err().to_string().contains("set it to"));
    }
}

#[tokio::test]
async fn a_cancelled_run_says_so() {
    let project = Project::new();
    let token = CancellationToken::new();
    token.cancel();

    let run = project
        .agent()
        .ask("Who calls `lookup`?")
        .cancel(token)
        .run()
        .await
        .unwrap()
        .run;

    assert!(run.is_partial && run.steps.is_empty());
    assert!(run.answer.unwrap().starts_with("No complete answer:"));
}

#[tokio::test]
async fn failures_are_steps_and_the_run_continues() {
    let project = Project::new();
    let model = script([
        choose(
            "open_span",
            json!({"file_path": "none.rs", "start_line": 1, "end_line": 2}),
        ),
        open(2, 2),
        crate::project::finalize("`MAX_ENTRIES` is 10_000. [ev-1a2b3c4d-001]"),
    ]);

    let run = project
        .with_model(model)
        .ask("What is `MAX_ENTRIES`?")
        .run()
        .await
        .unwrap()
        .run;

    assert!(run.steps[0].error.is_some() && run.steps[1].error.is_none());
    assert_eq!(run.evidence.len(), 1);
}

#[tokio::test]
async fn an_action_that_fails_is_not_taken_for_nothing_found() {
    /// An answer that is never computed.
    struct Never;

    impl Action for Never {
        const NAME: &'static str = "compute_answer";
        const DESCRIPTION: &'static str = "Fails.";
        type Input = research_agents_code_agent::actions::ComputeInput;

        async fn execute(&self, _: Self::Input, _: &ActionContext) -> ActionResult {
            ActionResult::failed("too slow")
        }
    }

    let project = Project::empty();
    let actions = ActionRegistry::standard().with(Never).build().unwrap();
    let agent = project.builder().actions(actions).build().unwrap();

    let run = agent.research("Where is `warm` defined?").await.unwrap();

    let answer = run.answer.unwrap();
    assert!(
        answer.contains("an action failed or took too long"),
        "{answer}"
    );
    assert!(run.is_partial && run.steps[0].error.is_some());
}

/// Holds the only thread for blocking work until the test lets it go.
struct Hold(std::sync::Mutex<Option<std::sync::mpsc::Receiver<()>>>);

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

impl Action for Hold {
    const NAME: &'static str = "hold";
    const DESCRIPTION: &'static str = "Holds a thread.";
    type Input = Nothing;

    async fn execute(&self, _: Nothing, _: &ActionContext) -> ActionResult {
        let waits = self.0.lock().unwrap().take();
        tokio::task::spawn_blocking(move || waits.map(|waits| waits.recv()));
        ActionResult::done("held")
    }
}

#[test]
fn a_check_that_does_not_end_lets_nothing_pass() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    let project = Project::new();
    let (go_on, waits) = std::sync::mpsc::channel();
    let hold = Hold(std::sync::Mutex::new(Some(waits)));
    let answer = "`get` calls `lookup`. [ev-1a2b3c4d-001]";
    let model = script([
        open(1, 26),
        choose("hold", json!({})),
        crate::project::finalize(answer),
        crate::project::finalize(answer),
    ]);
    let config = AgentConfig {
        action_timeout_seconds: 2,
        ..AgentConfig::default()
    };
    let actions = ActionRegistry::standard().with(hold).build().unwrap();
    let agent = project.builder().model(Arc::new(model)).config(config);
    let agent = agent.actions(actions).build().unwrap();

    let run = runtime.block_on(crate::project::ask(&agent, "What calls `lookup`?"));
    go_on.send(()).unwrap();

    assert_eq!(
        run.verification.unwrap().retries,
        0,
        "the same check is not tried again"
    );
    assert!(run.is_partial, "{:?}", run.answer);
    assert!(!run.answer.unwrap().contains("`get` calls"));
}
