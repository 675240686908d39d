//! What a run may touch: tools by role, hosts, paths. What is not allowed is refused.

mod address;
mod refusal;
mod scan;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use url::{Host, Url};

pub use address::is_public;
pub use refusal::{Action, AuditEvent, ReasonCode, Refusal};

/// Where a run may reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Egress {
    /// Nowhere.
    None,
    /// The listed hosts, and those that the user has named.
    #[default]
    AllowList,
    /// Beside these, every host of the public network.
    Public,
    /// Beside these, every host of the private network, so that nothing leaves it.
    Private,
}

/// Who a host or path comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The host of the library, or the user in so many words.
    Trusted,
    /// A model, a document, a tool: text that may have been written to mislead.
    Untrusted,
}

/// What a run may touch. [`new`](Self::new) allows nothing: what is to be allowed is said.
///
/// A host or path that comes from untrusted text is refused unless it is listed. One that the user has named is exempt from
/// the scope of the egress, except where that is [`Egress::None`].
///
/// ```
/// use research_agents::kernel::policy::{Egress, Origin, Policy, ReasonCode};
///
/// let policy = Policy::new().role("scanner", ["search_*"]).role("synthesizer", [""; 0]).host("*.example.org");
/// assert!(policy.tool("scanner", "search_events").is_ok());
/// assert_eq!(policy.tool("scanner", "delete_events").unwrap_err().code, ReasonCode::ToolNotAllowed);
/// assert_eq!(policy.tool("synthesizer", "search_events").unwrap_err().code, ReasonCode::RoleHasNoTools);
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
    /// Nothing is allowed: no role has a tool, no host and no path is listed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets a role call the tools of these patterns, in which `*` is any text; none at all when there is no pattern. Said
    /// again, it adds to what was said.
    #[must_use]
    pub fn role<T: Into<String>>(mut self, role: impl Into<String>, tools: impl IntoIterator<Item = T>) -> Self {
        self.roles.entry(role.into()).or_default().extend(tools.into_iter().map(Into::into));
        self
    }

    /// Sets where the run may reach.
    #[must_use]
    pub fn egress(mut self, egress: Egress) -> Self {
        self.egress = egress;
        self
    }

    /// Lists a host: a name, an address, or `*.name` for all names below it. Case does not matter.
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.hosts.insert(host.into().to_ascii_lowercase());
        self
    }

    /// Lists a directory, by its absolute path, with all that is below it.
    #[must_use]
    pub fn path(mut self, directory: impl Into<String>) -> Self {
        self.paths.insert(directory.into());
        self
    }

    /// Whether the role may call the tool.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] when it may not, or when the policy does not know the role.
    pub fn tool(&self, role: &str, tool: &str) -> Result<(), Refusal> {
        let refuse = |code| Err(Refusal::new(role, Action::Tool, code, tool));
        match self.roles.get(role) {
            None => refuse(ReasonCode::UnknownRole),
            Some(tools) if tools.is_empty() => refuse(ReasonCode::RoleHasNoTools),
            Some(tools) if tools.iter().any(|pattern| matches(pattern, tool)) => Ok(()),
            Some(_) => refuse(ReasonCode::ToolNotAllowed),
        }
    }

    /// Whether the role may have this address opened. Only the form of the address and its host are judged; who connects
    /// must judge the addresses that the name resolves to as well, by [`is_public`].
    ///
    /// # Errors
    ///
    /// A [`Refusal`] when it may not.
    pub fn url(&self, role: &str, url: &str, origin: Origin) -> Result<(), Refusal> {
        let refuse = |code| Err(Refusal::new(role, Action::Host, code, url));
        let Ok(parsed) = Url::parse(url.trim()) else { return refuse(ReasonCode::MalformedAddress) };
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

    /// Whether the role may have this host contacted, named alone or with a port.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] when it may not.
    pub fn host_name(&self, role: &str, host: &str, origin: Origin) -> Result<(), Refusal> {
        let refuse = |code| Err(Refusal::new(role, Action::Host, code, host));
        // The rules of addresses read every form of a number that a resolver would take for one.
        let parsed = Url::parse(&format!("https://{}/", host.trim())).ok();
        let host = parsed.as_ref().filter(|url| url.path() == "/" && url.username().is_empty()).and_then(Url::host);
        match host {
            Some(host) => self.judge(&host, origin).or_else(refuse),
            None => refuse(ReasonCode::MalformedAddress),
        }
    }

    fn judge(&self, host: &Host<&str>, origin: Origin) -> Result<(), ReasonCode> {
        if self.egress == Egress::None {
            return Err(ReasonCode::EgressNone);
        }
        let name = host.to_string().trim_end_matches('.').trim_matches(['[', ']']).to_ascii_lowercase();
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

    /// Whether the role may have this path opened. It is judged as it is written; who opens it must see to links.
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
            path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if self.paths.iter().any(within) {
            return Ok(());
        }
        match origin {
            Origin::Trusted => Ok(()),
            Origin::Untrusted => refuse(ReasonCode::PathFromUntrusted),
        }
    }

    /// Whether the role may call a tool with these arguments, as far as they name hosts and paths: by their form, or by the
    /// name of their argument. They count as untrusted, except for those that the words of
    /// the user name in full.
    ///
    /// All arguments are judged. Conditions that a tool compares its records with, and opens nothing of, are for the caller to
    /// leave out.
    ///
    /// ```
    /// use research_agents::kernel::policy::{Policy, ReasonCode};
    /// use serde_json::json;
    ///
    /// let code = |arguments: serde_json::Value| {
    ///     let arguments = arguments.as_object().cloned().unwrap_or_default();
    ///     Policy::new().arguments("scanner", &arguments, "what is in /srv/in.csv").err().map(|refusal| refusal.code)
    /// };
    /// assert_eq!(code(json!({"query": "AND/OR, 3:1, $45,004", "file": "/srv/in.csv"})), None);
    /// assert_eq!(code(json!({"query": "see https:evil.example"})), Some(ReasonCode::HostFromUntrusted));
    /// assert_eq!(code(json!({"source_path": ".env"})), Some(ReasonCode::PathFromUntrusted));
    /// ```
    ///
    /// # Errors
    ///
    /// A [`Refusal`] for the first host or path that may not be used.
    pub fn arguments(&self, role: &str, arguments: &Map<String, Value>, user: &str) -> Result<(), Refusal> {
        for found in scan::named(arguments) {
            let is_named = scan::stands_in(user, found.text());
            let origin = if is_named { Origin::Trusted } else { Origin::Untrusted };
            match &found {
                scan::Named::Url(url) => self.url(role, url, origin)?,
                scan::Named::Host(host) => self.host_name(role, host, origin)?,
                scan::Named::Path(path) => self.file(role, path, origin)?,
            }
        }
        Ok(())
    }
}

/// Whether a name is the listed one, or below it where `*.` was listed.
fn is_below(listed: &str, name: &str) -> bool {
    match listed.strip_prefix("*.") {
        Some(parent) => name.strip_suffix(parent).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
        None => listed == name,
    }
}

/// Whether a text is of the pattern, in which `*` is any text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return text.ends_with(part);
        }
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests;
