//! Reads bodies up to a size.

use bytes::{Bytes, BytesMut};
use tokio::time::{Instant, timeout_at};

/// Bytes of the body of a failure that are read: enough for every message.
const MAX_EXCERPT: usize = 64 << 10;

/// Why a body could not be read.
pub(super) enum Trouble {
    /// The connection failed.
    Transport(reqwest::Error),
    /// It has more than so many bytes.
    TooLarge(usize),
}

/// The whole body.
pub(super) async fn read(mut response: reqwest::Response, max: usize) -> Result<Bytes, Trouble> {
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(Trouble::Transport)? {
        if body.len() + chunk.len() > max {
            return Err(Trouble::TooLarge(max));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

/// The beginning of the body, as much of it as comes in time.
pub(super) async fn excerpt(mut response: reqwest::Response, until: Instant) -> String {
    let mut body = Vec::new();
    while let Ok(Ok(Some(chunk))) = timeout_at(until, response.chunk()).await {
        body.extend_from_slice(&chunk);
        if body.len() >= MAX_EXCERPT {
            body.truncate(MAX_EXCERPT);
            break;
        }
    }
    String::from_utf8_lossy(&body).into_owned()
}
