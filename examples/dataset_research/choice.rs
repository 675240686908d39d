//! Which tools of the servers are used: those that the user names, or the one that looks like a data tool.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use research_agents::dataset::only_reads;
use research_agents::dataset::task::ToolFacts;
use research_agents::mcp::{
    BoxFuture, CallOutput, Hub, McpError, Object, PagerOptions, Paging, Tool, ToolListing, ToolSource,
};

use super::view::tell;

/// Characters that names of tools may have, and how many.
const LONGEST: usize = 64;

/// No tool, or more than one, fits.
#[derive(Debug, thiserror::Error)]
pub enum ChoiceError {
    /// No server has a tool of the name.
    #[error("no tool is named `{name}`{}; there are: {}", .suggestion.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default(), .known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// The name that is most like it.
        suggestion: Option<String>,
        /// All tools.
        known: Vec<String>,
    },
    /// The server of the tool cannot be used.
    #[error("--tool {name}: the server `{server}` cannot be used: {reason}")]
    Dead {
        /// What was asked for.
        name: String,
        /// The server.
        server: String,
        /// Why.
        reason: String,
    },
    /// Several tools have the name, or look like data tools.
    #[error("{what}; choose one with --tool: {}", .candidates.join(", "))]
    Several {
        /// What they have in common.
        what: String,
        /// What `--tool` takes.
        candidates: Vec<String>,
    },
}

/// The tools that the run may use: those that were asked for, else the one that looks like a data tool. A server that cannot be
/// used is told, and is no trouble of the run. When there is no tool at all, the servers themselves say why.
///
/// With the tools come the names of those that were asked for: the user's word holds for a tool that may do harm too.
pub async fn choose(hub: &Arc<Hub>, wanted: &[String]) -> Result<(Arc<dyn ToolSource>, Vec<String>), ChoiceError> {
    let listing = match hub.list_tools().await {
        Ok(listing) if !listing.tools.is_empty() => listing,
        _ => return Ok((Arc::clone(hub) as _, wanted.to_vec())),
    };
    for failed in &listing.failed {
        tell(format_args!("warning: server {} cannot be used: {}", failed.server, failed.reason));
    }
    for tool in &listing.quarantined {
        tell(format_args!("warning: tool {} of {} cannot be used: {}", tool.name, tool.server, tool.reason));
    }
    let tools = if wanted.is_empty() { vec![data_tool(&listing)?] } else { asked_for(&listing, wanted)? };
    let chosen = Chosen::new(Arc::clone(hub), tools);
    let named =
        chosen.listing.tools.iter().filter(|_| !wanted.is_empty()).map(|tool| tool.exposed_name.clone()).collect();
    Ok((Arc::new(chosen), named))
}

/// What `--tool` takes for a tool: its name, with its server where there are several.
fn name(tool: &Tool, listing: &ToolListing) -> String {
    let servers: BTreeSet<&str> = listing.tools.iter().map(|tool| tool.server.as_str()).collect();
    if servers.len() + listing.failed.len() > 1 { format!("{}/{}", tool.server, tool.name) } else { tool.name.clone() }
}

fn asked_for(listing: &ToolListing, wanted: &[String]) -> Result<Vec<Tool>, ChoiceError> {
    let mut chosen: Vec<Tool> = Vec::new();
    for asked in wanted {
        let fits = |tool: &&Tool| {
            tool.name == *asked || tool.exposed_name == *asked || format!("{}/{}", tool.server, tool.name) == *asked
        };
        let found: Vec<&Tool> = listing.tools.iter().filter(fits).collect();
        match found[..] {
            [tool] if chosen.contains(tool) => {}
            [tool] => chosen.push(tool.clone()),
            [] => return Err(unknown(listing, asked)),
            [..] => {
                let what = format!("several servers have a tool `{asked}`");
                return Err(ChoiceError::Several { what, candidates: names(found, listing) });
            }
        }
    }
    Ok(chosen)
}

fn unknown(listing: &ToolListing, asked: &str) -> ChoiceError {
    let of = |server: &str| asked.strip_prefix(server).is_some_and(|rest| rest.starts_with('/'));
    if let Some(failed) = listing.failed.iter().find(|failed| of(&failed.server)) {
        let (server, reason) = (failed.server.clone(), failed.reason.clone());
        return ChoiceError::Dead { name: asked.to_owned(), server, reason };
    }
    let known = names(&listing.tools, listing);
    let likeness = |name: &&String| (strsim::normalized_levenshtein(asked, name) * 1000.0) as u32;
    let suggestion = known.iter().max_by_key(likeness).filter(|name| likeness(name) > 500).cloned();
    ChoiceError::Unknown { name: asked.to_owned(), suggestion, known }
}

/// The one tool that there is; else the one that filters or groups records; else the one that pages. A tool that may change
/// something is none of them.
fn data_tool(listing: &ToolListing) -> Result<Tool, ChoiceError> {
    let harmless = || listing.tools.iter().filter(|tool| only_reads(tool));
    if let ([_], Some(only)) = (&listing.tools[..], harmless().next()) {
        return Ok(only.clone());
    }
    let asks: Vec<&Tool> = harmless().filter(|tool| takes(tool, &["filters", "group_by", "date_histogram"])).collect();
    let pages = || harmless().filter(|tool| pages(tool)).collect();
    let likely: Vec<&Tool> = if asks.is_empty() { pages() } else { asks };
    match likely[..] {
        [one] => Ok(one.clone()),
        [] => {
            let what = match listing.tools.len() {
                1 => "the tool that there is may change something, or does not look like a data tool".to_owned(),
                number => format!("none of the {number} tools looks like a data tool"),
            };
            Err(ChoiceError::Several { what, candidates: names(&listing.tools, listing) })
        }
        [..] => {
            let what = "several tools look like data tools".to_owned();
            Err(ChoiceError::Several { what, candidates: names(likely, listing) })
        }
    }
}

fn takes(tool: &Tool, arguments: &[&str]) -> bool {
    ToolFacts::from(tool).arguments.iter().any(|name| arguments.contains(&name.as_str()))
}

fn pages(tool: &Tool) -> bool {
    tool.input_schema.contains_key("properties") && PagerOptions::for_tool(tool).paging != Paging::Single
}

fn names<'t>(tools: impl IntoIterator<Item = &'t Tool>, listing: &ToolListing) -> Vec<String> {
    tools.into_iter().map(|tool| name(tool, listing)).collect()
}

/// Some tools of a hub under their own names, as far as these are distinct: a report does not depend on what else there is.
struct Chosen {
    hub: Arc<Hub>,
    listing: ToolListing,
    /// Name in the hub by the name here.
    names: BTreeMap<String, String>,
}

impl Chosen {
    fn new(hub: Arc<Hub>, mut tools: Vec<Tool>) -> Self {
        let own: Vec<String> = tools.iter().map(|tool| tool.name.clone()).collect();
        let mut names = BTreeMap::new();
        for tool in &mut tools {
            let exposed = tool.exposed_name.clone();
            if own.iter().filter(|name| **name == tool.name).count() == 1 && is_name(&tool.name) {
                tool.exposed_name.clone_from(&tool.name);
            }
            names.insert(tool.exposed_name.clone(), exposed);
        }
        Self { hub, listing: ToolListing::new(tools), names }
    }
}

/// Whether every provider of language models takes the name.
fn is_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (1..=LONGEST).contains(&name.len()) && name.chars().all(is_allowed)
}

impl ToolSource for Chosen {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        Box::pin(async { Ok(self.listing.clone()) })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        // A name that is not among them is not called, whatever the hub has.
        match self.names.get(name) {
            Some(exposed) => self.hub.call_tool(exposed, arguments),
            None => {
                let known = self.names.keys().cloned().collect();
                let error = McpError::UnknownTool { name: name.to_owned(), known };
                Box::pin(async { Err(error) })
            }
        }
    }
}
