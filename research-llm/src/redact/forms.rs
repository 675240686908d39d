//! The spellings in which a key may come back.

use std::collections::BTreeSet;
use std::fmt::Write;

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};
use serde_json::Value;

/// Forms shorter than this occur in ordinary text.
const MIN_FORM: usize = 8;

/// Returns a secret and its encoded forms, the longest first: in JSON, in URLs, in hexadecimal digits and in Base64.
pub(super) fn forms(secret: &str) -> Vec<String> {
    let bytes = secret.as_bytes();
    let mut found = BTreeSet::from([secret.to_owned()]);

    // A JSON text, and a JSON text as a string of another one.
    let once = in_json(secret);
    found.insert(in_json(&once));
    found.insert(once);

    // A part of a URL: all but the unreserved characters, or every character.
    let is_unreserved = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    let is_component = |byte: &u8| is_unreserved(byte) || b"!*'()".contains(byte);
    found.insert(in_url(bytes, is_unreserved, false));
    found.insert(in_url(bytes, is_unreserved, true));
    found.insert(in_url(bytes, is_component, false));
    found.insert(in_url(bytes, |_| false, false));
    found.insert(in_url(bytes, |_| false, true));

    let hex = bytes.iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string does not fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    found.insert(hex.to_uppercase());
    found.insert(hex);

    // What stands before the secret in the encoded text moves its digits: there are three ways to write them.
    for alphabet in [&alphabet::STANDARD, &alphabet::URL_SAFE] {
        let engine = GeneralPurpose::new(alphabet, NO_PAD);
        for before in 0..3 {
            let text = engine.encode([&vec![0; before], bytes].concat());
            let start = (before * 8).div_ceil(6);
            let end = (before + bytes.len()) * 8 / 6;
            found.extend(text.get(start..end).map(str::to_owned));
        }
    }

    let mut found: Vec<String> = found.into_iter().filter(|form| form.len() >= MIN_FORM).collect();
    found.sort_by_key(|form| std::cmp::Reverse(form.len()));
    found
}

/// Returns a text as it stands between the quotation marks of a JSON string.
fn in_json(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn in_url(bytes: &[u8], is_plain: impl Fn(&u8) -> bool, is_lower: bool) -> String {
    bytes.iter().fold(String::new(), |mut url, byte| {
        // Writing to a string does not fail.
        let _ = match byte {
            plain if is_plain(plain) => write!(url, "{}", char::from(*plain)),
            other if is_lower => write!(url, "%{other:02x}"),
            other => write!(url, "%{other:02X}"),
        };
        url
    })
}
