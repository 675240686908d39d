//! Where an error of a type is raised.

use crate::answer::claim::Claim;
use crate::answer::classes::uses::say_ledger;
use crate::answer::draft::{Asked, Draft, count, use_span, within};
use crate::answer::report::Answer;
use crate::answer::subject::Subject;
use crate::base::Place;
use crate::ledger::Class;
use crate::resolve::Use;

/// Number of places that are shown.
const SHOWN: usize = 8;

/// What is written before the name of an error that is raised.
const RAISES: &[&str] = &[
    "throw", "raise", "fail", "Err(", "bail!", "panic", "reject(",
];

/// Answers where errors of a type are raised. `None` if no line raises one.
pub(crate) fn thrown(asked: &Asked<'_>, subject: &Subject) -> Option<Answer> {
    let is_raised = |site: &&Use| {
        let before = line_before(subject, site);
        matches!(site.class, Class::Call | Class::OtherCode | Class::TypeUse)
            && RAISES.iter().any(|raise| before.contains(raise))
    };
    let sites = subject.uses.uses.iter();
    let sites = sites.filter(|site| asked.narrow.admits(&site.path, site.place));
    let all: Vec<&Use> = sites.filter(is_raised).collect();
    let of = |place: Place| all.iter().filter(|site| site.place == place).count();
    let (source, tests) = (of(Place::Source), of(Place::Test));
    if all.is_empty() {
        return None;
    }

    let mut draft = Draft::new(asked);
    let name = subject.name();
    draft.subject(&name);
    draft.ledger(&subject.uses.ledger);
    let in_tests = match tests {
        0 => String::new(),
        tests => format!(", and {} in tests", count(tests, "time", "times")),
    };
    let times = count(source, "time", "times");
    draft.note(format!("`{name}` is raised {times} in the code{in_tests}."));
    for site in &all {
        let Some(span) = use_span(&subject.uses, site) else {
            continue;
        };
        if draft.spans() >= SHOWN {
            draft.keep(span);
            continue;
        }
        let within = within(&span);
        let text = format!(
            "`{}` is raised in `{}`, line {}{within}.",
            subject.term.name,
            site.path.encoded(),
            site.line
        );
        let span = draft.cite(span);
        let symbol = subject.term.name.clone();
        draft.say(text, vec![Claim::Uses { symbol, span }], vec![span]);
    }
    say_ledger(&mut draft, &subject.uses.ledger);
    Some(draft.finish(asked))
}

/// Returns what is written before a name in its line.
fn line_before(subject: &Subject, site: &Use) -> String {
    let bytes = subject.uses.hit(site.file).map(|hit| hit.bytes.as_slice());
    let before = bytes
        .and_then(|bytes| bytes.get(..site.span.start))
        .unwrap_or_default();
    let line = before
        .rsplit(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    String::from_utf8_lossy(line).into_owned()
}
