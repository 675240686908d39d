//! Drawings in the language of Mermaid flowcharts (<https://mermaid.js.org/syntax/flowchart.html>).

use std::fmt::Write;

use crate::graph::sketch::{Arrow, Form, Line, Mark, Shape, Sketch, printable};

pub(super) fn write(sketch: &Sketch) -> String {
    let mut text = String::from("flowchart TD\n");
    body(&mut text, sketch, 1);
    let shapes = sketch.all();
    let mut class = |name: &str, style: &str, ids: Vec<&str>| {
        if !ids.is_empty() {
            let _ = writeln!(text, "    classDef {name} {style}\n    class {} {name}", ids.join(","));
        }
    };
    let deferred = shapes.iter().filter(|shape| shape.deferred).map(|shape| &*shape.id).collect();
    class("deferred", "stroke-dasharray: 5 5", deferred);
    for mark in Mark::ALL {
        let [fill, border, ink] = mark.colors();
        let marked = shapes.iter().filter(|shape| shape.mark == Some(mark)).map(|shape| &*shape.id).collect();
        class(mark.name(), &format!("fill:{fill},stroke:{border},color:{ink}"), marked);
    }
    text
}

fn body(text: &mut String, sketch: &Sketch, depth: usize) {
    let indent = "    ".repeat(depth);
    for Shape { id, label, form, inside, .. } in &sketch.shapes {
        let label = escape(label);
        let _ = match (form, inside) {
            (_, Some(inside)) => {
                let _ = writeln!(text, "{indent}subgraph {id}[\"{label}\"]");
                body(text, inside, depth + 1);
                writeln!(text, "{indent}end")
            }
            (Form::Terminal, None) => writeln!(text, "{indent}{id}([{label}])"),
            (Form::Node, None) => writeln!(text, "{indent}{id}[\"{label}\"]"),
            (Form::Join, None) => writeln!(text, "{indent}{id}{{{{{label}}}}}"),
            (Form::Anywhere, None) => writeln!(text, "{indent}{id}({label})"),
        };
    }
    for Arrow { from, to, line, label } in &sketch.arrows {
        let line = match line {
            Line::Solid => "-->",
            Line::Dashed => "-.->",
        };
        let label = label.as_ref().map(|label| format!("|\"{}\"|", escape(label))).unwrap_or_default();
        let _ = writeln!(text, "{indent}{from} {line}{label} {to}");
    }
}

/// A label as it may stand between quotes.
///
/// Mermaid's entity codes (`#quot;`, `#35;`) stand for what would end the label, or begin an entity, a tag, a directive (`%%{`), a
/// markdown text (a backtick at its start) or a new line (`\n`).
fn escape(label: &str) -> String {
    if label.is_empty() {
        // A label without a text is a syntax error.
        return " ".to_string();
    }
    let mut text = String::with_capacity(label.len());
    for c in label.chars() {
        match c {
            '"' => text.push_str("#quot;"),
            '<' => text.push_str("#lt;"),
            '>' => text.push_str("#gt;"),
            '&' => text.push_str("#amp;"),
            '#' | '%' | '`' | '\\' => {
                let _ = write!(text, "#{};", u32::from(c));
            }
            '\n' => text.push_str("<br/>"),
            c => text.push(printable(c)),
        }
    }
    text
}
