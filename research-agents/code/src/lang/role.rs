//! What a kind of node means for a walk over a syntax tree.

/// What a walk does at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeRole {
    /// Nothing.
    None,
    /// It is a comment.
    Comment,
    /// It is the content of a string or character literal.
    Text,
    /// It imports names.
    Import,
    /// It declares variables with a type or a value.
    Binding,
    /// It is an attribute of Rust, which may derive traits.
    Attribute,
    /// It holds the tokens of a macro of Rust.
    Tokens,
    /// It is a name, which may be called within the tokens of a macro.
    Identifier,
}

/// Kinds of nodes that hold the content of strings and characters.
const TEXTS: &[&str] = &[
    "string_content",
    "string_fragment",
    "raw_string_literal",
    "raw_string_content",
    "interpreted_string_literal_content",
    "raw_string_literal_content",
    "string_literal_content",
    "verbatim_string_literal",
    "char_literal",
    "character",
    "character_literal",
    "rune_literal",
    "heredoc_content",
    "heredoc_body",
    "nowdoc_string",
    "regex_pattern",
    "string_value",
    "text",
    "jsx_text",
    "system_lib_string",
    "multiline_string_fragment",
    "escape_sequence",
];

/// Kinds of nodes that import names.
const IMPORTS: &[&str] = &[
    "use_declaration",
    "import_statement",
    "import_from_statement",
    "export_statement",
    "import_spec",
    "import_declaration",
    "using_directive",
    "using_declaration",
    "namespace_use_clause",
    "preproc_include",
];

/// Kinds of nodes that declare variables.
const BINDINGS: &[&str] = &[
    "parameter",
    "let_declaration",
    "field_declaration",
    "typed_parameter",
    "typed_default_parameter",
    "assignment",
    "required_parameter",
    "optional_parameter",
    "variable_declarator",
    "public_field_definition",
    "property_signature",
    "parameter_declaration",
    "var_spec",
    "short_var_declaration",
    "formal_parameter",
    "local_variable_declaration",
    "variable_declaration",
    "declaration",
    "simple_parameter",
    "property_promotion_parameter",
    "assignment_expression",
];

impl NodeRole {
    /// Returns the role of a named kind of nodes.
    pub(crate) fn from_kind(kind: &str) -> Self {
        if kind.contains("comment") {
            return Self::Comment;
        }
        match kind {
            "attribute_item" | "inner_attribute_item" => Self::Attribute,
            "token_tree" => Self::Tokens,
            "identifier" => Self::Identifier,
            kind if TEXTS.contains(&kind) => Self::Text,
            kind if IMPORTS.contains(&kind) => Self::Import,
            kind if BINDINGS.contains(&kind) => Self::Binding,
            _ => Self::None,
        }
    }
}
