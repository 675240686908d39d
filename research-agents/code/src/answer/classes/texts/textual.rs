//! Names that stand only in comments, strings and documents.

use crate::answer::claim::{Claim, CountOf};
use crate::answer::classes::uses::say_ledger;
use crate::answer::draft::{Asked, Draft, joined};
use crate::answer::report::{Answer, Outcome};
use crate::answer::subject::{Subject, nearest};
use crate::base::{Provenance, span_of};
use crate::ledger::Class;

/// Number of sites that are shown.
const SHOWN: usize = 4;

/// Answers for a name that no code has: only comments, strings or documents mention it.
pub(crate) fn textual(asked: &Asked<'_>, subject: &Subject) -> Answer {
    let mut draft = Draft::new(asked);
    draft.outcome(Outcome::Absent);
    let name = subject.term.name.clone();
    draft.subject(&name);
    let ledger = &subject.uses.ledger;
    draft.ledger(ledger);

    let classes: Vec<String> = ledger
        .by_class()
        .keys()
        .map(|class| match class {
            Class::Comment => "comments".to_owned(),
            Class::String => "strings".to_owned(),
            Class::Document => "documents".to_owned(),
            _ => "files of unknown languages".to_owned(),
        })
        .collect();
    draft.say(
        format!(
            "`{name}` is not defined or used in the code: it stands only in {}.",
            joined(&classes)
        ),
        vec![Claim::Count {
            of: CountOf::Occurrences {
                name: name.clone(),
                class: Some(Class::Definition),
            },
            count: 0,
        }],
        Vec::new(),
    );

    let mut shown = 0;
    for file in &ledger.files {
        for occurrence in &file.occurrences {
            let Ok(content) = asked.files.read(&file.path) else {
                continue;
            };
            let lines = (occurrence.line, occurrence.line);
            let span = span_of(&file.path, &content.bytes, lines, Provenance::Treesitter);
            let Ok(span) = span else { continue };
            if shown >= SHOWN {
                draft.keep(span);
                continue;
            }
            shown += 1;
            let (what, _) = occurrence.class.names();
            let span = draft.cite(span);
            draft.say(
                format!(
                    "It is {what} in `{}`, line {}.",
                    file.path.encoded(),
                    occurrence.line
                ),
                vec![Claim::Quote {
                    text: name.clone(),
                    span,
                }],
                vec![span],
            );
        }
    }

    say_ledger(&mut draft, ledger);
    let index = asked.files.index(asked.is_cancelled);
    let near = nearest(&name, index.names(asked.scope));
    if !near.is_empty() {
        let names: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
        draft.note(format!(
            "The nearest names in the code are {}.",
            joined(&names)
        ));
    }
    draft.nearest(near);
    draft.finish(asked)
}

/// Returns whether a name is only in comments, strings and documents.
pub(crate) fn is_textual(subject: &Subject) -> bool {
    let classes = subject.uses.ledger.by_class();
    subject.uses.definitions.is_empty()
        && classes.keys().all(|class| {
            matches!(
                class,
                Class::Comment | Class::String | Class::Document | Class::Unclassified
            )
        })
}
