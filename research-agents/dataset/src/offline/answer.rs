//! The answer to the question, computed from what the data source counted, measured and ranked over
//! all matching records: sentences with claims, and what is shown with them.

pub(crate) mod answered;
pub(crate) mod groups;
pub(crate) mod input;
pub(crate) mod over_all;
pub(crate) mod overview;
pub(crate) mod read_as;
pub(crate) mod record_names;
pub(crate) mod records;
pub(crate) mod relations;
pub(crate) mod verdict;
pub(crate) mod words;

use research_agents_report::claim::{Statement, Statistic};
use research_agents_report::text::list;

use crate::data::task::question::conditions::Outcome;
use crate::data::task::question::meaning::{QuestionReading, WordsOfFields};
use crate::data::task::question::shape::{AnswerShape, Measure, OrderBy, YesNoTest};
use crate::data::task::{FieldKind, SynthesizeTask};
use crate::offline::answer::answered::Answer;
use crate::offline::answer::input::Input;
use crate::offline::answer::words::quoted;
use crate::question::lexicon::is_plural;
use crate::question::read::shape::tallies::is_tally;

/// The confidence in an answer to less than was asked.
pub(crate) const UNANSWERED: f64 = 0.3;
/// The confidence in a description of the data where nothing was computed for a question.
pub(crate) const DESCRIBED: f64 = 2.0 * UNANSWERED;
/// What each condition that is not applied leaves of the confidence.
const DROPPED: f64 = 0.6;
/// Words without effect that the first sentence names.
const UNREAD: usize = 4;
/// Other readings that the first sentence names.
const OTHERS: usize = 3;
/// What a reading among several leaves of it.
const AMBIGUOUS: f64 = 0.65;
/// What is left of it where no record meets all conditions: one of them may be read wrongly.
const NOTHING: f64 = 0.6;

/// Returns the computed answer; `None` if the question was not read, or if the data source computed
/// nothing for it.
pub(crate) fn answer(task: &SynthesizeTask) -> Option<Answer> {
    let input = Input::new(task)?;
    let mut answer = if input.is_foreign() {
        None
    } else {
        specific(&input)
    };
    // What is said of all records answers nothing about a name that no record has.
    let is_of_all = input.meaning.filters.is_empty() && input.meaning.search.is_empty();
    let counts_all = matches!(
        input.meaning.answer,
        AnswerShape::Count | AnswerShape::List | AnswerShape::Measure | AnswerShape::YesNo
    ) && input.meaning.order.is_none();
    if !input.meaning.absent.is_empty() && is_of_all && counts_all {
        answer = None;
    }
    // Without what is asked, only what is said of a part of the records says something.
    let has_unheld = !input.meaning.unheld.is_empty();
    if has_unheld && (is_of_all || input.meaning.answer == AnswerShape::YesNo) {
        answer = None;
    }
    let is_specific = answer.is_some();
    if answer.is_none() {
        answer = overview::overview(&input);
    }
    let mut answer = answer?;

    let absent = input.absent();
    if has_unheld {
        input.tell_unheld(&mut answer, is_specific);
        // A name that no record has is said with its proof.
        answer.statements.splice(1..1, absent);
    } else if !absent.is_empty() {
        answer.statements.splice(0..0, absent);
        if !is_specific {
            answer.title = input.absent_title();
        }
    }
    name_dropped(&input, &mut answer.statements);
    if is_specific {
        name_other_readings(&input, &mut answer.statements);
    }
    answer.read_as = read_as::lines(&input);
    let is_answered = is_specific && !answer.is_empty && !has_unheld;
    answer.confidence = confidence(&input, is_answered);
    Some(answer)
}

/// Returns the answer in the shape that the question asks for.
fn specific(input: &Input<'_>) -> Option<Answer> {
    match &input.meaning.answer {
        AnswerShape::Count => over_all::count(input),
        AnswerShape::Measure | AnswerShape::Distinct | AnswerShape::Range => {
            over_all::measures(input)
        }
        AnswerShape::Compare => verdict::difference(input).or_else(|| groups::groups(input)),
        AnswerShape::Groups | AnswerShape::TopGroup => groups::groups(input),
        AnswerShape::Course => groups::course(input),
        AnswerShape::Record => records::record(input),
        AnswerShape::List => records::list_records(input),
        AnswerShape::YesNo => verdict::yes_no(input),
        AnswerShape::Relation { fields } => relations::relation(input, fields),
        AnswerShape::Share => verdict::shares(input),
        AnswerShape::Overview => None,
    }
}

/// Adds to the first sentence the conditions of the question that do not hold for it.
fn name_dropped(input: &Input<'_>, statements: &mut [Statement]) {
    let is_told = |said: &String| input.meaning.unheld.contains(said);
    let dropped: Vec<String> = input
        .meaning
        .dropped()
        .filter(|condition| !is_told(&condition.said))
        .map(|condition| match &condition.outcome {
            Outcome::NotApplied { why } if !why.is_empty() => {
                format!("“{}” is not applied ({why})", condition.said)
            }
            _ => format!("“{}” is not applied", condition.said),
        })
        .collect();

    let unread = input.meaning.unread.iter();
    let unread = unread.filter(|word| !is_told(word)).take(UNREAD);
    let unread = unread.map(|word| format!("{} is not applied", quoted(word)));
    let is_count = is_count(input.meaning);
    // A field that a count names restricts it, or has no effect.
    let named = input.meaning.mentioned.iter().filter(|_| is_count);
    let named = named.map(|field| format!("{} is not applied", quoted(field)));
    let noun = input.assumed_noun().filter(|_| assumes_noun(input));
    let noun = noun.filter(|noun| !input.meaning.unheld.iter().any(|said| said == noun));
    let is_ranked = input.meaning.answer == AnswerShape::Record;
    let noun = noun.map(|noun| match (is_count, is_ranked) {
        (true, _) => format!("{} is read as the records", quoted(noun)),
        (_, true) => format!("{} taken for the records", quoted(noun)),
        _ => format!("{} is not applied", quoted(noun)),
    });
    let clauses = dropped.into_iter().chain(unread).chain(named).chain(noun);
    let clauses: Vec<String> = clauses.collect();

    let Some(first) = statements.first_mut().filter(|_| !clauses.is_empty()) else {
        return;
    };
    let text = first
        .text
        .strip_suffix('.')
        .unwrap_or(&first.text)
        .to_owned();
    first.text = format!("{text}; {}.", clauses.join("; "));
}

/// Returns the words that fit several fields, as far as the answer depends on the field that was
/// taken.
fn doubts<'t>(input: &Input<'t>) -> impl Iterator<Item = &'t WordsOfFields> {
    let meaning = input.meaning;
    let is_list = matches!(meaning.answer, AnswerShape::List | AnswerShape::Record);
    let matters = move |field: &str| {
        let measured = meaning
            .measures
            .iter()
            .any(|measure| measure.field == field);
        let ordered = meaning
            .order
            .as_ref()
            .is_some_and(|order| matches!(&order.by, OrderBy::Field(own) if own == field));
        let tested = match (&meaning.test, &meaning.answer) {
            (Some(YesNoTest::Related { fields, .. }), _)
            | (_, AnswerShape::Relation { fields }) => fields.iter().any(|own| own == field),
            _ => false,
        };
        let over_time = meaning
            .histogram
            .as_ref()
            .is_some_and(|course| course.field == field);
        meaning.filters.contains_key(field)
            || meaning.part.contains_key(field)
            || meaning.group_by.iter().any(|own| own == field)
            || measured
            || ordered
            || tested
            || over_time
            || is_list && meaning.wanted.iter().any(|own| own == field)
    };

    meaning
        .doubtful
        .iter()
        .filter(move |words| words.fits.iter().any(|(field, _)| matters(field)))
}

/// Adds to the first sentence what else its words could mean.
fn name_other_readings(input: &Input<'_>, statements: &mut [Statement]) {
    let is_of_fields = |words: &&WordsOfFields| words.fits.iter().all(|(_, value)| value.is_none());
    let others = doubts(input).filter(is_of_fields).filter_map(|words| {
        let (taken, _) = words.fits.first()?;
        let rest = words.fits.iter().skip(1).take(OTHERS);
        let rest: Vec<String> = rest
            .map(|(field, _)| format!("{} is another reading", quoted(field)))
            .collect();
        let said = quoted(&words.said);
        (!rest.is_empty()).then(|| format!("{said} is read as {taken}; {}", list(&rest)))
    });

    let of_values = doubts(input).filter_map(|words| {
        let (taken, value) = words.fits.first()?;
        value.as_ref()?;
        let rest = words.fits.iter().skip(1);
        let mut rest: Vec<String> = rest.map(|(field, _)| quoted(field)).collect();
        rest.dedup();
        rest.truncate(OTHERS);
        let said = quoted(&words.said);
        // Longer values of the same field stand under “How I read this”.
        let is_other_field = words.fits.iter().skip(1).all(|(field, _)| field != taken);
        (is_other_field && !rest.is_empty())
            .then(|| format!("{said} is a value of another field too"))
    });

    let others: Vec<String> = of_values.chain(others).take(1).collect();
    let Some(first) = statements.first_mut().filter(|_| !others.is_empty()) else {
        return;
    };
    let text = first
        .text
        .strip_suffix('.')
        .unwrap_or(&first.text)
        .to_owned();
    first.text = format!("{text}; {}.", others.join("; "));
}

/// Returns whether an answer counts: records, or what a column such as `count` says of them.
fn is_count(meaning: &QuestionReading) -> bool {
    let is_tally =
        |measure: &Measure| measure.function == Statistic::Sum && is_tally(&measure.field);
    let counts = match meaning.answer {
        AnswerShape::Count | AnswerShape::Share => true,
        AnswerShape::YesNo => {
            meaning.measures.is_empty() && matches!(meaning.test, Some(YesNoTest::Groups { .. }))
        }
        _ => false,
    };
    counts || meaning.measures.iter().any(is_tally)
}

/// Returns whether the answer rests on what the records are called: it counts or describes them,
/// or tells their groups, or the question is in another language. Several things, as *strikes* in
/// the groups of strikes, are the records; one thing, as *loss*, may be another. *The tallest
/// striker* is one of some of the records, for all that the data says.
fn assumes_noun(input: &Input<'_>) -> bool {
    let is_one = input.assumed_noun().is_some_and(|noun| !is_plural(noun));
    let rests = match input.meaning.answer {
        AnswerShape::Groups | AnswerShape::Course => is_one,
        AnswerShape::Record | AnswerShape::Overview | AnswerShape::Measure => true,
        _ => false,
    };
    rests || is_count(input.meaning) || is_foreign(input)
}

/// Returns whether the question is in another language than the names of the data may be.
fn is_foreign(input: &Input<'_>) -> bool {
    !matches!(input.meaning.language.as_str(), "" | "en")
}

/// Returns how well the question is answered.
fn confidence(input: &Input<'_>, is_specific: bool) -> f64 {
    let meaning = input.meaning;
    if !is_specific {
        let is_described = meaning.answer == AnswerShape::Overview
            && meaning.unknown.is_empty()
            && meaning.absent.is_empty()
            && meaning.unheld.is_empty()
            && meaning.unread.is_empty()
            && meaning.dropped().next().is_none();
        return if is_described { DESCRIBED } else { UNANSWERED };
    }

    let mut confidence = 1.0;
    for condition in &meaning.conditions {
        confidence *= match condition.outcome {
            Outcome::Applied { .. } => 1.0,
            Outcome::NotApplied { .. } => DROPPED,
            Outcome::Ambiguous { .. } => AMBIGUOUS,
        };
    }
    for _ in meaning.absent.iter().chain(&meaning.unknown) {
        confidence *= DROPPED;
    }
    for _ in doubts(input) {
        confidence *= AMBIGUOUS;
    }
    let is_count = is_count(meaning);
    if is_count && !meaning.mentioned.is_empty() {
        confidence *= DROPPED;
    }
    // A number or truth that is named is measured or restricts; a category may be what the records
    // are called.
    let is_listed = matches!(meaning.answer, AnswerShape::List | AnswerShape::Record);
    let is_telling = |field: &String| {
        let kind = input.facts(field).map(|facts| facts.kind);
        matches!(kind, Some(FieldKind::Number | FieldKind::Boolean))
    };
    if !is_count && !is_listed && meaning.mentioned.iter().any(is_telling) {
        confidence *= AMBIGUOUS;
    }
    let together = meaning.filters.len() + meaning.search.len();
    if together > 1 && input.total().is_some_and(|(number, _)| number == 0) {
        confidence *= NOTHING;
    }
    let is_assumed = assumes_noun(input) && input.assumed_noun().is_some();
    if !meaning.unread.is_empty() || is_assumed {
        confidence *= AMBIGUOUS;
    }
    (confidence * 1e9_f64).round() / 1e9
}

#[cfg(test)]
mod tests;
