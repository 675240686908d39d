//! Reads the grouping that a question asks for: `by wildlife size`, `per state and year`, `which
//! species`, `over time`.

use crate::data::task::FieldKind;
use crate::question::interpret::dates::default_interval;
use crate::question::interpret::interpretation::Histogram;
use crate::question::interpret::phrase::Phrase;
use crate::question::interpret::reader::Reader;
use crate::question::lexicon;

impl Reader<'_, '_> {
    /// Reads all groupings and courses of time in the question.
    pub(crate) fn read_groupings(&mut self) {
        self.take_rankings();
        for index in 0..self.words.len() {
            if self.taken[index] {
                continue;
            }

            // Cues of a course of time come first, because `by` in `by year` is also a grouping.
            let word = self.lower(index);
            if let Some(end) = self.over_time(index) {
                self.want_trend(index, end);
            } else if lexicon::asks_for_trend(word) {
                self.want_trend(index, index + 1);
            } else if lexicon::is_adverb_of_interval(word) {
                self.read_interval(index, index, false);
            } else if lexicon::is_grouping(word)
                || (word == "of"
                    && index > 0
                    && lexicon::is_grouping_with_of(self.lower(index - 1)))
            {
                self.read_group_after(index);
            }
        }
    }

    /// Takes the number of `top 5` and `5 most …`: it limits a list and is not a condition.
    fn take_rankings(&mut self) {
        for index in 0..self.words.len() {
            let ranks = |word: &str| matches!(word, "top" | "first" | "best" | "worst" | "last");
            let before = index > 0 && ranks(self.lower(index - 1));
            let after = matches!(
                self.lower(index + 1),
                "most" | "largest" | "biggest" | "least" | "highest" | "lowest"
            );
            if self.words[index].is_number() && (before || after) {
                self.take(index, index + 1);
            }
        }
    }

    /// Returns the end of `over time`, `over the years` and the like.
    fn over_time(&self, index: usize) -> Option<usize> {
        if !matches!(self.lower(index), "over" | "through" | "across") {
            return None;
        }
        let noun = index + if self.lower(index + 1) == "the" { 2 } else { 1 };
        matches!(
            self.lower(noun),
            "time" | "years" | "months" | "weeks" | "decades"
        )
        .then_some(noun + 1)
    }

    /// Takes words that ask for a course of time.
    fn want_trend(&mut self, start: usize, end: usize) {
        self.wants_trend = true;
        self.note(start, end, "a course over time");
        self.take(start, end);
    }

    /// Reads the fields after a cue.
    fn read_group_after(&mut self, cue: usize) {
        let distributes = matches!(self.lower(cue), "by" | "per" | "each" | "every" | "across");

        let mut at = cue + 1;
        loop {
            // A word such as `type` is skipped only when it does not itself name a field.
            while lexicon::is_determiner(self.lower(at))
                && !self.weak_phrase(at).is_some_and(|phrase| phrase.full)
            {
                at += 1;
            }

            let phrase = self.weak_phrase(at);
            let whole = phrase.is_some_and(|p| p.whole);
            // `In which month do most of them fall?`
            let asks = matches!(self.lower(cue), "which" | "what")
                && matches!(
                    lexicon::interval(self.lower(at)),
                    Some("year" | "quarter" | "month")
                );
            if (distributes || asks) && !whole && self.read_interval(cue, at, distributes) {
                at += 1;
            } else if let Some(phrase) = phrase.filter(|p| !p.ambiguous || distributes) {
                self.doubt_grouping(phrase);
                self.group_by(cue, phrase, distributes);
                at = phrase.end;
            } else {
                return;
            }

            // Further fields follow after `and`, a comma, `by`, or a combination of them.
            let mut joined = self.gap(at).contains([',', '/', '&']);
            while matches!(self.lower(at), "and" | "then" | "by" | "x") && at < self.words.len() {
                joined = true;
                at += 1;
            }

            let again = self.weak_phrase(at).is_some_and(|p| !p.ambiguous || p.full)
                || (distributes && lexicon::interval(self.lower(at)).is_some());
            if !joined || !again {
                return;
            }
        }
    }

    /// Notes that words after `by` are ambiguous: they name several fields that records can be
    /// grouped by.
    fn doubt_grouping(&mut self, phrase: Phrase) {
        let divides = |field: &usize| {
            let facts = self.fields[*field].facts;
            facts.kind != FieldKind::Number || !facts.values.is_empty()
        };
        let tied: Vec<usize> = self
            .tied(phrase.start)
            .into_iter()
            .filter(divides)
            .collect();
        if phrase.ambiguous && tied.first() == Some(&phrase.field) {
            let fits: Vec<_> = tied.into_iter().map(|field| (field, None)).collect();
            self.doubt_fields(phrase.start, phrase.end, &fits);
        }
    }

    /// Groups by the field that a phrase names.
    fn group_by(&mut self, cue: usize, phrase: Phrase, distributes: bool) {
        let facts = self.fields[phrase.field].facts;
        let start = if distributes {
            cue.min(phrase.start)
        } else {
            phrase.start
        };

        match facts.kind {
            FieldKind::Date if distributes => {
                let interval = default_interval(facts, &self.out.filters);
                self.out.histogram.get_or_insert(Histogram {
                    field: facts.name.clone(),
                    interval,
                });
                self.note(
                    start,
                    phrase.end,
                    &format!("the course over {}", facts.name),
                );
            }
            // A measured quantity has too many values for groups, unless its name is said in full
            // after `by`.
            FieldKind::Number if facts.values.is_empty() && !(distributes && phrase.full) => return,
            FieldKind::Date => return,
            _ => {
                if !self.out.group_by.contains(&facts.name) {
                    self.out.group_by.push(facts.name.clone());
                    self.out.grouping_asked = true;
                    self.note(start, phrase.end, &format!("the grouping {}", facts.name));
                }
            }
        }

        self.take(phrase.start, phrase.end);
    }

    /// Reads a calendar interval at a word, if a field holds dates. Returns whether it was read.
    fn read_interval(&mut self, start: usize, at: usize, distributes: bool) -> bool {
        let Some(interval) = lexicon::interval(self.lower(at)) else {
            return false;
        };
        let dates = || {
            (0..self.fields.len()).filter(|&field| self.fields[field].facts.kind == FieldKind::Date)
        };
        let meant = dates()
            .find(|field| self.preferred.contains(field))
            .or_else(|| dates().next());
        let Some(date) = meant.map(|field| self.fields[field].facts) else {
            if !distributes {
                self.wants_trend = true;
            }
            return false;
        };
        self.out.histogram = Some(Histogram {
            field: date.name.clone(),
            interval,
        });
        self.note(
            start,
            at + 1,
            &format!("the course over {} by {interval}", date.name),
        );
        self.take(at, at + 1);

        true
    }
}
