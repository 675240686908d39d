//! Finds sentences in the texts of records that cannot both be true.
//!
//! Two statements contradict each other when they say the same of the same thing in the same words, and either one denies it and the
//! other does not, or one gives another amount of the same quantity. A false alarm is worse than a miss, so what may explain the
//! difference is taken to explain it:
//!
//! - **Another time.** Sentences that name different days, months or years, or words such as *then*, *now* and *after*, tell of a
//!   change. So do statements of records with different dates, unless the sentences name the same time (a month without a year is
//!   the same month), or tell in the present what stays as it is, such as a length.
//! - **Another thing.** *Pump 30* is not *pump 31*, the pump 31 of one site not that of another, *a valve* not *a valve*. On two
//!   records a thing must have a number or a code. In the present it may also have a name or be a part of the product that
//!   both records name: a cord is as long for every customer, but a broken lid is that of one.
//! - **Another part.** What was done, lost or waited for may be told in parts: *lost 2 blades* and *lost 3 blades*. Amounts that add up
//!   contradict each other only in the present, or where the thing *was* so much.
//! - **Another way to write it.** Numbers agree that are one number rounded, converted or said to be approximate.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use unicode_segmentation::UnicodeSegmentation;

use super::lexicon::Words;
use super::scan::{Token, is, joined, scan};
use super::statement::{Statement, statements};
use crate::dataset::answers::words;
use crate::kernel::{Claim, Source, SourceRegistry};

/// Most statements of one form that are compared with each other.
const COMPARED: usize = 200;
/// A field whose texts have on average so many words holds prose.
const PROSE_WORDS: usize = 4;
/// Longest sentence that is read, in bytes.
const LONGEST: usize = 400;
/// Fewest letters of a word that shows what a question is about.
const CONTENT_WORD: usize = 3;
/// Words of questions that are not what these are about.
const JOINING: &str = "about all and any are but can did for get got had has how its not our out per she the too was way who \
    why you yet after been before could does from fast have high kind kinds long many mention mentioned more most \
    much over record records report reports said says tell text texts than that their them there these they this those \
    under were what when where which will with would";
/// Names of fields that say of which product a record is: all pieces of it are alike.
const PRODUCTS: &str =
    "product item article produkt artikel produit producto artículo prodotto articolo produto artigo";
/// Names of fields that say of which kind a record is: its pieces are many, whatever number the kind has.
const KINDS: &str = "make model type kind class category series modell typ art modèle modelo modello tipo";
/// Names of fields that say where something is or whose it is: the same number is another thing there.
const PLACES: &str = "aircraft airport branch building city client company country customer department facility factory line \
    location operator owner plant region room shop site state station store town unit vehicle vessel standort werk ort \
    stadt land kunde anlage gebäude lieu ville pays client sitio lugar ciudad país cliente luogo città local cidade";

/// A sentence of a record.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sentence {
    pub(super) source: String,
    pub(super) text: String,
    start: usize,
}

impl Sentence {
    /// The quote of it.
    pub(super) fn quote(&self) -> Claim {
        Claim::Quote { source: self.source.clone(), text: self.text.clone(), start: Some(self.start) }
    }
}

/// A statement where it stands.
struct Said<'s> {
    source: &'s Source,
    field: &'s str,
    /// The text of the field by sentences.
    whole: &'s [&'s str],
    /// Which of them it is.
    at: usize,
    statement: Statement,
}

/// Pairs of sentences that bear on one of the questions and contradict each other, in the order of the records.
pub(super) fn between_texts(sources: &SourceRegistry, questions: &[&str]) -> Vec<(Sentence, Sentence)> {
    let asked: Vec<HashSet<String>> = questions.iter().map(|question| content(question)).collect();
    let prose = prose_fields(sources);
    let texts: Vec<(&Source, &str, Vec<&str>)> =
        sources.iter().flat_map(|source| texts(source, &prose)).map(|(s, f, t)| (s, f, cut(t))).collect();
    let mut alike: BTreeMap<String, Vec<Said<'_>>> = BTreeMap::new();
    for (source, field, whole) in &texts {
        for (at, sentence) in whole.iter().enumerate().filter(|(_, sentence)| sentence.len() <= LONGEST) {
            let said = words(sentence);
            let bears =
                |asked: &HashSet<String>| asked.intersection(&said).count() >= if asked.len() <= 3 { 1 } else { 2 };
            if !asked.iter().any(bears) {
                continue;
            }
            for statement in statements(sentence) {
                let group = alike.entry(statement.key.clone()).or_default();
                group.push(Said { source, field, whole, at, statement });
            }
        }
    }
    let mut found: Vec<(usize, (Sentence, Sentence))> = Vec::new();
    let order = |said: &Said<'_>| sources.iter().position(|source| source.id == said.source.id).unwrap_or(usize::MAX);
    for group in alike.values() {
        let mut told = BTreeSet::new();
        for (at, a) in group.iter().take(COMPARED).enumerate() {
            for b in group.iter().take(COMPARED).skip(at + 1) {
                let is_copy = a.whole.get(a.at) == b.whole.get(b.at);
                if is_copy || !(contradict(&a.statement, &b.statement) && is_same_thing(a, b)) {
                    continue;
                }
                // The same disagreement is told once for each thing, however many repeat it.
                let mut sides = [content_form(&a.statement), content_form(&b.statement)];
                sides.sort();
                if told.insert((sides, identity(a.source, PLACES), identity(a.source, PRODUCTS))) {
                    found.extend(sentence(a).zip(sentence(b)).map(|pair| (order(a), pair)));
                }
            }
        }
    }
    found.sort_by_key(|(order, _)| *order);
    found.dedup_by(|b, a| a.1 == b.1);
    found.into_iter().map(|(_, pair)| pair).collect()
}

fn sentence(said: &Said<'_>) -> Option<Sentence> {
    let text = *said.whole.get(said.at)?;
    let start = said.source.text.for_code().find(text)?;
    Some(Sentence { source: said.source.id.clone(), text: text.to_owned(), start })
}

/// Whether two statements of one form cannot both be true of one thing at one time.
fn contradict(a: &Statement, b: &Statement) -> bool {
    if a.key != b.key || a.when != b.when || a.quantities.len() != b.quantities.len() {
        return false;
    }
    let differing = a.quantities.iter().zip(&b.quantities).filter(|(a, b)| a.contradicts(b)).count();
    if a.is_denied != b.is_denied {
        // *Not 2 m* says nothing of 3 m, nor whether *about 2 m* holds.
        return a.quantities == b.quantities;
    }
    let adds_up = a.quantities.iter().any(|quantity| !quantity.unit.is_intensity());
    if adds_up && !a.is_present && !a.key.contains("was #") {
        return false;
    }
    let length = |dimension: Option<&'static str>| dimension.unwrap_or("long");
    let is_length = a.quantities.iter().all(|quantity| quantity.unit.kind == "length");
    let same_way = a.dimension == b.dimension
        || if is_length {
            length(a.dimension) == length(b.dimension)
        } else {
            a.dimension.is_none() || b.dimension.is_none()
        };
    !a.is_denied && differing == 1 && same_way
}

/// Whether both speak of the same thing at the same time.
fn is_same_thing(a: &Said<'_>, b: &Said<'_>) -> bool {
    if a.source.id == b.source.id {
        return a.field != b.field || is_same_in_text(a, b);
    }
    if differ(a.source, b.source, PLACES) || differ(a.source, b.source, PRODUCTS) {
        return false;
    }
    let lasts = |said: &Said<'_>| {
        let quantities = &said.statement.quantities;
        said.statement.is_present && !quantities.is_empty() && quantities.iter().all(|quantity| quantity.unit.lasts())
    };
    if a.statement.has_code && !is_of_a_kind(a) && !is_of_a_kind(b) {
        return !a.statement.when.is_empty() || have_the_same_dates(a.source, b.source) || (lasts(a) && lasts(b));
    }
    let is_of_a_make = |said: &Said<'_>| {
        let statement = &said.statement;
        let lasts_for = statement.key.split(' ').any(|word| ["last", "dauert", "dura", "dure"].contains(&word));
        let belongs = statement
            .quantities
            .iter()
            .all(|quantity| quantity.unit.belongs_to_a_make() && (quantity.unit.kind != "time" || lasts_for));
        let is_property = if statement.quantities.is_empty() { statement.has_name } else { belongs };
        statement.is_definite && statement.is_present && !statement.is_state && is_property && !tells_of_several(said)
    };
    let same_product = identity(a.source, PRODUCTS);
    let is_named = a.statement.has_name && b.statement.has_name;
    (is_named || (!same_product.is_empty() && same_product == identity(b.source, PRODUCTS)))
        && is_of_a_make(a)
        && is_of_a_make(b)
}

/// Within one text a change between the two sentences may explain the difference, and a thing without a number may be another one
/// where the text tells of several.
fn is_same_in_text(a: &Said<'_>, b: &Said<'_>) -> bool {
    let (from, to) = (a.at.min(b.at), a.at.max(b.at));
    let tells_change = |sentence: &&str| scan(sentence).iter().any(|token| is(token, Words::Change));
    let changes = a.whole.get(from + 1..to).is_some_and(|between| between.iter().any(tells_change));
    !changes && from != to && (a.statement.has_code || !tells_of_several(a))
}

/// Whether the code of a statement is that of a kind, such as *the B-737*, and not of a piece.
fn is_of_a_kind(said: &Said<'_>) -> bool {
    let kinds: HashSet<String> = identity(said.source, KINDS).values().flat_map(|kind| words(kind)).collect();
    let mut codes = said.statement.key.split(' ').filter(|word| word.contains(|c: char| c.is_ascii_digit()));
    codes.any(|code| words(code).iter().all(|part| kinds.contains(part)))
}

/// Whether a text tells of several things of a kind, so that *the motor* may be each of them.
fn tells_of_several(said: &Said<'_>) -> bool {
    let mut codes = BTreeSet::new();
    for token in said.whole.iter().flat_map(|sentence| joined(scan(sentence))) {
        if is(&token, Words::Several) {
            return true;
        }
        match token {
            Token::Code(code) => codes.insert(code),
            Token::Number { digits, unit: None, .. } => codes.insert(digits),
            _ => false,
        };
    }
    codes.len() > 1
}

/// What distinguishes the sides of a contradiction.
fn content_form(statement: &Statement) -> String {
    format!("{} {:?} {:?}", statement.is_denied, statement.quantities, statement.when)
}

/// The values of the fields whose names hold one of these words.
fn identity(source: &Source, names: &str) -> BTreeMap<String, String> {
    let fields = source.fields.for_code().iter();
    let named =
        fields.filter(|(name, _)| words(name).iter().any(|word| names.split_ascii_whitespace().any(|n| n == word)));
    named.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.trim().to_lowercase()))).collect()
}

fn differ(a: &Source, b: &Source, names: &str) -> bool {
    let (a, b) = (identity(a, names), identity(b, names));
    a.iter().any(|(name, value)| b.get(name).is_some_and(|other| other != value))
}

/// Whether no field tells that the records are of different days.
fn have_the_same_dates(a: &Source, b: &Source) -> bool {
    let dates = |source: &Source| -> BTreeMap<String, String> {
        let fields = source.fields.for_code().iter();
        let dated = fields.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
        dated.filter(|(_, value)| is_date(value)).collect()
    };
    let (a, b) = (dates(a), dates(b));
    a.iter().all(|(name, date)| b.get(name).is_none_or(|other| other == date))
}

/// Whether a value begins as `2024-05`.
fn is_date(value: &str) -> bool {
    let is = |(at, byte): (usize, &u8)| if at == 4 { *byte == b'-' } else { byte.is_ascii_digit() };
    value.len() >= 7 && value.len() < 40 && value.as_bytes()[..7].iter().enumerate().all(is)
}

/// Names of the fields that hold prose.
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
    let long = lengths.into_iter().filter(|(_, (texts, words))| *words >= PROSE_WORDS * texts);
    long.map(|(name, _)| name.to_owned()).collect()
}

/// The texts of a record: its fields that hold prose, or all of it where it has no fields.
fn texts<'s>(source: &'s Source, prose: &HashSet<String>) -> Vec<(&'s Source, &'s str, &'s str)> {
    let fields = source.fields.for_code();
    if fields.is_empty() {
        return vec![(source, "", source.text.for_code().as_str())];
    }
    let long = fields.iter().filter(|(name, _)| prose.contains(*name));
    long.filter_map(|(name, value)| Some((source, name.as_str(), value.as_str()?))).collect()
}

fn cut(text: &str) -> Vec<&str> {
    text.unicode_sentences().map(str::trim).collect()
}

/// The words that show what a text is about.
fn content(text: &str) -> HashSet<String> {
    let is_content = |word: &String| {
        word.chars().count() >= CONTENT_WORD && !JOINING.split_ascii_whitespace().any(|listed| listed == word)
    };
    words(text).into_iter().filter(is_content).collect()
}

#[cfg(test)]
mod tests;
