//! Negations: a sentence must not deny what its claims say.

use super::figure::Figure;
use super::said::Said;
use crate::kernel::check::failure::Failure;
use crate::kernel::claim::Claim;

/// Words that deny what follows.
const NOT: [&str; 6] = ["not", "never", "cannot", "neither", "nor", "hardly"];

/// Words that may stand between a negation and what it denies.
const BETWEEN: [&str; 30] = [
    "have", "has", "had", "hold", "holds", "contain", "make", "up", "account", "for", "with", "be", "the", "come",
    "in", "match", "lead", "involve", "concern", "include", "happen", "occur", "a", "an", "of", "at", "lie", "between",
    "first", "most",
];

/// A negation directly before a claimed value or number, or between a field and the value that a quote gives it, fails.
pub(super) fn check(said: &Said<'_>, claims: &[Claim], carried: impl Fn(&Figure) -> bool) -> Result<(), Failure> {
    let denials = words(&said.folded)
        .into_iter()
        .filter(|(start, word)| NOT.contains(word) || (*word == "t" && said.text[..*start].ends_with(['\'', '’'])));
    for (start, word) in denials {
        let end = start + word.len();
        // *Not Small but Large* says what holds, too.
        if said.folded[end..].contains(" but ") {
            continue;
        }
        let claimed = said.groups.iter().flat_map(|group| {
            let mentions = group.mentions.iter().filter(|mention| group.rows[mention.row].is_claimed);
            mentions.map(|mention| mention.at.start)
        });
        let counted = said.figures.iter().filter(|figure| carried(figure)).map(|figure| figure.at.start);
        let denied = claimed.chain(counted).filter(|at| *at >= end).min();
        let fields: Vec<String> = said.groups.iter().map(|group| super::words::fold(group.field)).collect();
        let is_field = |word: &str| fields.iter().any(|field| field.split(' ').any(|part| part == word));
        let is_direct =
            |at: &usize| words(said.between(end, *at)).iter().all(|(_, word)| BETWEEN.contains(word) || is_field(word));
        if let Some(at) = denied.filter(is_direct) {
            return Err(failure(said, start, at));
        }
        let after = said.folded[end..].trim_start();
        let all = |is: fn(&Claim) -> bool| !claims.is_empty() && claims.iter().all(is);
        let is_match = after.starts_with("match") && all(|claim| matches!(claim, Claim::Total { .. }));
        let is_pair = after.starts_with("occur together") && all(|claim| matches!(claim, Claim::Quote { .. }));
        if is_match || is_pair {
            return Err(failure(said, start, end + 1));
        }
        if let Some(at) = denied_quote(said, claims, start, end) {
            return Err(failure(said, start, at));
        }
    }
    Ok(())
}

/// *Size is not Small*, with a quote `Size: Small`: where the value ends.
fn denied_quote(said: &Said<'_>, claims: &[Claim], start: usize, end: usize) -> Option<usize> {
    let quotes = claims.iter().filter_map(|claim| match claim {
        Claim::Quote { text, .. } => text.split_once(": "),
        _ => None,
    });
    let before = said.folded[..start].trim_end();
    let before = ["is", "are", "was", "were", "does", "do", "did"].iter().find_map(|verb| before.strip_suffix(verb))?;
    let after = said.folded[end..].trim_start();
    let after = ["have ", "occur together with "].iter().find_map(|verb| after.strip_prefix(verb)).unwrap_or(after);
    let fold = super::words::fold;
    quotes.filter(|(_, value)| !value.trim().is_empty()).find_map(|(field, value)| {
        let value = fold(value.trim());
        let speaks = before.trim_end().ends_with(&fold(field.trim())) && after.starts_with(&value);
        speaks.then(|| said.folded.len() - after.len() + value.len())
    })
}

fn failure(said: &Said<'_>, start: usize, to: usize) -> Failure {
    let rest = said.text.get(start..).unwrap_or_default();
    let shown = to.saturating_sub(start);
    let cut = rest.get(shown..).and_then(|rest| rest.find([' ', ',', '.'])).map_or(rest.len(), |more| shown + more);
    Failure::Denied { words: rest.get(..cut).unwrap_or(rest).trim_end_matches(['.', ',']).to_owned() }
}

/// The words of a text with their places.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    for part in text.split(|c: char| !c.is_alphanumeric()) {
        if !part.is_empty() {
            found.push((from, part));
        }
        from += part.len() + text[from + part.len()..].chars().next().map_or(0, char::len_utf8);
    }
    found
}
