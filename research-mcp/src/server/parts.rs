//! The parts of a server. Their definitions refer to each other: a server has tools, a tool takes calls, and a call
//! leads back to its server. What each part does is in the file of its name.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, RwLock, Weak};
use std::time::Duration;

use rmcp::model::RequestStateCodec;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::arguments::Checker;
use super::audience::Audience;
use super::context::Context;
use super::failure::{Refusal, ToolFailure};
use super::reply::ToolReply;
use super::session::Session;
use super::template::Template;
use crate::future::BoxFuture;
use crate::output::ResourceContent;
use crate::resource::{PromptArgument, PromptMessage};
use crate::tool::{Object, ToolHints};

/// What a server offers, to all its clients.
pub(super) struct Shared {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) title: Option<String>,
    pub(super) instructions: Option<String>,
    pub(super) tools: RwLock<Vec<Arc<ServerTool>>>,
    pub(super) prompts: RwLock<Vec<Arc<ServerPrompt>>>,
    pub(super) resources: Vec<ServerResource>,
    pub(super) templates: Vec<ServerResourceTemplate>,
    pub(super) lister: Option<Lister>,
    pub(super) completer: Option<Completer>,
    pub(super) offers: Offers,
    /// How long lists may be kept by clients, and whether for all users alike.
    pub(super) cache: Option<(Duration, bool)>,
    pub(super) codec: RequestStateCodec,
    pub(super) audience: Audience,
}

/// What a server declares; the rest is refused.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Offers {
    pub(super) tools: bool,
    pub(super) prompts: bool,
    pub(super) resources: bool,
    /// Its lists change while it serves.
    pub(super) changes: bool,
    pub(super) subscriptions: bool,
    pub(super) logging: bool,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct ToolCall {
    pub(super) tool: String,
    pub(super) arguments: Object,
    pub(super) caller: Caller,
}

/// A request for a prompt.
#[derive(Clone, Debug)]
pub struct PromptCall {
    pub(super) prompt: String,
    pub(super) arguments: BTreeMap<String, String>,
    pub(super) caller: Caller,
}

/// A request for a resource.
#[derive(Clone, Debug)]
pub struct ResourceRead {
    pub(super) uri: String,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) caller: Caller,
}

/// A request for values that would complete an argument.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Completing {
    /// Name of the prompt, or the template of the resource.
    pub of: String,
    /// Whether it is a prompt.
    pub is_prompt: bool,
    /// The argument, or the variable of the template.
    pub argument: String,
    /// What is there so far.
    pub value: String,
    /// What is filled in elsewhere.
    pub others: BTreeMap<String, String>,
}

/// Who makes a request. Cheap to clone; of use until the request is answered.
#[derive(Clone)]
pub struct Caller {
    pub(super) inner: Arc<CallerInner>,
}

pub(super) struct CallerInner {
    pub(super) context: Context,
    pub(super) shared: Arc<Shared>,
    pub(super) session: Arc<Session>,
    pub(super) stop: CancellationToken,
    /// What the request is bound to: an answer to another one is of no use.
    pub(super) binding: Vec<u8>,
    /// Answers that came with the request, by the names of their questions.
    pub(super) given: BTreeMap<String, Value>,
    /// Those that were asked for, to be kept for the next round.
    pub(super) used: Mutex<BTreeMap<String, Value>>,
    pub(super) had_state: bool,
}

pub(super) type ToolHandler = Arc<dyn Fn(ToolCall) -> BoxFuture<'static, Result<ToolReply, ToolFailure>> + Send + Sync>;

/// A tool: name, description, schema of its arguments, and the function that does the work.
///
/// Arguments that do not fit the schema never reach the function; the caller is told which field is wrong. When the client cancels a
/// call, [`Caller::cancelled`](super::Caller::cancelled) fires, and after five seconds the function is dropped.
pub struct ServerTool {
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) description: String,
    pub(super) input_schema: Arc<Object>,
    pub(super) output_schema: Option<Arc<Object>>,
    pub(super) hints: ToolHints,
    pub(super) checker: Result<Checker, String>,
    pub(super) checks: Checks,
    pub(super) handler: ToolHandler,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Checks {
    /// The arguments as they come.
    Strict,
    /// The same, and an absent argument may be written as null.
    NullIsAbsent,
    /// The function checks.
    None,
}

pub(super) type PromptHandler =
    Arc<dyn Fn(PromptCall) -> BoxFuture<'static, Result<Vec<PromptMessage>, Refusal>> + Send + Sync>;

/// A prompt: a name, what can be filled in, and the function that writes it.
pub struct ServerPrompt {
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) arguments: Vec<PromptArgument>,
    pub(super) handler: PromptHandler,
}

pub(super) type Reader =
    Arc<dyn Fn(ResourceRead) -> BoxFuture<'static, Result<ResourceContent, Refusal>> + Send + Sync>;

/// A resource at one address.
#[derive(Clone)]
pub struct ServerResource {
    pub(super) uri: String,
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) media_type: Option<String>,
    pub(super) size: Option<u64>,
    pub(super) reader: Option<Reader>,
}

/// Resources whose addresses follow a pattern (RFC 6570, level 1), such as `research://runs/{run_id}/report.md`.
#[derive(Clone)]
pub struct ServerResourceTemplate {
    pub(super) template: Result<Template, String>,
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) media_type: Option<String>,
    pub(super) reader: Reader,
}

pub(super) type Lister = Arc<dyn Fn() -> BoxFuture<'static, Result<Vec<ServerResource>, Refusal>> + Send + Sync>;

pub(super) type Completer = Arc<dyn Fn(Completing) -> BoxFuture<'static, Result<Vec<String>, Refusal>> + Send + Sync>;

/// Changes what a server offers while it serves, and tells its clients.
///
/// Clients are told of changed lists when the server was built with [`changes`](super::ToolServerBuilder::changes), and of changed
/// resources when it was built with [`subscriptions`](super::ToolServerBuilder::subscriptions). The server may be gone; then nothing
/// happens.
#[derive(Clone)]
pub struct Announcer {
    pub(super) shared: Weak<Shared>,
}
