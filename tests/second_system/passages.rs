//! A system whose report rests on passages: its documents are in the bundle, and a changed byte of them is found.

mod answer;

use std::sync::Arc;

use research_agents::mcp::{BoxFuture, CallOutput, McpError, Object, Tool, ToolListing, ToolSource};
use research_agents::report::assessment::{Rating, assess, stated_in};
use research_agents::report::language::Language;
use research_agents::report::trust::Mark;
use research_agents::runtime::bundle::Bundle;
use research_agents::runtime::limits::BudgetLimits;
use research_agents::runtime::offline::OfflineModel;
use research_agents::runtime::run::{Hosted, QuestionInput, replay, verify};
use serde_json::{Value, json};

use self::answer::{Cited, answers};

const QUESTION: &str = "How long is the bridge?";

const PAGES: [(&str, &str, &str); 3] = [
    ("bridge.html", "example.org", "# Bridge\n\nThe bridge is 120 m long. It was opened in 1932.\n"),
    ("mirror.html", "mirror.net", "# Bridge\n\nThe bridge is 120 m long. It was opened in 1932.\n"),
    ("county.html", "example.com", "With its arches of steel, the old bridge of the county is 120 m long.\n"),
];

/// Pages that can be read.
struct Pages;

impl ToolSource for Pages {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        Box::pin(async { Ok(ToolListing::new(vec![Tool::new("pages", "read_pages", Object::new())])) })
    }

    fn call_tool<'a>(&'a self, name: &'a str, _: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        let pages = PAGES.map(|(address, site, text)| json!({"address": address, "site": site, "text": text}));
        Box::pin(async move { Ok(CallOutput::structured("pages", name, json!(pages))) })
    }
}

async fn recorded() -> Bundle {
    let model = Arc::new(OfflineModel::new(answers()));
    let system = Hosted::<Cited>::new(model, Arc::new(Pages), BudgetLimits::default()).unwrap();
    let input = QuestionInput { question: QUESTION.to_owned(), ..QuestionInput::default() };
    let ended = system.run(input).record().await.unwrap();
    // A bundle is a file.
    Bundle::from_json(&ended.bundle.unwrap().to_json().unwrap()).unwrap()
}

fn problems(bundle: &Bundle) -> Vec<String> {
    let verification = verify::<Hosted<Cited>>(bundle).unwrap();
    verification.failures().map(|check| format!("{check:?}")).collect()
}

#[tokio::test]
async fn documents_and_passages_are_in_the_bundle() {
    let bundle = recorded().await;

    let passages = &bundle.evidence.passages;
    assert_eq!(passages.documents().len(), 3);
    for (document, (address, site, text)) in passages.documents().zip(PAGES) {
        assert_eq!((document.origin.address.as_str(), document.origin.site.as_str()), (address, site));
        assert_eq!((document.text.for_code().as_str(), document.reader.as_str()), (text, "plain/1"));
        assert_eq!(document.file_hash.len(), 64);
    }
    for passage in passages.iter() {
        let document = passages.document_of(passage).unwrap();
        assert_eq!(document.text.for_code()[passage.bytes.start..passage.bytes.end], *passage.text.for_code());
    }
    assert!(bundle.markdown.contains("The bridge is 120 m long [E1] [E2] [E3]."), "{}", bundle.markdown);
    assert!(bundle.markdown.contains("bridge.html:3"), "{}", bundle.markdown);
    assert_eq!(problems(&bundle), Vec::<String>::new());
}

#[tokio::test]
async fn a_run_with_passages_is_replayed() {
    let bundle = recorded().await;
    let again = replay::<Hosted<Cited>>(&bundle).unwrap().await.unwrap();
    assert_eq!(again.markdown(), bundle.markdown);
}

#[tokio::test]
async fn a_changed_byte_is_found() {
    let json: Value = serde_json::from_str(&recorded().await.to_json().unwrap()).unwrap();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut json = json.clone();
        change(&mut json["evidence"]["passages"]);
        // With a digest that fits, as a forger would write it.
        let mut bundle = Bundle::from_json(&json.to_string()).unwrap();
        bundle.digest = bundle.computed_digest().unwrap();
        problems(&bundle)
    };
    assert!(changed(&|_| {}).is_empty());

    let replaced = |text: &Value| Value::from(text.as_str().unwrap().replacen("120", "121", 1));
    let passage = changed(&|passages| passages["passages"][0]["text"] = replaced(&passages["passages"][0]["text"]));
    assert!(passage.iter().any(|problem| problem.contains("passage [E1]")), "{passage:?}");
    let document = changed(&|passages| passages["documents"][0]["text"] = replaced(&passages["documents"][0]["text"]));
    assert!(document.iter().any(|problem| problem.contains("document [S1]")), "{document:?}");

    for (pointer, value) in [
        ("/passages/0/bytes/start", json!(11)),
        ("/passages/0/lines/first", json!(1)),
        ("/passages/0/hash", json!("0".repeat(64))),
        ("/documents/0/file_hash", json!("0".repeat(64))),
        ("/documents/0/reader", json!("plain/2")),
        ("/documents/0/origin/site", json!("example.net")),
    ] {
        let problems = changed(&|passages| *passages.pointer_mut(pointer).unwrap() = value.clone());
        assert!(!problems.is_empty(), "{pointer}");
    }
}

#[tokio::test]
async fn the_trust_in_a_report_is_computed() {
    let bundle = recorded().await;
    let passages = &bundle.evidence.passages;
    let claims = stated_in(&bundle.report, passages);

    let assessment = assess(&claims, Language::ENGLISH, passages, &Rating::default());

    // A copy on another site is no second source; another text of another site is.
    assert_eq!(assessment.hallucination_score, Some(0.0));
    let first = &assessment.claims[0];
    assert_eq!((first.mark, first.confidence), (Some(Mark::CrossValidated), 0.75));
    assert_eq!(first.groups, [vec!["E1", "E2"], vec!["E3"]]);
}
