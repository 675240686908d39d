//! What a program declares by strings: its subcommands, and the events that it emits.

use crate::answer::classes::texts::matched::{is_code, matched};
use crate::answer::draft::{Asked, Draft, count, joined};
use crate::answer::report::Answer;
use crate::base::{Place, Span};
use crate::error::CodeError;
use crate::facts::FileFacts;
use crate::search::Pattern;
use crate::tree::RelPath;

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
    let patterns: Vec<Pattern> = [Some(named), decorated].into_iter().flatten().collect();
    let is_source = |path: &RelPath| is_code(path) && asked.files.place(path) == Place::Source;
    let mut found: Vec<Command> = Vec::new();
    for file in matched(asked, &patterns, is_source) {
        let mut hits = file.hits.iter();
        let quoted = hits.next().into_iter().flatten().map(|hit| {
            let text = file.text(hit);
            let name = text.rsplit(['"', '\'']).next().unwrap_or_default();
            let (_, line) = file.rows(hit);
            (hit, name.to_owned(), (line, line))
        });
        let functions = hits.next().into_iter().flatten().filter_map(|hit| {
            let (line, _) = file.rows(hit);
            let (name, rows) = function_below(file.facts.as_ref()?, line)?;
            Some((hit, name, rows))
        });

        for (hit, name, rows) in quoted.chain(functions) {
            if file.is_comment(hit) || found.iter().any(|known| known.name == name) {
                continue;
            }
            let span = file.span(hit, rows)?;
            found.push(Command { name, span });
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
        draft.say_quoted(text, &command.name, command.span.clone());
    }
    draft.finish(asked)
}
