//! A sentence with its tokens, clauses, values and the words that deny.

use std::ops::Range;

use crate::check::grounded::lexicon::{ENGLISH, Lexicon};
use crate::check::grounded::token::{Kind, Token, tokens};
use crate::language::Language;
use crate::trust::value::Typed;

/// A word that denies, and the word that it denies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Negation {
    /// Index of the token that denies.
    pub(crate) cue: usize,
    /// Index of the token that is denied.
    pub(crate) head: usize,
}

/// A sentence that was taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Parsed {
    pub(crate) text: String,
    pub(crate) tokens: Vec<Token>,
    pub(crate) values: Vec<Typed>,
    pub(crate) negations: Vec<Negation>,
    /// Number of clauses.
    pub(crate) clauses: usize,
}

impl Parsed {
    /// Takes a sentence apart.
    pub(crate) fn new(text: &str, language: Language) -> Self {
        let lexicon = &*ENGLISH;
        let (mut tokens, values) = tokens(text, language, lexicon);
        skip_attribution(&mut tokens, lexicon);
        let clauses = set_clauses(&mut tokens, lexicon);
        let negations = negations(&tokens, lexicon);
        Self {
            text: text.to_owned(),
            tokens,
            values,
            negations,
            clauses,
        }
    }

    /// Returns the text of a token.
    pub(crate) fn shown(&self, token: usize) -> &str {
        self.tokens
            .get(token)
            .and_then(|token| self.text.get(token.at.clone()))
            .unwrap_or_default()
    }

    /// Returns the indices of the tokens of a clause.
    pub(crate) fn clause(&self, clause: usize) -> Range<usize> {
        let is_in = |token: &Token| token.clause == clause;
        let start = self.tokens.iter().position(is_in).unwrap_or(0);
        let end = self
            .tokens
            .iter()
            .rposition(is_in)
            .map_or(start, |last| last + 1);
        start..end
    }

    /// Returns the places of a phrase of words, as ranges of tokens.
    pub(crate) fn phrase(&self, words: &[&str]) -> Vec<Range<usize>> {
        let places = 0..self.tokens.len().saturating_sub(words.len() - 1);
        places
            .filter(|at| {
                words
                    .iter()
                    .zip(&self.tokens[*at..])
                    .all(|(word, token)| token.lower == *word && token.is_word())
            })
            .map(|at| at..at + words.len())
            .collect()
    }
}

/// Takes words out of account that say where the sentence is from: *According to the manual, …*,
/// *The authors report that …*, *As the page notes, …*, *…, the documentation says.*
fn skip_attribution(tokens: &mut [Token], lexicon: &Lexicon) {
    let lower = |tokens: &[Token], at: usize| -> String {
        tokens
            .get(at)
            .map_or(String::new(), |token| token.lower.clone())
    };
    let skip = |tokens: &mut [Token], range: Range<usize>| {
        for token in &mut tokens[range] {
            if token.is_word() {
                token.kind = Kind::Part;
            }
        }
    };
    let is_work = |tokens: &[Token], range: Range<usize>| {
        tokens
            .get(range)
            .unwrap_or_default()
            .iter()
            .any(|token| lexicon.is_work(&token.lower))
    };
    let comma = tokens
        .iter()
        .take(9)
        .position(|token| token.kind == Kind::Mark(','));

    if lower(tokens, 0) == "according" && lower(tokens, 1) == "to" {
        if let Some(end) = comma.filter(|end| is_work(tokens, 2..*end)) {
            skip(tokens, 0..end);
        }
        return;
    }
    let verb = (1..7.min(tokens.len())).find(|at| lexicon.attributes(&tokens[*at].lower));
    let Some(verb) = verb.filter(|verb| is_work(tokens, 0..*verb)) else {
        return;
    };
    let starts_with_as = lower(tokens, 0) == "as";
    if starts_with_as && comma == Some(verb + 1) {
        skip(tokens, 0..verb + 1);
    } else if !starts_with_as && lower(tokens, verb + 1) == "that" {
        skip(tokens, 0..verb + 2);
    }
}

/// Gives every token its clause, and returns how many there are.
fn set_clauses(tokens: &mut [Token], lexicon: &Lexicon) -> usize {
    let mut clause = 0;
    for at in 0..tokens.len() {
        let begins = match tokens[at].kind {
            Kind::Mark(c) => matches!(c, ',' | ';' | ':' | '(' | ')' | '—' | '–' | '-'),
            _ => {
                let lower = tokens[at].lower.as_str();
                let joins = matches!(lower, "and" | "or" | "but" | "nor");
                lexicon.breaks(lower)
                    || lower == "but"
                    || joins && begins_clause(tokens, at + 1, lexicon)
            }
        };

        if begins && at > 0 {
            clause += 1;
        }
        tokens[at].clause = clause;
    }
    clause + 1
}

/// Returns whether a new clause begins at a token after *and* or *or*: with a verb, an auxiliary, a
/// pronoun or a negation.
fn begins_clause(tokens: &[Token], at: usize, lexicon: &Lexicon) -> bool {
    const STARTS: &str = "is are was were be has have had does do did will would shall should can \
        could may might must it they he she we you i this not never then also only there";
    let Some(next) = tokens.get(at) else {
        return false;
    };
    if STARTS.split_whitespace().any(|word| word == next.lower) {
        return true;
    }
    if next.kind == Kind::Content && lexicon.is_verb(&next.stem) && !next.lower.ends_with("ing") {
        return true;
    }
    // *and the server sends*: a noun with a verb after it, before the next mark.
    let is_determiner = matches!(
        next.lower.as_str(),
        "the" | "a" | "an" | "its" | "their" | "all" | "no"
    );

    is_determiner
        && tokens[at + 1..]
            .iter()
            .take(6)
            .take_while(|token| !matches!(token.kind, Kind::Mark(_)))
            .any(|token| {
                matches!(
                    token.lower.as_str(),
                    "is" | "are"
                        | "was"
                        | "were"
                        | "has"
                        | "have"
                        | "can"
                        | "will"
                        | "must"
                        | "may"
                        | "does"
                        | "do"
                        | "should"
                        | "not"
                )
            })
}

/// Returns the words that deny, each with the word that it denies: the next content word of its
/// clause, else the one before.
fn negations(tokens: &[Token], lexicon: &Lexicon) -> Vec<Negation> {
    let mut found = Vec::new();
    for (cue, token) in tokens.iter().enumerate() {
        let is_part = !matches!(token.kind, Kind::Function | Kind::Content);
        if is_part || !lexicon.negates(&token.lower) {
            continue;
        }
        // *not only … but*, *no matter*: they do not deny.
        let has_but = tokens[cue..].iter().any(|token| token.lower == "but");
        let next = tokens.get(cue + 1).map_or("", |next| next.lower.as_str());
        let before = cue
            .checked_sub(1)
            .map_or("", |at| tokens[at].lower.as_str());
        let is_either = token.lower == "not"
            && cue >= 3
            && tokens[cue - 2].lower == "or"
            && tokens[cue - 3].lower == before;
        if is_either
            || matches!((token.lower.as_str(), next), ("no", "matter" | "doubt"))
            || has_but && matches!(next, "only" | "just" | "merely" | "simply")
            || matches!((before, token.lower.as_str()), ("whether" | "or", "not"))
            || before == "if"
                && token.lower == "not"
                && matches!(
                    tokens.get(cue + 1).map(|t| t.kind),
                    None | Some(Kind::Mark(_))
                )
        {
            continue;
        }

        let is_head = |token: &Token| token.is_content() || matches!(token.kind, Kind::Number(_));
        let is_adverb = |token: &Token| token.lower.ends_with("ly");
        let after = || (cue + 1..tokens.len()).filter(|at| tokens[*at].clause == token.clause);
        let head = after()
            .find(|at| is_head(&tokens[*at]) && !is_adverb(&tokens[*at]))
            .or_else(|| after().find(|at| is_head(&tokens[*at])))
            // *if reading the file fails*: what fails is denied.
            .or_else(|| {
                let mut own = (0..cue).filter(|at| tokens[*at].clause == token.clause);
                own.find(|at| token.kind == Kind::Content && is_head(&tokens[*at]))
            })
            .or_else(|| {
                // *It does not.*
                let mut before = (0..cue)
                    .rev()
                    .take_while(|at| tokens[*at].clause == token.clause);
                before.find(|at| token.kind == Kind::Function && is_head(&tokens[*at]))
            })
            .or_else(|| {
                // *There is nothing that the server can do.*
                let is_pronoun = matches!(token.lower.as_str(), "nothing" | "nobody" | "none");
                let mut rest = cue + 1..tokens.len();
                rest.find(|at| is_pronoun && is_head(&tokens[*at]))
            });
        found.extend(head.map(|head| Negation { cue, head }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads(text: &str) -> Vec<String> {
        let parsed = Parsed::new(text, Language::ENGLISH);
        parsed
            .negations
            .iter()
            .map(|negation| parsed.shown(negation.head).to_owned())
            .collect()
    }

    #[test]
    fn what_is_denied_is_the_next_content_word() {
        assert_eq!(
            heads("The server does not really accept connections."),
            ["accept"]
        );
        assert_eq!(
            heads("It doesn't work, but it can't fail."),
            ["work", "fail"]
        );
        assert_eq!(
            heads("Not only files are read, but links, no matter how."),
            Vec::<String>::new()
        );
        assert_eq!(
            heads("No file is deleted without a copy."),
            ["file", "copy"]
        );
    }

    #[test]
    fn clauses_begin_at_marks_and_conjunctions() {
        let parsed = Parsed::new(
            "The file is read and is closed, because files and folders exist.",
            Language::ENGLISH,
        );
        let clause = |word: &str| {
            parsed
                .tokens
                .iter()
                .find(|token| token.lower == word)
                .map(|token| token.clause)
        };
        assert_eq!(clause("read"), Some(0));
        assert_eq!(clause("closed"), Some(1));
        assert_eq!(clause("files"), clause("folders"));
        assert_ne!(clause("files"), clause("closed"));
    }
}
