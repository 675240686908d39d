//! The trait of a wire format, seen from the server.

use std::fmt;

use serde_json::Value;

use super::super::server::Received;
use super::asked::Asked;
use super::fault::Fault;
use super::fields::Unreadable;
use crate::response::{Response, Usage};

/// A piece of a streamed answer as it goes over the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frame {
    /// The event, with the empty line that ends it.
    pub bytes: String,
    /// The text that it adds to the answer.
    pub text: String,
}

impl Frame {
    /// An event that adds this text.
    pub fn new(bytes: impl Into<String>, text: impl Into<String>) -> Self {
        Self { bytes: bytes.into(), text: text.into() }
    }
}

/// The server's side of a wire format.
pub trait WireFormat: fmt::Debug + Send + Sync {
    /// Its name, for reports.
    fn name(&self) -> &'static str;

    /// The base URL that a client of this format is given for a server at `http://HOST:PORT`.
    fn base_url(&self, server: &str) -> String;

    /// A whole answer.
    fn answer(&self, response: &Response) -> Value;

    /// The same answer as events. Text and arguments come in several pieces, and calls of several tools are woven into
    /// each other where the format can.
    fn frames(&self, response: &Response) -> Vec<Frame>;

    /// Events and comments that a client must pass over, as servers send them to keep a connection alive or will send
    /// them one day.
    fn noise(&self) -> Vec<String>;

    /// The body of a failure.
    fn error(&self, fault: Fault, message: &str) -> Value;

    /// An event that says that a stream failed, with the HTTP status 200 long gone out.
    fn error_frame(&self, fault: Fault, message: &str) -> String;

    /// Of what a call used, the part that the format can say.
    fn says(&self, usage: Usage) -> Usage;

    /// An answer with reasoning, and with what the format wants handed back of it.
    fn reasoned(&self) -> Response;

    /// Whether requests can name texts that end the answer.
    fn takes_stop(&self) -> bool {
        true
    }

    /// Reads a request.
    ///
    /// # Errors
    /// What a real server would refuse.
    fn read(&self, request: &Received) -> Result<Asked, Unreadable>;
}

/// A text in pieces of a few characters, so that words and numbers are torn.
pub(super) fn torn(text: &str) -> impl Iterator<Item = String> + use<> {
    const PIECE: usize = 5;
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(PIECE).map(|piece| piece.iter().collect()).collect::<Vec<String>>().into_iter()
}
