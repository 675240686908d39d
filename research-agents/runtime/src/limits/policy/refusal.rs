//! A refusal with its reason, and the event that reports it.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The action that a policy judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Action {
    /// A call of a tool.
    Tool,
    /// A connection to a host.
    Host,
    /// Access to a path.
    Path,
}

/// The reason for a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReasonCode {
    /// The policy does not know the role.
    UnknownRole,
    /// The role may not call any tools.
    RoleHasNoTools,
    /// The role may not call this tool.
    ToolNotAllowed,
    /// The run does not use this tool.
    ToolNotEnabled,
    /// The run may not contact any hosts.
    EgressNone,
    /// The host comes from untrusted text and is not listed.
    HostFromUntrusted,
    /// The host is in the private network, which the run may not contact.
    PrivateHost,
    /// The host is in the public network, which the run may not contact.
    PublicHost,
    /// The scheme of the URL is neither `https` nor, if the user named the URL, `http`.
    SchemeNotAllowed,
    /// The URL contains a user name or password.
    CredentialsInAddress,
    /// The URL cannot be parsed.
    MalformedAddress,
    /// The path comes from untrusted text and is not listed.
    PathFromUntrusted,
    /// The path leaves its directory through `..`.
    PathEscapes,
    /// The path cannot be parsed.
    MalformedPath,
}

impl ReasonCode {
    /// Returns the name in events and logs, such as `tool_not_allowed`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnknownRole => "unknown_role",
            Self::RoleHasNoTools => "role_has_no_tools",
            Self::ToolNotAllowed => "tool_not_allowed",
            Self::ToolNotEnabled => "tool_not_enabled",
            Self::EgressNone => "egress_none",
            Self::HostFromUntrusted => "host_from_untrusted",
            Self::PrivateHost => "private_host",
            Self::PublicHost => "public_host",
            Self::SchemeNotAllowed => "scheme_not_allowed",
            Self::CredentialsInAddress => "credentials_in_address",
            Self::MalformedAddress => "malformed_address",
            Self::PathFromUntrusted => "path_from_untrusted",
            Self::PathEscapes => "path_escapes",
            Self::MalformedPath => "malformed_path",
        }
    }

    fn explanation(self) -> &'static str {
        match self {
            Self::UnknownRole => "the policy does not know it",
            Self::RoleHasNoTools => "it has no tools",
            Self::ToolNotAllowed => "it may not call this tool",
            Self::ToolNotEnabled => "this run does not use the tool",

            Self::EgressNone => "this run reaches no host",
            Self::HostFromUntrusted => {
                "a host that neither the user nor the policy names is not contacted"
            }
            Self::PrivateHost => "a host of the private network is not contacted",
            Self::PublicHost => "a host of the public network is not contacted",
            Self::SchemeNotAllowed => "an address of this kind is not opened",
            Self::CredentialsInAddress => "an address with a user name in it is not opened",
            Self::MalformedAddress => "an address that cannot be read is not opened",

            Self::PathFromUntrusted => {
                "a path that neither the user nor the policy names is not opened"
            }
            Self::PathEscapes => "a path that leaves its directory is not opened",
            Self::MalformedPath => "a path that cannot be read is not opened",
        }
    }
}

impl fmt::Display for ReasonCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The error of a call that a policy refuses. It contains a fingerprint of what was refused instead
/// of the text, which may be an attacker's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a call of `{role}` was refused: {} ({code})", code.explanation())]
#[non_exhaustive]
pub struct Refusal {
    /// The role that made the call.
    pub role: String,
    /// The action that was refused.
    pub action: Action,
    /// The reason.
    pub code: ReasonCode,
    fingerprint: String,
}

/// Number of bytes of a hash that identify what was refused.
const FINGERPRINT: usize = 8;

impl Refusal {
    /// Creates the refusal of an action on `subject`, of which only the fingerprint is kept.
    pub fn new(role: &str, action: Action, code: ReasonCode, subject: &str) -> Self {
        let hash = Sha256::digest(subject.as_bytes());
        let fingerprint = hash
            .iter()
            .take(FINGERPRINT)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Self {
            role: role.to_owned(),
            action,
            code,
            fingerprint,
        }
    }

    /// Returns the event that reports the refusal.
    pub fn audit(&self) -> AuditEvent {
        AuditEvent {
            role: self.role.clone(),
            action: self.action,
            code: self.code,
            fingerprint: self.fingerprint.clone(),
        }
    }
}

/// The event that reports a refusal, without the text of what was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditEvent {
    /// The role that made the call.
    pub role: String,
    /// The action that was refused.
    pub action: Action,
    /// The reason.
    pub code: ReasonCode,
    /// The first eight bytes of the SHA-256 of what was refused, in hexadecimal digits.
    pub fingerprint: String,
}
