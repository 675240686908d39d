//! Quotes text of servers.

use research_agents_report::text::visible;
use serde_json::Value;

/// Returns at most `cap` visible characters of a string as JSON on one line.
pub(super) fn quoted(text: &str, cap: usize) -> String {
    let visible = visible(text);
    let mut short: String = visible.chars().take(cap).collect();
    if short.len() < visible.len() {
        short.push('…');
    }
    Value::String(short).to_string()
}
