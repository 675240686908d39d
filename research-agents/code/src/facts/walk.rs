//! One walk over a syntax tree: comments and strings, imports, variables of known types, derived
//! traits, and calls within macros.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::facts::bindings::read_bindings;
use crate::facts::clock::Clock;
use crate::facts::fact::{Binding, Import, Region, RegionKind, SymbolKind};
use crate::facts::imports::read_imports;
use crate::facts::lines::LineIndex;
use crate::lang::{Grammar, NodeRole};

/// Number of nodes between two looks at the clock.
const NODES: usize = 4_096;

/// What a walk has found.
#[derive(Default)]
pub(crate) struct Walked {
    pub(crate) regions: Vec<Region>,
    pub(crate) imports: Vec<Import>,
    pub(crate) bindings: Vec<Binding>,
    /// Names that are called within the tokens of a macro.
    pub(crate) calls: Vec<Range<usize>>,
    /// Definitions within the tokens of a macro: kind, bytes, and those of the name.
    pub(crate) definitions: Vec<(SymbolKind, Range<usize>, Range<usize>)>,
    /// Derived traits with the types that derive them.
    pub(crate) derives: Vec<(Range<usize>, Range<usize>)>,
}

impl Walked {
    /// Walks a tree. `None` if the time is over.
    pub(crate) fn walk(
        grammar: &Grammar,
        tree: &Tree,
        bytes: &[u8],
        lines: &LineIndex,
        clock: &Clock<'_>,
    ) -> Option<Self> {
        let mut walked = Self::default();
        let mut cursor = tree.walk();
        let mut seen = 0;
        // The macros and attributes around the node, the outermost first.
        let mut around: Vec<NodeRole> = Vec::new();
        loop {
            seen += 1;
            if seen % NODES == 0 && clock.is_over() {
                return None;
            }

            let node = cursor.node();
            let role = grammar.role(&node);
            let is_in_macro = around.first() == Some(&NodeRole::Tokens);
            let is_leaf = walked.visit(role, &node, bytes, lines, is_in_macro);
            if !is_leaf && cursor.goto_first_child() {
                if matches!(role, NodeRole::Tokens | NodeRole::Attribute) {
                    around.push(role);
                }
                continue;
            }
            loop {
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return Some(walked);
                }
                let left = grammar.role(&cursor.node());
                if matches!(left, NodeRole::Tokens | NodeRole::Attribute) {
                    around.pop();
                }
            }
        }
    }

    /// Takes what a node shows. Returns whether nothing below it matters.
    fn visit(
        &mut self,
        role: NodeRole,
        node: &Node<'_>,
        bytes: &[u8],
        lines: &LineIndex,
        is_in_macro: bool,
    ) -> bool {
        match role {
            NodeRole::None | NodeRole::Tokens => {}
            NodeRole::Comment => {
                self.regions.push(Region {
                    kind: RegionKind::Comment,
                    span: node.byte_range(),
                });
                return true;
            }

            // What is inserted into a string is code again, and is found below it.
            NodeRole::Text => self.regions.push(Region {
                kind: if documents(node) {
                    RegionKind::Comment
                } else {
                    RegionKind::String
                },
                span: node.byte_range(),
            }),
            NodeRole::Import => read_imports(node, bytes, lines, &mut self.imports),
            NodeRole::Binding => read_bindings(node, bytes, &mut self.bindings),
            NodeRole::Attribute => derives(node, bytes, &mut self.derives),
            NodeRole::Identifier => {
                if is_in_macro && let Some(found) = defined(node, bytes) {
                    self.definitions.push(found);
                } else if is_in_macro && is_called(node, bytes) {
                    self.calls.push(node.byte_range());
                }
            }
        }
        false
    }
}

/// Returns whether a string of Python is a statement by itself, and so documents what contains it.
fn documents(content: &Node<'_>) -> bool {
    content.kind() == "string_content"
        && content
            .parent()
            .filter(|string| string.kind() == "string")
            .and_then(|string| string.parent())
            .is_some_and(|statement| {
                statement.kind() == "expression_statement" && statement.named_child_count() == 1
            })
}

/// Returns whether a name within the tokens of a macro is followed by arguments.
fn is_called(node: &Node<'_>, bytes: &[u8]) -> bool {
    let after = bytes.get(node.end_byte()..).unwrap_or_default();
    match after.first() {
        Some(b'(') => true,
        Some(b'!') => after.get(1).is_some_and(|byte| b"([{".contains(byte)),
        Some(b':') if after.starts_with(b"::<") => true,
        _ => false,
    }
}

/// Reads the traits of `#[derive(…)]` and the type below it.
fn derives(node: &Node<'_>, bytes: &[u8], found: &mut Vec<(Range<usize>, Range<usize>)>) {
    let text = bytes.get(node.byte_range()).unwrap_or_default();
    let Some(list) = text.windows(7).position(|window| window == b"derive(") else {
        return;
    };
    let mut next = node.next_named_sibling();
    while let Some(item) =
        next.filter(|item| item.kind() == "attribute_item" || item.kind().contains("comment"))
    {
        next = item.next_named_sibling();
    }
    let Some(name) = next.and_then(|item| item.child_by_field_name("name")) else {
        return;
    };

    let mut at = list + 7;
    while let Some(byte) = text.get(at).filter(|byte| **byte != b')') {
        if !(byte.is_ascii_alphabetic() || *byte == b'_') {
            at += 1;
            continue;
        }
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = text[at..].iter().position(|byte| !is_word(byte));
        let end = at + length.unwrap_or(text.len() - at);
        let is_path = text[end..].starts_with(b"::");
        if !is_path {
            let start = node.start_byte() + at;
            found.push((start..node.start_byte() + end, name.byte_range()));
        }
        at = end;
    }
}

/// Returns the definition of a type or constant within the tokens of a macro, such as
/// `pin_project!`: its kind, its bytes to the end of its body, and its name.
fn defined(node: &Node<'_>, bytes: &[u8]) -> Option<(SymbolKind, Range<usize>, Range<usize>)> {
    /// Number of tokens between a name and its body.
    const HEADER: usize = 40;
    let before = node.prev_sibling()?;
    let keyword = bytes.get(before.byte_range())?;
    let kind = match keyword {
        b"struct" | b"union" => SymbolKind::Struct,
        b"enum" => SymbolKind::Enum,
        b"trait" => SymbolKind::Trait,
        b"type" => SymbolKind::Type,
        b"const" | b"static" => SymbolKind::Variable,
        _ => return None,
    };

    let mut end = node.end_byte();
    let mut next = node.next_sibling();
    for _ in 0..HEADER {
        let Some(token) = next else { break };
        end = token.end_byte();
        let text = bytes.get(token.byte_range()).unwrap_or_default();
        if text == b";" || text.starts_with(b"{") {
            break;
        }
        next = token.next_sibling();
    }
    Some((kind, before.start_byte()..end, node.byte_range()))
}
