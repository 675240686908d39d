//! What a file of JavaScript or TypeScript exports.

use std::sync::atomic::AtomicBool;

use tree_sitter::Node;

use crate::facts::syntax;
use crate::lang::Language;
use crate::resolve::body::tree::{lines, text};

/// Returns the names that a file exports in their order, each once, with the lines of the first
/// export. `None` if the file cannot be parsed.
///
/// `exports.a = …`, `module.exports = { a, b: … }`, `export function a`, `export const a, b` and
/// `export { a as b }` are read. `export default` has the name `default`. What `export *` passes on
/// from another file is not counted.
pub(crate) fn exports_of(
    language: Language,
    bytes: &[u8],
    is_cancelled: &AtomicBool,
) -> Option<Vec<(String, (usize, usize))>> {
    let tree = syntax(language, bytes, is_cancelled)?;
    let root = tree.root_node();
    let mut cursor = root.walk();
    let mut found: Vec<(String, (usize, usize))> = Vec::new();

    for statement in root.named_children(&mut cursor) {
        let names = match statement.kind() {
            "export_statement" => exported(&statement, bytes),
            "expression_statement" => statement
                .named_child(0)
                .map(|inner| assigned(&inner, bytes))
                .unwrap_or_default(),
            _ => Vec::new(),
        };
        for name in names {
            if !found.iter().any(|(known, _)| *known == name) {
                let (first, _) = lines(&statement);
                found.push((name, (first, first)));
            }
        }
    }
    Some(found)
}

/// Reads the names of an `export` statement.
fn exported(statement: &Node<'_>, bytes: &[u8]) -> Vec<String> {
    let mut cursor = statement.walk();
    if statement
        .children(&mut cursor)
        .any(|child| child.kind() == "default")
    {
        return vec!["default".to_owned()];
    }
    let mut names = Vec::new();
    if let Some(declaration) = statement.child_by_field_name("declaration") {
        if let Some(name) = declaration.child_by_field_name("name") {
            names.push(text(&name, bytes));
        }
        let mut cursor = declaration.walk();
        for part in declaration.named_children(&mut cursor) {
            if part.kind() == "variable_declarator"
                && let Some(name) = part.child_by_field_name("name")
            {
                names.push(text(&name, bytes));
            }
        }
    }

    let mut cursor = statement.walk();
    for clause in statement.named_children(&mut cursor) {
        if clause.kind() != "export_clause" {
            continue;
        }
        let mut cursor = clause.walk();
        for part in clause.named_children(&mut cursor) {
            let name = part
                .child_by_field_name("alias")
                .or_else(|| part.child_by_field_name("name"));
            names.extend(name.map(|name| text(&name, bytes)));
        }
    }
    names
}

/// Reads the names that an assignment, or a chain of assignments, adds to `exports`.
fn assigned(expression: &Node<'_>, bytes: &[u8]) -> Vec<String> {
    if expression.kind() != "assignment_expression" {
        return Vec::new();
    }
    let (Some(left), Some(right)) = (
        expression.child_by_field_name("left"),
        expression.child_by_field_name("right"),
    ) else {
        return Vec::new();
    };
    let target = text(&left, bytes);
    let mut names = Vec::new();
    let name = target
        .strip_prefix("module.exports.")
        .or_else(|| target.strip_prefix("exports."));

    if let Some(name) = name.filter(|name| !name.contains('.')) {
        names.push(name.to_owned());
    } else if matches!(target.as_str(), "module.exports" | "exports") && right.kind() == "object" {
        let mut cursor = right.walk();
        for entry in right.named_children(&mut cursor) {
            let key = match entry.kind() {
                "shorthand_property_identifier" => Some(entry),
                "pair" => entry.child_by_field_name("key"),
                "method_definition" => entry.child_by_field_name("name"),
                _ => None,
            };
            names.extend(key.map(|key| text(&key, bytes)));
        }
    }
    names.extend(assigned(&right, bytes));
    names
}
