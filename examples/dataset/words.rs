//! Words of texts, compared without regard to case.

/// Returns the words of a text in lower case, separated by one space. A word is a run of letters and digits.
pub(super) fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.extend(word.chars().flat_map(char::to_lowercase));
    }
    folded
}

/// Returns whether the folded words stand in the text, whole, one after the other, whatever marks their letters have.
pub(super) fn says(text: &str, phrase: &str) -> bool {
    if phrase.is_empty() {
        return false;
    }
    let (text, phrase) = (without_marks(&folded(text)), without_marks(phrase));
    text.match_indices(&phrase).any(|(at, found)| {
        let (before, behind) = (&text[..at], &text[at + found.len()..]);
        (before.is_empty() || before.ends_with(' ')) && (behind.is_empty() || behind.starts_with(' '))
    })
}

/// Returns the text with the plain letters of Latin ones that have marks, as the full-text index compares them.
pub(super) fn without_marks(text: &str) -> String {
    const MARKED: [(&str, char); 17] = [
        ("àáâãäåāăą", 'a'),
        ("çćĉċč", 'c'),
        ("ďđ", 'd'),
        ("èéêëēĕėęě", 'e'),
        ("ĝğġģ", 'g'),
        ("ĥħ", 'h'),
        ("ìíîïĩīĭį", 'i'),
        ("ķ", 'k'),
        ("ĺļľł", 'l'),
        ("ñńņň", 'n'),
        ("òóôõöøōŏő", 'o'),
        ("ŕŗř", 'r'),
        ("śŝşšș", 's'),
        ("ţťț", 't'),
        ("ùúûüũūŭůűų", 'u'),
        ("ýÿ", 'y'),
        ("źżž", 'z'),
    ];
    if text.is_ascii() {
        return text.to_owned();
    }
    let plain = |letter: char| match letter {
        letter if letter.is_ascii() => letter,
        letter => MARKED.iter().find(|(marked, _)| marked.contains(letter)).map_or(letter, |(_, plain)| *plain),
    };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_in_order_are_found() {
        for (text, phrase, expected) in [
            ("The engine-fire light", "engine fire", true),
            ("The engine is on fire", "engine fire", false),
            ("Engines fire", "engine fire", false),
            ("ÉCOLE normale", "école", true),
            ("COYOACAN, CDMX", "coyoacán", true),
            ("Coyoacán", "coyoacan", true),
            ("", "x", false),
            ("x", "", false),
        ] {
            assert_eq!(says(text, phrase), expected, "{text:?} {phrase:?}");
        }
    }
}
