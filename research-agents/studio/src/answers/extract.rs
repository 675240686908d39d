//! Answers to questions, read from passages without a language model.
//!
//! [`extract`] finds the sentences that are about what a question asks for, and takes from each the
//! value that the question [expects](Expected). It would rather find nothing than another value: by
//! rules, a sentence must have most of the weight of the question's words, all its names and
//! numbers, and the same qualifiers, so that a default is never taken for a maximum. Of questions
//! in other words, a ranking of all sentences chooses one, or none. [`nearest`] gives the sentences
//! that a reader may want to see where none answers.
//!
//! ```
//! use research_agents_report::passage::{Document, Found, PassageRegistry};
//! use research_agents_studio::extract::extract;
//!
//! let mut passages = PassageRegistry::default();
//! let text = "The default page size is 4096 bytes. The maximum page size is 65536 bytes.";
//! let document = passages.add_document(Document::new("limits.md", text));
//! passages.add(&document, 0..text.len(), Found::by("manual"))?;
//!
//! let found = extract("q1", "What is the maximum page size?", &passages);
//! let quote = found.answers[0].quote.clone();
//! assert_eq!(&text[quote], "The maximum page size is 65536 bytes.");
//! assert!(extract("q2", "What is the minimum page size?", &passages).answers.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod asked;
mod bound;
mod context;
mod expected;
mod lexicon;
mod named;
mod qualifiers;
mod ranked;
mod sentence;
mod stated;

use std::collections::BTreeMap;
use std::iter;

use research_agents_report::passage::{Passage, PassageRegistry};
use research_agents_report::trust::value::{Sameness, compare};
use serde::{Deserialize, Serialize};

use self::asked::{Asked, MOST_QUOTES, measures_same};
use self::bound::Terms;
use self::context::{Found, by_context, of_others};
pub use self::expected::Expected;
use self::qualifiers::Age;
use self::ranked::{Choice, Ranked, beside, choose, ranked, worth_showing};
use self::sentence::Sentence;
use crate::answers::story::asking_part;
use crate::answers::table::Answer;

/// Share of the weight of a question's words that a sentence must hold.
const LEAST_SHARE: f64 = 0.6;
/// Share of the best sentence's share that another sentence must have.
const NEAR_BEST: f64 = 0.85;
/// Maximum number of values of one document.
const MOST_VALUES: usize = 2;

/// What was read from passages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Extracted {
    /// The type of answer that the question expects. Of [`Expected::Other`] the answers are quotes
    /// without a value.
    pub expected: Expected,
    /// The answers, the best one first: one of each document, or two if it gives two values.
    pub answers: Vec<Answer>,
}

/// Reads the answers to a question from passages. `id` is the id of the question.
pub fn extract(id: &str, question: &str, passages: &PassageRegistry) -> Extracted {
    let asked = Asked::new(asking_part(question));
    let (sentences, near) = Sentence::of(passages);
    let by_rules = by_rules(&asked, &sentences[..near]);
    let ranked = ranked(&asked, &sentences, &by_rules);

    let answer = |sentence: &Sentence<'_>, quote, value| Answer {
        value,
        ..Answer::quoted(id, sentence.passage.id.clone(), quote)
    };
    let answers = match choose(&ranked, &by_rules) {
        Choice::Nothing => Vec::new(),
        // The rules also know which values of a document count, and what others say.
        Choice::Rules => {
            let found = by_rules.into_iter();
            let answers = found.map(|(_, own, value)| answer(own, asked.quote(own), value));
            answers.collect()
        }
        Choice::Best(best) => {
            let value = best.stated().cloned();
            let own = [(best.lead, best.sentence, value.clone())];
            let others = of_others(&asked, &sentences[..near], site, &own).into_iter();
            let others = others.map(|(_, own, value)| answer(own, asked.quote(own), value));
            let others: Vec<Answer> = others.collect();

            // A value that another publisher gives too, or disputes, is compared with it.
            let is_compared = value.is_some() && !others.is_empty();
            if best.taken().is_some() || is_compared {
                let first = answer(best.sentence, best.quote(&asked), value);
                iter::once(first).chain(others).collect()
            } else {
                let quoted = beside(best, &ranked).take(MOST_QUOTES);
                let answers = quoted.map(|one| answer(one.sentence, one.quote(&asked), None));
                answers.collect()
            }
        }
    };
    Extracted {
        answers,
        expected: asked.expected.clone(),
    }
}

/// The quotes that are nearest to a question, whether or not they answer it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Nearest {
    /// The quotes, the best one first.
    pub quotes: Vec<Answer>,
    /// Whether the best one leads so far that it answers the question in four of five cases.
    pub is_clear: bool,
}

/// Returns at most `most` quotes that are nearest to a question, from the passages that `is_read`
/// admits.
///
/// ```
/// use research_agents_report::passage::{Document, Found, PassageRegistry};
/// use research_agents_studio::extract::{extract, nearest};
///
/// let mut passages = PassageRegistry::default();
/// let text = "The cache is cleared at every start. Pages are read again when they change.";
/// let document = passages.add_document(Document::new("cache.md", text));
/// passages.add(&document, 0..text.len(), Found::by("manual"))?;
///
/// let question = "Which command clears the cache at the start?";
/// assert!(extract("q1", question, &passages).answers.is_empty());
/// let found = nearest(question, &passages, |_| true, 1);
/// assert!(!found.is_clear);
/// assert_eq!(&text[found.quotes[0].quote.clone()], "The cache is cleared at every start.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn nearest(
    question: &str,
    passages: &PassageRegistry,
    is_read: impl Fn(&Passage) -> bool,
    most: usize,
) -> Nearest {
    let asked = Asked::new(asking_part(question));
    let (mut sentences, near) = Sentence::of(passages);
    let near = sentences.iter().take(near);
    let near = near.filter(|one| is_read(one.passage)).count();
    sentences.retain(|sentence| is_read(sentence.passage));
    let found = by_rules(&asked, &sentences[..near]);
    let ranked = ranked(&asked, &sentences, &found);

    let mut quotes: Vec<Answer> = Vec::new();
    for one in worth_showing(&ranked) {
        let answer = Answer::quoted("", one.sentence.passage.id.clone(), one.quote(&asked));
        if quotes.len() < most && !quotes.contains(&answer) {
            quotes.push(answer);
        }
    }
    Nearest {
        quotes,
        is_clear: ranked.first().is_some_and(Ranked::leads_clearly),
    }
}

/// Returns the answers that hold by rules, the best one first: a sentence must have most of the
/// question, itself or with what is around it.
fn by_rules<'s, 'p>(asked: &Asked, sentences: &'s [Sentence<'p>]) -> Vec<Found<'s, 'p>> {
    let weights = asked.weights(sentences);
    let subject = asked.subject(sentences);
    let terms = Terms::new(asked, sentences);

    let mut found: Vec<Found<'_, '_>> = Vec::new();
    for sentence in sentences {
        let share = asked.share(sentence, &weights);
        let is_bound = || terms.bind(sentence) && terms.lacking(sentence) == 0;
        if share < LEAST_SHARE || !asked.is_about(sentence, &subject) || !is_bound() {
            continue;
        }
        if let Some(value) = asked.value_in(sentence, &weights) {
            found.push((share, sentence, Some(value)));
        }
    }

    let strict = |sentence: &Sentence<'_>| {
        let mut known = found.iter();
        let known = known.find(|(_, own, _)| std::ptr::eq(*own, sentence));
        known.and_then(|(_, _, value)| value.clone())
    };
    let around = by_context(asked, &terms, sentences, site, strict);
    let is_among = |(_, sentence, value): &Found<'_, '_>| {
        let is_it = |(_, own, known): &Found<'_, '_>| match (value, known) {
            (Some(value), Some(known)) => compare(value, known) == Sameness::Same,
            _ => std::ptr::eq(*own, *sentence),
        };
        found.iter().any(is_it)
    };
    if found.is_empty() || !around.is_empty() && !around.iter().any(is_among) {
        found = around;
    }

    // A definition of what is asked for says more than what mentions it.
    let defines = |sentence: &Sentence<'_>| asked.is_defined_by(sentence);
    if found.iter().any(|(_, sentence, _)| defines(sentence)) {
        found.retain(|(_, sentence, _)| defines(sentence));
    }

    // The best sentences, unless another document has a much better one.
    let best = found.iter().map(|(share, ..)| *share).fold(0.0, f64::max);
    found.retain(|(share, ..)| *share >= NEAR_BEST * best);
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let others = of_others(asked, sentences, site, &found);
    found.extend(others);
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by(|a, b| found[*b].0.total_cmp(&found[*a].0).then(a.cmp(b)));
    if asked.expected == Expected::Other {
        order.truncate(MOST_QUOTES);
    } else {
        order = of_documents(&found, order);
    }
    order.into_iter().map(|at| found[at].clone()).collect()
}

/// Returns the site of the document of a sentence.
fn site(sentence: &Sentence<'_>) -> String {
    sentence.site.to_owned()
}

/// Returns the sentences that count, the best one of each document first. Of a document, a value
/// that replaced another one counts before the others, and an old one after them. Values of a
/// document that differ otherwise all count, so that the difference is seen.
fn of_documents(found: &[Found<'_, '_>], order: Vec<usize>) -> Vec<usize> {
    let document = |at: usize| &found[at].1.passage.source;
    let mut newest: BTreeMap<&String, Age> = BTreeMap::new();
    for at in &order {
        let age = qualifiers::age(found[*at].1.text);
        let known = newest.entry(document(*at)).or_insert(age);
        *known = age.max(*known);
    }

    let mut kept: Vec<usize> = Vec::new();
    for at in order {
        if newest.get(document(at)) != Some(&qualifiers::age(found[at].1.text)) {
            continue;
        }
        let own = kept
            .iter()
            .filter(|other| document(**other) == document(at));
        let differs = |other: usize| match (&found[at].2, &found[other].2) {
            (Some(a), Some(b)) => {
                // A sentence that says less about the question may be about something else.
                let is_as_good = found[at].0 >= found[other].0;
                is_as_good && measures_same(a, b) && compare(a, b) == Sameness::Different
            }
            _ => false,
        };
        let own: Vec<usize> = own.copied().collect();
        if own.len() < MOST_VALUES && own.iter().all(|other| differs(*other)) {
            kept.push(at);
        }
    }
    kept
}

/// A sentence that may answer a question, as the ranking sees it.
///
/// The weights of the ranking are fitted to such candidates of questions with known answers.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Candidate {
    /// What would be quoted.
    pub quote: String,
    /// How it is described, by the names of the features. What is not there is 0.
    pub features: BTreeMap<&'static str, f64>,
}

/// Returns the sentences of passages that may answer a question, the most likely one first.
pub fn candidates(question: &str, passages: &PassageRegistry) -> Vec<Candidate> {
    let asked = Asked::new(asking_part(question));
    let (sentences, near) = Sentence::of(passages);
    let found = by_rules(&asked, &sentences[..near]);
    let ranked = ranked(&asked, &sentences, &found).into_iter();
    let candidate = |one: Ranked<'_, '_>| {
        let text = one.sentence.passage.text.for_code();
        Some(Candidate {
            quote: text.get(one.quote(&asked))?.to_owned(),
            features: one.features,
        })
    };
    ranked.filter_map(candidate).collect()
}

#[cfg(test)]
mod tests;
