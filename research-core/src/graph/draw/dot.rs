//! Drawings in the DOT language of Graphviz (<https://graphviz.org/doc/info/lang.html>).

use std::fmt::Write;

use crate::graph::sketch::{Arrow, Form, Line, Mark, Shape, Sketch, printable};

pub(super) fn write(sketch: &Sketch, name: &str) -> String {
    let mut text = format!("digraph \"{}\" {{\n", escape(name));
    body(&mut text, sketch, 1);
    text.push_str("}\n");
    text
}

fn body(text: &mut String, sketch: &Sketch, depth: usize) {
    let indent = "    ".repeat(depth);
    for shape in &sketch.shapes {
        let label = escape(&shape.label);
        if let Some(inside) = &shape.inside {
            // Graphviz draws a subgraph as a box only when its name begins so.
            let _ = writeln!(text, "{indent}subgraph cluster_{} {{\n{indent}    label=\"{label}\";", shape.id);
            // What a box does not say of its looks it has from the box around it.
            let looks = looks(shape);
            let plain = looks.is_empty().then(|| "style=\"solid\"".to_string());
            for attribute in looks.iter().chain(&plain) {
                let _ = writeln!(text, "{indent}    {attribute};");
            }
            body(text, inside, depth + 1);
            let _ = writeln!(text, "{indent}}}");
            continue;
        }
        let form = match shape.form {
            Form::Terminal => "oval",
            Form::Node => "box",
            Form::Join => "hexagon",
            Form::Anywhere => "plaintext",
        };
        let looks: String = looks(shape).iter().map(|attribute| format!(", {attribute}")).collect();
        let _ = writeln!(text, "{indent}{} [label=\"{label}\", shape={form}{looks}];", shape.id);
    }
    for Arrow { from, to, line, label } in &sketch.arrows {
        let mut attributes = Vec::new();
        if *line == Line::Dashed {
            attributes.push("style=dashed".to_string());
        }
        attributes.extend(label.as_ref().map(|label| format!("label=\"{}\"", escape(label))));
        let attributes = if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) };
        let _ = writeln!(text, "{indent}{from} -> {to}{attributes};");
    }
}

/// The attributes of a shape's looks.
fn looks(shape: &Shape) -> Vec<String> {
    let mut styles = Vec::new();
    let mut looks = Vec::new();
    if let Some([fill, border, ink]) = shape.mark.map(Mark::colors) {
        styles.push("filled");
        looks.extend(
            [("fillcolor", fill), ("color", border), ("fontcolor", ink)].map(|(of, color)| format!("{of}=\"{color}\"")),
        );
    }
    if shape.deferred {
        styles.push("dashed");
    }
    if !styles.is_empty() {
        looks.insert(0, format!("style=\"{}\"", styles.join(",")));
    }
    looks
}

/// A text as it may stand between quotes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            // Graphviz knows the entities of HTML in every label.
            '&' => escaped.push_str("&amp;"),
            c => escaped.push(printable(c)),
        }
    }
    escaped
}
