//! Answers to yes-no questions.

use research_agents_report::claim::{Statement, Statistic};
use research_agents_report::language::Language;
use serde_json::Value;

use crate::data::filters::describe_filters;
use crate::data::record::{AggregationKind, AggregationResult};
use crate::data::task::question::shape::{AnswerShape, Sign, YesNoTest};
use crate::offline::answer::answered::Answer;
use crate::offline::answer::groups::{Groups, Ranked, course, direction};
use crate::offline::answer::input::{Input, count};
use crate::offline::answer::over_all::{claim, counted, part_and_whole, share, share_in, shown};
use crate::offline::answer::relations::{correlated, is_significant, relation, strength};
use crate::offline::answer::words::{measure_label, measure_number};

/// A difference of less than this part of the larger number is not clear.
const CLEAR: f64 = 0.01;

/// Answers a yes-no question: yes, no, or no clear difference first.
pub(crate) fn yes_no(input: &Input<'_>) -> Option<Answer> {
    match input.meaning.test.as_ref()? {
        YesNoTest::Exists => exists(input),
        YesNoTest::All => all(input),
        YesNoTest::Threshold { sign, number } => threshold(input, *sign, *number),
        YesNoTest::Groups {
            field,
            values,
            sign,
        } => compared(input, field, values, *sign),
        YesNoTest::Measures { sign } => two_measures(input, *sign),
        YesNoTest::Trend { rises } => trend(input, *rises),
        YesNoTest::Related { fields, together } => {
            let answer = relation(input, fields)?;

            let found = correlated(input, fields).and_then(|(found, _)| {
                let number = found.number?;
                let is_clear = is_significant(number, found.count) && strength(number).is_some();
                let is_so = together.is_none_or(|together| together == (number > 0.0));
                Some(is_clear && is_so)
            });
            Some(match found {
                Some(holds) => answered(answer, verdict(holds)),
                None => answer,
            })
        }
    }
}

/// Answers which share of the records, or of each group, is so, and whether the share of one group
/// compares with that of another as the question asks.
pub(crate) fn shares(input: &Input<'_>) -> Option<Answer> {
    let answer = share(input)?;
    let Some(YesNoTest::Groups { values, sign, .. }) = &input.meaning.test else {
        return Some(answer);
    };
    let (first, second) = (share_in(input, &values[0])?, share_in(input, &values[1])?);
    Some(answered(answer, verdict(sign.holds(first, second))))
}

/// Puts the verdict before the first sentence.
fn answered(mut answer: Answer, verdict: &str) -> Answer {
    answer.title = format!("{verdict}: {}", lower(&answer.title));
    if let Some(first) = answer.statements.first_mut() {
        first.text = format!("{verdict}: {}", lower(&first.text));
    }
    answer
}

/// Returns a sentence as a clause: without its capital letter, unless that belongs to a name.
fn lower(text: &str) -> String {
    const BEGINNINGS: [&str; 6] = ["The ", "There ", "Mean ", "Median ", "Sum ", "All "];
    if !BEGINNINGS.iter().any(|word| text.starts_with(word)) {
        return text.to_owned();
    }
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    first.chain(letters).collect()
}

fn verdict(holds: bool) -> &'static str {
    if holds { "Yes" } else { "No" }
}

fn exists(input: &Input<'_>) -> Option<Answer> {
    let (number, claim) = input.total()?;
    let answer = Answer {
        title: format!("{}{}", input.noun(2), input.conditions()),
        statements: vec![counted(input, number, claim)],
        ..Answer::default()
    };
    Some(answered(answer, verdict(number > 0)))
}

fn all(input: &Input<'_>) -> Option<Answer> {
    let (part, whole, claims) = part_and_whole(input)?;
    let said = describe_filters(&input.meaning.part);
    let text = format!(
        "{} of the {} {}{} have {said}.",
        count(part),
        count(whole),
        input.noun(whole),
        input.conditions(),
    );
    let answer = Answer {
        title: said,
        statements: vec![Statement { text, claims }],
        ..Answer::default()
    };
    Some(answered(answer, verdict(part == whole && whole > 0)))
}

fn threshold(input: &Input<'_>, sign: Sign, number: f64) -> Option<Answer> {
    let limit = Language::ENGLISH.measure(number);
    let (value, title, statement) = match input.meaning.measures.first() {
        Some(measure) => {
            let (found, over) = input.measured(measure)?;
            let name = measure_label(measure.function, &measure.field);
            let text = format!(
                "The {name}{} is {}, {} {limit}.",
                input.conditions(),
                shown(found)?,
                relation_words(found.number?, number),
            );
            let claims = claim(found, over).into_iter().collect();
            (found.number?, name, Statement { text, claims })
        }
        None => {
            let (total, claim) = input.total()?;
            let statement = counted(input, total, claim);
            (
                total as f64,
                format!("the number of {}", input.noun(2)),
                statement,
            )
        }
    };

    let answer = Answer {
        title: format!("{title}{}", input.conditions()),
        statements: vec![statement],
        ..Answer::default()
    };
    Some(answered(answer, verdict(sign.holds(value, number))))
}

fn relation_words(value: f64, limit: f64) -> &'static str {
    match value.total_cmp(&limit) {
        std::cmp::Ordering::Greater => "above",
        std::cmp::Ordering::Less => "below",
        std::cmp::Ordering::Equal => "exactly",
    }
}

/// Answers with the difference of two groups, if the question asks how far they are apart.
pub(crate) fn difference(input: &Input<'_>) -> Option<Answer> {
    if let Some(YesNoTest::Measures { sign }) = &input.meaning.test {
        return two_measures(input, *sign);
    }
    let Some(YesNoTest::Groups { field, values, .. }) = &input.meaning.test else {
        return None;
    };
    let table = table_of(input, field)?;
    let groups = Groups::new(table, input.meaning.measures.first());
    let (first, second) = pair(input, &groups, field, values)?;

    let (one, other) = (groups.name(first), groups.name(second));
    let (left, right) = (groups.number(first), groups.number(second));
    let what = groups.measured();
    let gap = (first.number - second.number).abs();
    let apart = match groups.by {
        Some(by) => measure_number(gap, by.function, &by.field),
        None => Language::ENGLISH.measure(gap),
    };
    let text = format!(
        "The difference is {apart}: the {what} is {left} for {one} and {right} for {other}."
    );
    let claims = vec![groups.claim(first), groups.claim(second)];
    Some(Answer {
        title: format!("The difference in {what} between {one} and {other}"),
        statements: vec![Statement { text, claims }],
        table: Some(table.id.clone()),
        ..Answer::default()
    })
}

/// Returns the table with the groups of a field, or of the periods of a field of dates.
fn table_of<'t>(input: &Input<'t>, field: &str) -> Option<&'t AggregationResult> {
    if has_periods(input, field) {
        return input.table(AggregationKind::DateHistogram);
    }
    input.grouped(&[field.to_owned()])
}

/// Returns whether the groups of a field are periods of time.
fn has_periods(input: &Input<'_>, field: &str) -> bool {
    let course = input.meaning.histogram.as_ref();
    course.is_some_and(|course| course.field == field)
}

/// Returns the groups of two values of a field.
fn pair<'g, 't>(
    input: &Input<'_>,
    groups: &'g Groups<'t>,
    field: &str,
    values: &[Value; 2],
) -> Option<(&'g Ranked<'t>, &'g Ranked<'t>)> {
    let is_course = has_periods(input, field);
    let same = |group: &&Ranked<'_>, value: &Value| {
        // The key of a year may be its first day.
        let begins = group.bucket.key.as_str().zip(value.as_str());
        let is_period = begins.is_some_and(|(key, year)| is_course && key.starts_with(year));
        is_period || research_agents_report::evidence::same_value(&group.bucket.key, value)
    };
    let find = |value: &Value| groups.ranked.iter().find(|group| same(group, value));

    let first = find(&values[0])?;
    let second = match &values[1] {
        Value::Null => groups
            .ranked
            .iter()
            .find(|group| !same(group, &values[0]))?,
        value => find(value)?,
    };
    Some((first, second))
}

/// Compares two groups.
fn compared(input: &Input<'_>, field: &str, values: &[Value; 2], sign: Sign) -> Option<Answer> {
    let table = table_of(input, field)?;
    let groups = Groups::new(table, input.meaning.measures.first());
    let (first, second) = pair(input, &groups, field, values)?;

    let what = groups.measured();
    let (one, other) = (groups.name(first), groups.name(second));
    let (left, right) = (groups.number(first), groups.number(second));
    let gap = (first.number - second.number).abs();
    // Counts and sums are of all records, however little they differ.
    let is_exact = groups.by.is_none_or(|by| by.function == Statistic::Sum);
    let is_clear = is_exact || gap > CLEAR * first.number.abs().max(second.number.abs());
    let claims = vec![groups.claim(first), groups.claim(second)];
    let compared = match first.number.total_cmp(&second.number) {
        std::cmp::Ordering::Greater => "higher than",
        std::cmp::Ordering::Less => "lower than",
        std::cmp::Ordering::Equal => "the same as",
    };
    let words = format!("{what} is {left} for {one} and {right} for {other}");
    let (verdict, title) = if is_clear || gap == 0.0 {
        let verdict = verdict(sign.holds(first.number, second.number));
        let title = format!("{verdict}: the {what} of {one} is {compared} that of {other}");
        (verdict.to_owned(), title)
    } else {
        let title = format!("No clear difference in {what} between {one} and {other}");
        ("No clear difference".to_owned(), title)
    };
    Some(Answer {
        title,
        statements: vec![Statement {
            text: format!("{verdict}: the {words}."),
            claims,
        }],
        table: Some(table.id.clone()),
        ..Answer::default()
    })
}

/// Compares two measures over the same records.
fn two_measures(input: &Input<'_>, sign: Sign) -> Option<Answer> {
    let [first, second] = input.meaning.measures.as_slice() else {
        return None;
    };
    let ((one, over), (other, _)) = (input.measured(first)?, input.measured(second)?);
    let (left, right) = (one.number?, other.number?);
    let gap = (left - right).abs();
    let is_clear = gap > CLEAR * left.abs().max(right.abs());
    let verdict = match is_clear || gap == 0.0 {
        true => verdict(sign.holds(left, right)),
        false => "No clear difference",
    };

    // A question for the difference is not answered by yes or no.
    let verdict = match input.meaning.answer {
        AnswerShape::Compare => {
            format!(
                "The difference is {}",
                measure_number(gap, first.function, &first.field)
            )
        }
        _ => verdict.to_owned(),
    };
    let names = [first, second].map(|measure| measure_label(measure.function, &measure.field));
    let number = one.count.max(other.count);
    let text = format!(
        "{verdict}: the {} is {} and the {} is {} over {} {}{}.",
        names[0],
        shown(one)?,
        names[1],
        shown(other)?,
        count(number),
        input.noun(number),
        input.conditions(),
    );
    let claims = [one, other]
        .into_iter()
        .filter_map(|found| claim(found, over));
    Some(Answer {
        title: format!("{verdict}: {} beside {}", names[0], names[1]),
        statements: vec![Statement {
            text,
            claims: claims.collect(),
        }],
        ..Answer::default()
    })
}

fn trend(input: &Input<'_>, rises: bool) -> Option<Answer> {
    let answer = course(input)?;
    let table = match input.meaning.group_by.as_slice() {
        [] => input.table(AggregationKind::DateHistogram)?,
        by => input.grouped(by)?,
    };
    let groups = Groups::new(table, input.meaning.measures.first());
    let (first, last) = (groups.ranked.first()?, groups.ranked.last()?);
    let wanted = if rises { "rose" } else { "fell" };
    let is_so = direction(first.number, last.number) == wanted;
    Some(answered(answer, verdict(is_so)))
}
