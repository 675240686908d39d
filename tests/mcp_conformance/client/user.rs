//! The user of the client: accepts what is proposed, and signs in without looking.

use std::io;

use research_mcp::{BoxFuture, Consent, ElicitAnswer, Elicitation, Elicitor, Wanted};
use serde_json::Value;

use super::sample;

pub(crate) struct User;

impl Elicitor for User {
    fn ask(&self, question: Elicitation) -> BoxFuture<'_, ElicitAnswer> {
        Box::pin(async move {
            let Wanted::Form { schema, .. } = &question.wanted else {
                return ElicitAnswer::Decline;
            };
            let fields = schema["properties"].as_object().into_iter().flatten();
            let mut filled = question.defaults();
            for (name, field) in fields {
                filled.entry(name.clone()).or_insert_with(|| sample::value(field));
            }
            ElicitAnswer::Accept(Value::Object(filled))
        })
    }
}

impl Consent for User {
    fn redirect_uri(&self) -> String {
        "http://localhost:3000/callback".to_owned()
    }

    /// The page sends a browser on at once to where it is wanted.
    fn ask(&self, page: String) -> BoxFuture<'_, io::Result<String>> {
        Box::pin(async move {
            let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy();
            let client = client.build().map_err(io::Error::other)?;
            let answer = client.get(&page).send().await.map_err(io::Error::other)?;
            let location = answer.headers().get("location").and_then(|location| location.to_str().ok());
            location.map(str::to_owned).ok_or_else(|| io::Error::other(format!("the page answers {}", answer.status())))
        })
    }
}
