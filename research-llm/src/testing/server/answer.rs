//! What a fake server answers, and how badly.

use std::time::Duration;

use serde_json::Value;

/// How an answer ends after its last byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ending {
    /// As HTTP wants it, the connection stays open for the next request.
    #[default]
    Proper,
    /// The server closes the connection, without the end of the body.
    Close,
    /// The server resets the connection. What the client has not read yet may be lost to it.
    Reset,
    /// The server stays silent until the client goes.
    Stall,
}

/// An answer of a [`FakeServer`](super::FakeServer): status, headers, a body in pieces, and what goes wrong.
///
/// ```
/// use std::time::Duration;
/// use research_llm::testing::{Answer, Ending};
/// use serde_json::json;
///
/// let busy = Answer::json(429, &json!({"error": "busy"})).header("retry-after", "7");
/// let slow = Answer::events("data: 1\n\ndata: 2\n\n").pieces_of(9).pause(Duration::from_millis(10));
/// let broken = Answer::events("data: 1\n\ndata: 2\n\n").cut(12).ending(Ending::Close);
/// # let _ = (busy, slow, broken);
/// ```
#[derive(Clone, Debug)]
pub struct Answer {
    head: Option<Head>,
    body: Vec<u8>,
    keep: usize,
    splits: Vec<usize>,
    delay: Duration,
    pause: Duration,
    ending: Ending,
}

#[derive(Clone, Debug)]
struct Head {
    status: u16,
    headers: Vec<(String, String)>,
    chunked: bool,
}

impl Answer {
    fn of(head: Option<Head>, body: Vec<u8>) -> Self {
        let keep = body.len();
        let (delay, pause) = (Duration::ZERO, Duration::ZERO);
        Self { head, body, keep, splits: Vec::new(), delay, pause, ending: Ending::Proper }
    }

    fn with(status: u16, content_type: &str, body: Vec<u8>, chunked: bool) -> Self {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        Self::of(Some(Head { status, headers, chunked }), body)
    }

    /// JSON with its length stated.
    #[must_use]
    pub fn json(status: u16, body: &Value) -> Self {
        Self::text(status, "application/json", body.to_string())
    }

    /// Any body with its length stated.
    pub fn text(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::with(status, content_type, body.into(), false)
    }

    /// Server-sent events in a chunked body, with status 200.
    pub fn events(body: impl Into<Vec<u8>>) -> Self {
        Self::with(200, "text/event-stream", body.into(), true)
    }

    /// A redirect to an address.
    #[must_use]
    pub fn redirect(status: u16, to: &str) -> Self {
        Self::text(status, "text/plain", "moved").header("location", to)
    }

    /// Bytes as they are, which need not be HTTP; then the connection is closed.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self::of(None, bytes.into()).ending(Ending::Close)
    }

    /// Not a byte, until the client goes.
    #[must_use]
    pub fn silence() -> Self {
        Self::of(None, Vec::new()).ending(Ending::Stall)
    }

    /// Sets a header, in the place of one of the same name. An answer of raw bytes has none.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Some(head) = &mut self.head {
            head.headers.retain(|(header, _)| !header.eq_ignore_ascii_case(name));
            head.headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// Sends the body in chunks instead of stating its length.
    #[must_use]
    pub fn chunked(mut self) -> Self {
        if let Some(head) = &mut self.head {
            head.chunked = true;
        }
        self
    }

    /// Sends the body in pieces of so many bytes, at least one; each is a chunk of its own in a chunked body.
    #[must_use]
    pub fn pieces_of(self, bytes: usize) -> Self {
        let splits = (1..self.body.len()).filter(|at| at % bytes.max(1) == 0).collect();
        Self { splits, ..self }
    }

    /// Sends the body in pieces that end before these bytes of it.
    #[must_use]
    pub fn split_at(mut self, bytes: &[usize]) -> Self {
        self.splits = bytes.iter().copied().filter(|&at| at > 0 && at < self.body.len()).collect();
        self.splits.sort_unstable();
        self.splits.dedup();
        self
    }

    /// Waits before the first byte of the answer.
    #[must_use]
    pub fn delay(mut self, before: Duration) -> Self {
        self.delay = before;
        self
    }

    /// Waits between the head and the body, and between the pieces.
    #[must_use]
    pub fn pause(mut self, between: Duration) -> Self {
        self.pause = between;
        self
    }

    /// Leaves out the body after so many bytes. A stated length stays that of the whole body.
    #[must_use]
    pub fn cut(mut self, after: usize) -> Self {
        self.keep = after.min(self.body.len());
        self
    }

    /// Sets how the answer ends.
    #[must_use]
    pub fn ending(mut self, ending: Ending) -> Self {
        self.ending = ending;
        self
    }

    /// What is done on the connection, in order.
    pub(super) fn acts(&self) -> Vec<Act> {
        let mut acts = vec![Act::Wait(self.delay)];
        acts.extend(self.head.as_ref().map(|head| Act::Send(head.bytes(self.body.len()))));
        let chunked = self.head.as_ref().is_some_and(|head| head.chunked);
        let mut start = 0;
        for end in self.splits.iter().copied().filter(|&at| at < self.keep).chain([self.keep]) {
            let piece = &self.body[start..end];
            start = end;
            // An empty chunk would be the end of the body.
            if piece.is_empty() {
                continue;
            }
            acts.push(Act::Wait(self.pause));
            let bytes = if chunked { chunk(piece) } else { piece.to_vec() };
            acts.push(Act::Send(bytes));
        }
        if chunked && self.ending == Ending::Proper {
            acts.push(Act::Send(b"0\r\n\r\n".to_vec()));
        }
        acts.push(match self.ending {
            // A body that is shorter than its stated length has no proper end.
            Ending::Proper if !chunked && self.keep < self.body.len() => Act::Close,
            Ending::Proper => Act::Next,
            Ending::Close => Act::Close,
            Ending::Reset => Act::Reset,
            Ending::Stall => Act::Stall,
        });
        acts
    }
}

impl Head {
    fn bytes(&self, length: usize) -> Vec<u8> {
        // The phrase after the status means nothing to a client.
        let mut head = format!("HTTP/1.1 {} status\r\n", self.status);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if self.chunked {
            head.push_str("transfer-encoding: chunked\r\n\r\n");
        } else {
            head.push_str(&format!("content-length: {length}\r\n\r\n"));
        }
        head.into_bytes()
    }
}

fn chunk(piece: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat()
}

/// One thing that the server does on a connection.
#[derive(Debug, PartialEq)]
pub(super) enum Act {
    /// Waits, and sees whether the client goes.
    Wait(Duration),
    /// Sends bytes.
    Send(Vec<u8>),
    /// Awaits the next request.
    Next,
    /// Closes the connection.
    Close,
    /// Resets the connection.
    Reset,
    /// Waits until the client goes.
    Stall,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(answer: &Answer) -> String {
        let acts = answer.acts();
        let bytes = acts.iter().filter_map(|act| match act {
            Act::Send(bytes) => Some(bytes.as_slice()),
            _ => None,
        });
        String::from_utf8(bytes.collect::<Vec<_>>().concat()).unwrap()
    }

    #[test]
    fn a_chunked_body_comes_in_chunks_and_ends_with_an_empty_one() {
        let sent = sent(&Answer::events("abcde").pieces_of(2));
        assert!(sent.ends_with("chunked\r\n\r\n2\r\nab\r\n2\r\ncd\r\n1\r\ne\r\n0\r\n\r\n"), "{sent}");
    }

    #[test]
    fn a_cut_body_keeps_its_stated_length_and_cannot_end_properly() {
        let answer = Answer::text(200, "text/plain", "abcde").cut(3);
        assert!(sent(&answer).ends_with("content-length: 5\r\n\r\nabc"));
        assert_eq!(answer.acts().last(), Some(&Act::Close));
    }

    #[test]
    fn a_cut_chunked_body_may_look_as_if_it_were_whole() {
        let answer = Answer::events("abcde").split_at(&[1, 4]).cut(3);
        assert!(sent(&answer).ends_with("1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"));
        let nothing = Answer::events("abcde").cut(0).ending(Ending::Close);
        assert!(sent(&nothing).ends_with("chunked\r\n\r\n"));
    }
}
