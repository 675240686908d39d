//! What can be asked of the servers, answered as data.

use std::error::Error;
use std::time::Instant;

use research_mcp::{Hub, McpConfig, McpError, Object, ResourceContent, ServerState, ToolListing, ToolSource};
use serde::Serialize;
use serde_json::Value;

use super::args::Question;

/// An answer, as it is printed with `--json`.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Answer {
    Servers { servers: Vec<Server> },
    Tools { tools: Vec<Listed>, servers: Vec<Server> },
    Call(Call),
    Read(Read),
}

/// How a server stands.
#[derive(Debug, Serialize)]
pub struct Server {
    pub name: String,
    pub state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub protocol: Option<String>,
    pub implementation: Option<String>,
    /// How many tools it has; nothing when they could not be listed.
    pub tools: Option<usize>,
}

/// A tool, or why it cannot be used.
#[derive(Debug, Serialize)]
pub struct Listed {
    pub server: String,
    pub name: String,
    pub exposed_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quarantined: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(skip_serializing_if = "Object::is_empty")]
    pub input_schema: Object,
}

/// What a call came to.
#[derive(Debug, Serialize)]
pub struct Call {
    pub ok: bool,
    pub structured: Option<Value>,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Trouble>,
    pub ms: u128,
}

/// What is in a resource.
#[derive(Debug, Serialize)]
pub struct Read {
    pub ok: bool,
    pub contents: Vec<ResourceContent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Trouble>,
    pub ms: u128,
}

/// Why there is no result.
#[derive(Debug, Serialize)]
pub struct Trouble {
    pub kind: String,
    pub message: String,
}

impl Trouble {
    fn of(error: &McpError) -> Self {
        Self { kind: error.kind().as_str().to_owned(), message: error.to_string() }
    }
}

/// Answers a question over the servers of a configuration.
pub async fn answer(hub: &Hub, config: &Problems, question: &Question) -> Result<Answer, Box<dyn Error>> {
    Ok(match question {
        Question::Servers => Answer::Servers { servers: servers(hub, config, None).await },
        Question::Tools { server } => {
            if let Some(server) = server {
                config.know(hub, server)?;
            }
            let listing = hub.list_tools().await.ok();
            let wanted = |name: &str| server.as_deref().is_none_or(|server| server == name);
            let mut servers = servers(hub, config, listing.as_ref()).await;
            servers.retain(|server| wanted(&server.name));
            let mut tools = listing.as_ref().map(listed).unwrap_or_default();
            tools.retain(|tool| wanted(&tool.server));
            Answer::Tools { tools, servers }
        }
        Question::Call { server, tool, arguments } => {
            config.know(hub, server)?;
            let arguments: Object = serde_json::from_str(arguments)
                .map_err(|error| format!("the arguments are no JSON object: {error}; write '{{\"name\": value}}'"))?;
            Answer::Call(call(hub, config, server, tool, arguments).await)
        }
        Question::Read { server, uri } => {
            config.know(hub, server)?;
            let started = Instant::now();
            let outcome = match config.trouble(server) {
                Some(trouble) => Err(trouble),
                None => hub.read_resource(server, uri).await.map_err(|error| Trouble::of(&error)),
            };
            let (contents, error) = outcome.map_or_else(|trouble| (Vec::new(), Some(trouble)), |read| (read, None));
            Answer::Read(Read { ok: error.is_none(), contents, error, ms: started.elapsed().as_millis() })
        }
    })
}

async fn servers(hub: &Hub, config: &Problems, listing: Option<&ToolListing>) -> Vec<Server> {
    let listed = match listing {
        Some(listing) => Some(listing.clone()),
        None => hub.list_tools().await.ok(),
    };
    let count = |name: &str| {
        let listed = listed.as_ref().filter(|listing| listing.failed.iter().all(|failed| failed.server != name))?;
        Some(listed.tools.iter().filter(|tool| tool.server == name).count())
    };
    let connected = hub.servers().into_iter().map(|status| {
        let (state, error, protocol, implementation) = match status.state {
            ServerState::Ready { implementation, protocol } => ("ready", None, Some(protocol), implementation),
            ServerState::Failed { reason, .. } => ("failed", Some(reason), None, None),
            ServerState::NeedsAuth { reason } => ("needs-auth", Some(reason), None, None),
            ServerState::Connecting => ("connecting", Some("it is still connecting".to_owned()), None, None),
            ServerState::Closed => ("closed", None, None, None),
            _ => ("pending", None, None, None),
        };
        let tools = if state == "ready" { count(&status.name) } else { None };
        let failure = listed.as_ref().and_then(|listing| listing.failed.iter().find(|f| f.server == status.name));
        let error = error.or_else(|| failure.map(|failure| failure.reason.clone()));
        Server { name: status.name, state, error, protocol, implementation, tools }
    });
    let refused = config.refused.iter().map(|(name, reason)| Server {
        name: name.clone(),
        state: "failed",
        error: Some(reason.clone()),
        protocol: None,
        implementation: None,
        tools: None,
    });
    let disabled = config.disabled.iter().map(|name| Server {
        name: name.clone(),
        state: "disabled",
        error: None,
        protocol: None,
        implementation: None,
        tools: None,
    });
    connected.chain(refused).chain(disabled).collect()
}

fn listed(listing: &ToolListing) -> Vec<Listed> {
    let usable = listing.tools.iter().map(|tool| Listed {
        server: tool.server.clone(),
        name: tool.name.clone(),
        exposed_name: Some(tool.exposed_name.clone()),
        quarantined: None,
        description: tool.description.clone(),
        input_schema: tool.input_schema.clone(),
    });
    let unusable = listing.quarantined.iter().map(|tool| Listed {
        server: tool.server.clone(),
        name: tool.name.clone(),
        exposed_name: None,
        quarantined: Some(tool.reason.clone()),
        description: String::new(),
        input_schema: Object::new(),
    });
    usable.chain(unusable).collect()
}

async fn call(hub: &Hub, config: &Problems, server: &str, tool: &str, arguments: Object) -> Call {
    let started = Instant::now();
    let failed = |error| Call {
        ok: false,
        structured: None,
        text: String::new(),
        error: Some(error),
        ms: started.elapsed().as_millis(),
    };
    if let Some(trouble) = config.trouble(server) {
        return failed(trouble);
    }
    let name = own_name(hub, server, tool).await;
    match hub.call_on(server, &name, arguments).await {
        Ok(output) => {
            let error = output.is_error.then(|| Trouble { kind: "tool".to_owned(), message: output.text.clone() });
            Call {
                ok: !output.is_error,
                structured: output.structured,
                text: output.text,
                error,
                ms: started.elapsed().as_millis(),
            }
        }
        Err(error) => failed(Trouble::of(&error)),
    }
}

/// The server's own name of a tool that may be given by its exposed name.
async fn own_name(hub: &Hub, server: &str, tool: &str) -> String {
    let listing = hub.tools().await.unwrap_or_default();
    let mut of_server = listing.iter().filter(|listed| listed.server == server);
    let found = of_server.clone().find(|listed| listed.name == tool);
    let found = found.or_else(|| of_server.find(|listed| listed.exposed_name == tool));
    found.map_or(tool, |listed| &listed.name).to_owned()
}

/// The entries of a configuration that are no servers.
#[derive(Debug, Default)]
pub struct Problems {
    refused: Vec<(String, String)>,
    disabled: Vec<String>,
}

impl Problems {
    pub fn of(config: &McpConfig) -> Self {
        let refused = config.errors.iter().filter_map(|error| match error {
            research_mcp::ConfigError::Entry { server, reason, .. } => Some((server.clone(), reason.clone())),
            _ => None,
        });
        Self { refused: refused.collect(), disabled: config.disabled.clone() }
    }

    fn trouble(&self, server: &str) -> Option<Trouble> {
        let refused = self.refused.iter().find(|(name, _)| name == server).map(|(_, reason)| reason.clone());
        let off = || self.disabled.iter().any(|name| name == server).then(|| "it is disabled".to_owned());
        refused.or_else(off).map(|message| Trouble { kind: "configuration".to_owned(), message })
    }

    fn know(&self, hub: &Hub, server: &str) -> Result<(), Box<dyn Error>> {
        let known: Vec<String> = hub.servers().into_iter().map(|status| status.name).collect();
        if known.iter().any(|name| name == server) || self.trouble(server).is_some() {
            return Ok(());
        }
        let names = known.iter().chain(self.refused.iter().map(|(name, _)| name)).chain(&self.disabled);
        let names: Vec<&str> = names.map(String::as_str).collect();
        Err(format!("the configuration has no server `{server}`; it has: {}", names.join(", ")).into())
    }
}
