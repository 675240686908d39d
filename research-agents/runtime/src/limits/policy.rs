//! The access policy of a run: tools by role, hosts and paths. What is not allowed is refused.

pub(crate) mod address;
pub(crate) mod refusal;
pub(crate) mod scan;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use url::{Host, Url};

use crate::limits::policy::scan::Location;

pub use crate::limits::policy::address::{is_public, is_public_host};
pub use crate::limits::policy::refusal::{Action, AuditEvent, ReasonCode, Refusal};

/// The hosts that a run may contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Egress {
    /// No hosts.
    None,
    /// The listed hosts, and those that the user named.
    #[default]
    AllowList,
    /// The hosts of [`AllowList`](Self::AllowList), and every host of the public network.
    Public,
    /// The hosts of [`AllowList`](Self::AllowList), and every host of the private network, so that
    /// nothing leaves it.
    Private,
}

/// The origin of a host or path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The host program, or the user explicitly.
    Trusted,
    /// A model, a document or a tool: text that may be written to mislead.
    Untrusted,
}

/// The tools, hosts and paths that a run may use. [`new`](Self::new) allows nothing.
///
/// A host or path from untrusted text is refused unless it is listed. One that the user named is
/// allowed whatever the [egress](Self::egress), except under [`Egress::None`].
///
/// ```
/// use research_agents_runtime::limits::policy::{Egress, Origin, Policy, ReasonCode};
///
/// let policy = Policy::new()
///     .role("scanner", ["search_*"])
///     .role("synthesizer", [""; 0])
///     .host("*.example.org");
///
/// assert!(policy.tool("scanner", "search_events").is_ok());
/// let refusal = policy.tool("scanner", "delete_events").unwrap_err();
/// assert_eq!(refusal.code, ReasonCode::ToolNotAllowed);
/// let refusal = policy.tool("synthesizer", "search_events").unwrap_err();
/// assert_eq!(refusal.code, ReasonCode::RoleHasNoTools);
///
/// assert!(policy.url("scanner", "https://data.example.org/x", Origin::Untrusted).is_ok());
/// let refusal = policy.url("scanner", "https://evil.example/", Origin::Untrusted).unwrap_err();
/// assert_eq!(refusal.code, ReasonCode::HostFromUntrusted);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Policy {
    roles: BTreeMap<String, BTreeSet<String>>,
    egress: Egress,
    hosts: BTreeSet<String>,
    paths: BTreeSet<String>,
}

impl Policy {
    /// Creates a policy that allows nothing: no role has a tool, and no host or path is listed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets a role call the tools that match a pattern, in which `*` is any text. A role without
    /// patterns may call no tools. Repeated calls add patterns.
    #[must_use]
    pub fn role<T: Into<String>>(
        mut self,
        role: impl Into<String>,
        tools: impl IntoIterator<Item = T>,
    ) -> Self {
        self.roles
            .entry(role.into())
            .or_default()
            .extend(tools.into_iter().map(Into::into));
        self
    }

    /// Sets which hosts the run may contact. Defaults to [`Egress::AllowList`].
    #[must_use]
    pub fn egress(mut self, egress: Egress) -> Self {
        self.egress = egress;
        self
    }

    /// Allows a host: a name, an address, or `*.name` for all names below it. Case does not matter.
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.hosts.insert(host.into().to_ascii_lowercase());
        self
    }

    /// Allows a directory, by its absolute path, with everything below it.
    #[must_use]
    pub fn path(mut self, directory: impl Into<String>) -> Self {
        self.paths.insert(directory.into());
        self
    }

    /// Checks whether the role may call the tool.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] when it may not, or when the policy does not have the role.
    pub fn tool(&self, role: &str, tool: &str) -> Result<(), Refusal> {
        let refuse = |code| Err(Refusal::new(role, Action::Tool, code, tool));
        match self.roles.get(role) {
            None => refuse(ReasonCode::UnknownRole),
            Some(tools) if tools.is_empty() => refuse(ReasonCode::RoleHasNoTools),
            Some(tools) if tools.iter().any(|pattern| matches(pattern, tool)) => Ok(()),
            Some(_) => refuse(ReasonCode::ToolNotAllowed),
        }
    }

    /// Checks whether the role may have this URL opened. Only its form and its host are judged. The
    /// code that connects must also check the IP addresses to which the name resolves, with
    /// [`is_public`].
    ///
    /// # Errors
    ///
    /// A [`Refusal`] when it may not.
    pub fn url(&self, role: &str, url: &str, origin: Origin) -> Result<(), Refusal> {
        let refuse = |code| Err(Refusal::new(role, Action::Host, code, url));
        let Ok(parsed) = Url::parse(url.trim()) else {
            return refuse(ReasonCode::MalformedAddress);
        };
        let scheme_is_safe = match parsed.scheme() {
            "https" => true,
            "http" => origin == Origin::Trusted,
            _ => false,
        };
        if !scheme_is_safe {
            return refuse(ReasonCode::SchemeNotAllowed);
        }
        if !parsed.username().is_empty() || parsed.password().is_some() {
            return refuse(ReasonCode::CredentialsInAddress);
        }

        match parsed.host() {
            Some(host) => self.judge(&host, origin).or_else(refuse),
            None => refuse(ReasonCode::MalformedAddress),
        }
    }

    /// Checks whether the role may have this host contacted, named alone or with a port.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] when it may not.
    pub fn host_name(&self, role: &str, host: &str, origin: Origin) -> Result<(), Refusal> {
        let refuse = |code| Err(Refusal::new(role, Action::Host, code, host));
        // A URL parser reads every number that a resolver would take for an IP address.
        let parsed = Url::parse(&format!("https://{}/", host.trim())).ok();
        let host = parsed
            .as_ref()
            .filter(|url| url.path() == "/" && url.username().is_empty())
            .and_then(Url::host);
        match host {
            Some(host) => self.judge(&host, origin).or_else(refuse),
            None => refuse(ReasonCode::MalformedAddress),
        }
    }

    fn judge(&self, host: &Host<&str>, origin: Origin) -> Result<(), ReasonCode> {
        if self.egress == Egress::None {
            return Err(ReasonCode::EgressNone);
        }

        let name = host
            .to_string()
            .trim_end_matches('.')
            .trim_matches(['[', ']'])
            .to_ascii_lowercase();

        if self.hosts.iter().any(|listed| is_below(listed, &name)) || origin == Origin::Trusted {
            return Ok(());
        }

        let public = address::is_public_host(host);
        match self.egress {
            Egress::Public if public => Ok(()),
            Egress::Private if !public => Ok(()),
            Egress::Public => Err(ReasonCode::PrivateHost),
            Egress::Private => Err(ReasonCode::PublicHost),
            _ => Err(ReasonCode::HostFromUntrusted),
        }
    }

    /// Checks whether the role may have this path opened. It is judged as it is written; the code
    /// that opens it must handle symbolic links.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] when it may not.
    pub fn file(&self, role: &str, path: &str, origin: Origin) -> Result<(), Refusal> {
        let refuse = |code| Err(Refusal::new(role, Action::Path, code, path));

        if path.contains('\0') {
            return refuse(ReasonCode::MalformedPath);
        }
        if path.split(['/', '\\']).any(|part| part.trim() == "..") {
            return refuse(ReasonCode::PathEscapes);
        }

        let within = |root: &String| {
            let root = root.trim_end_matches('/');
            path.strip_prefix(root)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };

        if self.paths.iter().any(within) {
            return Ok(());
        }
        match origin {
            Origin::Trusted => Ok(()),
            Origin::Untrusted => refuse(ReasonCode::PathFromUntrusted),
        }
    }

    /// Checks the hosts and paths in the arguments of a tool call. They are recognised by their
    /// form, or by the name of their argument, and are untrusted unless the user's text names them
    /// in full.
    ///
    /// All arguments are checked. The caller leaves out conditions that the tool only compares its
    /// records with.
    ///
    /// ```
    /// use research_agents_runtime::limits::policy::{Policy, ReasonCode};
    /// use serde_json::json;
    ///
    /// let code = |arguments: serde_json::Value| {
    ///     let arguments = arguments.as_object().cloned().unwrap_or_default();
    ///     let result = Policy::new().arguments("scanner", &arguments, "what is in /srv/in.csv");
    ///     result.err().map(|refusal| refusal.code)
    /// };
    ///
    /// assert_eq!(code(json!({"query": "AND/OR, 3:1, $45,004", "file": "/srv/in.csv"})), None);
    /// let host = json!({"query": "see https:evil.example"});
    /// assert_eq!(code(host), Some(ReasonCode::HostFromUntrusted));
    /// let path = json!({"source_path": ".env"});
    /// assert_eq!(code(path), Some(ReasonCode::PathFromUntrusted));
    /// ```
    ///
    /// # Errors
    ///
    /// A [`Refusal`] for the first host or path that may not be used.
    pub fn arguments(
        &self,
        role: &str,
        arguments: &Map<String, Value>,
        user: &str,
    ) -> Result<(), Refusal> {
        for found in scan::locations(arguments) {
            let is_named = scan::names_in_full(user, found.text());
            let origin = if is_named {
                Origin::Trusted
            } else {
                Origin::Untrusted
            };
            match &found {
                Location::Url(url) => self.url(role, url, origin)?,
                Location::Host(host) => self.host_name(role, host, origin)?,
                Location::Path(path) => self.file(role, path, origin)?,
            }
        }

        Ok(())
    }
}

/// Returns `true` if a name is the listed one, or is below it if the list has it with `*.`.
fn is_below(listed: &str, name: &str) -> bool {
    match listed.strip_prefix("*.") {
        Some(parent) => name
            .strip_suffix(parent)
            .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
        None => listed == name,
    }
}

/// Returns `true` if a string matches the pattern, in which `*` is any text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(head) else {
        return false;
    };

    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return text.ends_with(part);
        }
        let Some(at) = text.find(part) else {
            return false;
        };
        text = &text[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests;
