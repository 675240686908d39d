//! Finds the values that words of a question are another form or a part of.

use research_agents_report::evidence::plain;
use research_agents_report::text::words;

use crate::question::read::cut::cutter::Cutter;
use crate::question::read::cut::field::stem_of;
use crate::question::read::cut::items::{Fit, ValueMatch};
use crate::question::read::cut::schema::Listed;
use crate::question::read::words::tokens::Token;
use crate::question::read::words::vocabulary::Role;

impl Cutter<'_, '_, '_> {
    /// Returns whether a word that says little is in a listed value directly before the next word,
    /// as *left* is in *Defender - Left Corner*.
    pub(crate) fn is_light_part(&self, at: usize) -> bool {
        let [token, next] = &self.tokens[at..self.tokens.len().min(at + 2)] else {
            return false;
        };
        let entry = |token: &Token<'_>| {
            let word = token.lower.as_str();
            let found = self.vocabulary.longest_at(|k| (k == 0).then_some(word));
            found.map(|(entry, _)| entry)
        };
        let is_light = entry(token).is_some_and(|entry| {
            let mut roles = entry.roles.iter();
            entry.degree.is_none() && roles.all(|role| *role == Role::Light)
        });
        if !is_light || entry(next).is_some() || next.breaks() {
            return false;
        }

        let follows = |listed: &Listed| {
            let text = plain(self.schema.value(*listed));
            let said = words(&text);
            let mut pairs = said.windows(2);
            pairs.any(|pair| pair[0].stem == token.stem && pair[1].stem == next.stem)
        };
        self.schema.parts(&token.stem).iter().any(follows)
    }

    /// Returns the values that an English word is another form of: `sunny` of `sun`, `first` of
    /// `1st`, `boxers` of `boxing`.
    pub(super) fn other_form(&self, token: &Token<'_>) -> Vec<ValueMatch> {
        let word = token.lower.as_str();
        let entry = self.vocabulary.longest_at(|k| (k == 0).then_some(word));
        let ordinal = entry.and_then(|(entry, _)| entry.ordinal);
        let ordinal = ordinal.map(|number| format!("{number}{}", ending(number)));
        if let Some(ordinal) = ordinal {
            return self.other_names(&[&ordinal]);
        }

        // *Boxers* of `boxing`
        let doer = word.strip_suffix('s').unwrap_or(word).strip_suffix("er");
        if let Some(doer) = doer.filter(|doer| doer.len() >= 3) {
            let mut sports = self.other_names(&[&stem_of(&format!("{doer}ing"))]);
            sports.retain(|sport| plain(&sport.value).to_lowercase().ends_with("ing"));
            return sports;
        }
        let Some(base) = word.strip_suffix('y').filter(|base| base.len() >= 3) else {
            return Vec::new();
        };
        let last = base.chars().next_back().unwrap_or_default();
        let undoubled = base.strip_suffix(last).filter(|rest| rest.ends_with(last));
        let bases: Vec<&str> = [Some(base), undoubled].into_iter().flatten().collect();
        self.other_names(&bases)
    }

    /// Returns the values with one of these stems, as other names of them.
    pub(super) fn other_names(&self, stems: &[&str]) -> Vec<ValueMatch> {
        let found = stems.iter().flat_map(|stem| self.schema.values(stem));
        found
            .map(|&listed| ValueMatch {
                field: listed.field,
                value: self.schema.value(listed).clone(),
                fit: Fit::OtherName,
                needs_field: false,
                count: None,
            })
            .collect()
    }
}

/// Returns the ending of an ordinal in digits.
fn ending(number: u32) -> &'static str {
    match (number % 10, number % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        _ => "th",
    }
}
