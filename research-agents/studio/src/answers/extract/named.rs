//! Names that a sentence gives, for questions such as *which option does it*.

use std::collections::BTreeSet;

use research_agents_report::text::words;

use crate::answers::extract::asked::Asked;
use crate::answers::extract::lexicon::{identifiers, is_compound};
use crate::answers::extract::sentence::Sentence;

/// Words between a name and the noun that says what it is the name of.
const REACH: usize = 3;
/// What a name of the kind that is asked for adds: *the signal SIGTERM*.
const OF_KIND: f64 = 0.25;
/// What any other name adds.
const ANY: f64 = 0.05;
/// What it adds that a sentence begins the definition of a name.
const DEFINED: f64 = 0.15;
/// What an example costs.
const EXAMPLE: f64 = 0.2;

/// What a sentence names for a question.
pub(super) enum Naming {
    /// The question asks for no name, or the sentence gives one of another kind.
    Open,
    /// A name of the kind that is asked for, or it begins the definition of a name.
    Named,
    /// No name.
    Nothing,
}

impl Asked {
    /// Returns what a sentence names.
    pub(super) fn naming(&self, sentence: &Sentence<'_>) -> Naming {
        let sum = self.by_names(sentence, false);
        let has_name = sum > 0.0 || !self.names_of(sentence.term).is_empty();
        match &self.kind {
            None => Naming::Open,
            Some(_) if sum >= DEFINED => Naming::Named,
            Some(_) if has_name => Naming::Open,
            Some(_) => Naming::Nothing,
        }
    }

    /// Returns what the names of a sentence add if the question asks for one.
    pub(super) fn by_names(&self, sentence: &Sentence<'_>, is_example: bool) -> f64 {
        let Some(kind) = &self.kind else {
            return 0.0;
        };
        let own = words(sentence.text);
        let names = self.names_of(sentence.text);
        let is_near = |(start, end): &(usize, usize)| {
            let at = own.iter().position(|word| word.end > *start).unwrap_or(0);
            let after = own.iter().position(|word| word.start >= *end);
            let first = at.saturating_sub(REACH);
            let last = after.unwrap_or(own.len()).saturating_add(REACH);
            own.iter()
                .take(last)
                .skip(first)
                .any(|word| word.stem == *kind)
        };

        let mut sum = match names.iter().any(is_near) {
            true => OF_KIND,
            false if names.is_empty() => 0.0,
            false => ANY,
        };
        let begins = sentence.stems_before.len() < 2;
        if begins && !self.names_of(sentence.term).is_empty() {
            sum += DEFINED;
        }
        if is_example { sum - EXAMPLE } else { sum }
    }

    /// Returns the places of the names in a string that the question does not have.
    pub(super) fn names_of(&self, text: &str) -> Vec<(usize, usize)> {
        let asked: BTreeSet<&str> = self.said.iter().map(String::as_str).collect();
        let of_text = identifiers(text).filter(|name| is_name(text, name));
        let open = of_text.filter(|name| !asked.contains(name.to_lowercase().as_str()));
        let place = |name: &str| {
            let start = name.as_ptr() as usize - text.as_ptr() as usize;
            (start, start + name.len())
        };
        open.map(place).collect()
    }
}

/// Returns whether a part of a string is a name: it is an identifier, in capitals, in quotation
/// marks, or has a mark in it.
fn is_name(text: &str, name: &str) -> bool {
    let start = name.as_ptr() as usize - text.as_ptr() as usize;
    let before = text[..start].chars().next_back();
    let after = text[start + name.len()..].chars().next();
    let is_quote = |c: Option<char>| c.is_some_and(|c| matches!(c, '"' | '\'' | '“' | '”' | '`'));
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    let is_capital = |word: &str| {
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        letters > 1 && !word.chars().any(char::is_lowercase)
    };

    // *FILES AND FOLDERS* is a heading.
    let next = text[start + name.len()..].split_whitespace().next();
    let last = text[..start].split_whitespace().next_back();
    let is_heading = next.into_iter().chain(last).any(is_capital);
    let is_acronym = is_capital(name) && !is_heading;
    let has_mark = name.starts_with('-') || name.contains(['/', '_']);
    letters > 0
        && (is_compound(name) || is_acronym || has_mark || is_quote(before) && is_quote(after))
}
