//! How bad it is what is said for the log of a client.
#![expect(deprecated, reason = "clients of the revisions up to 2025-11-25 know no other log, and people read it")]

use rmcp::model::{LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParam, ServerNotification};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How bad it is what is said for the log (RFC 5424).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum LogLevel {
    /// Of use to those who look for a fault.
    Debug,
    /// What happens in the ordinary way.
    Info,
    /// Ordinary, and worth a look.
    Notice,
    /// May become an error.
    Warning,
    /// Something failed.
    Error,
    /// A part of the server failed.
    Critical,
    /// Somebody must do something now.
    Alert,
    /// The server is of no use.
    Emergency,
}

impl LogLevel {
    pub(super) fn read(level: LoggingLevel) -> Self {
        match level {
            LoggingLevel::Debug => Self::Debug,
            LoggingLevel::Info => Self::Info,
            LoggingLevel::Notice => Self::Notice,
            LoggingLevel::Warning => Self::Warning,
            LoggingLevel::Error => Self::Error,
            LoggingLevel::Critical => Self::Critical,
            LoggingLevel::Alert => Self::Alert,
            LoggingLevel::Emergency => Self::Emergency,
        }
    }

    /// A message for the log of a client.
    pub(super) fn message(self, logger: &str, data: Value) -> ServerNotification {
        let params = LoggingMessageNotificationParam::new(self.write(), data).with_logger(logger);
        ServerNotification::LoggingMessageNotification(LoggingMessageNotification::new(params))
    }

    fn write(self) -> LoggingLevel {
        match self {
            Self::Debug => LoggingLevel::Debug,
            Self::Info => LoggingLevel::Info,
            Self::Notice => LoggingLevel::Notice,
            Self::Warning => LoggingLevel::Warning,
            Self::Error => LoggingLevel::Error,
            Self::Critical => LoggingLevel::Critical,
            Self::Alert => LoggingLevel::Alert,
            Self::Emergency => LoggingLevel::Emergency,
        }
    }
}
