//! Reads a client's messages line by line, each up to a limit.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, duplex};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::connection::IdScanner;

/// Maximum length of a message in bytes.
pub(super) const MESSAGE: usize = 4 << 20;

/// Number of bytes of a longer line that are skipped before the session ends.
const SKIPPED: usize = 16 << 20;

/// Number of refusals that wait to be sent.
const REFUSALS: usize = 16;

/// Bytes between the reader and the SDK.
const BUFFER: usize = 64 * 1024;

/// A transport over lines. A request that is too long is answered with an error, and a line without an end ends the session.
pub(super) struct Lines<W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, DuplexStream, W>,
    refusals: mpsc::Receiver<RequestId>,
    reader: JoinHandle<()>,
}

/// Whether a line without an end has ended the session.
#[derive(Clone, Default)]
pub(super) struct Endless(Arc<AtomicBool>);

impl Endless {
    pub(super) fn was_met(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Lines<W> {
    pub(super) fn new(read: impl AsyncRead + Send + Unpin + 'static, write: W) -> (Self, Endless) {
        let (passed, taken) = duplex(BUFFER);
        let (refused, refusals) = mpsc::channel(REFUSALS);
        let endless = Endless::default();
        let reader = tokio::spawn(pass(read, passed, refused, endless.clone()));
        let inner = AsyncRwTransport::new_server(taken, write).with_max_line_length(MESSAGE + 1);
        (Self { inner, refusals, reader }, endless)
    }
}

impl<W: AsyncWrite> Drop for Lines<W> {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

/// Passes lines on until the input ends. Of a line that is too long only the id is kept.
async fn pass(
    mut read: impl AsyncRead + Unpin,
    mut passed: DuplexStream,
    refused: mpsc::Sender<RequestId>,
    endless: Endless,
) {
    let mut chunk = vec![0; 8 * 1024];
    let mut line = Vec::new();
    let mut skipped: Option<(IdScanner, usize)> = None;
    loop {
        let count = match read.read(&mut chunk).await {
            Ok(count @ 1..) => count,
            // The SDK reports the end.
            Ok(0) | Err(_) => return,
        };

        for part in chunk[..count].split_inclusive(|byte| *byte == b'\n') {
            match &mut skipped {
                Some((scanner, length)) => {
                    scanner.feed(part);
                    *length += part.len();
                    if *length > SKIPPED {
                        endless.0.store(true, Ordering::Release);
                        return;
                    }
                }
                None if line.len() + part.len() > MESSAGE => {
                    let mut scanner = IdScanner::default();
                    scanner.feed(&line);
                    scanner.feed(part);
                    skipped = Some((scanner, line.len() + part.len()));
                    line = Vec::new();
                }
                None => line.extend_from_slice(part),
            }

            if part.ends_with(b"\n") {
                if let Some((scanner, _)) = skipped.take() {
                    if let Some(id) = scanner.id_of_request()
                        && refused.send(id).await.is_err()
                    {
                        return;
                    }
                } else {
                    if passed.write_all(&line).await.is_err() {
                        return;
                    }
                    line.clear();
                    line.shrink_to(BUFFER);
                }
            }
        }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for Lines<W> {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let id = tokio::select! {
                message = self.inner.receive() => return message,
                Some(id) = self.refusals.recv() => id,
            };
            let reason = format!("the message has more than {MESSAGE} bytes");
            let error = ErrorData::new(ErrorCode::INVALID_REQUEST, reason, None);
            // A client that does not read is not waited for.
            tokio::spawn(self.inner.send(ServerJsonRpcMessage::error(error, Some(id))));
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
