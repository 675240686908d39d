//! Exported runs: replay without files and model, and verification.

use research_agents_code_agent::agent::{CodeSystem, audit};
use research_agents_code_agent::answer::compose;
use research_agents_code_agent::run::RunId;
use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::run::replay;
use serde_json::{Value, json};

use crate::project::{Project, RUN, finalize, open, script};

async fn offline() -> (Bundle, String) {
    let project = Project::new();
    let id = RunId::parse(RUN).unwrap();
    let agent = project.agent();
    let ended = agent
        .ask("Who calls `lookup`?")
        .run_id(id)
        .record()
        .run()
        .await
        .unwrap();
    let text = ended.bundle.unwrap().to_json().unwrap();
    // The folder is gone after this.
    (
        Bundle::from_json(&text).unwrap(),
        compose(&ended.run, false),
    )
}

async fn scripted() -> Bundle {
    let project = Project::new();
    let id = RunId::parse(RUN).unwrap();
    let agent = project.with_model(script([
        open(1, 26),
        finalize("`invented` is there. [ev-1a2b3c4d-001]"),
        finalize("`get` calls `lookup`. [ev-1a2b3c4d-001]"),
    ]));
    let ended = agent
        .ask("What calls `lookup`?")
        .run_id(id)
        .record()
        .run()
        .await
        .unwrap();
    Bundle::from_json(&ended.bundle.unwrap().to_json().unwrap()).unwrap()
}

#[tokio::test]
async fn a_run_is_replayed_byte_for_byte_without_files() {
    let (bundle, text) = offline().await;

    let ended = replay::<CodeSystem>(&bundle).unwrap().await.unwrap();

    assert_eq!(ended.markdown(), bundle.markdown);
    assert_eq!(compose(ended.state.run(), false), text);
    assert_eq!(audit(&bundle, None).await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn a_run_of_a_language_model_is_replayed_without_it() {
    let bundle = scripted().await;

    let ended = replay::<CodeSystem>(&bundle).unwrap().await.unwrap();

    assert_eq!(ended.markdown(), bundle.markdown);
    assert_eq!(audit(&bundle, None).await.unwrap(), Vec::<String>::new());
}

/// Changes every string and number of a part of a bundle, one at a time, and seals each change.
fn mutations(whole: &Value, pointer: &str, found: &mut Vec<(String, Value)>) {
    let part = whole.pointer(pointer).unwrap();
    match part {
        Value::Object(fields) => {
            for name in fields.keys() {
                let name = name.replace('~', "~0").replace('/', "~1");
                mutations(whole, &format!("{pointer}/{name}"), found);
            }
        }
        Value::Array(items) => {
            (0..items.len()).for_each(|at| mutations(whole, &format!("{pointer}/{at}"), found));
        }
        Value::String(text) => {
            let changed = match text.chars().next() {
                Some(_) => format!("{text}x"),
                None => "x".to_owned(),
            };
            let mut other = whole.clone();
            *other.pointer_mut(pointer).unwrap() = json!(changed);
            found.push((pointer.to_owned(), other));
        }
        Value::Number(number) => {
            let mut other = whole.clone();
            *other.pointer_mut(pointer).unwrap() = json!(number.as_f64().unwrap() + 1.0);
            if let Some(whole_number) = number.as_u64() {
                *other.pointer_mut(pointer).unwrap() = json!(whole_number + 1);
            }
            found.push((pointer.to_owned(), other));
        }
        _ => {}
    }
}

#[tokio::test]
async fn a_changed_report_or_evidence_is_found_even_if_it_is_sealed_again() {
    let (bundle, _) = offline().await;
    let whole = serde_json::to_value(&bundle).unwrap();
    let mut changed = Vec::new();
    for part in [
        "/markdown",
        "/question",
        "/evidence",
        "/report/sections",
        "/input/run_id",
    ] {
        mutations(&whole, part, &mut changed);
    }
    // Lines of recorded results, of the first action.
    let results = format!("/effects/{}/exchanges/0/value/evidence", action(&whole));
    mutations(&whole, &results, &mut changed);

    let mut missed = Vec::new();
    for (pointer, value) in &changed {
        let Ok(mut bundle) = serde_json::from_value::<Bundle>(value.clone()) else {
            continue;
        };
        bundle.seal().unwrap();
        if audit(&bundle, None)
            .await
            .is_ok_and(|problems| problems.is_empty())
        {
            missed.push(pointer.as_str());
        }
    }

    assert!(changed.len() > 60, "{}", changed.len());
    // How a line was found and why is said by the run alone.
    missed.retain(|pointer| {
        !["reason", "symbol_id", "symbol_kind", "score"]
            .iter()
            .any(|end| pointer.ends_with(end))
    });
    assert_eq!(missed, Vec::<&str>::new());
}

fn action(whole: &Value) -> usize {
    let effects = whole["effects"].as_array().unwrap();
    let is_action = |effect: &Value| effect["what"].as_str().unwrap().starts_with("action ");
    effects.iter().position(is_action).unwrap()
}

#[tokio::test]
async fn any_change_without_a_new_seal_is_found() {
    let (bundle, _) = offline().await;
    let mut whole = serde_json::to_value(&bundle).unwrap();
    whole["program"]["version"] = json!("9.9.9");

    let bundle: Bundle = serde_json::from_value(whole).unwrap();

    let problems = audit(&bundle, None).await.unwrap();
    assert!(
        problems.iter().any(|problem| problem.contains("SHA-256")),
        "{problems:?}"
    );
}
