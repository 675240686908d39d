//! Whether the expected answer is in a text.

use serde_json::Value;

use super::absence;
use super::said::Said;
use crate::dataset::answer::{Answer, Kind};
use crate::dataset::score::figures::Figure;

/// Names and groups that a report must show at most.
const SHOWN: usize = 20;
/// Names that the first sentence can hold.
const FEW: usize = 5;
/// A whole number below this may stand in a report by chance.
const SMALL: f64 = 100.0;
/// How far a number below 1, such as a correlation, may be from the exact one.
const HUNDREDTH: f64 = 0.005;
/// How far a rounded number may be from the exact one, as a share of it.
const ROUNDED: f64 = 0.02;

/// Returns whether the first sentence answers.
pub fn is_first(answer: &Answer, said: &Said) -> bool {
    let first = said.first.as_str();
    let has_number = |number: f64| has(said, first, number);
    match answer.kind {
        Kind::Number => numbers(answer).any(has_number),
        Kind::Percent => numbers(answer).any(|number| has_share(said, first, number)),
        Kind::Value => answer.value.iter().any(|name| names(first, name)),
        Kind::List => {
            let named = answer.values.iter().filter(|name| names(first, name)).count();
            let is_counted = has_number(answer.values.len() as f64) && is_answered(answer, said);
            named == answer.values.len().min(FEW) || is_counted
        }
        Kind::Groups | Kind::Course | Kind::Shares => {
            answer.groups.iter().any(|(name, number)| names(first, name) && holds(answer, said, first, *number))
        }
        Kind::YesNo => said.verdict().is_some() && said.verdict() == answer.yes,
        Kind::Absent => absence::is_declined(std::slice::from_ref(&said.first), &answer.words),
        Kind::Ask => is_one_of(answer, said, first) && others_named(answer, said, first) >= 1,
    }
}

/// Returns whether the report answers at all.
pub fn is_answered(answer: &Answer, said: &Said) -> bool {
    let mut front = vec![said.title.clone()];
    front.extend(said.lead.iter().cloned());
    let everywhere: Vec<&str> = said.all.iter().chain([&said.title]).chain(&said.lines).map(String::as_str).collect();
    let sentences = |number: f64| -> Vec<&str> {
        let is_small = number.fract() == 0.0 && number.abs() < SMALL;
        let texts = if is_small { &front } else { &said.all };
        texts.iter().map(String::as_str).collect()
    };
    match answer.kind {
        Kind::Number => numbers(answer).any(|number| sentences(number).iter().any(|text| has(said, text, number))),
        Kind::Percent => numbers(answer).any(|number| said.all.iter().any(|text| has_share(said, text, number))),
        Kind::Value => answer.value.iter().any(|name| front.iter().any(|text| names(text, name))),
        Kind::List => {
            let found = answer.values.iter().filter(|name| everywhere.iter().any(|text| names(text, name))).count();
            found >= answer.values.len().min(SHOWN)
        }
        Kind::Groups | Kind::Course | Kind::Shares => {
            let is_there = |(name, number): &(&String, &f64)| {
                everywhere.iter().any(|text| names(text, name) && holds(answer, said, text, **number))
            };
            answer.groups.iter().filter(is_there).count() >= answer.groups.len().min(SHOWN)
        }
        Kind::YesNo => said.verdict().is_some() && said.verdict() == answer.yes,
        Kind::Absent => absence::is_declined(&front, &answer.words),
        Kind::Ask => {
            let is_answered = front.iter().any(|text| is_one_of(answer, said, text));
            is_answered && others_named(answer, said, &said.all.join(" ")) >= 1
        }
    }
}

/// Returns the expected answer in words.
pub fn in_words(answer: &Answer) -> String {
    match answer.kind {
        Kind::Number | Kind::Percent => answer.number.map_or_else(String::new, |number| number.to_string()),
        Kind::Value => answer.value.clone().unwrap_or_default(),
        Kind::List => short(&answer.values),
        Kind::Groups | Kind::Course | Kind::Shares => {
            let groups = answer.groups.iter().map(|(name, number)| format!("{name} {number}"));
            short(&groups.collect::<Vec<_>>())
        }
        Kind::YesNo => if answer.yes == Some(true) { "yes" } else { "no" }.to_owned(),
        Kind::Absent => format!("that the data holds no {}", answer.words.join(" / ")),
        Kind::Ask => format!("one of {} with the others named", answer.names.join(" / ")),
    }
}

fn short(items: &[String]) -> String {
    let more = if items.len() > FEW { ", …" } else { "" };
    format!("{}{more}", items[..items.len().min(FEW)].join(", "))
}

fn numbers(answer: &Answer) -> impl Iterator<Item = f64> + '_ {
    answer.number.into_iter().chain(answer.also.iter().copied())
}

/// Returns whether a text has the number of a group.
fn holds(answer: &Answer, said: &Said, text: &str, number: f64) -> bool {
    if answer.kind == Kind::Shares { has_share(said, text, number) } else { has(said, text, number) }
}

/// Returns whether a text has a number, exact or rounded as people do.
fn has(said: &Said, text: &str, number: f64) -> bool {
    said.numbers(text).iter().any(|figure| is_number(figure, number))
}

/// Returns whether a text has a share in per cent, or as a part of 1.
fn has_share(said: &Said, text: &str, number: f64) -> bool {
    let is_share = |figure: &Figure| figure.is_share && figure.shows(number);
    said.numbers(text).iter().any(|figure| is_share(figure) || is_number(figure, number / 100.0))
        || has(said, text, number)
}

fn is_number(figure: &Figure, number: f64) -> bool {
    let distance = figure.distance(number);
    let is_near = distance <= ROUNDED * number.abs() || (number.abs() < 1.0 && distance <= HUNDREDTH);
    figure.is(number) || (figure.shows(number) && is_near)
}

/// Returns whether a text has one of the answers of an ambiguous question.
fn is_one_of(answer: &Answer, said: &Said, text: &str) -> bool {
    answer.either.iter().any(|one| match one {
        Value::Number(number) => number.as_f64().is_some_and(|number| has(said, text, number)),
        one => one.as_str().is_some_and(|name| names(text, name)),
    })
}

/// Returns how many meanings a text names beside the one that it answers.
fn others_named(answer: &Answer, said: &Said, text: &str) -> usize {
    let all = format!("{text} {}", said.title);
    answer.names.iter().filter(|name| names(&all, name)).count().saturating_sub(1)
}

/// Returns whether a text has a name as whole words, whatever the letter case, or a day in any of its forms.
pub fn names(text: &str, name: &str) -> bool {
    forms(name).iter().any(|form| has_words(&folded(text), &folded(form)))
}

/// Returns the ways in which people write a name: a day has several.
fn forms(name: &str) -> Vec<String> {
    let mut forms = vec![name.to_owned()];
    if let Ok(day) = name.parse::<jiff::civil::Date>() {
        forms.extend(["%-d %B %Y", "%B %-d, %Y", "%d.%m.%Y", "%d/%m/%Y"].map(|form| day.strftime(form).to_string()));
    }
    forms
}

/// Returns a text in small letters, without marks of Markdown, and with straight quotation marks.
fn folded(text: &str) -> String {
    let plain = text.replace(['*', '_', '`', '\\'], "").replace(['’', '‘'], "'").replace(['“', '”'], "\"");
    plain.to_lowercase()
}

fn has_words(text: &str, words: &str) -> bool {
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    !words.is_empty()
        && text.match_indices(words).any(|(at, found)| {
            is_edge(text[..at].chars().next_back()) && is_edge(text[at + found.len()..].chars().next())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_words_and_days_have_forms() {
        assert!(names("The *Little brown bat* sleeps longest.", "Little brown bat"));
        assert!(!names("The Catfish", "Cat") && names("region europe_central_asia", "europe_central_asia"));
        assert!(names("It was 11 August 2014.", "2014-08-11") && names("on August 11, 2014", "2014-08-11"));
        assert!(!names("on August 12, 2014", "2014-08-11"));
    }
}
