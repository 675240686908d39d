//! Aligns each word of a sentence with one of a unit of evidence.

use std::collections::HashSet;
use std::ops::Range;

use crate::check::grounded::lexicon::{ENGLISH, Lexicon, Relation};
use crate::check::grounded::parse::Parsed;
use crate::check::grounded::token::{Kind, Token};
use crate::trust::value::Value;

/// Where a word of the sentence is in the evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// At a token of the unit.
    Found(usize, Relation),
    /// In the headings above it, or in what it refers to.
    Context,
    /// Nowhere.
    Missing,
}

impl Link {
    /// Returns the token of the unit that says the same.
    pub(crate) fn same(self) -> Option<usize> {
        match self {
            Self::Found(at, Relation::Same | Relation::Synonym) => Some(at),
            _ => None,
        }
    }
}

/// A sentence of a passage with what it refers to.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) parsed: Parsed,
    /// Stems and lower forms of the headings above it, and of earlier sentences if it refers to
    /// them.
    pub(crate) context: HashSet<String>,
    /// Values in the headings above it.
    pub(crate) given: Vec<Value>,
    /// Index of its passage.
    pub(crate) passage: usize,
}

/// The links of all tokens of a sentence. Tokens that need no evidence have none.
#[derive(Clone, Debug)]
pub(crate) struct Alignment {
    pub(crate) links: Vec<Option<Link>>,
    /// For each token of the sentence, the token of the unit in the longest common sequence.
    pub(crate) anchors: Vec<Option<usize>>,
}

impl Alignment {
    /// Aligns a sentence with a unit.
    pub(crate) fn new(sentence: &Parsed, unit: &Unit) -> Self {
        let lexicon = &*ENGLISH;
        let anchors = anchors(&sentence.tokens, &unit.parsed.tokens);
        let mut links: Vec<Option<Link>> = Vec::with_capacity(sentence.tokens.len());
        let mut last = 0_usize;

        for (token, anchor) in sentence.tokens.iter().zip(&anchors) {
            if let Some(at) = anchor {
                last = *at;
            }
            if !token.is_content() {
                links.push(None);
                continue;
            }
            if let Some(at) = anchor {
                links.push(Some(Link::Found(*at, Relation::Same)));
                continue;
            }
            let best = unit
                .parsed
                .tokens
                .iter()
                .enumerate()
                .filter_map(|(at, held)| Some((relation(token, held, lexicon)?, at)))
                .min_by_key(|(relation, at)| (*relation, at.abs_diff(last + 1)));
            let link = match best {
                Some((relation, at)) => {
                    last = at;
                    Link::Found(at, relation)
                }
                None => Link::Missing,
            };
            links.push(Some(link));
        }

        let mut alignment = Self { links, anchors };
        alignment.without_far_synonyms(sentence, unit);
        alignment.without_used_synonyms();
        alignment.without_used_opposites(sentence, unit, lexicon);
        alignment.add_compounds(sentence, unit);
        alignment.add_abbreviations(sentence, unit);
        alignment.add_phrases(sentence, unit, lexicon);
        alignment.add_context(sentence, unit);
        alignment
    }

    /// Returns the link of a token.
    pub(crate) fn link(&self, token: usize) -> Option<Link> {
        self.links.get(token).copied().flatten()
    }

    /// Returns the token of the unit that says the same as a token of the sentence.
    pub(crate) fn same(&self, token: usize) -> Option<usize> {
        self.link(token).and_then(Link::same)
    }

    /// Returns the tokens of the sentence that say the same as a token of the unit.
    pub(crate) fn back(&self, held: usize) -> Option<usize> {
        self.links
            .iter()
            .position(|link| link.and_then(Link::same) == Some(held))
    }

    /// Returns the number of words that are in the unit, in its context, and that need evidence.
    pub(crate) fn coverage(&self, within: impl Fn(usize) -> bool) -> Coverage {
        let mut coverage = Coverage::default();
        for (at, link) in self.links.iter().enumerate() {
            let Some(link) = link.filter(|_| within(at)) else {
                continue;
            };
            coverage.all += 1;
            coverage.unit += usize::from(matches!(link, Link::Found(..)));
            coverage.context += usize::from(link == Link::Context);
        }
        coverage
    }

    /// Removes synonyms at another place than the words around them, if most words are at theirs.
    fn without_far_synonyms(&mut self, sentence: &Parsed, unit: &Unit) {
        let words = sentence
            .tokens
            .iter()
            .filter(|token| token.is_word())
            .count();
        let anchored = self.anchors.iter().flatten().count();
        if 2 * anchored < words {
            return;
        }
        for at in 0..self.links.len() {
            if let Some(Some(Link::Found(held, Relation::Synonym))) = self.links.get(at) {
                let slot = self.slot(at, unit.parsed.tokens.len());
                if !slot.contains(held) {
                    self.links[at] = Some(Link::Missing);
                }
            }
        }
    }

    /// Removes synonyms whose word another word of the sentence has already.
    fn without_used_synonyms(&mut self) {
        for at in 0..self.links.len() {
            if let Some(Some(Link::Found(held, Relation::Synonym))) = self.links.get(at) {
                let same = Some(Link::Found(*held, Relation::Same));
                if self.links.contains(&same) {
                    self.links[at] = Some(Link::Missing);
                }
            }
        }
    }

    /// Returns the tokens of the unit between those that belong to the tokens around one of the
    /// sentence.
    pub(crate) fn slot(&self, at: usize, length: usize) -> Range<usize> {
        let before = self.anchors[..at].iter().rev().flatten().next();
        let after = self.anchors[at..].iter().flatten().next();
        before.map_or(0, |before| before + 1)..after.copied().unwrap_or(length)
    }

    /// Returns the tokens of the sentence between the anchored ones around one of it.
    pub(crate) fn own_slot(&self, at: usize) -> Range<usize> {
        let before = self.anchors[..at].iter().rposition(Option::is_some);
        let after = self.anchors[at..].iter().position(Option::is_some);
        before.map_or(0, |before| before + 1)..after.map_or(self.anchors.len(), |after| at + after)
    }

    /// Removes opposites whose word the sentence has too: *files that are read and written*.
    fn without_used_opposites(&mut self, sentence: &Parsed, unit: &Unit, lexicon: &Lexicon) {
        for at in 0..self.links.len() {
            if let Some(Some(Link::Found(held, Relation::Opposite))) = self.links.get(at) {
                let stem = &unit.parsed.tokens[*held].stem;
                let is_used = sentence.tokens.iter().any(|token| {
                    token.is_word() && lexicon.relation(&token.stem, stem) == Some(Relation::Same)
                });
                if is_used {
                    self.links[at] = Some(Link::Missing);
                }
            }
        }
    }

    /// Links words that are written as one in the other text: *file system*, *filesystem*.
    fn add_compounds(&mut self, sentence: &Parsed, unit: &Unit) {
        let held = &unit.parsed.tokens;
        for at in 0..self.links.len() {
            if self.links[at] != Some(Link::Missing) {
                continue;
            }

            let token = &sentence.tokens[at];
            let as_two = held.windows(2).position(|pair| {
                let joined = [pair[0].lower.as_str(), pair[1].lower.as_str()].concat();
                joined == token.lower || ENGLISH.stem(&joined) == token.stem
            });
            if let Some(place) = as_two {
                self.links[at] = Some(Link::Found(place, Relation::Same));
                continue;
            }

            let next = sentence.tokens.get(at + 1).filter(|next| next.is_word());
            if let Some(next) = next {
                let joined = [token.lower.as_str(), next.lower.as_str()].concat();
                let place = held.iter().position(|held| {
                    held.lower == joined || held.is_content() && held.stem == ENGLISH.stem(&joined)
                });
                if let Some(place) = place {
                    self.links[at] = Some(Link::Found(place, Relation::Same));
                    if self.links[at + 1].is_some() {
                        self.links[at + 1] = Some(Link::Found(place, Relation::Same));
                    }
                }
            }
        }
    }

    /// Links an abbreviation with the words whose first letters it has, in both directions.
    fn add_abbreviations(&mut self, sentence: &Parsed, unit: &Unit) {
        for at in 0..self.links.len() {
            if self.links[at] != Some(Link::Missing) || sentence.tokens[at].kind != Kind::Code {
                continue;
            }
            let short = sentence.tokens[at].lower.clone();
            if let Some(place) = spelled_out(&short, &unit.parsed.tokens) {
                self.links[at] = Some(Link::Found(place, Relation::Same));
            }
        }

        for (place, held) in unit.parsed.tokens.iter().enumerate() {
            if held.kind != Kind::Code {
                continue;
            }
            if let Some(first) = spelled_out(&held.lower, &sentence.tokens) {
                for at in first..first + held.lower.chars().count() {
                    if self.links.get(at) == Some(&Some(Link::Missing)) {
                        self.links[at] = Some(Link::Found(place, Relation::Same));
                    }
                }
            }
        }
    }

    /// Links each phrase with another one of the same meaning: *at the moment*, *currently*.
    fn add_phrases(&mut self, sentence: &Parsed, unit: &Unit, lexicon: &Lexicon) {
        let is_open = |link: &Option<Link>| *link == Some(Link::Missing);
        if !self.links.iter().any(is_open) {
            return;
        }

        let (said, held) = (keys(sentence, lexicon), keys(&unit.parsed, lexicon));
        // Most phrases are not there, which their first words tell.
        let words: HashSet<&String> = said.iter().collect();
        let can_begin =
            |phrase: &[String]| phrase.first().is_some_and(|first| words.contains(first));
        for group in lexicon.phrases() {
            let places: Vec<(usize, usize)> = group
                .iter()
                .enumerate()
                .filter(|(_, phrase)| can_begin(phrase))
                .flat_map(|(phrase, words)| {
                    starts(words, &said).into_iter().map(move |at| (phrase, at))
                })
                .collect();
            for (phrase, at) in places {
                let own = at..at + group[phrase].len();
                if !self.links[own.clone()].iter().any(is_open) {
                    continue;
                }
                let others = group
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != phrase);
                let place = others
                    .filter_map(|(_, words)| {
                        let start = *starts(words, &held).first()?;
                        let mut own = start..start + words.len();
                        let content = own.find(|at| unit.parsed.tokens[*at].is_content());
                        Some(content.unwrap_or(start))
                    })
                    .next();
                let Some(place) = place else { continue };
                for link in self.links[own].iter_mut().filter(|link| is_open(link)) {
                    *link = Some(Link::Found(place, Relation::Synonym));
                }
            }
        }
    }

    /// Links what is not in the unit with its context.
    fn add_context(&mut self, sentence: &Parsed, unit: &Unit) {
        for (at, token) in sentence.tokens.iter().enumerate() {
            // What a sentence refers to is a thing: what it does is said by itself.
            let is_thing = at == 0
                || is_determiner(&sentence.tokens[at - 1])
                || at > 1
                    && is_determiner(&sentence.tokens[at - 2])
                    && sentence.tokens[at - 1].is_content()
                    && sentence.tokens.get(at + 1).is_none_or(|next| {
                        matches!(next.kind, Kind::Mark(_)) || ENGLISH.is_verb(&next.stem)
                    });

            let is_action =
                token.kind == Kind::Content && ENGLISH.is_verb(&token.stem) && !is_thing;
            let is_name = matches!(token.kind, Kind::Name | Kind::Code);
            let in_context = unit.context.contains(&token.lower)
                || !is_name && unit.context.contains(&token.stem);
            if self.links[at] == Some(Link::Missing) && in_context && !is_action {
                self.links[at] = Some(Link::Context);
            }
        }
    }
}

/// How many words of a sentence are where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Coverage {
    /// In the unit.
    pub(crate) unit: usize,
    /// In its context only.
    pub(crate) context: usize,
    /// All that need evidence.
    pub(crate) all: usize,
}

/// Returns all words in the form in which phrases are compared. Marks are empty.
fn keys(parsed: &Parsed, lexicon: &Lexicon) -> Vec<String> {
    let key = |token: &Token| match token.kind {
        Kind::Mark(_) | Kind::Number(_) | Kind::Code => String::new(),
        _ => lexicon.phrase_key(&token.lower),
    };
    parsed.tokens.iter().map(key).collect()
}

/// Returns where a phrase begins among words.
fn starts(phrase: &[String], words: &[String]) -> Vec<usize> {
    let windows = words.windows(phrase.len().max(1)).enumerate();
    windows
        .filter(|(_, window)| *window == phrase)
        .map(|(at, _)| at)
        .collect()
}

/// Returns the longest common sequence of two texts: for each token of the first one, its place in
/// the second one.
fn anchors(said: &[Token], held: &[Token]) -> Vec<Option<usize>> {
    let width = held.len() + 1;
    let same = |a: &Token, b: &Token| {
        a.lower == b.lower || a.is_content() && !a.stem.is_empty() && a.stem == b.stem
    };
    let mut lengths = vec![0_u32; (said.len() + 1) * width];
    for (row, a) in said.iter().enumerate().rev() {
        for (column, b) in held.iter().enumerate().rev() {
            lengths[row * width + column] = if same(a, b) {
                lengths[(row + 1) * width + column + 1] + 1
            } else {
                lengths[(row + 1) * width + column].max(lengths[row * width + column + 1])
            };
        }
    }

    let mut anchors = vec![None; said.len()];
    let (mut row, mut column) = (0, 0);
    while row < said.len() && column < held.len() {
        let here = lengths[row * width + column];
        if lengths[(row + 1) * width + column] == here {
            row += 1;
        } else if lengths[row * width + column + 1] == here {
            column += 1;
        } else {
            anchors[row] = Some(column);
            row += 1;
            column += 1;
        }
    }
    anchors
}

/// Returns the first of the words whose first letters are an abbreviation.
fn spelled_out(short: &str, tokens: &[Token]) -> Option<usize> {
    let letters: Vec<char> = short.chars().collect();
    if !(2..=6).contains(&letters.len()) || !letters.iter().all(|c| c.is_alphabetic()) {
        return None;
    }
    tokens.windows(letters.len()).position(|window| {
        window.iter().zip(&letters).all(|(token, letter)| {
            (token.is_capital || letters.len() > 2 && token.is_content())
                && token.lower.chars().count() > 1
                && token.lower.starts_with(*letter)
        })
    })
}

/// Returns whether a thing follows a word.
fn is_determiner(token: &Token) -> bool {
    matches!(
        token.lower.as_str(),
        "the" | "a" | "an" | "this" | "these" | "its" | "their" | "of" | "for" | "each"
    )
}

/// Returns how a token of the sentence relates to one of the unit.
fn relation(token: &Token, held: &Token, lexicon: &Lexicon) -> Option<Relation> {
    if !held.is_word() || matches!(held.kind, Kind::Number(_)) {
        return (held.lower == token.lower).then_some(Relation::Same);
    }
    if token.lower == held.lower {
        return Some(Relation::Same);
    }
    // The last part of a path names the same: `Vec::push`, `push`.
    let is_last = |separator: &str| {
        let last = held.lower.rsplit(separator).next();
        held.lower.contains(separator) && last == Some(token.lower.as_str())
    };
    if held.kind == Kind::Code && is_last("::") {
        return Some(Relation::Same);
    }

    let is_name = matches!(token.kind, Kind::Name | Kind::Code);
    let may_inflect = !is_name || held.is_capital;
    if token.stem == held.stem && !token.stem.is_empty() && may_inflect {
        return Some(Relation::Same);
    }
    if is_name || matches!(held.kind, Kind::Code) {
        return None;
    }
    lexicon.relation(&token.stem, &held.stem)
}
