//! Reads tables with a column for each year: `fertility rate of Kenya in 1990` asks for the column
//! `1990`, whose numbers another column names.

use research_agents_report::evidence::plain;
use research_agents_report::text::{Word, words};

use crate::data::task::FieldKind;
use crate::question::lexicon::is_plural;
use crate::question::read::cut::items::{FieldMatch, Fit};
use crate::question::read::reader::Reader;
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::vocabulary::{Role, SHORTEST_SLIP, is_slip};

/// Columns of years that a table has at least.
const FEWEST: usize = 3;

impl Reader<'_, '_, '_> {
    /// Makes years the names of their columns, and leaves out the words for what the columns hold.
    pub(crate) fn settle_year_columns(&mut self) {
        let fields = 0..self.schema.fields.len();
        let columns: Vec<(usize, i32)> = fields
            .filter_map(|field| Some((field, self.year_of_column(field)?)))
            .collect();
        if columns.len() < FEWEST {
            return;
        }

        let mut named: Vec<usize> = Vec::new();
        for at in 0..self.len() {
            let item = &self.items[at];
            // `Kenya 1990` may have been taken for a name.
            let year = match item.end - item.start {
                1 => self.tokens[item.start].text.parse::<i32>().ok(),
                _ => None,
            };
            let column = columns.iter().find(|(_, own)| Some(*own) == year);
            // `founded in 1990` is about the year of another column.
            let is_date = |r: &Self, field: usize| {
                r.kind(field) == FieldKind::Date || r.field(field).years.is_some()
            };
            let is_dated =
                (at.saturating_sub(3)..at).any(|before| self.peek(before, is_date).is_some());
            let Some((field, _)) = column.filter(|_| !is_dated) else {
                continue;
            };
            named.push(at);
            let item = &mut self.items[at];
            (item.number, item.moment) = (None, None);
            item.values.clear();
            item.fields = vec![FieldMatch {
                field: *field,
                score: 1000,
                is_full: true,
                is_opposite: false,
            }];
        }
        for at in &named {
            self.take_noun_of_column(*at);
        }
        if !named.is_empty() {
            self.take_words_of_content();
        }
    }

    /// Takes the noun next to a year for what its column holds, as *receipts* in *the 2012
    /// receipts* of a table whose texts all speak of receipts.
    fn take_noun_of_column(&mut self, year: usize) {
        /// Fields of texts that speak of it.
        const SEVERAL: usize = 3;
        let opens = year.checked_sub(1).filter(|at| self.has(*at, Role::In));
        let before = opens.unwrap_or(year).checked_sub(1);
        let is_content = |at: &usize| {
            let Some(item) = self.items.get(*at).filter(|item| !item.used) else {
                return false;
            };
            let mut fields: Vec<usize> = item.values.iter().map(|value| value.field).collect();
            fields.sort_unstable();
            fields.dedup();
            let are_parts = item.values.iter().all(|value| value.fit == Fit::Words);
            let is_plain = item.roles.is_empty() && is_plural(self.lower(*at));
            fields.len() >= SEVERAL && are_parts && is_plain
        };

        let nouns = [Some(year + 1), before].into_iter().flatten();
        let nouns: Vec<usize> = nouns.filter(is_content).collect();
        for at in nouns {
            self.items[at].values.clear();
            self.take(at, at + 1);
        }
    }

    /// Returns the year whose numbers a column holds: `1990`, `X1990`, `yr_1990`. One of a name
    /// such as `pop2019` tells what it holds itself.
    fn year_of_column(&self, field: usize) -> Option<i32> {
        const LETTERS: [&str; 6] = ["", "x", "y", "yr", "year", "fy"];
        let name = self.name(field).to_lowercase();
        let digits: String = name.chars().filter(char::is_ascii_digit).collect();
        let letters: String = name.chars().filter(|c| c.is_alphabetic()).collect();
        let year = digits.parse().ok()?;
        let is_year = digits.len() == 4
            && LETTERS.contains(&letters.as_str())
            && (1800..2200).contains(&year);
        (self.kind(field) == FieldKind::Number && is_year).then_some(year)
    }

    /// Returns the only column of a year that a question names and that is not read yet.
    pub(crate) fn year_column_named(&self) -> Option<(usize, usize)> {
        let named = (0..self.len()).filter(|at| !self.items[*at].used);
        let mut named = named.filter_map(|at| Some((at, self.year_column_at(at)?)));
        named.next().filter(|_| named.next().is_none())
    }

    /// Returns the column of a year that an item names.
    pub(crate) fn year_column_at(&self, at: usize) -> Option<usize> {
        let best = self.items[at].fields.first()?;
        let is_year = best.is_full && self.year_of_column(best.field).is_some();
        is_year.then_some(best.field)
    }

    /// Takes the words that the only value of a column has, as *births* of `Births per woman`: all
    /// numbers of the table are that.
    fn take_words_of_content(&mut self) {
        let only: Vec<String> = self
            .schema
            .fields
            .iter()
            .filter(|field| field.facts.kind == FieldKind::Text)
            .filter(|field| field.facts.distinct == Some(1) || field.facts.values.len() == 1)
            .flat_map(|field| field.facts.values.iter().map(plain))
            .collect();
        let content: Vec<Word<'_>> = only.iter().flat_map(|text| words(text)).collect();
        let is_content = |r: &Self, at: usize| {
            let item = &r.items[at];
            let token = &r.tokens[item.start];
            let meant = concepts().of(&token.lower, &token.stem, &token.own_stem);
            content.iter().any(|word| {
                let own = concepts().of(&word.lower, &word.stem, "");
                let is_misspelt =
                    word.lower.len() >= SHORTEST_SLIP && is_slip(&token.lower, &word.lower);
                word.stem == token.stem
                    || is_misspelt
                    || own.iter().any(|name| meant.contains(name))
            })
        };

        for at in 0..self.len() {
            let is_structure = self.has_any(at, &[Role::Stop, Role::Of, Role::In, Role::By]);
            let names_column = self.items[at]
                .fields
                .iter()
                .any(|found| found.score >= 1000);
            if is_structure || names_column || !is_content(self, at) {
                continue;
            }
            let opens = at
                .checked_sub(1)
                .filter(|before| self.has_any(*before, &[Role::By, Role::Of]));
            self.items[at].values.clear();
            self.take(opens.unwrap_or(at), at + 1);
        }
    }
}
