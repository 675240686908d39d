//! All values of a file with the names that they are under.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use tree_sitter::Node;

use crate::facts::{FileFacts, syntax};
use crate::lang::Language;
use crate::resolve::body::tree::{definition_at, lines, text};
use crate::resolve::body::value::{ValueKind, ValueSite, found, value_of};

/// A name with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedValue {
    pub(crate) name: String,
    pub(crate) site: ValueSite,
    /// First byte of the name.
    pub(crate) at: usize,
    /// Whether the value is a literal or the name of a constant.
    pub(crate) is_literal: bool,
}

/// Reads all values of a file: of constants, fields, parameters, assignments and keys, and of
/// functions that only return one.
pub(crate) fn named_values(
    language: Language,
    bytes: &[u8],
    facts: &FileFacts,
    within: Option<&Range<usize>>,
    is_cancelled: &AtomicBool,
) -> Vec<NamedValue> {
    let Some(tree) = syntax(language, bytes, is_cancelled) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    let mut open = vec![tree.root_node()];

    while let Some(node) = open.pop() {
        let is_outside = within
            .is_some_and(|range| node.end_byte() <= range.start || node.start_byte() >= range.end);
        if is_outside {
            continue;
        }
        all.extend(named(&node, bytes, facts));
        let mut cursor = node.walk();
        open.extend(node.named_children(&mut cursor));
    }
    all.sort_by_key(|one| one.at);
    all
}

/// Returns the value that a node gives to a name.
fn named(node: &Node<'_>, bytes: &[u8], facts: &FileFacts) -> Option<NamedValue> {
    if let Some(value) = value_of(node) {
        let name = [
            "name",
            "left",
            "pattern",
            "key",
            "field",
            "declarator",
            "parameter",
        ]
        .iter()
        .find_map(|field| node.child_by_field_name(field))
        .or_else(|| node.named_child(0))?;
        if name.id() == value.id() || name.start_byte() >= value.start_byte() {
            return None;
        }
        return Some(NamedValue {
            name: last_name(&text(&name, bytes))?,
            site: found(node, &value, bytes, facts),
            at: name.start_byte(),
            is_literal: is_literal(&value),
        });
    }

    constant_function(node, bytes, facts)
        .or_else(|| default_variant(node, bytes, facts))
        .or_else(|| key_call(node, bytes, facts))
}

/// Returns the variant of an enum of Rust that is marked as its default.
fn default_variant(node: &Node<'_>, bytes: &[u8], facts: &FileFacts) -> Option<NamedValue> {
    if node.kind() != "attribute_item" || text(node, bytes) != "#[default]" {
        return None;
    }
    let mut variant = node.next_named_sibling()?;
    while variant.kind() != "enum_variant" {
        variant = variant.next_named_sibling()?;
    }
    let name = variant.child_by_field_name("name")?;
    let at = node.start_byte();
    let around = facts
        .symbols
        .iter()
        .filter(|symbol| symbol.span.contains(&at) && symbol.kind.is_type())
        .min_by_key(|symbol| symbol.span.len())?;

    Some(NamedValue {
        name: "default".to_owned(),
        site: ValueSite {
            kind: ValueKind::Default,
            literal: text(&name, bytes),
            lines: (lines(node).0, lines(&variant).1),
            within: Some(facts.qualified_name(around)),
        },
        at,
        is_literal: true,
    })
}

/// Returns the value of a function whose body is only one.
fn constant_function(node: &Node<'_>, bytes: &[u8], facts: &FileFacts) -> Option<NamedValue> {
    let is_function = node.kind().starts_with("function") || node.kind().starts_with("method");
    let name = node.child_by_field_name("name").filter(|_| is_function)?;
    let mut value = node.child_by_field_name("body")?;

    for _ in 0..3 {
        let mut cursor = value.walk();
        let mut inner = value
            .named_children(&mut cursor)
            .filter(|child| !child.kind().contains("comment"));
        let only = inner.next()?;
        if inner.next().is_some() {
            return None;
        }
        value = only;
        if is_literal(&value) {
            let at = name.start_byte();
            let symbol = facts
                .symbols
                .iter()
                .find(|symbol| symbol.name_span.start == at);
            return Some(NamedValue {
                name: text(&name, bytes),
                site: ValueSite {
                    kind: ValueKind::Default,
                    literal: text(&value, bytes),
                    lines: (lines(node).0, lines(&value).1),
                    within: symbol.map(|symbol| facts.qualified_name(symbol)),
                },
                at,
                is_literal: true,
            });
        }
    }
    None
}

/// Returns the value that a call such as `set("key", 1)` gives to a key.
fn key_call(node: &Node<'_>, bytes: &[u8], facts: &FileFacts) -> Option<NamedValue> {
    let arguments = node.child_by_field_name("arguments")?;
    let key = arguments.named_child(0)?;
    let value = arguments.named_child(1)?;
    let is_key = key.kind().contains("string") && is_literal(&value);
    if !is_key || arguments.named_child_count() > 3 {
        return None;
    }
    let name = text(&key, bytes).trim_matches(['"', '\'', '`']).to_owned();
    let is_name = (2..60).contains(&name.len())
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' '));

    let mut site = found(node, &value, bytes, facts);
    site.kind = ValueKind::Key;
    is_name.then_some(NamedValue {
        name,
        site,
        at: key.start_byte(),
        is_literal: true,
    })
}

/// Returns the last identifier of a name such as `self.x: int` or `*p`.
fn last_name(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(['"', '\'', '`', ':']);
    let text = text.split([':', '(', '[', '=']).next()?.trim();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$');
    let name = text.rsplit(|c| !is_part(c)).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

/// Returns whether an expression is a literal, an operation on literals, or a path to a constant.
fn is_literal(value: &Node<'_>) -> bool {
    let kind = value.kind();
    let is_plain = kind.contains("literal")
        || kind.contains("string")
        || kind.contains("integer")
        || kind.contains("float")
        || kind.contains("number")
        || matches!(
            kind,
            "true"
                | "false"
                | "none"
                | "null"
                | "nil"
                | "undefined"
                | "boolean"
                | "None"
                | "scoped_identifier"
        );

    let is_composed = matches!(
        kind,
        "binary_expression"
            | "binary_operator"
            | "unary_expression"
            | "unary_operator"
            | "parenthesized_expression"
    );
    is_plain || is_composed && value.named_child_count() <= 3
}

/// Returns the keys or elements of the table that a definition is set to, with its lines.
pub(crate) fn entries_at(
    language: Language,
    bytes: &[u8],
    definition: &Range<usize>,
    is_cancelled: &AtomicBool,
) -> Option<(Vec<String>, (usize, usize))> {
    let tree = syntax(language, bytes, is_cancelled)?;
    let node = definition_at(&tree, definition)?;
    let mut open = vec![node];

    while let Some(node) = open.pop() {
        let is_table = matches!(
            node.kind(),
            "dictionary"
                | "list"
                | "tuple"
                | "set"
                | "array"
                | "object"
                | "array_expression"
                | "initializer_list"
                | "literal_value"
                | "hash"
                | "array_initializer"
                | "array_creation_expression"
        );
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        if is_table {
            let entries = children
                .iter()
                .filter(|child| !child.kind().contains("comment"))
                .map(|child| {
                    let key = child.child_by_field_name("key").unwrap_or(*child);
                    text(&key, bytes)
                })
                .collect();
            return Some((entries, lines(&node)));
        }
        open.extend(children.into_iter().rev());
    }
    None
}
