//! Answers a question.

use std::sync::atomic::AtomicBool;

use crate::answer::classes;
use crate::answer::draft::Asked;
use crate::answer::narrow::Narrow;
use crate::answer::report::Answer;
use crate::answer::subject::{Sought, Subject, subject};
use crate::base::{CodeBase, Snapshot};
use crate::error::CodeError;
use crate::facts::SymbolKind;
use crate::question::{QuestionClass, Reading};
use crate::tree::Scope;

/// Answers a question about a code base as it is now.
///
/// Names that the code does not have and questions whose answers cannot be computed are not errors:
/// [`Answer::outcome`] says so. `is_cancelled` ends the computation early.
///
/// # Errors
///
/// [`CodeError::Question`] when the question is empty, [`CodeError::Root`] when the root can no
/// longer be read.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use research_agents_code::answer::answer;
/// use research_agents_code::base::{CacheAt, CodeBase};
/// use research_agents_code::tree::Scope;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # if !cfg!(feature = "rust") { return Ok(()); }
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("a.rs"), "fn run() {}\nfn main() { run(); }\n")?;
///
/// let base = CodeBase::open(folder.path(), &CacheAt::Memory)?;
/// let go_on = AtomicBool::new(false);
/// let answer = answer(&base, "Who calls `run`?", &Scope::default(), &go_on)?;
/// assert_eq!(answer.sentences[0].text, "`run` is called 1 time in the code (in 1 function).");
/// # Ok(()) }
/// ```
pub fn answer(
    base: &CodeBase,
    question: &str,
    scope: &Scope,
    is_cancelled: &AtomicBool,
) -> Result<Answer, CodeError> {
    let files = base.refresh(is_cancelled)?;
    answer_in(&files, question, scope, is_cancelled)
}

/// Answers a question about the files of a snapshot.
///
/// # Errors
///
/// As [`answer`].
pub fn answer_in(
    files: &Snapshot,
    question: &str,
    scope: &Scope,
    is_cancelled: &AtomicBool,
) -> Result<Answer, CodeError> {
    let question = question.trim();
    if question.is_empty() {
        return Err(CodeError::Question {
            reason: "it is empty",
        });
    }
    let reading = Reading::new(question);
    let narrow = Narrow::new(&reading, files);
    let asked = Asked {
        files,
        narrow: &narrow,
        scope,
        reading: &reading,
        question,
        is_cancelled,
    };

    if asks_for_message(&reading)
        && let Some(answer) = classes::message(&asked)
    {
        return Ok(answer);
    }
    if lists_environment(&reading) {
        return classes::environment(&asked);
    }
    if lists_events(&reading)
        && let Some(answer) = classes::events(&asked)?
    {
        return Ok(answer);
    }
    if lists_commands(&reading)
        && let Some(answer) = classes::commands(&asked)?
    {
        return Ok(answer);
    }
    match reading.class {
        QuestionClass::Definition => about_one(&asked, classes::definition),
        QuestionClass::Callers => about_one(&asked, classes::callers),
        QuestionClass::Uses => about_one(&asked, classes::uses),
        QuestionClass::Implementors => match classes::standard_interface(&asked) {
            Some(answer) => Ok(answer),
            None if is_about_no_type(&asked)? => classes::other(&asked),
            None => about_one(&asked, of_type),
        },
        QuestionClass::Returns => about_one(&asked, classes::returns),
        QuestionClass::Raises => about_one(&asked, classes::raises),
        QuestionClass::Value if !names_key(&reading) => classes::value(&asked),
        QuestionClass::Value | QuestionClass::ConfigKey => match classes::config_key(&asked)? {
            Some(answer) => Ok(answer),
            None => classes::value(&asked),
        },
        QuestionClass::Change => classes::change(&asked),
        QuestionClass::Path => classes::path(&asked),
        QuestionClass::Callees => about_one(&asked, classes::callees),
        QuestionClass::List | QuestionClass::Structure => classes::list(&asked),
        _ if is_bare_text(question)
            && let Some(answer) = classes::text(&asked, question) =>
        {
            Ok(answer)
        }
        _ if is_plain(&reading) => match classes::value_by_words(&asked) {
            Some(answer) => Ok(answer),
            None => classes::other(&asked),
        },
        _ => classes::other(&asked),
    }
}

/// Returns whether a question is about a quoted text and not about a name.
fn asks_for_message(reading: &Reading) -> bool {
    let cues = [
        "message",
        "come from",
        "comes from",
        "coming from",
        "text",
        "log",
        "print",
    ];
    let has_name = reading.terms.iter().any(|term| !term.is_file);
    let is_change = matches!(reading.class, QuestionClass::Change | QuestionClass::Path);
    let is_said = cues.iter().any(|cue| reading.text.contains(cue));
    !reading.quotes.is_empty() && !is_change && (!has_name || is_said)
}

/// Returns whether a question is about all events that are emitted.
fn lists_events(reading: &Reading) -> bool {
    let emits = ["emit", "emits", "emitted", "fires", "fired"];
    let says = |cues: &[&str]| cues.iter().any(|cue| reading.text.contains(cue));
    let is_list = reading.class == QuestionClass::List || says(&["which events", "what events"]);
    is_list && reading.text.contains("events") && says(&emits)
}

/// Returns whether a question is about all subcommands of a program.
fn lists_commands(reading: &Reading) -> bool {
    let cues = [
        "subcommands",
        "sub-commands",
        "commands does the cli",
        "cli commands",
    ];
    reading.terms.is_empty() && cues.iter().any(|cue| reading.text.contains(cue))
}

/// Returns whether a question is nothing but several words, as a message that is pasted.
fn is_bare_text(question: &str) -> bool {
    const WORDS: usize = 3;
    !question.contains(['?', '`']) && question.split_whitespace().count() >= WORDS
}

/// Returns whether a question is about environment variables that it does not name.
fn lists_environment(reading: &Reading) -> bool {
    let cues = [
        "environment variable",
        "enviroment variable",
        "env var",
        "system propert",
    ];
    let is_named = |term: &crate::question::Term| !term.is_file && !term.name.ends_with('_');
    cues.iter().any(|cue| reading.text.contains(cue)) && !reading.terms.iter().any(is_named)
}

/// Returns whether a question without a class may be one for a value: a few words, and none that
/// asks for a judgement.
fn is_plain(reading: &Reading) -> bool {
    let judges = [
        "why", "better", "faster", "safe", "should", "how", "explain",
    ];
    let mut words = reading.text.split_whitespace();
    reading.terms.is_empty() && !words.any(|word| judges.contains(&word))
}

/// Returns whether a question about implementors without a name in the form of one is read as one
/// about something that is neither a type nor a function.
fn is_about_no_type(asked: &Asked<'_>) -> Result<bool, CodeError> {
    if !asked.reading.terms.is_empty() {
        return Ok(false);
    }
    let is_other =
        |kind: SymbolKind| !kind.is_type() && !kind.is_function() && kind != SymbolKind::Type;
    Ok(match subject(asked)? {
        Sought::Found(found) => {
            let mut kinds = found.definitions().map(|one| one.kind).peekable();
            kinds.peek().is_some() && kinds.all(is_other)
        }
        _ => false,
    })
}

/// Answers which types implement one, or where a function is that a question calls implemented.
fn of_type(asked: &Asked<'_>, subject: &Subject) -> Answer {
    let mut kinds = subject.definitions().map(|found| found.kind);
    let is_function =
        kinds.next().is_some_and(SymbolKind::is_function) && kinds.all(|kind| kind.is_function());
    match is_function && asked.reading.terms.is_empty() {
        true => classes::definition(asked, subject),
        false => classes::implementors(asked, subject),
    }
}

/// Answers a question about one name.
fn about_one(
    asked: &Asked<'_>,
    compute: fn(&Asked<'_>, &Subject) -> Answer,
) -> Result<Answer, CodeError> {
    match subject(asked)? {
        Sought::Found(found) if classes::is_textual(&found) && is_about_more(asked) => {
            classes::other(asked)
        }
        Sought::Found(found) if classes::is_textual(&found) => Ok(classes::textual(asked, &found)),
        Sought::Found(found) => Ok(compute(asked, &found)),
        Sought::Missing(missing) => Ok(classes::absent(asked, &missing)),
        Sought::Unnamed => classes::other(asked),
    }
}

/// Returns whether a question has so many words next to a name that is not quoted that it may be
/// about something else: *the check for ports allowed with CONNECT*.
fn is_about_more(asked: &Asked<'_>) -> bool {
    const WORDS: usize = 5;
    !asked.question.contains('`') && asked.reading.words.len() >= WORDS
}

/// Returns whether a question for a value names a key of a configuration.
fn names_key(reading: &Reading) -> bool {
    let cues = [
        "config key",
        "configuration key",
        "option key",
        "environment variable",
    ];
    let has_name = reading.terms.iter().any(|term| !term.is_file);
    has_name && cues.iter().any(|cue| reading.text.contains(cue))
}
