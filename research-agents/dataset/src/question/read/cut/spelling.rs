//! How words are spelt: the edits between two, and abbreviations that leave vowels out.

/// Returns the number of edits between two words; more than `most` where it is larger.
pub(crate) fn distance(a: &str, b: &str, most: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let width = b.len() + 1;
    let mut rows = vec![0; (a.len() + 1) * width];
    for (at, cell) in rows.iter_mut().take(width).enumerate() {
        *cell = at;
    }

    for i in 1..=a.len() {
        rows[i * width] = i;
        let mut least = i;
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut edits = (rows[(i - 1) * width + j] + 1)
                .min(rows[i * width + j - 1] + 1)
                .min(rows[(i - 1) * width + j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                edits = edits.min(rows[(i - 2) * width + j - 2] + 1);
            }
            rows[i * width + j] = edits;
            least = least.min(edits);
        }
        if least > most {
            return most + 1;
        }
    }
    rows[a.len() * width + b.len()]
}

/// Returns whether a name is a word without its vowels, such as `ctry` of `countries`.
pub(crate) fn is_skeleton(name: &str, word: &str) -> bool {
    if !is_vowelless(name) || word.len() <= name.len() {
        return false;
    }
    let singular = match word.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => word.strip_suffix('s').unwrap_or(word).to_owned(),
    };
    let mut letters = singular.chars();
    let is_in_order = name.chars().all(|letter| letters.any(|own| own == letter));
    let ends_alike = letters.next().is_none();
    is_in_order && ends_alike && singular.starts_with(|first| name.starts_with(first))
}

/// Returns whether a name is made of the beginnings of some words, one after another: `famlabor` of
/// *family labor*, `tbilrate` of *treasury bill rate*. The last of them has three letters at least.
pub(crate) fn is_clipped(name: &str, words: &[&str]) -> bool {
    const LAST: usize = 3;
    match words {
        [] => false,
        [last] => name.len() >= LAST && last.starts_with(name),
        [first, rest @ ..] => {
            let shared = name.bytes().zip(first.bytes());
            let shared = shared.take_while(|(one, other)| one == other).count();
            (1..=shared)
                .filter(|end| name.is_char_boundary(*end))
                .any(|end| is_clipped(&name[end..], rest))
        }
    }
}

/// Returns whether a word is an abbreviation that leaves the vowels out.
pub(crate) fn is_vowelless(word: &str) -> bool {
    (3..=6).contains(&word.len())
        && word
            .chars()
            .all(|letter| letter.is_ascii_lowercase() && !"aeiou".contains(letter))
}

/// Returns whether two words differ at most in the ending of a plural or a gender.
pub(crate) fn is_inflected(word: &str, other: &str) -> bool {
    const ENDINGS: [&str; 12] = ["", "s", "es", "e", "en", "n", "er", "i", "a", "o", "x", "y"];
    let common = word
        .char_indices()
        .zip(other.chars())
        .take_while(|((_, a), b)| a == b)
        .last()
        .map_or(0, |((at, letter), _)| at + letter.len_utf8());
    let rest = |text: &str| ENDINGS.contains(&&text[common..]);
    let is_plural_of_y =
        word.strip_suffix('y').map(|stem| format!("{stem}ies")) == Some(other.to_owned());
    common >= 2 && (rest(word) && rest(other) || is_plural_of_y)
}

/// Returns the plural of a noun in English.
pub(crate) fn plural_of(noun: &str) -> String {
    match noun.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{noun}s"),
    }
}
