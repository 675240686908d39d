//! Checks that a sentence does not negate its own claims.

use crate::check::counts::parsed::ParsedSentence;
use crate::check::failure::Failure;
use crate::check::figure::Figure;
use crate::claim::Claim;

/// Words that negate what follows them.
const NOT: [&str; 6] = ["not", "never", "cannot", "neither", "nor", "hardly"];

/// Words that can occur between a negation and what it negates.
const BETWEEN: [&str; 30] = [
    "have", "has", "had", "hold", "holds", "contain", "make", "up", "account", "for", "with", "be",
    "the", "come", "in", "match", "lead", "involve", "concern", "include", "happen", "occur", "a",
    "an", "of", "at", "lie", "between", "first", "most",
];

/// Checks the negations of a sentence.
///
/// # Errors
///
/// Returns [`Failure::Denied`] for a negation directly before a claimed value or number, or between
/// a field and the value that a quote states for it.
pub(crate) fn check(
    sentence: &ParsedSentence<'_>,
    claims: &[Claim],
    carried: impl Fn(&Figure) -> bool,
) -> Result<(), Failure> {
    let denials = words(&sentence.folded).into_iter().filter(|(start, word)| {
        NOT.contains(word) || (*word == "t" && sentence.text[..*start].ends_with(['\'', '’']))
    });

    for (start, word) in denials {
        let end = start + word.len();
        // *Not Small but Large* also states what holds.
        if sentence.folded[end..].contains(" but ") {
            continue;
        }

        // A negated value or number.
        let claimed = sentence.groups.iter().flat_map(|group| {
            let mentions = group
                .mentions
                .iter()
                .filter(|mention| group.rows[mention.row].is_claimed);
            mentions.map(|mention| mention.at.start)
        });
        let counted = sentence
            .figures
            .iter()
            .filter(|figure| carried(figure))
            .map(|figure| figure.at.start);
        let denied = claimed.chain(counted).filter(|at| *at >= end).min();
        let fields: Vec<String> = sentence
            .groups
            .iter()
            .map(|group| crate::check::words::fold(group.field))
            .collect();
        let is_field = |word: &str| {
            fields
                .iter()
                .any(|field| field.split(' ').any(|part| part == word))
        };
        let is_direct = |at: &usize| {
            words(sentence.between(end, *at))
                .iter()
                .all(|(_, word)| BETWEEN.contains(word) || is_field(word))
        };
        if let Some(at) = denied.filter(is_direct) {
            return Err(failure(sentence, start, at));
        }

        // *Do not match*, *do not occur together*.
        let after = sentence.folded[end..].trim_start();
        let all = |is: fn(&Claim) -> bool| !claims.is_empty() && claims.iter().all(is);
        let is_match =
            after.starts_with("match") && all(|claim| matches!(claim, Claim::Total { .. }));
        let is_pair = after.starts_with("occur together")
            && all(|claim| matches!(claim, Claim::Quote { .. }));
        if is_match || is_pair {
            return Err(failure(sentence, start, end + 1));
        }

        if let Some(at) = denied_quote(sentence, claims, start, end) {
            return Err(failure(sentence, start, at));
        }
    }

    Ok(())
}

/// Returns the end of a value that is negated although a quote states it: *Size is not Small*, with
/// the quote `Size: Small`.
fn denied_quote(
    sentence: &ParsedSentence<'_>,
    claims: &[Claim],
    start: usize,
    end: usize,
) -> Option<usize> {
    let quotes = claims.iter().filter_map(|claim| match claim {
        Claim::Quote { text, .. } => text.split_once(": "),
        _ => None,
    });
    let before = sentence.folded[..start].trim_end();
    let before = ["is", "are", "was", "were", "does", "do", "did"]
        .iter()
        .find_map(|verb| before.strip_suffix(verb))?;
    let after = sentence.folded[end..].trim_start();
    let after = ["have ", "occur together with "]
        .iter()
        .find_map(|verb| after.strip_prefix(verb))
        .unwrap_or(after);
    let fold = crate::check::words::fold;

    quotes
        .filter(|(_, value)| !value.trim().is_empty())
        .find_map(|(field, value)| {
            let value = fold(value.trim());
            let speaks =
                before.trim_end().ends_with(&fold(field.trim())) && after.starts_with(&value);
            speaks.then(|| sentence.folded.len() - after.len() + value.len())
        })
}

/// Returns the failure of a negation at `start`, with the words up to `to`.
fn failure(sentence: &ParsedSentence<'_>, start: usize, to: usize) -> Failure {
    let rest = sentence.text.get(start..).unwrap_or_default();
    let shown = to.saturating_sub(start);
    let cut = rest
        .get(shown..)
        .and_then(|rest| rest.find([' ', ',', '.']))
        .map_or(rest.len(), |more| shown + more);
    Failure::Denied {
        words: rest
            .get(..cut)
            .unwrap_or(rest)
            .trim_end_matches(['.', ','])
            .to_owned(),
    }
}

/// Returns words with their positions.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    for part in text.split(|c: char| !c.is_alphanumeric()) {
        if !part.is_empty() {
            found.push((from, part));
        }
        from += part.len()
            + text[from + part.len()..]
                .chars()
                .next()
                .map_or(0, char::len_utf8);
    }
    found
}
