//! The modules of a library are layers: each uses only those below it.

use std::collections::BTreeMap;

use super::sources::{Source, all};

/// The modules of research-core from the top down.
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

/// The modules of research-llm from the top down.
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
    "redact",
    "model",
    "stream",
    "request",
    "error",
    "response",
    "message",
    "call",
    "keys",
];

#[test]
fn each_module_of_the_engine_uses_only_layers_below_it() {
    check("research-core/src/", ENGINE);
}

#[test]
fn each_module_of_the_models_uses_only_layers_below_it() {
    check("research-llm/src/", MODELS);
}

fn check(folder: &str, layers: &[&str]) {
    let sources = all();
    let library = sources.iter().find(|source| source.path == format!("{folder}lib.rs")).unwrap();
    let exports = exports(&library.text);
    let is_test = |path: &str| path.ends_with("/tests.rs");
    for source in sources.iter().filter(|source| source.path.starts_with(folder) && !is_test(&source.path)) {
        let module = module(source, folder);
        let Some(layer) = layers.iter().position(|layer| *layer == module) else {
            assert_eq!(module, "lib", "{} is in no layer", source.path);
            continue;
        };
        for used in uses(source) {
            let used = exports.get(&used).map_or(used.as_str(), String::as_str);
            if let Some(other) = layers.iter().position(|layer| *layer == used) {
                assert!(other >= layer, "{} is in layer `{module}` and uses `{used}` above it", source.path);
            }
        }
    }
}

fn module<'s>(source: &'s Source, folder: &str) -> &'s str {
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
