//! A transport that says when it has ended and what was written to it, and that does not wait for ever for the answer to the first question.

use std::borrow::Cow;
use std::future::Future;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use self::pending::Pending;
use super::writes::{Writes, call_of};

mod pending;

/// A transport and the place where its end is told. The end is told also when it is dropped.
pub(super) struct Watched<T> {
    inner: T,
    /// Dropped at the end.
    open: Option<watch::Sender<()>>,
    writes: Writes,
    probe: Probe,
    pending: Pending,
}

/// The question `server/discover`, which some servers of before 2026 leave without an answer.
#[derive(Default)]
struct Probe {
    /// How long an answer is waited for; as long as it takes when absent.
    patience: Option<Duration>,
    asked: Option<(RequestId, Option<Instant>)>,
    given_up: Vec<RequestId>,
    /// The answer came after it was given up, and it is none of a server that does not know the question.
    misjudged: bool,
}

/// What is known of the end of a [`Watched`] transport, and of the calls that it may have taken before.
#[derive(Clone, Debug)]
pub(super) struct End {
    over: watch::Receiver<()>,
    writes: Writes,
}

impl End {
    /// Resolves when it has ended.
    pub(super) async fn reached(&self) {
        // Nothing is ever sent; an error says that the sender is gone.
        while self.over.clone().changed().await.is_ok() {}
    }

    /// Whether a call may have been written as a whole, now that nobody is left who could read more.
    pub(super) fn may_hold(&self, call: &RequestId) -> bool {
        self.writes.may_hold(call)
    }
}

impl<T> Watched<T> {
    /// Watches a transport. After `patience` without an answer to `server/discover` the server is taken for one that does not
    /// know it; an answer that comes later is not passed on, because the SDK would stumble over it, but see
    /// [`was_misjudged`](Self::was_misjudged).
    pub(super) fn new(inner: T, patience: Option<Duration>) -> (Self, End) {
        let (open, over) = watch::channel(());
        let (probe, writes) = (Probe { patience, ..Probe::default() }, Writes::default());
        (
            Self { inner, open: Some(open), writes: writes.clone(), probe, pending: Pending::default() },
            End { over, writes },
        )
    }

    /// Whether the server answered `server/discover` as one that knows it, only too late. The answer is waited for as long as it
    /// takes when the question is put again.
    pub(super) fn was_misjudged(&self) -> bool {
        self.probe.misjudged
    }
}

impl Probe {
    fn sent(&mut self, message: &TxJsonRpcMessage<RoleClient>) {
        if let JsonRpcMessage::Request(request) = message
            && matches!(request.request, ClientRequest::DiscoverRequest(_))
        {
            self.asked = Some((request.id.clone(), self.patience.map(|patience| Instant::now() + patience)));
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.asked.as_ref().and_then(|(_, deadline)| *deadline)
    }

    /// Takes in an answer; whether it is one that nobody waits for any more.
    fn is_late(&mut self, message: &ServerJsonRpcMessage) -> bool {
        let (id, knows) = match message {
            JsonRpcMessage::Response(response) => (&response.id, true),
            JsonRpcMessage::Error(error) => match &error.id {
                Some(id) => (id, false),
                None => return false,
            },
            _ => return false,
        };
        self.asked = None;
        // Some servers answer with a string where they were sent a number.
        let is_late = self.given_up.iter().any(|known| known == id || known.to_string() == id.to_string());
        if is_late && knows {
            // Another handshake counts its questions from the begin.
            *self = Self { misjudged: true, ..Self::default() };
        }
        is_late
    }

    /// The answer in place of the one that does not come.
    fn give_up(&mut self) -> Option<ServerJsonRpcMessage> {
        let (id, _) = self.asked.take()?;
        tracing::debug!("a server does not answer `server/discover`");
        self.given_up.push(id.clone());
        let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "no answer to `server/discover`", None);
        Some(ServerJsonRpcMessage::error(error, Some(id)))
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.probe.sent(&item);
        self.pending.sent(&item);
        self.writes.clone().noted(call_of(&item), self.inner.send(item))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            if let Some(error) = self.pending.next() {
                return Some(error);
            }
            let (probe, doubt) = (self.probe.deadline(), self.pending.deadline());
            let message = tokio::select! {
                biased;
                message = self.inner.receive() => message,
                () = reached(probe) => return self.probe.give_up(),
                () = reached(doubt) => {
                    self.pending.give_up();
                    continue;
                }
            };
            match message {
                None => {
                    self.open = None;
                    return None;
                }
                Some(message) if self.probe.is_late(&message) => {}
                Some(message) => {
                    if let Some(message) = self.pending.received(message) {
                        return Some(message);
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.open = None;
        self.inner.close().await
    }
}

/// Resolves at a deadline; never without one.
async fn reached(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
