//! Sentences ranked by how likely they answer a question.
//!
//! The rules of the other modules say little to a question that describes what it asks for in
//! other words. Here a sentence is described by features, a linear model weighs them, and the score
//! of *no answer* decides whether the best sentence is good enough. The weights are fitted to
//! questions about manuals by `examples/evaluate/studio/train`.

mod closeness;
mod cues;
mod features;
mod forms;
mod model;
mod numbers;

use std::ops::Range;

use research_agents_report::trust::value::Value;

use self::features::{Describing, Features};
use self::model::MODEL;
use crate::answers::extract::asked::Asked;
use crate::answers::extract::context::Found;
use crate::answers::extract::sentence::Sentence;

/// Minimum lead of an answer over the score of *no answer*. It is chosen so that fewer than one in
/// ten questions without an answer get one, about manuals that the weights were not fitted to.
const LEAST_LEAD: f64 = 0.25;
/// The same for a value that is taken without a rule. A sentence that leads less is only quoted.
const LEAST_OF_VALUE: f64 = 1.25;
/// Lead from which four of five answers are right, about such manuals.
const CLEAR_LEAD: f64 = 3.0;
/// How far behind the best sentence a value that answers by rules may be and comes first.
const NEAR_BY_RULES: f64 = 2.0;
/// Minimum lead of a quote that is shown as near to a question without an answer: of the right ones
/// among the nearest five, 97 of 100 have it.
const LEAST_NEAR: f64 = -3.0;
/// Fit below which a value is not taken, such as a default for a minimum. The sentence may answer.
const LEAST_FIT: f64 = -0.1;
/// Fit below which the sentence does not answer either.
const LEAST_FIT_OF_QUOTE: f64 = -0.5;
/// Maximum number of sentences that are described. Of those that are right, 97 of 100 are among
/// these.
const MOST_DESCRIBED: usize = 100;
/// How far behind the best sentence another one may be that is quoted as well.
const NEAR_LEAD: f64 = 1.0;

/// A sentence with its place in the ranking.
pub(super) struct Ranked<'s, 'p> {
    pub sentence: &'s Sentence<'p>,
    /// The value that it gives, if the question asks for one.
    pub value: Option<Value>,
    /// How far its score is above that of *no answer*.
    pub lead: f64,
    pub features: Features,
}

impl Ranked<'_, '_> {
    /// Returns whether it says something else than is asked for: its value is another one, or lacks
    /// what the question calls it.
    pub(super) fn says_something_else(&self) -> bool {
        let lacks_qualifier = self.features.get(features::LACKS_QUALIFIERS) > Some(&0.0);
        let least = if lacks_qualifier {
            LEAST_FIT
        } else {
            LEAST_FIT_OF_QUOTE
        };
        let fit = self.features.get(features::FIT);
        fit.is_some_and(|fit| *fit < least)
    }

    /// Returns the value that it states, if that is what the question asks for.
    pub(super) fn stated(&self) -> Option<&Value> {
        let fit = self.features.get(features::FIT);
        let is_elsewhere = self.features.contains_key(features::LACKS);
        let is_other = fit.is_some_and(|fit| *fit < LEAST_FIT || is_elsewhere);
        self.value.as_ref().filter(|_| !is_other)
    }

    /// Returns the value that is taken from it, if it leads enough.
    pub(super) fn taken(&self) -> Option<&Value> {
        self.stated().filter(|_| self.lead >= LEAST_OF_VALUE)
    }

    /// Returns whether its lead leaves little doubt.
    pub(super) fn leads_clearly(&self) -> bool {
        self.lead >= CLEAR_LEAD
    }

    /// Returns the place of what is quoted: with the term, if that has the value.
    pub(super) fn quote(&self, asked: &Asked) -> Range<usize> {
        if self.features.contains_key(features::VALUE_OF_TERM) {
            self.sentence.with_term.clone()
        } else {
            asked.quote(self.sentence)
        }
    }
}

/// Returns the sentences that have something to do with a question, the best one first. `found` are
/// those that answer it by rules.
pub(super) fn ranked<'s, 'p>(
    asked: &Asked,
    sentences: &'s [Sentence<'p>],
    found: &[Found<'s, 'p>],
) -> Vec<Ranked<'s, 'p>> {
    let describing = Describing::new(asked, sentences, found);
    let near = sentences.iter().filter_map(|sentence| {
        let near = describing.near(sentence)?;
        Some((near, describing.is_by_rules(sentence), sentence))
    });
    let mut near: Vec<_> = near.collect();
    near.sort_by(|a, b| b.1.cmp(&a.1).then(b.0.total_cmp(&a.0)));

    let described = near.into_iter().take(MOST_DESCRIBED);
    let described = described.map(|(near, _, sentence)| {
        let (features, value) = describing.describe(sentence, near);
        Ranked {
            lead: MODEL.lead(&features),
            sentence,
            value,
            features,
        }
    });
    let mut ranked: Vec<Ranked<'_, '_>> = described.collect();
    ranked.sort_by(|a, b| b.lead.total_cmp(&a.lead));
    ranked
}

/// Which sentences answer a question.
pub(super) enum Choice<'r, 's, 'p> {
    /// None is good enough.
    Nothing,
    /// Those that answer it by rules.
    Rules,
    /// The best one of the ranking.
    Best(&'r Ranked<'s, 'p>),
}

/// Chooses between the best sentence of a ranking and those that answer by rules, `found`. These
/// also know which values of a document count, and have precedence if they are about as good.
pub(super) fn choose<'r, 's, 'p>(
    ranked: &'r [Ranked<'s, 'p>],
    found: &[Found<'s, 'p>],
) -> Choice<'r, 's, 'p> {
    let best = ranked.iter().find(|one| !one.says_something_else());
    let lead = best.map_or(f64::MIN, |best| best.lead);
    let first = found.first().and_then(|(_, first, _)| {
        let mut ranked = ranked.iter();
        ranked.find(|one| std::ptr::eq(one.sentence, *first))
    });
    let are_right = first.is_some_and(|first| first.lead >= LEAST_LEAD.max(lead - NEAR_BY_RULES));

    match best.filter(|best| best.lead >= LEAST_LEAD) {
        _ if are_right => Choice::Rules,
        Some(best) => Choice::Best(best),
        None => Choice::Nothing,
    }
}

/// Returns the sentences that are quoted with the best one, which is the first of them.
pub(super) fn beside<'r, 's, 'p>(
    best: &'r Ranked<'s, 'p>,
    ranked: &'r [Ranked<'s, 'p>],
) -> impl Iterator<Item = &'r Ranked<'s, 'p>> {
    let least = LEAST_LEAD.max(best.lead - NEAR_LEAD);
    ranked
        .iter()
        .filter(move |one| one.lead >= least && !one.says_something_else())
}

/// Returns the sentences that are worth showing where none answers.
pub(super) fn worth_showing<'r, 's, 'p>(
    ranked: &'r [Ranked<'s, 'p>],
) -> impl Iterator<Item = &'r Ranked<'s, 'p>> {
    ranked.iter().filter(|one| one.lead >= LEAST_NEAR)
}
