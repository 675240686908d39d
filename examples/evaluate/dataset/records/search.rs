//! Whether a record fulfils a search in texts.

use serde_json::Value;

use super::value::shown;

/// Whether one of these cells has the text of a search: its words in order, all of them, or any, as the search says. Words are compared
/// by their stems.
pub fn holds(cells: &[(&str, &Value)], search: &Value) -> bool {
    let is_exact = search["exact"] == Value::Bool(true);
    let stems = |text: &str| if is_exact { words(text).collect() } else { stems(text) };
    let wanted = stems(search["text"].as_str().unwrap_or_default());
    let fields: Vec<&str> = search["fields"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let is_searched = |name: &str| fields.is_empty() || fields.iter().any(|field| field.eq_ignore_ascii_case(name));
    let is_text = |cell: &Value| cell.is_array() || cell.as_str().is_some_and(|text| text.parse::<f64>().is_err());
    let texts: Vec<Vec<String>> = cells
        .iter()
        .filter(|(name, cell)| is_searched(name) && is_text(cell))
        .map(|(_, cell)| stems(&shown(cell)))
        .collect();

    let has = |word: &String| texts.iter().any(|text| text.contains(word));
    match search["match"].as_str().unwrap_or("all") {
        "phrase" => texts.iter().any(|text| text.windows(wanted.len().max(1)).any(|words| words == wanted)),
        "any" => wanted.iter().any(has),
        _ => wanted.iter().all(has),
    }
}

/// Whether a text has these words in order, in whatever letter case.
pub fn contains(text: &str, words: &str) -> bool {
    let (text, words): (Vec<String>, Vec<String>) = (self::words(text).collect(), self::words(words).collect());
    !words.is_empty() && text.windows(words.len()).any(|found| found == words)
}

/// The words of a text in small letters, without the marks of letters such as *á*.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    const MARKED: [(&str, char); 8] = [
        ("àáâãäå", 'a'),
        ("ç", 'c'),
        ("èéêë", 'e'),
        ("ìíîï", 'i'),
        ("ñ", 'n'),
        ("òóôõöø", 'o'),
        ("ùúûü", 'u'),
        ("ýÿ", 'y'),
    ];
    let plain = |letter: char| {
        let found = MARKED.iter().find(|(marked, _)| marked.contains(letter));
        found.map_or(letter, |(_, plain)| *plain)
    };
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(move |word| word.to_lowercase().chars().map(plain).collect())
}

fn stems(text: &str) -> Vec<String> {
    words(text).map(|word| stem(&word)).collect()
}

/// A word without the endings of plurals and of the forms of a verb: steps 1a to 1c of Porter, "An algorithm for suffix stripping",
/// 1980. The longer endings of the later steps are left.
fn stem(word: &str) -> String {
    let mut stem = match word {
        _ if word.ends_with("sses") || word.ends_with("ies") => word[..word.len() - 2].to_owned(),
        _ if word.ends_with('s') && !word.ends_with("ss") && word.len() > 2 => word[..word.len() - 1].to_owned(),
        _ => word.to_owned(),
    };

    let has_vowel = |text: &str| text.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    for ending in ["ing", "ed"] {
        let Some(rest) = stem.strip_suffix(ending).filter(|rest| has_vowel(rest)) else { continue };
        let mut rest = rest.to_owned();
        let last: Vec<char> = rest.chars().rev().take(2).collect();
        let is_double = last.len() == 2 && last[0] == last[1];
        if rest.ends_with("at") || rest.ends_with("bl") || rest.ends_with("iz") {
            rest.push('e');
        } else if is_double && !['l', 's', 'z', 'e', 'o', 'a', 'i', 'u'].contains(&last[0]) {
            rest.pop();
        }
        stem = rest;
        break;
    }

    match stem.strip_suffix('y') {
        Some(rest) if has_vowel(rest) => format!("{rest}i"),
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_are_found_by_their_stems() {
        let (title, year) = (json!("Landing gears were damaged"), json!("1999"));
        let cells = [("title", &title), ("year", &year)];
        let has = |search: Value| holds(&cells, &search);

        assert!(has(json!({"text": "landing gear", "match": "phrase"})));
        assert!(!has(json!({"text": "gear landing", "match": "phrase"})) && has(json!({"text": "gear landing"})));
        assert!(has(json!({"text": "wing gear", "match": "any"})) && !has(json!({"text": "wing gear"})));
        assert!(!has(json!({"text": "gear", "fields": ["year"]})) && !has(json!({"text": "1999"})));
        assert!(contains("Ohio State", "ohio") && !contains("Ohioan", "ohio"));
    }
}
