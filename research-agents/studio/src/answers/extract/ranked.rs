//! Sentences ranked by how likely they answer a question.
//!
//! The rules of the other modules say little to a question that describes what it asks for in
//! other words. Here a sentence is described by features, a linear model weighs them, and the score
//! of *no answer* decides whether the best sentence is good enough. The weights are fitted to
//! questions about manuals by `examples/evaluate/studio/train`.

mod cues;
mod features;
mod model;

use std::ops::Range;

use research_agents_report::trust::value::Value;

use self::features::{Describing, Features};
use self::model::MODEL;
use crate::answers::extract::asked::Asked;
use crate::answers::extract::context::Found;
use crate::answers::extract::sentence::Sentence;

/// Minimum lead of an answer over the score of *no answer*. It is chosen so that one in ten
/// questions without an answer gets one, about manuals that the weights were not fitted to.
const LEAST_LEAD: f64 = 1.25;
/// The same for a value that answers by rules.
const LEAST_BY_RULES: f64 = -0.5;
/// How far behind the best sentence a value that answers by rules may be and comes first.
const NEAR_BY_RULES: f64 = 2.0;
/// Minimum lead of a quote that is shown as near to a question without an answer: of the right ones
/// among the nearest five, 97 of 100 have it.
const LEAST_NEAR: f64 = -3.0;
/// Fit below which a value is another one than is asked for, such as a default for a minimum.
const LEAST_FIT: f64 = -0.1;
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
    /// Returns whether its value is another one than is asked for.
    pub(super) fn has_another_value(&self) -> bool {
        let fit = self.features.get(features::FIT);
        let is_elsewhere = self.features.contains_key(features::LACKS);
        fit.is_some_and(|fit| *fit < LEAST_FIT || is_elsewhere)
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
    let described = sentences.iter().filter_map(|sentence| {
        let (features, value) = describing.describe(sentence)?;
        Some(Ranked {
            lead: MODEL.lead(&features),
            sentence,
            value,
            features,
        })
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
/// have precedence if the ranking does not place them far behind.
pub(super) fn choose<'r, 's, 'p>(
    ranked: &'r [Ranked<'s, 'p>],
    found: &[Found<'s, 'p>],
) -> Choice<'r, 's, 'p> {
    let best = ranked.iter().find(|one| !one.has_another_value());
    let lead = best.map_or(f64::MIN, |best| best.lead);
    let first = found.first().and_then(|(_, first, _)| {
        let mut ranked = ranked.iter();
        ranked.find(|one| std::ptr::eq(one.sentence, *first))
    });
    let are_right = first.is_some_and(|first| match first.value {
        Some(_) => first.lead >= LEAST_BY_RULES.max(lead - NEAR_BY_RULES),
        None => first.lead >= LEAST_LEAD.max(lead - NEAR_LEAD),
    });

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
        .filter(move |one| one.lead >= least && !one.has_another_value())
}

/// Returns the sentences that are worth showing where none answers.
pub(super) fn worth_showing<'r, 's, 'p>(
    ranked: &'r [Ranked<'s, 'p>],
) -> impl Iterator<Item = &'r Ranked<'s, 'p>> {
    ranked.iter().filter(|one| one.lead >= LEAST_NEAR)
}
