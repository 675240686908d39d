//! Pairs the numbers of a sentence with the values of all of its groups, so that no value gets the
//! number of a value of another field.
//!
//! [`pairs`](super::pairs) compares the values of one group. A number that is the count of a value
//! of another group is not one of its numbers, so that two groups could exchange theirs.

use std::ops::Range;

use serde_json::Value;

use crate::check::counts::pairs::{is_binding, share};
use crate::check::counts::parsed::{Group, ParsedSentence};
use crate::check::failure::Failure;
use crate::check::figure::Figure;
use crate::check::words::{fold, occurrences, spellings};
use crate::evidence::run::Evidence;
use crate::evidence::table::sum_of;
use crate::evidence::value::plain;

/// Words that separate the clauses of a sentence, with the signs `,`, `;` and `:` before a blank.
const SEPARATORS: [&str; 4] = [" and ", " but ", " while ", " whereas "];

/// Words between a field and its value.
const VERBS: [&str; 6] = [" is", " was", " are", " were", " =", ":"];

/// Checks that no claimed value gets the number of another claimed value. Numbers of the context,
/// which `is_free` tells, belong to no value.
///
/// # Errors
///
/// [`Failure::WrongPair`] with the first value that gets a number of another one.
pub(crate) fn check(
    sentence: &ParsedSentence<'_>,
    is_free: impl Fn(&Figure) -> bool,
    evidence: &Evidence,
) -> Result<(), Failure> {
    let owners = owners(sentence);
    check_fields(sentence, &owners, evidence)?;
    for percent in [false, true] {
        let numbers = Numbers::new(sentence, &owners, percent, &is_free, evidence);
        if let Some((owner, figure)) = numbers.wrong_pair() {
            return Err(Failure::WrongPair {
                field: owner.field.to_owned(),
                value: plain(owner.value),
                figure: figure.text.clone(),
            });
        }
    }
    Ok(())
}

/// Refuses a value that the sentence gives to another field than its own: *Size is Approach*.
fn check_fields(
    sentence: &ParsedSentence<'_>,
    owners: &[Owner<'_>],
    evidence: &Evidence,
) -> Result<(), Failure> {
    let fields = evidence.tables.iter().flat_map(|table| parts(&table.field));
    let fields: Vec<(&str, String)> = fields.map(|field| (field, fold(field))).collect();

    for owner in owners {
        for place in &owner.places {
            let before = sentence
                .between(0, place.start)
                .trim_end_matches(['“', '"', ' ']);
            let verb = VERBS.iter().find_map(|verb| before.strip_suffix(verb));
            let Some(before) = verb else { continue };

            // Of several names that end here the longest is meant.
            let mut named = fields
                .iter()
                .filter(|(_, name)| before.ends_with(name.as_str()));
            let longest = named.by_ref().max_by_key(|(_, name)| name.len());
            if let Some((field, _)) = longest
                && !parts(owner.field).any(|own| own.eq_ignore_ascii_case(field))
            {
                return Err(Failure::UnclaimedValue {
                    field: (*field).to_owned(),
                    value: plain(owner.value),
                });
            }
        }
    }
    Ok(())
}

/// Returns the fields of a grouping.
fn parts(field: &str) -> impl Iterator<Item = &str> {
    field
        .split(',')
        .map(str::trim)
        .filter(|field| !field.is_empty())
}

/// A claimed value, with the counts that the claims give it over all bases.
struct Owner<'s> {
    field: &'s str,
    value: &'s Value,
    /// Each count with the total of its basis.
    counts: Vec<(u64, u64)>,
    /// Positions of the value in the sentence; of a tuple, those of its parts if all are there.
    places: Vec<Range<usize>>,
}

/// Returns the claimed values, each once.
fn owners<'s>(sentence: &'s ParsedSentence<'_>) -> Vec<Owner<'s>> {
    let mut owners: Vec<Owner<'s>> = Vec::new();
    for group in &sentence.groups {
        for (row, claimed) in group.claimed() {
            let count = (claimed.count, group.total);

            let known = owners
                .iter_mut()
                .find(|owner| owner.field == group.field && *owner.value == claimed.value);
            match known {
                Some(owner) => owner.counts.push(count),
                None => owners.push(Owner {
                    field: group.field,
                    value: &claimed.value,
                    counts: vec![count],
                    places: places(sentence, group, row),
                }),
            }
        }
    }
    owners
}

fn places(sentence: &ParsedSentence<'_>, group: &Group<'_>, row: usize) -> Vec<Range<usize>> {
    // A value of signs alone may be a sign of the sentence.
    let is_word = |at: &Range<usize>| sentence.text[at.clone()].contains(char::is_alphanumeric);
    let named = group.mentions.iter().filter(|mention| mention.row == row);
    let named = named.map(|mention| mention.at.clone());
    let named: Vec<_> = named.filter(is_word).collect();
    let Value::Array(parts) = &group.rows[row].value else {
        return named;
    };
    if !named.is_empty() {
        return named;
    }

    let of_part = |part: &Value| -> Vec<Range<usize>> {
        let names = spellings(part).into_iter();
        names
            .flat_map(|name| occurrences(sentence.text, &sentence.folded, &name, true))
            .collect()
    };
    let all: Vec<_> = parts.iter().map(of_part).collect();
    if all.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    all.into_iter().flatten().collect()
}

impl Owner<'_> {
    /// Returns whether a number is a count or a share of this value.
    fn owns(&self, figure: &Figure) -> bool {
        let shown = |&(count, total): &(u64, u64)| {
            figure.shows(if figure.percent {
                share(count, total)
            } else {
                count as f64
            })
        };
        self.counts.iter().any(shown)
    }

    /// Returns whether this value and another one are the same, or one is a part of the other. A
    /// number of one of them may be said of the other.
    fn includes(&self, other: &Self) -> bool {
        let contains = |whole: &Self, part: &Self| match whole.value {
            Value::Array(parts) => parts.contains(part.value),
            _ => false,
        };
        let is_same = self.field == other.field && self.value == other.value;
        is_same || contains(self, other) || contains(other, self)
    }
}

/// The counts, or the shares, that a sentence says of claimed values.
struct Numbers<'s, 'a> {
    sentence: &'s ParsedSentence<'a>,
    owners: &'s [Owner<'s>],
    figures: Vec<&'s Figure>,
    /// Values and numbers in the order of the sentence.
    items: Vec<Item<'s>>,
}

#[derive(Clone)]
enum Item<'s> {
    /// A place with the values that are named there.
    Value(Range<usize>, Vec<&'s Owner<'s>>),
    Number(&'s Figure),
}

impl Item<'_> {
    fn start(&self) -> usize {
        match self {
            Self::Value(at, _) => at.start,
            Self::Number(figure) => figure.at.start,
        }
    }
}

/// A number with the place and the values that a reading gives it.
struct Pair<'i, 's> {
    at: &'i Range<usize>,
    owners: &'i [&'s Owner<'s>],
    figure: &'s Figure,
    /// Several values and as many numbers follow each other.
    is_parallel: bool,
}

impl<'s, 'a> Numbers<'s, 'a> {
    fn new(
        sentence: &'s ParsedSentence<'a>,
        owners: &'s [Owner<'s>],
        percent: bool,
        is_free: impl Fn(&Figure) -> bool,
        evidence: &Evidence,
    ) -> Self {
        let other = other_numbers(sentence, percent, evidence);
        let is_in_a_name = |figure: &Figure| {
            let names = sentence.groups.iter().flat_map(|group| &group.names);
            names
                .into_iter()
                .any(|name| figure.at.start < name.end && name.start < figure.at.end)
        };
        let figures: Vec<&Figure> = sentence
            .figures
            .iter()
            .filter(|figure| figure.percent == percent && !figure.times)
            .filter(|figure| owners.iter().any(|owner| owner.owns(figure)))
            .filter(|figure| !other.iter().any(|number| figure.shows(*number)))
            .filter(|figure| !is_free(figure) && !is_in_a_name(figure))
            .collect();

        let mut items: Vec<Item<'s>> = figures.iter().copied().map(Item::Number).collect();
        for owner in owners {
            for place in &owner.places {
                let known = items.iter_mut().find_map(|item| match item {
                    Item::Value(at, named) if at == place => Some(named),
                    _ => None,
                });
                match known {
                    Some(named) => named.push(owner),
                    None => items.push(Item::Value(place.clone(), vec![owner])),
                }
            }
        }
        items.sort_by_key(Item::start);

        Self {
            sentence,
            owners,
            figures,
            items,
        }
    }

    /// Returns a value that certainly gets the number of another one, with the number.
    fn wrong_pair(&self) -> Option<(&'s Owner<'s>, &'s Figure)> {
        let reversed: Vec<Item<'s>> = self.items.iter().rev().cloned().collect();
        let forward = pairs(&self.items);
        let backward = pairs(&reversed);

        // A number that a verb joins to the value before it.
        let bound = forward.iter().flatten().find(|pair| {
            self.is_foreign(pair) && is_binding(self.sentence, pair.at.end, pair.figure.at.start)
        });
        if let Some(pair) = bound {
            return pair.owners.first().map(|owner| (*owner, pair.figure));
        }

        // A sentence in which every reading gives a value the number of another one that it names.
        let wrong = |pairs: &[Pair<'_, 's>]| {
            pairs
                .iter()
                .find(|pair| self.is_foreign(pair) && self.has_named_owner(pair.figure))
                .and_then(|pair| Some((*pair.owners.first()?, pair.figure)))
        };
        let readings: Vec<_> = [forward, backward].into_iter().flatten().collect();
        let holding = readings.iter().find(|pairs| wrong(pairs).is_none());
        match holding {
            Some(pairs) if pairs.iter().any(|pair| pair.is_parallel) => None,
            Some(_) => self.wrong_in_a_clause(),
            None if readings.is_empty() => self.wrong_in_a_clause(),
            None => readings.iter().find_map(|pairs| wrong(pairs)),
        }
    }

    /// Returns whether the number of a pair is one of values of other fields only.
    fn is_foreign(&self, pair: &Pair<'_, 's>) -> bool {
        let mut owners = self.owners_of(pair.figure);
        owners.all(|owner| {
            let mut named = pair.owners.iter();
            named.all(|other| owner.field != other.field && !owner.includes(other))
        })
    }

    /// Returns whether a number is one of other values only.
    fn is_of_others(&self, named: &[&Owner<'_>], figure: &Figure) -> bool {
        let mut owners = self.owners_of(figure);
        owners.all(|owner| named.iter().all(|other| !owner.includes(other)))
    }

    /// Returns the values that a number is a count or a share of.
    fn owners_of(&self, figure: &Figure) -> impl Iterator<Item = &'s Owner<'s>> {
        self.owners.iter().filter(move |owner| owner.owns(figure))
    }

    fn has_named_owner(&self, figure: &Figure) -> bool {
        self.owners_of(figure).any(|owner| !owner.places.is_empty())
    }

    /// Returns the value of a clause that names one value, and only numbers of others.
    fn wrong_in_a_clause(&self) -> Option<(&'s Owner<'s>, &'s Figure)> {
        for clause in clauses(self.sentence) {
            let is_inside = |at: &Range<usize>| clause.start <= at.start && at.end <= clause.end;
            let mut named = self.items.iter().filter_map(|item| match item {
                Item::Value(at, owners) if is_inside(at) => Some(owners),
                _ => None,
            });
            let (Some(owners), None) = (named.next(), named.next()) else {
                continue;
            };

            let figures = self.figures.iter().filter(|figure| is_inside(&figure.at));
            let figures: Vec<&Figure> = figures.copied().collect();
            let words = &self.sentence.folded[clause.clone()];
            let is_described = |figure: &Figure| {
                let mut others = self
                    .owners_of(figure)
                    .filter(|owner| owners.iter().all(|named| named.field != owner.field));
                others.any(|owner| owner.is_described_in(words))
            };
            let is_foreign =
                |figure: &&Figure| self.is_of_others(owners, figure) && !is_described(figure);
            if !figures.is_empty() && figures.iter().all(is_foreign) {
                return owners.first().map(|owner| (*owner, figures[0]));
            }
        }
        None
    }
}

impl Owner<'_> {
    /// Returns whether a clause names the field of this value, so that a number in it may be one of
    /// this value although other words mean it.
    fn is_described_in(&self, words: &str) -> bool {
        parts(self.field).any(|name| words.contains(&fold(name)))
    }
}

/// Returns the numbers of a sentence that belong to no single value: totals, sums, and numbers of
/// groups and of records.
fn other_numbers(sentence: &ParsedSentence<'_>, percent: bool, evidence: &Evidence) -> Vec<f64> {
    let mut other = Vec::new();
    for group in &sentence.groups {
        let sum = sum_of(group.claimed().map(|(_, row)| row.count));
        let claims = group.claimed().count();
        if percent {
            other.extend((claims > 1).then(|| share(sum, group.total)));
            continue;
        }

        other.push(group.total as f64);
        if claims > 1 {
            other.extend([sum as f64, claims as f64, group.rows.len() as f64]);
        }
    }
    other.extend((!percent).then_some(evidence.sources.len() as f64));
    other
}

/// Pairs each number with a value before it: as many numbers as values in their order, and a single
/// number with the last value. `None` for other combinations, which have no certain pairs.
fn pairs<'i, 's>(items: &'i [Item<'s>]) -> Option<Vec<Pair<'i, 's>>> {
    let mut found = Vec::new();
    let mut rest = items;
    while !rest.is_empty() {
        let values: Vec<_> = rest
            .iter()
            .map_while(|item| match item {
                Item::Value(at, owners) => Some((at, owners.as_slice())),
                Item::Number(_) => None,
            })
            .collect();
        rest = &rest[values.len()..];
        let numbers: Vec<&'s Figure> = rest
            .iter()
            .map_while(|item| match item {
                Item::Number(figure) => Some(*figure),
                Item::Value(..) => None,
            })
            .collect();
        rest = &rest[numbers.len()..];

        let pair = |(at, owners), figure, is_parallel| Pair {
            at,
            owners,
            figure,
            is_parallel,
        };
        match (values.as_slice(), numbers.as_slice()) {
            ([], _) => return None,
            (_, []) => {}
            ([.., last], [number]) => found.push(pair(*last, *number, false)),
            (values, numbers) if values.len() == numbers.len() => {
                let zipped = values.iter().zip(numbers);
                found.extend(zipped.map(|(value, number)| pair(*value, *number, true)));
            }
            _ => return None,
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Returns the clauses of a sentence. A sign or word inside a name separates none.
fn clauses(sentence: &ParsedSentence<'_>) -> Vec<Range<usize>> {
    let folded = &sentence.folded;
    let words = SEPARATORS
        .iter()
        .flat_map(|word| folded.match_indices(word));
    let signs = folded.match_indices([',', ';', ':']);
    let signs = signs.filter(|(at, _)| folded[at + 1..].starts_with(' '));

    let is_outside_of_names = |end: &Range<usize>| {
        let mut names = sentence.groups.iter().flat_map(|group| &group.names);
        names.all(|name| name.end <= end.start || end.end <= name.start)
    };
    let mut ends: Vec<Range<usize>> = words
        .chain(signs)
        .map(|(at, separator)| at..at + separator.len())
        .filter(is_outside_of_names)
        .collect();
    ends.sort_by_key(|end| end.start);

    let mut found = Vec::new();
    let mut from = 0;
    for end in ends {
        found.push(from..end.start.max(from));
        from = from.max(end.end);
    }
    found.push(from..folded.len());
    found
}
