//! What a program declares by strings: its subcommands, and the events that it emits.

use crate::answer::claim::Claim;
use crate::answer::draft::{Asked, Draft, count, joined};
use crate::answer::report::Answer;
use crate::base::{Place, Provenance, Span, span_of};
use crate::error::CodeError;
use crate::facts::{FileFacts, LineIndex, RegionKind};
use crate::lang::FileKind;
use crate::search::Pattern;

/// What declares a command whose name follows in quotes, in argparse, commander, yargs, cobra and
/// clap.
const NAMED: &str = concat!(
    r"(?:add_parser\(\s*|\.command\(\s*|\bUse:\s*|Sub[cC]ommand::with_name\(\s*)",
    r#"["']([A-Za-z][A-Za-z0-9_-]*)"#,
);

/// A decorator of click or typer, before the function that is the command.
const DECORATED: &str = r"@[A-Za-z_][A-Za-z0-9_.]*\.command\b";

/// Lines between a decorator and its function at most.
const NEAR: usize = 40;

/// What emits an event whose name follows in quotes.
const EMITTED: &str = r#"\bemit\(\s*["'][A-Za-z][A-Za-z0-9_:.-]*"#;

/// A command or event with its place.
struct Command {
    name: String,
    span: Span,
}

/// Answers which subcommands the program has. `None` if none is declared in a known way.
pub(crate) fn commands(asked: &Asked<'_>) -> Result<Option<Answer>, CodeError> {
    let nouns = ("The program has", "subcommand", "subcommands");
    declared(
        asked,
        Pattern::new(NAMED)?,
        Some(Pattern::new(DECORATED)?),
        nouns,
    )
}

/// Answers which events are emitted. `None` if none is.
pub(crate) fn events(asked: &Asked<'_>) -> Result<Option<Answer>, CodeError> {
    let nouns = ("The code emits", "event", "events");
    declared(asked, Pattern::new(EMITTED)?, None, nouns)
}

/// Finds what strings after a pattern name, and functions under decorators.
fn declared(
    asked: &Asked<'_>,
    named: Pattern,
    decorated: Option<Pattern>,
    nouns: (&str, &str, &str),
) -> Result<Option<Answer>, CodeError> {
    let mut found: Vec<Command> = Vec::new();
    for file in asked.files_in_scope() {
        let is_code = matches!(FileKind::of_path(&file.path), FileKind::Code(_));
        let is_source = asked.files.place(&file.path) == Place::Source;
        if !is_code || !is_source {
            continue;
        }
        let Ok(content) = asked.files.read(&file.path) else {
            continue;
        };
        let decorators = decorated
            .as_ref()
            .map(|pattern| pattern.matches(&content.bytes));
        let hits = (
            named.matches(&content.bytes),
            decorators.unwrap_or_default(),
        );
        if hits.0.is_empty() && hits.1.is_empty() {
            continue;
        }
        let Some(facts) = asked
            .files
            .facts_of(&file.path, &content, asked.is_cancelled)
        else {
            continue;
        };

        let lines = LineIndex::new(&content.bytes);
        let is_comment = |at: usize| {
            let region = facts.region(at);
            region.is_some_and(|region| region.kind == RegionKind::Comment)
        };
        let quoted = hits
            .0
            .iter()
            .filter(|hit| !is_comment(hit.span.start))
            .map(|hit| {
                let text = content.bytes.get(hit.span.clone()).unwrap_or_default();
                let text = String::from_utf8_lossy(text).into_owned();
                let name = text
                    .rsplit(['"', '\''])
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                let line = lines.line(hit.span.end.saturating_sub(1));
                (name, (line, line))
            });
        let functions = hits
            .1
            .iter()
            .filter(|hit| !is_comment(hit.span.start))
            .filter_map(|hit| function_below(&facts, lines.line(hit.span.start)));
        for (name, rows) in quoted.chain(functions) {
            let span = span_of(&file.path, &content.bytes, rows, Provenance::Treesitter)?;
            if !found.iter().any(|known| known.name == name) {
                found.push(Command { name, span });
            }
        }
    }
    Ok((!found.is_empty()).then(|| say(asked, &found, nouns)))
}

/// Returns the function that a decorator at a line belongs to, with its first line.
fn function_below(facts: &FileFacts, line: usize) -> Option<(String, (usize, usize))> {
    let functions = facts
        .symbols
        .iter()
        .filter(|symbol| symbol.kind.is_function());
    let below = functions.filter(|symbol| symbol.lines.1 >= line && symbol.lines.0 <= line + NEAR);
    // A decorated function may begin at its decorator.
    let first = below.min_by_key(|symbol| symbol.name_span.start.max(symbol.span.start))?;
    let rows = (first.lines.0, first.lines.0.max(line));
    Some((first.name.clone(), rows))
}

fn say(asked: &Asked<'_>, found: &[Command], (has, one, many): (&str, &str, &str)) -> Answer {
    let mut draft = Draft::new(asked);
    for command in found {
        draft.subject(&command.name);
    }
    let names: Vec<String> = found
        .iter()
        .map(|command| format!("`{}`", command.name))
        .collect();
    let number = count(found.len(), one, many);
    draft.note(format!("{has} {number}: {}.", joined(&names)));

    for command in found {
        if !draft.has_space() {
            draft.keep(command.span.clone());
            continue;
        }
        let (path, line) = (command.span.path.encoded(), command.span.first);
        let text = format!("`{}` is in `{path}`, line {line}.", command.name);
        let span = draft.cite(command.span.clone());
        let claims = vec![Claim::Quote {
            text: command.name.clone(),
            span,
        }];
        draft.say(text, claims, vec![span]);
    }
    draft.finish(asked)
}
