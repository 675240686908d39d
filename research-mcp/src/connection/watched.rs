//! A transport that says when it has ended.

use std::borrow::Cow;
use std::future::Future;

use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{RoleClient, service::ServiceRole};
use tokio::sync::watch;

/// A transport and the place where its end is told. The end is told also when it is dropped.
pub(super) struct Watched<T> {
    inner: T,
    /// Dropped at the end.
    open: Option<watch::Sender<()>>,
}

/// Resolves when a [`Watched`] transport has ended.
#[derive(Clone, Debug)]
pub(super) struct End(watch::Receiver<()>);

impl End {
    pub(super) async fn reached(&self) {
        // Nothing is ever sent; an error says that the sender is gone.
        while self.0.clone().changed().await.is_ok() {}
    }
}

impl<T> Watched<T> {
    pub(super) fn new(inner: T) -> (Self, End) {
        let (open, end) = watch::channel(());
        (Self { inner, open: Some(open) }, End(end))
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T>
where
    RoleClient: ServiceRole,
{
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.inner.receive().await;
        if message.is_none() {
            self.open = None;
        }
        message
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.open = None;
        self.inner.close().await
    }
}
