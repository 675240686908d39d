//! Reads a question in one of six languages in terms of the fields of a tool.
//!
//! The question is cut into items: the longest phrases that are words of the vocabulary, names of
//! fields, values, numbers or times. Each reader then takes the items that it understands; what is
//! left is to be looked up at the data source, or is reported.

pub(crate) mod words;
pub(crate) mod cut;
pub(crate) mod reader;
pub(crate) mod opening;
pub(crate) mod functions;
pub(crate) mod order;
pub(crate) mod groups;
pub(crate) mod quantities;
pub(crate) mod times;
pub(crate) mod values;
pub(crate) mod leftovers;
pub(crate) mod shape;

use std::cell::OnceCell;

use research_agents_report::evidence::plain;
use research_agents_report::text::words;
use rust_stemmers::Stemmer;

use crate::data::task::FieldFacts;
use crate::question::read::cut::cutter::Cutter;
use crate::question::read::cut::field::stem_of;
use crate::question::read::cut::items::Item;
use crate::question::read::cut::schema::Schema;
use crate::question::read::opening::framing::before::Before;
use crate::question::read::opening::framing::unframed;
use crate::question::read::opening::framing::wording::plainly_written;
use crate::question::read::quantities::computed::asked::Computed;
use crate::question::read::reader::Reader;
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::tokens::{Token, stemmer, tokens};
use crate::question::read::words::vocabulary::{Role, Vocabulary, is_slip, languages};
use crate::question::reading::{CandidateMatch, Condition, Lookup, Outcome, QuestionReading};

/// Letters of a word that is found at the end of a joined name, such as `percbelowpoverty`.
const LONG: usize = 6;

/// Reads a question against the fields of a tool, with what the data source found for its words.
/// `preferred` are the fields that the user means where words fit several, and `titles` the words
/// that the data calls its records by, in small letters.
pub fn read(
    question: &str,
    fields: &[FieldFacts],
    found: &Lookup,
    preferred: &[String],
    titles: &[String],
) -> QuestionReading {
    let plain = plainly_written(question);
    let said = tokens(&plain);
    let vocabulary = language_of(&said);
    let asked = |question: &str| read_asked(question, vocabulary, fields, found, preferred, titles);
    let Some(mut unframed) = unframed(&plain, &said, vocabulary) else {
        return asked(&plain);
    };
    let own = (vocabulary.code != "en").then(|| stemmer(vocabulary.code));
    let schema = Schema::new(fields, own.as_ref(), &[]).called(titles);
    let items = |text: &str, said: &[Token<'_>]| {
        Cutter::new(text, said, vocabulary, &schema, found).items()
    };
    let mut behind = tokens(&unframed.behind);
    set_own_stems(&mut behind, own.as_ref());
    let names_something = |item: &Item| {
        let is_value = item.values.iter().any(|value| !value.needs_field);
        is_value || !item.fields.is_empty() || item.looked_up.is_some()
    };
    if items(&unframed.behind, &behind).iter().any(names_something) {
        unframed.asked = format!("{} {}", unframed.asked, unframed.behind);
    }
    if unframed.before.is_empty() {
        return asked(&unframed.asked);
    }

    // What was said before counts where the question points back to it.
    let mut before = tokens(&unframed.before);
    set_own_stems(&mut before, own.as_ref());
    let mut rest = tokens(&unframed.asked);
    set_own_stems(&mut rest, own.as_ref());
    let before = Before {
        text: &unframed.before,
        said: &before,
        items: &items(&unframed.before, &before),
        vocabulary,
        found,
    };
    if before.states_conditions() {
        return asked(&format!("{} {}", unframed.before, unframed.asked));
    }
    let completed = before.completes(&unframed.asked, &items(&unframed.asked, &rest));
    let mut out = asked(&completed);
    // No condition vanishes.
    for said in before.left_out(&completed) {
        out.conditions.push(Condition {
            said: said.to_owned(),
            outcome: Outcome::NotApplied {
                why: "it was said before the question".to_owned(),
            },
        });
    }
    for text in before.unknown() {
        if !out
            .further
            .iter()
            .chain(&out.unknown)
            .any(|known| known == text)
        {
            out.further.push(text.to_owned());
        }
    }
    out
}

/// Reads what is asked, without its frame.
fn read_asked(
    question: &str,
    vocabulary: &'static Vocabulary,
    fields: &[FieldFacts],
    found: &Lookup,
    preferred: &[String],
    titles: &[String],
) -> QuestionReading {
    let mut said = tokens(question);
    let own = (vocabulary.code != "en").then(|| stemmer(vocabulary.code));
    set_own_stems(&mut said, own.as_ref());
    let long = said.iter().map(|token| token.lower.as_str());
    let long: Vec<&str> = long.filter(|word| word.len() >= LONG).collect();
    let computed = OnceCell::new();
    let mut schema = Schema::new(fields, own.as_ref(), &long).called(titles);
    if vocabulary.code == "de" {
        split_compounds(&mut said, vocabulary, &schema, own.as_ref());
    }
    let slips = correct_slips(&mut said, vocabulary, &schema, found);
    // Whether the data has the word as it is written.
    let (doubtful, notes): (Vec<String>, Vec<String>) =
        slips.into_iter().map(|slip| (slip.said, slip.note)).unzip();
    let mut items = Cutter::new(question, &said, vocabulary, &schema, found).items();
    if let Some(shorter) = without_explained(&said, &items) {
        said = shorter;
        items = Cutter::new(question, &said, vocabulary, &schema, found).items();
    }

    let preferred: Vec<usize> = (0..fields.len())
        .filter(|at| preferred.contains(&fields[*at].name))
        .collect();
    let reader = Reader::new(question, &said, vocabulary, &schema, found, items.clone());
    let asked = reader.computed_asked();
    let facts = asked.as_ref().and_then(|asked| {
        let [from, other] = [asked.from, asked.other].map(|field| schema.fields[field].facts);
        FieldFacts::computed(from, asked.operation, other)
    });
    if let Some(facts) = facts {
        let naming = asked.as_ref().and_then(Computed::naming);
        schema.add_computed(computed.get_or_init(|| facts), naming);
        if naming.is_some() {
            items = Cutter::new(question, &said, vocabulary, &schema, found).items();
        }
    }

    let mut reader = Reader::new(question, &said, vocabulary, &schema, found, items);
    reader.preferred = preferred;
    (reader.out.notes, reader.out.further) = (notes, doubtful);

    if let Some(asked) = &asked {
        reader.read_computed(asked);
    }
    reader.drop_taken_back();
    reader.settle_year_columns();
    // What names a field for a purpose goes first, so that the same words are not conditions.
    reader.settle_split_names();
    reader.settle_named_totals();
    reader.join_values();
    reader.drop_weak_candidates();
    reader.mark_negations();
    reader.read_texts_in_fields();
    reader.read_pairs();
    reader.read_mentions();
    reader.read_how();
    reader.read_which();
    reader.read_missing();
    reader.read_numbered_values();
    reader.read_per_record();
    reader.read_functions();
    reader.read_years_compared();
    reader.read_comparisons();
    reader.read_relations();
    reader.read_ordinals();
    reader.read_superlatives();
    reader.read_wanted_behind();
    reader.read_groupings();

    // Conditions.
    reader.read_signs();
    reader.read_numbers();
    reader.read_times();
    reader.read_signs_of_values();
    reader.read_values();
    reader.read_truths();
    reader.settle_functions();
    reader.settle_amount();

    // What is left, and what the whole asks for.
    reader.read_leftovers();
    reader.refuse_comparisons();
    reader.refuse_negations();
    reader.refuse_groupings();
    reader.settle_shape();
    reader.settle_tallies();
    reader.settle_mentions();
    reader.settle_counted_mention();
    reader.settle_unheld();
    reader.settle_alternatives();
    reader.settle_order();
    reader.drop_years_of_names();
    reader.add_phrases();
    reader.add_codes();
    if let Some(subject) = reader.out.subject.as_deref().map(str::to_lowercase) {
        let is_record = |token: &Token<'_>| token.lower == subject && schema.is_title(token);
        reader.out.is_subject_known = said.iter().any(is_record);
    }
    let respelt = reader.items.iter().filter(|item| item.respelt.is_some());
    let respelt = respelt.map(|item| (item.start, item.end));
    for (start, end) in respelt.collect::<Vec<_>>() {
        let (from, to) = (said[start].start, said[end - 1].end);
        reader.out.further.push(question[from..to].to_owned());
    }
    reader.out
}

/// Leaves out what a value or field of the data explains in parentheses, as *Notaufnahme* in
/// `nicht in der Notaufnahme (emergency)` and *extinct in the wild* in `extinct in the wild (EW)`;
/// `None` if nothing is explained.
fn without_explained<'q>(said: &[Token<'q>], items: &[Item]) -> Option<Vec<Token<'q>>> {
    /// Items of an explanation, and of what it explains.
    const MOST: usize = 5;
    const LINKS: &[Role] = &[Role::Stop, Role::In, Role::Of];
    let is_unknown = |item: &Item| {
        item.roles.is_empty()
            && item.fields.is_empty()
            && item.values.is_empty()
            && item.number.is_none()
            && item.moment.is_none()
            && !item.is_quoted
    };
    let is_value = |item: &Item| item.values.iter().any(|value| !value.needs_field);
    let is_field = |item: &Item| {
        let best = item.fields.first();
        best.is_some_and(|best| best.is_full && best.score >= 1000)
    };
    let breaks = |item: &Item| said[item.start].breaks();

    let explained = (1..items.len()).filter_map(|opening| {
        let item = &items[opening];
        if said[item.start].gap != " (" || !is_unknown(&items[opening - 1]) {
            return None;
        }
        let inside = items[opening + 1..].iter().take_while(|item| !breaks(item));
        let mut inside = inside.take(MOST);
        let is_clear = is_value(item) || is_field(item) || inside.any(is_value);
        let first = (opening.saturating_sub(MOST)..opening)
            .rev()
            .take_while(|at| {
                let item = &items[*at];
                (is_unknown(item) || item.has_any(LINKS)) && !breaks(&items[*at + 1])
                    || *at + 1 == opening
            })
            .filter(|at| is_unknown(&items[*at]))
            .last()?;
        is_clear.then_some((items[first].start, item.start))
    });
    let explained: Vec<(usize, usize)> = explained.collect();

    let is_kept = |at: usize| {
        !explained
            .iter()
            .any(|(from, to)| (*from..*to).contains(&at))
    };
    let kept = said.iter().enumerate().filter(|(at, _)| is_kept(*at));
    let kept = kept.map(|(at, token)| {
        let mut token = token.clone();
        if explained.iter().any(|(_, to)| *to == at) {
            token.gap = " ";
        }
        token
    });
    (!explained.is_empty()).then(|| kept.collect())
}

fn set_own_stems(tokens: &mut [Token<'_>], stemmer: Option<&Stemmer>) {
    for token in tokens {
        token.own_stem = match stemmer {
            Some(stemmer) => stemmer.stem(&token.lower).into_owned(),
            None => token.stem.clone(),
        };
    }
}

/// Splits German compounds of two words of which at least one names a field, such as
/// *Geburtenrate*.
fn split_compounds(
    tokens: &mut Vec<Token<'_>>,
    vocabulary: &Vocabulary,
    schema: &Schema<'_>,
    stemmer: Option<&Stemmer>,
) {
    /// Letters of a part at least.
    const SHORTEST: usize = 4;
    let names = |word: &str| {
        let stem = stem_of(word);
        let concepts = concepts().of(word, &stem, "");
        !schema.with_stem(&stem).is_empty()
            || concepts
                .iter()
                .any(|concept| !schema.with_concept(concept).is_empty())
    };
    let is_known = |word: &str| !concepts().of(word, &stem_of(word), "").is_empty();

    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        let is_whole = token.quoted.is_some()
            || vocabulary.knows(&token.lower)
            || is_known(&token.lower)
            || token.lower.len() != token.text.len()
            || !schema.with_stem(&token.stem).is_empty()
            || !schema.values(&token.stem).is_empty();
        let cuts = token
            .lower
            .char_indices()
            .map(|(cut, _)| cut)
            .skip(SHORTEST);
        let cut = cuts
            .filter(|cut| token.lower.len() - cut >= SHORTEST)
            .filter(|_| !is_whole)
            .find(|cut| {
                let (head, tail) = token.lower.split_at(*cut);
                let head = [head, head.trim_end_matches('s')];
                let head = head.into_iter().find(|head| is_known(head) || names(head));
                head.is_some_and(|head| {
                    (is_known(tail) || names(tail)) && names(head) && names(tail)
                })
            });
        if let Some(cut) = cut {
            let (head, tail) = token.split(cut);
            tokens.splice(at..=at, [head, tail]);
            set_own_stems(&mut tokens[at..at + 2], stemmer);
            at += 1;
        }
        at += 1;
    }
}

/// A word of a question that is read as another one.
struct Slip {
    said: String,
    note: String,
}

/// Corrects misspelt words of the vocabulary, such as *avrage*. Words with a capital, and those of
/// the data, as *butter* of foods, are left as they are.
fn correct_slips(
    tokens: &mut [Token<'_>],
    vocabulary: &Vocabulary,
    schema: &Schema<'_>,
    found: &Lookup,
) -> Vec<Slip> {
    let is_found = |word: &str| {
        let entry = found.entries.iter().find(|entry| entry.text == word);
        let mut candidates = entry.into_iter().flat_map(|entry| &entry.candidates);
        candidates.any(|candidate| {
            let value = plain(&candidate.value);
            // `mny` is not the code `MNY`.
            let is_code = value.len() <= 4 && value.chars().all(char::is_uppercase);
            candidate.matching <= CandidateMatch::Words && !is_code
        })
    };
    let mut slips = Vec::new();

    for at in 0..tokens.len() {
        let token = &tokens[at];
        let follows_how = at > 0 && tokens[at - 1].lower == "how";
        let is_of_data = !schema.with_stem(&token.stem).is_empty()
            || !schema.values(&token.stem).is_empty()
            || !follows_how && is_found(&token.lower);
        let may_be = token.quoted.is_none()
            && (!token.is_capital() || token.opens)
            && token.lower.chars().all(char::is_alphabetic);
        if is_of_data || !may_be {
            continue;
        }
        // `how meny`
        let is_unknown = !vocabulary.knows(&token.lower)
            && concepts().opposite(&token.lower).is_none()
            && concepts()
                .of(&token.lower, &token.stem, &token.own_stem)
                .is_empty();
        let title = schema.title_spelling(&token.lower);
        let known = if follows_how && is_slip(&token.lower, "many") {
            Some("many")
        } else {
            let own = vocabulary.spelling(&token.lower);
            own.or(title.as_deref())
                .or_else(|| schema.concept_spelling(&token.lower).filter(|_| is_unknown))
        };
        if let Some(known) = known {
            slips.push(Slip {
                said: token.lower.clone(),
                note: format!("“{}” is read as “{known}”", token.text),
            });
            let known = known.to_owned();
            let token = &mut tokens[at];
            token.stem = words(&known)
                .first()
                .map_or_else(|| known.clone(), |word| word.stem.clone());
            token.own_stem = token.stem.clone();
            token.lower = known;
        }
    }
    slips
}

/// Returns the vocabulary that knows most words of a question; English if none knows more.
fn language_of(tokens: &[Token<'_>]) -> &'static Vocabulary {
    let known = |vocabulary: &Vocabulary| {
        let words = tokens.iter().filter(|token| token.quoted.is_none());
        let weight = |word: &Token<'_>| {
            let lower = word.lower.as_str();
            let entry = vocabulary
                .longest_at(|k| (k == 0).then_some(lower))
                .map(|(entry, _)| entry);
            entry.map_or(0, |entry| {
                let is_telling = entry
                    .roles
                    .iter()
                    .any(|role| !matches!(role, Role::Light | Role::Generic));
                let is_degree = entry.degree.is_some();
                if (is_telling || is_degree) && !word.is_number() {
                    3
                } else {
                    1
                }
            })
        };
        words.map(weight).sum::<usize>()
    };

    let mut best = &languages()[0];
    let mut most = known(best);
    for vocabulary in &languages()[1..] {
        let score = known(vocabulary);
        if score > most {
            (best, most) = (vocabulary, score);
        }
    }
    best
}

#[cfg(test)]
mod tests;
