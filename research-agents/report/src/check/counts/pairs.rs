//! Pairs the numbers of a sentence with the values that it names, so that no value gets the number
//! of another one.

use std::ops::Range;

use serde_json::Value;

use crate::check::counts::parsed::{Group, Mention, ParsedSentence};
use crate::check::failure::Failure;
use crate::check::figure::Figure;
use crate::check::words::{fold, is_ordinary, is_quantity, occurrences};
use crate::evidence::run::Evidence;
use crate::evidence::table::sum_of;
use crate::evidence::value::plain;

/// Words between a value and a number that bind the number to the value: *Small with 99*, *Small
/// (99*.
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

/// Words and signs that a value follows: *damage is None*, *injured: yes*.
const VALUE_FOLLOWS: [&str; 10] = [
    " is ", " are ", " was ", " were ", ": ", "= ", "“", "\"", "„", "«",
];

/// Checks that the sentence names the claimed values, with their own numbers. `context` is the
/// text, in lower case, whose names the sentence may repeat, such as the question.
///
/// # Errors
///
/// Returns the failure of the first value that is named in place of the claimed one, that has the
/// number of another value, or that is a part larger than its whole.
pub(crate) fn check(
    sentence: &ParsedSentence<'_>,
    context: &str,
    evidence: &Evidence,
) -> Result<(), Failure> {
    more_than_all(sentence)?;
    for group in &sentence.groups {
        named_in_place_of_the_claimed(sentence, group, context)?;
        for percent in [false, true] {
            numbers_of(sentence, group, percent, evidence).check()?;
        }
    }
    Ok(())
}

/// Refuses a part that is larger than its whole: *165 of 99 records*.
fn more_than_all(sentence: &ParsedSentence<'_>) -> Result<(), Failure> {
    for pair in sentence.figures.windows(2) {
        let [part, whole] = pair else { continue };
        let is_part =
            sentence.between(part.at.end, whole.at.start) == " of " && !part.percent && !part.times;
        if is_part && !whole.percent && part.is_more_than(whole) {
            let (words, value) = (
                format!("{} of {}", part.text, whole.text),
                sentence.text.to_owned(),
            );
            return Err(Failure::WrongComparison { words, value });
        }
    }
    Ok(())
}

/// Refuses a sentence that names another value of a field than the claimed one.
fn named_in_place_of_the_claimed(
    sentence: &ParsedSentence<'_>,
    group: &Group<'_>,
    context: &str,
) -> Result<(), Failure> {
    let is_missing = |row: usize, value: &Value| {
        let name = plain(value);
        let can_be_named = value.is_string() && name.chars().count() > 1 && !is_quantity(&name);
        can_be_named && !group.is_named(row) && !group.is_hinted_at(row, &sentence.folded)
    };

    if !group.claimed().any(|(at, row)| is_missing(at, &row.value)) {
        return Ok(());
    }

    let is_free = |name: &str| !occurrences(context, context, name, false).is_empty();
    let claimed_elsewhere = |name: &str| {
        let others = sentence
            .groups
            .iter()
            .filter(|other| other.field != group.field);
        others
            .flat_map(Group::claimed)
            .any(|(_, row)| plain(&row.value).eq_ignore_ascii_case(name))
    };
    let others = group
        .mentions
        .iter()
        .map(|mention| &group.rows[mention.row])
        .filter(|row| !row.is_claimed);
    let ordinary = group
        .rows
        .iter()
        .filter(|row| !row.is_claimed && is_ordinary(&plain(&row.value)))
        .filter(|row| is_given_as_value(sentence, group, &plain(&row.value)));
    let wrong = others
        .chain(ordinary)
        .map(|row| plain(&row.value))
        .find(|name| !is_free(name) && !claimed_elsewhere(name));

    match wrong {
        Some(value) => Err(Failure::UnclaimedValue {
            field: group.field.to_owned(),
            value,
        }),
        None => Ok(()),
    }
}

/// Returns whether an ordinary word is written as a value: in its own spelling with a capital
/// letter that does not begin the sentence, in quotation marks, or after the name of its field or a
/// verb.
fn is_given_as_value(sentence: &ParsedSentence<'_>, group: &Group<'_>, name: &str) -> bool {
    let places = occurrences(sentence.text, &sentence.folded, name, false);
    let outside_of_names = |place: &Range<usize>| {
        let mut names = group.names.iter();
        names.all(|taken| taken.end <= place.start || place.end <= taken.start)
    };
    let is_so_spelled = |place: &Range<usize>| sentence.text.get(place.clone()) == Some(name);
    let is_capital = name.starts_with(char::is_uppercase);

    let mut written = places
        .into_iter()
        .filter(|place| outside_of_names(place) && is_so_spelled(place));
    written.any(|place| {
        let before = sentence.between(0, place.start);
        let is_introduced = VALUE_FOLLOWS.iter().any(|word| before.ends_with(word))
            || before.trim_end().ends_with(&fold(group.field));
        is_introduced || (is_capital && place.start > 0)
    })
}

/// The numbers of a sentence that can only be counts of a group, or only shares.
struct Numbers<'s, 'a> {
    sentence: &'s ParsedSentence<'a>,
    group: &'s Group<'a>,
    percent: bool,
    figures: Vec<&'s Figure>,
    /// The same numbers, with those that may as well be other numbers.
    all: Vec<&'s Figure>,
}

/// A value or a number in a sentence.
#[derive(Clone, Copy)]
enum Item<'s> {
    Value(&'s Mention),
    Number(&'s Figure),
}

/// Returns the numbers of a group: its shares with `percent`, its counts otherwise.
fn numbers_of<'s, 'a>(
    sentence: &'s ParsedSentence<'a>,
    group: &'s Group<'a>,
    percent: bool,
    evidence: &Evidence,
) -> Numbers<'s, 'a> {
    let mut numbers = Numbers {
        sentence,
        group,
        percent,
        figures: Vec::new(),
        all: Vec::new(),
    };

    // Other numbers that the claims support: sums, totals, and those of other groups.
    let sum = sum_of(group.claimed().map(|(_, row)| row.count));
    let claims = group.claimed().count();
    let mut other = vec![
        sum as f64,
        claims as f64,
        group.rows.len() as f64,
        group.total as f64,
    ];

    if claims == 1 {
        other.clear();
        other.push(group.total as f64);
    }
    if percent {
        other = if claims > 1 {
            vec![numbers.measure(sum)]
        } else {
            Vec::new()
        };
    }
    for group in sentence
        .groups
        .iter()
        .filter(|other| !std::ptr::eq(*other, group))
    {
        let counts = group
            .claimed()
            .map(|(_, row)| row.count)
            .chain([group.total]);
        other.extend(counts.map(|count| {
            if percent {
                share(count, group.total)
            } else {
                count as f64
            }
        }));
    }
    let read = evidence.sources.len() as f64;
    other.extend((!percent).then_some(read));

    // A number of the group shows one of its counts, and certainly if it shows no other number.
    let may_be_own = |figure: &&Figure| {
        figure.percent == percent
            && !figure.times
            && group
                .names
                .iter()
                .all(|name| name.end <= figure.at.start || figure.at.end <= name.start)
            && group
                .claimed()
                .any(|(_, row)| figure.shows(numbers.measure(row.count)))
    };
    numbers.all = sentence.figures.iter().filter(may_be_own).collect();
    let is_own = |figure: &&&Figure| !other.iter().any(|number| figure.shows(*number));
    numbers.figures = numbers.all.iter().filter(is_own).copied().collect();
    numbers
}

/// Returns the share of a count in a total, in percent.
pub(crate) fn share(count: u64, total: u64) -> f64 {
    if total == 0 {
        f64::NAN
    } else {
        100.0 * count as f64 / total as f64
    }
}

impl<'s> Numbers<'s, '_> {
    /// Returns a count as these numbers show it: the count or its share.
    fn measure(&self, count: u64) -> f64 {
        if self.percent {
            share(count, self.group.total)
        } else {
            count as f64
        }
    }

    /// Returns whether a number is that of a value.
    fn is_of(&self, figure: &Figure, mention: &Mention) -> bool {
        figure.shows(self.measure(self.group.rows[mention.row].count))
    }

    /// Fails if no way of pairing gives every value its own number.
    fn check(&self) -> Result<(), Failure> {
        let with = |figures: &[&'s Figure]| {
            let mut items: Vec<Item<'s>> = self.group.mentions.iter().map(Item::Value).collect();
            items.extend(figures.iter().copied().map(Item::Number));
            items.sort_by_key(|item| item.at().start);
            items
        };
        let mut items = with(&self.figures);

        // *32 against 5* of *herbi* and *insecti*, where there are 5 groups too.
        let is_whole = self.all.len() == self.group.mentions.len();
        let whole = is_whole.then(|| pairs(&with(&self.all))).flatten();
        let is_right = |(mention, figure): &(&Mention, &Figure)| self.is_of(figure, mention);
        if whole.is_some_and(|pairs| pairs.len() == self.all.len() && pairs.iter().all(is_right)) {
            return Ok(());
        }

        // A number may follow its value or precede it: *Small with 99, Medium with 49* and *99
        // Small, 49 Medium*.
        let forward = items
            .first()
            .is_some_and(|item| matches!(item, Item::Value(_)))
            .then(|| pairs(&items))
            .flatten();
        items.reverse();
        let backward = items
            .first()
            .is_some_and(|item| matches!(item, Item::Value(_)))
            .then(|| pairs(&items))
            .flatten();
        let wrong = |pairs: &[(&'s Mention, &'s Figure)]| {
            pairs
                .iter()
                .copied()
                .find(|(mention, figure)| self.is_wrong(mention, figure))
        };
        let readings: Vec<_> = [forward, backward]
            .into_iter()
            .flatten()
            .filter(|pairs| !pairs.is_empty())
            .collect();

        if readings.iter().any(|pairs| wrong(pairs).is_none()) {
            return Ok(());
        }
        match readings.iter().find_map(|pairs| wrong(pairs)) {
            Some((mention, figure)) => Err(self.failure(mention, figure)),
            None => Ok(()),
        }
    }

    /// Returns whether a number that is paired with a value is certainly that of another one.
    fn is_wrong(&self, mention: &Mention, figure: &Figure) -> bool {
        if self.is_of(figure, mention) {
            return false;
        }

        let is_bound = mention.at.end <= figure.at.start
            && is_binding(self.sentence, mention.at.end, figure.at.start);
        if is_bound {
            return true;
        }

        // A number may belong to a value that the sentence describes in other words: *after Small,
        // the next has 49*.
        let owners = self
            .group
            .claimed()
            .filter(|(_, row)| figure.shows(self.measure(row.count)));
        let is_of_a_named_one = owners.into_iter().any(|(row, _)| self.group.is_named(row));
        is_of_a_named_one
            && self.group.rows[mention.row].is_claimed
            && !self.belongs_to_the_next(mention, figure)
    }

    /// Returns whether a comma separates a number from the value before it, but not from its own
    /// value after it: *compared with Small, 49 were Medium*.
    fn belongs_to_the_next(&self, mention: &Mention, figure: &Figure) -> bool {
        let parts = |text: &str| text.contains([',', ';']);
        let next = self
            .group
            .mentions
            .iter()
            .find(|next| next.at.start >= figure.at.end);
        mention.at.end <= figure.at.start
            && parts(self.sentence.between(mention.at.end, figure.at.start))
            && next.is_some_and(|next| {
                self.is_of(figure, next)
                    && !parts(self.sentence.between(figure.at.end, next.at.start))
            })
    }

    fn failure(&self, mention: &Mention, figure: &Figure) -> Failure {
        let value = plain(&self.group.rows[mention.row].value);
        Failure::WrongPair {
            field: self.group.field.to_owned(),
            value,
            figure: figure.text.clone(),
        }
    }
}

/// Returns whether the text between a value and a number binds the number to the value.
pub(crate) fn is_binding(sentence: &ParsedSentence<'_>, from: usize, to: usize) -> bool {
    let between = sentence.between(from, to);
    let mut words = between
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    !between.contains([',', ';', '.', ')']) && words.all(|word| BINDING.contains(&word))
}

impl Item<'_> {
    fn at(&self) -> Range<usize> {
        match self {
            Self::Value(mention) => mention.at.clone(),
            Self::Number(figure) => figure.at.clone(),
        }
    }
}

/// Pairs each number with a value before it: as many numbers as values in their order (*Small and
/// Medium with 99 and 49*), and a single number with the last value. `None` for other combinations,
/// which have no certain pairs.
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
