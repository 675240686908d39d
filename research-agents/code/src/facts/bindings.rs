//! Variables, parameters and fields with their written types.

use tree_sitter::Node;

use crate::facts::fact::{Binding, base_name};

/// Reads the variables of a declaration in any of the languages.
pub(crate) fn read_bindings(node: &Node<'_>, bytes: &[u8], found: &mut Vec<Binding>) {
    let of = match node.child_by_field_name("type") {
        Some(written) => base_name(&text(&written, bytes)).to_owned(),
        None => match value(node).and_then(|value| constructed(&value, bytes)) {
            Some(of) => of,
            None => return,
        },
    };
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    if of.is_empty() || !of.chars().all(is_name) {
        return;
    }

    for field in ["pattern", "name", "left", "declarator"] {
        let mut cursor = node.walk();
        for variable in node.children_by_field_name(field, &mut cursor) {
            bind(&variable, bytes, &of, found);
        }
    }
    // A parameter of Python with a type has its name as first child.
    if node.kind() == "typed_parameter"
        && let Some(name) = node.named_child(0)
    {
        bind(&name, bytes, &of, found);
    }
    // A declaration of C# names its variables in children.
    if node.kind() == "variable_declaration" {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if child.kind() == "variable_declarator" {
                bind(&child, bytes, &of, found);
            }
        }
    }
}

/// Notes one variable.
fn bind(node: &Node<'_>, bytes: &[u8], of: &str, found: &mut Vec<Binding>) {
    let name = match node.kind() {
        "identifier" | "field_identifier" | "property_identifier" | "variable_name" => *node,
        // `self.x = T()`
        "attribute" => match node.child_by_field_name("attribute") {
            Some(name) => name,
            None => return,
        },
        "expression_list"
        | "pointer_declarator"
        | "reference_declarator"
        | "mut_pattern"
        | "rest_pattern" => {
            if let Some(inner) = node.named_child(node.named_child_count().saturating_sub(1) as u32)
            {
                bind(&inner, bytes, of, found);
            }
            return;
        }
        _ => match node
            .child_by_field_name("name")
            .or_else(|| node.child_by_field_name("declarator"))
        {
            Some(inner) => {
                bind(&inner, bytes, of, found);
                return;
            }
            None => return,
        },
    };

    found.push(Binding {
        name: text(&name, bytes).trim_start_matches('$').to_owned(),
        of: of.to_owned(),
        at: name.start_byte(),
    });
}

/// Returns what a variable is set to.
fn value<'t>(node: &Node<'t>) -> Option<Node<'t>> {
    let value = node
        .child_by_field_name("value")
        .or_else(|| node.child_by_field_name("right"))?;
    if value.kind() == "expression_list" && value.named_child_count() == 1 {
        return value.named_child(0);
    }
    Some(value)
}

/// Returns the type that an expression constructs: `T()`, `T::new()`, `T { … }`, `new T()`.
fn constructed(value: &Node<'_>, bytes: &[u8]) -> Option<String> {
    let written = match value.kind() {
        // Rust calls an associated function, Python the class.
        "call_expression" | "call" => {
            let function = value.child_by_field_name("function")?;
            match function.kind() {
                "scoped_identifier" => text(&function.child_by_field_name("path")?, bytes),
                "identifier" | "attribute" => text(&function, bytes),
                _ => return None,
            }
        }
        "struct_expression" => text(&value.child_by_field_name("name")?, bytes),
        "composite_literal" => text(&value.child_by_field_name("type")?, bytes),
        "unary_expression"
        | "reference_expression"
        | "await_expression"
        | "try_expression"
        | "await" => {
            return constructed(&value.named_child(0)?, bytes);
        }
        "new_expression" => text(&value.child_by_field_name("constructor")?, bytes),
        "object_creation_expression" => text(&value.named_child(0)?, bytes),
        _ => return None,
    };

    let name = base_name(&written);
    let is_type = name.chars().next().is_some_and(char::is_uppercase);
    (is_type || value.kind() == "composite_literal").then(|| name.to_owned())
}

fn text(node: &Node<'_>, bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.get(node.byte_range()).unwrap_or_default()).into_owned()
}
