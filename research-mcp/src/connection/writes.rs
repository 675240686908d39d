//! Which calls were written to a server, so that one which cannot have reached it is known.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, JsonRpcMessage, RequestId};
use rmcp::service::TxJsonRpcMessage;

/// Failed writes that are remembered. A pipe that fails once is at its end, with few calls under way.
const REMEMBERED: usize = 1_000;

/// The calls that were written to a transport, or begun to be.
#[derive(Clone, Debug, Default)]
pub(super) struct Writes(Arc<Mutex<Written>>);

#[derive(Debug, Default)]
struct Written {
    /// The highest number of a call whose writing has begun; those before it are taken for written too.
    newest: Option<i64>,
    failed: Vec<RequestId>,
}

impl Writes {
    /// Awaits the writing of a message, and notes what comes of it where the message is a call.
    pub(super) async fn noted<E>(
        self,
        call: Option<RequestId>,
        writing: impl Future<Output = Result<(), E>>,
    ) -> Result<(), E> {
        if let Some(RequestId::Number(id)) = call {
            let mut written = self.lock();
            written.newest = written.newest.max(Some(id));
        }
        let outcome = writing.await;
        if let (Some(id), Err(_)) = (call, &outcome) {
            let mut written = self.lock();
            if written.failed.len() < REMEMBERED {
                written.failed.push(id);
            }
        }
        outcome
    }

    /// Whether a call may have been written as a whole. Asked once the reader at the other end is gone, so that nothing which is
    /// written later is read.
    pub(super) fn may_hold(&self, call: &RequestId) -> bool {
        let written = self.lock();
        match call {
            RequestId::Number(id) => Some(*id) <= written.newest && !written.failed.contains(call),
            RequestId::String(_) => true,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Written> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The id of the call that a message is.
pub(super) fn call_of(message: &TxJsonRpcMessage<RoleClient>) -> Option<RequestId> {
    match message {
        JsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::CallToolRequest(_)) => {
            Some(request.id.clone())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_not_begun_or_failed_cannot_have_arrived() {
        let (writes, id) = (Writes::default(), RequestId::Number);
        assert!(!writes.may_hold(&id(0)));
        writes.clone().noted(Some(id(3)), async { Ok::<_, ()>(()) }).await.unwrap();
        writes.clone().noted(Some(id(2)), async { Err(()) }).await.unwrap_err();
        writes.clone().noted(None, async { Err(()) }).await.unwrap_err();
        assert_eq!([1, 2, 3, 4].map(|number| writes.may_hold(&id(number))), [true, false, true, false]);
        // One that is under way, or was given up half-way, may get there.
        let begun = writes.clone().noted(Some(id(4)), std::future::pending::<Result<(), ()>>());
        assert!(futures::FutureExt::now_or_never(begun).is_none() && writes.may_hold(&id(4)));
        assert!(writes.may_hold(&RequestId::String("a".into())));
    }
}
