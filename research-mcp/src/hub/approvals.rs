//! Which tools were approved, and as what.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::{ToolChange, ToolChangeKind};
use crate::fingerprint::Fingerprint;
use crate::tool::Tool;

/// Which tools of which servers were approved, by the fingerprints that they had then. Keep it between runs of a program to
/// notice a server that changes its tools from one day to the next.
///
/// By default a tool is approved when it is seen first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Approvals {
    /// Whether a tool must be approved explicitly before it is called.
    pub strict: bool,
    /// Fingerprints by the name of the server in the hub and the server's name for the tool.
    pub tools: BTreeMap<String, BTreeMap<String, Fingerprint>>,
}

impl Approvals {
    /// No tool; each is approved when it is seen first.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// No tool; each must be approved explicitly.
    #[must_use]
    pub fn strict() -> Self {
        Self { strict: true, ..Self::default() }
    }

    /// Approves a tool as it is.
    pub fn approve(&mut self, tool: &Tool) {
        self.tools.entry(tool.server.clone()).or_default().insert(tool.name.clone(), Fingerprint::of(tool));
    }

    /// How a tool stands.
    #[must_use]
    pub fn standing(&self, tool: &Tool) -> Standing {
        match self.tools.get(&tool.server).and_then(|tools| tools.get(&tool.name)) {
            Some(approved) if *approved == Fingerprint::of(tool) => Standing::Approved,
            Some(_) => Standing::Changed,
            None => Standing::Unknown,
        }
    }

    /// Whether a tool of this name was ever approved.
    pub(super) fn knows(&self, server: &str, tool: &str) -> bool {
        self.tools.get(server).is_some_and(|tools| tools.contains_key(tool))
    }

    /// Takes in a listing: approves what is new, unless approval must be explicit.
    pub(super) fn see(&mut self, tools: &[Tool]) {
        for tool in tools {
            if !self.strict && self.standing(tool) == Standing::Unknown {
                self.approve(tool);
            }
        }
    }
}

/// How a tool stands towards what was approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// It is what was approved.
    Approved,
    /// It is not what was approved.
    Changed,
    /// It was never approved.
    Unknown,
}

/// How a listing differs from the one before.
pub(super) fn changes(before: &[Tool], now: &[Tool]) -> Vec<ToolChange> {
    let old: BTreeMap<&str, &Tool> = before.iter().map(|tool| (tool.name.as_str(), tool)).collect();
    let listed = now.iter().filter_map(|tool| {
        let kind = match old.get(tool.name.as_str()) {
            None => ToolChangeKind::Added,
            Some(old) if Fingerprint::of(old) != Fingerprint::of(tool) => ToolChangeKind::Changed,
            Some(_) => return None,
        };
        Some(ToolChange { tool: tool.name.clone(), kind })
    });
    let gone = before
        .iter()
        .filter(|tool| !now.iter().any(|other| other.name == tool.name))
        .map(|tool| ToolChange { tool: tool.name.clone(), kind: ToolChangeKind::Removed });
    listed.chain(gone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::Object;

    fn tool(name: &str, description: &str) -> Tool {
        Tool::new("s", name, Object::new()).with_description(description)
    }

    #[test]
    fn a_tool_is_approved_as_it_was_seen_first() {
        let mut approvals = Approvals::new();
        approvals.see(&[tool("a", "reads")]);
        approvals.see(&[tool("a", "reads and sends")]);
        assert_eq!(approvals.standing(&tool("a", "reads")), Standing::Approved);
        assert_eq!(approvals.standing(&tool("a", "reads and sends")), Standing::Changed);
        approvals.approve(&tool("a", "reads and sends"));
        assert_eq!(approvals.standing(&tool("a", "reads and sends")), Standing::Approved);
    }

    #[test]
    fn strict_approvals_wait_to_be_asked() {
        let mut approvals = Approvals::strict();
        approvals.see(&[tool("a", "reads")]);
        assert_eq!(approvals.standing(&tool("a", "reads")), Standing::Unknown);
    }

    #[test]
    fn a_listing_is_compared_with_the_one_before() {
        let before = [tool("a", "1"), tool("b", "1"), tool("c", "1")];
        let now = [tool("d", "1"), tool("c", "2"), tool("a", "1")];
        let found: Vec<_> = changes(&before, &now).into_iter().map(|change| (change.tool, change.kind)).collect();
        let expected = [("d", ToolChangeKind::Added), ("c", ToolChangeKind::Changed), ("b", ToolChangeKind::Removed)];
        assert_eq!(found, expected.map(|(tool, kind)| (tool.to_owned(), kind)));
    }
}
