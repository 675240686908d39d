//! Answers a question.

use std::sync::atomic::AtomicBool;

use crate::answer::classes;
use crate::answer::draft::Asked;
use crate::answer::narrow::Narrow;
use crate::answer::report::Answer;
use crate::answer::subject::{Sought, Subject, subject};
use crate::base::{CodeBase, Snapshot};
use crate::error::CodeError;
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

    match reading.class {
        QuestionClass::Definition => about_one(&asked, classes::definition),
        QuestionClass::Callers => about_one(&asked, classes::callers),
        QuestionClass::Uses => about_one(&asked, classes::uses),
        QuestionClass::Implementors => match classes::standard_interface(&asked) {
            Some(answer) => Ok(answer),
            None => about_one(&asked, classes::implementors),
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
        _ if is_plain(&reading) => match classes::value_by_words(&asked) {
            Some(answer) => Ok(answer),
            None => classes::other(&asked),
        },
        _ => classes::other(&asked),
    }
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

/// Answers a question about one name.
fn about_one(
    asked: &Asked<'_>,
    compute: fn(&Asked<'_>, &Subject) -> Answer,
) -> Result<Answer, CodeError> {
    match subject(asked)? {
        Sought::Found(found) if classes::is_textual(&found) => Ok(classes::textual(asked, &found)),
        Sought::Found(found) => Ok(compute(asked, &found)),
        Sought::Missing(missing) => Ok(classes::absent(asked, &missing)),
        Sought::Unnamed => classes::other(asked),
    }
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
