//! Members of a list, and the answer that has them.

use crate::answer::claim::{Claim, CountOf, SpanId};
use crate::answer::draft::{Asked, Draft, count};
use crate::answer::report::Answer;
use crate::answer::subject::Subject;
use crate::base::{Place, Provenance, Span, span_of};
use crate::facts::{FileFacts, Symbol, SymbolKind};
use crate::tree::RelPath;

/// Maximum number of names that are written.
pub(crate) const NAMES: usize = 100;

/// A member of a list.
pub(crate) struct Member {
    pub(crate) path: RelPath,
    pub(crate) place: Place,
    pub(crate) name: String,
    pub(crate) kind: SymbolKind,
    pub(crate) lines: (usize, usize),
    pub(crate) span: Span,
}

/// Returns a symbol as a member of a list. `None` if its lines cannot be cited.
pub(crate) fn member(
    asked: &Asked<'_>,
    path: &RelPath,
    bytes: &[u8],
    facts: &FileFacts,
    symbol: &Symbol,
) -> Option<Member> {
    let (first, last) = symbol.lines;
    let lines = (first, last.min(first + 2));
    let span = span_of(path, bytes, lines, Provenance::SymbolIndex).ok()?;
    Some(Member {
        path: path.clone(),
        place: asked.files.place_of(path, facts.is_generated),
        name: symbol.name.clone(),
        kind: symbol.kind,
        lines: symbol.lines,
        span: span.with_symbol(facts.qualified_name(symbol), symbol.kind.name()),
    })
}

/// Answers with the members of a list and their number.
pub(crate) fn say(
    asked: &Asked<'_>,
    members: &[Member],
    (one, many): (&str, &str),
    of: &str,
    subject: Option<&Subject>,
) -> Answer {
    let mut draft = Draft::new(asked);
    if let Some(subject) = subject {
        draft.subject(subject.name());
    }
    let mut members: Vec<&Member> = members.iter().collect();
    members.sort_by_key(|member| (member.place, &member.path, member.lines));
    members.dedup_by(|a, b| a.path == b.path && a.lines == b.lines && a.name == b.name);

    let mut names: Vec<String> = Vec::new();
    for member in &members {
        let name = format!("`{}`", member.name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(NAMES);
    names.truncate(NAMES);
    let rest = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let number = members.len();
    let head = format!(
        "{}{of}: {}{rest}.",
        count(number, one, many),
        names.join(", ")
    );

    // One citation for lines that follow each other.
    let mut spans = Vec::new();
    let mut cited: Vec<(&Member, SpanId)> = Vec::new();
    for group in groups(&members) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let lines = (first.span.first, last.span.last);
        let merged = asked.files.read(&first.path).ok().and_then(|file| {
            span_of(&first.path, &file.bytes, lines, Provenance::SymbolIndex).ok()
        });
        match merged {
            Some(span) if draft.has_space() => {
                let span = draft.cite(span);
                spans.push(span);
                cited.extend(group.iter().map(|member| (*member, span)));
            }
            Some(_) => group
                .iter()
                .for_each(|member| draft.keep(member.span.clone())),
            None => {}
        }
    }
    let claims = vec![Claim::Count {
        of: CountOf::Shown {
            what: many.to_owned(),
        },
        count: number,
    }];
    draft.say(head, claims, spans);
    let kinds_differ = members.iter().any(|member| member.kind != members[0].kind);
    if one == "symbol" && kinds_differ {
        for (member, span) in cited.into_iter().take(12) {
            let line = member.lines.0;
            let kind = member.kind.name();
            let claim = Claim::Defines {
                symbol: member.name.clone(),
                kind: kind.to_owned(),
                span,
            };
            draft.say(
                format!("`{}`: {kind}, line {line}.", member.name),
                vec![claim],
                vec![span],
            );
        }
    }
    draft.finish(asked)
}

/// Groups members of one file whose lines are near each other.
fn groups<'m>(members: &[&'m Member]) -> Vec<Vec<&'m Member>> {
    /// Number of lines between two members of a group.
    const GAP: usize = 12;
    let mut groups: Vec<Vec<&Member>> = Vec::new();
    for member in members {
        let last = groups.last_mut();
        let is_near = |known: &Member| {
            known.path == member.path && member.span.first <= known.span.last + GAP
        };
        match last {
            Some(group) if group.last().is_some_and(|known| is_near(known)) => group.push(member),
            _ => groups.push(vec![member]),
        }
    }
    groups
}
