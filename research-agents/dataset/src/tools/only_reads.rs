//! The tools that a run uses if the user names none: those that only read.

use research_mcp::{PagerOptions, Paging, Tool};

use crate::tools::dialect::ToolArguments;

/// Words in the name of a tool which mean that it changes something or executes its input. The user
/// can still name such a tool.
const CHANGES: &str = "\
    create delete deploy destroy edit erase eval exec execute insert install kill modify \
    overwrite publish purge remove rename restart revoke send shutdown submit truncate uninstall \
    unlink update upload upsert wipe write";
/// Words that mean so only at the beginning of a name: elsewhere they may be a part of a term such
/// as `start_date`.
const FIRST: &str = "\
    add append apply approve assign cancel clear close commit copy disable drop enable import \
    invoke merge move patch pay post push put reboot replace reset restore run save set spawn \
    start stop transfer";

/// Returns whether a run uses the tool if the user names no tools: its annotations declare that it
/// only reads, or they declare nothing and the tool looks like one that reads records, with
/// arguments that filter, group or page and a name that suggests no change.
///
/// In the Model Context Protocol, a tool without annotations may be destructive, and annotations
/// are claims of the server. For a server that is not trusted,
/// [name](crate::agent::run::DatasetRun::tools) the tools that a run may use.
///
/// ```
/// use research_agents_dataset::only_reads;
/// use research_agents_runtime::tools::hub::{Object, Tool};
/// use serde_json::json;
///
/// let tool = |name: &str, properties: serde_json::Value| {
///     Tool::new("files", name, Object::from_iter([("properties".to_owned(), properties)]))
/// };
/// assert!(only_reads(&tool("find_events", json!({"filters": {"type": "string"}}))));
/// assert!(!only_reads(&tool("delete_events", json!({"filters": {"type": "string"}}))));
/// assert!(!only_reads(&tool("open", json!({"path": {"type": "string"}}))));
/// ```
pub fn only_reads(tool: &Tool) -> bool {
    match (tool.hints.destructive, tool.hints.read_only) {
        (Some(true), _) | (_, Some(false)) => false,
        (_, Some(true)) => true,
        (_, None) => reads_records(tool) && !speaks_of_change(&tool.name),
    }
}

/// Returns why a tool is not used unless it is named, in words.
pub(crate) fn reason(tool: &Tool) -> &'static str {
    match (tool.hints.destructive, tool.hints.read_only) {
        (Some(true), _) => "it may destroy something",
        (_, Some(false)) => "it changes something",
        _ => "it does not say that it only reads, and does not look like a tool that reads records",
    }
}

fn reads_records(tool: &Tool) -> bool {
    let arguments = ToolArguments::of(Some(tool));
    arguments.select_or_group()
        || (arguments.are_listed() && PagerOptions::for_tool(tool).paging != Paging::Single)
}

/// Returns whether a word of the name is one of change: `delete_events`, `bulkDelete`,
/// `sql-execute`.
fn speaks_of_change(name: &str) -> bool {
    let mut words = vec![String::new()];
    for c in name.chars() {
        let is_inside = |word: &String| word.ends_with(char::is_lowercase);
        if !c.is_alphanumeric() || (c.is_uppercase() && words.last().is_some_and(is_inside)) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(c);
        }
    }

    words.retain(|word| !word.is_empty());
    let is = |known: &str, word: &String| {
        known
            .split(' ')
            .any(|known| known.eq_ignore_ascii_case(word))
    };

    words.iter().any(|word| is(CHANGES, word))
        || words.first().is_some_and(|first| is(FIRST, first))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::data::record::Object;

    fn tool(name: &str, properties: Value) -> Tool {
        Tool::new(
            "s",
            name,
            Object::from_iter([("properties".to_owned(), properties)]),
        )
    }

    #[test]
    fn a_tool_that_says_nothing_is_taken_for_what_it_looks_like() {
        let text = json!({"type": "string"});
        let number = json!({"type": "integer"});

        for properties in [
            json!({"filters": text}),
            json!({"where": {"type": "object"}}),
            json!({"state": text, "groupBy": text}),
            json!({"state": text, "limit": number, "offset": number}),
            json!({"query": text, "cursor": text}),
        ] {
            assert!(
                only_reads(&tool("find_events", properties.clone())),
                "{properties}"
            );
            assert!(
                only_reads(&tool("listPosts", properties.clone())),
                "{properties}"
            );
            assert!(
                only_reads(&tool("by_start_date", properties.clone())),
                "{properties}"
            );
            for name in [
                "delete_events",
                "bulkDelete",
                "SQL-execute",
                "_drop",
                "events.update",
                "setPrice",
            ] {
                assert!(
                    !only_reads(&tool(name, properties.clone())),
                    "{name} {properties}"
                );
            }
        }

        for properties in [
            json!({"path": text}),
            json!({"query": text}),
            json!({"limit": number}),
            json!({}),
        ] {
            assert!(
                !only_reads(&tool("find_events", properties.clone())),
                "{properties}"
            );
        }

        assert!(
            !only_reads(&Tool::new("s", "find_events", Object::new())),
            "nothing is known of it"
        );
    }

    #[test]
    fn what_a_tool_says_of_itself_counts_for_more_than_its_looks() {
        let mut reads = tool("open", json!({"path": {"type": "string"}}));
        reads.hints.read_only = Some(true);
        assert!(only_reads(&reads));
        reads.hints.destructive = Some(true);
        assert!(!only_reads(&reads), "it cannot be both");
        let mut writes = tool("find_events", json!({"filters": {"type": "string"}}));
        for (read_only, destructive) in [
            (Some(false), None),
            (Some(false), Some(false)),
            (None, Some(true)),
        ] {
            (writes.hints.read_only, writes.hints.destructive) = (read_only, destructive);
            assert!(!only_reads(&writes), "{:?}", writes.hints);
        }
        (writes.hints.read_only, writes.hints.destructive) = (None, Some(false));
        assert!(only_reads(&writes));
    }
}
