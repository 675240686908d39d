//! Errors of the operating system as errors of a model call.

use std::io;
use std::sync::Arc;

use super::kind::ErrorKind;
use super::model_error::ModelError;
use super::{rules, text};

impl ModelError {
    /// What an error of input or output means for a call. Its kind counts first, its text only where it has none.
    ///
    /// ```
    /// use std::io;
    /// use research_llm::{ErrorKind, ModelError};
    ///
    /// let error = ModelError::from_io(io::ErrorKind::ConnectionReset.into());
    /// assert_eq!(error.kind(), ErrorKind::Connection);
    /// ```
    #[cold]
    #[must_use]
    pub fn from_io(error: io::Error) -> Self {
        use io::ErrorKind as Io;

        let message = error.to_string();
        let kind = match error.kind() {
            Io::TimedOut => ErrorKind::Timeout,
            Io::ConnectionRefused
            | Io::ConnectionReset
            | Io::ConnectionAborted
            | Io::NotConnected
            | Io::AddrNotAvailable
            | Io::HostUnreachable
            | Io::NetworkUnreachable
            | Io::NetworkDown
            | Io::BrokenPipe
            | Io::UnexpectedEof
            | Io::WriteZero
            | Io::Interrupted => ErrorKind::Connection,
            Io::InvalidData => ErrorKind::InvalidResponse,
            Io::PermissionDenied | Io::InvalidInput | Io::Unsupported | Io::OutOfMemory => ErrorKind::Unknown,
            // A name that cannot be resolved has no kind of its own.
            _ => {
                let words = text::normal(&message);
                let known =
                    rules::TEXT.iter().filter(|(kind, _)| matches!(kind, ErrorKind::Connection | ErrorKind::Timeout));
                known
                    .into_iter()
                    .find(|(_, patterns)| text::holds_any(&words, patterns))
                    .map_or(ErrorKind::Unknown, |(kind, _)| *kind)
            }
        };
        let source = Some(Arc::new(error) as super::model_error::Cause);
        match kind {
            ErrorKind::Timeout => Self::timed_out(message, None, source),
            ErrorKind::Connection => Self::connection(message, source),
            ErrorKind::InvalidResponse => Self::invalid_response(message, source),
            _ => Self::other(message, source),
        }
    }
}
