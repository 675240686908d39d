//! From a name such as `openai:gpt-5` to a model.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::error::ModelError;
use crate::model::ChatModel;

/// Which model is meant: `offline`, `provider:model`, or the URL of a server.
///
/// ```
/// use research_llm::ModelSpec;
///
/// let spec: ModelSpec = "ollama:qwen2.5:1.5b".parse()?;
/// assert_eq!((spec.provider(), spec.model()), ("ollama", Some("qwen2.5:1.5b")));
///
/// let spec: ModelSpec = "http://127.0.0.1:8080/v1".parse()?;
/// assert_eq!((spec.provider(), spec.url()), ("url", Some("http://127.0.0.1:8080/v1")));
///
/// assert!("gpt-5".parse::<ModelSpec>().is_err());
/// # Ok::<(), research_llm::ModelError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelSpec {
    /// The model that computes its answers and needs neither key nor network.
    Offline,
    /// A model of a provider.
    #[non_exhaustive]
    Named {
        /// Name of the provider, in lower case.
        provider: String,
        /// Name of the model, as the provider spells it.
        model: String,
    },
    /// Whatever a server at this address serves.
    Url(String),
}

impl ModelSpec {
    /// Name under which the provider is registered: `offline`, its own name, or `url`.
    #[must_use]
    pub fn provider(&self) -> &str {
        match self {
            Self::Offline => "offline",
            Self::Named { provider, .. } => provider,
            Self::Url(_) => "url",
        }
    }

    /// Name of the model, when the specification gives one.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        match self {
            Self::Named { model, .. } => Some(model),
            Self::Offline | Self::Url(_) => None,
        }
    }

    /// Address of the server, when the specification is one.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        match self {
            Self::Url(url) => Some(url),
            Self::Offline | Self::Named { .. } => None,
        }
    }
}

impl fmt::Display for ModelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offline => f.write_str("offline"),
            Self::Named { provider, model } => write!(f, "{provider}:{model}"),
            Self::Url(url) => f.write_str(url),
        }
    }
}

impl FromStr for ModelSpec {
    type Err = ModelError;

    /// Reads a specification.
    ///
    /// # Errors
    /// [`ModelError::UnknownModel`] that shows the accepted forms.
    fn from_str(text: &str) -> Result<Self, ModelError> {
        let forms = || ["offline", "PROVIDER:MODEL", "http(s)://HOST/PATH"].map(str::to_owned).to_vec();
        let malformed = |problem: &str| ModelError::malformed_spec(text, problem, forms());
        let spec = text.trim();
        if spec.is_empty() {
            return Err(malformed("it is empty"));
        }
        if spec.contains(char::is_whitespace) {
            return Err(malformed("it holds a space"));
        }
        if spec.eq_ignore_ascii_case("offline") {
            return Ok(Self::Offline);
        }
        let (provider, model) = spec.split_once(':').ok_or_else(|| malformed("it names no provider"))?;
        let provider = provider.to_ascii_lowercase();
        if let Some(address) = model.strip_prefix("//") {
            return match provider.as_str() {
                "http" | "https" if !address.is_empty() => Ok(Self::Url(format!("{provider}://{address}"))),
                "http" | "https" => Err(malformed("the address is empty")),
                _ => Err(malformed("only http and https addresses can be served from")),
            };
        }
        match (provider.is_empty(), model.is_empty()) {
            (true, _) => Err(malformed("the provider is empty")),
            (_, true) => Err(malformed("the model is empty")),
            _ => Ok(Self::Named { provider, model: model.to_owned() }),
        }
    }
}

type Open = Arc<dyn Fn(&ModelSpec) -> Result<Arc<dyn ChatModel>, ModelError> + Send + Sync>;

/// The providers that a program offers, by name.
///
/// ```
/// use std::sync::Arc;
/// use research_llm::testing::ScriptedModel;
/// use research_llm::Providers;
///
/// let providers = Providers::new().with("offline", |_| Ok(Arc::new(ScriptedModel::new())));
/// assert!(providers.open("offline").is_ok());
///
/// let error = providers.open("openai:gpt-5").map(|_| ()).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "unknown model `openai:gpt-5`: there is no provider `openai`; this build has offline",
/// );
/// ```
#[derive(Clone, Default)]
pub struct Providers {
    open: BTreeMap<String, Open>,
}

impl Providers {
    /// No provider.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a provider, or replaces the one of the same name. Servers given by their URL are looked up as `url`.
    #[must_use]
    pub fn with<F>(mut self, name: impl Into<String>, open: F) -> Self
    where
        F: Fn(&ModelSpec) -> Result<Arc<dyn ChatModel>, ModelError> + Send + Sync + 'static,
    {
        self.open.insert(name.into(), Arc::new(open));
        self
    }

    /// Names of the providers, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.open.keys().map(String::as_str)
    }

    /// Opens the model that a specification names.
    ///
    /// # Errors
    /// [`ModelError::UnknownModel`] with the names of the providers if the specification is malformed or its provider
    /// is not here, and whatever the provider says.
    pub fn open(&self, spec: &str) -> Result<Arc<dyn ChatModel>, ModelError> {
        let available = || self.names().map(str::to_owned).collect::<Vec<_>>();
        let parsed: ModelSpec = spec.parse().map_err(|error| match error {
            ModelError::MalformedSpec { problem, .. } => ModelError::unknown_model(spec, problem, available()),
            other => other,
        })?;
        match self.open.get(parsed.provider()) {
            Some(open) => open(&parsed),
            None => {
                let problem = match &parsed {
                    ModelSpec::Url(_) => "no provider here takes the address of a server".to_owned(),
                    other => format!("there is no provider `{}`", other.provider()),
                };
                Err(ModelError::unknown_model(spec, problem, available()))
            }
        }
    }
}

impl fmt::Debug for Providers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.open.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_are_read_as_written() {
        for (text, provider, model, url) in [
            ("offline", "offline", None, None),
            (" OFFLINE ", "offline", None, None),
            ("openai:gpt-5", "openai", Some("gpt-5"), None),
            ("OpenRouter:meta/Llama-4:free", "openrouter", Some("meta/Llama-4:free"), None),
            ("https://h.example/v1", "url", None, Some("https://h.example/v1")),
        ] {
            let spec: ModelSpec = text.parse().unwrap();
            assert_eq!((spec.provider(), spec.model(), spec.url()), (provider, model, url), "{text}");
            assert_eq!(spec.to_string().parse::<ModelSpec>().unwrap(), spec);
        }
    }

    #[test]
    fn malformed_specifications_are_refused_with_the_reason() {
        for (text, reason) in [
            ("", "empty"),
            ("  ", "empty"),
            ("gpt-5", "names no provider"),
            (":gpt-5", "provider is empty"),
            ("openai:", "model is empty"),
            ("open ai:gpt-5", "space"),
            ("ftp://host/x", "only http"),
            ("http://", "address is empty"),
        ] {
            let error = text.parse::<ModelSpec>().unwrap_err();
            assert!(error.to_string().contains(reason), "{text:?}: {error}");
            assert!(error.to_string().contains("PROVIDER:MODEL"), "{error}");
        }
    }

    #[test]
    fn opening_lists_what_there_is_for_malformed_and_unknown_names() {
        let providers =
            Providers::new().with("b", |_| Err(ModelError::Cancelled)).with("a", |_| Err(ModelError::Cancelled));
        for spec in ["nonsense", "c:x", "http://localhost"] {
            let error = providers.open(spec).map(|_| ()).unwrap_err();
            assert!(
                matches!(&error, ModelError::UnknownModel { available, .. } if available == &["a", "b"]),
                "{error:?}"
            );
        }
        assert!(matches!(providers.open("a:x"), Err(ModelError::Cancelled)));
    }
}
