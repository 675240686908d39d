//! Where a key of a configuration is read, set and declared, by the code around its string.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use tree_sitter::Node;

use crate::facts::syntax;
use crate::lang::Language;
use crate::resolve::body::tree::{lines, node_at, text};

/// What is done with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeyUse {
    Read,
    Set,
    /// It is an argument of a function whose name says neither.
    Named,
}

/// A use of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeySite {
    pub(crate) does: KeyUse,
    /// The function that gets the key, if there is one.
    pub(crate) accessor: Option<String>,
    /// The default of a read, or the value that is set.
    pub(crate) value: Option<String>,
    pub(crate) lines: (usize, usize),
}

/// Beginnings and parts of the names of functions that read a key.
const READS: &[&str] = &[
    "get", "var", "env", "read", "load", "lookup", "fetch", "find", "has", "contains", "pop",
    "option", "require", "value", "arg", "is_set",
];

/// Parts of the names of functions that set or declare a key.
const SETS: &[&str] = &[
    "set", "put", "insert", "register", "add", "define", "declare", "update", "write", "store",
    "remove", "delete", "bind", "flag", "append",
];

/// Reads what is done with a key at each of its occurrences in strings of a file.
pub(crate) fn key_sites(
    language: Language,
    bytes: &[u8],
    occurrences: &[Range<usize>],
    is_cancelled: &AtomicBool,
) -> Vec<KeySite> {
    let Some(tree) = syntax(language, bytes, is_cancelled) else {
        return Vec::new();
    };

    occurrences
        .iter()
        .filter_map(|span| {
            let mut node = node_at(&tree, span)?;
            // The string is the key itself and not a sentence that mentions it.
            let is_whole = node.byte_range() == *span
                || node.start_byte() + 1 == span.start && node.end_byte() == span.end + 1;
            if !is_whole {
                return None;
            }
            while let Some(parent) = node.parent().filter(|parent| {
                parent.kind().contains("string") || parent.kind() == "literal_element"
            }) {
                node = parent;
            }
            site(node, bytes)
        })
        .collect()
}

fn site(string: Node<'_>, bytes: &[u8]) -> Option<KeySite> {
    let mut inner = string;
    for _ in 0..3 {
        let outer = inner.parent()?;

        match outer.kind() {
            "subscript"
            | "subscript_expression"
            | "index_expression"
            | "element_reference"
            | "element_access_expression" => return Some(subscript(&outer, bytes)),
            "pair" | "keyed_element" | "array_element_initializer" => {
                let value = outer
                    .child_by_field_name("value")
                    .or_else(|| outer.named_child(1))
                    .filter(|value| value.id() != inner.id())?;
                return Some(KeySite {
                    does: KeyUse::Set,
                    accessor: None,
                    value: Some(text(&value, bytes)),
                    lines: lines(&outer),
                });
            }
            "argument_list" | "arguments" => return call(&inner, &outer, bytes),
            "argument" | "parenthesized_expression" | "bracketed_argument_list" => inner = outer,
            "comparison_operator"
            | "binary_expression"
            | "match_arm"
            | "switch_case"
            | "case_clause"
            | "expression_case"
            | "match_pattern" => {
                return Some(KeySite {
                    does: KeyUse::Read,
                    accessor: None,
                    value: None,
                    lines: (lines(&outer).0, lines(&inner).1),
                });
            }
            _ => return None,
        }
    }
    None
}

/// Returns what `table["key"]` does: it reads, unless it is assigned to.
fn subscript(node: &Node<'_>, bytes: &[u8]) -> KeySite {
    let assignment = node.parent().filter(|parent| {
        let left = parent.child_by_field_name("left");
        left.is_some_and(|left| left.id() == node.id())
    });
    KeySite {
        does: match assignment {
            Some(_) => KeyUse::Set,
            None => KeyUse::Read,
        },
        accessor: None,
        value: assignment
            .and_then(|assignment| assignment.child_by_field_name("right"))
            .map(|value| text(&value, bytes)),
        lines: lines(&assignment.unwrap_or(*node)),
    }
}

/// Returns what a call with the key as its first arguments does.
fn call(argument: &Node<'_>, arguments: &Node<'_>, bytes: &[u8]) -> Option<KeySite> {
    let call = arguments.parent()?;
    let function = ["function", "name", "method", "constructor", "type"]
        .iter()
        .find_map(|field| call.child_by_field_name(field))?;
    let accessor = text(&function, bytes);
    let last = accessor
        .rsplit(['.', ':', '>'])
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let is = |list: &[&str]| list.iter().any(|part| last.contains(part));

    let next = argument
        .next_named_sibling()
        .map(|value| text(&value, bytes));
    let does = match (is(SETS), is(READS)) {
        (true, false) => KeyUse::Set,
        (_, true) => KeyUse::Read,
        (false, false) => KeyUse::Named,
    };
    Some(KeySite {
        does,
        accessor: Some(accessor),
        value: next,
        lines: lines(&call),
    })
}
