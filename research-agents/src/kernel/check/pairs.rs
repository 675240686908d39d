//! Whose number is it? Pairs the numbers of a sentence with the values that it names.

use std::ops::Range;

use serde_json::Value;

use super::failure::Failure;
use super::figure::Figure;
use super::said::{Group, Mention, Said};
use super::words::{is_ordinary, is_quantity, occurrences};
use crate::kernel::evidence::{Evidence, plain, sum_of};

/// Words that may stand between a value and its number when nothing else can be meant: *Small with 99*, *Small (99*.
const BINDING: [&str; 28] = [
    "with",
    "has",
    "have",
    "had",
    "holds",
    "hold",
    "held",
    "is",
    "are",
    "was",
    "were",
    "at",
    "for",
    "accounts",
    "account",
    "accounted",
    "makes",
    "make",
    "made",
    "up",
    "counts",
    "leads",
    "shows",
    "totals",
    "comes",
    "to",
    "first",
    "most",
];

/// No value of a group may be named in place of the claimed one, and no value may be given another's number.
///
/// `context` holds, in small letters, what the sentence may name freely, such as the question.
pub(super) fn check(said: &Said<'_>, context: &str, evidence: &Evidence) -> Result<(), Failure> {
    more_than_all(said)?;
    for group in &said.groups {
        named_in_place_of_the_claimed(said, group, context)?;
        for percent in [false, true] {
            numbers_of(said, group, percent, evidence).check()?;
        }
    }
    Ok(())
}

/// *165 of 99 records*: no part is larger than its whole.
fn more_than_all(said: &Said<'_>) -> Result<(), Failure> {
    for pair in said.figures.windows(2) {
        let [part, whole] = pair else { continue };
        let is_part = said.between(part.at.end, whole.at.start) == " of " && !part.percent && !part.times;
        if is_part && !whole.percent && part.is_more_than(whole) {
            let (words, value) = (format!("{} of {}", part.text, whole.text), said.text.to_owned());
            return Err(Failure::WrongComparison { words, value });
        }
    }
    Ok(())
}

/// The claimed value is not named, and another value of its field is.
fn named_in_place_of_the_claimed(said: &Said<'_>, group: &Group<'_>, context: &str) -> Result<(), Failure> {
    let is_missing = |row: usize, value: &Value| {
        let name = plain(value);
        let can_be_named = value.is_string() && !name.is_empty() && !is_quantity(&name) && !is_ordinary(&name);
        can_be_named && !group.is_named(row) && !group.is_hinted_at(row, &said.folded)
    };
    if !group.claimed().any(|(at, row)| is_missing(at, &row.value)) {
        return Ok(());
    }
    let is_free = |name: &str| !occurrences(context, context, name, false).is_empty();
    let claimed_elsewhere = |name: &str| {
        let others = said.groups.iter().filter(|other| other.field != group.field);
        others.flat_map(Group::claimed).any(|(_, row)| plain(&row.value).eq_ignore_ascii_case(name))
    };
    let others = group.mentions.iter().map(|mention| &group.rows[mention.row]).filter(|row| !row.is_claimed);
    let wrong = others.map(|row| plain(&row.value)).find(|name| !is_free(name) && !claimed_elsewhere(name));
    match wrong {
        Some(value) => Err(Failure::UnclaimedValue { field: group.field.to_owned(), value }),
        None => Ok(()),
    }
}

/// The numbers of a sentence that are counts of a group, or shares, and nothing else that its claims could mean.
struct Numbers<'s, 'a> {
    said: &'s Said<'a>,
    group: &'s Group<'a>,
    percent: bool,
    figures: Vec<&'s Figure>,
}

/// A value or a number, in the order of the sentence.
#[derive(Clone, Copy)]
enum Item<'s> {
    Value(&'s Mention),
    Number(&'s Figure),
}

fn numbers_of<'s, 'a>(said: &'s Said<'a>, group: &'s Group<'a>, percent: bool, evidence: &Evidence) -> Numbers<'s, 'a> {
    let mut numbers = Numbers { said, group, percent, figures: Vec::new() };
    let sum = sum_of(group.claimed().map(|(_, row)| row.count));
    let claims = group.claimed().count();
    let mut other = vec![sum as f64, claims as f64, group.rows.len() as f64, group.total as f64];
    if claims == 1 {
        other.clear();
        other.push(group.total as f64);
    }
    if percent {
        other = if claims > 1 { vec![numbers.measure(sum)] } else { Vec::new() };
    }
    for group in said.groups.iter().filter(|other| !std::ptr::eq(*other, group)) {
        let counts = group.claimed().map(|(_, row)| row.count).chain([group.total]);
        other.extend(counts.map(|count| if percent { share(count, group.total) } else { count as f64 }));
    }
    let read = evidence.sources.len() as f64;
    other.extend((!percent).then_some(read));
    let is_own = |figure: &&Figure| {
        figure.percent == percent
            && !figure.times
            && group.names.iter().all(|name| name.end <= figure.at.start || figure.at.end <= name.start)
            && group.claimed().any(|(_, row)| figure.shows(numbers.measure(row.count)))
            && !other.iter().any(|number| figure.shows(*number))
    };
    numbers.figures = said.figures.iter().filter(is_own).collect();
    numbers
}

fn share(count: u64, total: u64) -> f64 {
    if total == 0 { f64::NAN } else { 100.0 * count as f64 / total as f64 }
}

impl<'s> Numbers<'s, '_> {
    /// What a number of these shows of a count.
    fn measure(&self, count: u64) -> f64 {
        if self.percent { share(count, self.group.total) } else { count as f64 }
    }

    fn is_of(&self, figure: &Figure, mention: &Mention) -> bool {
        figure.shows(self.measure(self.group.rows[mention.row].count))
    }

    /// Fails when no way of reading gives every value its own number.
    fn check(&self) -> Result<(), Failure> {
        let mut items: Vec<Item<'s>> = self.group.mentions.iter().map(Item::Value).collect();
        items.extend(self.figures.iter().map(|figure| Item::Number(figure)));
        items.sort_by_key(|item| item.at().start);
        // *Small with 99, Medium with 49* and *99 Small, 49 Medium*: two ways of reading.
        let forward = items.first().is_some_and(|item| matches!(item, Item::Value(_))).then(|| pairs(&items)).flatten();
        items.reverse();
        let backward =
            items.first().is_some_and(|item| matches!(item, Item::Value(_))).then(|| pairs(&items)).flatten();
        let wrong = |pairs: &[(&'s Mention, &'s Figure)]| {
            pairs.iter().copied().find(|(mention, figure)| self.is_wrong(mention, figure))
        };
        let readings: Vec<_> = [forward, backward].into_iter().flatten().filter(|pairs| !pairs.is_empty()).collect();
        if readings.iter().any(|pairs| wrong(pairs).is_none()) {
            return Ok(());
        }
        match readings.iter().find_map(|pairs| wrong(pairs)) {
            Some((mention, figure)) => Err(self.failure(mention, figure)),
            None => Ok(()),
        }
    }

    fn is_wrong(&self, mention: &Mention, figure: &Figure) -> bool {
        if self.is_of(figure, mention) {
            return false;
        }
        let is_bound = mention.at.end <= figure.at.start && self.is_binding(mention.at.end, figure.at.start);
        if is_bound {
            return true;
        }
        // A number may belong to a value that the sentence speaks of in other words: *after Small, the next has 49*.
        let owners = self.group.claimed().filter(|(_, row)| figure.shows(self.measure(row.count)));
        let is_of_a_named_one = owners.into_iter().any(|(row, _)| self.group.is_named(row));
        is_of_a_named_one && self.group.rows[mention.row].is_claimed && !self.belongs_to_the_next(mention, figure)
    }

    /// A comma parts the number from the value, and none from its owner after it: *compared with Small, 49 were Medium*.
    fn belongs_to_the_next(&self, mention: &Mention, figure: &Figure) -> bool {
        let parts = |text: &str| text.contains([',', ';']);
        let next = self.group.mentions.iter().find(|next| next.at.start >= figure.at.end);
        mention.at.end <= figure.at.start
            && parts(self.said.between(mention.at.end, figure.at.start))
            && next
                .is_some_and(|next| self.is_of(figure, next) && !parts(self.said.between(figure.at.end, next.at.start)))
    }

    fn is_binding(&self, from: usize, to: usize) -> bool {
        let between = self.said.between(from, to);
        let mut words = between.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        !between.contains([',', ';', '.', ')']) && words.all(|word| BINDING.contains(&word))
    }

    fn failure(&self, mention: &Mention, figure: &Figure) -> Failure {
        let value = plain(&self.group.rows[mention.row].value);
        Failure::WrongPair { field: self.group.field.to_owned(), value, figure: figure.text.clone() }
    }
}

impl Item<'_> {
    fn at(&self) -> Range<usize> {
        match self {
            Self::Value(mention) => mention.at.clone(),
            Self::Number(figure) => figure.at.clone(),
        }
    }
}

/// Pairs each number with a value before it: as many numbers as values in a row by their order (*Small and Medium with 99 and
/// 49*), a single number with the last of them. `None` when there are more numbers than values to give them to.
fn pairs<'s>(items: &[Item<'s>]) -> Option<Vec<(&'s Mention, &'s Figure)>> {
    let mut found = Vec::new();
    let mut rest = items;
    while !rest.is_empty() {
        let values: Vec<&'s Mention> = rest.iter().map_while(Item::value).collect();
        rest = &rest[values.len()..];
        let numbers: Vec<&'s Figure> = rest.iter().map_while(Item::number).collect();
        rest = &rest[numbers.len()..];
        match (values.as_slice(), numbers.as_slice()) {
            (_, []) => {}
            ([.., last], [number]) => found.push((*last, *number)),
            (values, numbers) if values.len() == numbers.len() => {
                found.extend(values.iter().copied().zip(numbers.iter().copied()));
            }
            _ => return None,
        }
    }
    Some(found)
}

impl<'s> Item<'s> {
    fn value(&self) -> Option<&'s Mention> {
        match self {
            Self::Value(mention) => Some(mention),
            Self::Number(_) => None,
        }
    }

    fn number(&self) -> Option<&'s Figure> {
        match self {
            Self::Number(figure) => Some(figure),
            Self::Value(_) => None,
        }
    }
}
