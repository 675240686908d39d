//! Expressions of the full-text index.

use rusqlite::Connection;
use rust_stemmers::{Algorithm, Stemmer};

use super::super::super::error::QueryError;

/// Forms of one word that are looked for.
const FORMS: usize = 30;
/// Combinations of the forms of the words of a phrase.
const PHRASES: usize = 200;

/// Returns the expression for these words as a phrase, in one of the forms of each.
pub(super) fn phrase(forms: &[Vec<String>]) -> String {
    let mut phrases = vec![String::new()];
    for forms in forms {
        let room = (PHRASES / phrases.len()).max(1);
        let longer = |phrase: &String| -> Vec<String> {
            let separator = if phrase.is_empty() { "" } else { " " };
            forms.iter().take(room).map(|form| format!("{phrase}{separator}{form}")).collect()
        };
        phrases = phrases.iter().flat_map(longer).collect();
    }
    let phrases: Vec<String> = phrases.iter().map(|phrase| quoted(phrase)).collect();
    phrases.join(" OR ")
}

/// Returns the expression for all or any of these words, each in one of its forms.
pub(super) fn words(forms: &[Vec<String>], operator: &str) -> String {
    let word = |forms: &Vec<String>| {
        let forms: Vec<String> = forms.iter().map(|form| quoted(form)).collect();
        format!("({})", forms.join(" OR "))
    };
    let words: Vec<String> = forms.iter().map(word).collect();
    words.join(&format!(" {operator} "))
}

/// Quotes a text, so that nothing in it has a meaning in an expression.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Returns a word and the other words of the index with the same English stem.
pub(super) fn forms(connection: &Connection, word: &str) -> Result<Vec<String>, QueryError> {
    let mut forms = vec![word.to_owned()];
    if !word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Ok(forms);
    }
    let stemmer = Stemmer::create(Algorithm::English);
    let stem = stemmer.stem(word).into_owned();
    // Forms of a word differ in the last letter of the stem at the earliest: fly, flies.
    let prefix = &stem[..stem.len().saturating_sub(1).max(1)];

    let read = |forms: &mut Vec<String>| -> rusqlite::Result<()> {
        let mut statement =
            connection.prepare_cached("SELECT term FROM vocabulary WHERE term >= ?1 AND term < ?1 || '~'")?;
        let mut rows = statement.query([prefix])?;
        while let Some(row) = rows.next()? {
            let term = row.get_ref(0)?.as_str()?;
            if term != word && forms.len() < FORMS && stemmer.stem(term) == stem {
                forms.push(term.to_owned());
            }
        }
        Ok(())
    };
    read(&mut forms).map_err(QueryError::store)?;
    Ok(forms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_combined_and_quoted() {
        let forms = [vec!["a".to_owned(), "b".to_owned()], vec!["c\"".to_owned()]];
        assert_eq!(phrase(&forms), r#""a c""" OR "b c""""#);
        assert_eq!(words(&forms, "AND"), r#"("a" OR "b") AND ("c""")"#);
        let many = vec![vec!["x".to_owned(); 30]; 10];
        assert!(phrase(&many).matches(" OR ").count() < PHRASES);
    }
}
