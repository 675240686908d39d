//! The answer to a stranger's question: is it there, does it come first, and is anything that the report says false?

mod absence;
mod expected;
mod meant;
mod said;

use std::collections::BTreeSet;

use crate::dataset::answer::Answer;
use crate::dataset::metrics;
use crate::dataset::records::shown;
use crate::harness::score::Score;

use super::numbers;
use super::scope::Reading;
use said::Said;

/// From this confidence on, a report that does not answer is too sure of itself.
const SURE: f64 = 0.7;

/// Scores the answer of a report.
pub fn score(reading: &Reading<'_>, answer: &Answer, score: &mut Score) {
    let said = Said::new(reading);
    let is_first = expected::is_first(answer, &said);
    let is_answered = is_first || expected::is_answered(answer, &said);
    let is_understood = if answer.is_there() { is_first || meant::is_meant(reading, answer) } else { is_answered };

    let metrics = &mut score.measures;
    metrics.add(&metrics::UNDERSTOOD, usize::from(is_understood), 1);
    if answer.is_there() {
        metrics.add(&metrics::ANSWERED, usize::from(is_answered), 1);
        metrics.add(&metrics::ANSWERED_FIRST, usize::from(is_first), 1);
    } else {
        metrics.add(&metrics::DECLINED, usize::from(is_answered), 1);
    }
    metrics.add_number(&metrics::WORDS, said.words as f64, 1.0);
    metrics.add_number(&metrics::WORDS_IN_ALL, said.words_in_all as f64, 1.0);
    let (carried, all) = numbers::first(reading, answer);
    metrics.add(&metrics::FIRST_NUMBERS, carried, all);
    score.tell(missed(is_understood, is_answered, is_first, answer));

    let absences = if answer.is_there() && !answer.is_none() { absence::claimed(&said) } else { Vec::new() };
    let mut mistakes = false_statements(reading, answer, &said, is_answered);
    mistakes.extend(absences.iter().map(|text| format!("FALSE: it is said to be absent: {text}")));
    score.add_mistakes(&metrics::FALSE_STATEMENTS, mistakes);
    score.measures.add_number(&metrics::WRONG_ABSENCE, f64::from(u8::from(!absences.is_empty())), 1.0);

    let confidence = reading.report.stats.confidence;
    let unsure = is_answered || confidence < SURE;
    let sure = if unsure { Vec::new() } else { vec![format!("unanswered with a confidence of {confidence:.2}")] };
    score.add_mistakes(&metrics::OVERCONFIDENT, sure);
    score.excerpt = excerpt(reading, &said);
}

/// Scores a question without a report.
pub fn missing(answer: &Answer, score: &mut Score) {
    score.measures.add(&metrics::UNDERSTOOD, 0, 1);
    if answer.is_there() {
        score.measures.add(&metrics::ANSWERED, 0, 1);
        score.measures.add(&metrics::ANSWERED_FIRST, 0, 1);
    } else {
        score.measures.add(&metrics::DECLINED, 0, 1);
    }
}

/// What is missing, in words.
fn missed(is_understood: bool, is_answered: bool, is_first: bool, answer: &Answer) -> Vec<String> {
    let expected = expected::in_words(answer);
    match (is_understood, is_answered, is_first) {
        (_, _, true) => Vec::new(),
        (_, true, false) if !answer.is_there() => Vec::new(),
        (_, true, false) => vec![format!("not in the first sentence: {expected}")],
        (true, false, _) => vec![format!("understood, and not answered: {expected}")],
        (false, false, _) => vec![format!("not answered: {expected}")],
    }
}

/// Sentences that the data contradicts, but for absences.
fn false_statements(reading: &Reading<'_>, answer: &Answer, said: &Said, is_answered: bool) -> Vec<String> {
    let mut mistakes = super::counts::untrue(reading);

    // The opposite of the right word at the beginning is a wrong answer, whatever follows.
    if let Some(yes) = answer.yes
        && said.verdict() == Some(!yes)
    {
        mistakes.push(format!("FALSE: the answer is turned round: {}", said.first));
    }

    // A report that looked at the right records by the right field and names another winner is wrong about it.
    let is_wrong = !is_answered && said.has_superlative() && meant::is_meant(reading, answer);
    let other = answer.value.as_ref().filter(|_| is_wrong);
    if let Some(name) = other.and_then(|name| another(reading, &said.first, name)) {
        mistakes.push(format!("FALSE: {name} is named: {}", said.first));
    }
    mistakes
}

/// Another value that a sentence names, of a column that has the expected name.
fn another(reading: &Reading<'_>, sentence: &str, name: &str) -> Option<String> {
    let records = reading.records;
    let cells = |column: &str| (0..records.len()).map(|row| shown(records.cell(row, column))).collect::<BTreeSet<_>>();
    let columns = records.columns().iter().map(|column| cells(column)).filter(|cells| cells.contains(name));
    columns.flatten().find(|other| other.chars().any(char::is_alphabetic) && expected::names(sentence, other))
}

/// The first lines of a report, how it read the question, and how sure it is.
fn excerpt(reading: &Reading<'_>, said: &Said) -> String {
    let queries = reading.report.aggregations.iter().map(|table| {
        let filters = serde_json::Value::from(table.filters.clone());
        format!("{} {filters} → {}", table.field, table.total_docs)
    });
    let queries: Vec<String> = queries.take(3).collect();
    format!(
        "{} ‖ {} ‖ {} ‖ confidence {:.2}, {} words",
        said.title,
        said.lead.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(" / "),
        queries.join("; "),
        reading.report.stats.confidence,
        said.words
    )
}
