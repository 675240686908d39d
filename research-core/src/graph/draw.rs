//! Drawings of a graph: Mermaid and DOT.

use std::fmt::Write;

use super::compiled::{CompiledGraph, Inner};
use crate::State;
use crate::handle::END_INDEX;

/// An arrow of the drawing.
struct Arrow {
    from: Place,
    to: Place,
    /// Taken by a decision, not always.
    dashed: bool,
}

/// A thing that arrows connect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Start,
    Node(u32),
    /// Where all sources of a join meet.
    Join(usize),
    /// A decision whose targets were not declared.
    Anywhere,
    End,
}

impl<S: State, R> CompiledGraph<S, R> {
    /// The graph as a Mermaid flowchart. Decisions are dashed; a decision whose targets were not declared (see
    /// [`Graph::route_to`](crate::Graph::route_to)) leads to `…`.
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        let mut text = String::from("flowchart TD\n");
        let arrows = arrows(&self.inner);
        for place in places(&arrows, self.inner.names.len()) {
            let line = match place {
                Place::Start => "start([start])".to_string(),
                Place::End => "end_([end])".to_string(),
                Place::Anywhere => "anywhere(…)".to_string(),
                Place::Join(_) => format!("{}{{{{all}}}}", id(place)),
                Place::Node(index) => {
                    format!("{}[\"{}\"]", id(place), self.inner.names[index as usize].replace('"', "#quot;"))
                }
            };
            let _ = writeln!(text, "    {line}");
        }
        for arrow in arrows {
            let line = if arrow.dashed { "-.->" } else { "-->" };
            let _ = writeln!(text, "    {} {line} {}", id(arrow.from), id(arrow.to));
        }
        text
    }

    /// The graph in the DOT language of Graphviz.
    #[must_use]
    pub fn to_dot(&self) -> String {
        let quote = |name: &str| name.replace('\\', "\\\\").replace('"', "\\\"");
        let mut text = format!("digraph \"{}\" {{\n", quote(&self.inner.name));
        let arrows = arrows(&self.inner);
        for place in places(&arrows, self.inner.names.len()) {
            let (label, shape) = match place {
                Place::Start => ("start".to_string(), "oval"),
                Place::End => ("end".to_string(), "oval"),
                Place::Anywhere => ("…".to_string(), "plaintext"),
                Place::Join(_) => ("all".to_string(), "hexagon"),
                Place::Node(index) => (quote(&self.inner.names[index as usize]), "box"),
            };
            let _ = writeln!(text, "    {} [label=\"{label}\", shape={shape}];", id(place));
        }
        for arrow in arrows {
            let style = if arrow.dashed { " [style=dashed]" } else { "" };
            let _ = writeln!(text, "    {} -> {}{style};", id(arrow.from), id(arrow.to));
        }
        text.push_str("}\n");
        text
    }
}

fn id(place: Place) -> String {
    match place {
        Place::Start => "start".to_string(),
        Place::End => "end_".to_string(),
        Place::Anywhere => "anywhere".to_string(),
        Place::Join(join) => format!("j{join}"),
        Place::Node(index) => format!("n{index}"),
    }
}

fn at(index: u32) -> Place {
    if index == END_INDEX { Place::End } else { Place::Node(index) }
}

fn arrows<S: State, R>(graph: &Inner<S, R>) -> Vec<Arrow> {
    let mut arrows: Vec<Arrow> =
        graph.entries.iter().map(|entry| Arrow { from: Place::Start, to: at(*entry), dashed: false }).collect();
    if !graph.entry_routes.is_empty() {
        arrows.push(Arrow { from: Place::Start, to: Place::Anywhere, dashed: true });
    }
    for (index, node) in (0..).zip(&graph.nodes) {
        let from = Place::Node(index);
        let mut lead = |to, dashed| arrows.push(Arrow { from, to, dashed });
        node.edges.iter().for_each(|to| lead(at(*to), false));
        if node.ends {
            lead(Place::End, false);
        }
        node.joins.iter().for_each(|(join, _)| lead(Place::Join(*join as usize), false));
        let decisions = node.routes.iter().map(|route| route.targets.as_deref()).chain([node.gotos.as_deref()]);
        for targets in decisions {
            match targets {
                None => lead(Place::Anywhere, true),
                Some(targets) => targets.iter().for_each(|to| lead(at(*to), true)),
            }
        }
    }
    for (position, join) in graph.joins.iter().enumerate() {
        arrows.push(Arrow { from: Place::Join(position), to: at(join.target), dashed: false });
    }
    arrows
}

/// Everything that is drawn: all nodes, and what the arrows touch besides.
fn places(arrows: &[Arrow], nodes: usize) -> Vec<Place> {
    let mut places: Vec<Place> =
        arrows.iter().flat_map(|arrow| [arrow.from, arrow.to]).chain((0..).take(nodes).map(Place::Node)).collect();
    places.sort_unstable();
    places.dedup();
    places
}
