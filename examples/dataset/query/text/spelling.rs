//! Words of the index that are spelled nearly like others.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;

use super::super::super::error::QueryError;

/// Spellings of one word that are taken.
const SPELLINGS: usize = 5;
/// Spellings of a word among others.
const SPELLINGS_AMONG_OTHERS: usize = 20;
/// Letters from which on a word may have a mistake.
const SHORTEST: usize = 4;
/// Letters up to which a word may have one mistake; longer ones may have two.
const ONE_MISTAKE: usize = 7;
/// The same of a word among others, which are found together.
const ONE_MISTAKE_AMONG_OTHERS: usize = 4;

/// Returns the nearest words of the index by the words of these phrases; a word that the index has is its own nearest.
///
/// Words with digits are never changed.
pub(super) fn similar(
    connection: &Connection,
    phrases: &[&Vec<String>],
) -> Result<HashMap<String, Vec<String>>, QueryError> {
    let mut words: HashMap<String, Vec<(usize, i64, String)>> = HashMap::new();
    let mut alone: HashSet<&str> = HashSet::new();
    for phrase in phrases {
        for word in phrase.iter() {
            words.entry(word.clone()).or_default();
            if phrase.len() == 1 {
                alone.insert(word);
            }
        }
    }
    if words.is_empty() {
        return Ok(HashMap::new());
    }

    let read = |words: &mut HashMap<String, Vec<(usize, i64, String)>>| -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached("SELECT term, doc FROM vocabulary")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let term = row.get_ref(0)?.as_str()?;
            for (word, near) in &mut *words {
                let one_mistake = if alone.contains(word.as_str()) { ONE_MISTAKE } else { ONE_MISTAKE_AMONG_OTHERS };
                if let Some(distance) = distance(word, term, one_mistake) {
                    near.push((distance, -row.get::<_, i64>(1)?, term.to_owned()));
                }
            }
        }
        Ok(())
    };
    read(&mut words).map_err(QueryError::store)?;

    // Words that are found together tell each other's spelling.
    let nearest = |word: &String, mut near: Vec<(usize, i64, String)>| {
        near.sort_unstable();
        let best = near.first().map_or(0, |(distance, ..)| *distance);
        let is_alone = alone.contains(word.as_str());
        let (farthest, most) = if is_alone { (best, SPELLINGS) } else { (usize::MAX, SPELLINGS_AMONG_OTHERS) };
        let near = near.into_iter().filter(|(distance, ..)| *distance <= farthest);
        near.take(most).map(|(_, _, term)| term).collect()
    };
    Ok(words
        .into_iter()
        .map(|(word, near)| {
            let near = nearest(&word, near);
            (word, near)
        })
        .collect())
}

/// Returns how many letters are changed, left out, added or exchanged, when they are few enough.
fn distance(word: &str, term: &str, one_mistake: usize) -> Option<usize> {
    if word == term {
        return Some(0);
    }
    // Letters may take several bytes, but then both words have about as many of them.
    let letters = word.len();
    let allowed = if letters <= one_mistake { 1 } else { 2 };
    if letters < SHORTEST || letters.abs_diff(term.len()) > 2 * allowed {
        return None;
    }
    // People seldom mistake both ends of a word, and a vocabulary is long.
    let (first, last) = (word.chars().next() == term.chars().next(), word.chars().last() == term.chars().last());
    if !first && !last || [word, term].iter().any(|word| word.bytes().any(|byte| byte.is_ascii_digit())) {
        return None;
    }
    let distance = strsim::osa_distance(word, term);
    (distance <= allowed && (first || distance < 2)).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_mistakes_are_allowed_and_none_in_numbers() {
        for (word, term, expected) in [
            ("gentoo", "gentoo", Some(0)),
            ("gentto", "gentoo", Some(1)),
            ("genoto", "gentoo", Some(1)),
            ("gntto", "gentoo", None),
            ("chinstarp", "chinstrap", Some(1)),
            ("chinnstarp", "chinstrap", Some(2)),
            ("owl", "own", None),
            ("747s", "747", None),
            ("b737", "b738", None),
        ] {
            assert_eq!(distance(word, term, ONE_MISTAKE), expected, "{word} {term}");
        }
    }
}
