//! The servers that speak like OpenAI: addresses, keys and manners, from their documentation as of 2026.

use super::quirks::{EffortField, Quirks, SchemaMode, TokenField};

/// OpenAI's models that reason. Those from 5.1 on can be told not to.
const OPENAI_EFFORTS: &[(&str, Option<&str>)] = &[
    ("gpt-5-chat", None),
    ("gpt-5-codex", Some("low")),
    ("gpt-5.", Some("none")),
    ("gpt-5", Some("minimal")),
    ("gpt-oss", Some("low")),
    ("o1", Some("low")),
    ("o3", Some("low")),
    ("o4", Some("low")),
];

/// The open models whose effort Ollama, Groq and others take; other models make them refuse the field.
const OPEN_EFFORTS: &[(&str, Option<&str>)] = &[("gpt-oss", Some("low"))];

impl Quirks {
    /// OpenAI itself.
    pub const OPENAI: Self = OPENAI;
    /// OpenRouter.
    pub const OPENROUTER: Self = OPENROUTER;
    /// Groq.
    pub const GROQ: Self = GROQ;
    /// DeepSeek.
    pub const DEEPSEEK: Self = DEEPSEEK;
    /// Mistral.
    pub const MISTRAL: Self = MISTRAL;
    /// Together.
    pub const TOGETHER: Self = TOGETHER;
    /// xAI.
    pub const XAI: Self = XAI;
    /// Ollama on this machine.
    pub const OLLAMA: Self = OLLAMA;
    /// vLLM on this machine.
    pub const VLLM: Self = VLLM;
    /// The server of llama.cpp on this machine.
    pub const LLAMA_CPP: Self = LLAMA_CPP;
    /// LM Studio on this machine.
    pub const LM_STUDIO: Self = LM_STUDIO;
    /// Any other server, of which nothing is taken for granted.
    pub const GENERIC: Self = GENERIC;

    /// All that are known, the generic one last.
    pub const ALL: &'static [Self] = &[
        Self::OPENAI,
        Self::OPENROUTER,
        Self::GROQ,
        Self::DEEPSEEK,
        Self::MISTRAL,
        Self::TOGETHER,
        Self::XAI,
        Self::OLLAMA,
        Self::VLLM,
        Self::LLAMA_CPP,
        Self::LM_STUDIO,
        Self::GENERIC,
    ];

    /// Those of a provider, by its name.
    #[must_use]
    pub fn of(provider: &str) -> Option<Self> {
        Self::ALL.iter().find(|quirks| quirks.provider == provider).copied()
    }
}

const OPENAI: Quirks = Quirks {
    provider: "openai",
    base_url: "https://api.openai.com/v1",
    key_variable: Some("OPENAI_API_KEY"),
    url_variable: Some("OPENAI_BASE_URL"),
    needs_key: true,
    schema: SchemaMode::Strict,
    responses_schema: SchemaMode::Strict,
    max_tokens: TokenField::MaxCompletionTokens,
    ask_stream_usage: true,
    seed: "seed",
    tools: true,
    parallel_tools: true,
    images: true,
    // Chat completions of OpenAI keep it to themselves; its responses show a summary to those who ask.
    reasoning: true,
    effort: EffortField::Flat,
    efforts: OPENAI_EFFORTS,
    fixed_sampling: true,
    reasoning_back: None,
};

const OPENROUTER: Quirks = Quirks {
    provider: "openrouter",
    base_url: "https://openrouter.ai/api/v1",
    key_variable: Some("OPENROUTER_API_KEY"),
    url_variable: Some("OPENROUTER_BASE_URL"),
    max_tokens: TokenField::MaxTokens,
    effort: EffortField::Nested,
    // It leaves the field out for models that do not reason.
    efforts: &[("", Some("minimal"))],
    fixed_sampling: false,
    reasoning_back: Some("reasoning_details"),
    ..OPENAI
};

const GROQ: Quirks = Quirks {
    provider: "groq",
    base_url: "https://api.groq.com/openai/v1",
    key_variable: Some("GROQ_API_KEY"),
    url_variable: Some("GROQ_BASE_URL"),
    // Strict only for some models; without it, the answer is held to the schema as far as the model goes.
    schema: SchemaMode::Schema,
    efforts: OPEN_EFFORTS,
    fixed_sampling: false,
    ..OPENAI
};

const DEEPSEEK: Quirks = Quirks {
    provider: "deepseek",
    base_url: "https://api.deepseek.com",
    key_variable: Some("DEEPSEEK_API_KEY"),
    url_variable: Some("DEEPSEEK_BASE_URL"),
    schema: SchemaMode::Object,
    responses_schema: SchemaMode::Prompt,
    max_tokens: TokenField::MaxTokens,
    images: false,
    efforts: &[],
    fixed_sampling: false,
    // A model that thinks between tool calls wants its thoughts of the same turn back.
    reasoning_back: Some("reasoning_content"),
    ..OPENAI
};

const MISTRAL: Quirks = Quirks {
    provider: "mistral",
    base_url: "https://api.mistral.ai/v1",
    key_variable: Some("MISTRAL_API_KEY"),
    url_variable: Some("MISTRAL_BASE_URL"),
    max_tokens: TokenField::MaxTokens,
    // Its streams end with the usage unasked.
    ask_stream_usage: false,
    seed: "random_seed",
    efforts: &[],
    fixed_sampling: false,
    ..OPENAI
};

const TOGETHER: Quirks = Quirks {
    provider: "together",
    base_url: "https://api.together.xyz/v1",
    key_variable: Some("TOGETHER_API_KEY"),
    url_variable: Some("TOGETHER_BASE_URL"),
    schema: SchemaMode::Schema,
    max_tokens: TokenField::MaxTokens,
    efforts: OPEN_EFFORTS,
    fixed_sampling: false,
    ..OPENAI
};

const XAI: Quirks = Quirks {
    provider: "xai",
    base_url: "https://api.x.ai/v1",
    key_variable: Some("XAI_API_KEY"),
    url_variable: Some("XAI_BASE_URL"),
    efforts: &[("grok-3-mini", Some("low"))],
    fixed_sampling: false,
    ..OPENAI
};

const OLLAMA: Quirks = Quirks {
    provider: "ollama",
    base_url: "http://127.0.0.1:11434/v1",
    key_variable: Some("OLLAMA_API_KEY"),
    url_variable: Some("OLLAMA_BASE_URL"),
    needs_key: false,
    efforts: &[("gpt-oss", Some("low")), ("qwen3", Some("none")), ("deepseek-r1", Some("none"))],
    ..GENERIC
};

const VLLM: Quirks = Quirks {
    provider: "vllm",
    base_url: "http://127.0.0.1:8000/v1",
    key_variable: Some("VLLM_API_KEY"),
    url_variable: Some("VLLM_BASE_URL"),
    responses_schema: SchemaMode::Schema,
    efforts: OPEN_EFFORTS,
    ..GENERIC
};

const LLAMA_CPP: Quirks = Quirks {
    provider: "llama_cpp",
    base_url: "http://127.0.0.1:8080/v1",
    key_variable: Some("LLAMA_API_KEY"),
    url_variable: Some("LLAMA_BASE_URL"),
    efforts: OPEN_EFFORTS,
    ..GENERIC
};

const LM_STUDIO: Quirks = Quirks {
    provider: "lm_studio",
    base_url: "http://127.0.0.1:1234/v1",
    key_variable: Some("LM_STUDIO_API_KEY"),
    url_variable: Some("LM_STUDIO_BASE_URL"),
    efforts: OPEN_EFFORTS,
    ..GENERIC
};

const GENERIC: Quirks = Quirks {
    provider: "url",
    base_url: "",
    key_variable: None,
    url_variable: None,
    needs_key: false,
    schema: SchemaMode::Schema,
    responses_schema: SchemaMode::Prompt,
    max_tokens: TokenField::MaxTokens,
    efforts: &[],
    fixed_sampling: false,
    ..OPENAI
};
