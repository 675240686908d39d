//! The specification of a model, such as `openai:gpt-5`.

use std::fmt;
use std::str::FromStr;

use research_key_shapes::key_shapes;

use crate::error::ModelError;

/// Which model is meant: `offline`, `provider:model`, or the URL of a server.
///
/// A server is taken to speak like OpenAI, unless the name of a provider and a `+` stand before its address. What follows
/// a `#` is the name of the model; without it, a server is asked for `default`, which those of a single model take.
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
/// let spec: ModelSpec = "anthropic+http://127.0.0.1:8080#qwen".parse()?;
/// assert_eq!((spec.provider(), spec.url()), ("anthropic", Some("http://127.0.0.1:8080")));
/// assert_eq!(spec.model(), Some("qwen"));
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
    /// What a server at an address serves.
    #[non_exhaustive]
    Url {
        /// The provider that the server speaks like; `url` if none is named.
        provider: String,
        /// The address, without the name of the model.
        url: String,
        /// Name of the model, when one is given.
        model: Option<String>,
    },
}

/// The provider of a server of which only the address is given.
pub(crate) const URL: &str = "url";

impl ModelSpec {
    /// Name under which the provider is registered: `offline`, its own name, or `url`.
    #[must_use]
    pub fn provider(&self) -> &str {
        match self {
            Self::Offline => "offline",
            Self::Named { provider, .. } | Self::Url { provider, .. } => provider,
        }
    }

    /// Name of the model, when the specification gives one.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        match self {
            Self::Named { model, .. } => Some(model),
            Self::Url { model, .. } => model.as_deref(),
            Self::Offline => None,
        }
    }

    /// Address of the server, when the specification is one.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        match self {
            Self::Url { url, .. } => Some(url),
            Self::Offline | Self::Named { .. } => None,
        }
    }

    /// The same server with a model that it is known to serve, where none was named.
    #[cfg(any(feature = "openai", feature = "anthropic"))]
    pub(super) fn or_model(self, found: Option<&str>) -> Self {
        match self {
            Self::Url { provider, url, model: None } => Self::Url { provider, url, model: found.map(str::to_owned) },
            other => other,
        }
    }
}

impl fmt::Display for ModelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offline => f.write_str("offline"),
            Self::Named { provider, model } => write!(f, "{provider}:{model}"),
            Self::Url { provider, url, model } => {
                if provider != URL {
                    write!(f, "{provider}+")?;
                }
                f.write_str(url)?;
                model.as_ref().map_or(Ok(()), |model| write!(f, "#{model}"))
            }
        }
    }
}

impl FromStr for ModelSpec {
    type Err = ModelError;

    /// Reads a specification.
    ///
    /// # Errors
    /// [`ModelError::MalformedSpec`] that shows the accepted forms. An address with a user or a password in it is
    /// refused, since specifications are shown in reports; the error does not repeat it.
    fn from_str(text: &str) -> Result<Self, ModelError> {
        let malformed = |problem: &str| {
            let forms =
                ["offline", "PROVIDER:MODEL", "http(s)://HOST/PATH#MODEL", "PROVIDER+http(s)://HOST/PATH#MODEL"];
            ModelError::malformed_spec(&shown(text), problem, forms.map(str::to_owned).to_vec())
        };
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
            let (provider, scheme) = provider.split_once('+').unwrap_or((URL, &provider));
            return server(provider, scheme, address).map_err(malformed);
        }
        match (provider.is_empty(), model.is_empty()) {
            (true, _) => Err(malformed("the provider is empty")),
            (_, true) => Err(malformed("the model is empty")),
            _ => Ok(Self::Named { provider, model: model.to_owned() }),
        }
    }
}

fn server(provider: &str, scheme: &str, address: &str) -> Result<ModelSpec, &'static str> {
    let (address, model) = match address.split_once('#') {
        Some((_, "")) => return Err("the model is empty"),
        Some((address, model)) => (address, Some(model.to_owned())),
        None => (address, None),
    };
    let host = address.split(['/', '?']).next().unwrap_or_default();
    match scheme {
        _ if provider.is_empty() => Err("the provider is empty"),
        "http" | "https" if host.is_empty() => Err("the address is empty"),
        "http" | "https" if host.contains('@') => Err("an address must not hold a user or a password"),
        "http" | "https" => {
            Ok(ModelSpec::Url { provider: provider.to_owned(), url: format!("{scheme}://{address}"), model })
        }
        _ => Err("only http and https addresses can be served from"),
    }
}

/// A specification as it may be shown: without what stands before the host of an address, and without keys.
pub(crate) fn shown(spec: &str) -> String {
    let mut shown = match spec.split_once("://") {
        None => spec.to_owned(),
        Some((before, address)) => {
            let end = address.find(['/', '?', '#']).unwrap_or(address.len());
            let host = address[..end].rfind('@').map_or(0, |at| at + 1);
            format!("{before}://{}", &address[host..])
        }
    };
    for key in key_shapes(&shown).into_iter().rev() {
        shown.replace_range(key, "[key]");
    }
    shown
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
            ("HTTP://h:8080/v1#Qwen/Q:4", "url", Some("Qwen/Q:4"), Some("http://h:8080/v1")),
            ("Anthropic+https://h/p", "anthropic", None, Some("https://h/p")),
            ("vllm+http://h#m", "vllm", Some("m"), Some("http://h")),
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
            ("anthropic+ftp://host/x", "only http"),
            ("+http://host/x", "provider is empty"),
            ("http://", "address is empty"),
            ("http://#m", "address is empty"),
            ("http://h#", "model is empty"),
            ("https://u:p-MARKER@host/v1", "password"),
        ] {
            let error = text.parse::<ModelSpec>().unwrap_err();
            assert!(error.to_string().contains(reason), "{text:?}: {error}");
            assert!(error.to_string().contains("PROVIDER:MODEL"), "{error}");
            assert!(!format!("{error} {error:?}").contains("MARKER"), "{error}");
        }
    }
}
