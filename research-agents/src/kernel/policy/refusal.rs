//! A refusal with its reason, and the event that is written about it.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What was to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Action {
    /// A tool was to be called.
    Tool,
    /// A host was to be contacted.
    Host,
    /// A path was to be opened.
    Path,
}

/// Why it was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReasonCode {
    /// The policy does not know the role.
    UnknownRole,
    /// The role has no tools at all.
    RoleHasNoTools,
    /// The tool is none of those that the role may call.
    ToolNotAllowed,
    /// The tool is none of those that this run uses.
    ToolNotEnabled,
    /// The run reaches no host at all.
    EgressNone,
    /// The host comes from untrusted text and is not listed.
    HostFromUntrusted,
    /// The host is in the private network, which the run does not reach.
    PrivateHost,
    /// The host is in the public network, which the run does not reach.
    PublicHost,
    /// The address is not of a kind that is opened: only `https`, and `http` where the user says so.
    SchemeNotAllowed,
    /// The address holds a user name or password.
    CredentialsInAddress,
    /// The address cannot be read.
    MalformedAddress,
    /// The path comes from untrusted text and is not listed.
    PathFromUntrusted,
    /// The path leaves its directory.
    PathEscapes,
    /// The path cannot be read.
    MalformedPath,
}

impl ReasonCode {
    /// The name in events and logs, such as `tool_not_allowed`.
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

    fn in_words(self) -> &'static str {
        match self {
            Self::UnknownRole => "the policy does not know it",
            Self::RoleHasNoTools => "it has no tools",
            Self::ToolNotAllowed => "it may not call this tool",
            Self::ToolNotEnabled => "this run does not use the tool",
            Self::EgressNone => "this run reaches no host",
            Self::HostFromUntrusted => "a host that neither the user nor the policy names is not contacted",
            Self::PrivateHost => "a host of the private network is not contacted",
            Self::PublicHost => "a host of the public network is not contacted",
            Self::SchemeNotAllowed => "an address of this kind is not opened",
            Self::CredentialsInAddress => "an address with a user name in it is not opened",
            Self::MalformedAddress => "an address that cannot be read is not opened",
            Self::PathFromUntrusted => "a path that neither the user nor the policy names is not opened",
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

/// A refusal. It does not hold what was asked for, which may be text of an attacker, but a fingerprint of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a call of `{role}` was refused: {} ({code})", code.in_words())]
#[non_exhaustive]
pub struct Refusal {
    /// The role that asked.
    pub role: String,
    /// What was to be done.
    pub action: Action,
    /// Why it was refused.
    pub code: ReasonCode,
    fingerprint: String,
}

/// Bytes of a hash that tell refusals apart.
const FINGERPRINT: usize = 8;

impl Refusal {
    /// A refusal of what `subject` names.
    pub fn new(role: &str, action: Action, code: ReasonCode, subject: &str) -> Self {
        let hash = Sha256::digest(subject.as_bytes());
        let fingerprint = hash.iter().take(FINGERPRINT).map(|byte| format!("{byte:02x}")).collect();
        Self { role: role.to_owned(), action, code, fingerprint }
    }

    /// What is written about it.
    pub fn audit(&self) -> AuditEvent {
        AuditEvent {
            role: self.role.clone(),
            action: self.action,
            code: self.code,
            fingerprint: self.fingerprint.clone(),
        }
    }
}

/// What is written about a refusal: no text of what was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditEvent {
    /// The role that asked.
    pub role: String,
    /// What was to be done.
    pub action: Action,
    /// Why it was refused.
    pub code: ReasonCode,
    /// The first eight bytes of the SHA-256 of the name that was refused, in hexadecimal: the same name gives the same.
    pub fingerprint: String,
}
