//! The meaning of an answer: the number of an option, words that distinguish one option from the
//! others, or the user's own words.

use std::collections::HashSet;

use crate::data::task::conversation::{Choice, Clarified, Reading};
use crate::question::doubt::Doubt;

/// Returns what an answer settles. An empty one leaves the likeliest reading.
pub(crate) fn settle(doubt: &Doubt, answer: &str) -> Clarified {
    let answer = answer.trim();
    if answer.is_empty() {
        return doubt.assumed();
    }

    let chosen = choose(&doubt.choices, answer);
    let is_other = |at: &usize| Some(*at) != chosen;
    let others = (0..doubt.choices.len())
        .filter(is_other)
        .map(|at| doubt.choices[at].label.clone());

    Clarified {
        question: doubt.clarification().question,
        answer: answer.to_owned(),
        reading: chosen.map(|at| doubt.choices[at].clone()),
        others: if chosen.is_some() {
            others.collect()
        } else {
            Vec::new()
        },
        assumed: false,
    }
}

/// Returns the one option that an answer means.
fn choose(choices: &[Choice], answer: &str) -> Option<usize> {
    let number = answer.trim_end_matches(['.', ')']).parse::<usize>().ok();
    if let Some(at) = number.filter(|number| (1..=choices.len()).contains(number)) {
        return Some(at - 1);
    }

    let said = words(answer);
    let labels: Vec<HashSet<String>> = choices.iter().map(|choice| words(&choice.label)).collect();
    if let Some(at) = labels.iter().position(|label| *label == said) {
        return Some(at);
    }

    let telling = |at: &usize| {
        let others: HashSet<&String> = labels
            .iter()
            .enumerate()
            .filter(|(n, _)| n != at)
            .flat_map(|(_, l)| l)
            .collect();
        let own: Vec<&String> = labels[*at]
            .iter()
            .filter(|word| !others.contains(word))
            .collect();
        !own.is_empty() && own.iter().all(|word| said.contains(*word))
    };

    // A reading with its own words must not lose those that the user adds.
    let adds_nothing = |at: &usize| match choices[*at].reading {
        Reading::Field(_) | Reading::Tool(_) => true,
        Reading::Words(_) | Reading::AsAsked => said.is_subset(&labels[*at]),
    };
    let mut distinguished = (0..labels.len()).filter(|at| telling(at) && adds_nothing(at));

    distinguished
        .next()
        .filter(|_| distinguished.next().is_none())
}

fn words(text: &str) -> HashSet<String> {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubt(labels: &[&str]) -> Doubt {
        let choice = |label: &&str| Choice {
            label: (*label).into(),
            reading: Reading::Field((*label).into()),
        };
        Doubt::new(
            "“Washington” is unclear".into(),
            "Which one is meant?",
            labels.iter().map(choice),
        )
    }

    #[test]
    fn an_option_is_meant_by_its_number_its_words_or_what_tells_it_from_the_others() {
        let doubt = doubt(&["State = Washington", "Airport Name = Washington"]);

        for (answer, chosen) in [
            ("2", 1),
            ("2.", 1),
            ("state = washington", 0),
            ("the state", 0),
            ("I mean the airport by that name", 1),
            ("Airport Name = Washington", 1),
        ] {
            let settled = settle(&doubt, answer);
            assert_eq!(
                settled.reading.as_ref(),
                Some(&doubt.choices[chosen]),
                "{answer}"
            );
            assert_eq!(
                (settled.others.len(), settled.assumed),
                (1, false),
                "{answer}"
            );
        }
    }

    #[test]
    fn other_words_are_the_users_own_and_no_option() {
        let doubt = doubt(&["State = Washington", "Airport = Washington"]);
        for answer in [
            "3",
            "0",
            "Washington",
            "neither, only Ohio",
            "state or airport",
        ] {
            let settled = settle(&doubt, answer);
            assert_eq!(
                (settled.reading.as_ref(), settled.answer.as_str()),
                (None, answer)
            );
        }
    }

    #[test]
    fn words_beyond_an_option_that_only_says_more_are_the_users_own() {
        let choice = |label: &str| Choice {
            label: label.into(),
            reading: Reading::Words(label.into()),
        };
        let choices = ["all records by size", "all records by state"].map(choice);
        let doubt = Doubt::new(
            "nothing is named".into(),
            "What should be found out?",
            choices.clone(),
        );
        assert_eq!(
            settle(&doubt, "by state").reading.as_ref(),
            Some(&choices[1])
        );
        assert_eq!(settle(&doubt, "large ones by state").reading, None);
    }

    #[test]
    fn an_empty_answer_leaves_the_likeliest_reading() {
        let doubt = doubt(&["a", "b"]);
        let settled = settle(&doubt, "  ");
        assert_eq!((settled.settled(), settled.assumed), ("a", true));
        assert_eq!(
            doubt.note().told().unwrap(),
            "“Washington” is unclear: it was taken as a; it could also mean b"
        );
    }
}
