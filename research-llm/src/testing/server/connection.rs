//! One connection of the fake server: requests in, answers out, and an eye on whether the client is still there.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::answer::{Act, Answer};
use super::received::Received;
use super::shared::Shared;

/// A head with more headers than this is not read.
const MAX_HEADERS: usize = 100;

/// What became of an answer.
enum Outcome {
    /// The client has it all and may ask again.
    Next,
    /// The server ended the connection.
    Over,
    /// The client went before it had everything.
    Left,
}

struct Connection {
    stream: TcpStream,
    /// What has arrived and was not taken yet.
    pending: Vec<u8>,
}

/// Answers the requests of a connection until one side ends it.
pub(super) async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    // Pieces are to arrive one by one; where this fails they only arrive later.
    let _ = stream.set_nodelay(true);
    let mut connection = Connection { stream, pending: Vec::new() };
    while let Ok(Some(request)) = connection.request().await {
        let (number, answer) = shared.take(request);
        match connection.give(&answer).await {
            Outcome::Next => {}
            Outcome::Over => return,
            Outcome::Left => return shared.left(number),
        }
    }
}

impl Connection {
    /// The next request; `None` when the client is done.
    async fn request(&mut self) -> io::Result<Option<Received>> {
        loop {
            if let Some((request, length)) = parse(&self.pending)? {
                self.pending.drain(..length);
                return Ok(Some(request));
            }
            if !self.receive().await? {
                return Ok(None);
            }
        }
    }

    /// Reads more; whether there was more.
    async fn receive(&mut self) -> io::Result<bool> {
        Ok(self.stream.read_buf(&mut self.pending).await? > 0)
    }

    async fn give(&mut self, answer: &Answer) -> Outcome {
        for act in answer.acts() {
            match act {
                Act::Wait(time) if time.is_zero() => {}
                Act::Wait(time) => {
                    if !self.stays(time).await {
                        return Outcome::Left;
                    }
                }
                Act::Send(bytes) => {
                    if self.stream.write_all(&bytes).await.is_err() {
                        return Outcome::Left;
                    }
                }
                Act::Next => return Outcome::Next,
                Act::Close => {
                    // Half closed first: a close with unread input would be a reset.
                    let _ = self.stream.shutdown().await;
                    return Outcome::Over;
                }
                Act::Reset => {
                    // Where the option cannot be set, the client sees a plain close, which is also a fault.
                    let _ = self.stream.set_zero_linger();
                    return Outcome::Over;
                }
                Act::Stall => {
                    while self.receive().await.is_ok_and(|more| more) {}
                    return Outcome::Left;
                }
            }
        }
        Outcome::Over
    }

    /// Waits; whether the client was still there.
    async fn stays(&mut self, time: Duration) -> bool {
        let leaves = async { while self.receive().await.is_ok_and(|more| more) {} };
        tokio::time::timeout(time, leaves).await.is_err()
    }
}

/// A request and its length in bytes, if all of it is there. Bodies need a `content-length`.
fn parse(bytes: &[u8]) -> io::Result<Option<(Received, usize)>> {
    let invalid = |problem: httparse::Error| io::Error::new(io::ErrorKind::InvalidData, problem);
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut head = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(start) = head.parse(bytes).map_err(invalid)? else { return Ok(None) };
    let headers = head.headers.iter().map(|header| {
        // A value need not be UTF-8.
        (header.name.to_owned(), String::from_utf8_lossy(header.value).into_owned())
    });
    let mut request = Received {
        method: head.method.unwrap_or_default().to_owned(),
        path: head.path.unwrap_or_default().to_owned(),
        headers: headers.collect(),
        ..Received::default()
    };
    let length = request.header("content-length").and_then(|length| length.parse::<usize>().ok()).unwrap_or(0);
    let end = start.saturating_add(length);
    let Some(body) = bytes.get(start..end) else { return Ok(None) };
    request.body = body.to_vec();
    Ok(Some((request, end)))
}
