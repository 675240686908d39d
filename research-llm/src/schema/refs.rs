//! References inside one schema document.

use serde_json::Value;

/// The part of a document that a reference such as `#/$defs/Point` means; `None` for a reference that leaves the
/// document or leads nowhere.
pub(super) fn resolve<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    root.pointer(&unescape(reference.strip_prefix('#')?))
}

/// A fragment with its percent signs decoded; one that is no UTF-8 stays as it is.
fn unescape(fragment: &str) -> String {
    if !fragment.contains('%') {
        return fragment.to_owned();
    }
    let bytes = fragment.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = (byte == b'%').then(|| fragment.get(at + 1..at + 3)).flatten();
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(code) => {
                decoded.push(code);
                at += 3;
            }
            None => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| fragment.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_are_found_whatever_their_escapes() {
        let root = json!({"$defs": {"A<B>": 1, "a/b": 2, "ä": 3}});
        assert_eq!(resolve(&root, "#/$defs/A%3CB%3E"), Some(&json!(1)));
        assert_eq!(resolve(&root, "#/$defs/a~1b"), Some(&json!(2)));
        assert_eq!(resolve(&root, "#/$defs/%C3%A4"), Some(&json!(3)));
        assert_eq!(resolve(&root, "#"), Some(&root));
        assert_eq!(resolve(&root, "https://example.com/schema"), None);
        assert_eq!(resolve(&root, "#/$defs/none"), None);
    }
}
