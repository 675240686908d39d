//! Namespaces: where in a thread the graphs keep their checkpoints.
//!
//! The root graph has the empty namespace. Each subgraph adds a segment: the name of its node, and for a single call of it `:`
//! and the place of the call. Segments are joined by `/`. What has a meaning here is escaped in names, so that no two places
//! share a namespace.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

/// What is escaped in the name of a node: what joins and ends segments, and the escape itself.
const ESCAPED: [char; 5] = ['%', '/', ':', '#', '@'];

/// The name of a node as a segment: each of the characters that mean something in a namespace becomes `%` and two hexadecimal
/// digits.
pub(crate) fn segment(node: &str) -> Cow<'_, str> {
    if !node.contains(ESCAPED) {
        return node.into();
    }
    let mut escaped = String::with_capacity(node.len() + 4);
    for c in node.chars() {
        if ESCAPED.contains(&c) {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "%{:02X}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped.into()
}

/// The segment of a single call at a place.
pub(crate) fn call_segment(node: &str, place: impl std::fmt::Display) -> String {
    format!("{}:{place}", segment(node))
}

/// A namespace inside another one.
pub(crate) fn nested(outer: &str, inner: &str) -> Arc<str> {
    match outer {
        "" => inner.into(),
        outer => format!("{outer}/{inner}").into(),
    }
}

/// Whether a namespace is another one or inside it.
pub(crate) fn is_within(namespace: &str, outer: &str) -> bool {
    match namespace.strip_prefix(outer) {
        Some(rest) => outer.is_empty() || rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

/// The namespace that another one is directly inside of, and its last segment; `None` for the root.
pub(crate) fn split(namespace: &str) -> Option<(&str, &str)> {
    match namespace.rsplit_once('/') {
        Some(split) => Some(split),
        None if namespace.is_empty() => None,
        None => Some(("", namespace)),
    }
}

/// The place of the call that a segment is of; `None` where it is of no single call.
pub(crate) fn place(segment: &str) -> Option<&str> {
    segment.split_once(':').map(|(_, place)| place)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// One graph inside another: the name of the node, and the place of a call.
    fn path() -> impl Strategy<Value = Vec<(String, Option<u8>)>> {
        prop::collection::vec(("[ab/:%#@.]{1,4}", prop::option::of(0..3_u8)), 0..4)
    }

    fn namespace(path: &[(String, Option<u8>)]) -> Arc<str> {
        path.iter().fold("".into(), |outer: Arc<str>, (node, call)| match call {
            Some(place) => nested(&outer, &call_segment(node, place)),
            None => nested(&outer, &segment(node)),
        })
    }

    proptest! {
        #[test]
        fn no_two_places_share_a_namespace(one in path(), other in path()) {
            prop_assert_eq!(namespace(&one) == namespace(&other), one == other);
        }

        #[test]
        fn what_is_within_is_what_was_nested(one in path(), other in path()) {
            let is_prefix = one.len() <= other.len() && one.iter().zip(&other).all(|(one, other)| one == other);
            prop_assert_eq!(is_within(&namespace(&other), &namespace(&one)), is_prefix);
        }
    }

    #[test]
    fn a_plain_name_is_its_own_segment_and_others_are_escaped() {
        assert_eq!(segment("find_all"), "find_all");
        assert_eq!(segment("a/b:50%"), "a%2Fb%3A50%25");
        assert_eq!(split("a/b:1.2.0"), Some(("a", "b:1.2.0")));
        assert_eq!(place("b:1.2.0"), Some("1.2.0"));
        assert_eq!((split(""), place("b")), (None, None));
    }
}
