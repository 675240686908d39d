//! Taking secrets out of what is written down.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::stream::StreamEvent;

/// What stands where a secret was.
const REDACTED: &str = "[redacted]";

/// Words that begin like this and go on for a while are keys: those of `OpenAI`, Anthropic and `OpenRouter`, of Google, Groq,
/// Hugging Face, GitHub, Slack, AWS, xAI and Perplexity.
const KEY_STARTS: [&str; 15] = [
    "sk-",
    "sk_",
    "pk-",
    "AIza",
    "gsk_",
    "hf_",
    "ghp_",
    "gho_",
    "github_pat_",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "xai-",
    "pplx-",
    "eyJhbGci",
];

/// How many bytes a word must have after its beginning to be a key. Shorter ones are prose, such as "sk-learn".
const KEY_REST: usize = 16;

/// Fields of the provider's own are secret whose names are these, or end in them after a break between words.
const SECRET_NAMES: [&str; 12] = [
    "key",
    "apikey",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "token",
    "authorization",
    "auth",
    "credential",
    "credentials",
    "cookie",
];

/// Takes given texts and words shaped like keys out of JSON, and of requests what the caller set in fields named like keys.
#[derive(Clone, Default)]
pub(super) struct Scrubber {
    secrets: Arc<[String]>,
}

impl Scrubber {
    /// Also takes out this text.
    pub(super) fn with(&self, secret: &str) -> Self {
        let mut secrets = self.secrets.to_vec();
        if !secret.is_empty() {
            secrets.push(secret.to_owned());
            // Longer ones first, so that one which holds another is not cut to pieces.
            secrets.sort_unstable_by_key(|secret| std::cmp::Reverse(secret.len()));
        }
        Self { secrets: secrets.into() }
    }

    /// Scrubs a value in place, with the names of fields.
    pub(super) fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(clean) = self.text(text) {
                    *text = clean;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(fields) => {
                let renamed: Vec<_> = fields.keys().filter_map(|name| Some((name.clone(), self.text(name)?))).collect();
                for (name, clean) in renamed {
                    if let Some(value) = fields.remove(&name) {
                        fields.insert(clean, value);
                    }
                }
                fields.values_mut().for_each(|value| self.value(value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Scrubs a request in place. Elsewhere fields may be called `key` and hold none, but not among the fields that a caller
    /// sets for a provider.
    pub(super) fn request(&self, request: &mut Value) {
        self.value(request);
        if let Some(extra) = request.get_mut("extra") {
            without_secret_fields(extra);
        }
    }

    /// Scrubs what is spread over several pieces of a stream: the first piece then has the clean text of all of them.
    pub(super) fn events(&self, events: &mut [StreamEvent]) {
        let mut runs: BTreeMap<(u8, usize), Vec<usize>> = BTreeMap::new();
        for (at, event) in events.iter_mut().enumerate() {
            if let Some((run, _)) = piece(event) {
                runs.entry(run).or_default().push(at);
            }
        }
        for places in runs.into_values() {
            let mut whole = String::new();
            let mut pieces = String::new();
            for &at in &places {
                if let Some((_, text)) = piece(&mut events[at]) {
                    whole.push_str(text);
                    pieces.push_str(self.text(text).as_deref().unwrap_or(text));
                }
            }
            let clean = self.text(&whole).unwrap_or(whole);
            if clean != pieces {
                for (&at, clean) in places.iter().zip(std::iter::once(clean).chain(std::iter::repeat(String::new()))) {
                    if let Some((_, text)) = piece(&mut events[at]) {
                        *text = clean;
                    }
                }
            }
        }
    }

    /// The text without secrets; `None` if there is none in it.
    fn text(&self, text: &str) -> Option<String> {
        let mut clean = text.to_owned();
        for secret in self.secrets.iter() {
            if clean.contains(secret) {
                clean = clean.replace(secret, REDACTED);
            }
        }
        clean = without_keys(&clean);
        (clean != text).then_some(clean)
    }
}

/// Which run of pieces an event belongs to, and its text.
fn piece(event: &mut StreamEvent) -> Option<((u8, usize), &mut String)> {
    match event {
        StreamEvent::Text(text) => Some(((0, 0), text)),
        StreamEvent::Reasoning(text) => Some(((1, 0), text)),
        StreamEvent::ToolCall(delta) => Some(((2, delta.index), &mut delta.arguments)),
        _ => None,
    }
}

fn without_keys(text: &str) -> String {
    let is_key_byte =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'+' | b'=');
    let bytes = text.as_bytes();
    let mut clean = String::with_capacity(text.len());
    let (mut at, mut copied) = (0, 0);
    while at < bytes.len() {
        let begins_word = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        let start = begins_word.then(|| key_start(&text[at..])).flatten();
        if let Some(start) = start {
            let rest = bytes[at + start..].iter().take_while(|&&byte| is_key_byte(byte)).count();
            if rest >= KEY_REST {
                clean.push_str(&text[copied..at]);
                clean.push_str(REDACTED);
                at += start + rest;
                copied = at;
                continue;
            }
        }
        at += 1;
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    clean.push_str(&text[copied..]);
    clean
}

/// How many bytes the beginning of a key takes, if the text begins with one.
fn key_start(text: &str) -> Option<usize> {
    if let Some(start) = KEY_STARTS.iter().find(|start| text.starts_with(**start)) {
        return Some(start.len());
    }
    let bearer = "bearer ";
    text.get(..bearer.len()).filter(|start| start.eq_ignore_ascii_case(bearer)).map(str::len)
}

fn without_secret_fields(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if value.is_string() && is_secret_name(name) {
                    *value = REDACTED.into();
                } else {
                    without_secret_fields(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(without_secret_fields),
        _ => {}
    }
}

fn is_secret_name(name: &str) -> bool {
    // `apiKey` is `api_key` in another spelling.
    let mut spelled = String::new();
    let mut before = '_';
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            spelled.push('_');
        }
        spelled.extend(letter.to_lowercase());
        before = letter;
    }
    let last = spelled.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    SECRET_NAMES.contains(&last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::ToolCallDelta;
    use serde_json::json;

    const KEY: &str = "sk-proj-abcdefghijklmnop1234";

    fn scrubbed(mut value: Value) -> Value {
        Scrubber::default().with("hunter2").value(&mut value);
        value
    }

    #[test]
    fn given_texts_and_key_shaped_words_are_taken_out_of_all_text() {
        for (text, clean) in [
            ("the password is hunter2.", "the password is [redacted]."),
            (&format!("key={KEY}, end"), "key=[redacted], end"),
            (&format!("\"{KEY}\""), "\"[redacted]\""),
            ("Authorization: BEARER abcdefghijklmnop1234", "Authorization: [redacted]"),
            (
                "use sk-learn or risk-averse-and-very-careful words äsk-",
                "use sk-learn or risk-averse-and-very-careful words äsk-",
            ),
        ] {
            assert_eq!(scrubbed(json!([text]))[0], clean);
        }
        assert_eq!(scrubbed(json!({"hunter2": {"a": KEY}})), json!({"[redacted]": {"a": "[redacted]"}}));
    }

    #[test]
    fn settings_named_like_keys_lose_their_values_and_others_keep_them() {
        let extra = |name: &str| {
            let mut request = json!({"extra": {"deep": [{name: "short"}]}, "task": {name: "short"}});
            Scrubber::default().request(&mut request);
            assert_eq!(request["task"][name], "short");
            request["extra"]["deep"][0][name].as_str().unwrap().to_owned()
        };
        let secret =
            ["api_key", "apiKey", "API-KEY", "x-api-key", "Authorization", "access_token", "clientSecret", "key"];
        for name in secret {
            assert_eq!(extra(name), "[redacted]", "{name}");
        }
        for name in ["max_tokens", "monkey", "keyboard", "tokens", "turnkey", "tokenizer"] {
            assert_eq!(extra(name), "short", "{name}");
        }
    }

    #[test]
    fn a_secret_spread_over_pieces_is_found() {
        let mut events = vec![
            StreamEvent::Text("it is hun".into()),
            StreamEvent::Reasoning("hm".into()),
            StreamEvent::ToolCall(ToolCallDelta::new(1, "{\"k\":\"sk-proj-abcdef").first("c", "f")),
            StreamEvent::Text("ter2, ok".into()),
            StreamEvent::ToolCall(ToolCallDelta::new(1, "ghijklmnop1234\"}")),
        ];
        Scrubber::default().with("hunter2").events(&mut events);
        assert_eq!(events.len(), 5);
        let StreamEvent::ToolCall(call) = &events[2] else { panic!() };
        assert_eq!(call.arguments, "{\"k\":\"[redacted]\"}");
        assert_eq!(events[0], StreamEvent::Text("it is [redacted], ok".into()));
        assert_eq!(events[3], StreamEvent::Text(String::new()));
    }

    #[test]
    fn pieces_without_secrets_stay_as_they_are() {
        let events =
            vec![StreamEvent::Text("a".into()), StreamEvent::Text(KEY.into()), StreamEvent::Text("b c".into())];
        let mut same = events.clone();
        same[1] = StreamEvent::Text("clean".into());
        let before = same.clone();
        Scrubber::default().events(&mut same);
        assert_eq!(same, before);
    }
}
