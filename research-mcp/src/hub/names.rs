//! Names that are unique in the hub and that every model provider accepts.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

use crate::connection::ServerListing;
use crate::document::short_hex;
use crate::source::{FailedServer, QuarantinedTool, ToolListing};

/// Longest name that the providers of language models accept.
const LONGEST: usize = 64;

/// Joins the listings of the servers. A tool keeps its name while no other tool of the hub has it; otherwise every tool of
/// that name is called `server__tool`. Two names that still fall together are not told apart by chance: the later is left out.
pub(super) fn expose(listings: Vec<ServerListing>, failed: Vec<FailedServer>) -> ToolListing {
    let mut listing = ToolListing { failed, ..ToolListing::default() };
    let mut uses: HashMap<String, usize> = HashMap::new();
    for tool in listings.iter().flat_map(|listing| &listing.tools) {
        *uses.entry(sanitise(&tool.name)).or_default() += 1;
    }
    let mut taken = HashSet::new();
    for server in listings {
        listing.quarantined.extend(server.quarantined);
        for mut tool in server.tools {
            let plain = sanitise(&tool.name);
            let name = if uses[&plain] == 1 { plain } else { sanitise(&format!("{}__{}", tool.server, tool.name)) };
            if taken.insert(name.clone()) {
                tool.exposed_name = name;
                listing.tools.push(tool);
            } else {
                let reason = format!("another tool is already exposed as `{name}`");
                listing.quarantined.push(QuarantinedTool { server: tool.server, name: tool.name, reason });
            }
        }
    }
    listing
}

/// The name with every character outside `[A-Za-z0-9_-]` replaced by `_`; a name that is too long is cut and ends in a hash of
/// the whole.
fn sanitise(name: &str) -> String {
    let clean: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect();
    if clean.len() <= LONGEST {
        return clean;
    }
    let hash = short_hex(&Sha256::digest(name));
    format!("{}-{hash}", &clean[..LONGEST - 1 - hash.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::{Object, Tool};

    fn names(servers: &[(&str, &[&str])]) -> (Vec<String>, Vec<String>) {
        let listings = servers
            .iter()
            .map(|(server, tools)| ServerListing {
                tools: tools.iter().map(|tool| Tool::new(*server, *tool, Object::new())).collect(),
                quarantined: Vec::new(),
            })
            .collect();
        let listing = expose(listings, Vec::new());
        let exposed = listing.tools.iter().map(|tool| tool.exposed_name.clone()).collect();
        (exposed, listing.quarantined.iter().map(|tool| tool.name.clone()).collect())
    }

    #[test]
    fn a_name_is_qualified_only_where_it_must_be() {
        let (exposed, quarantined) = names(&[("a", &["search", "read"]), ("b", &["search"])]);
        assert_eq!(exposed, ["a__search", "read", "b__search"]);
        assert!(quarantined.is_empty());
    }

    #[test]
    fn names_hold_only_allowed_characters_and_a_real_collision_is_refused() {
        let (exposed, quarantined) = names(&[("my server", &["read.file", "read file", "über"])]);
        assert_eq!(exposed, ["my_server__read_file", "_ber"]);
        assert_eq!(quarantined, ["read file"]);
    }

    #[test]
    fn a_long_name_is_cut_and_stays_unique() {
        let (long, other) = ("x".repeat(100), format!("{}y", "x".repeat(99)));
        let (exposed, quarantined) = names(&[("a", &[&long, &other])]);
        assert!(exposed.iter().all(|name| name.len() == 64), "{exposed:?}");
        assert_ne!(exposed[0], exposed[1]);
        assert!(quarantined.is_empty());
    }
}
