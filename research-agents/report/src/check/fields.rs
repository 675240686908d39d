//! Fields that a sentence names: a number of one field must not be said of another one, and a field
//! must not get a value that neither a claim nor the context gives it.

use std::ops::Range;

use crate::check::counts::support::texts as texts_of;
use crate::check::failure::Failure;
use crate::check::glued::stands_in;
use crate::check::words::{fold, is_ordinary, occurrences};
use crate::claim::Claim;
use crate::evidence::run::Evidence;

/// Words between a field and its value.
const VERBS: [&str; 8] = ["is", "was", "are", "were", "=", "of", "equals", "being"];

/// Words with a capital letter that are not values: beginnings of clauses after a colon.
const BEGINNINGS: [&str; 14] = [
    "A", "An", "Each", "Every", "It", "None", "No", "Of", "That", "There", "These", "They", "This",
    "Both",
];

/// Returns the names of all fields of the evidence that cannot be taken for ordinary words, the
/// longest first.
pub(crate) fn field_names(evidence: &Evidence) -> Vec<String> {
    let of_tables = evidence
        .tables
        .iter()
        .flat_map(|table| table.field.split(','))
        .map(str::trim);
    let of_records = evidence
        .sources
        .iter()
        .flat_map(|source| source.fields.for_code().keys())
        .map(String::as_str);

    let mut names: Vec<String> = of_tables
        .chain(of_records)
        .filter(|name| is_distinct(name))
        .map(str::to_owned)
        .collect();
    names.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
    names.dedup();
    names
}

/// Returns whether a name has several words or is spelled as only programs spell words.
fn is_distinct(name: &str) -> bool {
    let is_spelled = |(at, c): (usize, char)| c == '_' || c == ' ' || (at > 0 && c.is_uppercase());
    name.chars().count() >= 4 && name.char_indices().any(is_spelled) && !is_ordinary(name)
}

/// What a sentence may name without a further claim.
pub(crate) struct Known<'a> {
    claims: &'a [Claim],
    evidence: &'a Evidence,
    /// The texts of the context, one a line.
    free: &'a str,
}

impl<'a> Known<'a> {
    pub(crate) fn new(claims: &'a [Claim], evidence: &'a Evidence, free: &'a str) -> Self {
        Self {
            claims,
            evidence,
            free,
        }
    }

    /// Returns the parts of the claims that name fields and values.
    fn claimed(&self) -> impl Iterator<Item = String> + '_ {
        let of = |claim: &Claim| {
            let mut texts = texts_of(claim);
            texts.extend(claim.aggregation().map(|id| self.field_of(id)));
            texts
        };
        self.claims.iter().flat_map(of)
    }

    /// Returns the field and the caption of an aggregation, which has its filters.
    fn field_of(&self, id: &str) -> String {
        let table = self.evidence.table(id);
        table.map_or_else(String::new, |table| {
            format!("{} {}", table.field, table.caption)
        })
    }

    /// Returns whether a claim or the context names a field. A text that is only the name of a
    /// field lists it among others, and says nothing about it.
    fn names_field(&self, name: &str) -> bool {
        let wanted = fold(name);
        let mut context = self.free.lines().map(fold);
        context.any(|text| text != wanted && stands_in(&text, &wanted))
            || self.claimed().any(|text| stands_in(&fold(&text), &wanted))
    }

    /// Returns whether a claim or the context gives a field this beginning of a value.
    fn gives(&self, field: &str, value: &str) -> bool {
        let (field, value) = (fold(field), fold(value));
        // The name of the field may have the word too.
        let has_value = |text: &str| stands_in(&text.replace(&field, "\n"), &value);
        let mut context = self.free.lines().map(fold);
        context.any(|text| stands_in(&text, &field) && has_value(&text))
            || self.claimed().any(|text| has_value(&fold(&text)))
    }
}

/// Checks the fields that a sentence with numbers names.
///
/// # Errors
///
/// [`Failure::UnsupportedName`] with the first field or value that neither a claim nor the context
/// has.
pub(crate) fn check(
    text: &str,
    folded: &str,
    names: &[String],
    known: &Known<'_>,
) -> Result<(), Failure> {
    let unsupported = |name: &str| Failure::UnsupportedName {
        name: name.to_owned(),
    };
    // A total alone is the number of no field.
    let has_field = known.claims.iter().any(|claim| !claim.fields().is_empty());
    let own = own_places(text, folded, known);

    let mut taken: Vec<Range<usize>> = Vec::new();
    for name in names {
        for place in occurrences(text, folded, name, false) {
            let overlaps =
                |other: &Range<usize>| other.start < place.end && place.start < other.end;
            if taken.iter().any(overlaps) {
                continue;
            }
            taken.push(place.clone());

            // A name in other letters may be ordinary words.
            if !text
                .get(place.clone())
                .is_some_and(|written| is_so_written(written, name))
            {
                continue;
            }

            let is_part = |own: &Range<usize>| own.start <= place.start && place.end <= own.end;
            let is_own = own.iter().any(is_part);
            if has_field && !is_own && !known.names_field(name) {
                return Err(unsupported(name));
            }
            if let Some(value) = value_after(&text[place.end..])
                && !known.gives(name, value)
            {
                return Err(unsupported(value));
            }
        }
    }
    Ok(())
}

/// Returns whether a name is written in its own letters, the case of the first one aside.
fn is_so_written(written: &str, name: &str) -> bool {
    let rest = |text: &str| {
        text.char_indices()
            .nth(1)
            .map(|(at, _)| text[at..].to_owned())
    };
    written == name || (written.eq_ignore_ascii_case(name) && rest(written) == rest(name))
}

/// Returns the places of claimed fields, values and quotes.
fn own_places(text: &str, folded: &str, known: &Known<'_>) -> Vec<Range<usize>> {
    known
        .claimed()
        .flat_map(|name| occurrences(text, folded, &name, true))
        .collect()
}

/// Returns the first word of the value that a sentence gives to the field before it: *Time of day
/// Dawn*, *Time of day is “Dawn”*, *Time of day = Dawn*.
fn value_after(rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix(' ')?;
    let (first, after) = rest.split_once(' ').unwrap_or((rest, ""));
    let rest = if VERBS.contains(&first) { after } else { rest };

    let rest = rest.trim_start_matches(['“', '"', '„', '«', '‘']);
    let end = rest
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(rest.len());
    let word = &rest[..end];
    let is_name = word.starts_with(char::is_uppercase)
        && word.chars().count() > 1
        && !is_ordinary(word)
        && !BEGINNINGS.contains(&word);
    is_name.then_some(word)
}
