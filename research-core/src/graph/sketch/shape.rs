//! A drawing before it is written in a language: shapes, arrows, and shapes inside of shapes.

/// A drawing of one graph.
pub(crate) struct Sketch {
    pub(in crate::graph) shapes: Vec<Shape>,
    pub(in crate::graph) arrows: Vec<Arrow>,
}

/// A thing that arrows connect.
pub(in crate::graph) struct Shape {
    /// Letters, digits and underscores.
    pub(in crate::graph) id: String,
    /// As the user wrote it, to be escaped.
    pub(in crate::graph) label: String,
    pub(in crate::graph) form: Form,
    pub(in crate::graph) deferred: bool,
    pub(in crate::graph) mark: Option<Mark>,
    /// The graph that runs inside of it.
    pub(in crate::graph) inside: Option<Sketch>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::graph) enum Form {
    /// A start or an end.
    Terminal,
    Node,
    /// Where sources of a join meet.
    Join,
    /// Where a decision leads whose targets were not declared.
    Anywhere,
}

/// What a run made of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::graph) enum Mark {
    Visited,
    Unvisited,
    Failed,
}

impl Mark {
    pub(in crate::graph) const ALL: [Self; 3] = [Self::Visited, Self::Unvisited, Self::Failed];

    pub(in crate::graph) const fn name(self) -> &'static str {
        match self {
            Self::Visited => "visited",
            Self::Unvisited => "unvisited",
            Self::Failed => "failed",
        }
    }

    /// Fill, border and text.
    pub(in crate::graph) const fn colors(self) -> [&'static str; 3] {
        match self {
            Self::Visited => ["#e6f4ea", "#188038", "#202124"],
            Self::Unvisited => ["#f8f9fa", "#bdc1c6", "#9aa0a6"],
            Self::Failed => ["#fce8e6", "#d93025", "#202124"],
        }
    }
}

pub(in crate::graph) struct Arrow {
    pub(in crate::graph) from: String,
    pub(in crate::graph) to: String,
    pub(in crate::graph) line: Line,
    pub(in crate::graph) label: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::graph) enum Line {
    Solid,
    /// Taken by a decision, not always.
    Dashed,
}

impl Sketch {
    /// All shapes, those inside of others too, each before what is inside of it.
    pub(in crate::graph) fn all(&self) -> Vec<&Shape> {
        self.shapes
            .iter()
            .flat_map(|shape| std::iter::once(shape).chain(shape.inside.iter().flat_map(Self::all)))
            .collect()
    }
}

/// Control characters have no place in a drawing; only the end of a line has a meaning there.
pub(in crate::graph) fn printable(c: char) -> char {
    if c.is_control() { '\u{fffd}' } else { c }
}
