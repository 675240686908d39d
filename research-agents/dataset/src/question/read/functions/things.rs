//! Reads numbers that count things: what each record says of how many there were, such as murders
//! of a year or students of a school.

use research_agents_report::claim::Statistic;

use crate::question::lexicon::is_plural;
use crate::question::read::cut::field::NameWord;
use crate::question::read::reader::Reader;
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::units::{is_area, unit};

/// Words of a name that say that a field counts what its other words name.
const COUNTING: [&str; 12] = [
    "count",
    "number",
    "num",
    "no",
    "nr",
    "n",
    "total",
    "population",
    "of",
    "people",
    "all",
    "qty",
];

/// Concepts of numbers that count no things.
const NOT_COUNTED: [&str; 34] = [
    "age",
    "year",
    "date",
    "month",
    "time",
    "duration",
    "length",
    "distance",
    "height",
    "width",
    "depth",
    "thickness",
    "area",
    "size",
    "weight",
    "price",
    "rating",
    "speed",
    "temperature",
    "rank",
    "latitude",
    "longitude",
    "density",
    "rate",
    "expectancy",
    "mortality",
    "fertility",
    "pressure",
    "brightness",
    "strength",
    "power",
    "quality",
    "place",
    "phone",
];

/// The highest number of a field of counts at least: what one thing has a few of, as cylinders,
/// describes it.
const MANY: f64 = 20.0;

impl Reader<'_, '_, '_> {
    /// Returns whether the name of a field says that it counts what its other words name.
    pub(crate) fn is_called_count(&self, field: usize) -> bool {
        let words = &self.field(field).words;
        words
            .iter()
            .any(|word| COUNTING.contains(&word.lower.as_str()))
    }

    /// Returns the number of words of a name that say what is counted, and not that it is.
    pub(crate) fn counted_words(&self, field: usize) -> usize {
        let says = |word: &&NameWord| {
            let is_participle = word.lower.len() > 4 && word.lower.ends_with("ed");
            let is_counting = COUNTING.contains(&word.lower.as_str());
            let is_unit = unit(&word.lower).is_some() || is_area(&word.lower);
            !word.is_filler && !is_participle && !is_counting && !is_unit
        };
        self.field(field).words.iter().filter(says).count()
    }

    /// Returns whether the records of a field each say how many there were of something: whole
    /// numbers from zero on that measure nothing else.
    pub(crate) fn counts_things(&self, field: usize) -> bool {
        let facts = self.field(field);
        let known = concepts();
        let measures = facts.words.iter().any(|word| {
            known.is_intensive(&word.stem)
                || word.concepts.iter().any(|one| NOT_COUNTED.contains(one))
                || matches!(
                    word.lower.as_str(),
                    "id" | "code" | "index" | "change" | "per"
                )
        });

        let range = facts.facts.range.as_ref();
        // `Number of Ports` counts them, however few there are.
        let is_called = facts
            .words
            .iter()
            .any(|word| matches!(word.lower.as_str(), "number" | "num" | "count" | "qty"));
        let is_many = range.is_some_and(|(low, high)| {
            low.is_i64()
                && high.is_i64()
                && low.as_f64().is_some_and(|low| low >= 0.0)
                && high.as_f64().is_some_and(|high| high >= MANY || is_called)
        });
        self.is_quantity(field)
            && facts.years.is_none()
            && facts.unit.is_none()
            && is_many
            && !measures
    }

    /// Returns whether a field counts what an item says: *murders* of `murder`, *students* of
    /// `student_population`.
    pub(crate) fn counts_what_is_said(&self, at: usize, field: usize) -> bool {
        let item = &self.items[at];
        let tokens = &self.tokens[item.start..item.end];
        let is_said = |word: &NameWord| {
            tokens.iter().any(|token| {
                let said = concepts().of(&token.lower, &token.stem, &token.own_stem);
                token.stem == word.stem
                    || token.own_stem == word.stem
                    || said.iter().any(|one| word.concepts.contains(one))
            })
        };

        let words = &self.field(field).words;
        let names = item.fields.iter().any(|found| found.field == field);
        // `flight_number` numbers the flights, `number of flights` counts them.
        let is_numbering = words.len() > 1
            && words.last().is_some_and(|last| {
                matches!(last.lower.as_str(), "number" | "num" | "no" | "nr" | "n")
            });
        names
            && !is_numbering
            && self.counts_things(field)
            && words
                .iter()
                .any(|word| !COUNTING.contains(&word.lower.as_str()) && is_said(word))
            && words.iter().all(|word| {
                word.is_filler || COUNTING.contains(&word.lower.as_str()) || is_said(word)
            })
    }

    /// Returns where the words for a number that a field holds end: a noun behind the name of the
    /// field only says what is counted, as in *gold medals* of a field `gold`.
    pub(crate) fn counted_end(&self, at: usize) -> usize {
        let behind = at + 1;
        let is_named = self.items[at].fields.first().is_some_and(|best| {
            let facts = self.field(best.field);
            best.is_full && self.is_quantity(best.field) && facts.words.len() == 1
        });
        let is_noun = self.items.get(behind).is_some_and(|item| {
            let has_place = item.looked_up.is_some_and(|entry| {
                let found = &self.found.entries[entry];
                !found.candidates.is_empty() || !found.mentions.is_empty()
            });
            item.is_open() && !item.used && !item.is_quoted && !has_place
        });
        let is_joined = is_noun && !self.breaks(behind) && !self.negated[behind];
        behind + usize::from(is_named && is_joined && is_plural(self.lower(behind)))
    }

    /// Reads `homicides in Ashfield, all years together`: a phrase that names what a field counts
    /// asks for its sum over the records that its other words select.
    pub(crate) fn read_counted_phrase(&mut self) -> bool {
        let selects = !self.out.filters.is_empty();
        let is_free = self.out.measures.is_empty() && self.out.group_by.is_empty();
        if !selects || !is_free || self.out.order.is_some() {
            return false;
        }
        let named: Vec<(usize, usize)> = (0..self.len())
            .filter(|at| !self.items[*at].used && !self.negated[*at])
            .filter_map(|at| {
                let counts = |r: &Self, f: usize| r.counts_what_is_said(at, f);
                self.peek(at, counts).map(|field| (at, field))
            })
            .collect();
        let [(at, _)] = named[..] else {
            return false;
        };

        let Some(field) = self.choose(at, |r, f| r.counts_what_is_said(at, f)) else {
            return false;
        };
        self.add_measure(Statistic::Sum, field);
        self.asked.is_measure_assumed = true;
        let said = self.said(at, at + 1).to_owned();
        let gives = format!("the sum of {}", self.name(field));
        self.derive(&said, &gives);
        self.take(at, at + 1);
        true
    }
}
