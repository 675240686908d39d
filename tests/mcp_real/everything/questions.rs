//! Questions to the user in the middle of a call.

use std::sync::{Arc, Mutex};

use research_mcp::{
    BoxFuture, ElicitAnswer, Elicitation, Elicitor, Hub, HubBuilder, Lifecycle, McpError, ToolSource, Wanted,
};
use serde_json::{Value, json};

use crate::processes::Mark;
use crate::{call, connected, outcome, servers, watched};

/// Somebody who always gives the same answer, and writes down what was asked.
struct Always {
    answer: ElicitAnswer,
    asked: Mutex<Vec<Elicitation>>,
}

impl Elicitor for Always {
    fn ask(&self, question: Elicitation) -> BoxFuture<'_, ElicitAnswer> {
        self.asked.lock().unwrap().push(question);
        Box::pin(async { self.answer.clone() })
    }
}

fn always(answer: ElicitAnswer) -> Arc<Always> {
    Arc::new(Always { answer, asked: Mutex::default() })
}

async fn hub(set: impl FnOnce(HubBuilder) -> HubBuilder) -> (Hub, Mark) {
    let (server, mark) = Mark::on(servers::everything());
    (connected(set(Hub::builder().stdio("server", server)), Lifecycle::Auto).await, mark)
}

/// The answer as the server received it, which it repeats at the end of its own.
async fn repeated(hub: &Hub, tool: &str, arguments: Value) -> Value {
    let text = call(hub, tool, arguments).await.text;
    let (_, answer) = text.split_once("Raw result: ").unwrap();
    serde_json::from_str(answer).unwrap()
}

const FORM: &str = "trigger-elicitation-request";
const PAGE: &str = "trigger-url-elicitation";

#[tokio::test]
async fn a_form_is_answered_with_what_the_user_says() {
    watched(async {
        let filled = json!({"name": "Ada", "check": true, "integer": 7, "untitledSingleSelectEnum": "Option 1"});
        for (answer, expected) in [
            (ElicitAnswer::Accept(filled.clone()), json!({"action": "accept", "content": filled})),
            (ElicitAnswer::Decline, json!({"action": "decline"})),
            (ElicitAnswer::Cancel, json!({"action": "cancel"})),
        ] {
            let user = always(answer.clone());
            let (hub, mark) = hub(|builder| builder.elicitor(Arc::clone(&user) as Arc<dyn Elicitor>)).await;
            assert!(hub.list_tools().await.unwrap().get(FORM).is_some(), "it is listed to those who answer");
            assert_eq!(repeated(&hub, FORM, json!({})).await, expected);
            let asked = user.asked.lock().unwrap().clone();
            let [question] = &asked[..] else { panic!("{asked:?}") };
            assert_eq!((question.server.as_str(), question.tool.as_deref()), ("server", Some(FORM)));
            assert_eq!(question.message, "Please provide inputs for the following fields:");
            let Wanted::Form { schema, .. } = &question.wanted else { panic!("{question:?}") };
            assert_eq!(schema["required"], json!(["name"]));
            assert_eq!(question.defaults()["firstLine"], "It was a dark and stormy night.");
            hub.close().await;
            mark.gone().await;
        }
    })
    .await;
}

#[tokio::test]
async fn the_user_is_asked_to_visit_a_page() {
    watched(async {
        let user = always(ElicitAnswer::Accept(Value::Null));
        let (hub, mark) = hub(|builder| builder.elicitor(Arc::clone(&user) as Arc<dyn Elicitor>)).await;
        let arguments = json!({"url": "https://birds.example/sign-in", "message": "Please sign in."});
        assert_eq!(repeated(&hub, PAGE, arguments.clone()).await, json!({"action": "accept"}));
        let question = user.asked.lock().unwrap()[0].clone();
        assert_eq!(question.message, "Please sign in.");
        assert!(matches!(&question.wanted, Wanted::Url { url, .. } if url == "https://birds.example/sign-in"));
        // The other way to ask for it: an error that says what has to be done before the call is made again.
        let mut refused = arguments;
        refused["errorPath"] = true.into();
        let error = outcome(&hub, PAGE, refused).await.unwrap_err();
        assert!(matches!(&error, McpError::Protocol { code: Some(-32042), .. }), "{error}");
        hub.close().await;
        mark.gone().await;
    })
    .await;
}

#[tokio::test]
async fn a_server_that_cannot_wait_is_told_that_the_user_went_away() {
    watched(async {
        let (hub, mark) = hub(HubBuilder::answer_later).await;
        assert_eq!(repeated(&hub, FORM, json!({})).await, json!({"action": "cancel"}));
        hub.close().await;
        mark.gone().await;
    })
    .await;
}
