//! The providers of a program, by name, and other names for their models.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::model_spec::{ModelSpec, shown};
use super::suggest;
use crate::error::ModelError;
use crate::model::ChatModel;

type Open = Arc<dyn Fn(&ModelSpec) -> Result<Arc<dyn ChatModel>, ModelError> + Send + Sync>;

/// Where the values of environment variables come from.
pub(super) type Variables = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The model that is used where none is chosen, if a program asks for `default`.
const DEFAULT: &str = "anthropic:claude-sonnet-4-20250514";

/// Names that [`Providers::from_env`] gives to models, and the variables that say which.
const NAMES: &[(&str, &str)] = &[
    ("default", "RESEARCH_MODEL"),
    ("turbo", "RESEARCH_MODEL_TURBO"),
    ("plus", "RESEARCH_MODEL_PLUS"),
    ("max", "RESEARCH_MODEL_MAX"),
];

/// Other names may stand for other names, so often.
const MAX_ALIASES: usize = 8;

/// The providers that a program offers, by name.
///
/// ```
/// use std::sync::Arc;
/// use research_llm::testing::ScriptedModel;
/// use research_llm::Providers;
///
/// let providers = Providers::new().with("offline", |_| Ok(Arc::new(ScriptedModel::new()))).alias("plus", "offline");
/// assert!(providers.open("offline").is_ok());
/// assert!(providers.open("plus").is_ok());
///
/// let error = providers.open("openai:gpt-5").map(|_| ()).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "unknown model `openai:gpt-5`: there is no provider `openai`; this build has offline, plus",
/// );
/// ```
#[derive(Clone)]
pub struct Providers {
    open: BTreeMap<String, Open>,
    aliases: BTreeMap<String, String>,
    variables: Variables,
}

impl Default for Providers {
    fn default() -> Self {
        let variables = Arc::new(|name: &str| std::env::var(name).ok());
        Self { open: BTreeMap::new(), aliases: BTreeMap::new(), variables }
    }
}

impl Providers {
    /// No provider.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// All providers that this build has, see [`catalog`](super::catalog).
    #[must_use]
    pub fn standard() -> Self {
        Self::new().with_standard()
    }

    /// [All](Self::standard) providers, and the names that the environment gives to models: `turbo`, `plus` and
    /// `max` for `RESEARCH_MODEL_TURBO`, `RESEARCH_MODEL_PLUS` and `RESEARCH_MODEL_MAX`, and `default` for
    /// `RESEARCH_MODEL` or else for `anthropic:claude-sonnet-4-20250514`. Nothing is switched by a key alone.
    #[must_use]
    pub fn from_env() -> Self {
        Self::new().with_standard().with_names()
    }

    /// Like [`from_env`](Self::from_env), with environment variables from elsewhere, for tests and for programs that
    /// keep their settings in a file.
    ///
    /// ```
    /// use research_llm::Providers;
    ///
    /// let providers = Providers::from_variables(|name| (name == "RESEARCH_MODEL").then(|| "openai:gpt-5".to_owned()));
    /// let error = providers.open("default").map(|_| ()).unwrap_err();
    /// assert!(error.to_string().contains("OPENAI_API_KEY"), "{error}");
    /// ```
    #[must_use]
    pub fn from_variables(variables: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { variables: Arc::new(variables), ..Self::default() }.with_standard().with_names()
    }

    /// Adds a provider, or replaces the one of the same name. Servers given by their URL are looked up as `url`, or
    /// under the name before the `+`.
    #[must_use]
    pub fn with<F>(mut self, name: impl Into<String>, open: F) -> Self
    where
        F: Fn(&ModelSpec) -> Result<Arc<dyn ChatModel>, ModelError> + Send + Sync + 'static,
    {
        self.open.insert(name.into(), Arc::new(open));
        self
    }

    /// Gives a model another name, such as `plus` for `openai:gpt-5`, or replaces what that name stood for.
    #[must_use]
    pub fn alias(mut self, name: impl Into<String>, spec: impl Into<String>) -> Self {
        self.aliases.insert(name.into().to_ascii_lowercase(), spec.into());
        self
    }

    fn with_names(mut self) -> Self {
        for (name, variable) in NAMES {
            if let Some(spec) = self.variable(variable) {
                self = self.alias(*name, spec);
            }
        }
        if self.aliases.contains_key("default") { self } else { self.alias("default", DEFAULT) }
    }

    /// Names of the providers, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.open.keys().map(String::as_str)
    }

    /// The other names and what they stand for, sorted.
    pub fn aliases(&self) -> impl Iterator<Item = (&str, &str)> {
        self.aliases.iter().map(|(name, spec)| (name.as_str(), spec.as_str()))
    }

    /// What a specification means after other names are replaced.
    ///
    /// # Errors
    /// [`ModelError::UnknownModel`] with the names of the providers if it is malformed, or if other names stand for
    /// one another in a circle.
    pub fn resolve(&self, spec: &str) -> Result<ModelSpec, ModelError> {
        let mut meant = spec.trim();
        for _ in 0..=MAX_ALIASES {
            match self.aliases.get(&meant.to_ascii_lowercase()) {
                Some(next) => meant = next.trim(),
                None => return meant.parse().map_err(|error| self.malformed(spec, meant, error)),
            }
        }
        Err(self.unknown(spec, "its names stand for one another in a circle"))
    }

    /// Opens the model that a specification names. Nothing is sent.
    ///
    /// # Errors
    /// [`ModelError::UnknownModel`] with the names of the providers if the specification is malformed or its provider
    /// is not here, and whatever the provider says, such as [`ModelError::Authentication`] naming the variable of a
    /// missing key.
    pub fn open(&self, spec: &str) -> Result<Arc<dyn ChatModel>, ModelError> {
        let meant = self.resolve(spec)?;
        self.open_resolved(spec, &meant)
    }

    pub(super) fn open_resolved(&self, spec: &str, meant: &ModelSpec) -> Result<Arc<dyn ChatModel>, ModelError> {
        match self.open.get(meant.provider()) {
            Some(open) => open(meant),
            None if meant.provider() == super::model_spec::URL => {
                Err(self.unknown(spec, "no provider here takes the address of a server"))
            }
            None => {
                let near = suggest::nearest(meant.provider(), self.names());
                let near = near.map(|name| format!(" (is `{name}` meant?)")).unwrap_or_default();
                Err(self.unknown(spec, format!("there is no provider `{}`{near}", meant.provider())))
            }
        }
    }

    fn malformed(&self, spec: &str, meant: &str, error: ModelError) -> ModelError {
        let ModelError::MalformedSpec { problem, .. } = error else { return error };
        let variable = NAMES.iter().find(|(name, _)| meant.eq_ignore_ascii_case(name)).map(|(_, variable)| variable);
        let provider = || suggest::provider_of(meant).filter(|name| self.open.contains_key(*name));
        let hint = match variable {
            Some(variable) => Some(format!("no model has this name; set {variable}")),
            None if meant.contains(':') => None,
            None => provider().map(|provider| format!("{problem} (is `{provider}:{meant}` meant?)")),
        };
        self.unknown(spec, hint.unwrap_or(problem))
    }

    #[cold]
    fn unknown(&self, spec: &str, problem: impl Into<String>) -> ModelError {
        let available = self.names().chain(self.aliases.keys().map(String::as_str)).map(str::to_owned).collect();
        ModelError::unknown_model(shown(spec), problem, available)
    }

    /// The value of an environment variable; an empty one counts as unset.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        (self.variables)(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    #[cfg(any(feature = "openai", feature = "anthropic", feature = "genai"))]
    pub(super) fn variables(&self) -> Variables {
        Arc::clone(&self.variables)
    }
}

impl fmt::Debug for Providers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Providers")
            .field("names", &self.open.keys())
            .field("aliases", &self.aliases.keys())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Providers {
        let cancelled = |_: &ModelSpec| -> Result<Arc<dyn ChatModel>, ModelError> { Err(ModelError::Cancelled) };
        Providers::new().with("openai", cancelled).with("anthropic", cancelled)
    }

    fn problem(providers: &Providers, spec: &str) -> String {
        providers.open(spec).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn opening_lists_what_there_is_for_malformed_and_unknown_names() {
        for spec in ["nonsense", "c:x", "http://localhost"] {
            let error = two().open(spec).map(|_| ()).unwrap_err();
            assert!(
                matches!(&error, ModelError::UnknownModel { available, .. } if available == &["anthropic", "openai"]),
                "{error:?}"
            );
        }
        assert!(matches!(two().open("openai:x"), Err(ModelError::Cancelled)));
        assert!(matches!(two().open("openai+http://h"), Err(ModelError::Cancelled)));
    }

    #[test]
    fn misspelt_names_are_answered_with_a_suggestion() {
        assert!(problem(&two(), "opnai:gpt-5").contains("is `openai` meant?"));
        assert!(problem(&two(), "claude-opus-5").contains("is `anthropic:claude-opus-5` meant?"));
        assert!(!problem(&two(), "gemini-3").contains("meant"), "there is no such provider here");
        assert!(problem(&two(), "plus").contains("set RESEARCH_MODEL_PLUS"));
    }

    #[test]
    fn other_names_are_followed_but_not_in_a_circle() {
        let providers = two().alias("Plus", "main").alias("main", " openai:gpt-5 ");
        assert_eq!(providers.resolve(" PLUS").unwrap().to_string(), "openai:gpt-5");
        let circle = two().alias("a", "b").alias("b", "a");
        assert!(problem(&circle, "a").contains("circle"));
    }

    #[test]
    fn a_password_in_an_address_is_not_shown() {
        let error = two().open("https://u:p-MARKER@h/v1").map(|_| ()).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("MARKER"), "{error:?}");
    }

    #[test]
    fn the_environment_names_models() {
        let providers = Providers::from_variables(|name| match name {
            "RESEARCH_MODEL_TURBO" => Some("ollama:small".into()),
            "RESEARCH_MODEL_MAX" => Some("  ".into()),
            _ => None,
        });
        assert_eq!(providers.resolve("turbo").unwrap().to_string(), "ollama:small");
        assert_eq!(providers.resolve("default").unwrap().to_string(), DEFAULT);
        assert!(problem(&providers, "max").contains("set RESEARCH_MODEL_MAX"));
    }
}
