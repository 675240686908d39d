//! What a function returns and raises.

use std::collections::BTreeSet;

use crate::answer::claim::Claim;
use crate::answer::draft::{Asked, Draft, count, definition_span};
use crate::answer::report::Answer;
use crate::answer::subject::Subject;
use crate::base::{Provenance, Span, span_of};
use crate::body::{Outcomes, Statement, outcomes};
use crate::facts::ReferenceKind;
use crate::resolve::{Definition, Uses};

/// Number of statements that are shown.
const SHOWN: usize = 6;

/// Number of definitions that are read.
const DEFINITIONS: usize = 3;

/// Answers what a function returns.
pub(crate) fn returns(asked: &Asked<'_>, subject: &Subject) -> Answer {
    of_functions(asked, subject, say_returns)
}

/// Answers what a function raises.
pub(crate) fn raises(asked: &Asked<'_>, subject: &Subject) -> Answer {
    of_functions(asked, subject, say_raises)
}

/// Reads the functions that a question is about.
fn of_functions(
    asked: &Asked<'_>,
    subject: &Subject,
    say: fn(&mut Draft, &Asked<'_>, &Read<'_>),
) -> Answer {
    let functions: Vec<&Definition> = subject
        .definitions()
        .filter(|found| found.kind.is_function())
        .collect();
    if functions.is_empty() {
        // A class returns an object of itself; where it is defined is the answer.
        return super::definition::definition(asked, subject);
    }

    let mut draft = Draft::new(asked);
    draft.subject(subject.name());
    let bodies = functions
        .iter()
        .filter(|found| !found.is_declaration)
        .count();
    let chosen = functions
        .iter()
        .filter(|found| bodies == 0 || !found.is_declaration);
    if bodies > 1 {
        draft.note(format!("`{}` has {bodies} definitions.", subject.name()));
    }
    for definition in chosen.take(DEFINITIONS) {
        let Some(hit) = subject.uses.hit_of(&definition.path) else {
            continue;
        };
        let symbol = hit
            .facts
            .as_ref()
            .and_then(|facts| facts.symbols.get(definition.symbol));
        let Some(symbol) = symbol else { continue };
        let language = definition.language;
        let found = outcomes(language, &hit.bytes, &symbol.span, asked.is_cancelled);
        let Some(found) = found else { continue };
        let read = Read {
            definition,
            bytes: &hit.bytes,
            uses: &subject.uses,
            found,
        };
        say(&mut draft, asked, &read);
    }

    if bodies > DEFINITIONS {
        draft.note(format!("{} more are not shown.", bodies - DEFINITIONS));
    }
    if let Some(reading) = &subject.reading {
        draft.note(reading.clone());
    }
    draft.finish(asked)
}

/// A function with what was read from its body.
struct Read<'r> {
    definition: &'r Definition,
    bytes: &'r [u8],
    uses: &'r Uses,
    found: Outcomes,
}

impl Read<'_> {
    /// Returns lines of the file of the function.
    fn span(&self, lines: (usize, usize)) -> Option<Span> {
        let path = &self.definition.path;
        let span = span_of(path, self.bytes, lines, Provenance::Treesitter).ok()?;
        Some(span.with_symbol(&self.definition.qualified, self.definition.kind.name()))
    }

    /// Returns the lines of a statement, from its condition if that is near.
    fn statement(&self, statement: &Statement) -> Option<Span> {
        let (first, last) = statement.lines;
        let last = last.min(first + 9);
        let first = match statement.condition {
            Some((_, line)) if line < first && first - line <= 4 => line,
            _ => first,
        };
        self.span((first, last))
    }
}

fn say_returns(draft: &mut Draft, asked: &Asked<'_>, read: &Read<'_>) {
    let _ = asked;
    let name = &read.definition.qualified;
    let path = read.definition.path.encoded();
    let head = match &read.found.declared {
        Some((written, line)) => read.span((read.definition.name_line, *line)).map(|span| {
            let text = format!(
                "`{name}` returns `{}` (`{path}`, line {line}).",
                tick(written)
            );
            (text, written.clone(), span)
        }),
        None => None,
    };
    if let Some((text, what, span)) = head {
        let span = draft.cite(span);
        draft.say(text, vec![claim_returns(name, what, span)], vec![span]);
    } else if read.found.returns.is_empty()
        && let Some(span) = definition_span(read.uses, read.definition)
    {
        let span = draft.cite(span);
        draft.say(
            format!("`{name}` in `{path}` has no return statement and no written type."),
            Vec::new(),
            vec![span],
        );
    } else {
        draft.note(format!(
            "`{name}` in `{path}` has {} and no written type.",
            count(read.found.returns.len(), "return", "returns")
        ));
    }
    say_statements(draft, read, &read.found.returns, "returns", claim_returns);
}

fn say_raises(draft: &mut Draft, asked: &Asked<'_>, read: &Read<'_>) {
    let name = &read.definition.qualified;
    let path = read.definition.path.encoded();
    let raises = &read.found.raises;
    if raises.is_empty() {
        if let Some(span) = definition_span(read.uses, read.definition) {
            let span = draft.cite(span);
            draft.say(
                format!("`{name}` in `{path}` raises nothing itself."),
                Vec::new(),
                vec![span],
            );
        }
    } else {
        let number = count(raises.len(), "place", "places");
        draft.note(format!("`{name}` in `{path}` raises at {number}."));
    }
    say_statements(draft, read, raises, "raises", claim_raises);

    let passes = &read.found.passes;
    if let Some(first) = passes.first()
        && let Some(span) = read.span(first.lines)
        && draft.has_space()
    {
        let span = draft.cite(span);
        draft.say(
            format!(
                "It passes on or unwraps errors of what it calls at {}, first `{}` in line {}.",
                count(passes.len(), "place", "places"),
                tick(&first.what),
                first.lines.0
            ),
            Vec::new(),
            vec![span],
        );
    }
    called(draft, asked, read);
}

fn say_statements(
    draft: &mut Draft,
    read: &Read<'_>,
    statements: &[Statement],
    verb: &str,
    claim: fn(&str, String, usize) -> Claim,
) {
    for (at, statement) in statements.iter().enumerate() {
        let Some(span) = read.statement(statement) else {
            continue;
        };
        if at >= SHOWN || !draft.has_space() {
            draft.keep(span);
            continue;
        }
        let span = draft.cite(span);
        let line = statement.lines.0;
        let when = match &statement.condition {
            Some((condition, _)) => format!(" when `{}`", tick(condition)),
            None => String::new(),
        };
        draft.say(
            format!(
                "It {verb} `{}` in line {line}{when}.",
                tick(&statement.what)
            ),
            vec![claim(
                &read.definition.qualified,
                statement.what.clone(),
                span,
            )],
            vec![span],
        );
    }
    if statements.len() > SHOWN {
        draft.note(format!("{} more are not shown.", statements.len() - SHOWN));
    }
}

/// Says what functions of this code raise that the function calls: one level, and only functions
/// whose names have a single definition.
fn called(draft: &mut Draft, asked: &Asked<'_>, read: &Read<'_>) {
    const CALLS: usize = 12;
    let Some(hit) = read.uses.hit_of(&read.definition.path) else {
        return;
    };
    let Some(facts) = &hit.facts else { return };
    let Some(symbol) = facts.symbols.get(read.definition.symbol) else {
        return;
    };
    let names: BTreeSet<&str> = facts
        .references
        .iter()
        .filter(|one| one.kind == ReferenceKind::Call && symbol.span.contains(&one.span.start))
        .map(|one| one.name.as_str())
        .filter(|name| *name != symbol.name)
        .collect();

    for called in names.into_iter().take(CALLS) {
        let mut same = facts
            .symbols
            .iter()
            .filter(|one| one.name == called && one.kind.is_function());
        let (Some(callee), None) = (same.next(), same.next()) else {
            continue;
        };
        let language = read.definition.language;
        let found = outcomes(language, read.bytes, &callee.span, asked.is_cancelled);
        let Some(raise) = found.as_ref().and_then(|found| found.raises.first()) else {
            continue;
        };
        if !draft.has_space() {
            break;
        }
        let Some(span) = read.span(raise.lines) else {
            continue;
        };
        let span = draft.cite(span);
        draft.say(
            format!(
                "It calls `{called}`, which raises `{}` in line {}.",
                tick(&raise.what),
                raise.lines.0
            ),
            vec![claim_raises(called, raise.what.clone(), span)],
            vec![span],
        );
    }
}

fn claim_returns(function: &str, what: String, span: usize) -> Claim {
    Claim::Returns {
        function: function.to_owned(),
        what,
        span,
    }
}

fn claim_raises(function: &str, what: String, span: usize) -> Claim {
    Claim::Raises {
        function: function.to_owned(),
        what,
        span,
    }
}

/// Returns code as it may be within back-ticks.
fn tick(code: &str) -> String {
    code.replace('`', "'")
}
