//! Prompts of text, with arguments, with a resource, with a picture, and one that asks first.

use research_mcp::server::ServerPrompt;
use research_mcp::{Content, PromptMessage, ResourceContent};

use super::rounds::{form, word};
use super::samples::PNG;

pub(crate) fn prompts() -> Vec<ServerPrompt> {
    let with_arguments = ServerPrompt::new("test_prompt_with_arguments", |call| async move {
        let given = |name: &str| call.arguments().get(name).cloned().unwrap_or_default();
        Ok(vec![user(format!("Prompt with arguments: arg1='{}', arg2='{}'", given("arg1"), given("arg2")))])
    });
    let with_resource = ServerPrompt::new("test_prompt_with_embedded_resource", |call| async move {
        let uri = call.arguments().get("resourceUri").cloned().unwrap_or_default();
        let resource = ResourceContent::text(uri, "Embedded resource content for testing.").media_type("text/plain");
        let last = user("Please process the embedded resource above.");
        Ok(vec![PromptMessage::user(Content::Resource(resource)), last])
    });
    let with_image = ServerPrompt::new("test_prompt_with_image", |_| async {
        Ok(vec![PromptMessage::user(Content::image("image/png", PNG)), user("Please analyze the image above.")])
    });
    let asking = ServerPrompt::new("test_input_required_result_prompt", |call| async move {
        let question = form("What context should the prompt use?", "context", "string");
        let answer = call.caller().ask("user_context", question).await?;
        Ok(vec![user(format!("Use this context: {}", word(&answer, "context")))])
    });
    vec![
        simple("test_simple_prompt"),
        with_arguments
            .description("A prompt with two arguments.")
            .requires("arg1", "First test argument")
            .requires("arg2", "Second test argument"),
        with_resource
            .description("A prompt with a resource in it.")
            .requires("resourceUri", "URI of the resource to embed"),
        with_image.description("A prompt with a picture in it."),
        asking.description("A prompt that asks for its context."),
    ]
}

/// A prompt without arguments.
pub(crate) fn simple(name: &str) -> ServerPrompt {
    let prompt = ServerPrompt::new(name, |_| async { Ok(vec![user("This is a simple prompt for testing.")]) });
    prompt.description("A prompt without arguments.")
}

fn user(text: impl Into<String>) -> PromptMessage {
    PromptMessage::user(Content::text(text))
}
