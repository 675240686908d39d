//! Serves on standard input and output.

use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use rmcp::transport::stdio_pipes;
use tokio_util::sync::CancellationToken;

use self::lines::Lines;
use super::failure::ServeError;
use super::tool_server::ToolServer;

mod lines;

impl ToolServer {
    /// Serves on standard input and output until the client closes its end. Nothing else may write to standard output.
    ///
    /// A request of more than 4 MiB is refused. A line of more than 16 MiB ends the session.
    ///
    /// # Errors
    ///
    /// [`ServeError::Handshake`] when what comes in is not MCP, [`ServeError::Endless`] when a line has no end. A client that goes
    /// away is none.
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
        let (read, write) = stdio_pipes();
        let (lines, endless) = Lines::new(read, write);
        let running = match serve_server_with_ct(server, lines, stop).await {
            Ok(running) => running,
            Err(_) if endless.was_met() => return Err(ServeError::Endless),
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
            Err(error) => return Err(ServeError::Handshake { reason: error.to_string() }),
        };
        // The reason of the end does not matter: the client is gone.
        drop(running.waiting().await);
        if endless.was_met() { Err(ServeError::Endless) } else { Ok(()) }
    }
}
