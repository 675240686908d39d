//! Resources: a text, bytes, one to watch, and a pattern; and what completes arguments.

use research_mcp::ResourceContent;
use research_mcp::server::{Completing, Refusal, ServerResource, ServerResourceTemplate};
use serde_json::json;

use super::samples::PNG;

pub(crate) fn fixed() -> Vec<ServerResource> {
    let text = "This is the content of the static text resource.";
    vec![
        ServerResource::text("test://static-text", "Static text", text).description("A text that never changes."),
        ServerResource::blob("test://static-binary", "Static bytes", PNG)
            .media_type("image/png")
            .description("A picture that never changes."),
        ServerResource::text("test://watched-resource", "Watched", "Nothing has changed yet.")
            .description("A text to subscribe to."),
    ]
}

pub(crate) fn template() -> ServerResourceTemplate {
    ServerResourceTemplate::new("test://template/{id}/data", "Data by id", |read| async move {
        let id = read.variable("id");
        let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
        Ok(ResourceContent::text(read.uri(), data.to_string()))
    })
    .description("Data for any id.")
    .media_type("application/json")
}

/// Completes any argument with the words that begin as it does.
pub(crate) async fn complete(wanted: Completing) -> Result<Vec<String>, Refusal> {
    let words = ["paris", "park", "party", "test", "testing"];
    Ok(words.into_iter().filter(|word| word.starts_with(&wanted.value)).map(str::to_owned).collect())
}
