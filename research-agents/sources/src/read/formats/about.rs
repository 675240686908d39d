//! Dates and languages that documents state.

/// Returns the first date in a string: `YYYY-MM-DD`, `YYYY-MM` or a year alone, also as written in
/// `March 5, 2024` and `5 March 2024`.
pub(crate) fn date_in(text: &str) -> Option<String> {
    iso_date(text).or_else(|| written_date(text))
}

fn iso_date(text: &str) -> Option<String> {
    let parts: Vec<&str> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .collect();
    let at = parts.iter().position(|part| is_year(part))?;
    let number = |index: usize, most: u32| {
        let part = parts.get(index).filter(|part| part.len() <= 2)?;
        part.parse::<u32>()
            .ok()
            .filter(|number| (1..=most).contains(number))
    };

    // A year that letters precede, as in `March 5, 2024`, is written in words.
    let before = text.split(parts[at]).next().unwrap_or_default();
    if before.chars().any(char::is_alphabetic) {
        return None;
    }
    let after_year = text.split_once(parts[at])?.1;
    let has_parts = after_year.starts_with(['-', '/', '.']);
    Some(match (number(at + 1, 12), number(at + 2, 31)) {
        (Some(month), Some(day)) if has_parts => format!("{}-{month:02}-{day:02}", parts[at]),
        (Some(month), None) if has_parts => format!("{}-{month:02}", parts[at]),
        _ => parts[at].to_owned(),
    })
}

fn written_date(text: &str) -> Option<String> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let year = words.iter().find(|word| is_year(word))?;
    let month = words.iter().find_map(|word| {
        let word = word.to_ascii_lowercase();
        MONTHS
            .iter()
            .position(|month| word.starts_with(month) && word.len() >= 3)
    });
    let day = words.iter().find_map(|word| {
        let digits = word.trim_end_matches(|c: char| c.is_alphabetic());
        let number: u32 = digits.parse().ok()?;
        (digits.len() <= 2 && (1..=31).contains(&number)).then_some(number)
    });

    Some(match (month, day) {
        (Some(month), Some(day)) => format!("{year}-{:02}-{day:02}", month + 1),
        (Some(month), None) => format!("{year}-{:02}", month + 1),
        _ => (*year).to_owned(),
    })
}

fn is_year(text: &str) -> bool {
    text.len() == 4
        && text
            .parse::<u32>()
            .is_ok_and(|year| (1_000..2_200).contains(&year))
}

/// Returns the code of a language tag: `en` of `en-GB`.
pub(crate) fn language_code(tag: &str) -> Option<String> {
    let code = tag.split(['-', '_']).next()?.trim().to_ascii_lowercase();
    let is_code = (2..=3).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_lowercase());
    is_code.then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_several_forms() {
        for (text, date) in [
            ("2024-03-05T10:00:00Z", "2024-03-05"),
            ("2024-03", "2024-03"),
            ("(c) 1999", "1999"),
            ("March 5, 2024", "2024-03-05"),
            ("5 March 2024", "2024-03-05"),
            ("2023/1/9", "2023-01-09"),
        ] {
            assert_eq!(date_in(text).as_deref(), Some(date), "{text}");
        }
        assert_eq!(date_in("version 12"), None);
    }
}
