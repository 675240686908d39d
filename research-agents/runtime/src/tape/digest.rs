//! Canonical JSON and its digest.

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Returns canonical JSON: without blanks and with its fields sorted by name, so that equal values
/// give equal bytes.
pub fn canonical(mut value: Value) -> String {
    value.sort_all_objects();
    value.to_string()
}

/// Returns the SHA-256 of a string in hexadecimal digits.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Number of hexadecimal digits of a digest that identifies an effect.
pub const DIGITS: usize = 32;

/// Returns the digest of a value, the same whatever the order of its fields: the first [`DIGITS`]
/// digits of the SHA-256 of its [canonical] JSON.
///
/// # Errors
///
/// When the value cannot be written as JSON.
pub fn digest_of(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut digest = sha256(&canonical(serde_json::to_value(value)?));
    digest.truncate(DIGITS);
    Ok(digest)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn digest_ignores_the_order_of_fields() {
        let digest = |value| digest_of(&value).unwrap();

        assert_eq!(
            digest(json!({"a": 1, "b": {"c": 2, "d": 3}})),
            digest(json!({"b": {"d": 3, "c": 2}, "a": 1}))
        );
        assert_ne!(digest(json!({"a": 1})), digest(json!({"a": 2})));
    }
}
