//! The client under test: a hub with one server, which uses all that the server offers.
//!
//! The suite gives the address as the last argument, and the revision and what else a client has to know as variables of the
//! environment. Nothing here knows a scenario by its name, except that some have a program sign in for itself and not for a user,
//! which whoever sets a program up decides.

mod sample;
mod user;

use std::env;
use std::process::ExitCode;
use std::sync::Arc;

use futures::future::join_all;
use research_mcp::{HttpServer, Hub, Lifecycle, McpError, OAuth, Object, ServerPolicy, Tool, ToolSource};
use serde_json::Value;

use self::user::User;

/// The name of the server in the hub.
const SERVER: &str = "server";

/// Where the suite says that a document about this client could be read; nobody reads it.
const METADATA: &str = "https://conformance-test.local/client-metadata.json";

#[tokio::main]
async fn main() -> ExitCode {
    let Some(url) = env::args().skip(1).last() else {
        eprintln!("usage: conformance_client URL");
        return ExitCode::FAILURE;
    };
    let context = env::var("MCP_CONFORMANCE_CONTEXT").ok().and_then(|context| serde_json::from_str(&context).ok());
    match run(url, context.unwrap_or_default()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(url: String, context: Value) -> Result<(), McpError> {
    let lifecycle = match env::var("MCP_CONFORMANCE_PROTOCOL_VERSION") {
        Ok(revision) if revision.as_str() <= "2025-11-25" => Lifecycle::Initialize,
        Ok(_) => Lifecycle::Discover,
        Err(_) => Lifecycle::default(),
    };
    let user = Arc::new(User);
    let hub = Hub::builder()
        .http(SERVER, HttpServer::new(url).oauth(oauth(&context, Arc::clone(&user))))
        .policy(SERVER, ServerPolicy::new().lifecycle(lifecycle))
        .elicitor(user)
        .connect()
        .await?;
    eprintln!("{hub:?}");
    let used = use_all(&hub, &context).await;
    hub.close().await;
    used
}

/// How to sign in, should the server ask for it.
fn oauth(context: &Value, user: Arc<User>) -> OAuth {
    let known = |key: &str| context[key].as_str().map(str::to_owned);
    let (id, secret) = (known("client_id"), known("client_secret"));
    let machine = env::var("MCP_CONFORMANCE_SCENARIO").is_ok_and(|name| name.contains("client-credentials"));
    match (id, secret) {
        (Some(id), Some(secret)) if machine => OAuth::client_credentials(id, secret),
        (id, secret) => {
            let mut oauth = OAuth::user(user).client_name("conformance").client_metadata_url(METADATA);
            if let Some(id) = id {
                oauth = oauth.client_id(id);
            }
            if let Some(secret) = secret {
                oauth = oauth.client_secret(secret);
            }
            oauth
        }
    }
}

/// Lists and calls the tools, at the same time; then reads the resources and fills in the prompts of a server that has some.
async fn use_all(hub: &Hub, context: &Value) -> Result<(), McpError> {
    let listing = hub.list_tools().await?;
    for quarantined in &listing.quarantined {
        eprintln!("left out: {quarantined:?}");
    }
    let calls: Vec<(String, Object)> = match context["toolCalls"].as_array() {
        Some(wanted) => wanted.iter().filter_map(wanted_call).collect(),
        None => {
            let example = listing.tools.first().map(|tool| tool.input_schema.clone()).unwrap_or_default();
            let call = |tool: &Tool| (tool.name.clone(), sample::arguments(&tool.input_schema, &example));
            listing.tools.iter().map(call).collect()
        }
    };
    let exposed =
        |name: &str| listing.tools.iter().find(|tool| tool.name == name).map(|tool| tool.exposed_name.clone());
    let answers = join_all(calls.into_iter().filter_map(|(name, arguments)| {
        let exposed = exposed(&name)?;
        Some(async move { (name, hub.call_tool(&exposed, arguments).await) })
    }))
    .await;
    let mut failed = None;
    for (name, answer) in answers {
        match answer {
            Ok(output) => eprintln!("{name}: {}", output.text),
            Err(error) => failed = Some(error),
        }
    }
    if let Err(error) = read_all(hub).await {
        eprintln!("resources: {error}");
    }
    if let Err(error) = fill_all(hub).await {
        eprintln!("prompts: {error}");
    }
    failed.map_or(Ok(()), Err)
}

fn wanted_call(call: &Value) -> Option<(String, Object)> {
    Some((call["name"].as_str()?.to_owned(), call["arguments"].as_object()?.clone()))
}

async fn read_all(hub: &Hub) -> Result<(), McpError> {
    for resource in hub.resources(SERVER).await? {
        let contents = hub.read_resource(SERVER, &resource.uri).await?;
        eprintln!("{}: {} contents", resource.uri, contents.len());
    }
    Ok(())
}

async fn fill_all(hub: &Hub) -> Result<(), McpError> {
    for prompt in hub.prompts(SERVER).await? {
        let arguments = prompt.arguments.iter().map(|argument| (argument.name.clone(), "sample".into())).collect();
        let messages = hub.prompt(SERVER, &prompt.name, arguments).await?;
        eprintln!("{}: {} messages", prompt.name, messages.len());
    }
    Ok(())
}
