//! Server-sent events from bytes, whatever way they are cut.
//!
//! Follows the "event stream interpretation" of the [WHATWG HTML standard][spec]: lines end with CR, LF or CRLF, a byte
//! order mark at the start is left out, bytes that are no UTF-8 become U+FFFD, and an event that is not
//! followed by an empty line was never sent.
//!
//! [spec]: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

use std::collections::VecDeque;
use std::time::Duration;

use crate::error::ModelError;

/// An event may be so large unless [`Parser::max_event`] says otherwise: 16 MiB.
pub const MAX_EVENT: usize = 16 << 20;

/// One event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Event {
    /// Its type; `message` if the server gave it none.
    pub event: String,
    /// What it says, the lines joined by LF.
    pub data: String,
    /// The last id that the server has given, to this event or to one before.
    pub id: Option<String>,
}

/// Reads events from pieces of a byte stream.
///
/// ```
/// use research_llm::sse::Parser;
///
/// let mut parser = Parser::new();
/// parser.push(b"event: greeting\r\nda");
/// assert!(parser.next_event().is_none());
/// parser.push(b"ta: hello\r\n\r\n");
/// let event = parser.next_event().unwrap()?;
/// assert_eq!((event.event.as_str(), event.data.as_str()), ("greeting", "hello"));
/// # Ok::<(), research_llm::ModelError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Parser {
    /// The line that has not ended yet.
    line: Vec<u8>,
    event: String,
    data: String,
    has_data: bool,
    id: Option<String>,
    retry: Option<Duration>,
    after_cr: bool,
    at_start: bool,
    max_event: usize,
    /// Whether an event was too large; nothing is read after it.
    overflown: bool,
    ready: VecDeque<Result<Event, ModelError>>,
}

impl Default for Parser {
    fn default() -> Self {
        Self::new()
    }
}

impl Parser {
    /// A parser at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self {
            line: Vec::new(),
            event: String::new(),
            data: String::new(),
            has_data: false,
            id: None,
            retry: None,
            after_cr: false,
            at_start: true,
            max_event: MAX_EVENT,
            overflown: false,
            ready: VecDeque::new(),
        }
    }

    /// Sets how large an event may be: the bytes of its data and of the line that is being read.
    #[must_use]
    pub fn max_event(mut self, bytes: usize) -> Self {
        self.max_event = bytes;
        self
    }

    /// Adds the next bytes of the stream.
    pub fn push(&mut self, mut bytes: &[u8]) {
        while let (Some(&first), false) = (bytes.first(), self.overflown) {
            if std::mem::take(&mut self.after_cr) && first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let (piece, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            if self.line.len() + piece.len() + self.data.len() > self.max_event {
                return self.overflow();
            }
            self.line.extend_from_slice(piece);
            bytes = rest;
            if let Some((&terminator, rest)) = rest.split_first() {
                self.after_cr = terminator == b'\r';
                bytes = rest;
                self.end_line();
            }
        }
    }

    /// The next whole event, if one has arrived; after [`push`](Self::push) to be called until there is none.
    ///
    /// # Errors
    /// [`ModelError::InvalidResponse`] if an event was too large. Nothing comes after it.
    pub fn next_event(&mut self) -> Option<Result<Event, ModelError>> {
        self.ready.pop_front()
    }

    /// How long a client should wait before it connects again, if the server has said so.
    #[must_use]
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    #[cold]
    fn overflow(&mut self) {
        self.overflown = true;
        self.line = Vec::new();
        self.data = String::new();
        let message = format!("an event of more than {} bytes", self.max_event);
        self.ready.push_back(Err(ModelError::invalid_response(message, None)));
    }

    fn end_line(&mut self) {
        let bytes = std::mem::take(&mut self.line);
        let bytes = match bytes.strip_prefix(b"\xEF\xBB\xBF") {
            Some(rest) if self.at_start => rest,
            _ => &bytes,
        };
        self.at_start = false;
        if bytes.is_empty() {
            return self.dispatch();
        }
        // No byte of CR or LF is part of another character, so a line can be decoded on its own.
        let line = String::from_utf8_lossy(bytes);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event),
            "data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.has_data = true;
                self.data.push_str(value);
            }
            "id" if !value.contains('\0') => self.id = Some(value.to_owned()).filter(|id| !id.is_empty()),
            "retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.retry = value.parse().ok().map(Duration::from_millis).or(self.retry);
            }
            // Comments have an empty field name; unknown fields are to be left out.
            _ => {}
        }
    }

    fn dispatch(&mut self) {
        let event = std::mem::take(&mut self.event);
        let data = std::mem::take(&mut self.data);
        if std::mem::take(&mut self.has_data) {
            let event = if event.is_empty() { "message".to_owned() } else { event };
            self.ready.push_back(Ok(Event { event, data, id: self.id.clone() }));
        }
    }
}
