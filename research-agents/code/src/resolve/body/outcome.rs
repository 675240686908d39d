//! What a function returns and raises.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use tree_sitter::Node;

use crate::facts::syntax;
use crate::lang::Language;
use crate::resolve::body::tree::{definition_at, is_function, lines, text, walk};

/// A statement that returns or raises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Statement {
    /// What is returned or raised, as it is written on one line.
    pub(crate) what: String,
    /// First and last line, counted from 1.
    pub(crate) lines: (usize, usize),
    /// The condition around it, with its line.
    pub(crate) condition: Option<(String, usize)>,
}

/// What a function returns and raises.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcomes {
    /// The written type of the result, with its line.
    pub(crate) declared: Option<(String, usize)>,
    /// Statements that return, in order.
    pub(crate) returns: Vec<Statement>,
    /// Statements that raise, in order.
    pub(crate) raises: Vec<Statement>,
    /// Expressions that pass on or unwrap an error, in order: `?`, `.unwrap()`.
    pub(crate) passes: Vec<Statement>,
}

/// Reads what the function with these bytes returns and raises.
pub(crate) fn outcomes(
    language: Language,
    bytes: &[u8],
    span: &Range<usize>,
    is_cancelled: &AtomicBool,
) -> Option<Outcomes> {
    let tree = syntax(language, bytes, is_cancelled)?;
    let definition = definition_at(&tree, span)?;
    let function = function_of(definition);
    let mut found = Outcomes {
        declared: declared(&function, bytes),
        ..Outcomes::default()
    };

    let of = |node: &Node<'_>, what: String| Statement {
        what,
        lines: lines(node),
        condition: condition(node, &function, bytes),
    };
    walk(function, &mut |node| {
        if let Some(what) = raised(&node, bytes, language) {
            found.raises.push(of(&node, what));
            // The arguments of an error are not another one.
            return !matches!(node.kind(), "macro_invocation" | "call_expression");
        }
        match node.kind() {
            "return_statement" | "return_expression" | "yield" | "yield_statement" => {
                found.returns.push(of(&node, returned(&node, bytes)));
            }
            "return" if node.is_named() => found.returns.push(of(&node, returned(&node, bytes))),
            "try_expression" => found.passes.push(of(&node, text(&node, bytes))),
            "call_expression" if language == Language::Rust && unwraps(&node, bytes) => {
                found.passes.push(of(&node, text(&node, bytes)));
            }
            _ => {}
        }
        true
    });

    if let Some(tail) = tail(&function, language) {
        let is_error = found.raises.iter().any(|raise| raise.lines == lines(&tail));
        if !is_error {
            found.returns.push(of(&tail, text(&tail, bytes)));
        }
    }
    Some(found)
}

/// Returns the function of a definition, which may be a variable that is set to one.
fn function_of(definition: Node<'_>) -> Node<'_> {
    let mut node = definition;
    for _ in 0..4 {
        if is_function(&node) {
            return node;
        }
        let inner = ["value", "right", "definition", "declarator"]
            .iter()
            .find_map(|field| node.child_by_field_name(field))
            .or_else(|| {
                let mut cursor = node.walk();
                node.named_children(&mut cursor)
                    .find(|child| is_function(child) || child.kind() == "variable_declarator")
            });

        match inner {
            Some(inner) => node = inner,
            None => break,
        }
    }
    if is_function(&node) { node } else { definition }
}

/// Returns the written type of the result.
fn declared(function: &Node<'_>, bytes: &[u8]) -> Option<(String, usize)> {
    let written = ["return_type", "result", "returns", "type"]
        .iter()
        .find_map(|field| function.child_by_field_name(field))?;
    let text = text(&written, bytes);
    let text = text.trim_start_matches(':').trim().to_owned();
    Some((text, lines(&written).1))
}

/// Returns what a statement raises.
fn raised(node: &Node<'_>, bytes: &[u8], language: Language) -> Option<String> {
    let field = |name: &str| {
        node.child_by_field_name(name)
            .map(|node| text(&node, bytes))
    };

    match node.kind() {
        "raise_statement" | "throw_statement" | "throw_expression" => {
            let text = text(node, bytes);
            let what = text
                .trim_start_matches("raise")
                .trim_start_matches("throw")
                .trim()
                .trim_end_matches(';');
            Some(match what {
                "" => "the caught error again".to_owned(),
                what => what.to_owned(),
            })
        }
        "macro_invocation" => {
            let name = field("macro")?;
            let is_raise = matches!(
                name.rsplit("::").next()?,
                "panic"
                    | "unreachable"
                    | "todo"
                    | "unimplemented"
                    | "bail"
                    | "ensure"
                    | "assert"
                    | "assert_eq"
                    | "assert_ne"
            );
            is_raise.then(|| text(node, bytes))
        }
        "call_expression" => {
            let name = field("function")?;
            let is_raise = match language {
                Language::Rust => matches!(name.as_str(), "Err" | "Result::Err"),
                Language::Go => name == "panic" || name.starts_with("log.Fatal"),
                // C has no exceptions: what its functions of errors are called with.
                Language::C | Language::Cpp => {
                    let lower = name.to_lowercase();
                    matches!(lower.as_str(), "abort" | "exit")
                        || ["error", "throw", "panic", "err"]
                            .iter()
                            .any(|part| lower.contains(part))
                }
                _ => false,
            };
            // A pattern such as `Err(error) =>` is not a call.
            is_raise.then(|| text(node, bytes))
        }
        "return_statement" if language == Language::Go => {
            let text = text(node, bytes);
            let makes = ["errors.New(", "fmt.Errorf(", "errors.Wrap", ", err", " Err"];
            makes
                .iter()
                .any(|mark| text.contains(mark))
                .then(|| text.trim_start_matches("return ").to_owned())
        }
        // Ruby
        "call" => {
            let name = field("method")?;
            matches!(name.as_str(), "raise" | "fail").then(|| {
                let text = text(node, bytes);
                text.trim_start_matches("raise").trim().to_owned()
            })
        }
        _ => None,
    }
}

fn returned(node: &Node<'_>, bytes: &[u8]) -> String {
    let text = text(node, bytes);
    let what = text
        .trim_start_matches("return")
        .trim()
        .trim_end_matches(';')
        .to_owned();
    match what.is_empty() {
        true => "nothing".to_owned(),
        false => what,
    }
}

/// Returns whether a call of Rust panics on an error.
fn unwraps(node: &Node<'_>, bytes: &[u8]) -> bool {
    let field = node
        .child_by_field_name("function")
        .and_then(|function| function.child_by_field_name("field"));
    field.is_some_and(|field| matches!(text(&field, bytes).as_str(), "unwrap" | "expect"))
}

/// Returns the last expression of a function of Rust or Ruby, or the body of an arrow function.
fn tail<'t>(function: &Node<'t>, language: Language) -> Option<Node<'t>> {
    let body = function.child_by_field_name("body")?;
    match language {
        Language::Rust if body.kind() == "block" => {
            let last = body.named_child(
                u32::try_from(body.named_child_count())
                    .ok()?
                    .checked_sub(1)?,
            )?;
            let is_expression = !last.kind().ends_with("_item")
                && !last.kind().contains("comment")
                && !matches!(
                    last.kind(),
                    "let_declaration"
                        | "expression_statement"
                        | "empty_statement"
                        | "macro_definition"
                );
            let is_block = last.kind() == "expression_statement"
                && last.named_child(0).is_some_and(|inner| {
                    matches!(inner.kind(), "match_expression" | "if_expression")
                })
                && !text_ends_with_semicolon(&last);
            (is_expression || is_block).then_some(last)
        }

        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            (function.kind() == "arrow_function" && body.kind() != "statement_block")
                .then_some(body)
        }
        _ => None,
    }
}

fn text_ends_with_semicolon(node: &Node<'_>) -> bool {
    let last = node.child(
        u32::try_from(node.child_count())
            .unwrap_or(1)
            .saturating_sub(1),
    );
    last.is_some_and(|last| last.kind() == ";")
}

/// Returns the nearest condition around a statement within a function.
fn condition(node: &Node<'_>, function: &Node<'_>, bytes: &[u8]) -> Option<(String, usize)> {
    let mut inner = *node;
    while let Some(outer) = inner.parent() {
        if outer.id() == function.id() {
            return None;
        }
        let found = match outer.kind() {
            "if_statement"
            | "if_expression"
            | "elif_clause"
            | "while_statement"
            | "while_expression"
            | "conditional_expression"
            | "unless"
            | "if"
            | "elsif" => {
                let test = outer.child_by_field_name("condition");
                test.filter(|test| test.id() != inner.id()).map(|test| {
                    let is_else = outer
                        .child_by_field_name("alternative")
                        .is_some_and(|other| other.id() == inner.id());
                    let condition = text(&test, bytes);
                    let inner = condition
                        .strip_prefix('(')
                        .and_then(|rest| rest.strip_suffix(')'));
                    let condition = inner.unwrap_or(&condition).to_owned();
                    match is_else && outer.kind() != "elif_clause" {
                        true => (format!("not {condition}"), lines(&test).0),
                        false => (condition, lines(&test).0),
                    }
                })
            }
            "match_arm" | "switch_case" | "case_clause" | "expression_case" => outer
                .child_by_field_name("pattern")
                .or_else(|| outer.child_by_field_name("value"))
                .map(|pattern| (text(&pattern, bytes), lines(&pattern).0)),
            "except_clause" | "catch_clause" => {
                let (first, _) = lines(&outer);
                let head = text(&outer, bytes);
                let head = head.split([':', '{']).next().unwrap_or_default().trim();
                Some((head.to_owned(), first))
            }
            _ => None,
        };

        if found.is_some() {
            return found;
        }
        inner = outer;
    }
    None
}
