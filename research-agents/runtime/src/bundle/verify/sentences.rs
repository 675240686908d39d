//! Checks every sentence of the report: its claims, its numbers, its citations and its mark.

use std::collections::BTreeSet;
use std::slice;

use research_agents_report::assessment::Rating;
use research_agents_report::check::{Checker, Failure, Verified, written_numbers};
use research_agents_report::claim::Claim;
use research_agents_report::document::{Block, Section, Sentence};
use research_agents_report::evidence::Evidence;

use crate::bundle::model::Bundle;
use crate::bundle::verify::marks;
use crate::bundle::verify::origins::Origins;
use crate::bundle::verify::outcome::{CheckKind, Verification};
use crate::bundle::verify::words;
use crate::bundle::verify::words::shortened;

/// Checks every sentence of the report of a bundle.
pub(crate) fn check(
    bundle: &Bundle,
    evidence: &Evidence,
    origins: &Origins,
    found: &mut Verification,
) {
    let checker = Checker::in_language(
        bundle.report.language,
        evidence,
        bundle.context.iter().map(String::as_str),
    );
    let mut walk = Walk {
        checker,
        evidence,
        rating: &origins.rating,
        found,
    };

    bundle
        .report
        .sections
        .iter()
        .for_each(|section| walk.section(section, ""));
}

/// Returns the place of a section, as checks name it.
pub(crate) fn place_of(outer: &str, section: &Section) -> String {
    let heading = section.heading.as_str();
    match (outer, heading) {
        ("", "") => "beginning".to_owned(),
        ("", heading) => heading.to_owned(),
        (outer, heading) => format!("{outer} › {heading}"),
    }
}

/// Walks through the sections of a report.
struct Walk<'a> {
    checker: Checker<'a>,
    evidence: &'a Evidence,
    rating: &'a Rating,
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
        section
            .sections
            .iter()
            .for_each(|inner| self.section(inner, &place));
    }

    fn sentence(&mut self, sentence: &Sentence, place: &str) {
        let text = sentence.text.as_str();

        match self.checker.verify(sentence) {
            Ok(verified) => {
                sentence
                    .claims
                    .iter()
                    .for_each(|claim| self.claim(claim, None, place));
                for number in written_numbers(text, self.checker.language()) {
                    self.found.holds_at(CheckKind::Number, place, number);
                }
                self.citations(sentence, &verified, place);
            }
            // So many claims are not looked at one by one.
            Err(failure @ Failure::TooManyClaims { .. }) => {
                self.found.fails_at(
                    CheckKind::Number,
                    place,
                    shortened(text),
                    failure.to_string(),
                );
            }
            Err(_) => self.broken(sentence, place),
        }

        if let Some(mark) = sentence.mark {
            let passages = &self.evidence.passages;
            let problem = marks::problem(mark, sentence, passages, self.rating);
            self.found
                .judge(CheckKind::Mark, place, mark.to_string(), problem);
        }

        if sentence.claims.is_empty() {
            self.found.not_covered_at(
                CheckKind::Words,
                place,
                shortened(text),
                "a sentence without a claim",
            );
        }
    }

    fn claim(&mut self, claim: &Claim, problem: Option<String>, place: &str) {
        let kind = if matches!(claim, Claim::Quote { .. } | Claim::Says { .. }) {
            CheckKind::Quote
        } else {
            CheckKind::Number
        };
        self.found.judge(kind, place, words::claim(claim), problem);
    }

    /// Checks a sentence that does not hold part by part.
    fn broken(&mut self, sentence: &Sentence, place: &str) {
        let mut holding = Vec::new();

        for claim in &sentence.claims {
            let problem = self.checker.verify_claims("", slice::from_ref(claim)).err();
            if problem.is_none() {
                holding.push(claim.clone());
            }
            self.claim(claim, problem.map(|failure| failure.to_string()), place);
        }

        match self.checker.verify_claims("", &holding) {
            Ok(verified) if holding.len() == sentence.claims.len() => {
                self.citations(sentence, &verified, place)
            }
            _ => self.found.fails_at(
                CheckKind::Citation,
                place,
                markers(sentence),
                "they cannot rest on claims that do not hold",
            ),
        }

        self.words(sentence.text.as_str(), &holding, place);
    }

    /// Checks each number of a string against the claims, by removing unsupported ones one after
    /// the other, and then the rest of the text.
    fn words(&mut self, text: &str, claims: &[Claim], place: &str) {
        let said = |text: &str| {
            let verified = self.checker.verify_claims(text, claims)?;
            self.checker.verify_words(&verified)
        };
        let written = written_numbers(text, self.checker.language());
        let (mut rest, mut unsupported) = (text.to_owned(), Vec::new());
        let mut last = said(&rest);
        while let Err(Failure::UnsupportedNumber { figure }) = &last
            && unsupported.len() < written.len()
        {
            rest = without(&rest, figure);
            unsupported.push(figure.clone());
            last = said(&rest);
        }

        for number in written {
            let problem = unsupported
                .iter()
                .position(|figure| *figure == number)
                .map(|at| {
                    unsupported.swap_remove(at);
                    format!("{number} is stated, and nothing that the sentence cites supports it")
                });
            self.found.judge(CheckKind::Number, place, number, problem);
        }

        let kind = match &last {
            Ok(()) | Err(Failure::UnsupportedNumber { .. }) => return,
            Err(Failure::MarkerInWords { .. }) => CheckKind::Citation,
            Err(_) => CheckKind::Words,
        };
        self.found.judge(
            kind,
            place,
            shortened(&rest),
            last.err().map(|failure| failure.to_string()),
        );
    }

    /// Checks the markers of a sentence against those that follow from its claims.
    fn citations(&mut self, sentence: &Sentence, verified: &Verified, place: &str) {
        self.markers(&sentence.aggregations, verified.tables(), ("(", ")"), place);
        self.markers(&sentence.sources, verified.sources(), ("[", "]"), place);
    }

    fn markers(
        &mut self,
        stated: &[String],
        given: &[String],
        (open, close): (&str, &str),
        place: &str,
    ) {
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
            self.found.judge(
                CheckKind::Citation,
                place,
                format!("{open}{id}{close}"),
                problem,
            );
        }

        for id in given.iter().filter(|id| !stated.contains(id)) {
            let what = format!("{open}{id}{close}");
            self.found.fails_at(
                CheckKind::Citation,
                place,
                what,
                "a claim rests on it, and it is not cited",
            );
        }
    }
}

fn markers(sentence: &Sentence) -> String {
    let tables = sentence.aggregations.iter().map(|id| format!("({id})"));
    tables
        .chain(sentence.sources.iter().map(|id| format!("[{id}]")))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the text without one of its numbers.
fn without(text: &str, figure: &str) -> String {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let whole = |at: &usize| {
        !is_digit(text[..*at].chars().next_back())
            && !is_digit(text[at + figure.len()..].chars().next())
    };
    let mut places = text.match_indices(figure).map(|(at, _)| at);
    let place = places.clone().find(whole).or_else(|| places.next());
    place.map_or_else(String::new, |at| {
        format!("{}so many{}", &text[..at], &text[at + figure.len()..])
    })
}
