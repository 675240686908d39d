//! Typed values at places of passages, and the standing of each question.

mod measure;

use std::ops::Range;

use research_agents_report::assessment::Rating;
use research_agents_report::passage::PassageRegistry;
use research_agents_report::text::{fold, words};
use research_agents_report::trust::value::{Bound, Quantity, Sameness, Value, compare, values};
use research_agents_report::trust::{Mark, Support, confidence, dependence, mark};
use serde::{Deserialize, Serialize};

use crate::answers::table::measure::Measure;

/// Maximum relative difference of two numbers that are the same.
const ROUNDING: f64 = 1e-6;

/// A value that a passage gives as the answer to a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Id of the question.
    pub question: String,
    /// Id of the passage.
    pub passage: String,
    /// Place of the quote in the text of the passage, in bytes.
    pub quote: Range<usize>,
    /// The value. `None` for a quote whose value has no type, such as a definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

impl Answer {
    /// Creates an answer with a value.
    pub fn new(
        question: impl Into<String>,
        passage: impl Into<String>,
        quote: Range<usize>,
        value: Value,
    ) -> Self {
        Self {
            value: Some(value),
            ..Self::quoted(question, passage, quote)
        }
    }

    /// Creates an answer that is a quote without a typed value.
    pub fn quoted(
        question: impl Into<String>,
        passage: impl Into<String>,
        quote: Range<usize>,
    ) -> Self {
        Self {
            question: question.into(),
            passage: passage.into(),
            quote,
            value: None,
        }
    }
}

/// The reason why a table does not take an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// No passage has the id, or its text does not have the place.
    #[error("the passage {passage} has no text at {start}..{end}")]
    Place {
        /// Id of the passage.
        passage: String,
        /// Offset of the first byte.
        start: usize,
        /// Offset after the last byte.
        end: usize,
    },
    /// The quote does not state the value.
    #[error("the quote of {passage} does not state the value")]
    Value {
        /// Id of the passage.
        passage: String,
    },
}

/// What is known about a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// No source answers it.
    #[default]
    Unanswered,
    /// All sources that answer it can be right.
    Answered(Agreed),
    /// At least two values cannot both be right.
    Conflicting {
        /// The values, in the order in which they were found.
        sides: Vec<Agreed>,
        /// Whether two sides that differ are from independent sources.
        is_independent: bool,
    },
}

impl Standing {
    /// Returns the confidence of the best answer, 0 to 1.
    pub fn confidence(&self) -> f64 {
        match self {
            Self::Unanswered => 0.0,
            Self::Answered(agreed) => agreed.confidence,
            Self::Conflicting { sides, .. } => {
                sides.iter().map(|side| side.confidence).fold(0.0, f64::max)
            }
        }
    }
}

/// A value with the passages that state it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreed {
    /// The value, as the first passage states it. `None` for a quote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Ids of the passages that state the same value, in the order in which they were found.
    pub passages: Vec<String>,
    /// The mark.
    pub mark: Mark,
    /// The confidence, 0 to 1.
    pub confidence: f64,
}

/// All answers of a run: questions by sources. Keep it in the state of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerTable {
    answers: Vec<Answer>,
}

impl AnswerTable {
    /// Adds an answer. The same one again changes nothing.
    ///
    /// # Errors
    ///
    /// When the place does not exist, or the quote does not state the value if there is one: its
    /// number, date or version, all its names, or its word for yes or no.
    pub fn add(&mut self, answer: Answer, passages: &PassageRegistry) -> Result<(), Refused> {
        let passage = passages.get(&answer.passage);
        let text = passage.and_then(|passage| passage.text.for_code().get(answer.quote.clone()));
        let text = text.filter(|text| !text.trim().is_empty());
        let (Some(passage), Some(text)) = (passage, text) else {
            return Err(Refused::Place {
                passage: answer.passage,
                start: answer.quote.start,
                end: answer.quote.end,
            });
        };

        let document = passages.document_of(passage);
        let language = document
            .map(|document| document.language)
            .unwrap_or_default();
        let is_stated = |value: &Value| match value {
            Value::YesNo(_) => words(text)
                .iter()
                .any(|word| Value::yes_no(&word.lower).as_ref() == Some(value)),
            Value::Name(name) => holds(text, name),
            Value::Set(names) => !names.is_empty() && names.iter().all(|name| holds(text, name)),
            value => values(text, language)
                .iter()
                .any(|typed| typed.value == *value),
        };

        if !answer.value.as_ref().is_none_or(is_stated) {
            return Err(Refused::Value {
                passage: answer.passage,
            });
        }
        if !self.answers.contains(&answer) {
            self.answers.push(answer);
        }
        Ok(())
    }

    /// Returns the answers to a question, in the order in which they were added.
    pub fn answers<'t>(&'t self, question: &str) -> impl Iterator<Item = &'t Answer> {
        let of_question = |answer: &&Answer| answer.question == question;
        self.answers
            .iter()
            .filter(of_question)
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// Returns the answers that one side of a question rests on, in the order of its passages:
    /// those with its value.
    pub fn answers_of<'t>(&'t self, question: &str, agreed: &'t Agreed) -> Vec<&'t Answer> {
        let has_value = |answer: &&Answer| match (&answer.value, &agreed.value) {
            (Some(value), Some(agreed)) => answered(value, agreed) == Sameness::Same,
            (None, None) => true,
            _ => false,
        };
        let of_passage = |passage: &String| {
            let mut own = self.answers(question).filter(has_value);
            own.find(|answer| answer.passage == *passage)
        };
        agreed.passages.iter().filter_map(of_passage).collect()
    }

    /// Returns what is known about a question. The value of a question with an answer is that which
    /// most independent sources state; of two, the first. Quotes without a value count if no source
    /// gives one; they cannot agree or disagree.
    pub fn standing(
        &self,
        question: &str,
        passages: &PassageRegistry,
        rating: &Rating,
    ) -> Standing {
        let mut clusters: Vec<Cluster<'_>> = Vec::new();
        let has_value = self.answers(question).any(|answer| answer.value.is_some());
        let counted = |answer: &&Answer| answer.value.is_some() == has_value;
        for answer in self.answers(question).filter(counted) {
            let Some(support) = support_of(answer, passages, rating) else {
                continue;
            };
            let member = Member::new(answer, passages);
            let is_same = |cluster: &&mut Cluster<'_>| {
                let mut known = cluster.members.iter();
                known.all(|known| known.same_as(&member) == Some(Sameness::Same))
            };
            match clusters.iter_mut().find(is_same) {
                Some(cluster) => cluster.push(member, support),
                None => clusters.push(Cluster::new(member, support)),
            }
        }

        let mut disputed: Vec<usize> = Vec::new();
        let mut is_independent = false;
        for (at, one) in clusters.iter().enumerate() {
            for (other_at, other) in clusters.iter().enumerate().skip(at + 1) {
                if one.differs(other) {
                    disputed.extend([at, other_at]);
                    is_independent |= one.is_independent_of(other);
                }
            }
        }
        disputed.sort_unstable();
        disputed.dedup();

        if !disputed.is_empty() {
            let sides = disputed.into_iter().filter_map(|at| clusters.get(at));
            let sides = sides.filter_map(|cluster| cluster.agreed(rating)).collect();
            return Standing::Conflicting {
                sides,
                is_independent,
            };
        }
        let agreed = clusters.iter().filter_map(|cluster| cluster.agreed(rating));
        let best = agreed.reduce(|best, other| {
            let better = other.confidence > best.confidence && other.mark >= best.mark;
            if better { other } else { best }
        });
        best.map_or(Standing::Unanswered, Standing::Answered)
    }
}

/// An answer with what it measures.
struct Member<'a> {
    answer: &'a Answer,
    measure: Measure,
}

impl<'a> Member<'a> {
    fn new(answer: &'a Answer, passages: &PassageRegistry) -> Self {
        let of_value = || {
            let passage = passages.get(&answer.passage)?;
            let quote = passage.text.for_code().get(answer.quote.clone())?;
            let language = passages.document_of(passage)?.language;
            Some(Measure::of(answer.value.as_ref()?, quote, language))
        };
        Self {
            answer,
            measure: of_value().unwrap_or(Measure::Open),
        }
    }

    /// Compares the values of two answers. `None` if one has no value.
    fn same_as(&self, other: &Self) -> Option<Sameness> {
        let values = (self.answer.value.as_ref()?, other.answer.value.as_ref()?);
        Some(if self.measure.may_equal(&other.measure) {
            answered(values.0, values.1)
        } else {
            Sameness::Compatible
        })
    }
}

/// Answers with the same value.
struct Cluster<'a> {
    members: Vec<Member<'a>>,
    supports: Vec<Support>,
}

impl<'a> Cluster<'a> {
    fn new(member: Member<'a>, support: Support) -> Self {
        Self {
            members: vec![member],
            supports: vec![support],
        }
    }

    fn push(&mut self, member: Member<'a>, support: Support) {
        self.members.push(member);
        self.supports.push(support);
    }

    fn differs(&self, other: &Self) -> bool {
        let pairs = self
            .members
            .iter()
            .flat_map(|a| other.members.iter().map(move |b| (a, b)));
        pairs
            .into_iter()
            .any(|(a, b)| a.same_as(b) == Some(Sameness::Different))
    }

    fn is_independent_of(&self, other: &Self) -> bool {
        let pairs = self
            .supports
            .iter()
            .flat_map(|a| other.supports.iter().map(move |b| (a, b)));
        pairs.into_iter().any(|(a, b)| dependence(a, b).is_none())
    }

    fn agreed(&self, rating: &Rating) -> Option<Agreed> {
        Some(Agreed {
            value: self.members.first()?.answer.value.clone(),
            passages: self
                .members
                .iter()
                .map(|member| member.answer.passage.clone())
                .collect(),
            mark: mark(&self.supports, rating.thresholds),
            confidence: confidence(&self.supports),
        })
    }
}

/// Compares two answers to one question. Of a number without a unit, the question or what is around
/// it says what it measures: it is the same as a quantity if it is its number in the unit that is
/// stated, in the base unit, or in thousandths of that, as *3600* is for *one hour* and *5000* for
/// *5 seconds*.
pub(crate) fn answered(a: &Value, b: &Value) -> Sameness {
    let (plain, measured) = match (a, b) {
        (Value::Number(a), Value::Number(b)) if a.unit.is_none() => (a, b),
        (Value::Number(a), Value::Number(b)) => (b, a),
        _ => return compare(a, b),
    };
    let Some(unit) = &measured.unit else {
        // *At most 10* and *10* give one number as the answer.
        let is_number = |own: &Quantity| {
            let bounds = [Bound::Exact, Bound::About, Bound::AtMost];
            bounds.contains(&own.bound) && !own.is_range()
        };
        let is_one = is_number(plain) && is_number(measured) && plain.low == measured.low;
        return if is_one {
            Sameness::Same
        } else {
            compare(a, b)
        };
    };
    if plain.unit.is_some() || plain.is_range() || measured.is_range() {
        return compare(a, b);
    }

    let base = measured.low * unit.factor;
    let is_near = |other: f64| (plain.low - other).abs() <= ROUNDING * other.abs();
    let is_same = [measured.low, base, 1000.0 * base].into_iter().any(is_near);
    if is_same && plain.bound == measured.bound {
        Sameness::Same
    } else if is_same {
        Sameness::Compatible
    } else {
        compare(a, b)
    }
}

fn support_of(answer: &Answer, passages: &PassageRegistry, rating: &Rating) -> Option<Support> {
    let passage = passages.get(&answer.passage)?;
    let document = passages.document_of(passage)?;
    let support = Support::from_passage(passage, document);
    Some(match rating.credibility.get(&document.origin.site) {
        Some(credibility) => support.with_credibility(*credibility),
        None => support,
    })
}

/// Returns whether all words that a name has follow each other. Case and diacritics do not matter.
fn holds(text: &str, name: &str) -> bool {
    let split = |text: &str| -> Vec<String> {
        let folded = fold(text);
        let parts = folded.split(|c: char| !c.is_alphanumeric());
        parts
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (text, name) = (split(text), split(name));
    !name.is_empty() && text.windows(name.len()).any(|part| part == name)
}

#[cfg(test)]
mod tests;
