//! Finds phrases to look up that go over function words and numbers: `oil paint on canvas`,
//! `Away from the Flock`, `Ryzen 7 3700X`.

use crate::question::read::cut::items::Fit;
use crate::question::read::reader::Reader;
use crate::question::read::words::codes;
use crate::question::read::words::vocabulary::Role;

/// Words of a phrase that is looked up.
const LONGEST: usize = 8;
/// Function words next to each other within a phrase.
const MOST_BETWEEN: usize = 2;
/// Phrases of a question.
const MOST: usize = 6;

/// Roles of words that may stand within a name.
const WITHIN: &[Role] = &[
    Role::Stop,
    Role::Of,
    Role::In,
    Role::From,
    Role::To,
    Role::With,
    Role::By,
    Role::All,
    Role::Without,
];

impl Reader<'_, '_, '_> {
    /// Adds the phrases that begin and end with unknown words or codes, as further texts to look
    /// up.
    pub(crate) fn add_phrases(&mut self) {
        let mut at = 0;
        let mut added = 0;

        while at < self.len() && added < MOST {
            let end = self.phrase_end(at);
            // A name may begin within the phrase: `station in Paris 18th`.
            let name = (at + 1..end).find(|place| {
                let token = &self.tokens[self.items[*place].start];
                token.is_capital() && self.begins_phrase(*place)
            });
            for start in [Some(at), name].into_iter().flatten() {
                let end = self.phrase_end(start);
                let text = self.said(start, end).to_owned();
                let is_new = end > start + 1
                    && !self.out.further.contains(&text)
                    && !self.out.unknown.contains(&text);
                if is_new {
                    self.out.further.push(text);
                    added += 1;
                }
            }
            at = end.max(at + 1);
        }
    }

    /// Adds the codes of places that are named, such as `CA` of *California*, where a column may
    /// hold them.
    pub(crate) fn add_codes(&mut self) {
        // Codes that the schema lists need not be looked up.
        let mut fields = self.schema.fields.iter();
        let may_hold = fields.any(|field| field.holds_places() && field.facts.values.is_empty());
        if !may_hold {
            return;
        }

        for at in 0..self.tokens.len() {
            for length in 1..=codes::LONGEST.min(self.tokens.len() - at) {
                let name: Vec<&str> = self.tokens[at..at + length]
                    .iter()
                    .map(|token| token.lower.as_str())
                    .collect();
                let known = codes::codes(&name.join(" "));
                let names = codes::names(self.tokens[at].text).iter();
                let is_adjective = length == 1 && self.vocabulary.code != "en";
                let adjective = codes::adjective(name[0]).iter().filter(|_| is_adjective);
                let others = known.iter().chain(names.filter(|_| length == 1));
                for other in others.chain(adjective) {
                    if !self.out.further.contains(other) {
                        self.out.further.push(other.clone());
                    }
                }
            }
        }
    }

    /// Returns where the phrase that begins at an item ends.
    fn phrase_end(&self, at: usize) -> usize {
        if !self.begins_phrase(at) {
            return at;
        }
        let is_capital = |place: usize| {
            let token = &self.tokens[self.items[place].start];
            token.is_capital() && !token.opens && self.vocabulary.code != "de"
        };
        let are_names = |place: usize| is_capital(at) && is_capital(place);
        let mut end = at + 1;
        let mut place = at + 1;
        let mut between = 0;

        while place < self.len() && place < at + LONGEST && between <= MOST_BETWEEN {
            let gap = self.gap(place);
            // `Atlanta, Georgia` may be one value.
            let are_capitals = self.tokens[self.items[place].start].is_capital()
                && self.tokens[self.items[place - 1].start].is_capital();
            let is_joined = match gap {
                // `1. FC Koeln`
                ". " => place == at + 1 && self.tokens[self.items[at].start].is_number(),
                ", " => are_capitals,
                gap => !self.breaks(place) && matches!(gap, " " | "-" | "" | "'" | "’" | "/" | "–"),
            };
            if !is_joined {
                break;
            }
            let item = &self.items[place];
            // *Econometrics* of the *Journal of Econometrics* may be a value too.
            let ends_name = between > 0 && are_names(place);
            if self.begins_phrase(place) || ends_name || self.continues_phrase(place, end == place)
            {
                (end, between) = (place + 1, 0);
            } else if item.has_any(WITHIN) && item.values.is_empty() {
                between += 1;
            } else {
                break;
            }
            place += 1;
        }
        end
    }

    /// Returns whether an item is an unknown word, or a word with a capital that may be a name.
    fn begins_phrase(&self, at: usize) -> bool {
        let item = &self.items[at];
        let is_unknown = item.is_open()
            || item.looked_up.is_some() && item.roles.is_empty() && item.number.is_none();
        let token = &self.tokens[item.start];
        let is_capital = token.is_capital()
            && !token.opens
            && self.vocabulary.code != "de"
            && item.number.is_none();

        // `Paris` of a longer value may begin another one.
        let is_part = item.values.iter().all(|value| value.fit >= Fit::Words);
        // `CA du Pays Basque` may be one, although `CA` is a value of another field.
        let is_longer = self.gap(at + 1) == " "
            && self.items.get(at + 1).is_some_and(|next| next.is_open())
            && self.items.get(at + 2).is_some_and(|next| {
                self.gap(at + 2) == " " && next.is_open() && self.tokens[next.start].is_capital()
            });
        let is_numbered = token.is_number()
            && self.items.get(at + 1).is_some_and(|next| {
                self.gap(at + 1) == ". " && self.tokens[next.start].is_capital()
            });
        !item.is_quoted && (is_unknown || is_capital && (is_part || is_longer) || is_numbered)
    }

    /// Returns whether a number or code belongs to the name before it: `7` of `Ryzen 7`.
    fn continues_phrase(&self, at: usize, follows_directly: bool) -> bool {
        let item = &self.items[at];
        let token = &self.tokens[item.start];
        let before = &self.tokens[self.items[at - 1].start];
        let follows_name = before.is_capital() || before.is_number() || before.is_code();
        follows_directly && follows_name && (token.is_number() || token.is_code())
    }
}
