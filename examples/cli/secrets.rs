//! Registers the secrets of servers, so that they are in nothing that a program shows, records or writes.

use std::env;
use std::fs;
use std::path::Path;

use research_llm::redact::register_secret;
use serde_json::Value;

/// Parts of names whose values are secrets.
const SECRET_NAMES: [&str; 8] = ["auth", "cookie", "credential", "key", "pass", "pwd", "secret", "token"];

/// Registers the values of all variables of the environment that a text refers to as `${NAME}` or `${NAME:-default}`.
pub fn register_variables(text: &str) {
    for rest in text.split("${").skip(1) {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if let Ok(value) = env::var(&rest[..end]) {
            register(&value);
        }
    }
}

/// Registers the secrets of a file of servers: of fields whose names say so, in the file itself and in the environment. A file
/// that cannot be read has none; who needs it says so.
pub fn register_config(file: &Path) {
    let text = fs::read_to_string(file).unwrap_or_default();
    if let Ok(config) = serde_json::from_str(&text) {
        walk("", &config);
    }
}

fn walk(name: &str, value: &Value) {
    match value {
        Value::String(text) if is_secret(name) => {
            register_variables(text);
            if !text.contains("${") {
                register(text);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| walk(name, item)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| walk(name, value)),
        _ => {}
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_NAMES.iter().any(|part| name.contains(part))
}

/// Registers a value, and what follows the scheme in one such as `Bearer TOKEN`.
fn register(value: &str) {
    let value = value.trim();
    register_secret(value.rsplit(' ').next().unwrap_or(value));
    register_secret(value);
}
