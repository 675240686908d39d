//! Checks every sentence of the report once more: its claims, its numbers, its citations.

use std::collections::BTreeSet;

use super::words::{self, shortened};
use super::{CheckKind, Verification};
use crate::kernel::bundle::Bundle;
use crate::kernel::check::{Checker, Failure, Verified, written_numbers};
use crate::kernel::claim::{Claim, Statement};
use crate::kernel::evidence::Evidence;
use crate::kernel::report::{Block, Section, Sentence};

pub(super) fn check(bundle: &Bundle, evidence: &Evidence, found: &mut Verification) {
    let checker = Checker::in_language(bundle.report.language, evidence, bundle.context.iter().map(String::as_str));
    let mut walk = Walk { checker, found };
    bundle.report.sections.iter().for_each(|section| walk.section(section, ""));
}

/// Where a section stands, as checks name it.
pub(super) fn place_of(outer: &str, section: &Section) -> String {
    let heading = section.heading.as_str();
    match (outer, heading) {
        ("", "") => "beginning".to_owned(),
        ("", heading) => heading.to_owned(),
        (outer, heading) => format!("{outer} › {heading}"),
    }
}

struct Walk<'a> {
    checker: Checker<'a>,
    found: &'a mut Verification,
}

impl Walk<'_> {
    fn section(&mut self, section: &Section, outer: &str) {
        let place = place_of(outer, section);
        let sentences = section.blocks.iter().flat_map(|block| match block {
            Block::Paragraph { sentences } | Block::Bullets { sentences } => sentences.as_slice(),
            _ => &[],
        });
        for (at, sentence) in sentences.enumerate() {
            self.sentence(sentence, &format!("{place}, sentence {}", at + 1));
        }
        section.sections.iter().for_each(|inner| self.section(inner, &place));
    }

    fn sentence(&mut self, sentence: &Sentence, place: &str) {
        let statement = Statement { text: sentence.text.as_str().to_owned(), claims: sentence.claims.clone() };
        match self.checker.check_loose(&statement) {
            Ok(verified) => {
                for (stated, checked) in statement.claims.iter().zip(verified.claims()) {
                    self.claim(stated, span_problem(stated, checked), place);
                }
                for number in written_numbers(&statement.text, self.checker.language()) {
                    self.found.holds_at(CheckKind::Number, place, number);
                }
                self.citations(sentence, &verified, place);
            }
            Err(failure) => self.broken(sentence, statement, failure, place),
        }
        if sentence.claims.is_empty() {
            let what = shortened(sentence.text.as_str());
            self.found.not_covered_at(CheckKind::Words, place, what, "a sentence without a claim");
        }
    }

    fn claim(&mut self, claim: &Claim, problem: Option<String>, place: &str) {
        let kind = if matches!(claim, Claim::Quote { .. }) { CheckKind::Quote } else { CheckKind::Number };
        self.found.judge(kind, place, words::claim(claim), problem);
    }

    /// Finds out which parts of a sentence do not hold.
    fn broken(&mut self, sentence: &Sentence, statement: Statement, failure: Failure, place: &str) {
        let mut holding = Vec::new();
        for stated in &statement.claims {
            let alone = Statement { text: String::new(), claims: vec![stated.clone()] };
            let problem = match self.checker.check_loose(&alone) {
                Ok(verified) => verified.claims().first().and_then(|checked| span_problem(stated, checked)),
                Err(failure) => Some(failure.to_string()),
            };
            if problem.is_none() {
                holding.push(stated.clone());
            }
            self.claim(stated, problem, place);
        }
        let is_whole = holding.len() == statement.claims.len();
        let rest = Statement { text: String::new(), claims: holding };
        match self.checker.check_loose(&rest) {
            Ok(verified) if is_whole => self.citations(sentence, &verified, place),
            _ => self.found.fails_at(
                CheckKind::Citation,
                place,
                markers(sentence),
                "they cannot rest on claims that do not hold",
            ),
        }
        self.numbers(Statement { claims: rest.claims, ..statement }, failure, is_whole, place);
    }

    /// Each number of a text that does not hold, by taking out one after the other that nothing supports.
    fn numbers(&mut self, mut statement: Statement, failure: Failure, is_whole: bool, place: &str) {
        let written = written_numbers(&statement.text, self.checker.language());
        let mut unsupported = Vec::new();
        let mut last = if is_whole { Err(failure) } else { self.checker.check_loose(&statement).map(drop) };
        while let Err(Failure::UnsupportedNumber { figure }) = &last
            && unsupported.len() < written.len()
        {
            statement.text = without(&statement.text, figure);
            unsupported.push(figure.clone());
            last = self.checker.check_loose(&statement).map(drop);
        }
        for number in written {
            let problem = unsupported.iter().position(|figure| *figure == number).map(|at| {
                unsupported.swap_remove(at);
                format!("{number} is stated, and nothing that the sentence cites supports it")
            });
            self.found.judge(CheckKind::Number, place, number, problem);
        }
        match last {
            Err(Failure::UnsupportedNumber { .. }) | Ok(()) => {}
            Err(other) => {
                self.found.fails_at(CheckKind::Words, place, shortened(&statement.text), other.to_string());
            }
        }
    }

    /// The markers of a sentence against those that its claims give.
    fn citations(&mut self, sentence: &Sentence, verified: &Verified, place: &str) {
        self.markers(&sentence.aggregations, verified.tables(), ("(", ")"), place);
        self.markers(&sentence.sources, verified.sources(), ("[", "]"), place);
    }

    fn markers(&mut self, stated: &[String], given: &[String], (open, close): (&str, &str), place: &str) {
        let mut seen = BTreeSet::new();
        for (at, id) in stated.iter().enumerate() {
            let problem = if !given.contains(id) {
                Some("it is cited, and no claim of the sentence rests on it".to_owned())
            } else if !seen.insert(id) {
                Some("it is cited twice".to_owned())
            } else if stated.len() == given.len() && given.get(at) != Some(id) {
                Some("it stands at another place than its claim".to_owned())
            } else {
                None
            };
            self.found.judge(CheckKind::Citation, place, format!("{open}{id}{close}"), problem);
        }
        for id in given.iter().filter(|id| !stated.contains(id)) {
            let what = format!("{open}{id}{close}");
            self.found.fails_at(CheckKind::Citation, place, what, "a claim rests on it, and it is not cited");
        }
    }
}

fn markers(sentence: &Sentence) -> String {
    let tables = sentence.aggregations.iter().map(|id| format!("({id})"));
    tables.chain(sentence.sources.iter().map(|id| format!("[{id}]"))).collect::<Vec<_>>().join(" ")
}

/// A quote must stand exactly where its claim says.
fn span_problem(stated: &Claim, checked: &Claim) -> Option<String> {
    let (Claim::Quote { start, .. }, Claim::Quote { start: actual, .. }) = (stated, checked) else { return None };
    let words = |start: &Option<usize>| start.map_or_else(|| "no place".to_owned(), |start| format!("byte {start}"));
    (start != actual).then(|| format!("{} is stated, it stands at {}", words(start), words(actual)))
}

/// The text with one number less.
fn without(text: &str, figure: &str) -> String {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let whole =
        |at: &usize| !is_digit(text[..*at].chars().next_back()) && !is_digit(text[at + figure.len()..].chars().next());
    let mut places = text.match_indices(figure).map(|(at, _)| at);
    let place = places.clone().find(whole).or_else(|| places.next());
    place.map_or_else(String::new, |at| format!("{}so many{}", &text[..at], &text[at + figure.len()..]))
}
