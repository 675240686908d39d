//! Finds the times that a question names: a day, a month, a quarter or a year, a range of them, or
//! several.

use crate::question::interpret::dates::calendar::{Moment, Part, share_year};
use crate::question::interpret::reader::Reader;
use crate::question::lexicon;

/// Words before a month without a year. After one of them, `may` and `march` are months too.
const IN: &[&str] = &[
    "in", "since", "until", "till", "from", "during", "between", "before", "after", "through",
];

/// Words before any other part of a year without a year.
const NEAR: &[&str] = &[
    "to", "of", "on", "by", "and", "or", "early", "late", "mid", "last", "each", "every",
];

const ORDINALS: [&str; 10] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
];

/// Four digits in this range are a year where nothing else claims them.
pub(crate) const SIZED: std::ops::RangeInclusive<i32> = 1800..=2100;

/// Times that a question names together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) moments: Vec<Moment>,
    /// From the first to the second one, and not the one or the other.
    pub(crate) is_range: bool,
    /// One past their last word.
    pub(crate) end: usize,
}

impl Reader<'_, '_> {
    /// Returns the times at a word. `opens`: a word such as `between` before them announces a
    /// range.
    pub(crate) fn times(&self, index: usize, opens: bool) -> Option<Times> {
        if let Some(times) = self.days_of_one_month(index) {
            return Some(times);
        }

        let (first, end) = self.moment(index)?;
        let second = |at: usize| {
            self.moment(self.after_edge(at))
                .or_else(|| self.day_of_the_month_before(first, at))
        };
        if let Some((second, end)) = self.joins_range(end, opens).and_then(second) {
            // `from June to 2024` and `from 2019 to June` leave open which year the month is of.
            let fits = if first.year.is_some() {
                second.year.is_some() || first.recurs()
            } else {
                second.recurs()
            };
            let (first, second) = share_year(first, second);
            if fits && (first.year.is_some() || !self.may_be_a_verb(index) || self.is_dated(index))
            {
                return Some(Times {
                    moments: vec![first, second],
                    is_range: true,
                    end,
                });
            }
        }

        let mut times = Times {
            moments: vec![first],
            is_range: false,
            end,
        };
        while let Some((next, end)) = self.joins_list(times.end).and_then(|at| self.moment(at)) {
            let is_number =
                next.is_bare_year() && !next.year.is_some_and(|year| SIZED.contains(&year));
            if next.recurs() != first.recurs() || is_number {
                break;
            }
            times.moments.push(next);
            times.end = end;
        }

        // `in June and August 2024`: the last one says the year of those before it.
        let mut year = times.moments.iter().rev().find_map(|moment| moment.year);
        for moment in times.moments.iter_mut().rev() {
            year = moment.year.or(year);
            moment.year = year;
        }

        let dated =
            times.moments[0].year.is_some() || times.moments.len() > 1 || self.is_dated(index);

        dated.then_some(times)
    }

    /// Reads days such as `3 to 10 June 2024`.
    fn days_of_one_month(&self, index: usize) -> Option<Times> {
        let (day, end) = self.day_at(index)?;
        let (second, end) = self.moment(self.joins_range(end, true)?)?;
        let Part::Day(month, last) = second.part else {
            return None;
        };
        let first = Moment::new(second.year, Part::Day(month, day));
        (day < last).then(|| Times {
            moments: vec![first, second],
            is_range: true,
            end,
        })
    }

    /// Returns the second day of `June 3 to 10, 2024`.
    fn day_of_the_month_before(&self, first: Moment, index: usize) -> Option<(Moment, usize)> {
        let Part::Day(month, before) = first.part else {
            return None;
        };
        let (day, end) = self.day_at(index).filter(|(day, _)| *day > before)?;
        let year = self.year_at(end);
        Some((
            Moment::new(year.or(first.year), Part::Day(month, day)),
            end + usize::from(year.is_some()),
        ))
    }

    /// Returns where the second end of a range begins, if a range continues at a word.
    fn joins_range(&self, end: usize, opens: bool) -> Option<usize> {
        let word = self.lower(end);
        if matches!(self.gap(end).trim(), "-" | "–" | "—") {
            Some(end)
        } else if word == "up" && self.lower(end + 1) == "to" {
            Some(end + 2)
        } else if matches!(word, "to" | "through" | "thru" | "until" | "till")
            || (opens && word == "and")
        {
            Some(end + 1)
        } else {
            None
        }
    }

    /// Returns where the next of several times begins, if one follows.
    fn joins_list(&self, end: usize) -> Option<usize> {
        let comma = matches!(self.gap(end).trim(), "," | "/" | "&");
        let joins = matches!(self.lower(end), "and" | "or" | "versus" | "vs" | "against");
        match (comma, joins) {
            (_, true) => Some(end + 1 + usize::from(self.lower(end + 1) == "in")),
            (true, false) => Some(end),
            (false, false) => None,
        }
    }

    /// Skips `the end of`, which adds nothing to the second time of a range, and `the`.
    fn after_edge(&self, index: usize) -> usize {
        let at = index + usize::from(self.lower(index) == "the");
        if self.lower(at) == "end" && self.lower(at + 1) == "of" {
            at + 2
        } else {
            at
        }
    }

    /// Returns whether a word before a part of a year shows that it is one, where no year does.
    fn is_dated(&self, index: usize) -> bool {
        let before = |back: usize| index.checked_sub(back).map_or("", |at| self.lower(at));
        // No article precedes a month.
        let is_month = lexicon::month(self.lower(index)).is_some();
        let word = if before(1) == "the" && !is_month {
            before(2)
        } else {
            before(1)
        };
        IN.contains(&word) || (!self.may_be_a_verb(index) && NEAR.contains(&word))
    }

    fn may_be_a_verb(&self, index: usize) -> bool {
        matches!(self.lower(index), "may" | "march")
    }

    /// Returns the time at a word, and where it ends.
    pub(crate) fn moment(&self, index: usize) -> Option<(Moment, usize)> {
        let text = self.words.get(index)?.text;
        written_in_figures(text)
            .map(|moment| (moment, index + 1))
            .or_else(|| self.month_or_day(index))
            .or_else(|| self.day_and_month(index))
            .or_else(|| self.part_of_year(index))
            .or_else(|| self.year_or_decade(index))
    }

    /// Reads `March 1995`, `March 5, 1995`, `March 5th` or `March`.
    fn month_or_day(&self, index: usize) -> Option<(Moment, usize)> {
        let month = lexicon::month(self.lower(index))?;
        let of = usize::from(self.lower(index + 1) == "of");
        if let Some(year) = self.year_at(index + 1 + of) {
            return Some((
                Moment::new(Some(year), Part::Months(month, 1)),
                index + 2 + of,
            ));
        }
        if let Some((day, end)) = self.day_at(index + 1).filter(|_| !self.breaks(index + 1)) {
            let year = self.year_at(end);
            let moment = Moment::new(year, Part::Day(month, day));
            // The days of February depend on the year.
            if moment.in_year(year.unwrap_or(2000)).period().is_some() {
                return Some((moment, end + usize::from(year.is_some())));
            }
        }
        Some((Moment::new(None, Part::Months(month, 1)), index + 1))
    }

    /// Reads `5 March 1995`, `5th of March` or `fifth of March`.
    fn day_and_month(&self, index: usize) -> Option<(Moment, usize)> {
        let in_words = || {
            let day = ORDINALS
                .iter()
                .position(|ordinal| *ordinal == self.lower(index))?
                + 1;
            (self.lower(index + 1) == "of").then_some((u32::try_from(day).ok()?, index + 1))
        };
        let (day, end) = self.day_at(index).or_else(in_words)?;
        let at = end + usize::from(self.lower(end) == "of");
        let month = lexicon::month(self.lower(at)).filter(|_| !self.breaks(at))?;
        let year = self.year_at(at + 1);
        let moment = Moment::new(year, Part::Day(month, day));
        let exists = moment.in_year(year.unwrap_or(2000)).period().is_some();
        exists.then_some((moment, at + 1 + usize::from(year.is_some())))
    }

    /// Reads `the first quarter of 2024`, `Q1 2024`, `second half of 2024` or `2024 Q1`. An ordinal
    /// needs its year.
    fn part_of_year(&self, index: usize) -> Option<(Moment, usize)> {
        let (part, end, is_ordinal) = self.quarter_or_half(index)?;
        let at = end + usize::from(self.lower(end) == "of");
        match self.year_at(at).filter(|_| !self.breaks(at)) {
            Some(year) => Some((Moment::new(Some(year), part), at + 1)),
            None if is_ordinal && self.joins_range(end, true).is_none() => None,
            None => Some((Moment::new(None, part), end)),
        }
    }

    fn quarter_or_half(&self, index: usize) -> Option<(Part, usize, bool)> {
        let parts = |kind: char, number: u32| match (kind, number) {
            ('q', 1..=4) => Some(Part::Months(3 * number - 2, 3)),
            ('h', 1..=2) => Some(Part::Months(6 * number - 5, 6)),
            _ => None,
        };
        let word = self.lower(index);
        if let [kind @ (b'q' | b'h'), number @ b'1'..=b'4'] = word.as_bytes() {
            return Some((
                parts(char::from(*kind), u32::from(number - b'0'))?,
                index + 1,
                false,
            ));
        }

        let ordinal = ORDINALS
            .iter()
            .position(|ordinal| *ordinal == word)
            .and_then(|at| u32::try_from(at + 1).ok());
        let (number, end) = match ordinal {
            Some(number) => (number, index + 1),
            None if word == "last" => (4, index + 1),
            None => self.day_at(index).filter(|(_, end)| *end == index + 2)?,
        };
        let part = match self.lower(end) {
            "quarter" => parts('q', number),
            "half" if word == "last" => parts('h', 2),
            "half" => parts('h', number),
            _ => None,
        };

        Some((part?, end + 1, true))
    }

    fn year_or_decade(&self, index: usize) -> Option<(Moment, usize)> {
        let year = self.year_at(index)?;
        if self.lower(index + 1) == "s" && self.gap(index + 1).is_empty() {
            return Some((Moment::new(Some(year), Part::Decade), index + 2));
        }
        // `2024 Q1`
        match self.quarter_or_half(index + 1) {
            Some((part, end, false)) => Some((Moment::new(Some(year), part), end)),
            _ => Some((Moment::new(Some(year), Part::Year), index + 1)),
        }
    }

    /// Returns four digits that may be a year.
    pub(crate) fn year_at(&self, index: usize) -> Option<i32> {
        let text = self.words.get(index)?.text;
        (text.len() == 4)
            .then(|| text.parse().ok())?
            .filter(|year| (1000..=2999).contains(year))
    }

    /// Returns the day of a month, `3` or `3rd`, and where it ends.
    fn day_at(&self, index: usize) -> Option<(u32, usize)> {
        let day = self
            .words
            .get(index)?
            .text
            .parse::<u32>()
            .ok()
            .filter(|day| (1..=31).contains(day))?;
        let suffix = matches!(self.lower(index + 1), "st" | "nd" | "rd" | "th")
            && self.gap(index + 1).is_empty();
        Some((day, index + 1 + usize::from(suffix)))
    }
}

/// Reads `2024-06-03`, `2024-06` or `3.6.2024`.
fn written_in_figures(text: &str) -> Option<Moment> {
    let number = |part: &str| part.parse::<u32>().ok().filter(|_| part.len() <= 2);
    let is_month = |month: &u32| (1..=12).contains(month);
    let (year, month, day) = match text.split('-').collect::<Vec<_>>().as_slice() {
        [year, month] => (*year, number(month)?, None),
        [year, month, day] => (*year, number(month)?, Some(number(day)?)),
        _ => match text.split('.').collect::<Vec<_>>().as_slice() {
            [day, month, year] if year.len() == 4 => (*year, number(month)?, Some(number(day)?)),
            _ => return None,
        },
    };
    let part = day.map_or(Part::Months(month, 1), |day| Part::Day(month, day));
    let moment = Moment::new(Some(year.parse().ok()?), part);
    (is_month(&month) && moment.period().is_some()).then_some(moment)
}
