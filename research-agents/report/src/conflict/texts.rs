//! Finds sentences in the texts of records that cannot both be true.
//!
//! Two statements contradict each other if they say the same about the same thing in the same
//! words, but only one of them is negated, or their amounts of a quantity differ. A false alarm is
//! worse than a miss: if there is a possible explanation of the difference, it is not a
//! contradiction.
//!
//! - **Another time.** Sentences with different days, months or years, or with words such as
//!   *then*, *now* and *after*, describe a change. So do statements of records with different
//!   dates, unless the sentences name the same time (a month without a year is the same month), or
//!   state in the present tense a property that does not change, such as a length.
//! - **Another thing.** *Pump 30* is not *pump 31*, the pump 31 of one site is not that of another,
//!   and *a valve* is not *a valve*. In two records a thing must have a number or a code. In the
//!   present tense it may also have a name, or be a part of the product that both records name: a
//!   cord has the same length for every customer, but a broken lid belongs to one.
//! - **Another part.** Sentences may report parts of a whole: *lost 2 blades* and *lost 3 blades*.
//!   Amounts that add up contradict each other only in the present tense, or after *was*.
//! - **Another spelling.** Numbers agree if they can be one number that is rounded, converted or
//!   approximate.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use unicode_segmentation::UnicodeSegmentation;

use crate::claim::Claim;
use crate::conflict::lexicon::Words;
use crate::conflict::scan::{Token, is, joined, scan};
use crate::conflict::statement::{Statement, statements};
use crate::evidence::source::{Source, SourceRegistry};
use crate::text::name_words::name_words;

/// Maximum number of statements with the same key that are compared with each other.
const COMPARED: usize = 200;
/// Average number of words at which a field counts as prose.
const PROSE_WORDS: usize = 4;
/// Maximum length of a sentence that is read, in bytes.
const LONGEST: usize = 400;
/// Minimum number of letters of a content word of a question.
const CONTENT_WORD: usize = 3;
/// Words in questions that carry no content.
const JOINING: &str = "about all and any are but can did for get got had has how its not our out \
    per she the too was way who why you yet after been before could does from fast have high kind \
    kinds long many mention mentioned more most much over record records report reports said says \
    tell text texts than that their them there these they this those under were what when where \
    which will with would";
/// Words in the names of fields with the product of a record. All pieces of a product are alike.
const PRODUCTS: &str = "product item article produkt artikel produit producto artículo prodotto \
    articolo produto artigo";
/// Words in the names of fields with the kind of a thing. A kind has many pieces, even if its name
/// contains a number.
const KINDS: &str =
    "make model type kind class category series modell typ art modèle modelo modello tipo";
/// Words in the names of fields with the place or the owner of a thing. The same number at another
/// place is another thing.
const PLACES: &str = "aircraft airport branch building city client company country customer \
    department facility factory line location operator owner plant region room shop site state \
    station store town unit vehicle vessel standort werk ort stadt land kunde anlage gebäude lieu \
    ville pays client sitio lugar ciudad país cliente luogo città local cidade";

/// A sentence of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Sentence {
    /// Id of the source.
    pub source: String,
    /// The sentence as it is in the source.
    pub text: String,
    /// Where it begins in the source, in bytes.
    start: usize,
}

impl Sentence {
    /// Returns the sentence as the claim of a quote.
    pub fn quote(&self) -> Claim {
        Claim::Quote {
            source: self.source.clone(),
            text: self.text.clone(),
            start: Some(self.start),
        }
    }
}

/// A statement and where it is.
struct LocatedStatement<'s> {
    source: &'s Source,
    field: &'s str,
    /// All sentences of the field.
    whole: &'s [&'s str],
    /// Index of its sentence.
    at: usize,
    statement: Statement,
}

/// Returns pairs of sentences that contradict each other and concern one of the questions, in the
/// order of the records.
pub fn between_texts(sources: &SourceRegistry, questions: &[&str]) -> Vec<(Sentence, Sentence)> {
    let asked: Vec<HashSet<String>> = questions.iter().map(|question| content(question)).collect();
    let prose = prose_fields(sources);
    let texts: Vec<(&Source, &str, Vec<&str>)> = sources
        .iter()
        .flat_map(|source| texts(source, &prose))
        .map(|(s, f, t)| (s, f, cut(t)))
        .collect();

    // The statements that concern a question, by their keys.
    let mut alike: BTreeMap<String, Vec<LocatedStatement<'_>>> = BTreeMap::new();
    for (source, field, whole) in &texts {
        for (at, sentence) in whole
            .iter()
            .enumerate()
            .filter(|(_, sentence)| sentence.len() <= LONGEST)
        {
            let said = name_words(sentence);
            let bears = |asked: &HashSet<String>| {
                asked.intersection(&said).count() >= if asked.len() <= 3 { 1 } else { 2 }
            };
            if !asked.iter().any(bears) {
                continue;
            }

            for statement in statements(sentence) {
                let group = alike.entry(statement.key.clone()).or_default();
                group.push(LocatedStatement {
                    source,
                    field,
                    whole,
                    at,
                    statement,
                });
            }
        }
    }

    // The contradictions among those with the same key.
    let mut found: Vec<(usize, (Sentence, Sentence))> = Vec::new();
    let order = |said: &LocatedStatement<'_>| {
        sources
            .iter()
            .position(|source| source.id == said.source.id)
            .unwrap_or(usize::MAX)
    };

    for group in alike.values() {
        let mut reported = BTreeSet::new();
        for (at, a) in group.iter().take(COMPARED).enumerate() {
            for b in group.iter().take(COMPARED).skip(at + 1) {
                let is_copy = a.whole.get(a.at) == b.whole.get(b.at);
                if is_copy || !(contradict(&a.statement, &b.statement) && is_same_thing(a, b)) {
                    continue;
                }

                // The same contradiction is reported once for each thing, even if several records
                // repeat it.
                let mut sides = [content_form(&a.statement), content_form(&b.statement)];
                sides.sort();
                if reported.insert((
                    sides,
                    identity(a.source, PLACES),
                    identity(a.source, PRODUCTS),
                )) {
                    found.extend(sentence(a).zip(sentence(b)).map(|pair| (order(a), pair)));
                }
            }
        }
    }

    found.sort_by_key(|(order, _)| *order);
    found.dedup_by(|b, a| a.1 == b.1);
    found.into_iter().map(|(_, pair)| pair).collect()
}

/// Returns the sentence of a statement with its position in the source.
fn sentence(said: &LocatedStatement<'_>) -> Option<Sentence> {
    let text = *said.whole.get(said.at)?;
    let start = said.source.text.for_code().find(text)?;
    Some(Sentence {
        source: said.source.id.clone(),
        text: text.to_owned(),
        start,
    })
}

/// Returns whether two statements with the same key cannot both be true of one thing at one time.
fn contradict(a: &Statement, b: &Statement) -> bool {
    if a.key != b.key || a.when != b.when || a.quantities.len() != b.quantities.len() {
        return false;
    }

    let differing = a
        .quantities
        .iter()
        .zip(&b.quantities)
        .filter(|(a, b)| a.contradicts(b))
        .count();

    if a.is_denied != b.is_denied {
        // *Not 2 m* contradicts neither *3 m* nor *about 2 m*.
        return a.quantities == b.quantities;
    }

    let adds_up = a
        .quantities
        .iter()
        .any(|quantity| !quantity.unit.is_intensity());
    if adds_up && !a.is_present && !a.key.contains("was #") {
        return false;
    }

    let length = |dimension: Option<&'static str>| dimension.unwrap_or("long");
    let is_length = a
        .quantities
        .iter()
        .all(|quantity| quantity.unit.kind == "length");
    let same_way = a.dimension == b.dimension
        || if is_length {
            length(a.dimension) == length(b.dimension)
        } else {
            a.dimension.is_none() || b.dimension.is_none()
        };

    !a.is_denied && differing == 1 && same_way
}

/// Returns whether two statements are about the same thing at the same time.
fn is_same_thing(a: &LocatedStatement<'_>, b: &LocatedStatement<'_>) -> bool {
    if a.source.id == b.source.id {
        return a.field != b.field || is_same_in_text(a, b);
    }
    if differ(a.source, b.source, PLACES) || differ(a.source, b.source, PRODUCTS) {
        return false;
    }

    let lasts = |said: &LocatedStatement<'_>| {
        let quantities = &said.statement.quantities;
        said.statement.is_present
            && !quantities.is_empty()
            && quantities.iter().all(|quantity| quantity.unit.lasts())
    };

    // Things with a code.
    if a.statement.has_code && !is_of_a_kind(a) && !is_of_a_kind(b) {
        return !a.statement.when.is_empty()
            || have_the_same_dates(a.source, b.source)
            || (lasts(a) && lasts(b));
    }

    // Properties of a product, or of a thing with a name.
    let is_of_a_make = |said: &LocatedStatement<'_>| {
        let statement = &said.statement;
        let lasts_for = statement
            .key
            .split(' ')
            .any(|word| ["last", "dauert", "dura", "dure"].contains(&word));
        let belongs = statement.quantities.iter().all(|quantity| {
            quantity.unit.belongs_to_a_make() && (quantity.unit.kind != "time" || lasts_for)
        });
        let is_property = if statement.quantities.is_empty() {
            statement.has_name
        } else {
            belongs
        };
        statement.is_definite
            && statement.is_present
            && !statement.is_state
            && is_property
            && !mentions_several(said)
    };
    let same_product = identity(a.source, PRODUCTS);
    let is_named = a.statement.has_name && b.statement.has_name;
    (is_named || (!same_product.is_empty() && same_product == identity(b.source, PRODUCTS)))
        && is_of_a_make(a)
        && is_of_a_make(b)
}

/// Returns whether two statements of one field are about the same thing at the same time: there is
/// no change between the two sentences, and the field does not mention several things of the kind.
fn is_same_in_text(a: &LocatedStatement<'_>, b: &LocatedStatement<'_>) -> bool {
    let (from, to) = (a.at.min(b.at), a.at.max(b.at));
    let is_change = |sentence: &&str| scan(sentence).iter().any(|token| is(token, Words::Change));
    let changes = a
        .whole
        .get(from + 1..to)
        .is_some_and(|between| between.iter().any(is_change));
    !changes && from != to && (a.statement.has_code || !mentions_several(a))
}

/// Returns whether the code of a statement belongs to a kind, such as *the B-737*, and not to a
/// piece.
fn is_of_a_kind(said: &LocatedStatement<'_>) -> bool {
    let kinds: HashSet<String> = identity(said.source, KINDS)
        .values()
        .flat_map(|kind| name_words(kind))
        .collect();
    let mut codes = said
        .statement
        .key
        .split(' ')
        .filter(|word| word.contains(|c: char| c.is_ascii_digit()));
    codes.any(|code| name_words(code).iter().all(|part| kinds.contains(part)))
}

/// Returns whether a field mentions several things of a kind, so that *the motor* may be any of
/// them.
fn mentions_several(said: &LocatedStatement<'_>) -> bool {
    let mut codes = BTreeSet::new();

    for token in said
        .whole
        .iter()
        .flat_map(|sentence| joined(scan(sentence)))
    {
        if is(&token, Words::Several) {
            return true;
        }
        match token {
            Token::Code(code) => codes.insert(code),
            Token::Number {
                digits, unit: None, ..
            } => codes.insert(digits),
            _ => false,
        };
    }

    codes.len() > 1
}

/// Returns what distinguishes the two sides of a contradiction.
fn content_form(statement: &Statement) -> String {
    format!(
        "{} {:?} {:?}",
        statement.is_denied, statement.quantities, statement.when
    )
}

/// Returns the values of the fields whose names contain one of these words.
fn identity(source: &Source, names: &str) -> BTreeMap<String, String> {
    let fields = source.fields.for_code().iter();
    let named = fields.filter(|(name, _)| {
        name_words(name)
            .iter()
            .any(|word| names.split_ascii_whitespace().any(|n| n == word))
    });
    named
        .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.trim().to_lowercase())))
        .collect()
}

/// Returns whether two sources have different values in a field whose name contains one of these
/// words.
fn differ(a: &Source, b: &Source, names: &str) -> bool {
    let (a, b) = (identity(a, names), identity(b, names));
    a.iter()
        .any(|(name, value)| b.get(name).is_some_and(|other| other != value))
}

/// Returns whether no field of two records has different dates.
fn have_the_same_dates(a: &Source, b: &Source) -> bool {
    let dates = |source: &Source| -> BTreeMap<String, String> {
        let fields = source.fields.for_code().iter();
        let dated =
            fields.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
        dated.filter(|(_, value)| is_date(value)).collect()
    };
    let (a, b) = (dates(a), dates(b));
    a.iter()
        .all(|(name, date)| b.get(name).is_none_or(|other| other == date))
}

/// Returns whether a value begins with a year and a month: `2024-05`.
fn is_date(value: &str) -> bool {
    let is = |(at, byte): (usize, &u8)| {
        if at == 4 {
            *byte == b'-'
        } else {
            byte.is_ascii_digit()
        }
    };
    value.len() >= 7 && value.len() < 40 && value.as_bytes()[..7].iter().enumerate().all(is)
}

/// Returns the names of the fields with prose.
fn prose_fields(sources: &SourceRegistry) -> HashSet<String> {
    let mut lengths: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for source in sources.iter() {
        for (name, value) in source.fields.for_code() {
            if let Some(text) = value.as_str().filter(|text| !text.trim().is_empty()) {
                let (texts, words) = lengths.entry(name).or_default();
                *texts += 1;
                *words += text.split_whitespace().count();
            }
        }
    }
    let long = lengths
        .into_iter()
        .filter(|(_, (texts, words))| *words >= PROSE_WORDS * texts);
    long.map(|(name, _)| name.to_owned()).collect()
}

/// Returns the texts of a record: its fields with prose, or the whole record if it has no fields.
fn texts<'s>(source: &'s Source, prose: &HashSet<String>) -> Vec<(&'s Source, &'s str, &'s str)> {
    let fields = source.fields.for_code();
    if fields.is_empty() {
        return vec![(source, "", source.text.for_code().as_str())];
    }
    let long = fields.iter().filter(|(name, _)| prose.contains(*name));
    long.filter_map(|(name, value)| Some((source, name.as_str(), value.as_str()?)))
        .collect()
}

/// Splits a string into sentences.
fn cut(text: &str) -> Vec<&str> {
    text.unicode_sentences().map(str::trim).collect()
}

/// Returns the content words of a question.
fn content(text: &str) -> HashSet<String> {
    let is_content = |word: &String| {
        word.chars().count() >= CONTENT_WORD
            && !JOINING
                .split_ascii_whitespace()
                .any(|listed| listed == word)
    };
    name_words(text).into_iter().filter(is_content).collect()
}

#[cfg(test)]
mod tests;
