//! A transport that comes back from a handshake which failed only because the server was slow.

use std::borrow::Cow;
use std::future::{Future, pending};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use super::watched::Watched;

/// Where a transport comes back to.
pub(super) struct Home<T>(Arc<Mutex<Option<Watched<T>>>>);

impl<T> Home<T> {
    /// The transport, once the handshake is over, if its server turned out to know `server/discover` after all.
    pub(super) fn returned(self) -> Option<Watched<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A transport in the hands of the SDK, which drops it when a handshake fails.
pub(super) struct Lent<T> {
    /// Taken only when this is dropped.
    watched: Option<Watched<T>>,
    home: Arc<Mutex<Option<Watched<T>>>>,
}

impl<T> Lent<T> {
    pub(super) fn new(watched: Watched<T>) -> (Self, Home<T>) {
        let home = Arc::new(Mutex::new(None));
        (Self { watched: Some(watched), home: Arc::clone(&home) }, Home(home))
    }
}

impl<T> Drop for Lent<T> {
    fn drop(&mut self) {
        let back = self.watched.take().filter(Watched::was_misjudged);
        *self.home.lock().unwrap_or_else(PoisonError::into_inner) = back;
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Lent<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let sending = self.watched.as_mut().map(|watched| watched.send(item));
        async {
            match sending {
                Some(sending) => sending.await,
                None => pending().await,
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.watched.as_mut()?.receive().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        match &mut self.watched {
            Some(watched) => watched.close().await,
            None => Ok(()),
        }
    }
}
