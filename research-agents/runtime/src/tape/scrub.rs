//! Removes from recorded failures what is specific to a machine: the standard error of servers,
//! paths, and keys.

use research_llm::layer::redact_keys;
use research_mcp::without_last_words;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Replaces a path.
const PATH: &str = "[path]";
/// First parts of the absolute paths of machines. Other first parts are as likely those of a URL or
/// of a JSON pointer.
const ROOTS: &str = "\
    Applications Library Users Volumes app bin boot dev etc home lib lib64 media mnt nix opt \
    private proc root run sbin snap srv sys tmp usr var work workspace";

/// Returns a value with all of its strings scrubbed. A value that cannot be converted to JSON is
/// returned unchanged.
pub(crate) fn scrubbed<T: Serialize + DeserializeOwned>(value: T) -> T {
    let Ok(mut json) = serde_json::to_value(&value) else {
        return value;
    };
    scrub(&mut json);
    serde_json::from_value(json).unwrap_or(value)
}

/// Returns a string scrubbed.
pub(crate) fn scrubbed_text(text: &str) -> String {
    let mut value = Value::String(text.to_owned());
    scrub(&mut value);
    value.as_str().unwrap_or_default().to_owned()
}

fn scrub(value: &mut Value) {
    redact_keys(value);
    walk(value);
}

fn walk(value: &mut Value) {
    match value {
        Value::String(text) => *text = without_paths(&without_last_words(text)),
        Value::Array(items) => items.iter_mut().for_each(walk),
        Value::Object(fields) => fields.values_mut().for_each(walk),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn without_paths(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let (mut rest, mut before) = (text, ' ');

    while let Some(letter) = rest.chars().next() {
        let begins = !before.is_alphanumeric() && begins_path(rest);
        let length = if begins {
            rest.find(ends_path).unwrap_or(rest.len())
        } else {
            letter.len_utf8()
        };
        clean.push_str(if begins { PATH } else { &rest[..length] });
        before = letter;
        rest = &rest[length..];
    }

    clean
}

/// Returns `true` if a string begins with a path of a machine: absolute, in a home directory, or of
/// Windows.
fn begins_path(text: &str) -> bool {
    let mut letters = text.chars();
    match (letters.next(), letters.next(), letters.next()) {
        (Some('/'), Some(_), _) => {
            let root = text[1..]
                .split(|letter: char| !letter.is_alphanumeric())
                .next()
                .unwrap_or_default();
            ROOTS.split_whitespace().any(|known| known == root)
                && text[1 + root.len()..].starts_with('/')
        }
        (Some('~'), Some('/'), Some(_)) | (Some('\\'), Some('\\'), Some(_)) => true,
        (Some(drive), Some(':'), Some('\\')) => drive.is_ascii_alphabetic(),
        _ => false,
    }
}

fn ends_path(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(
            letter,
            '"' | '\'' | '`' | '<' | '>' | '|' | ',' | ';' | '(' | ')' | '[' | ']' | '{' | '}'
        )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_keys_and_last_words_are_removed_and_the_rest_stays() {
        for (text, clean) in [
            ("cannot open '/home/ada/events.db'", "cannot open '[path]'"),
            (
                "File \"/srv/a b.py\", line 3",
                "File \"[path] b.py\", line 3",
            ),
            (
                "file:///etc/passwd is no table",
                "file://[path] is no table",
            ),
            (
                "see ~/notes and C:\\Users\\ada\\x, not \\\\host\\share",
                "see [path] and [path], not [path]",
            ),
            (
                "key sk-proj-abcdefghijklmnop1234, end",
                "key [redacted], end",
            ),
            (
                "events: gone (its standard error ends with: f(x)); connect again",
                "events: gone; connect again",
            ),
            (
                "HTTP 503 at https://a.example/api/v1/search",
                "HTTP 503 at https://a.example/api/v1/search",
            ),
            (
                "/filters/country is unknown; and/or 3/4 of /home",
                "/filters/country is unknown; and/or 3/4 of /home",
            ),
            ("größe /home/ä/ß", "größe [path]"),
        ] {
            assert_eq!(scrubbed_text(text), clean);
        }

        let value = json!({"a": ["/srv/x", 1, null], "limit": {"secs": 1}});
        assert_eq!(
            scrubbed(value),
            json!({"a": ["[path]", 1, null], "limit": {"secs": 1}})
        );
    }
}
