//! Drawings of a graph, and of what a run visited: Mermaid and DOT.

mod dot;
mod mermaid;

use std::time::Duration;

use super::compiled::{CompiledGraph, Inner, NodeEntry};
use super::sketch::{Arrow, Drawn, Form, Line, Mark, Pen, Shape, Sketch, Visit, Visits};
use crate::handle::END_INDEX;
use crate::state::State;

impl<S: State, R> CompiledGraph<S, R> {
    /// The graph as a Mermaid flowchart. Decisions are dashed arrows; a decision whose targets were not declared (see
    /// [`Graph::route_to`](crate::Graph::route_to)) leads to `…`. Deferred nodes have a dashed border.
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        mermaid::write(&self.inner.sketch(&Pen::new(false, None)))
    }

    /// As [`to_mermaid`](CompiledGraph::to_mermaid), with the graphs that run inside of nodes drawn there.
    #[must_use]
    pub fn to_mermaid_expanded(&self) -> String {
        mermaid::write(&self.inner.sketch(&Pen::new(true, None)))
    }

    /// As [`to_mermaid`](CompiledGraph::to_mermaid), with what was visited: each node shows how often it ran and for how long in
    /// all, each arrow between nodes how often its target ran in the step after its source. Nodes that did not run are grey,
    /// those of which a run failed are red.
    #[must_use]
    pub fn to_mermaid_with(&self, visits: &Visits) -> String {
        mermaid::write(&self.inner.sketch(&Pen::new(visits.subgraphs, Some(visits))))
    }

    /// The graph in the DOT language of Graphviz, drawn as by [`to_mermaid`](CompiledGraph::to_mermaid).
    #[must_use]
    pub fn to_dot(&self) -> String {
        dot::write(&self.inner.sketch(&Pen::new(false, None)), &self.inner.name)
    }

    /// As [`to_dot`](CompiledGraph::to_dot), with the graphs that run inside of nodes drawn there.
    #[must_use]
    pub fn to_dot_expanded(&self) -> String {
        dot::write(&self.inner.sketch(&Pen::new(true, None)), &self.inner.name)
    }

    /// As [`to_dot`](CompiledGraph::to_dot), with what was visited, as by [`to_mermaid_with`](CompiledGraph::to_mermaid_with).
    #[must_use]
    pub fn to_dot_with(&self, visits: &Visits) -> String {
        dot::write(&self.inner.sketch(&Pen::new(visits.subgraphs, Some(visits))), &self.inner.name)
    }
}

/// Where an arrow begins or ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Start,
    /// Where a run goes on when its budget is spent.
    Spent,
    Node(u32),
    Join(usize),
    Anywhere,
    End,
}

impl Place {
    fn of(index: u32) -> Self {
        if index == END_INDEX { Self::End } else { Self::Node(index) }
    }

    fn id(self, prefix: &str) -> String {
        match self {
            Self::Start => format!("{prefix}start"),
            Self::Spent => format!("{prefix}spent"),
            // Mermaid cannot read a shape called `end`.
            Self::End => format!("{prefix}end_"),
            Self::Anywhere => format!("{prefix}anywhere"),
            Self::Join(join) => format!("{prefix}j{join}"),
            Self::Node(index) => format!("{prefix}n{index}"),
        }
    }
}

type Way = (Place, Place, Line);

impl<S: State, R> Drawn for Inner<S, R> {
    fn sketch(&self, pen: &Pen<'_>) -> Sketch {
        let ways = ways(self);
        let mut places: Vec<Place> = ways.iter().flat_map(|(from, to, _)| [*from, *to]).collect();
        places.extend((0..).take(self.names.len()).map(Place::Node));
        if !pen.path.is_empty() {
            // The arrows of the shape around it meet these.
            places.extend([Place::Start, Place::End]);
        }
        places.sort_unstable();
        places.dedup();
        let shapes = places.into_iter().map(|place| self.shape(place, pen)).collect();
        let arrows = ways.into_iter().map(|way| self.arrow(way, pen)).collect();
        Sketch { shapes, arrows }
    }

    fn has_node(&self, path: &str) -> bool {
        self.position(path).is_some() || self.inner_path(path).is_some()
    }
}

impl<S: State, R> Inner<S, R> {
    fn shape(&self, place: Place, pen: &Pen<'_>) -> Shape {
        let id = place.id(&pen.prefix);
        let plain =
            |form, label: String| Shape { id: id.clone(), label, form, deferred: false, mark: None, inside: None };
        match place {
            Place::Start => plain(Form::Terminal, "start".to_string()),
            Place::Spent => plain(Form::Terminal, "budget spent".to_string()),
            Place::End => plain(Form::Terminal, "end".to_string()),
            Place::Anywhere => plain(Form::Anywhere, "…".to_string()),
            Place::Join(join) => plain(Form::Join, self.meeting(join)),
            Place::Node(index) => {
                let node = &self.nodes[index as usize];
                let name = &self.names[index as usize];
                let inside =
                    node.child.as_ref().filter(|_| pen.expanded).map(|child| child.sketch(&pen.inside(&id, name)));
                let (label, mark) = match pen.visits {
                    None => (name.to_string(), None),
                    Some(visits) => visited(name, pen.visit(visits, name)),
                };
                Shape { deferred: node.deferred, mark, inside, ..plain(Form::Node, label) }
            }
        }
    }

    /// What a join waits for, in words.
    fn meeting(&self, join: usize) -> String {
        let (need, sources) = (self.joins[join].need as usize, self.joins[join].sources.len());
        match need {
            need if need == sources => "all".to_string(),
            1 => "any".to_string(),
            need => format!("{need} of {sources}"),
        }
    }

    fn arrow(&self, (from, to, line): Way, pen: &Pen<'_>) -> Arrow {
        let label = pen.visits.and_then(|visits| {
            let Place::Node(target) = to else { return None };
            let target = pen.visit(visits, &self.names[target as usize])?;
            let runs = match from {
                Place::Start => target.entered(),
                Place::Node(source) => target.after(&self.names[source as usize]),
                _ => 0,
            };
            (runs > 0).then(|| format!("×{runs}"))
        });
        // The arrows of a node that is drawn as a graph begin at its end, and end at its start.
        let within = |place, at: Place| match place {
            Place::Node(index) if pen.expanded && self.nodes[index as usize].child.is_some() => {
                at.id(&format!("{}_", place.id(&pen.prefix)))
            }
            place => place.id(&pen.prefix),
        };
        Arrow { from: within(from, Place::End), to: within(to, Place::Start), line, label }
    }
}

fn ways<S: State, R>(graph: &Inner<S, R>) -> Vec<Way> {
    let mut ways: Vec<Way> = graph.entries.iter().map(|entry| (Place::Start, Place::of(*entry), Line::Solid)).collect();
    if !graph.entry_routes.is_empty() {
        ways.push((Place::Start, Place::Anywhere, Line::Dashed));
    }
    if let Some(node) = graph.wind_up {
        ways.push((Place::Spent, Place::of(node), Line::Dashed));
    }
    for (index, node) in (0..).zip(&graph.nodes) {
        leads(&mut ways, Place::Node(index), node);
    }
    for (position, join) in graph.joins.iter().enumerate() {
        ways.push((Place::Join(position), Place::of(join.target), Line::Solid));
    }
    ways
}

fn leads<S: State, R>(ways: &mut Vec<Way>, from: Place, node: &NodeEntry<S, R>) {
    let mut lead = |to, line| ways.push((from, to, line));
    node.edges.iter().for_each(|to| lead(Place::of(*to), Line::Solid));
    if node.ends {
        lead(Place::End, Line::Solid);
    }
    node.joins.iter().for_each(|(join, _)| lead(Place::Join(*join as usize), Line::Solid));
    let decisions = node.routes.iter().map(|route| route.targets.as_deref()).chain([node.gotos.as_deref()]);
    for targets in decisions {
        match targets {
            None => lead(Place::Anywhere, Line::Dashed),
            Some(targets) => targets.iter().for_each(|to| lead(Place::of(*to), Line::Dashed)),
        }
    }
}

/// The label and the look of a node in the drawing of a run.
fn visited(name: &str, visit: Option<&Visit>) -> (String, Option<Mark>) {
    let Some(Visit { runs, failures, asked, time, .. }) = visit else {
        return (name.to_string(), Some(Mark::Unvisited));
    };
    let mut label = format!("{name}\n×{runs} · {}", show(*time));
    let counts = [(failures, "failed"), (asked, "asked")];
    counts.iter().filter(|(count, _)| **count > 0).for_each(|(count, what)| label += &format!(" · {count} {what}"));
    (label, Some(if *failures > 0 { Mark::Failed } else { Mark::Visited }))
}

/// A time as people read it.
fn show(time: Duration) -> String {
    let (seconds, millis) = (time.as_secs(), time.as_millis());
    match seconds {
        0 if millis == 0 => format!("{} µs", time.as_micros()),
        0 => format!("{millis} ms"),
        1..60 => format!("{seconds}.{} s", time.subsec_millis() / 100),
        60..3_600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3_600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{END, Graph};

    #[derive(Clone, Debug, Default, crate::State)]
    #[state(crate = crate)]
    struct Empty {}

    fn step(g: &mut Graph<Empty>, name: &str) -> crate::Node {
        g.node(name, |_cx| async { Ok(()) })
    }

    /// A graph in a graph in a graph.
    fn nested() -> CompiledGraph<Empty> {
        let mut inner = Graph::<Empty>::new("inner");
        let look = step(&mut inner, "look");
        inner.entry(look).route(look, |_: &Empty| END);
        let inner = inner.compile().unwrap();

        let mut middle = Graph::<Empty>::new("middle");
        let (ask, dig) = (step(&mut middle, "ask"), step(&mut middle, "dig"));
        middle.entry(ask).edge(ask, dig).edge(dig, END).set_child(dig, Arc::clone(&inner.inner) as Arc<dyn Drawn>);
        let middle = middle.compile().unwrap();

        let mut outer = Graph::<Empty>::new("outer");
        let (plan, research) = (step(&mut outer, "plan"), step(&mut outer, "re\"search"));
        outer.entry(plan).edge(plan, research).route_to(research, [research, END], |_: &Empty| END);
        outer.set_child(research, Arc::clone(&middle.inner) as Arc<dyn Drawn>);
        outer.compile().unwrap()
    }

    #[test]
    fn a_graph_that_runs_in_a_node_is_drawn_on_request() {
        let expected = r#"flowchart TD
    start([start])
    n0["plan"]
    n1["re#quot;search"]
    end_([end])
    start --> n0
    n0 --> n1
    n1 -.-> n1
    n1 -.-> end_
"#;
        assert_eq!(nested().to_mermaid(), expected);
        let expected = r#"flowchart TD
    start([start])
    n0["plan"]
    subgraph n1["re#quot;search"]
        n1_start([start])
        n1_n0["ask"]
        subgraph n1_n1["dig"]
            n1_n1_start([start])
            n1_n1_n0["look"]
            n1_n1_anywhere(…)
            n1_n1_end_([end])
            n1_n1_start --> n1_n1_n0
            n1_n1_n0 -.-> n1_n1_anywhere
        end
        n1_end_([end])
        n1_start --> n1_n0
        n1_n0 --> n1_n1_start
        n1_n1_end_ --> n1_end_
    end
    end_([end])
    start --> n0
    n0 --> n1_start
    n1_end_ -.-> n1_start
    n1_end_ -.-> end_
"#;
        assert_eq!(nested().to_mermaid_expanded(), expected);
        let expected = r#"digraph "outer" {
    start [label="start", shape=oval];
    n0 [label="plan", shape=box];
    subgraph cluster_n1 {
        label="re\"search";
        style="solid";
        n1_start [label="start", shape=oval];
        n1_n0 [label="ask", shape=box];
        subgraph cluster_n1_n1 {
            label="dig";
            style="solid";
            n1_n1_start [label="start", shape=oval];
            n1_n1_n0 [label="look", shape=box];
            n1_n1_anywhere [label="…", shape=plaintext];
            n1_n1_end_ [label="end", shape=oval];
            n1_n1_start -> n1_n1_n0;
            n1_n1_n0 -> n1_n1_anywhere [style=dashed];
        }
        n1_end_ [label="end", shape=oval];
        n1_start -> n1_n0;
        n1_n0 -> n1_n1_start;
        n1_n1_end_ -> n1_end_;
    }
    end_ [label="end", shape=oval];
    start -> n0;
    n0 -> n1_start;
    n1_end_ -> n1_start [style=dashed];
    n1_end_ -> end_ [style=dashed];
}
"#;
        assert_eq!(nested().to_dot_expanded(), expected);
    }

    #[test]
    fn visits_with_subgraphs_expand_them() {
        let mut visits = Visits::new();
        visits.visit("plan", Duration::from_secs(1));
        assert!(!nested().to_mermaid_with(&visits).contains("subgraph"));
        let mut visits = Visits::with_subgraphs();
        visits.visit("plan", Duration::from_secs(1));
        let text = nested().to_mermaid_with(&visits);
        assert!(text.contains("subgraph n1_n1[\"dig\"]"), "{text}");
        assert!(text.contains("class n1,n1_n0,n1_n1,n1_n1_n0 unvisited"), "{text}");
    }
}
