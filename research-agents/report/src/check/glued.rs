//! Refuses signs and letters that change the meaning of a number and are not part of it: `-371`,
//! `371k`, `371'607`.

use crate::check::counts::parsed::ParsedSentence;
use crate::check::failure::Failure;
use crate::check::figure::Figure;
use crate::language::numerals::Numerals;

/// Signs that make a number negative when they are written directly before it.
const MINUS: [char; 3] = ['-', '−', '–'];

/// Letters that multiply a number when they are written directly after it.
const SUFFIXES: [&str; 9] = ["k", "K", "M", "B", "bn", "Bn", "mn", "Mn", "mln"];

/// Those of them that multiply it after a blank too.
const AFTER_BLANK: [&str; 5] = ["k", "bn", "Bn", "mn", "Mn"];

/// Signs that join two numbers to one. A group sign of the language is read as a part of the
/// number, so that these are others, or stand where no group can be.
const JOINERS: [char; 17] = [
    '\'', '’', '‘', 'ʼ', '`', '´', '_', '^', '·', '⋅', '\u{a0}', '\u{2007}', '\u{2008}',
    '\u{2009}', '\u{200a}', '\u{202f}', '\u{2060}',
];

/// Checks that no number is a part of a larger or negative one. Texts that `is_repeated` knows may
/// be repeated as they are, and numbers that `is_negative` knows have a sign.
///
/// # Errors
///
/// [`Failure::UnsupportedNumber`] with the first number as it is written with its signs.
pub(crate) fn check(
    sentence: &ParsedSentence<'_>,
    numerals: &Numerals,
    is_repeated: impl Fn(&str) -> bool,
    is_negative: impl Fn(&Figure) -> bool,
) -> Result<(), Failure> {
    let text = sentence.text;

    for (at, figure) in sentence.figures.iter().enumerate() {
        let signed = sign(text, figure).filter(|_| !is_negative(figure));
        let next = sentence.figures.get(at + 1);
        let joined = next.and_then(|next| joined(text, figure, next));
        let glued = [signed, suffix(text, figure, numerals), joined];

        for written in glued.into_iter().flatten() {
            if !is_repeated(written) {
                return Err(Failure::UnsupportedNumber {
                    figure: written.to_owned(),
                });
            }
        }
    }
    Ok(())
}

/// Returns a number with the minus sign before it. A sign after a letter or digit is a hyphen.
fn sign<'t>(text: &'t str, figure: &Figure) -> Option<&'t str> {
    let before = &text[..figure.at.start];
    let sign = before.chars().next_back().filter(|c| MINUS.contains(c))?;
    let start = before.len() - sign.len_utf8();
    let is_hyphen = before[..start].ends_with(|c: char| c.is_alphanumeric() || c == sign);
    (!is_hyphen).then(|| &text[start..figure.at.end])
}

/// Returns a number with the letters after it that multiply it. Words of the language are read as
/// a part of the number, and digits within a word, as in `iso6392B`, are multiplied by nothing.
fn suffix<'t>(text: &'t str, figure: &Figure, numerals: &Numerals) -> Option<&'t str> {
    if text[..figure.at.start].ends_with(char::is_alphabetic) {
        return None;
    }
    let after = &text[figure.at.end..];
    let word = after.trim_start_matches([' ', '\u{a0}', '\u{202f}', '\u{2009}']);
    let blanks = after.len() - word.len();
    let end = word
        .find(|c: char| !c.is_alphabetic())
        .unwrap_or(word.len());
    let letters = &word[..end];

    let is_exponent = blanks == 0
        && matches!(letters, "e" | "E")
        && word[end..].starts_with(|c: char| c.is_ascii_digit() || MINUS.contains(&c) || c == '+');
    let known: &[&str] = if blanks == 0 { &SUFFIXES } else { &AFTER_BLANK };
    let multiplies = known.contains(&letters) && numerals.scale(&letters.to_lowercase()) == 1.0;
    let is_code = word[end..].starts_with(|c: char| c.is_numeric() || c == '-');

    (is_exponent || (multiplies && !is_code))
        .then(|| &text[figure.at.start..figure.at.end + blanks + end])
}

/// Returns two numbers with the one sign that joins them.
fn joined<'t>(text: &'t str, figure: &Figure, next: &Figure) -> Option<&'t str> {
    let mut between = text.get(figure.at.end..next.at.start)?.chars();
    let (sign, rest) = (between.next()?, between.next());
    (rest.is_none() && JOINERS.contains(&sign)).then(|| &text[figure.at.start..next.at.end])
}

/// Returns whether a string contains this part as whole words.
pub(crate) fn stands_in(text: &str, part: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(part).any(|(at, _)| {
        !is_letter(text[..at].chars().next_back())
            && !is_letter(text[at + part.len()..].chars().next())
    })
}
