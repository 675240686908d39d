//! Configurations as people have them, and broken ones.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::*;

fn read(servers: Value) -> McpConfig {
    let variable = |name: &str| (name == "TOKEN").then(|| "s3cret".to_owned());
    McpConfig::with_variables(&json!({"mcpServers": servers}).to_string(), &variable).unwrap()
}

fn only(servers: Value) -> ConfiguredServer {
    let mut config = read(servers);
    assert!(config.errors.is_empty(), "{:?}", config.errors);
    config.servers.remove(0)
}

#[test]
fn a_command_keeps_its_arguments_environment_and_directory() {
    let server = only(json!({"a": {
        "command": "uvx", "args": ["x", "--port", 8000], "env": {"KEY": "${TOKEN}"}, "cwd": "/tmp", "type": "stdio",
    }}));
    let command = match server.endpoint {
        Endpoint::Stdio(command) => command,
        #[cfg(feature = "http")]
        other => panic!("{other:?}"),
    };
    assert_eq!(command.args, ["x", "--port", "8000"]);
    assert_eq!(command.env, [("KEY".to_owned(), "s3cret".to_owned())]);
    assert_eq!(command.cwd.unwrap(), PathBuf::from("/tmp"));
}

#[cfg(feature = "http")]
#[test]
fn an_address_comes_with_headers_that_are_never_shown() {
    for key in ["url", "httpUrl", "serverUrl"] {
        let server = only(json!({"a": {key: "http://h/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}}));
        let shown = format!("{server:?}");
        assert!(shown.contains("Authorization") && !shown.contains("s3cret"), "{shown}");
    }
}

#[test]
fn the_environment_of_a_command_is_not_shown() {
    let shown = format!("{:?}", only(json!({"a": {"command": "x", "env": {"KEY": "${TOKEN}"}}})));
    assert!(shown.contains("KEY") && !shown.contains("s3cret"), "{shown}");
}

#[test]
fn a_policy_is_read_and_a_misspelt_one_is_refused() {
    let server = only(json!({"a": {"command": "x", "policy": {
        "allow": ["read_*"], "deny": ["read_secret"], "parallelCalls": 2, "callTimeout": 0.5, "totalTimeout": 2,
    }}}));
    assert!(server.policy.permits("read_all") && !server.policy.permits("read_secret"));
    let limits = server.policy.limits.unwrap();
    assert_eq!((limits.call.as_millis(), limits.call_total.as_secs(), server.policy.parallel_calls), (500, 2, 2));
    for (policy, word) in [
        (json!({"denied": []}), "`denied`"),
        (json!({"deny": "x"}), "not a list"),
        (json!({"parallelCalls": 0}), "above 0"),
        (json!({"callTimeout": -1}), "seconds"),
        (json!([]), "not an object"),
    ] {
        let config = read(json!({"a": {"command": "x", "policy": policy}}));
        assert!(config.errors[0].to_string().contains(word), "{:?}", config.errors);
    }
}

#[test]
fn a_bad_entry_is_reported_and_the_others_are_kept() {
    let config = read(json!({
        "off": {"command": "x", "disabled": true},
        "none": {}, "both": {"command": "x", "url": "http://h"}, "sse": {"url": "http://h/sse", "type": "sse"},
        "kind": {"command": "x", "type": "http"}, "variable": {"command": "${GONE}"}, "list": [], "empty": {"command": " "},
        "good": {"command": "x", "icon": "bird"},
    }));
    let reasons: Vec<String> = config.errors.iter().map(ToString::to_string).collect();
    for (name, word) in [
        ("none", "neither"),
        ("both", "keep one"),
        ("sse", "streamable HTTP"),
        ("kind", "does not fit"),
        ("variable", "`GONE` is not set"),
        ("list", "a list, not an object"),
        ("empty", "empty"),
    ] {
        assert!(reasons.iter().any(|r| r.contains(&format!("`{name}`")) && r.contains(word)), "{name}: {reasons:?}");
    }
    assert_eq!((config.servers.len(), config.errors.len(), config.disabled), (1, 7, vec!["off".to_owned()]));
    assert!(config.warnings[0].contains("`icon`"), "{:?}", config.warnings);
}

#[test]
fn a_file_without_servers_says_what_to_write() {
    let error = "{}".parse::<McpConfig>().unwrap_err();
    assert!(error.to_string().contains("mcpServers"), "{error}");
    assert!(matches!("{".parse::<McpConfig>().unwrap_err(), ConfigError::Json { .. }));
    let error = McpConfig::from_file("/nowhere/at/all.json").unwrap_err();
    assert!(error.to_string().contains("/nowhere/at/all.json"), "{error}");
}
