//! Finds the id of a message that is not read as a whole.

/// JSON-RPC error code of the replacement. In the range that JSON-RPC 2.0 leaves to implementations; MCP does not use it.
pub(crate) const TOO_LONG: i32 = -32_098;

/// Longest key or id that is of interest, in bytes.
const TOKEN: usize = 128;

/// Finds the id of a JSON-RPC message without keeping the message. What stands before the message, such as the name of a field of
/// server-sent events, does not disturb it.
#[derive(Default)]
pub(crate) struct IdScanner {
    depth: usize,
    in_string: bool,
    escaped: bool,
    token: Vec<u8>,
    key: Option<Vec<u8>>,
    id: Option<Vec<u8>>,
    is_request: bool,
}

impl IdScanner {
    /// Takes in the next part of the message.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.in_string {
                self.in_string(*byte);
            } else {
                self.outside(*byte);
            }
        }
    }

    fn in_string(&mut self, byte: u8) {
        if self.escaped {
            self.escaped = false;
        } else if byte == b'\\' {
            self.escaped = true;
        } else if byte == b'"' {
            self.in_string = false;
        }
        self.push(byte);
    }

    fn outside(&mut self, byte: u8) {
        match byte {
            b'"' => {
                self.in_string = true;
                self.push(byte);
            }
            b'{' | b'[' => self.depth += 1,
            b':' if self.depth == 1 => self.key = Some(std::mem::take(&mut self.token)),
            b',' if self.depth == 1 => self.end_value(),
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_value();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            byte if byte.is_ascii_whitespace() => {}
            byte => self.push(byte),
        }
    }

    fn push(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() < TOKEN {
            self.token.push(byte);
        }
    }

    fn end_value(&mut self) {
        let value = std::mem::take(&mut self.token);
        match self.key.take().as_deref() {
            Some(b"\"id\"") => self.id = Some(value),
            Some(b"\"method\"") => self.is_request = true,
            _ => {}
        }
    }

    /// The id of a request.
    #[cfg(feature = "server")]
    pub(crate) fn id_of_request(self) -> Option<rmcp::model::RequestId> {
        let id = self.id.filter(|_| self.is_request)?;
        serde_json::from_slice(&id).ok()
    }

    /// Ends a message whose last brace is missing.
    pub(super) fn end(&mut self) {
        if self.depth == 1 {
            self.end_value();
        }
    }

    /// Whether it is a request or a notification.
    pub(super) fn is_request(&self) -> bool {
        self.is_request
    }

    /// The id of a response, as JSON.
    pub(super) fn id(self) -> Option<String> {
        let id = self.id.and_then(|id| String::from_utf8(id).ok()).filter(|_| !self.is_request)?;
        serde_json::from_str::<rmcp::model::RequestId>(&id).is_ok().then_some(id)
    }

    /// The error that stands for the message; nothing for one that is no response.
    pub(super) fn replacement(self, length: usize) -> Option<String> {
        let Some(id) = self.id() else {
            tracing::warn!(length, "a message above the size limit was dropped");
            return None;
        };
        Some(format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{TOO_LONG},\"message\":\"result too large\",\"data\":{{\"bytes\":{length}}}}}}}"
        ))
    }
}
