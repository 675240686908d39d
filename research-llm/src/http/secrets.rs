//! Takes keys out of text that came from outside, before it enters an error or a log.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

use research_key_shapes::key_shapes;

use crate::redact::{Redactor, register_secret};

/// What is written in the place of a key.
const REMOVED: &str = "[key]";

/// The secrets of a client. A text that may echo them goes through [`scrub`](Self::scrub).
#[derive(Clone, Default)]
pub(crate) struct Secrets {
    exact: Vec<SecretString>,
    /// The same in their encoded forms too.
    encoded: Redactor,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.exact.len())
    }
}

impl Secrets {
    /// Remembers a secret, and registers it with the process. A very short one would blot out ordinary words and is no secret.
    pub(crate) fn add(&mut self, secret: &str) {
        if secret.len() >= 4 {
            self.exact.push(SecretString::from(secret));
            self.encoded = std::mem::take(&mut self.encoded).secret(secret);
            register_secret(secret);
        }
    }

    /// The text without these secrets, and without words in the shape of a provider's key.
    pub(crate) fn scrub(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.exact {
            if text.contains(secret.expose_secret()) {
                text = text.replace(secret.expose_secret(), REMOVED);
            }
        }
        remove_key_shapes(self.encoded.text(&text).into_owned())
    }
}

fn remove_key_shapes(mut text: String) -> String {
    for key in key_shapes(&text).into_iter().rev() {
        text.replace_range(key, REMOVED);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_itself_is_removed_wherever_it_stands() {
        let mut secrets = Secrets::default();
        secrets.add("tok-MARKER");
        assert_eq!(secrets.scrub("a tok-MARKER, Bearer=tok-MARKER!"), "a [key], Bearer=[key]!");
    }

    #[test]
    fn words_in_the_shape_of_a_key_are_removed_and_other_words_stay() {
        let secrets = Secrets::default();
        for (text, clean) in [
            ("Incorrect API key provided: sk-ab12****wxyz.", "Incorrect API key provided: [key]."),
            ("key=sk-proj-0123456789_ABCDEF, ä", "key=[key], ä"),
            ("gsk_0123456789abcdef", "[key]"),
            ("sk-learn and risk-free task-1 stay", "sk-learn and risk-free task-1 stay"),
        ] {
            assert_eq!(secrets.scrub(text), clean);
        }
    }

    #[test]
    fn debug_shows_no_secret() {
        let mut secrets = Secrets::default();
        secrets.add("tok-MARKER");
        assert_eq!(format!("{secrets:?}"), "Secrets(1)");
    }
}
