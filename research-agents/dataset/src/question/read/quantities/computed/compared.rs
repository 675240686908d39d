//! Reads two numbers of each record that are compared: *more deaths than births*, *fewer
//! inhabitants in 2015 than in 1980*.

use std::collections::HashMap;

use crate::data::filters::operation::Operation;
use crate::question::read::cut::field::Field;
use crate::question::read::quantities::computed::asked::{Asks, Computed};
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::Sign;

/// Items between the two sides of a comparison and what compares them.
const NEAR: usize = 6;

/// Words before the second side of a comparison.
const BEFORE: &[Role] = &[Role::Stop, Role::Of, Role::Is, Role::In, Role::HowMany];

/// The concept of what grows and shrinks where a question does not say it.
const GROWS: &str = "population";

impl Reader<'_, '_, '_> {
    /// Finds two numbers of each record that are compared: *more deaths than births*, *the close
    /// was lower than the open*.
    pub(super) fn fields_compared(&self) -> Option<Computed> {
        let is_than =
            |at: &usize| self.has_any(*at, &[Role::Than, Role::Above, Role::Below, Role::Exactly]);
        if self.aggregates() || !self.selects_records() {
            return None;
        }

        (1..self.len()).filter(is_than).find_map(|than| {
            let is_equal = self.has(than, Role::Exactly);
            let compared = self.comparison_at(than).filter(|_| !is_equal);
            let (sign, start) = match compared {
                Some((sign, start, _)) => (sign, start),
                None if is_equal => (Sign::Equal, than),
                None => return None,
            };
            let behind = self.skip_roles(than + 1, BEFORE);
            let others = self.numbers_named(behind);

            // `more deaths than births`, `the close was lower than the open`.
            let before = (start.saturating_sub(NEAR)..than).rev();
            let mut before = before.take_while(|at| !self.breaks(at + 1));
            let (at, (from, other), is_only) = before.find_map(|at| {
                let (pair, is_only) = self.pair_of(&self.numbers_named(at), &others)?;
                Some((at, pair, is_only))
            })?;
            // `the guests scored more goals`: both words name it.
            let names_it = |before: &usize| self.numbers_named(*before) == [from];
            let at = (start.saturating_sub(NEAR)..at)
                .find(names_it)
                .unwrap_or(at);
            Some(Computed {
                from,
                operation: Operation::Minus,
                other,
                items: at.min(start)..behind + 1,
                is_only,
                asks: Asks::Sign(sign),
            })
        })
    }

    /// Returns the numbers of the two sides of a comparison, and whether no other pair fits as
    /// well: those whose names have a word in common go together, as the runs of *fewer runs than
    /// they allowed*.
    fn pair_of(&self, froms: &[usize], others: &[usize]) -> Option<((usize, usize), bool)> {
        let have_common = |&(from, other): &(usize, usize)| {
            let stems = |field: usize| self.field(field).words.iter().map(|word| &word.stem);
            stems(from).any(|stem| stems(other).any(|own| own == stem))
        };
        let pairs = froms.iter().flat_map(|from| {
            let others = others.iter().filter(move |other| *other != from);
            others.map(move |other| (*from, *other))
        });
        let pairs: Vec<(usize, usize)> = pairs.collect();

        let common: Vec<(usize, usize)> = pairs.iter().copied().filter(have_common).collect();
        let fitting = if common.is_empty() { pairs } else { common };
        Some((*fitting.first()?, fitting.len() == 1))
    }

    /// Returns whether a question asks for a statistic.
    fn aggregates(&self) -> bool {
        const STATISTICS: &[Role] = &[Role::Mean, Role::Median, Role::Sum, Role::Max, Role::Min];
        // `overall` may be a field.
        let is_field = |at: usize| self.items[at].fields.iter().any(|found| found.is_full);
        (0..self.len()).any(|at| self.has_any(at, STATISTICS) && !is_field(at))
    }

    /// Returns whether a question counts, lists or shares out records.
    pub(super) fn selects_records(&self) -> bool {
        // *Over the whole period, did A sell better than B?*
        let is_asked = |at: usize| self.has(at, Role::HowMuch);
        let is_tested = |at: usize| at > 0 && self.breaks(at) && self.has(at, Role::Is);
        !(0..self.len()).any(|at| is_asked(at) || is_tested(at)) && !self.is_yes_no()
    }

    /// Finds a number that has a column for each of two years: *had fewer inhabitants in 2015 than
    /// in 1980*, *grew the most between 2016 and 2021*.
    pub(super) fn years_apart(&self) -> Option<Computed> {
        let mut said = (0..self.len()).filter_map(|at| Some((at, self.year_said(at)?)));
        let ((first, one), (second, two)) = (said.next()?, said.next()?);
        if said.next().is_some() || one == two {
            return None;
        }
        let (from, other) = self.columns_of_years(one, two)?;

        let changes = |at: usize| match () {
            () if self.has(at, Role::Rise) => Some(true),
            () if self.has(at, Role::Fall) || self.says(at, "defeat") => Some(false),
            () => None,
        };
        let change = (0..self.len()).find_map(|at| Some((at, changes(at)?)));
        let than = (first + 1..second).find(|at| self.has(*at, Role::Than));
        let compared = than.and_then(|than| self.comparison_at(than));
        if let Some((sign, start, _)) = compared.filter(|_| self.selects_records()) {
            return Some(Computed {
                from,
                operation: Operation::Minus,
                other,
                items: start.min(first)..second + 1,
                is_only: true,
                asks: Asks::Sign(sign),
            });
        }

        let (at, rises) = change?;
        // What was later is compared with what was earlier.
        let is_later_first = one > two;
        let (from, other) = if is_later_first {
            (from, other)
        } else {
            (other, from)
        };
        let items = at.min(first)..second.max(at) + 1;
        let asks_much = (0..self.len()).any(|at| self.has_any(at, &[Role::HowMuch, Role::Mean]));
        let is_share = (0..self.len()).any(|at| self.has(at, Role::Share));
        let mut operation = Operation::Minus;
        let asks = match self.extreme_or_measure(rises)? {
            // What grows the most in percent is the most times larger.
            asks @ Asks::Extreme { .. } if is_share => {
                operation = Operation::Over;
                asks
            }
            Asks::Measure(_) if !asks_much && self.selects_records() => {
                Asks::Sign(if rises { Sign::Above } else { Sign::Below })
            }
            Asks::Measure(_) if !asks_much || is_share => return None,
            asks => asks,
        };
        Some(Computed {
            from,
            operation,
            other,
            items,
            is_only: true,
            asks,
        })
    }

    /// Returns the year that an item is or ends with.
    pub(super) fn year_said(&self, at: usize) -> Option<i32> {
        let last = self.items.get(at)?.end.checked_sub(1)?;
        year(self.tokens.get(last)?.text)
    }

    /// Returns the columns of two years of the number that the question names; of the only number
    /// with both, where it names none.
    fn columns_of_years(&self, one: i32, two: i32) -> Option<(usize, usize)> {
        let mut families: HashMap<String, HashMap<i32, usize>> = HashMap::new();
        for (at, field) in self.schema.fields.iter().enumerate() {
            if let Some((family, year)) = family_of(field).filter(|_| self.is_quantity(at)) {
                families.entry(family).or_default().insert(year, at);
            }
        }
        let both = |years: &HashMap<i32, usize>| Some((*years.get(&one)?, *years.get(&two)?));
        let mut pairs: Vec<(usize, usize)> = families.values().filter_map(both).collect();
        pairs.sort_unstable();

        let score = |field: usize| {
            let matches = self.items.iter().flat_map(|item| &item.fields);
            let of_field = matches.filter(|found| found.field == field);
            of_field.map(|found| found.score).max().unwrap_or_default()
        };
        let best = pairs.iter().map(|pair| score(pair.0)).max()?;
        let fitting: Vec<_> = pairs
            .into_iter()
            .filter(|pair| score(pair.0) == best)
            .collect();
        let grows = |pair: &&(usize, usize)| {
            let mut words = self.field(pair.0).words.iter();
            words.any(|word| word.concepts.contains(&GROWS))
        };
        match fitting.as_slice() {
            [only] => Some(*only),
            several => {
                let mut usual = several.iter().filter(grows);
                usual
                    .next()
                    .copied()
                    .filter(|_| best == 0 && usual.next().is_none())
            }
        }
    }
}

/// Returns the name of a field without the year in it, and the year.
fn family_of(field: &Field<'_>) -> Option<(String, i32)> {
    let name = &field.facts.name;
    let is_digit = |c: char| c.is_ascii_digit();
    let runs = name
        .split(|c: char| !is_digit(c))
        .filter(|run| !run.is_empty());
    let mut years = runs.filter_map(|run| Some((run, year(run)?)));
    let (run, year) = years.next().filter(|_| years.next().is_none())?;
    Some((name.replacen(run, "", 1), year))
}

/// Returns the year that a word is.
fn year(word: &str) -> Option<i32> {
    let year = word.parse().ok().filter(|_| word.len() == 4)?;
    (1000..2200).contains(&year).then_some(year)
}
