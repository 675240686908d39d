//! Serves on standard input and output.

use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use rmcp::transport::stdio_pipes;
use tokio_util::sync::CancellationToken;

use super::failure::ServeError;
use super::tool_server::ToolServer;

impl ToolServer {
    /// Serves on standard input and output until the client closes its end. Nothing else may write to standard output.
    ///
    /// # Errors
    ///
    /// [`ServeError::Handshake`] when what comes in is not MCP. A client that goes away is none.
    pub async fn serve_stdio(self) -> Result<(), ServeError> {
        self.serve_stdio_until(CancellationToken::new()).await
    }

    /// The same, until the token fires: then calls in flight are cancelled.
    ///
    /// # Errors
    ///
    /// As for [`serve_stdio`](Self::serve_stdio).
    pub async fn serve_stdio_until(self, stop: CancellationToken) -> Result<(), ServeError> {
        let server = self.another(stop.clone(), stop.clone());
        let running = match serve_server_with_ct(server, stdio_pipes(), stop).await {
            Ok(running) => running,
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
            Err(error) => return Err(ServeError::Handshake { reason: error.to_string() }),
        };
        // The reason of the end does not matter: the client is gone.
        drop(running.waiting().await);
        Ok(())
    }
}
