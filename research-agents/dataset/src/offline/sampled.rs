//! Answers from the records that were read, where the data source computes no statistics. The
//! report says of each such sentence how many records it is about.

use research_agents_report::claim::{Claim, Statement, Statistic};
use research_agents_report::text::{capitalised, list};

use crate::data::record::AggregationResult;
use crate::data::task::question::shape::{AnswerShape, Measure, Order, OrderBy};
use crate::data::task::{FieldProfile, MeasuredGroup, SynthesizeTask};
use crate::offline::answer::answered::Answer;
use crate::offline::answer::input::Input;
use crate::offline::answer::read_as;
use crate::offline::answer::words::{label, measure_label, measure_number, value_words};

/// The confidence in an answer from some of the matching records.
const CONFIDENCE: f64 = 0.6;
/// The maximum number of groups that are named.
const GROUPS: usize = 5;

/// Answers with statistics over the records read; `None` if they do not show what is asked.
///
/// A mean or median of some records is close to that of all. Their sum, minimum and maximum are
/// not, so that these are answered only if every matching record was read.
///
/// A question of which anything is not applied, not known or ambiguous is left to
/// [`answer`](crate::offline::answer::answer), which says so.
pub(crate) fn sampled(task: &SynthesizeTask) -> Option<Answer> {
    let input = &Input::new(task)?;
    let meaning = input.meaning;
    let is_unclear = meaning.dropped().next().is_some() || !meaning.doubtful.is_empty();
    let has_unknown = !(meaning.absent.is_empty() && meaning.unknown.is_empty());
    if is_unclear || has_unknown || !meaning.unheld.is_empty() {
        return None;
    }

    let is_computed = |table: &AggregationResult| {
        let in_groups = table
            .buckets
            .iter()
            .any(|bucket| !bucket.measures.is_empty());
        in_groups || !table.measures.is_empty()
    };
    if input.tables().any(is_computed) {
        return None;
    }

    let mut answer = match &meaning.answer {
        AnswerShape::Measure => over_records(input, &meaning.measures)?,
        AnswerShape::Range => over_records(input, &ends(input)?)?,
        AnswerShape::Record => over_records(input, &[extreme(input)?])?,
        AnswerShape::Groups | AnswerShape::TopGroup => by_group(input)?,
        _ => return None,
    };
    answer.read_as = read_as::lines(input);
    answer.confidence = if is_whole(input) { 1.0 } else { CONFIDENCE };
    Some(answer)
}

/// Returns the smallest and the largest value of the measured field.
fn ends(input: &Input<'_>) -> Option<[Measure; 2]> {
    let field = &input.meaning.measures.first()?.field;
    let end = |function: Statistic| Measure {
        function,
        field: field.clone(),
    };
    Some([end(Statistic::Min), end(Statistic::Max)])
}

/// Returns whether every matching record was read.
fn is_whole(input: &Input<'_>) -> bool {
    input.task.coverage.fraction == Some(1.0)
}

/// Returns the extreme that a superlative asks for.
fn extreme(input: &Input<'_>) -> Option<Measure> {
    let Order { by, highest, .. } = input.meaning.order.as_ref()?;
    let OrderBy::Field(field) = by else {
        return None;
    };
    let function = if *highest {
        Statistic::Max
    } else {
        Statistic::Min
    };
    Some(Measure {
        function,
        field: field.clone(),
    })
}

fn is_shown(input: &Input<'_>, function: Statistic) -> bool {
    is_whole(input) || matches!(function, Statistic::Mean | Statistic::Median)
}

/// Returns a statistic of the records read, with the source that has it.
fn statistic(profile: &FieldProfile, function: Statistic) -> Option<(f64, Option<String>)> {
    let numbers = profile.numbers.as_ref()?;
    let number = match function {
        Statistic::Min => return Some((numbers.min.0, Some(numbers.min.1.clone()))),
        Statistic::Max => return Some((numbers.max.0, Some(numbers.max.1.clone()))),
        Statistic::Mean => numbers.mean,
        Statistic::Median => numbers.median,
        Statistic::Sum => numbers.sum,
        _ => return None,
    };
    number.is_finite().then_some((number, None))
}

fn over_records(input: &Input<'_>, asked: &[Measure]) -> Option<Answer> {
    // Records of other queries are part of the profile: then it describes no single selection.
    let is_of_question =
        |profile: &&FieldProfile| profile.present + profile.missing == input.task.coverage.fetched;
    let found = |measure: &Measure| {
        let profiles = input.task.profile.iter().filter(is_of_question);
        let profile = profiles
            .filter(|_| is_shown(input, measure.function))
            .find(|profile| profile.field == measure.field)?;
        let (number, source) = statistic(profile, measure.function)?;
        let words = format!(
            "the {} is {}",
            measure_label(measure.function, &measure.field),
            measure_number(number, measure.function, &measure.field)
        );
        let claim = Claim::Statistic {
            field: measure.field.clone(),
            statistic: measure.function,
            number,
            source,
        };
        Some((words, claim))
    };
    let (words, claims): (Vec<String>, Vec<Claim>) = asked.iter().filter_map(found).unzip();
    if words.is_empty() {
        return None;
    }

    let first = asked.first()?;
    Some(Answer {
        title: capitalised(&measure_label(first.function, &first.field)),
        statements: vec![Statement {
            text: format!("{}.", capitalised(&list(&words))),
            claims,
        }],
        ..Answer::default()
    })
}

fn by_group(input: &Input<'_>) -> Option<Answer> {
    let (measure, by) = match (
        input.meaning.measures.first()?,
        input.meaning.group_by.as_slice(),
    ) {
        (measure, [by]) if is_shown(input, measure.function) => (measure, by),
        _ => return None,
    };
    let grouped = input.task.relations.measures.iter();
    let grouped = grouped
        .filter(|grouped| grouped.left_out.is_empty())
        .find(|grouped| grouped.field == measure.field && grouped.by == *by)?;

    let number = |group: &MeasuredGroup| match measure.function {
        Statistic::Mean => Some(group.mean),
        Statistic::Median => Some(group.median),
        Statistic::Sum => Some(group.sum),
        _ => None,
    };
    let found = |group: &MeasuredGroup| {
        let number = number(group).filter(|number| number.is_finite())?;
        let words = format!(
            "{} for {}",
            measure_number(number, measure.function, &measure.field),
            value_words(&group.value, by)
        );
        let claim = Claim::GroupStatistic {
            field: measure.field.clone(),
            statistic: measure.function,
            number,
            by: by.clone(),
            value: group.value.clone(),
        };
        Some((words, claim))
    };
    let groups = grouped.groups.iter().take(GROUPS).filter_map(found);
    let (words, claims): (Vec<String>, Vec<Claim>) = groups.unzip();
    if words.is_empty() {
        return None;
    }

    let said = format!(
        "{} by {}",
        measure_label(measure.function, &measure.field),
        label(by)
    );
    Some(Answer {
        title: capitalised(&said),
        statements: vec![Statement {
            text: format!("The {said} is {}.", list(&words)),
            claims,
        }],
        ..Answer::default()
    })
}
