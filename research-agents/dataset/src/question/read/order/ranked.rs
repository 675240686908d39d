//! Finds the field that a superlative ranks by: one that its noun names, its adjective measures, or
//! another part of the question says.

use crate::data::task::FieldKind;
use crate::question::lexicon::is_plural;
use crate::question::read::cut::field::NameWord;
use crate::question::read::cut::items::Item;
use crate::question::read::functions::{FUNCTIONS, QUANTITIES};
use crate::question::read::order::superlative::{NO_DIFFERENCES, Superlative};
use crate::question::read::quantities::unit_concepts;
use crate::question::read::reader::Reader;
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::units::unit;
use crate::question::read::words::vocabulary::Role;

/// Words in the names of numbers that count nothing of what else they name.
const DERIVED: &[&str] = &["index", "rank", "rate", "ratio", "percent", "pct", "share"];

/// What *big* measures, which says no more of a change than *high* does.
const SIZES: &[&str] = &["size", "population", "area", "count", "amount"];

/// A field that a superlative ranks by.
#[derive(Clone, Copy)]
pub(crate) struct Ranked {
    pub(crate) field: usize,
    /// Whether the highest values come first.
    pub(crate) highest: bool,
    /// The item after the superlative.
    pub(crate) end: usize,
}

impl Ranked {
    /// Ranks by a field that a superlative does not say itself.
    pub(super) fn apart(found: &Superlative, field: usize) -> Self {
        Self {
            field,
            highest: found.highest,
            end: found.end,
        }
    }
}

/// What the search for the field of a superlative ends with.
pub(crate) enum Ranking {
    Field(Ranked),
    /// No field: the superlative was read in another way, or refused.
    Read,
    Nothing,
}

impl Reader<'_, '_, '_> {
    /// Finds the field that a superlative ranks by: one that its noun names before one `by` which
    /// things are ranked, then one that the adjective measures, then those that are said apart.
    pub(crate) fn ranked(&mut self, found: &Superlative, noun: usize, said: &str) -> Ranking {
        let of = |field| Ranked::apart(found, field);
        if let Some(ranked) = self.ranked_by_noun(found, noun) {
            return Ranking::Field(ranked);
        }
        match self.ranked_by_change(found, noun) {
            Ranking::Nothing => {}
            ranking => return ranking,
        }
        match self.ranked_by_phrase(found, said) {
            Ranking::Nothing => {}
            ranking => return ranking,
        }

        if let Some(ranking) = self.ranked_at_end(found, said) {
            return ranking;
        }
        let field = self
            .ranked_in(found)
            .map(of)
            .or_else(|| self.ranked_by_adjective(found, said))
            .or_else(|| self.ranked_by_priced_column(found).map(of))
            .or_else(|| self.ranked_before(found).map(of))
            .or_else(|| self.ranked_by_count_of(found, noun, said))
            .or_else(|| self.ranked_by_verb_apart(found).map(of))
            .or_else(|| self.ranked_by_height(found, noun, said).map(of));
        let dates = || self.schema.dates().chain(self.schema.years()).next();
        if let Some(ranked) = field.or_else(|| dates().filter(|_| found.is_time).map(of)) {
            return Ranking::Field(ranked);
        }

        if self.rank_by_only_measure(found, said) {
            return Ranking::Read;
        }
        // `the highest rate in 1990` of a table with a column for each year.
        if let Some((at, column)) = self.year_column_named() {
            self.take(at, at + 1);
            return Ranking::Field(of(column));
        }
        if found.is_top {
            return self.ranked_at_top(found, said);
        }
        Ranking::Nothing
    }

    /// Finds the field that the noun behind a superlative names: *the heaviest body mass*.
    fn ranked_by_noun(&mut self, found: &Superlative, noun: usize) -> Option<Ranked> {
        let names_by = (found.end..self.len()).any(|k| self.has_any(k, &[Role::By, Role::Sorted]));
        if found.is_top && names_by {
            return None;
        }

        let near = (noun..(noun + 2).min(self.len()))
            .find(|place| self.is_ranked_noun(found, noun, *place))?;
        if self.adjective_measures_another(found, near) {
            return None;
        }
        let end = if found.counts {
            self.counted_end(near)
        } else {
            near + 1
        };
        let field = self.choose_ranked(near, &found.concepts)?;
        // `the most perot votes`: the word between says whose they are.
        let between = (noun..near).any(|place| self.items[place].is_open());
        if between {
            self.take(near, end);
        }
        Some(Ranked {
            field,
            highest: found.highest,
            end: if between { found.end } else { end },
        })
    }

    /// Finds the field of changes that *the biggest drop* or *the highest rise* ranks by: the
    /// lowest of it is the biggest drop. How a number differs from one record to the next is not
    /// computed.
    fn ranked_by_change(&mut self, found: &Superlative, noun: usize) -> Ranking {
        let is_plain = found
            .concepts
            .iter()
            .all(|concept| SIZES.contains(&concept.as_str()));
        let names_change = self.has_any(noun, &[Role::Rise, Role::Fall]) && !self.breaks(noun);
        let is_field = |item: &Item| item.fields.iter().any(|found| found.is_full);
        if !names_change || !is_plain || self.items.get(noun).is_some_and(is_field) {
            return Ranking::Nothing;
        }

        let is_change = |field: &usize| {
            let mut words = self.field(*field).words.iter();
            self.is_quantity(*field) && words.any(|word| word.concepts.contains(&"change"))
        };
        let mut changes = (0..self.schema.fields.len()).filter(is_change);
        match (changes.next(), changes.next()) {
            (Some(field), None) if found.highest => Ranking::Field(Ranked {
                field,
                highest: self.has(noun, Role::Rise),
                end: noun + 1,
            }),
            _ => {
                self.refuse_superlative(found, NO_DIFFERENCES);
                Ranking::Read
            }
        }
    }

    /// Returns whether an item, the noun of a superlative or the next one, names a field that it
    /// can rank by.
    fn is_ranked_noun(&self, found: &Superlative, noun: usize, at: usize) -> bool {
        let item = &self.items[at];
        let Some(best) = item.fields.first() else {
            return false;
        };
        let Some(field) = self.peek(at, |r, f| r.can_rank(found, f)) else {
            return false;
        };
        if self.breaks(at) || item.used {
            return false;
        }

        // `the most perot votes`
        let is_whose = !is_plural(self.lower(noun));
        let is_counted_of = found.counts && is_whose && self.holds_number(at, field);
        let is_noun = at == noun
            || self.items[noun].is_open()
                && found.concepts.is_empty()
                && (!found.counts || is_counted_of);
        let is_good = field == best.field || 2 * self.score_of(at, field) >= best.score;
        let takes_dates = found.is_time
            || found
                .concepts
                .iter()
                .any(|concept| matches!(concept.as_str(), "date" | "year"));
        let may_be_date = takes_dates || best.is_full || self.kind(field) != FieldKind::Date;
        // `the most courses` counts courses, and has nothing to do with `course_number`.
        let is_text = found.counts && self.names_text_in_full(at);
        // `the most models` asks for no index of them.
        let is_derived = |word: &NameWord| DERIVED.contains(&word.lower.as_str());
        let is_things = is_plural(self.lower(at))
            && !self.holds_number(at, field)
            && !self.means_head(at, field);
        let is_counted = found.counts
            && !best.is_full
            && (is_things || self.field(field).words.iter().any(is_derived));
        let has_no_time = found.is_time
            && self.kind(best.field) != FieldKind::Date
            && self.field(best.field).years.is_none();

        is_noun && is_good && may_be_date && !is_text && !is_counted && !has_no_time
    }

    /// Returns whether a noun means what the name of a field ends with, as *goals* do of
    /// `home_score`: of a longer name they say too little.
    fn means_head(&self, at: usize, field: usize) -> bool {
        /// Words of a name at most.
        const SHORT: usize = 2;
        let token = &self.tokens[self.items[at].start];
        let said = concepts().of(&token.lower, &token.stem, &token.own_stem);
        let words = &self.field(field).words;
        // `matches_played` counts matches.
        let is_head = |word: &&NameWord| {
            let is_participle = word.lower.len() > 4 && word.lower.ends_with("ed");
            !word.is_filler && !is_participle
        };
        let head = words.iter().rfind(is_head);
        head.is_some_and(|head| {
            let means = head.concepts.iter().any(|concept| said.contains(concept));
            head.stem == token.stem || means && words.len() <= SHORT
        })
    }

    /// Returns whether another field than the one that a noun names is measured: *the deadliest
    /// year*.
    fn adjective_measures_another(&self, found: &Superlative, noun: usize) -> bool {
        let means = |field: usize, concept: &str| {
            let mut words = self.field(field).words.iter();
            words.any(|word| word.concepts.contains(&concept))
        };
        let can_rank = |field: &usize| self.can_rank(found, *field);
        // The first concept that a field has decides: an age before a date.
        let first = found.concepts.iter().find(|concept| {
            let mut fields = (0..self.schema.fields.len()).filter(can_rank);
            fields.any(|field| means(field, concept))
        });
        let of_concept = |field: usize| first.is_some_and(|concept| means(field, concept));

        let is_measured = self
            .peek(noun, |r, f| r.can_rank(found, f) && of_concept(f))
            .is_some();
        let named = self.peek(noun, |r, f| r.can_rank(found, f));
        let Some(named) = named.filter(|_| !is_measured) else {
            return false;
        };
        // `the busiest precinct` is not the one with the highest number.
        let is_code = found.concepts.iter().any(|concept| concept == "count");
        if is_code && self.is_groupable(named) {
            return true;
        }

        // An age tells the *youngest gold medalist*, and no number of medals.
        let is_aged = found.concepts.first().is_some_and(|first| first == "age");
        let is_time =
            is_aged || self.field(named).years.is_some() || self.kind(named) == FieldKind::Date;
        let mut others = (0..self.schema.fields.len()).filter(can_rank);
        let is_other = is_time && others.any(of_concept) || means(named, "month");
        is_other && (!found.concepts.is_empty() || found.is_top)
    }

    /// Finds the field `by` which things are ranked: *the top 5 by revenue*. A measure that was
    /// read, and the number of records, are ranked by here.
    fn ranked_by_phrase(&mut self, found: &Superlative, said: &str) -> Ranking {
        let is_by = |k: &usize| self.has_any(*k, &[Role::By, Role::Sorted]) && !self.items[*k].used;
        let Some(by) = (found.end..self.len()).find(is_by) else {
            return Ranking::Nothing;
        };
        let mut target = self.skip_roles(by + 1, &[Role::Stop, Role::Of]);
        // `by people affected`
        if matches!(self.lower(target), "people" | "persons" | "individuals") {
            target += 1;
        }

        let is_column =
            target < self.len() && self.field_called(target).is_some() && !self.items[target].used;
        if self.has_any(target, FUNCTIONS) && !is_column {
            let Some(at) = self.out.measures.len().checked_sub(1) else {
                return Ranking::Nothing;
            };
            let which = self.which_group(found.start, found.end);
            self.take(found.start, found.end);
            self.take(by, target + 1);
            self.rank_groups(found, which, at, said);
            return Ranking::Read;
        }
        let is_number = self.has(target, Role::Generic) && self.lower(target).starts_with("number");
        if self.has(target, Role::HowMany) || is_number {
            self.rank_by_number_of(found, by, target, said);
            return Ranking::Read;
        }

        let can_rank = |r: &Self, f: usize| r.can_rank(found, f);
        if self.peek(target, can_rank).is_none() || self.items[target].used {
            return Ranking::Nothing;
        }
        let field = self.choose(target, can_rank);
        self.take(by, target + 1);
        field.map_or(Ranking::Nothing, |field| {
            Ranking::Field(Ranked::apart(found, field))
        })
    }

    /// Ranks `by number of votes`: by a field that holds the votes, else by the number of records.
    fn rank_by_number_of(&mut self, found: &Superlative, by: usize, number: usize, said: &str) {
        let counted = self.skip_roles(number + 1, &[Role::Stop, Role::Of]);
        let holds = |r: &Self, f: usize| r.holds_number(counted, f);

        if self.peek(counted, holds).is_some()
            && let Some(field) = self.choose(counted, holds)
        {
            self.take(by, self.counted_end(counted));
            self.take(found.start, found.end);
            return self.rank_by_field(found, field, found.end, said);
        }
        self.take(by, number + 1);
        self.take(found.start, found.end);
        self.rank_groups_by_count(found, found.end);
    }

    /// Finds the field in which something is *richest* or at the top: *richest in protein*, *top 3
    /// in stolen bases*.
    fn ranked_in(&mut self, found: &Superlative) -> Option<usize> {
        let has_measure = !found.concepts.is_empty() || found.is_top;
        let leads = self.has_any(found.end, &[Role::In, Role::By])
            || ["when it comes to", "in terms of"].contains(&self.said_small(found.end).as_str());
        if !has_measure || !leads {
            return None;
        }
        let target = self.skip_roles(found.end + 1, &[Role::Stop, Role::Of]);
        let is_quantity = |r: &Self, f: usize| r.is_quantity(f);
        if self.peek(target, is_quantity).is_none() || self.items[target].used {
            return None;
        }

        let field = self.choose(target, is_quantity);
        self.take(found.end, target + 1);
        field
    }

    /// Finds the field that the adjective measures: *the heaviest*.
    fn ranked_by_adjective(&mut self, found: &Superlative, said: &str) -> Option<Ranked> {
        let first = found.concepts.first()?;
        let (field, is_time) = self.measured_by(&found.concepts, said)?;
        // The oldest has the earliest date.
        let is_turned = is_time && first == "age";
        Some(Ranked {
            field,
            highest: found.highest != is_turned,
            end: found.end,
        })
    }

    /// Finds the one column that is named, of a table with a column of prices for each thing: *when
    /// was cocoa most expensive*.
    fn ranked_by_priced_column(&mut self, found: &Superlative) -> Option<usize> {
        if found.concepts.first().is_none_or(|first| first != "price") {
            return None;
        }
        let mut columns: Vec<(usize, usize)> = Vec::new();
        for at in 0..self.len() {
            let column = self.column_told(at).filter(|_| !self.items[at].used);
            if let Some(field) = column
                && columns.iter().all(|(_, known)| *known != field)
            {
                columns.push((at, field));
            }
        }

        let [(at, field)] = columns[..] else {
            return None;
        };
        self.take(at, at + 1);
        Some(field)
    }

    /// Finds the field before a superlative that names none: *la popolazione maggiore*.
    fn ranked_before(&mut self, found: &Superlative) -> Option<usize> {
        let is_plain = found.concepts.is_empty() && !found.counts && !found.is_top;
        if !is_plain || self.breaks(found.start) {
            return None;
        }
        let can_rank = |r: &Self, f: usize| r.can_rank(found, f);
        let before = (found.start.saturating_sub(6)..found.start)
            .rev()
            .find(|place| !self.items[*place].used && self.peek(*place, can_rank).is_some())?;

        let field = self.choose(before, can_rank);
        // What stands between them is read on its own: `in which year did Ada first win`.
        self.take(before, before + 1);
        field
    }

    /// Finds the field that holds the number of what `most` counts: *takes the most hours*, *the
    /// most people working in retail*.
    fn ranked_by_count_of(
        &mut self,
        found: &Superlative,
        noun: usize,
        said: &str,
    ) -> Option<Ranked> {
        if !found.counts {
            return None;
        }
        let of = |field| Ranked {
            field,
            highest: found.highest,
            end: noun + 1,
        };
        if let Some(counted) = unit(self.lower(noun)).filter(|_| self.lower(noun).len() > 2) {
            let concepts: Vec<String> = unit_concepts(counted)
                .iter()
                .map(|concept| (*concept).to_owned())
                .collect();
            if let Some((measured, false)) = self.measured_by(&concepts, said) {
                return Some(of(measured));
            }
        }

        let is_word = self.items.get(noun).is_some_and(|item| {
            item.fields.iter().all(|found| !found.is_full) && item.values.is_empty()
        });
        if !is_word || self.schema.record_name().is_none() {
            return None;
        }
        let (at, column) = self.column_of_kind(noun + 1)?;
        self.take(at, at + 1);
        Some(of(column))
    }

    /// Finds the field of the verb, where `most` has no noun to count: *sleeps the most*, *makes
    /// the most at the box office*.
    fn ranked_by_verb_apart(&mut self, found: &Superlative) -> Option<usize> {
        if !found.counts || self.counts_a_noun(found.end) {
            return None;
        }
        let can_rank = |r: &Self, f: usize| r.can_rank(found, f);
        let before = self
            .before(found.start)
            .filter(|before| *before + 3 >= found.start);
        let near = before
            .into_iter()
            .chain(found.end..self.len())
            .find(|&place| {
                let is_best = self.peek(place, can_rank).is_some_and(|field| {
                    let best = &self.items[place].fields[0];
                    (best.field == field || best.score == self.score_of(place, field))
                        && self.kind(best.field) != FieldKind::Date
                });
                is_best && !self.items[place].used
            })?;

        let field = self.choose(near, can_rank);
        self.take(near, near + 1);
        field
    }

    /// Finds the height of a thing that is the highest: *the highest mountain*.
    fn ranked_by_height(&mut self, found: &Superlative, noun: usize, said: &str) -> Option<usize> {
        let is_plain =
            found.concepts.is_empty() && !found.counts && !found.is_top && !found.is_time;
        let item = self
            .items
            .get(noun)
            .filter(|_| is_plain && !self.breaks(noun))?;
        let token = &self.tokens[item.start];
        let named = concepts().of(&token.lower, &token.stem, &token.own_stem);
        let is_measure = concepts().is_intensive(&token.stem)
            || named.iter().any(|concept| QUANTITIES.contains(concept));
        if is_measure
            || item
                .fields
                .iter()
                .any(|found| self.is_quantity(found.field))
        {
            return None;
        }

        let (field, _) = self.measured_by(&["height".to_owned()], said)?;
        Some(field)
    }

    /// Returns whether a superlative can rank by a field: one of numbers, years or dates. *The most
    /// prizes* does not ask for the latest year.
    fn can_rank(&self, found: &Superlative, field: usize) -> bool {
        let is_year = found.counts && !found.is_time && self.field(field).years.is_some();
        self.has_order(field) && !(self.is_number(field) && is_year)
    }

    /// Returns whether a field holds dates, or numbers other than ids and truth values.
    fn has_order(&self, field: usize) -> bool {
        let facts = self.field(field);
        (self.is_number(field) && facts.truth.is_none() && !facts.is_identifier)
            || self.kind(field) == FieldKind::Date
    }

    /// Returns the numeric field that an item names, one of the adjective's concepts first.
    fn choose_ranked(&mut self, at: usize, concepts: &[String]) -> Option<usize> {
        let numeric = |r: &Self, f: usize| r.has_order(f);
        let fits = |r: &Self, f: usize| {
            numeric(r, f)
                && r.field(f).words.iter().any(|word| {
                    word.concepts
                        .iter()
                        .any(|c| concepts.iter().any(|own| own == c))
                })
        };
        if !concepts.is_empty() && self.peek(at, fits).is_some() {
            return self.choose(at, fits);
        }
        self.choose(at, numeric)
    }

    /// Returns whether an item is the whole name of a field of texts, and part of that of numbers.
    fn names_text_in_full(&self, at: usize) -> bool {
        let fields = &self.items[at].fields;
        let is_text = |field: usize| self.kind(field) == FieldKind::Text;
        let mut full = fields
            .iter()
            .filter(|found| found.is_full)
            .map(|found| found.field);
        let numbers = fields.iter().filter(|found| self.is_number(found.field));
        full.any(is_text) && numbers.into_iter().all(|found| !found.is_full)
    }

    /// Returns whether a noun follows that `most` counts.
    pub(super) fn counts_a_noun(&self, at: usize) -> bool {
        let place = self.skip_roles(at, &[Role::Stop, Role::Of, Role::All]);
        let is_noun = |item: &Item| {
            item.has(Role::Generic)
                || !item.fields.is_empty()
                || item.is_open()
                || item.looked_up.is_some()
        };
        self.items
            .get(place)
            .is_some_and(|item| is_noun(item) && !self.breaks(place))
    }

    fn score_of(&self, at: usize, field: usize) -> u32 {
        let found = self.items[at]
            .fields
            .iter()
            .find(|found| found.field == field);
        found.map_or(0, |found| found.score)
    }
}
