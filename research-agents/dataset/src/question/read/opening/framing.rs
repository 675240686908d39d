//! Leaves out what only frames a question: a request such as *can you tell me*, and sentences
//! before it, of which the question keeps what it points back to.

pub(crate) mod before;
pub(crate) mod wording;

use std::collections::HashSet;

use crate::question::read::words::tokens::Token;
use crate::question::read::words::vocabulary::{PERIODS, Role, Vocabulary};

/// A question without its frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unframed {
    pub(crate) asked: String,
    /// What was said before, which asks nothing.
    pub(crate) before: String,
    /// What was said behind it, which adds nothing unless it names something of the data.
    pub(crate) behind: String,
}

/// Returns a question without its requests and without the sentences that only lead to it; `None`
/// if it has neither.
pub(crate) fn unframed(
    question: &str,
    said: &[Token<'_>],
    vocabulary: &Vocabulary,
) -> Option<Unframed> {
    let frame = Frame {
        question,
        said,
        vocabulary,
    };
    let (end, behind) = frame.end_of_asked();
    let framed = frame.request(end).or_else(|| {
        let start = frame.last_sentence(end)?;
        Some((start, start))
    });
    let (before, start) = match framed {
        Some(framed) => framed,
        None if end < said.len() => (0, 0),
        None => return None,
    };
    // *In Texas, can you tell me …* says of what the question is asked.
    let tells = before > 0 && frame.tells(before);
    let restricts = before > 0 && !tells;

    let from = said[start].start;
    let to = match end < said.len() {
        true => said[end - 1].end,
        false => question.len(),
    };
    let rest = &question[from..to];
    let is_whether = vocabulary.framing.whether.contains(&said[start].lower);
    let asked = match is_whether && start + 1 < end {
        true => {
            let rest = &question[said[start + 1].start..to];
            format!("{} {rest}", vocabulary.framing.truth)
        }
        false => rest.to_owned(),
    };
    let opening = &question[..said[before].start];
    let behind = behind.map_or("", |at| &question[said[at].start..]);
    let (asked, before) = match restricts {
        true => (format!("{opening}{asked}"), ""),
        false => (asked, opening.trim()),
    };
    Some(Unframed {
        asked,
        before: before.to_owned(),
        behind: behind.to_owned(),
    })
}

struct Frame<'a, 'q> {
    question: &'a str,
    said: &'a [Token<'q>],
    vocabulary: &'a Vocabulary,
}

impl Frame<'_, '_> {
    /// Returns where the question ends: before a request that ends it, such as *kannst du mir das
    /// sagen?*, or before an aside, whose place is given too.
    fn end_of_asked(&self) -> (usize, Option<usize>) {
        let mut starts = (1..self.said.len()).filter(|at| self.said[*at].breaks());
        let request =
            starts.find(|at| self.run(*at) == self.said.len() && self.asks(*at).is_some());
        let aside = self.aside().filter(|_| request.is_none());
        let end = request.or(aside).unwrap_or(self.said.len());
        (end, aside)
    }

    /// Returns where a sentence behind the question begins that adds nothing to it: what the one
    /// who asks says of themselves, as *I don't want to miss it*, or *show me both*.
    fn aside(&self) -> Option<usize> {
        let start = (1..self.said.len())
            .rev()
            .find(|at| self.opens_sentence(*at))?;
        let is_asked_before = self.question[..self.said[start].start].contains('?');
        let own = &self.question[self.said[start].start..];
        if !is_asked_before || own.contains('?') {
            return None;
        }

        let words = start..self.said.len();
        let speaks = self
            .vocabulary
            .framing
            .speaker
            .contains(&self.said[start].lower)
            || self.is_contracted_speaker(start);
        // A number, a quotation or a name may be a condition.
        let may_restrict = |at: usize| {
            let token = &self.said[at];
            let is_name = at > start && token.is_capital();
            token.is_number() || token.quoted.is_some() || is_name
        };
        let tells = speaks && !words.clone().any(|at| self.asks_something(at));
        let is_shown = self.is(start, Role::Show)
            && words.clone().skip(1).all(|at| self.says_no_more(at, start));
        ((tells || is_shown) && !words.clone().any(may_restrict)).then_some(start)
    }

    /// Returns whether a word is a speaker with a verb, as *I'm*.
    fn is_contracted_speaker(&self, at: usize) -> bool {
        let framing = &self.vocabulary.framing;
        let first = self.said[at].lower.split(['\'', '’']).next();
        first.is_some_and(|first| framing.speaker.contains(first))
    }

    /// Returns whether a word of a sentence that begins at a place repeats what was said before it,
    /// or is one of showing.
    fn says_no_more(&self, at: usize, start: usize) -> bool {
        const REPEATED: &[Role] = &[Role::Mean, Role::Median, Role::Sum, Role::Share];
        const SHOWING: &[Role] = &[Role::Stop, Role::All, Role::Of, Role::Generic, Role::Show];
        let is_repeated = REPEATED
            .iter()
            .any(|role| self.is(at, *role) && (0..start).any(|before| self.is(before, *role)));
        let lower = &self.said[at].lower;
        is_repeated
            || SHOWING.iter().any(|role| self.is(at, *role))
            || self.vocabulary.framing.request.contains(lower)
            || self.vocabulary.framing.shown.contains(lower)
    }

    /// Returns where the last request before a place begins, and where what it asks begins.
    fn request(&self, end: usize) -> Option<(usize, usize)> {
        let starts = (0..end).filter(|at| self.opens_clause(*at));
        let requests: Vec<(usize, usize)> = starts
            .filter_map(|at| {
                let asked = self.asks(at)?;
                self.says_something(asked, end).then_some((at, asked))
            })
            .collect();
        let (first, last) = (*requests.first()?, *requests.last()?);

        // `How many are there? Can you tell me …`: both parts ask.
        let asks_before = |start: usize| self.question[..self.said[start].start].contains('?');
        let follows_and = last.0 > 0 && self.is(last.0 - 1, Role::And);
        if !asks_before(last.0) && !follows_and {
            return Some(last);
        }
        (!asks_before(first.0)).then_some(first)
    }

    /// Returns where the last sentence before a place begins, if those before it tell something.
    fn last_sentence(&self, end: usize) -> Option<usize> {
        let start = (1..end).rev().find(|at| self.opens_sentence(*at))?;
        let is_question =
            self.question[self.said[start].start..].contains('?') || self.asks_something(start);
        let asks_before = self.question[..self.said[start].start].contains('?')
            || (0..start).any(|at| self.asks_something(at));
        let is_whole = self.says_something(self.asks(start).unwrap_or(start), end);
        (is_question && !asks_before && self.tells(start) && is_whole).then_some(start)
    }

    /// Returns whether what is said before a place tells something, and asks or restricts nothing.
    fn tells(&self, before: usize) -> bool {
        let is_teller = |at: usize| {
            let token = &self.said[at];
            self.vocabulary.framing.teller.contains(&token.lower) || self.is(at, Role::Is)
        };
        (0..before).any(is_teller)
    }

    /// Returns whether the words between two places are more than *for how many* or *whether that
    /// is true*.
    fn says_something(&self, start: usize, end: usize) -> bool {
        (start..end.min(self.said.len())).any(|at| {
            let token = &self.said[at];
            let is_known = self.vocabulary.knows(&token.lower)
                || self.vocabulary.framing.request.contains(&token.lower);
            !is_known || PERIODS.iter().any(|role| self.is(at, *role))
        })
    }

    fn asks_something(&self, at: usize) -> bool {
        const ASKING: &[Role] = &[
            Role::HowMany,
            Role::HowMuch,
            Role::How,
            Role::Which,
            Role::What,
            Role::Who,
            Role::Whose,
            Role::Where,
            Role::When,
            Role::Show,
        ];
        ASKING.iter().any(|role| self.is(at, *role))
    }

    /// Returns whether the longest phrase of the vocabulary at a place has a role.
    fn is(&self, at: usize, role: Role) -> bool {
        let word_at = |k: usize| self.said.get(at + k).map(|token| token.lower.as_str());
        let found = self.vocabulary.longest_at(word_at);
        found.is_some_and(|(entry, _)| entry.roles.contains(&role))
    }

    fn opens_sentence(&self, at: usize) -> bool {
        /// Letters of an abbreviation with a full stop, such as *St.*
        const ABBREVIATION: usize = 3;
        let Some(before) = at.checked_sub(1).map(|before| &self.said[before]) else {
            return true;
        };
        let gap = self.said[at].gap;
        let is_abbreviation = before.is_capital() && before.text.chars().count() <= ABBREVIATION;
        gap.contains(['?', '!']) || gap.contains(". ") && !is_abbreviation
    }

    fn opens_clause(&self, at: usize) -> bool {
        let follows_and = || {
            let before = &self.said[at - 1];
            self.vocabulary.framing.connective.contains(&before.lower)
                || self.is(at - 1, Role::And)
                || self.is(at - 1, Role::But)
        };
        at == 0 || self.opens_sentence(at) || self.said[at].breaks() || follows_and()
    }

    /// Returns where a request that begins at a place ends.
    fn run(&self, at: usize) -> usize {
        let is_part = |place: &usize| {
            let token = &self.said[*place];
            let is_same = *place == at || !self.opens_sentence(*place);
            is_same
                && token.quoted.is_none()
                && self.vocabulary.framing.request.contains(&token.lower)
        };
        let part = (at..self.said.len()).take_while(is_part);
        at + part.count()
    }

    /// Returns where what the request at a place asks begins; `None` without a request.
    fn asks(&self, at: usize) -> Option<usize> {
        let framing = &self.vocabulary.framing;
        let end = self.run(at);
        let lower = |place: usize| self.said.get(place).map(|token| token.lower.as_str());
        let is_in = |set: &HashSet<String>, place: usize| {
            lower(place).is_some_and(|word| set.contains(word))
        };

        let Some(asking) = (at..end).rev().find(|place| is_in(&framing.asking, *place)) else {
            // *Could you please list …*
            let is_polite = is_in(&framing.polite, at) && end > at + 1;
            return (is_polite && self.is(end, Role::Show)).then_some(end);
        };
        // *I know that …* asks nothing.
        let is_told = asking == at + 1 && is_in(&framing.speaker, at);
        let mut asked = asking + 1;
        while is_in(&framing.particles, asked) {
            asked += 1;
        }
        if is_in(&framing.favour, asked) && is_in(&framing.particles, asked + 1) {
            asked += 2;
        }
        (!is_told && asking >= at).then_some(asked)
    }
}
