//! Walks a list that a server hands out in pages, and always ends.

use std::collections::HashSet;

use rmcp::model::{ClientRequest, ErrorCode, ServerResult};
use rmcp::service::{PeerRequestOptions, ServiceError};
use serde::Serialize;
use serde_json::Value;
use tokio::time::timeout;

use super::client::Notice;
use super::link::Connection;
use crate::error::{McpError, Operation};

/// A page of a list, and where the next one begins.
pub(super) struct ListPage<T> {
    pub(super) items: Vec<T>,
    pub(super) cursor: Option<String>,
}

impl ListPage<Value> {
    /// A list of which the SDK cannot read every entry is no list for it, but its raw form comes through.
    pub(super) fn raw(answer: ServerResult, list: &str) -> Option<Self> {
        let ServerResult::CustomResult(mut raw) = answer else { return None };
        let Some(Value::Array(items)) = raw.0.get_mut(list).map(Value::take) else { return None };
        let cursor = raw.0.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
        Some(Self { items, cursor })
    }

    /// A list that the SDK can read.
    pub(super) fn typed<T: Serialize>(items: &[T], cursor: Option<String>) -> Option<Self> {
        let items = items.iter().filter_map(|item| serde_json::to_value(item).ok()).collect();
        Some(Self { items, cursor })
    }
}

/// What is wrong with an entry of a list.
pub(super) type Unusable = &'static str;

impl Connection {
    /// What the entries of a list say, as far as they can be used; the host is told of the others.
    pub(super) fn usable<T>(
        &self,
        list: &'static str,
        entries: &[Value],
        read: impl Fn(&Value) -> Result<T, Unusable>,
    ) -> Vec<T> {
        let usable = |entry: &Value| match read(entry) {
            Ok(usable) => Some(usable),
            Err(reason) => {
                let name = ["name", "uri", "uriTemplate"].iter().find_map(|key| entry.get(key)?.as_str());
                let (name, reason) = (name.unwrap_or_default().to_owned(), reason.to_owned());
                tracing::warn!(server = self.server, list, name, reason, "an entry of a list is left out");
                self.inbox.put(Notice::Quarantined { list, name, reason });
                None
            }
        };
        entries.iter().filter_map(usable).collect()
    }

    /// All items of a list. One time limit holds for all pages; a cursor that repeats and too many pages end the walk with what
    /// there is. A server that does not know the method has an empty list.
    pub(super) async fn walk<T>(
        &self,
        request: impl Fn(Option<String>) -> ClientRequest,
        page: impl Fn(ServerResult) -> Option<ListPage<T>>,
    ) -> Result<Vec<T>, McpError> {
        let limit = self.limits.list;
        match timeout(limit, self.pages(request, page)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(self.error(ServiceError::Timeout { timeout: limit }, Operation::List, None).await),
        }
    }

    async fn pages<T>(
        &self,
        request: impl Fn(Option<String>) -> ClientRequest,
        page: impl Fn(ServerResult) -> Option<ListPage<T>>,
    ) -> Result<Vec<T>, McpError> {
        let (server, pages) = (self.server.as_str(), self.limits.list_pages);
        let mut items = Vec::new();
        let mut seen = HashSet::new();
        let mut cursor = None;
        for _ in 0..pages {
            // Not the list methods of the SDK: those answer from a cache when the server is dead.
            let answer = match self.ask(request(cursor)).await {
                Ok(answer) => answer,
                Err(ServiceError::McpError(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => return Ok(items),
                Err(error) => return Err(self.error(error, Operation::List, None).await),
            };
            let Some(page) = page(answer) else {
                return Err(McpError::Protocol {
                    server: self.server.clone(),
                    tool: None,
                    operation: Operation::List,
                    code: None,
                    reason: "the answer is no list".to_owned(),
                });
            };
            items.extend(page.items);
            // An empty string is a cursor like any other; only its absence ends the list.
            match page.cursor {
                None => return Ok(items),
                Some(next) if seen.insert(next.clone()) => cursor = Some(next),
                Some(next) => {
                    tracing::warn!(server, cursor = next, "a list repeats a cursor; it ends here");
                    return Ok(items);
                }
            }
        }
        tracing::warn!(server, pages, "a list has too many pages; it ends here");
        Ok(items)
    }

    /// Sends a request and waits for the answer; the time limit is the caller's.
    pub(super) async fn ask(&self, request: ClientRequest) -> Result<ServerResult, ServiceError> {
        self.peer.send_cancellable_request(request, PeerRequestOptions::default()).await?.await_response().await
    }
}
