//! Collects what a server offers.

use std::collections::BTreeSet;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use futures::FutureExt;
use rmcp::model::RequestStateCodec;
use secrecy::{ExposeSecret, SecretString};

use super::audience::Audience;
use super::failure::{Refusal, ServeError};
use super::parts::{
    Completer, Completing, Lister, Offers, ServerPrompt, ServerResource, ServerResourceTemplate, ServerTool, Shared,
};
use super::tool_server::ToolServer;

/// Collects what a [`ToolServer`] offers. What is not asked for here is not declared, and refused with "method not found".
pub struct ToolServerBuilder {
    name: String,
    version: String,
    title: Option<String>,
    instructions: Option<String>,
    tools: Vec<ServerTool>,
    prompts: Vec<ServerPrompt>,
    resources: Vec<ServerResource>,
    templates: Vec<ServerResourceTemplate>,
    lister: Option<Lister>,
    completer: Option<Completer>,
    changes: bool,
    subscriptions: bool,
    logging: bool,
    cache: Option<(Duration, bool)>,
    key: Option<SecretString>,
}

impl std::fmt::Debug for ToolServerBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolServerBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ToolServer {
    /// Begins a server: its name as clients see it, and its version.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ToolServerBuilder {
        ToolServerBuilder::new(name.into(), version.into())
    }
}

impl ToolServerBuilder {
    pub(super) fn new(name: String, version: String) -> Self {
        Self {
            name,
            version,
            title: None,
            instructions: None,
            tools: Vec::new(),
            prompts: Vec::new(),
            resources: Vec::new(),
            templates: Vec::new(),
            lister: None,
            completer: None,
            changes: false,
            subscriptions: false,
            logging: false,
            cache: None,
            key: None,
        }
    }

    /// Sets the title for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets what a model should know before it uses the server.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Offers a tool.
    #[must_use]
    pub fn tool(mut self, tool: ServerTool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Offers a prompt.
    #[must_use]
    pub fn prompt(mut self, prompt: ServerPrompt) -> Self {
        self.prompts.push(prompt);
        self
    }

    /// Offers a resource.
    #[must_use]
    pub fn resource(mut self, resource: ServerResource) -> Self {
        self.resources.push(resource);
        self
    }

    /// Offers resources by a pattern of their addresses.
    #[must_use]
    pub fn resource_template(mut self, template: ServerResourceTemplate) -> Self {
        self.templates.push(template);
        self
    }

    /// Lists, besides the fixed resources, what this function finds whenever a client asks. What a template fits need not say how
    /// it is read.
    #[must_use]
    pub fn list_resources<F, R>(mut self, function: F) -> Self
    where
        F: Fn() -> R + Send + Sync + 'static,
        R: Future<Output = Result<Vec<ServerResource>, Refusal>> + Send + 'static,
    {
        self.lister = Some(Arc::new(move || function().boxed()));
        self
    }

    /// Completes arguments of prompts and variables of templates. MCP allows 100 values; the rest is cut.
    #[must_use]
    pub fn completion<F, R>(mut self, function: F) -> Self
    where
        F: Fn(Completing) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Vec<String>, Refusal>> + Send + 'static,
    {
        self.completer = Some(Arc::new(move |wanted| function(wanted).boxed()));
        self
    }

    /// Declares that lists change while the server runs, through its [`Announcer`](super::Announcer). A list that is empty when the
    /// server is built is not offered, then or later.
    #[must_use]
    pub fn changes(mut self) -> Self {
        self.changes = true;
        self
    }

    /// Lets clients subscribe to resources.
    #[must_use]
    pub fn subscriptions(mut self) -> Self {
        self.subscriptions = true;
        self
    }

    /// Sends what functions say for the [log](super::Caller::log).
    #[must_use]
    pub fn logging(mut self) -> Self {
        self.logging = true;
        self
    }

    /// Lets clients of MCP 2026-07-28 keep lists and resources for so long: each for its own user, or also what stands between
    /// them for all users alike. Not at all by default.
    #[must_use]
    pub fn cache(mut self, life: Duration, for_all_users: bool) -> Self {
        self.cache = Some((life, for_all_users));
        self
    }

    /// Sets the key that seals the answers of earlier rounds, of at least 32 bytes. Of use when several processes serve the same
    /// clients; otherwise a random one is right.
    #[must_use]
    pub fn state_key(mut self, key: impl Into<SecretString>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// The server.
    ///
    /// # Errors
    ///
    /// [`ServeError::Invalid`] with everything that is wrong: names that are used twice or that MCP does not allow, schemas that
    /// cannot be compiled or that describe no object, templates that cannot be read, a key that is too short.
    pub fn build(self) -> Result<ToolServer, ServeError> {
        let mut problems: Vec<String> = self.tools.iter().filter_map(ServerTool::problem).collect();
        problems.extend(self.templates.iter().filter_map(|template| template.template.as_ref().err().cloned()));
        problems.extend(twice("tools have the name", self.tools.iter().map(|tool| &tool.name)));
        problems.extend(twice("prompts have the name", self.prompts.iter().map(|prompt| &prompt.name)));
        problems.extend(twice("resources have the address", self.resources.iter().map(|resource| &resource.uri)));
        let fits_none = |resource: &&ServerResource| !resource.is_readable() && !fits(&self.templates, &resource.uri);
        problems.extend(self.resources.iter().filter(fits_none).map(|resource| {
            format!(
                "the resource `{}` cannot be read: give it content, a reader, or a template that fits",
                resource.uri
            )
        }));
        let has_resources = !self.resources.is_empty() || !self.templates.is_empty() || self.lister.is_some();
        if self.subscriptions && !has_resources {
            problems
                .push("subscriptions are offered, but no resources; add some or leave subscriptions out".to_owned());
        }
        let key = match self.key {
            Some(key) => key.expose_secret().as_bytes().to_vec(),
            None => {
                let mut key = vec![0; RequestStateCodec::MIN_KEY_LENGTH];
                if let Err(error) = getrandom::fill(&mut key) {
                    problems.push(format!("the system gives no random numbers: {error}"));
                }
                key
            }
        };
        let codec = match RequestStateCodec::try_new(key) {
            Ok(codec) if problems.is_empty() => codec,
            outcome => {
                problems.extend(outcome.err().map(|error| format!("the key of states cannot be used: {error}")));
                return Err(ServeError::Invalid { server: self.name, problems });
            }
        };
        let offers = Offers {
            tools: !self.tools.is_empty(),
            prompts: !self.prompts.is_empty(),
            resources: has_resources,
            changes: self.changes,
            subscriptions: self.subscriptions,
            logging: self.logging,
        };
        Ok(ToolServer::new(Shared {
            name: self.name,
            version: self.version,
            title: self.title,
            instructions: self.instructions,
            tools: RwLock::new(self.tools.into_iter().map(Arc::new).collect()),
            prompts: RwLock::new(self.prompts.into_iter().map(Arc::new).collect()),
            resources: self.resources,
            templates: self.templates,
            lister: self.lister,
            completer: self.completer,
            offers,
            cache: self.cache,
            codec,
            audience: Audience::default(),
        }))
    }
}

/// Whether a template fits an address.
pub(super) fn fits(templates: &[ServerResourceTemplate], uri: &str) -> bool {
    templates.iter().any(|template| template.template.as_ref().is_ok_and(|pattern| pattern.fit(uri).is_some()))
}

fn twice<'a>(what: &str, names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.filter(|name| !seen.insert(name.as_str())).map(|name| format!("two {what} `{name}`; rename one")).collect()
}
