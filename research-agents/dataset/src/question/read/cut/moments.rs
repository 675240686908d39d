//! Times as questions write them: days, months, quarters, years and decades.

use crate::question::interpret::dates::calendar::{Moment, Part};
use crate::question::read::words::tokens::Token;
use crate::question::read::words::vocabulary::{Entry, Role, Vocabulary};

/// The words of a question, in which times are found.
pub(crate) struct Times<'t, 'q> {
    pub(crate) tokens: &'t [Token<'q>],
    pub(crate) vocabulary: &'t Vocabulary,
}

impl Times<'_, '_> {
    fn entry(&self, at: usize) -> Option<&Entry> {
        let word = &self.tokens.get(at)?.lower;
        Some(
            self.vocabulary
                .longest_at(|k| (k == 0).then_some(word.as_str()))?
                .0,
        )
    }

    fn has(&self, at: usize, role: Role) -> bool {
        self.entry(at)
            .is_some_and(|entry| entry.roles.contains(&role))
    }

    /// Returns the time at a word, and how many words it has.
    pub(crate) fn at(&self, at: usize) -> Option<(Moment, usize)> {
        let (moment, end) = self
            .in_figures(at)
            .or_else(|| self.month_first(at))
            .or_else(|| self.day_first(at))
            .or_else(|| self.quarter(at))
            .or_else(|| self.decade(at))
            .or_else(|| {
                self.year(at)
                    .map(|year| (Moment::new(Some(year), Part::Year), at + 1))
            })?;
        Some((moment, end - at))
    }

    fn digits(&self, at: usize, most: usize) -> Option<u32> {
        let text = self.tokens.get(at)?.text;
        let is_number = text.len() <= most && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().ok())?
    }

    /// Returns four digits that may be a year.
    fn year(&self, at: usize) -> Option<i32> {
        let text = self.tokens.get(at)?.text;
        (text.len() == 4)
            .then(|| text.parse().ok())?
            .filter(|year| (1000..=2999).contains(year))
    }

    /// Reads `2024-06-03`, `2024-06`, `3.6.2024` and `6/3/2024`.
    fn in_figures(&self, at: usize) -> Option<(Moment, usize)> {
        let token = self.tokens.get(at)?;
        let number = |text: &str| text.parse::<u32>().ok().filter(|_| text.len() <= 2);
        let checked = |year: i32, month: u32, day: Option<u32>| {
            let part = day.map_or(Part::Months(month, 1), |day| Part::Day(month, day));
            let moment = Moment::new(Some(year), part);
            ((1..=12).contains(&month) && moment.period().is_some()).then_some(moment)
        };

        let dashed: Vec<&str> = token.text.split('-').collect();
        if let [year, month, rest @ ..] = dashed.as_slice() {
            let day = rest.first().map(|day| number(day));
            let day = day.map_or(Some(None), |day| day.map(Some))?;
            return Some((checked(year.parse().ok()?, number(month)?, day)?, at + 1));
        }

        let dotted: Vec<&str> = token.text.split('.').collect();
        if let [day, month, year] = dotted.as_slice()
            && year.len() == 4
        {
            let moment = checked(year.parse().ok()?, number(month)?, Some(number(day)?))?;
            return Some((moment, at + 1));
        }

        let is_slashed = |at: usize| self.tokens.get(at).is_some_and(|token| token.gap == "/");
        if is_slashed(at + 1) && is_slashed(at + 2) {
            let (first, second) = (self.digits(at, 2)?, self.digits(at + 1, 2)?);
            let year = self.year(at + 2)?;
            let is_month_first = self.vocabulary.code == "en" && first <= 12;
            let (day, month) = if is_month_first {
                (second, first)
            } else {
                (first, second)
            };
            return Some((checked(year, month, Some(day))?, at + 3));
        }
        None
    }

    /// Returns the month at a word. Words that are also verbs need a capital or a preposition.
    fn month(&self, at: usize) -> Option<u32> {
        let month = self.entry(at)?.month?;
        let token = &self.tokens[at];
        let is_doubtful = matches!(
            token.lower.as_str(),
            "may" | "march" | "mar" | "sept" | "set"
        );

        let is_dated = token.is_capital() && !token.opens
            || self.year(at + 1).is_some()
            || at.checked_sub(1).is_some_and(|before| {
                [
                    Role::In,
                    Role::Since,
                    Role::Before,
                    Role::After,
                    Role::Until,
                    Role::From,
                ]
                .iter()
                .any(|role| self.has(before, *role))
                    || self.tokens[before].is_number()
            });
        (!is_doubtful || is_dated).then_some(month)
    }

    /// Returns the place after `of`, `de` and the like.
    fn after_of(&self, at: usize) -> usize {
        at + usize::from(self.has(at, Role::Of))
    }

    /// Reads `March 1995`, `March 5, 1995` and `March`.
    fn month_first(&self, at: usize) -> Option<(Moment, usize)> {
        let month = self.month(at)?;
        let after = self.after_of(at + 1);
        if let Some(year) = self.year(after) {
            return Some((Moment::new(Some(year), Part::Months(month, 1)), after + 1));
        }
        let is_near = self
            .tokens
            .get(at + 1)
            .is_some_and(|token| token.gap.trim().is_empty());

        if is_near
            && self.vocabulary.code == "en"
            && let Some((day, end)) = self.day(at + 1)
        {
            let year = self.year(end);
            let moment = Moment::new(year, Part::Day(month, day));
            if moment.in_year(year.unwrap_or(2000)).period().is_some() {
                return Some((moment, end + usize::from(year.is_some())));
            }
        }
        Some((Moment::new(None, Part::Months(month, 1)), at + 1))
    }

    /// Reads `5 March 1995`, `3. März` and `3 de marzo de 1995`.
    fn day_first(&self, at: usize) -> Option<(Moment, usize)> {
        let (day, end) = self.day(at)?;
        let place = self.after_of(end);
        let is_near = matches!(self.tokens.get(place)?.gap.trim(), "" | ".");
        let month = self.entry(place)?.month.filter(|_| is_near)?;
        let after = self.after_of(place + 1);
        let year = self.year(after);
        let moment = Moment::new(year, Part::Day(month, day));
        moment.in_year(year.unwrap_or(2000)).period()?;
        Some((moment, if year.is_some() { after + 1 } else { place + 1 }))
    }

    fn day(&self, at: usize) -> Option<(u32, usize)> {
        let day = self.digits(at, 2).filter(|day| (1..=31).contains(day))?;
        let suffix = self.tokens.get(at + 1).is_some_and(|token| {
            token.gap.is_empty() && matches!(token.lower.as_str(), "st" | "nd" | "rd" | "th" | "er")
        });
        Some((day, at + 1 + usize::from(suffix)))
    }

    /// Reads `Q1 2024`, `2024 Q1` and `first quarter of 2024`.
    fn quarter(&self, at: usize) -> Option<(Moment, usize)> {
        let short = |at: usize| match self.tokens.get(at)?.lower.as_bytes() {
            [b'q', digit @ b'1'..=b'4'] => Some(u32::from(digit - b'0')),
            _ => None,
        };
        let months = |number: u32| Part::Months(3 * number - 2, 3);
        if let Some(number) = short(at) {
            let after = self.after_of(at + 1);
            return Some(match self.year(after) {
                Some(year) => (Moment::new(Some(year), months(number)), after + 1),
                None => (Moment::new(None, months(number)), at + 1),
            });
        }
        if let (Some(year), Some(number)) = (self.year(at), short(at + 1)) {
            return Some((Moment::new(Some(year), months(number)), at + 2));
        }

        let ordinal = self
            .entry(at)?
            .ordinal
            .filter(|number| (1..=4).contains(number))?;
        if !self.has(at + 1, Role::Quarter) {
            return None;
        }
        let after = self.after_of(at + 2);
        let year = self.year(after)?;
        Some((Moment::new(Some(year), months(ordinal)), after + 1))
    }

    /// Reads `the 1990s`, `90s`, `1990er Jahre`, `années 1990` and `años 90`.
    fn decade(&self, at: usize) -> Option<(Moment, usize)> {
        let decade = |at: usize| {
            let number = self.digits(at, 4).filter(|number| number % 10 == 0)?;
            let text = self.tokens[at].text;
            let year = match (text.len(), number) {
                (4, 1000..=2990) => number,
                (2, 30..=90) => 1900 + number,
                (2, _) => 2000 + number,
                _ => return None,
            };
            Some(Moment::new(i32::try_from(year).ok(), Part::Decade))
        };

        let is_suffixed = self.tokens.get(at + 1).is_some_and(|token| {
            token.gap.trim_matches(['\'', '’']).is_empty()
                && matches!(token.lower.as_str(), "s" | "er" | "ern")
        });
        if is_suffixed {
            let moment = decade(at)?;
            return Some((moment, at + 2 + usize::from(self.has(at + 2, Role::Year))));
        }
        if self.has(at, Role::Decade) && self.vocabulary.code != "en" {
            let place = self.after_of(at + 1);
            return Some((decade(place)?, place + 1));
        }
        None
    }
}
