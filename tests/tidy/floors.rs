//! The rooms of a library are floors: each uses only floors below it. Research systems do not know each other.

use std::collections::BTreeMap;

use super::sources::{Source, all};

/// The rooms of research-core from the top down.
const ENGINE: &[&str] = &[
    "testing",
    "thread",
    "subgraph",
    "run",
    "graph",
    "policy",
    "node",
    "cx",
    "caller",
    "journal",
    "ledger",
    "attempt",
    "cache",
    "event",
    "end",
    "stored",
    "codec",
    "command",
    "error",
    "interrupt",
    "persist",
    "checkpoint",
    "handle",
    "clock",
    "state",
    "reduce",
    "log",
    "panics",
];

/// The rooms of research-llm from the top down.
const MODELS: &[&str] = &[
    "testing",
    "spec",
    "genai",
    "openai",
    "anthropic",
    "rerank",
    "embed",
    "conversation",
    "tool",
    "structured",
    "layer",
    "price",
    "tokens",
    "schema",
    "http",
    "sse",
    "model",
    "stream",
    "request",
    "error",
    "response",
    "message",
    "call",
    "keys",
];

/// The systems of research-agents; the first may use the second.
const SYSTEMS: &[&str] = &["dataset", "feedback", "scr", "code", "studio"];

#[test]
fn each_room_of_the_engine_uses_only_floors_below_it() {
    check("research-core/src/", ENGINE);
}

#[test]
fn each_room_of_the_models_uses_only_floors_below_it() {
    check("research-llm/src/", MODELS);
}

fn check(folder: &str, floors: &[&str]) {
    let sources = all();
    let library = sources.iter().find(|source| source.path == format!("{folder}lib.rs")).unwrap();
    let exports = exports(&library.text);
    let is_test = |path: &str| path.ends_with("/tests.rs");
    for source in sources.iter().filter(|source| source.path.starts_with(folder) && !is_test(&source.path)) {
        let room = room(source, folder);
        let Some(floor) = floors.iter().position(|floor| *floor == room) else {
            assert_eq!(room, "lib", "{} stands on no floor", source.path);
            continue;
        };
        for used in uses(source) {
            let used = exports.get(&used).map_or(used.as_str(), String::as_str);
            if let Some(other) = floors.iter().position(|floor| *floor == used) {
                assert!(other >= floor, "{} is on floor `{room}` and uses `{used}` above it", source.path);
            }
        }
    }
}

#[test]
fn no_research_system_imports_another() {
    for source in all() {
        let Some(rest) = source.path.strip_prefix("research-agents/src/") else { continue };
        let own = rest.split(['/', '.']).next().unwrap_or_default();
        for other in SYSTEMS.iter().filter(|system| **system != own) {
            let allowed = match own {
                "feedback" => *other == "scr",
                // The library file names all of them, and the offline model answers the tasks of all of them.
                "lib" | "offline" => true,
                _ => false,
            };
            let import = format!("crate::{other}");
            assert!(allowed || !source.code().any(|line| line.contains(&import)), "{} imports {import}", source.path);
        }
    }
}

fn room<'s>(source: &'s Source, folder: &str) -> &'s str {
    let rest = source.path.strip_prefix(folder).unwrap_or_default();
    rest.split(['/', '.']).next().unwrap_or_default()
}

/// By exported name, the module that it comes from.
fn exports(library: &str) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for statement in library.split("pub use ").skip(1) {
        let Some(statement) = statement.split(';').next() else { continue };
        let Some((module, names)) = statement.split_once("::") else { continue };
        for name in names.trim_matches(['{', '}', '\n', ' ']).split(',') {
            exports.insert(name.trim().to_string(), module.trim().to_string());
        }
    }
    exports
}

/// The first names after `crate::` in the code of a file.
fn uses(source: &Source) -> Vec<String> {
    let code: String =
        source.code().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| [line, "\n"]).collect();
    let mut names = Vec::new();
    for rest in code.split("crate::").skip(1) {
        let list = match rest.strip_prefix('{') {
            Some(rest) => rest.split('}').next().unwrap_or_default(),
            None => rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default(),
        };
        names.extend(list.split(',').map(|name| name.trim().split("::").next().unwrap_or_default().to_string()));
    }
    names
}
