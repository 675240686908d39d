//! The requests that wait for an answer, and what an answer that cannot be read means for them.

use std::collections::VecDeque;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientNotification, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::service::TxJsonRpcMessage;
use tokio::time::Instant;

use crate::connection::guard::{OTHER_TEXT, UNREADABLE};

/// How long a server may say nothing after text that is not a message, while one request waits. A server that only prints debug
/// output answers, reports progress or prints more within this time.
const SILENCE: Duration = Duration::from_secs(10);

/// Maximum number of requests that are remembered.
const REMEMBERED: usize = 10_000;

/// The requests that wait for an answer, without those of the handshake.
#[derive(Default)]
pub(super) struct Pending {
    waiting: Vec<RequestId>,
    /// The request that other text may have been the answer to, and until when the server may say more.
    doubt: Option<(Instant, RequestId, ErrorData)>,
    /// What is still to be passed on.
    errors: VecDeque<ServerJsonRpcMessage>,
}

impl Pending {
    pub(super) fn sent(&mut self, message: &TxJsonRpcMessage<RoleClient>) {
        match message {
            JsonRpcMessage::Request(request) => {
                let is_handshake =
                    matches!(request.request, ClientRequest::InitializeRequest(_) | ClientRequest::DiscoverRequest(_));
                if !is_handshake && self.waiting.len() < REMEMBERED {
                    self.waiting.push(request.id.clone());
                }
            }
            JsonRpcMessage::Notification(message) => {
                if let ClientNotification::CancelledNotification(cancelled) = &message.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.forget(id);
                }
            }
            _ => {}
        }
    }

    /// Takes in a message, and returns it unless it stands for one that cannot be read and whose request is not known.
    pub(super) fn received(&mut self, message: ServerJsonRpcMessage) -> Option<ServerJsonRpcMessage> {
        match message {
            JsonRpcMessage::Error(error) if error.error.code.0 == OTHER_TEXT => {
                self.doubt = match (&error.id, &*self.waiting) {
                    (Some(id), _) | (None, [id]) => Some((Instant::now() + SILENCE, id.clone(), error.error)),
                    _ => None,
                };
                None
            }
            // Any of them may have been the one that was answered, and no other answer to it will come.
            JsonRpcMessage::Error(error) if error.error.code.0 == UNREADABLE && error.id.is_none() => {
                let failed = std::mem::take(&mut self.waiting).into_iter();
                let failed = failed.map(|id| ServerJsonRpcMessage::error(error.error.clone(), Some(id)));
                self.errors.extend(failed);
                self.doubt = None;
                None
            }
            message => {
                self.doubt = None;
                match &message {
                    JsonRpcMessage::Response(response) => self.forget(&response.id),
                    JsonRpcMessage::Error(error) => error.id.iter().for_each(|id| self.forget(id)),
                    _ => {}
                }
                Some(message)
            }
        }
    }

    /// Returns the next error that is to be passed on.
    pub(super) fn next(&mut self) -> Option<ServerJsonRpcMessage> {
        self.errors.pop_front()
    }

    /// When a server has said nothing for too long after other text.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.doubt.as_ref().map(|(deadline, ..)| *deadline)
    }

    /// Ends the request that other text was the answer to, if it waits still and waits alone.
    pub(super) fn give_up(&mut self) {
        if let Some((_, id, error)) = self.doubt.take()
            && self.waiting == [id.clone()]
        {
            self.forget(&id);
            self.errors.push_back(ServerJsonRpcMessage::error(error, Some(id)));
        }
    }

    fn forget(&mut self, id: &RequestId) {
        // Some servers answer with a string where they were sent a number.
        self.waiting.retain(|known| known != id && known.to_string() != id.to_string());
    }
}
