//! The redactor, and the secrets that the process knows.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::forms::forms;

/// Minimum length of a secret in bytes. Shorter ones would remove ordinary words.
pub const MIN_SECRET: usize = 8;

/// What stands where a secret was.
const REDACTED: &str = "[redacted]";

/// Maximum number of forms that the process keeps. Tokens that a program renews for months do not take more memory.
const MAX_FORMS: usize = 20_000;

static KNOWN: RwLock<Vec<Arc<[SecretString]>>> = RwLock::new(Vec::new());

/// Registers a secret of this process, such as a key that is sent to a server. From then on [`Redactor::known`] removes it. A
/// secret of fewer than [`MIN_SECRET`] bytes is ignored.
pub fn register_secret(secret: &str) {
    let secret = secret.trim();
    if secret.len() < MIN_SECRET {
        return;
    }

    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    let is_known = |forms: &Arc<[SecretString]>| forms.iter().any(|form| form.expose_secret() == secret);
    if known.iter().any(is_known) {
        return;
    }
    known.push(forms(secret).into_iter().map(SecretString::from).collect());
    while known.iter().map(|forms| forms.len()).sum::<usize>() > MAX_FORMS {
        known.remove(0);
    }
}

/// Removes secrets from text and JSON, as they are and in JSON, URL, hexadecimal and Base64 form.
///
/// ```
/// use research_llm::redact::Redactor;
///
/// let redactor = Redactor::default().secret("correct horse battery");
/// assert_eq!(redactor.text("sent correct horse battery"), "sent [redacted]");
/// assert_eq!(redactor.text("in Base64: Y29ycmVjdCBob3JzZSBiYXR0ZXJ5"), "in Base64: [redacted]");
/// assert_eq!(redactor.text("a correct horse"), "a correct horse");
/// ```
#[derive(Clone, Default)]
pub struct Redactor(Vec<Arc<[SecretString]>>);

impl Redactor {
    /// Creates a redactor of all secrets that are [registered](register_secret) now.
    pub fn known() -> Self {
        Self(KNOWN.read().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// Adds a secret. One of fewer than [`MIN_SECRET`] bytes is ignored.
    #[must_use]
    pub fn secret(mut self, secret: &str) -> Self {
        let secret = secret.trim();
        if secret.len() >= MIN_SECRET {
            self.0.push(forms(secret).into_iter().map(SecretString::from).collect());
        }
        self
    }

    /// Returns `true` if there is nothing to remove.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the text without the secrets.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut clean = Cow::Borrowed(text);
        for form in self.forms() {
            if clean.contains(form) {
                clean = clean.replace(form, REDACTED).into();
            }
        }
        clean
    }

    /// Removes the secrets from all strings of a value, names of fields among them.
    pub fn value(&self, value: &mut Value) {
        if self.is_empty() {
            return;
        }
        match value {
            Value::String(text) => {
                if let Cow::Owned(clean) = self.text(text) {
                    *text = clean;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(fields) => {
                let secret: Vec<String> =
                    fields.keys().filter(|name| matches!(self.text(name), Cow::Owned(_))).cloned().collect();
                for name in secret {
                    if let Some(value) = fields.remove(&name) {
                        fields.insert(self.text(&name).into_owned(), value);
                    }
                }
                fields.values_mut().for_each(|field| self.value(field));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Returns a value of any form without the secrets. One without a secret is returned as it is.
    pub fn all_of<T: Serialize + DeserializeOwned>(&self, value: T) -> T {
        if self.is_empty() {
            return value;
        }
        let Ok(stated) = serde_json::to_value(&value) else { return value };
        let mut clean = stated.clone();
        self.value(&mut clean);
        if clean == stated {
            return value;
        }
        serde_json::from_value(clean).unwrap_or(value)
    }

    /// Returns where the end of a text begins that may be the beginning of a secret, whose rest is still to come.
    pub(super) fn open_end(&self, text: &str) -> usize {
        let begins =
            |at: &usize| self.forms().any(|form| form.len() > text.len() - at && form.starts_with(&text[*at..]));
        let longest = self.forms().map(str::len).max().unwrap_or_default();
        let earliest = text.len().saturating_sub(longest);
        let mut places = text.char_indices().map(|(at, _)| at).filter(|at| *at >= earliest);
        places.find(begins).unwrap_or(text.len())
    }

    fn forms(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|forms| forms.iter()).map(ExposeSecret::expose_secret)
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    use serde_json::json;

    use super::*;

    const KEY: &str = "tök/en \"9\" of+mine?";

    #[test]
    fn a_key_is_found_in_every_spelling() {
        let redactor = Redactor::default().secret(KEY);
        let hex: String = KEY.bytes().map(|byte| format!("{byte:02X}")).collect();
        let url: String = KEY.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let json = Value::from(KEY).to_string();

        for text in [
            KEY.to_owned(),
            json.clone(),
            Value::from(json).to_string(),
            "t%C3%B6k%2Fen%20%229%22%20of%2Bmine%3F".to_owned(),
            url,
            hex.to_lowercase(),
            hex,
            STANDARD.encode(KEY),
            URL_SAFE_NO_PAD.encode(KEY),
        ] {
            let shown = redactor.text(&text);
            assert!(shown.contains(REDACTED) && shown.len() < REDACTED.len() + 10, "{text}: {shown}");
        }
        for before in ["u:", "Bearer ", "abc"] {
            let shown = redactor.text(&STANDARD.encode(format!("{before}{KEY}"))).into_owned();
            assert!(shown.contains(REDACTED), "{before}: {shown}");
        }
    }

    #[test]
    fn a_value_is_cleaned_with_the_names_of_its_fields() {
        let redactor = Redactor::default().secret("hunter2-hunter2").secret("short");
        let mut value = json!({"hunter2-hunter2": [1, null, {"a": "a hunter2-hunter2 short"}]});

        redactor.value(&mut value);

        assert_eq!(value, json!({"[redacted]": [1, null, {"a": "a [redacted] short"}]}));
        assert_eq!(redactor.all_of(vec!["hunter2-hunter2".to_owned()]), ["[redacted]"]);
        assert_eq!(format!("{redactor:?}"), "Redactor(1)");
    }

    #[test]
    fn an_end_that_may_become_a_key_is_open() {
        let redactor = Redactor::default().secret("hunter2-hunter2");
        for (text, open) in [("a hunt", 2), ("a hunter2-hunter2", 10), ("hunter3", 7), ("h", 0), ("", 0), ("äh", 2)] {
            assert_eq!(redactor.open_end(text), open, "{text}");
        }
    }

    #[test]
    fn what_is_registered_is_known() {
        register_secret("registered-in-a-test");
        register_secret(" registered-in-a-test ");
        register_secret("tiny");

        assert_eq!(Redactor::known().text("registered-in-a-test, tiny"), "[redacted], tiny");
    }
}
