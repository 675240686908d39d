//! Who depends on whom, read from cargo itself.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use super::crates::CRATES;
use super::sources::root;

/// By crate, the crates of the workspace that it uses. What is not here uses none.
const USES: &[(&str, &[&str])] = &[
    ("research-core", &["research-core-derive"]),
    ("research-core-derive", &[]),
    ("research-core-sqlite", &["research-core"]),
    ("research-key-shapes", &[]),
    ("research-llm", &["research-key-shapes"]),
    ("research-mcp", &[]),
    ("research-agents-report", &["research-key-shapes"]),
    ("research-agents-runtime", &["research-agents-report", "research-core", "research-llm", "research-mcp"]),
    ("research-agents-code", &[]),
    (
        "research-agents-code-agent",
        &[
            "research-agents-code",
            "research-agents-report",
            "research-agents-runtime",
            "research-core",
            "research-core-sqlite",
            "research-llm",
            "research-mcp",
        ],
    ),
    (
        "research-agents-dataset",
        &["research-agents-report", "research-agents-runtime", "research-core", "research-llm", "research-mcp"],
    ),
    ("research-agents-sources", &["research-agents-report", "research-agents-runtime", "research-llm", "research-mcp"]),
    (
        "research-agents-scr",
        &[
            "research-agents-report",
            "research-agents-runtime",
            "research-agents-sources",
            "research-core",
            "research-llm",
        ],
    ),
    (
        "research-agents-feedback",
        &[
            "research-agents-fieldwork",
            "research-agents-report",
            "research-agents-runtime",
            "research-agents-scr",
            "research-agents-sources",
            "research-core",
            "research-llm",
            "research-mcp",
        ],
    ),
    (
        "research-agents-fieldwork",
        &["research-agents-report", "research-agents-runtime", "research-agents-sources", "research-mcp"],
    ),
    (
        "research-agents-studio",
        &[
            "research-agents-fieldwork",
            "research-agents-report",
            "research-agents-runtime",
            "research-agents-sources",
            "research-core",
            "research-llm",
            "research-mcp",
        ],
    ),
    (
        "research-agents",
        &[
            "research-agents-code",
            "research-agents-code-agent",
            "research-agents-dataset",
            "research-agents-feedback",
            "research-agents-fieldwork",
            "research-agents-report",
            "research-agents-runtime",
            "research-agents-scr",
            "research-agents-sources",
            "research-agents-studio",
            "research-core",
            "research-llm",
            "research-mcp",
        ],
    ),
];

#[test]
fn each_library_uses_only_the_members_below_it() {
    let workspace = Workspace::read();
    for (name, used) in USES {
        let members: Vec<_> =
            workspace.direct(name).into_iter().filter(|name| workspace.compilers.contains_key(name)).collect();
        assert_eq!(members, *used, "{name}");
    }

    let named: BTreeSet<&str> = USES.iter().map(|(name, _)| *name).collect();
    let libraries: BTreeSet<&str> = CRATES.iter().map(|one| one.name).collect();
    assert_eq!(named, libraries);
}

#[test]
fn the_leaves_know_no_other_leaf() {
    let workspace = Workspace::read();
    let leaves = ["research-core", "research-llm", "research-mcp", "research-agents-report"];
    for leaf in leaves {
        let all = workspace.transitive(leaf);
        let other = leaves.iter().find(|other| all.contains(**other));
        assert_eq!(other, None, "{leaf} uses another leaf");
    }
}

#[test]
fn the_engine_brings_no_http_prompt_mcp_or_model() {
    let workspace = Workspace::read();
    let all = workspace.transitive("research-core");
    for foreign in ["rmcp", "reqwest", "hyper", "schemars", "tantivy", "clap", "research-llm", "research-mcp"] {
        assert!(!all.contains(foreign), "research-core depends on {foreign}");
    }
    let alone = alone("research-core");
    assert!(alone.len() <= 40, "research-core brings {} crates: {alone:?}", alone.len());
}

#[test]
fn both_providers_of_models_stay_light() {
    let alone = alone("research-llm");
    assert!(alone.len() <= 110, "research-llm brings {} crates: {alone:?}", alone.len());
}

/// The names of the crates that a host gets which depends on this member alone, with its default features; itself among them.
fn alone(member: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "-p", member, "--edges", "normal", "--prefix", "none", "--format", "{p}"])
        .args(["--target", "x86_64-unknown-linux-gnu"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).unwrap();
    names.lines().filter_map(|line| Some(line.split(' ').next()?.to_string())).collect()
}

#[test]
fn the_derive_macro_needs_only_syn_and_quote() {
    let direct = Workspace::read().direct("research-core-derive");
    assert_eq!(direct.into_iter().collect::<Vec<_>>(), ["proc-macro2", "quote", "syn"]);
}

#[test]
fn all_licences_are_permissive() {
    const PERMISSIVE: &[&str] = &[
        "MIT",
        "MIT-0",
        "Apache-2.0",
        "Apache-2.0 WITH LLVM-exception",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "Zlib",
        "Unicode-3.0",
        "CC0-1.0",
        "Unlicense",
        "0BSD",
    ];
    // An expression is fine when every part joined by AND offers a permissive choice.
    let permissive = |licence: &str| {
        licence
            .replace('/', " OR ")
            .split(" AND ")
            .all(|part| part.split(" OR ").any(|choice| PERMISSIVE.contains(&choice.trim_matches(['(', ')', ' ']))))
    };
    let workspace = Workspace::read();
    assert!(workspace.licences.len() > 50, "{} licences", workspace.licences.len());
    for (name, licence) in &workspace.licences {
        assert!(permissive(licence), "{name} is under {licence}");
    }
}

#[test]
fn no_member_promises_an_older_compiler_than_the_members_it_uses() {
    let workspace = Workspace::read();
    assert!(workspace.compilers.len() > 8, "{:?}", workspace.compilers);
    for (name, promised) in &workspace.compilers {
        for used in workspace.transitive(name) {
            let needed = workspace.compilers.get(&used).unwrap_or(promised);
            assert!(promised >= needed, "{name} promises Rust {promised:?} and uses {used}, which needs {needed:?}");
        }
    }
}

struct Workspace {
    /// By name, the licence expression.
    licences: BTreeMap<String, String>,
    /// By name of a member, the oldest compiler that it promises to build with.
    compilers: BTreeMap<String, Vec<u32>>,
    /// By name, the names of normal dependencies, as resolved for all features.
    edges: BTreeMap<String, BTreeSet<String>>,
}

impl Workspace {
    fn read() -> Self {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--format-version", "1", "--all-features", "--locked"])
            .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
            .current_dir(root())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
        let name_of: BTreeMap<&str, &str> = list(&metadata["packages"])
            .map(|package| (package["id"].as_str().unwrap(), package["name"].as_str().unwrap()))
            .collect();
        let licences = list(&metadata["packages"])
            .map(|package| {
                let licence = package["license"].as_str().unwrap_or("no stated licence");
                (package["name"].as_str().unwrap().to_string(), licence.to_string())
            })
            .collect();
        let compilers = list(&metadata["packages"])
            .filter(|package| package["source"].is_null())
            .map(|package| {
                let version = package["rust_version"].as_str().unwrap().split('.');
                let numbers: Vec<u32> = version.map(|number| number.parse().unwrap()).collect();
                (package["name"].as_str().unwrap().to_string(), numbers)
            })
            .collect();
        let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for node in list(&metadata["resolve"]["nodes"]) {
            let from = edges.entry(name_of[node["id"].as_str().unwrap()].to_string()).or_default();
            for dependency in list(&node["deps"]) {
                if list(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null()) {
                    from.insert(name_of[dependency["pkg"].as_str().unwrap()].to_string());
                }
            }
        }
        Self { licences, compilers, edges }
    }

    fn direct(&self, name: &str) -> BTreeSet<String> {
        self.edges[name].clone()
    }

    fn transitive(&self, name: &str) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut next = vec![name.to_string()];
        while let Some(name) = next.pop() {
            for dependency in &self.edges[&name] {
                if seen.insert(dependency.clone()) {
                    next.push(dependency.clone());
                }
            }
        }
        seen
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().unwrap().iter()
}
