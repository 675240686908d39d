//! The hub itself.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::{join_all, select_all};
use futures::{FutureExt, Stream, StreamExt};
use tokio::time::{sleep, timeout};

use super::actor::Actor;
use super::approvals::Approvals;
use super::bus::Bus;
use super::names;
use crate::era::{EraMemory, Eras};
use crate::error::McpError;
use crate::event::HubEvent;
use crate::event::state::{ServerState, ServerStatus};
use crate::future::BoxFuture;
use crate::limits::Limits;
use crate::options::CallOptions;
use crate::output::{CallOutput, ResourceContent};
use crate::resource::{PromptInfo, PromptMessage, Resource, ResourceTemplate};
use crate::source::{FailedServer, ToolListing, ToolSource};
use crate::tool::{Object, Tool};

/// Named MCP servers as one source of tools.
///
/// Servers connect in parallel and fail alone; one that dies is started again as its [policy](crate::ServerPolicy) says. A call is
/// never made twice unless the policy allows it. End a hub with [`close`](Self::close): it lets child processes finish. A
/// hub that is merely dropped kills them.
pub struct Hub {
    pub(super) servers: Vec<Arc<Actor>>,
    pub(super) limits: Arc<Limits>,
    pub(super) approvals: Arc<Mutex<Approvals>>,
    pub(super) bus: Bus,
    pub(super) eras: Eras,
    pub(super) listing: Mutex<Option<(u64, Arc<ToolListing>)>>,
    /// Server and tool by every name that was exposed so far.
    pub(super) names: Mutex<HashMap<String, (String, String)>>,
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hub").field("servers", &self.servers()).finish_non_exhaustive()
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.servers.iter().for_each(|server| server.abort());
    }
}

impl Hub {
    /// Connects the servers that are not connected yet, all at the same time, and returns when each is ready or has failed; once
    /// one is ready, the others are waited for no longer than [`Limits::settle`]. Those go on connecting.
    /// [`servers`](Self::servers) says how each stands, also meanwhile.
    pub async fn connect(&self) {
        self.start().await;
        let all = join_all(self.servers.iter().map(|server| server.settled()));
        let ready = self.servers.iter().map(|server| async { server.settled().await.is_ready() }.boxed());
        let enough = async {
            let mut waiting: Vec<_> = ready.collect();
            while !waiting.is_empty() {
                let (is_ready, _, others) = select_all(waiting).await;
                if is_ready {
                    return sleep(self.limits.settle).await;
                }
                waiting = others;
            }
        };
        tokio::select! {
            biased;
            _ = all => {}
            () = enough => {}
        }
    }

    /// Starts the servers that are not connected yet and returns at once. A call waits for its own server, and for no other, once
    /// the tools have been listed.
    pub async fn start(&self) {
        self.servers.iter().for_each(Actor::start);
    }

    /// Connects a server again that failed or needed the user to sign in.
    ///
    /// # Errors
    ///
    /// [`McpError::Configuration`] when the hub has no such server; otherwise why it is not connected.
    pub async fn reconnect(&self, server: &str) -> Result<(), McpError> {
        let found = self.find(server)?;
        found.start();
        found.connection().await.map(drop)
    }

    /// The servers in the order in which they were added.
    pub fn servers(&self) -> Vec<ServerStatus> {
        let status = |server: &Arc<Actor>| ServerStatus { name: server.name.clone(), state: server.state() };
        self.servers.iter().map(status).collect()
    }

    /// What happens at the servers from now on. Never ends while the hub lives; a watcher that is too slow is told how many
    /// events it missed.
    pub fn events(&self) -> impl Stream<Item = HubEvent> + Send + Unpin + 'static {
        self.bus.watch().boxed()
    }

    /// The tools of the newest listing; asks the servers whose tools are not known.
    ///
    /// # Errors
    ///
    /// As for [`list_tools`](ToolSource::list_tools).
    pub async fn tools(&self) -> Result<Vec<Tool>, McpError> {
        Ok(self.listing(false).await?.tools.clone())
    }

    /// The tools of the newest listing that fit a query best, as [`ToolListing::search`] finds them.
    ///
    /// # Errors
    ///
    /// As for [`list_tools`](ToolSource::list_tools).
    pub async fn search_tools(&self, query: &str, most: usize) -> Result<Vec<Tool>, McpError> {
        Ok(self.listing(false).await?.search(query, most).into_iter().cloned().collect())
    }

    /// What is approved so far, to be kept and given to [`HubBuilder::approvals`](super::HubBuilder::approvals) next time.
    pub fn approvals(&self) -> Approvals {
        self.approved().clone()
    }

    /// Which revisions the servers speak, to be kept and given to [`HubBuilder::eras`](super::HubBuilder::eras) next time.
    pub fn eras(&self) -> EraMemory {
        self.eras.known()
    }

    /// Approves a tool, by its exposed name, as it is listed now.
    ///
    /// # Errors
    ///
    /// [`McpError::UnknownTool`], and as for [`list_tools`](ToolSource::list_tools).
    pub async fn approve(&self, name: &str) -> Result<(), McpError> {
        let listing = self.listing(false).await?;
        let tool = listing.get(name).ok_or_else(|| unknown(name, &listing))?;
        self.approved().approve(tool);
        Ok(())
    }

    /// Calls a tool of one server by the server's own name for it, whether it was listed or not.
    ///
    /// # Errors
    ///
    /// When the hub has no such server, and as for [`call_tool`](ToolSource::call_tool).
    pub async fn call_on(&self, server: &str, tool: &str, arguments: Object) -> Result<CallOutput, McpError> {
        self.call_on_with(server, tool, arguments, &CallOptions::new()).await
    }

    /// The same with settings for this call.
    ///
    /// # Errors
    ///
    /// As for [`call_on`](Self::call_on).
    pub async fn call_on_with(
        &self,
        server: &str,
        tool: &str,
        arguments: Object,
        options: &CallOptions,
    ) -> Result<CallOutput, McpError> {
        self.find(server)?.call(tool, arguments, options).await
    }

    /// Calls a tool by its exposed name, with settings for this call.
    ///
    /// # Errors
    ///
    /// As for [`call_tool`](ToolSource::call_tool).
    pub async fn call_with(
        &self,
        name: &str,
        arguments: Object,
        options: &CallOptions,
    ) -> Result<CallOutput, McpError> {
        let (server, tool) = self.resolve(name).await?;
        self.find(&server)?.call(&tool, arguments, options).await
    }

    /// The resources of a server.
    ///
    /// # Errors
    ///
    /// When the hub has no such server, when it is not connected, or when it does not answer as it should.
    pub async fn resources(&self, server: &str) -> Result<Vec<Resource>, McpError> {
        self.find(server)?.connection().await?.resources().await
    }

    /// The patterns of addresses under which a server has resources.
    ///
    /// # Errors
    ///
    /// As for [`resources`](Self::resources).
    pub async fn resource_templates(&self, server: &str) -> Result<Vec<ResourceTemplate>, McpError> {
        self.find(server)?.connection().await?.resource_templates().await
    }

    /// Reads a resource of a server. One address can stand for several resources.
    ///
    /// # Errors
    ///
    /// As for [`resources`](Self::resources), and [`McpError::ResourceTooLarge`].
    pub async fn read_resource(&self, server: &str, uri: &str) -> Result<Vec<ResourceContent>, McpError> {
        self.find(server)?.connection().await?.read_resource(uri).await
    }

    /// Asks to be told when a resource changes; that is an [event](Self::events). Servers of MCP 2025-11-25 and before know this.
    ///
    /// # Errors
    ///
    /// As for [`resources`](Self::resources).
    pub async fn subscribe(&self, server: &str, uri: &str) -> Result<(), McpError> {
        self.find(server)?.connection().await?.subscribe(uri).await
    }

    /// Asks not to be told any more.
    ///
    /// # Errors
    ///
    /// As for [`resources`](Self::resources).
    pub async fn unsubscribe(&self, server: &str, uri: &str) -> Result<(), McpError> {
        self.find(server)?.connection().await?.unsubscribe(uri).await
    }

    /// The prompts that a server offers.
    ///
    /// # Errors
    ///
    /// As for [`resources`](Self::resources).
    pub async fn prompts(&self, server: &str) -> Result<Vec<PromptInfo>, McpError> {
        self.find(server)?.connection().await?.prompts().await
    }

    /// Fills in a prompt of a server.
    ///
    /// # Errors
    ///
    /// As for [`resources`](Self::resources).
    pub async fn prompt(&self, server: &str, name: &str, arguments: Object) -> Result<Vec<PromptMessage>, McpError> {
        self.find(server)?.connection().await?.prompt(name, arguments).await
    }

    /// Closes every server: its standard input, then TERM, then KILL. Calls in flight end with an error.
    pub async fn close(&self) {
        join_all(self.servers.iter().map(|server| server.close())).await;
    }

    fn find(&self, server: &str) -> Result<&Arc<Actor>, McpError> {
        self.servers.iter().find(|known| known.name == server).ok_or_else(|| {
            let known: Vec<&str> = self.servers.iter().map(|known| known.name.as_str()).collect();
            let reason = format!("the hub has no such server; it has: {}", known.join(", "));
            McpError::Configuration { server: server.to_owned(), reason }
        })
    }

    fn approved(&self) -> MutexGuard<'_, Approvals> {
        lock(&self.approvals)
    }

    async fn listing(&self, anew: bool) -> Result<Arc<ToolListing>, McpError> {
        // Read first, so that a change during the listing makes it out of date.
        let generation = self.bus.generation();
        if let Some((_, listing)) = lock(&self.listing).as_ref().filter(|(made, _)| *made == generation && !anew) {
            return Ok(Arc::clone(listing));
        }
        let outcomes = join_all(self.servers.iter().map(|server| async move {
            let connecting = server.state() == ServerState::Connecting;
            let late = connecting && timeout(self.limits.settle, server.settled()).await.is_err();
            let listed = if late { Err(server.state().trouble()) } else { self.of(server, anew).await };
            (server, listed)
        }))
        .await;
        let mut listings = Vec::new();
        let mut failed = Vec::new();
        for (server, outcome) in outcomes {
            match outcome {
                Ok(listing) => listings.push((*listing).clone()),
                Err(reason) => failed.push(FailedServer { server: server.name.clone(), reason }),
            }
        }
        if listings.is_empty() {
            let reasons = failed.into_iter().map(|failure| failure.reason).collect();
            return Err(McpError::NoServer { reasons });
        }
        let listing = Arc::new(names::expose(listings, failed));
        let seen = listing.tools.iter().map(|tool| (tool.exposed_name.clone(), of_tool(tool)));
        lock(&self.names).extend(seen);
        *lock(&self.listing) = Some((generation, Arc::clone(&listing)));
        Ok(listing)
    }

    /// Server and tool of an exposed name: those that the caller has seen, even if the server is gone meanwhile.
    async fn resolve(&self, name: &str) -> Result<(String, String), McpError> {
        let newest = lock(&self.listing).as_ref().map(|(_, listing)| Arc::clone(listing));
        if let Some(tool) = newest.as_ref().and_then(|listing| listing.get(name))
            && !self.find(&tool.server)?.lacks(&tool.name)
        {
            return Ok(of_tool(tool));
        }
        let before = lock(&self.names).get(name).cloned();
        let listing = match (self.listing(false).await, before) {
            (Ok(listing), before) => match (listing.get(name), before) {
                (Some(tool), _) => return Ok(of_tool(tool)),
                // The server itself says why it is gone.
                (None, Some(before)) if listing.failed.iter().any(|failed| failed.server == before.0) => {
                    return Ok(before);
                }
                (None, _) => listing,
            },
            (Err(_), Some(before)) => return Ok(before),
            (Err(error), None) => return Err(error),
        };
        Err(unknown(name, &listing))
    }

    /// The listing of one server, or why there is none.
    async fn of(&self, server: &Actor, anew: bool) -> Result<Arc<crate::connection::ServerListing>, String> {
        server.tools(anew).await.map_err(|error| match server.state() {
            ServerState::Failed { reason, .. } | ServerState::NeedsAuth { reason } => reason,
            _ => error.to_string(),
        })
    }
}

fn of_tool(tool: &Tool) -> (String, String) {
    (tool.server.clone(), tool.name.clone())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that is done under these locks can panic half-way.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unknown(name: &str, listing: &ToolListing) -> McpError {
    let known = listing.tools.iter().map(|tool| tool.exposed_name.clone()).collect();
    McpError::UnknownTool { name: name.to_owned(), known }
}

impl ToolSource for Hub {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        Box::pin(async { Ok((*self.listing(true).await?).clone()) })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(async move { self.call_with(name, arguments, &CallOptions::new()).await })
    }
}
