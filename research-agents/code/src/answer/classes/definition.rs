//! Where a name is defined.

use crate::answer::claim::{Claim, CountOf};
use crate::answer::draft::{Asked, Draft, MAX_LINES, count, definition_span, use_span};
use crate::answer::report::{Answer, Outcome};
use crate::answer::subject::Subject;
use crate::base::Place;
use crate::ledger::Class;
use crate::resolve::Definition;

/// Number of definitions that are shown.
const SHOWN: usize = 6;

/// Answers where a name is defined.
pub(crate) fn definition(asked: &Asked<'_>, subject: &Subject) -> Answer {
    let mut draft = Draft::new(asked);
    draft.subject(subject.name());
    draft.ledger(&subject.uses.ledger);
    let found: Vec<&Definition> = subject.definitions().collect();
    if found.is_empty() {
        return undefined(asked, subject, draft);
    }

    let definitions = found.iter().filter(|found| !found.is_declaration).count();
    let declarations = found.len() - definitions;
    if found.len() > 1 {
        let mut parts = Vec::new();
        if definitions > 0 {
            parts.push(count(definitions, "definition", "definitions"));
        }
        if declarations > 0 {
            parts.push(count(declarations, "declaration", "declarations"));
        }
        draft.say(
            format!("`{}` has {}.", subject.name(), parts.join(" and ")),
            vec![Claim::Count {
                of: CountOf::Shown {
                    what: "definitions".to_owned(),
                },
                count: found.len(),
            }],
            Vec::new(),
        );
    }
    for (at, definition) in found.iter().enumerate() {
        let Some(span) = definition_span(&subject.uses, definition) else {
            continue;
        };
        if at >= SHOWN {
            draft.keep(span);
            continue;
        }
        let span = draft.cite(span);
        draft.say(
            sentence(definition),
            vec![Claim::Defines {
                symbol: definition.name.clone(),
                kind: definition.kind.name().to_owned(),
                span,
            }],
            vec![span],
        );
    }

    if found.len() > SHOWN {
        draft.note(format!("{} more are not shown.", found.len() - SHOWN));
    }
    if let Some(reading) = &subject.reading {
        draft.note(reading.clone());
    }
    draft.finish(asked)
}

/// Says where and what a definition is.
pub(crate) fn sentence(definition: &Definition) -> String {
    let kind = match definition.is_declaration {
        true => format!("{} declaration", definition.kind.name()),
        false => definition.kind.name().to_owned(),
    };
    let place = match definition.place {
        Place::Source => "",
        Place::Test => ", in tests",
        Place::Generated => ", in generated or copied code",
    };

    // A long one is cited in part.
    let (first, last) = definition.lines;
    let lines = match last - first + 1 {
        1 => format!("line {first}"),
        number if number > MAX_LINES => format!("from line {first} on ({number} lines)"),
        _ => format!("lines {first}–{last}"),
    };

    format!(
        "`{}` is a {kind} in `{}`, {lines}{place}: `{}`.",
        definition.qualified,
        definition.path.encoded(),
        definition.signature.replace('`', "'")
    )
}

/// Answers for a name that the code uses and does not define.
fn undefined(asked: &Asked<'_>, subject: &Subject, mut draft: Draft) -> Answer {
    draft.outcome(Outcome::Absent);
    let name = subject.name();
    let ledger = &subject.uses.ledger;
    draft.say(
        format!("`{name}` is not defined in this code base, which only uses it."),
        vec![Claim::Count {
            of: CountOf::Occurrences {
                name: subject.term.name.clone(),
                class: Some(Class::Definition),
            },
            count: 0,
        }],
        Vec::new(),
    );

    let imports = subject
        .uses
        .uses
        .iter()
        .filter(|site| site.class == Class::Import);
    let others = subject
        .uses
        .uses
        .iter()
        .filter(|site| site.class != Class::Import);
    for site in imports.chain(others).take(2) {
        if let Some(span) = use_span(&subject.uses, site) {
            let span = draft.cite(span);
            let verb = match site.class {
                Class::Import => "imported",
                _ => "used",
            };
            draft.say(
                format!("It is {verb} at `{}:{}`.", site.path.encoded(), site.line),
                vec![Claim::Uses {
                    symbol: subject.term.name.clone(),
                    span,
                }],
                vec![span],
            );
        }
    }
    draft.say(
        ledger.sentence(),
        vec![Claim::Count {
            of: CountOf::Occurrences {
                name: ledger.name.clone(),
                class: None,
            },
            count: ledger.total(),
        }],
        Vec::new(),
    );
    draft.finish(asked)
}
