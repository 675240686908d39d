//! Rewrites what is said in an unusual way in words that the readers know.

use crate::question::read::words::vocabulary::languages;

/// Returns a question in the usual letters: in small ones if all are capitals, which tell nothing
/// then, with *without* for `w/o`, with *than* for a misspelt *then*, and with apostrophes.
pub(crate) fn plainly_written(question: &str) -> String {
    /// Words before a *then* that is misspelt.
    const COMPARED: [&str; 12] = [
        "more", "less", "fewer", "higher", "lower", "larger", "bigger", "smaller", "greater",
        "older", "younger", "longer",
    ];

    /// Denials without their apostrophes.
    const APOSTROPHES: [(&str, &str); 10] = [
        ("dont", "don't"),
        ("doesnt", "doesn't"),
        ("didnt", "didn't"),
        ("isnt", "isn't"),
        ("arent", "aren't"),
        ("wasnt", "wasn't"),
        ("werent", "weren't"),
        ("havent", "haven't"),
        ("hasnt", "hasn't"),
        ("hadnt", "hadn't"),
    ];

    let is_shouted = question.chars().any(char::is_uppercase)
        && !question.chars().any(char::is_lowercase)
        && question.split_whitespace().count() > 3;
    let question = match is_shouted {
        true => question.to_lowercase(),
        false => question.to_owned(),
    };
    let question = question
        .replace(" w/o ", " without ")
        .replace(" w/ ", " with ");
    let question = APOSTROPHES
        .iter()
        .fold(question, |question, (said, meant)| {
            question.replace(&format!(" {said} "), &format!(" {meant} "))
        });
    let question = COMPARED.iter().fold(question, |question, word| {
        question.replace(&format!("{word} then "), &format!("{word} than "))
    });
    let question = with_total(&question).unwrap_or(question);
    let question = with_explanation(&question).unwrap_or(question);
    with_superlative(&question).unwrap_or(question)
}

/// Returns *extinct (status EX)* for `extinct, i.e. status EX`.
fn with_explanation(question: &str) -> Option<String> {
    const OPENINGS: [&str; 4] = [", i.e. ", ", ie ", ", that is, ", ", meaning "];
    let (before, behind) = OPENINGS
        .iter()
        .find_map(|opening| question.split_once(opening))?;
    let explanation = behind.trim_end_matches(['?', '.', ' ']);
    let (explanation, rest) = explanation.split_once(',').unwrap_or((explanation, ""));
    Some(format!("{before} ({explanation}){rest}?"))
}

/// Returns *how many were injured, in total* for `add up how many were injured`.
fn with_total(question: &str) -> Option<String> {
    let small = question.to_ascii_lowercase();
    let opening = ["add up for me ", "add up ", "sum up for me ", "sum up "]
        .into_iter()
        .find(|opening| small.starts_with(opening))?;
    let rest = question[opening.len()..].trim_end_matches(['?', '.', ' ']);
    let asks = ["how many", "how much"]
        .iter()
        .any(|asks| small[opening.len()..].starts_with(asks));
    asks.then(|| format!("{rest}, in total"))
}

/// Returns *which country has the most zones* for `which country has more zones than any other`.
fn with_superlative(question: &str) -> Option<String> {
    const OTHERS: [&str; 12] = [
        " than in any other",
        " than any of the others",
        " than any other",
        " than all the others",
        " than all the other",
        " than all others",
        " than all other",
        " than anyone else",
        " than anybody else",
        " than anything else",
        " than everyone else",
        " than everybody else",
    ];
    let small = question.to_ascii_lowercase();
    let (at, others) = OTHERS
        .iter()
        .find_map(|others| Some((small.find(others)?, *others)))?;
    let mut rest = &question[at + others.len()..];
    // `than any other country`
    if others.ends_with("other") {
        let noun = rest.trim_start_matches(' ');
        let end = noun
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(noun.len());
        rest = &noun[end..];
    }

    let said = &question[..at];
    let mut end = said.len();
    for word in said.rsplit(' ') {
        let start = end - word.len();
        if let Some(most) = superlative(word) {
            return Some(format!("{}{most}{}{rest}", &said[..start], &said[end..]));
        }
        end = start.saturating_sub(1);
    }
    None
}

/// Returns the superlative of a comparative: *the most* of `more`.
fn superlative(word: &str) -> Option<String> {
    let irregular = match word {
        "more" => Some("the most"),
        "less" => Some("the least"),
        "fewer" => Some("the fewest"),
        "better" => Some("the best"),
        "worse" => Some("the worst"),
        "further" | "farther" => Some("the farthest"),
        _ => None,
    };
    let regular = || {
        let formed = format!("{}est", word.strip_suffix("er")?);
        let is_known = languages()[0].knows(&formed);
        is_known.then(|| format!("the {formed}"))
    };
    irregular.map(str::to_owned).or_else(regular)
}
