//! The entries of a table or list that a constant is set to.

use crate::answer::claim::{Claim, CountOf};
use crate::answer::draft::{Asked, Draft, count};
use crate::answer::report::Answer;
use crate::answer::subject::Subject;
use crate::base::{Provenance, span_of};
use crate::body::entries_at;
use crate::lang::FileKind;

/// Number of entries that are named.
const NAMED: usize = 40;

/// Answers how many entries the table has that a name is set to. `None` if it is not set to one.
pub(crate) fn entries(asked: &Asked<'_>, subject: &Subject) -> Option<Answer> {
    for definition in subject.definitions() {
        let hit = subject.uses.hit_of(&definition.path)?;
        let FileKind::Code(language) = FileKind::of_path(&definition.path) else {
            continue;
        };
        let symbol = hit.facts.as_ref()?.symbols.get(definition.symbol)?;
        let found = entries_at(language, &hit.bytes, &symbol.span, asked.is_cancelled);
        let Some((entries, lines)) = found.filter(|(entries, _)| !entries.is_empty()) else {
            continue;
        };

        let mut draft = Draft::new(asked);
        draft.subject(subject.name());
        let provenance = Provenance::Treesitter;
        let span = span_of(&definition.path, &hit.bytes, lines, provenance).ok()?;
        let span = draft.cite(span);
        let names: Vec<String> = entries
            .iter()
            .take(NAMED)
            .map(|entry| format!("`{}`", entry.replace('`', "'")))
            .collect();
        draft.say(
            format!(
                "`{}` has {}: {}.",
                subject.name(),
                count(entries.len(), "entry", "entries"),
                names.join(", ")
            ),
            vec![Claim::Count {
                of: CountOf::Shown {
                    what: "entries".to_owned(),
                },
                count: entries.len(),
            }],
            vec![span],
        );
        return Some(draft.finish(asked));
    }
    None
}
