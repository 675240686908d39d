//! Values of constants, fields, parameters and keys.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use tree_sitter::Node;

use crate::facts::{FileFacts, LineIndex, syntax};
use crate::lang::Language;
use crate::resolve::body::tree::{lines, node_at, text};

/// What has a value. The order is the one of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ValueKind {
    /// A constant, or a variable of a module or class.
    Constant,
    /// A field in an implementation of `Default` or a constructor.
    Default,
    /// A parameter with a default.
    Parameter,
    /// A key of a table or of a configuration file.
    Key,
    /// An assignment elsewhere.
    Assignment,
    /// A named argument of a call.
    Argument,
}

/// A place where something has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValueSite {
    pub(crate) kind: ValueKind,
    /// The value on one line.
    pub(crate) literal: String,
    /// First and last line, counted from 1.
    pub(crate) lines: (usize, usize),
    /// Qualified name of the symbol around it.
    pub(crate) within: Option<String>,
}

/// Names of fields of nodes that hold a value.
const VALUES: &[&str] = &["value", "right", "default", "default_value"];

/// Reads the values at the occurrences of a name in a file.
pub(crate) fn value_sites(
    language: Language,
    bytes: &[u8],
    facts: &FileFacts,
    occurrences: &[Range<usize>],
    is_cancelled: &AtomicBool,
) -> Vec<ValueSite> {
    let Some(tree) = syntax(language, bytes, is_cancelled) else {
        return Vec::new();
    };
    let mut found = Vec::new();

    for span in occurrences {
        let Some(node) = node_at(&tree, span) else {
            continue;
        };
        if let Some(site) = site(node, bytes, facts)
            && !found.contains(&site)
        {
            found.push(site);
        }
    }
    found
}

/// Returns what the declaration or assignment around a name sets it to.
fn site(name: Node<'_>, bytes: &[u8], facts: &FileFacts) -> Option<ValueSite> {
    /// Number of nodes between a name and its declaration: patterns, attributes, strings.
    const DEPTH: usize = 4;
    let mut inner = name;

    for _ in 0..DEPTH {
        let outer = inner.parent()?;
        if let Some(value) = value_of(&outer) {
            let is_name = value.id() != inner.id() && inner.start_byte() < value.start_byte();
            return is_name.then(|| found(&outer, &value, bytes, facts));
        }
        let is_path = matches!(
            outer.kind(),
            "attribute"
                | "member_expression"
                | "field_expression"
                | "selector_expression"
                | "string"
                | "string_literal"
                | "interpreted_string_literal"
                | "encapsed_string"
                | "literal_element"
                | "keyed_element"
                | "typed_parameter"
                | "expression_list"
                | "variable_name"
                | "instance_variable"
                | "identifier"
                | "mut_pattern"
                | "pointer_declarator"
                | "variable_declarator"
                | "array_declarator"
        );
        // In a path, only the last part is set.
        let is_last = outer.end_byte() == inner.end_byte()
            || !matches!(
                outer.kind(),
                "attribute" | "member_expression" | "field_expression" | "selector_expression"
            );
        if !is_path || !is_last {
            return None;
        }
        inner = outer;
    }
    None
}

/// Returns the value that a declaration, assignment or element gives to a name.
pub(crate) fn value_of<'t>(outer: &Node<'t>) -> Option<Node<'t>> {
    VALUES
        .iter()
        .find_map(|field| outer.child_by_field_name(field))
        .filter(|_| {
            let kind = outer.kind();
            !kind.starts_with("binary")
                && !kind.contains("operator")
                && !kind.contains("case")
                && !matches!(kind, "match_arm" | "let_condition" | "for_expression")
        })
        .or_else(|| element_value(outer))
}

/// Returns the value of an element of a table, a definition of the preprocessor, or a declaration
/// whose value has no field name.
fn element_value<'t>(outer: &Node<'t>) -> Option<Node<'t>> {
    match outer.kind() {
        "keyed_element" => outer.named_child(1),
        // C# writes the value as the last child.
        "variable_declarator"
        | "property_declaration"
        | "const_element"
        | "property_element"
        | "enum_assignment" => {
            let count = u32::try_from(outer.named_child_count()).ok()?;
            let last = outer.named_child(count.checked_sub(1)?)?;
            let name = outer
                .child_by_field_name("name")
                .or_else(|| outer.named_child(0))?;
            let is_value = last.id() != name.id() && last.kind() != "accessor_list";
            is_value.then_some(last)
        }

        "hash_key_symbol" => outer.next_named_sibling(),
        _ => None,
    }
}

pub(crate) fn found(
    outer: &Node<'_>,
    value: &Node<'_>,
    bytes: &[u8],
    facts: &FileFacts,
) -> ValueSite {
    let at = outer.start_byte();
    let around = facts
        .symbols
        .iter()
        .filter(|symbol| symbol.span.contains(&at))
        .filter(|symbol| symbol.kind.is_function() || symbol.kind.is_type())
        .min_by_key(|symbol| symbol.span.len());
    let is_function = around.is_some_and(|symbol| symbol.kind.is_function());
    let is_constructor = around.is_some_and(|symbol| {
        matches!(
            symbol.name.as_str(),
            "default" | "new" | "__init__" | "constructor" | "initialize" | "__construct"
        )
    });

    let kind = match outer.kind() {
        "default_parameter"
        | "typed_default_parameter"
        | "optional_parameter"
        | "required_parameter"
        | "assignment_pattern"
        | "simple_parameter"
        | "parameter"
        | "optional_parameter_declaration"
        | "object_assignment_pattern" => ValueKind::Parameter,
        "keyword_argument" | "argument" | "named_argument" => ValueKind::Argument,
        "field_initializer"
        | "pair"
        | "keyed_element"
        | "assignment"
        | "assignment_expression"
        | "assignment_statement"
            if is_constructor =>
        {
            ValueKind::Default
        }
        "pair" | "keyed_element" | "array_element_initializer" => ValueKind::Key,
        "field_initializer" => ValueKind::Assignment,
        _ if is_function => ValueKind::Assignment,
        _ => ValueKind::Constant,
    };
    ValueSite {
        kind,
        literal: text(value, bytes),
        lines: lines(outer),
        within: around.map(|symbol| facts.qualified_name(symbol)),
    }
}

/// Reads the values of a key in a configuration file: `key = value`, `key: value`.
pub(crate) fn document_values(bytes: &[u8], occurrences: &[Range<usize>]) -> Vec<ValueSite> {
    let index = LineIndex::new(bytes);
    let mut found = Vec::new();

    for span in occurrences {
        let line = index.line(span.start);
        let Some(range) = index.bytes(line, line) else {
            continue;
        };
        let before = bytes.get(range.start..span.start).unwrap_or_default();
        let is_first = before
            .iter()
            .all(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'-' | b'{'));
        if !is_first {
            continue;
        }
        let after = String::from_utf8_lossy(bytes.get(span.end..range.end).unwrap_or_default());
        let after = after.trim_start_matches(['"', '\'', ' ', '\t']);
        let Some(value) = after.strip_prefix([':', '=']) else {
            continue;
        };
        let value = value.trim().trim_end_matches(',');
        let value = value.split(" #").next().unwrap_or_default().trim();
        if !value.is_empty() && value.len() < 200 {
            found.push(ValueSite {
                kind: ValueKind::Key,
                literal: value.to_owned(),
                lines: (line, line),
                within: None,
            });
        }
    }
    found
}
