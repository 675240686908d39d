//! Helpers for syntax trees.

use std::ops::Range;

use tree_sitter::{Node, Tree};

/// Maximum number of characters of an expression that is quoted.
const QUOTED: usize = 120;

/// Returns the smallest node that spans a range of bytes.
pub(crate) fn node_at<'t>(tree: &'t Tree, span: &Range<usize>) -> Option<Node<'t>> {
    tree.root_node()
        .descendant_for_byte_range(span.start, span.end.max(span.start + 1) - 1)
}

/// Returns the node of a definition: the outermost one that begins and ends with the range.
pub(crate) fn definition_at<'t>(tree: &'t Tree, span: &Range<usize>) -> Option<Node<'t>> {
    let mut node = tree
        .root_node()
        .descendant_for_byte_range(span.start, span.end)?;
    while let Some(parent) = node.parent().filter(|parent| parent.byte_range() == *span) {
        node = parent;
    }
    Some(node)
}

/// Returns the text of a node on one line, at most 120 characters.
pub(crate) fn text(node: &Node<'_>, bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.get(node.byte_range()).unwrap_or_default());
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(QUOTED) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// Returns the lines of a node, counted from 1.
pub(crate) fn lines(node: &Node<'_>) -> (usize, usize) {
    let last = node.end_position();
    let end = match last.column {
        0 if last.row > node.start_position().row => last.row,
        _ => last.row + 1,
    };
    (node.start_position().row + 1, end)
}

/// Returns whether a node is a function within another one, whose statements are its own.
pub(crate) fn is_function(node: &Node<'_>) -> bool {
    let kind = node.kind();

    matches!(
        kind,
        "function_item"
            | "closure_expression"
            | "function_definition"
            | "lambda"
            | "function_declaration"
            | "generator_function_declaration"
            | "function_expression"
            | "generator_function"
            | "arrow_function"
            | "method_definition"
            | "method_declaration"
            | "constructor_declaration"
            | "func_literal"
            | "lambda_expression"
            | "local_function_statement"
            | "anonymous_function"
            | "method"
            | "singleton_method"
            | "class_definition"
            | "class_declaration"
            | "async_block"
    )
}

/// Calls `visit` for each node of a function, without those of functions within it. `visit` returns
/// whether to look below the node.
pub(crate) fn walk<'t>(root: Node<'t>, visit: &mut impl FnMut(Node<'t>) -> bool) {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if node.id() != root.id() && is_function(&node) {
            continue;
        }
        if !visit(node) {
            continue;
        }
        let mut cursor = node.walk();
        let mut children: Vec<Node<'t>> = node.children(&mut cursor).collect();
        children.reverse();
        open.extend(children);
    }
}
