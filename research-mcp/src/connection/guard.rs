//! Replaces a message that is too long by an error, so that memory stays bounded and the caller gets an answer.
//!
//! The SDK drops a line above its limit, and the call that waits for it hangs. This reader passes lines through up to a limit.
//! Of a longer one it keeps only the id, wherever it stands, and passes on a JSON-RPC error for it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use self::answers::in_place_of;
use super::mend::mended;

mod id;

mod answers;

#[cfg(feature = "http")]
pub(super) use self::answers::readable;
pub(super) use self::answers::{OTHER_TEXT, UNREADABLE};
pub(crate) use self::id::IdScanner;
pub(super) use self::id::TOO_LONG;

/// What makes up one message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// A line.
    Line,
    /// The lines up to an empty one, as in a stream of server-sent events.
    Event,
}

/// Messages, each at most `limit` bytes long. What comes in between is kept until the message is complete.
pub(super) struct Messages {
    unit: Unit,
    limit: usize,
    message: Vec<u8>,
    skipped: Option<(IdScanner, usize)>,
    /// The line that is being read has nothing in it so far.
    is_blank: bool,
    /// A line that cannot be read is replaced too.
    is_checked: bool,
}

impl Messages {
    /// A message in each line.
    pub(super) fn lines(limit: usize) -> Self {
        Self { unit: Unit::Line, limit, message: Vec::new(), skipped: None, is_blank: true, is_checked: false }
    }

    /// A message in each server-sent event.
    #[cfg(feature = "http")]
    pub(super) fn events(limit: usize) -> Self {
        Self { unit: Unit::Event, ..Self::lines(limit) }
    }

    /// Takes in what was read, and passes on the messages that are complete.
    pub(super) fn feed(&mut self, bytes: &[u8], ready: &mut Vec<u8>) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.is_blank &= part.iter().all(|byte| matches!(byte, b'\r' | b'\n'));
            match &mut self.skipped {
                Some((scanner, length)) => {
                    scanner.feed(part);
                    *length += part.len();
                }
                None if self.message.len() + part.len() > self.limit => {
                    let mut scanner = IdScanner::default();
                    scanner.feed(&self.message);
                    scanner.feed(part);
                    self.skipped = Some((scanner, self.message.len() + part.len()));
                    self.message = Vec::new();
                }
                None => self.message.extend_from_slice(part),
            }
            if part.ends_with(b"\n") {
                if self.unit == Unit::Line || self.is_blank {
                    self.complete(ready);
                }
                self.is_blank = true;
            }
        }
    }

    fn complete(&mut self, ready: &mut Vec<u8>) {
        match self.skipped.take() {
            Some((scanner, length)) => {
                let Some(replacement) = scanner.replacement(length) else { return };
                let (before, after) = if self.unit == Unit::Event { ("data: ", "\n\n") } else { ("", "\n") };
                ready.extend([before, &replacement, after].concat().into_bytes());
            }
            None => match self.another() {
                Some(another) => {
                    ready.extend(another);
                    ready.push(b'\n');
                    self.message.clear();
                }
                None => ready.append(&mut self.message),
            },
        }
    }

    /// What is passed on in place of a line that the SDK would misread or drop.
    fn another(&self) -> Option<Vec<u8>> {
        if self.unit != Unit::Line {
            return None;
        }
        let is_checked = self.is_checked;
        mended(&self.message).or_else(|| in_place_of(&self.message).filter(|_| is_checked))
    }

    /// What is left of a last message without an end.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.message)
    }
}

/// A reader of lines, each at most `limit` bytes long.
pub(super) struct LineGuard<R> {
    inner: R,
    lines: Messages,
    ready: Vec<u8>,
    sent: usize,
}

impl<R> LineGuard<R> {
    /// A guard over this reader.
    pub(super) fn new(inner: R, limit: usize) -> Self {
        Self { inner, lines: Messages::lines(limit), ready: Vec::new(), sent: 0 }
    }

    /// Passes on an error for a line that cannot be read.
    pub(super) fn checked(mut self) -> Self {
        self.lines.is_checked = true;
        self
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for LineGuard<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let mut chunk = [0; 8 * 1024];
        while this.ready.is_empty() {
            let mut read = ReadBuf::new(&mut chunk);
            ready!(Pin::new(&mut this.inner).poll_read(cx, &mut read))?;
            if read.filled().is_empty() {
                this.ready = this.lines.rest();
                if this.ready.is_empty() {
                    return Poll::Ready(Ok(()));
                }
            } else {
                this.lines.feed(read.filled(), &mut this.ready);
            }
        }
        let rest = &this.ready[this.sent..];
        let count = rest.len().min(buf.remaining());
        buf.put_slice(&rest[..count]);
        this.sent += count;
        if this.sent == this.ready.len() {
            this.ready.clear();
            this.sent = 0;
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use tokio::io::AsyncReadExt;

    use super::*;

    async fn through(input: &str, limit: usize) -> Vec<Value> {
        let mut output = String::new();
        LineGuard::new(input.as_bytes(), limit).read_to_string(&mut output).await.unwrap();
        output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[tokio::test]
    async fn a_long_response_becomes_an_error_with_its_id_wherever_it_stands() {
        let long = "x\\\"{[,:".repeat(50);
        let first = format!("{{\"id\":7,\"result\":{{\"id\":1,\"t\":\"{long}\"}}}}\n");
        let last = format!("{{\"result\":{{\"id\":1,\"t\":\"{long}\"}}, \"id\" : \"a-8\" }}\n");
        let output = through(&format!("{{\"id\":6}}\n{first}{last}{{\"id\":9}}\n"), 100).await;
        let ids: Vec<_> = output.iter().map(|message| message["id"].clone()).collect();
        assert_eq!(ids, [json!(6), json!(7), json!("a-8"), json!(9)]);
        assert_eq!(output[1]["error"]["code"], TOO_LONG);
        assert_eq!(output[2]["error"]["data"]["bytes"], last.len());
    }

    #[tokio::test]
    async fn a_long_request_or_notification_is_dropped() {
        let long = "x".repeat(200);
        let request = format!("{{\"id\":1,\"method\":\"ping\",\"params\":\"{long}\"}}\n");
        let notification = format!("{{\"method\":\"n\",\"params\":\"{long}\"}}\n");
        assert!(through(&format!("{request}{notification}"), 100).await.is_empty());
    }

    #[cfg(feature = "http")]
    #[test]
    fn an_event_is_measured_as_a_whole_and_replaced_as_one() {
        let long = "x".repeat(40);
        let one = format!("id: 5\r\ndata: {{\"id\":7,\"result\":\"{long}{long}{long}\"}}\r\n\r\n");
        let many = format!(
            "data: {{\"id\":8,\ndata: \"a\":\"{long}\",\ndata: \"b\":\"{long}\",\ndata: \"c\":\"{long}\"}}\n\n"
        );
        let small = ": ping\n\ndata: {\"id\":9}\n\n";
        let input = format!("{one}{many}{small}");
        for size in [1, 7, 1_000] {
            let (mut messages, mut ready) = (Messages::events(100), Vec::new());
            for chunk in input.as_bytes().chunks(size) {
                messages.feed(chunk, &mut ready);
            }
            let output = String::from_utf8(ready).unwrap();
            let events: Vec<_> = output.split_inclusive("\n\n").collect();
            assert_eq!(events.len(), 4, "{output}");
            for (event, id) in events.iter().zip([7, 8]) {
                let message: Value = serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap();
                assert_eq!((&message["id"], &message["error"]["code"]), (&json!(id), &json!(TOO_LONG)));
            }
            assert_eq!(events[2..].concat(), small);
        }
    }

    proptest! {
        #[test]
        fn lines_within_the_limit_pass_unchanged(lines in proptest::collection::vec("[a-z\"{}:,\\\\]{0,40}", 0..20)) {
            let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let mut output = String::new();
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(LineGuard::new(input.as_bytes(), 64).read_to_string(&mut output)).unwrap();
            prop_assert_eq!(output, input);
        }
    }
}
