//! The providers, opened for the suite.

use std::sync::Arc;

use research_llm::ChatModel;
use research_llm::anthropic::Anthropic;
use research_llm::http::HttpLimits;
use research_llm::openai::{Api, OpenAi, Quirks};
use research_llm::testing::conformance::{Setup, Suite};
use research_llm::testing::wire::{AnthropicMessages, OpenAiChat, OpenAiResponses};

fn limits(setup: &Setup) -> HttpLimits {
    HttpLimits::default().whole(setup.patience).first_byte(setup.patience).idle(setup.patience)
}

pub(crate) fn open_ai(api: Api, quirks: Quirks, setup: &Setup) -> OpenAi {
    OpenAi::builder("gpt-4o")
        .api(api)
        .quirks(quirks)
        .base_url(&setup.base_url)
        .api_key(setup.key.as_str())
        .limits(limits(setup))
        .build()
        .unwrap()
}

pub(crate) fn open_anthropic(setup: &Setup) -> Anthropic {
    Anthropic::builder("claude-haiku-4-5")
        .base_url(&setup.base_url)
        .api_key(setup.key.as_str())
        .limits(limits(setup))
        .build()
        .unwrap()
}

/// OpenAI's chat completions, spoken as a server wants them.
pub(crate) fn chat_of(quirks: Quirks) -> Suite {
    Suite::new(OpenAiChat::new(), move |setup| -> Arc<dyn ChatModel> { Arc::new(open_ai(Api::Chat, quirks, setup)) })
}

pub(crate) fn openai_chat() -> Suite {
    chat_of(Quirks::OPENAI)
}

pub(crate) fn openai_responses() -> Suite {
    Suite::new(OpenAiResponses::new(), |setup| -> Arc<dyn ChatModel> {
        Arc::new(open_ai(Api::Responses, Quirks::OPENAI, setup))
    })
}

pub(crate) fn anthropic() -> Suite {
    Suite::new(AnthropicMessages::new(), |setup| -> Arc<dyn ChatModel> { Arc::new(open_anthropic(setup)) })
}
