//! Values that differ from others by signs, and letters that are values.

use research_agents_report::evidence::plain;

use crate::question::read::cut::cutter::Cutter;
use crate::question::read::cut::items::ValueMatch;
use crate::question::read::cut::schema::Listed;
use crate::question::read::words::tokens::folded;
use crate::question::read::words::vocabulary::Role;

impl Cutter<'_, '_, '_> {
    /// Keeps the value that is written as in the question, where others of its field differ from it
    /// by signs: `C#` of `C`, `C++` and `C#`.
    pub(crate) fn keep_literal(&self, start: usize, end: usize, found: &mut Vec<ValueMatch>) {
        const SIGNS: [char; 4] = ['+', '#', '*', '-'];
        let (from, to) = (self.tokens[start].start, self.tokens[end - 1].end);
        let rest = self.text.get(to..).unwrap_or_default();
        let signs = rest.chars().take_while(|sign| SIGNS.contains(sign)).count();
        let Some(written) = self.text.get(from..to + signs) else {
            return;
        };
        let is_literal = |value: &ValueMatch| folded(&plain(&value.value)) == folded(written);
        let bare = |text: &str| -> String {
            let text = folded(text);
            text.chars().filter(|c| !SIGNS.contains(c)).collect()
        };
        let own = bare(written);
        let differs = |value: &ValueMatch| bare(&plain(&value.value)) != own;

        let literal: Vec<usize> = found
            .iter()
            .filter(|value| is_literal(value))
            .map(|value| value.field)
            .collect();
        found
            .retain(|value| is_literal(value) || differs(value) || !literal.contains(&value.field));
    }

    /// Returns whether a letter is a value and the word that *and* joins it with is another one of
    /// the same field: *f and m*.
    pub(crate) fn is_one_of_codes(&self, at: usize, listed: Listed) -> bool {
        const JOINING: &[Role] = &[Role::And, Role::Or, Role::Versus];
        let is_value = |place: usize| {
            let Some(token) = self.tokens.get(place) else {
                return false;
            };
            let values = self.schema.fields[listed.field].facts.values.iter();
            let is_letter = token.text.chars().count() == 1;
            is_letter
                && values
                    .map(plain)
                    .any(|value| value.eq_ignore_ascii_case(token.text))
        };
        let joins = |place: usize| {
            let word = self.tokens.get(place).map(|token| token.lower.as_str());
            let entry = self.vocabulary.longest_at(|k| word.filter(|_| k == 0));
            entry.is_some_and(|(entry, _)| entry.roles.iter().any(|role| JOINING.contains(role)))
        };

        let follows = at > 1 && joins(at - 1) && is_value(at - 2);
        is_value(at) && (follows || joins(at + 1) && is_value(at + 2))
    }
}
