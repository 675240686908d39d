//! The registry: what is generated from it, and what it refuses.

use research_agents_code_agent::actions::{
    Action, ActionContext, ActionRegistry, ActionResult, Finalize, OpenSpan, RegistryError,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::project::{Project, always, choose, finalize, open, script};

struct Shout;

#[derive(Deserialize, JsonSchema)]
struct Words {
    words: String,
}

impl Action for Shout {
    const NAME: &'static str = "shout";
    const DESCRIPTION: &'static str = "Says words loudly.";
    type Input = Words;

    async fn execute(&self, input: Words, _: &ActionContext) -> ActionResult {
        ActionResult::done(input.words.to_uppercase())
    }
}

#[test]
fn a_registry_without_finalize_is_an_error() {
    let built = ActionRegistry::builder().with(OpenSpan).build();
    assert_eq!(built.unwrap_err(), RegistryError::NoFinalize);
    let removed = ActionRegistry::standard().without("finalize").build();
    assert_eq!(removed.unwrap_err(), RegistryError::NoFinalize);
}

#[test]
fn a_registered_action_is_in_the_schema_and_the_list() {
    let registry = ActionRegistry::standard().with(Shout).build().unwrap();

    let schema = registry.schema().schema;

    let names = schema["properties"]["action"]["enum"].as_array().unwrap();
    assert!(names.contains(&json!("shout")) && names.contains(&json!("finalize")));
    assert_eq!(
        schema["properties"]["shout"]["properties"]["words"]["type"],
        "string"
    );
    assert!(registry.list().contains("- shout: Says words loudly."));
    let chosen = registry.select(&json!({
        "action": "shout", "reasoning": "r", "shout": {"words": "a"}, "open_span": {"bad": 1},
    }));
    assert_eq!(chosen.unwrap().input, json!({"words": "a"}));
}

#[test]
fn an_action_of_the_same_name_replaces_the_other() {
    let registry = ActionRegistry::builder()
        .with(Finalize)
        .with(Shout)
        .with(Shout)
        .build()
        .unwrap();
    assert_eq!(registry.names(), ["finalize", "shout"]);
}

#[test]
fn decisions_that_do_not_fit_are_refused_with_the_reason() {
    let registry = ActionRegistry::standard().build().unwrap();
    for (decision, reason) in [
        (json!({"reasoning": "r"}), "the field `action` is missing"),
        (
            json!({"action": "rm", "reasoning": "r"}),
            "there is no action `rm`",
        ),
        (
            json!({"action": "open_span", "reasoning": "r"}),
            "the input of the action is missing",
        ),
        (
            json!({"action": "open_span", "reasoning": "r", "open_span": {"file_path": "a"}}),
            "the input of `open_span` does not fit: missing field `start_line`",
        ),
    ] {
        let error = registry.select(&decision).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[tokio::test]
async fn a_decision_without_its_input_is_asked_for_again() {
    let project = Project::new();
    let model = script([
        json!({"action": "open_span", "reasoning": "r"}).to_string(),
        open(2, 2),
        finalize("Nothing."),
    ]);
    let model = std::sync::Arc::new(model);
    let asked = std::sync::Arc::clone(&model);

    let run = project
        .with_model(model)
        .research("What is `MAX_ENTRIES`?")
        .await
        .unwrap();

    assert_eq!(run.steps[0].action, "open_span");
    let second = &asked.calls()[1];
    let prompt = second.messages.last().unwrap().text();
    assert!(
        prompt.contains("the input of the action is missing: `open_span`"),
        "{prompt}"
    );
}

#[tokio::test]
async fn an_own_action_is_chosen_and_executed() {
    let project = Project::new();
    let model = script([
        choose("shout", json!({"words": "hello"})),
        finalize("Nothing."),
    ]);
    let actions = ActionRegistry::standard().with(Shout).build().unwrap();
    let builder = project.builder();
    let agent = builder
        .model(std::sync::Arc::new(model))
        .actions(actions)
        .build()
        .unwrap();

    let run = agent.research("Anything?").await.unwrap();

    assert_eq!(run.steps[0].output_summary, "HELLO");
}

#[tokio::test]
async fn a_fixed_search_takes_the_place_of_the_real_one() {
    use research_agents_code_agent::run::Provenance;
    use research_agents_code_agent::space::lines_of;
    let project = Project::new();
    let path = research_agents_code::tree::RelPath::parse("src/lib.rs").unwrap();
    let text = crate::project::LIB.as_bytes();
    let hit = lines_of(&path, text, (2, 2), "fixed", Provenance::Bm25).unwrap();
    let search = research_agents_code_agent::testing::FixedSearch::new([hit]);
    let actions = ActionRegistry::standard()
        .with(search.clone())
        .build()
        .unwrap();
    let builder = project.builder();
    let answer = "`MAX_ENTRIES` is 10_000. [ev-1a2b3c4d-001]";
    let model = script([
        choose("hybrid_search", json!({"query": "entries"})),
        finalize(answer),
    ]);
    let agent = builder
        .model(std::sync::Arc::new(model))
        .actions(actions)
        .build()
        .unwrap();

    let run = crate::project::ask(&agent, "What is `MAX_ENTRIES`?").await;

    assert_eq!(run.answer.as_deref(), Some(answer));
    assert_eq!(search.queries(), ["entries"]);
}

#[tokio::test]
async fn a_failing_model_is_a_run_with_its_error() {
    use research_llm::ModelError;
    let project = Project::new();
    let model = research_llm::testing::ScriptedModel::new()
        .fail(99, ModelError::authentication("the key is wrong"));

    let run = project
        .with_model(model)
        .research("What is here?")
        .await
        .unwrap();

    assert_eq!(
        run.status,
        research_agents_code_agent::run::RunStatus::Error
    );
    assert!(run.error_message.unwrap().contains("key") && run.answer.is_none());
}

#[tokio::test]
async fn a_model_that_never_chooses_ends_the_run() {
    let project = Project::new();
    let model = always("I do not know".to_owned());

    let run = project
        .with_model(model)
        .research("What is here?")
        .await
        .unwrap();

    assert_eq!(run.steps.len(), 3);
    assert!(
        run.steps
            .iter()
            .all(|step| step.action == "decide" && step.error.is_some())
    );
    assert!(
        run.answer
            .unwrap()
            .contains("the model chose no action 3 times in a row")
    );
}
