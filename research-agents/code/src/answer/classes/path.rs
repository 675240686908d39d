//! How one function reaches another by calls, and what a function calls.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::Ordering;

use crate::answer::claim::{Claim, Hop};
use crate::answer::classes::absent::absent;
use crate::answer::classes::other::other;
use crate::answer::draft::{Asked, Draft, count};
use crate::answer::report::{Answer, Outcome};
use crate::answer::subject::{Sought, Subject, seek};
use crate::base::{Index, Provenance, Span, span_of};
use crate::error::CodeError;
use crate::question::Term;
use crate::resolve::{CallGraph, Edge, Level, Node};

/// Maximum number of calls of a path.
const MAX_CALLS: usize = 5;

/// Maximum number of functions that are looked at from each end.
const MAX_NODES: usize = 4_000;

/// Number of callees that are shown.
const SHOWN: usize = 10;

/// Answers how one function reaches another.
pub(crate) fn path(asked: &Asked<'_>) -> Result<Answer, CodeError> {
    let mut ends: Vec<Subject> = Vec::new();
    for sought in ends_of(asked)? {
        match sought {
            Sought::Found(subject) => ends.push(*subject),
            Sought::Missing(missing) => return Ok(absent(asked, &missing)),
            Sought::Unnamed => {}
        }
    }
    let mut ends = ends.iter();
    let (Some(from), Some(to)) = (ends.next(), ends.next()) else {
        return other(asked);
    };

    let index = asked.files.index(asked.is_cancelled);
    let mut graph = CallGraph::new(asked.files, &index, asked.is_cancelled);
    let (starts, goals) = (nodes(&index, from), nodes(&index, to));
    let found = search(asked, &mut graph, &starts, &goals);
    let mut draft = Draft::new(asked);
    draft.subject(from.name());
    draft.subject(to.name());
    if found.is_empty() {
        // Calls through values are not followed, so that there may be one.
        draft.outcome(Outcome::NotComputed);
        draft.note(format!(
            "No path of at most {MAX_CALLS} calls from `{}` to `{}` is found. Calls through \
             function values and tables are not followed.",
            from.name(),
            to.name()
        ));
        crate::answer::classes::uses::say_ledger(&mut draft, &to.uses.ledger);
        return Ok(draft.finish(asked));
    }
    Ok(say(asked, draft, &graph, &found))
}

/// Finds the ends of a path in the order of the question. A plain word after `to` or `reach` may be
/// the name of a function.
fn ends_of(asked: &Asked<'_>) -> Result<Vec<Sought>, CodeError> {
    const BEFORE: &[&str] = &[
        "does", "do", "from", "to", "reach", "reaches", "in", "at", "call", "of",
    ];
    let mut terms = asked.reading.terms.iter().filter(|term| !term.is_file);
    let words: Vec<&str> = asked
        .reading
        .text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_'))
        .collect();
    let mut ends = Vec::new();

    for (at, word) in words.iter().enumerate() {
        if *word == "_" {
            if let Some(term) = terms.next() {
                ends.push(seek(asked, &command(term))?);
            }
            continue;
        }
        let is_after = at
            .checked_sub(1)
            .and_then(|before| words.get(before))
            .is_some_and(|before| BEFORE.contains(before));
        let is_name = word.len() > 2 && !matches!(*word, "get" | "reach" | "end" | "the" | "lead");
        if !is_after || !is_name {
            continue;
        }
        let written = asked.reading.hints.iter();
        let written = written.chain(&asked.reading.definite);
        let written = written
            .filter(|name| name.to_lowercase() == *word)
            .map(String::as_str)
            .next();
        let term = Term {
            name: written.unwrap_or(word).to_owned(),
            qualifiers: Vec::new(),
            is_file: false,
            is_certain: false,
        };
        if let Sought::Found(found) = seek(asked, &term)?
            && found.definitions().any(|found| found.kind.is_function())
        {
            ends.push(Sought::Found(found));
        }
    }
    Ok(ends)
}

/// Returns the last word of a command with its program, as `repair` of `vdirsyncer repair`: the
/// name of a function.
fn command(term: &Term) -> Term {
    let last = term.name.rsplit(' ').next().unwrap_or(&term.name);
    Term {
        name: last.to_owned(),
        ..term.clone()
    }
}

/// Returns the functions that a question means.
fn nodes(index: &Index, subject: &Subject) -> Vec<Node> {
    let mut nodes = Vec::new();
    for definition in subject.definitions() {
        for at in index.symbols(&definition.name) {
            let is_same = index.symbol(*at).is_some_and(|(file, symbol)| {
                file.path == definition.path && symbol.lines.0 as usize == definition.lines.0
            });
            if is_same {
                nodes.push(*at);
            }
        }
    }
    nodes
}

/// Finds a shortest path, from both ends. Of two, the one with fewer calls that are not resolved is
/// taken, since resolved calls are followed first.
fn search(
    asked: &Asked<'_>,
    graph: &mut CallGraph<'_>,
    starts: &[Node],
    goals: &[Node],
) -> Vec<Edge> {
    for levels in [&[Level::Resolved][..], &[Level::Resolved, Level::Possible]] {
        let mut ahead: HashMap<Node, Option<Edge>> = starts.iter().map(|n| (*n, None)).collect();
        let mut behind: HashMap<Node, Option<Edge>> = goals.iter().map(|n| (*n, None)).collect();
        let (mut front, mut back) = (starts.to_vec(), goals.to_vec());

        for _ in 0..MAX_CALLS {
            let is_over = asked.is_cancelled.load(Ordering::Relaxed)
                || ahead.len() > MAX_NODES
                || behind.len() > MAX_NODES;
            if is_over || front.is_empty() && back.is_empty() {
                break;
            }
            let is_forward = !front.is_empty() && (front.len() <= back.len() || back.is_empty());
            let (open, known, other) = match is_forward {
                true => (&mut front, &mut ahead, &behind),
                false => (&mut back, &mut behind, &ahead),
            };
            let mut next = Vec::new();
            let mut meeting = None;
            for node in std::mem::take(open) {
                let edges = match is_forward {
                    true => graph.calls_of(node),
                    false => graph.calls_to(node),
                };
                for edge in edges
                    .into_iter()
                    .filter(|edge| levels.contains(&edge.level))
                {
                    let reached = if is_forward { edge.to } else { edge.from };
                    if known.contains_key(&reached) {
                        continue;
                    }
                    known.insert(reached, Some(edge));
                    next.push(reached);
                    if meeting.is_none() && other.contains_key(&reached) {
                        meeting = Some(reached);
                    }
                }
            }
            if let Some(meeting) = meeting {
                return joined_path(&ahead, &behind, meeting);
            }
            *open = next;
        }
    }
    Vec::new()
}

/// Joins the calls from the start to a function with those from it to the goal.
fn joined_path(
    ahead: &HashMap<Node, Option<Edge>>,
    behind: &HashMap<Node, Option<Edge>>,
    meeting: Node,
) -> Vec<Edge> {
    let mut edges = Vec::new();
    let mut node = meeting;
    while let Some(Some(edge)) = ahead.get(&node) {
        edges.push(edge.clone());
        node = edge.from;
    }
    edges.reverse();
    node = meeting;
    while let Some(Some(edge)) = behind.get(&node) {
        edges.push(edge.clone());
        node = edge.to;
    }
    edges
}

fn say(asked: &Asked<'_>, mut draft: Draft, graph: &CallGraph<'_>, found: &[Edge]) -> Answer {
    let mut names: Vec<String> = Vec::new();
    let mut hops = Vec::new();
    let mut spans = Vec::new();
    for edge in found {
        if names.is_empty() {
            names.push(format!("`{}`", graph.name(edge.from)));
        }
        names.push(format!("`{}`", graph.name(edge.to)));
        let Some(span) = call_span(asked, graph, edge) else {
            continue;
        };
        let span = draft.cite(span);
        spans.push(span);
        hops.push(Hop {
            caller: graph.name(edge.from),
            callee: graph.name(edge.to),
            span,
        });
    }
    let possible = found
        .iter()
        .filter(|edge| edge.level == Level::Possible)
        .count();
    draft.say(
        format!(
            "{} ({}).",
            names.join(" → "),
            count(found.len(), "call", "calls")
        ),
        vec![Claim::Path { hops: hops.clone() }],
        spans.clone(),
    );

    for (edge, (hop, span)) in found.iter().zip(hops.into_iter().zip(spans)) {
        let path = graph
            .path(edge.from)
            .map(|path| path.encoded())
            .unwrap_or_default();
        let sure = match edge.level {
            Level::Resolved => "",
            Level::Possible => ", by its name only",
        };
        draft.say(
            format!(
                "`{}` calls `{}` in `{path}`, line {}{sure}.",
                hop.caller, hop.callee, edge.line
            ),
            vec![Claim::Calls {
                caller: Some(hop.caller),
                callee: last_part(&hop.callee),
                span,
            }],
            vec![span],
        );
    }
    if possible > 0 {
        draft.note(format!(
            "{} of the path {} not resolved: only the name is the same.",
            count(possible, "call", "calls"),
            if possible == 1 { "is" } else { "are" }
        ));
    }
    draft.finish(asked)
}

fn last_part(name: &str) -> String {
    name.rsplit('.').next().unwrap_or_default().to_owned()
}

/// Returns the line of a call.
fn call_span(asked: &Asked<'_>, graph: &CallGraph<'_>, edge: &Edge) -> Option<Span> {
    let path = graph.path(edge.from)?;
    let content = asked.files.read(path).ok()?;
    let lines = (edge.line, edge.line);
    let span = span_of(path, &content.bytes, lines, Provenance::Graph).ok()?;
    Some(span.with_symbol(graph.name(edge.from), "function"))
}

/// Answers what a function calls.
pub(crate) fn callees(asked: &Asked<'_>, subject: &Subject) -> Answer {
    let index = asked.files.index(asked.is_cancelled);
    let mut graph = CallGraph::new(asked.files, &index, asked.is_cancelled);
    let mut draft = Draft::new(asked);
    draft.subject(subject.name());
    let mut edges = Vec::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    for node in nodes(&index, subject) {
        edges.extend(graph.calls_of(node));
        if let Some((file, _)) = index.symbol(node) {
            let calls = file
                .names
                .calls
                .iter()
                .filter(|call| call.within == Some(node.1));
            names.extend(calls.map(|call| call.name.to_string()));
        }
    }
    let mut seen = BTreeSet::new();
    edges.retain(|edge| seen.insert(edge.to));

    draft.note(format!(
        "`{}` calls {} of this code and {}.",
        subject.name(),
        count(edges.len(), "function", "functions"),
        count(
            names
                .iter()
                .filter(|name| index.symbols(name).is_empty())
                .count(),
            "other name",
            "other names"
        )
    ));
    for edge in edges.iter() {
        let Some(span) = call_span(asked, &graph, edge) else {
            continue;
        };
        if draft.has_space() {
            let span = draft.cite(span);
            let sure = match edge.level {
                Level::Resolved => "",
                Level::Possible => ", by its name only",
            };
            draft.say(
                format!(
                    "It calls `{}` in line {}{sure}.",
                    graph.name(edge.to),
                    edge.line
                ),
                vec![Claim::Calls {
                    caller: Some(subject.name()),
                    callee: last_part(&graph.name(edge.to)),
                    span,
                }],
                vec![span],
            );
        } else {
            draft.keep(span);
        }
    }
    let others: Vec<String> = names
        .iter()
        .filter(|name| index.symbols(name).is_empty())
        .take(SHOWN)
        .map(|name| format!("`{name}`"))
        .collect();
    if !others.is_empty() {
        draft.note(format!(
            "Names that are not defined here: {}.",
            others.join(", ")
        ));
    }
    draft.finish(asked)
}
