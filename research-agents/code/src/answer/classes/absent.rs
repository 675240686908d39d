//! Refusals: what was searched for, where, and what is like it.

use crate::answer::claim::Claim;
use crate::answer::draft::{Asked, Draft, count, definition_span, joined};
use crate::answer::report::{Answer, Outcome};
use crate::answer::subject::{Missing, nearest};
use crate::tree::SkipReason;

/// Answers that a name is not in the code.
pub(crate) fn absent(asked: &Asked<'_>, missing: &Missing) -> Answer {
    let mut draft = Draft::new(asked);
    draft.outcome(Outcome::Absent);
    let name = missing.term.full();
    draft.subject(&name);
    let ledger = &missing.uses.ledger;
    draft.ledger(ledger);

    let scope = match asked.scope.as_str() {
        "" => "this code base".to_owned(),
        scope => format!("the scope `{scope}`"),
    };
    let claims = vec![Claim::Absent {
        terms: vec![name.clone()],
        searched: ledger.searched,
    }];
    if missing.is_used {
        draft.say(
            format!(
                "`{name}` is not defined in {scope}, which only uses it, and nothing implements or \
                 extends it."
            ),
            Vec::new(),
            Vec::new(),
        );
        super::uses::say_ledger(&mut draft, ledger);
    } else if missing.others.is_empty() {
        draft.say(
            format!(
                "`{name}` is not in {scope}: none of {} has it.",
                count(ledger.searched, "searched file", "searched files")
            ),
            claims,
            Vec::new(),
        );
    } else {
        draft.say(
            format!("`{name}` is not defined in {scope}."),
            claims,
            Vec::new(),
        );
        others(&mut draft, missing);
    }

    let mut near = missing.nearest.clone();
    if near.is_empty() {
        let index = asked.files.index(asked.is_cancelled);
        let sought = missing.term.qualifiers.last().unwrap_or(&missing.term.name);
        near = nearest(sought, index.names(asked.scope));
        near.retain(|found| *found != missing.term.name && found != sought);
    }
    if !near.is_empty() {
        let names: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
        draft.note(format!("The nearest names are {}.", joined(&names)));
    }
    draft.nearest(near);
    if let Some(skipped) = skipped(ledger.unread.counts.iter().map(|(a, b)| (*a, *b))) {
        draft.note(skipped);
    }
    draft.finish(asked)
}

/// Says where a name is defined that does not belong to the qualifier of the question.
fn others(draft: &mut Draft, missing: &Missing) {
    const SHOWN: usize = 3;
    for at in missing.others.iter().take(SHOWN) {
        let Some(found) = missing.uses.definitions.get(*at) else {
            continue;
        };
        let Some(span) = definition_span(&missing.uses, found) else {
            continue;
        };
        let span = draft.cite(span);
        draft.say(
            format!(
                "`{}` is a {} at `{}:{}`.",
                found.qualified,
                found.kind.name(),
                found.path.encoded(),
                found.name_line
            ),
            vec![Claim::Defines {
                symbol: found.name.clone(),
                kind: found.kind.name().to_owned(),
                span,
            }],
            vec![span],
        );
    }
    let more = missing.others.len().saturating_sub(SHOWN);

    if more > 0 {
        draft.note(format!(
            "{} more of `{}` are elsewhere.",
            count(more, "definition", "definitions"),
            missing.term.name
        ));
    }
}

/// Says how many files were not searched, by reason.
pub(crate) fn skipped(counts: impl Iterator<Item = (SkipReason, usize)>) -> Option<String> {
    let parts: Vec<String> = counts
        .map(|(reason, number)| format!("{number} {}", reason.text()))
        .collect();
    (!parts.is_empty()).then(|| format!("Not searched: {}.", joined(&parts)))
}
