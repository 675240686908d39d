//! What a function returns and raises.

mod thrown;

use std::collections::BTreeSet;

use crate::answer::claim::Claim;
use crate::answer::documented::documentation;
use crate::answer::draft::{Asked, Draft, count, definition_span};
use crate::answer::report::Answer;
use crate::answer::subject::Subject;
use crate::base::{Provenance, Span, span_of};
use crate::facts::ReferenceKind;
use crate::resolve::body::{Outcomes, Statement, outcomes};
use crate::resolve::{Definition, Uses};

/// Number of statements that are shown.
const SHOWN: usize = 6;

/// Maximum number of lines of a statement.
const STATEMENT: usize = 40;

/// Number of definitions that are read.
const DEFINITIONS: usize = 3;

/// Answers what a function returns.
pub(crate) fn returns(asked: &Asked<'_>, subject: &Subject) -> Answer {
    of_functions(asked, subject, say_returns, &["return", "result", "yield"])
}

/// Answers what a function raises.
pub(crate) fn raises(asked: &Asked<'_>, subject: &Subject) -> Answer {
    let cues = [
        "raise",
        "throw",
        "panic",
        "error",
        "at least",
        "must",
        "exits",
        "more than",
    ];
    of_functions(asked, subject, say_raises, &cues)
}

/// Reads the functions that a question is about.
fn of_functions(
    asked: &Asked<'_>,
    subject: &Subject,
    say: fn(&mut Draft, &Read<'_>),
    cues: &[&str],
) -> Answer {
    let functions: Vec<&Definition> = subject
        .definitions()
        .filter(|found| found.kind.is_function())
        .collect();
    let functions = match functions.is_empty() {
        true => constructors(asked, subject),
        false => functions.into_iter().cloned().collect(),
    };
    let is_raised = cues.contains(&"raise") && subject.definitions().all(|one| one.kind.is_type());
    if is_raised
        && !asks_what(asked)
        && let Some(answer) = thrown::thrown(asked, subject)
    {
        return answer;
    }
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
        say(&mut draft, &read);
        say_documented(&mut draft, &read, cues);
        if cues.contains(&"raise") {
            called(&mut draft, asked, &read);
        }
    }

    if bodies > 1 {
        draft.note(format!("`{}` has {bodies} definitions.", subject.name()));
    }
    if bodies > DEFINITIONS {
        draft.note(format!("{} more are not shown.", bodies - DEFINITIONS));
    }
    if let Some(reading) = &subject.reading {
        draft.note(reading.clone());
    }
    draft.finish(asked)
}

/// Returns whether a question asks what something raises, and not where it is raised.
fn asks_what(asked: &Asked<'_>) -> bool {
    let text = &asked.reading.text;
    [
        "what does",
        "which exceptions does",
        "which errors does",
        "does _ raise",
        "does _ throw",
    ]
    .iter()
    .any(|cue| text.contains(cue))
}

/// Returns the constructors of the classes that a question names.
fn constructors(asked: &Asked<'_>, subject: &Subject) -> Vec<Definition> {
    let mut found = Vec::new();
    for definition in subject.definitions().filter(|found| found.kind.is_type()) {
        let Some(hit) = subject.uses.hit_of(&definition.path) else {
            continue;
        };
        let Some(facts) = &hit.facts else { continue };

        for (at, symbol) in facts.symbols.iter().enumerate() {
            let is_constructor = matches!(
                symbol.name.as_str(),
                "__init__" | "constructor" | "initialize" | "__construct" | "new"
            );
            if is_constructor && facts.owner(symbol) == Some(definition.name.as_str()) {
                let place = asked.files.place(&definition.path);
                let content = (facts.as_ref(), hit.bytes.as_slice());
                let path = &definition.path;
                let hash = &definition.hash;
                found.push(Definition::new(path, hash, place, content, at, symbol));
            }
        }
    }
    found
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
        let last = last.min(first + STATEMENT - 1);
        let first = near_condition(statement).map_or(first, |(_, line)| line.min(first));
        self.span((first, last))
    }
}

/// Returns the condition of a statement and its line, if it is near enough to be cited with it.
fn near_condition(statement: &Statement) -> Option<(&str, usize)> {
    let (condition, line) = statement.condition.as_ref()?;
    let (first, last) = statement.lines;
    (first.saturating_sub(4)..=last)
        .contains(line)
        .then_some((condition, *line))
}

fn say_returns(draft: &mut Draft, read: &Read<'_>) {
    let name = &read.definition.qualified;
    let path = read.definition.path.encoded();
    let returns = &read.found.returns;
    let mut spans = Vec::new();
    let mut claims = Vec::new();
    let mut text = format!("`{name}` returns ");
    let said = statements(
        draft,
        read,
        returns,
        (&mut claims, &mut spans),
        claim_returns,
    );
    text.push_str(&said.join("; "));

    if let Some((written, line)) = &read.found.declared
        && let Some(span) = read.span((read.definition.name_line.min(*line), *line))
    {
        let written = tick(written);
        text = match said.is_empty() {
            true => format!("`{name}` returns `{written}`, its written type"),
            false => format!("{text}; its written type is `{written}`"),
        };
        let span = draft.cite(span);
        claims.push(claim_returns(name, written, span));
        spans.push(span);
    } else if said.is_empty() {
        text = format!("`{name}` returns nothing: it has no return statement and no written type");
        spans.extend(definition_span(read.uses, read.definition).map(|span| draft.cite(span)));
    }
    draft.say(format!("{text} (`{path}`)."), claims, spans);
    if returns.len() > SHOWN {
        draft.note(format!(
            "{} more returns are not shown.",
            returns.len() - SHOWN
        ));
    }
}

fn say_raises(draft: &mut Draft, read: &Read<'_>) {
    let name = &read.definition.qualified;
    let path = read.definition.path.encoded();
    let raises = &read.found.raises;
    let mut spans = Vec::new();
    let mut claims = Vec::new();
    let said = statements(draft, read, raises, (&mut claims, &mut spans), claim_raises);
    if said.is_empty() {
        spans.extend(definition_span(read.uses, read.definition).map(|span| draft.cite(span)));
        draft.say(
            format!("`{name}` raises nothing itself (`{path}`)."),
            claims,
            spans,
        );
    } else {
        let text = format!("`{name}` raises {} (`{path}`).", said.join("; "));
        draft.say(text, claims, spans);
    }
    if raises.len() > SHOWN {
        draft.note(format!(
            "{} more places are not shown.",
            raises.len() - SHOWN
        ));
    }

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
}

/// Returns the parts of a sentence that say what statements return or raise, and notes their claims
/// and spans.
fn statements(
    draft: &mut Draft,
    read: &Read<'_>,
    statements: &[Statement],
    (claims, spans): (&mut Vec<Claim>, &mut Vec<usize>),
    claim: fn(&str, String, usize) -> Claim,
) -> Vec<String> {
    let mut said = Vec::new();
    for (at, statement) in statements.iter().enumerate() {
        let Some(span) = read.statement(statement) else {
            continue;
        };
        if at >= SHOWN || !draft.has_space() {
            draft.keep(span);
            continue;
        }
        let span = draft.cite(span);
        spans.push(span);

        claims.push(claim(
            &read.definition.qualified,
            statement.what.clone(),
            span,
        ));
        let when = match near_condition(statement) {
            Some((condition, _)) => format!(" when `{}`", tick(condition)),
            None => String::new(),
        };
        let line = statement.lines.0;
        said.push(format!("`{}`{when} (line {line})", tick(&statement.what)));
    }
    said
}

/// Quotes the documentation of a function where it speaks of results or errors.
fn say_documented(draft: &mut Draft, read: &Read<'_>, cues: &[&str]) {
    let Some(hit) = read.uses.hit_of(&read.definition.path) else {
        return;
    };
    let Some(facts) = &hit.facts else { return };
    let lines = documentation(facts, &hit.bytes, read.definition.lines);
    let is_told = |text: &str| {
        let lower = text.to_lowercase();
        cues.iter().any(|cue| lower.contains(cue))
    };

    for (line, text) in lines.into_iter().filter(|(_, text)| is_told(text)).take(2) {
        let Some(span) = read.span((line, line)).filter(|_| draft.has_space()) else {
            continue;
        };
        let span = draft.cite(span);
        draft.say(
            format!("Its documentation says (line {line}): \"{}\".", tick(&text)),
            vec![Claim::Quote { text, span }],
            vec![span],
        );
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
