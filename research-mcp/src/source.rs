//! The seam to callers: something whose tools can be listed and called.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::envelope::DataResult;
use crate::error::McpError;
use crate::future::BoxFuture;
use crate::output::CallOutput;
use crate::tool::{Object, Tool};

/// Something whose tools can be listed and called: a [`Hub`](crate::Hub), or a fake in a test.
///
/// ```
/// use research_mcp::{BoxFuture, CallOutput, McpError, Object, Tool, ToolListing, ToolSource};
///
/// struct Echo;
///
/// impl ToolSource for Echo {
///     fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
///         Box::pin(async { Ok(ToolListing::new(vec![Tool::new("local", "echo", Object::new())])) })
///     }
///
///     fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
///         Box::pin(async move { Ok(CallOutput::structured("local", name, arguments.into())) })
///     }
/// }
/// ```
pub trait ToolSource: Send + Sync {
    /// Asks for the tools.
    ///
    /// # Errors
    ///
    /// When no tool can be had from anywhere. A single server that fails is an entry of [`ToolListing::failed`].
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>>;

    /// Calls a tool by its exposed name, with these arguments and no others. Dropping the future cancels the call.
    ///
    /// # Errors
    ///
    /// When there is no result. A result in which the tool reports an error is a [`CallOutput`] with `is_error`.
    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>>;

    /// Calls a tool whose result is read as data. A source that has decoded the result already overrides this, so
    /// that it is decoded only once.
    ///
    /// # Errors
    ///
    /// As for [`call_tool`](Self::call_tool).
    fn call_for_data<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<DataOutput, McpError>> {
        Box::pin(async move { self.call_tool(name, arguments).await.map(DataOutput::from) })
    }
}

/// The result of a tool call, decoded.
#[derive(Debug)]
#[non_exhaustive]
pub struct DataOutput {
    /// Name of the server in the hub.
    pub server: String,
    /// Size of the content in bytes of JSON.
    pub bytes: usize,
    /// The decoded result; the error of [`CallOutput::json`] if there is none.
    pub data: Result<DataResult, McpError>,
}

impl DataOutput {
    /// Creates the decoded form of an output.
    pub fn new(server: impl Into<String>, bytes: usize, data: Result<DataResult, McpError>) -> Self {
        Self { server: server.into(), bytes, data }
    }
}

impl From<CallOutput> for DataOutput {
    fn from(output: CallOutput) -> Self {
        let (server, bytes) = (output.server.clone(), output.bytes);
        Self { server, bytes, data: output.into_json().map(DataResult::new) }
    }
}

impl<T: ToolSource + ?Sized> ToolSource for Arc<T> {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        (**self).list_tools()
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        (**self).call_tool(name, arguments)
    }

    fn call_for_data<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<DataOutput, McpError>> {
        (**self).call_for_data(name, arguments)
    }
}

/// The tools of a source, and what could not be listed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolListing {
    /// The usable tools, by server in the order of the hub, then in the server's order.
    pub tools: Vec<Tool>,
    /// Tools that were left out, with the reason.
    #[serde(default)]
    pub quarantined: Vec<QuarantinedTool>,
    /// Servers without a listing, with the reason.
    #[serde(default)]
    pub failed: Vec<FailedServer>,
}

impl ToolListing {
    /// A listing with these tools and no problem.
    pub fn new(tools: Vec<Tool>) -> Self {
        Self { tools, ..Self::default() }
    }

    /// The tool of this exposed name.
    pub fn get(&self, exposed_name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.exposed_name == exposed_name)
    }
}

/// A tool that a server listed in a way that cannot be used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct QuarantinedTool {
    /// Name of the server in the hub.
    pub server: String,
    /// Name as the server spells it; empty when it gave none.
    pub name: String,
    /// What is wrong with it.
    pub reason: String,
}

/// A server whose tools could not be listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FailedServer {
    /// Name of the server in the hub.
    pub server: String,
    /// Why.
    pub reason: String,
}
