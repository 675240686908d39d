//! Binds the numbers of a sentence to names in it: to groups, statistics, fields or records.

use std::ops::Range;

use crate::check::computed::scene::{Scene, field_names};
use crate::check::computed::vocabulary::Named;
use crate::check::counts::pairs::is_binding;

/// Which of several names before a number it belongs to, if nothing else tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The last one.
    Last,
    /// The subject: one that is not compared with.
    Subject,
}

/// Returns what the number at an index belongs to: one of these, or nothing known if empty.
///
/// `numbers` are the places of the numbers that are values, and `all` those of all numbers.
pub(crate) fn bound<K: Clone>(
    scene: &Scene<'_>,
    named: &[Named<K>],
    numbers: &[Range<usize>],
    at: usize,
    choice: Choice,
) -> Vec<K> {
    let Some(number) = numbers.get(at) else {
        return Vec::new();
    };
    let key = |named: &Named<K>| named.key.clone();

    // *5,076 for Gentoo*, *5,076 (Gentoo)*
    let next = named.iter().find(|name| name.at.start >= number.end);
    if let Some(next) = next.filter(|next| is_said_after(scene, number, next)) {
        // *5,076 and 3,701 for Gentoo and Adelie*
        return vec![key(next)];
    }

    // The numbers around this one without a name between them, and the names before them.
    let separates = |from: usize, to: usize| {
        let mut names = named.iter();
        names.any(|name| from <= name.at.start && name.at.end <= to)
    };
    let has_own = |number: &Range<usize>| {
        let next = named.iter().find(|name| name.at.start >= number.end);
        next.is_some_and(|next| is_said_after(scene, number, next))
    };
    let mut first = at;
    while first > 0 && !separates(numbers[first - 1].end, numbers[first].start) {
        first -= 1;
    }
    let mut last = at;
    while last + 1 < numbers.len()
        && !separates(numbers[last].end, numbers[last + 1].start)
        && !has_own(&numbers[last + 1])
    {
        last += 1;
    }
    let count = last + 1 - first;
    let from = first.checked_sub(1).map_or(0, |before| numbers[before].end);
    let before: Vec<&Named<K>> = named
        .iter()
        .filter(|name| from <= name.at.start && name.at.end <= numbers[first].start)
        .collect();

    match before.as_slice() {
        // No name since the number before: that number's names are still meant.
        [] if first > 0 => bound(scene, named, numbers, first - 1, choice),
        [] => {
            let after: Vec<&Named<K>> = named
                .iter()
                .filter(|name| name.at.start >= numbers[last].end)
                .collect();
            let until = numbers.get(last + 1).map_or(usize::MAX, |next| next.start);
            let run = after.iter().filter(|name| name.at.end <= until).count();
            match after.get(at - first).filter(|_| count > 1 && run == count) {
                Some(own) => vec![key(own)],
                None => after.first().map(|name| key(name)).into_iter().collect(),
            }
        }
        [one] => vec![key(one)],
        several if several.len() == count => vec![key(several[at - first])],
        [.., last] if choice == Choice::Last => vec![key(last)],
        [.., last] if is_binding(scene.sentence, last.at.end, numbers[first].start) => {
            vec![key(last)]
        }
        several => {
            let subjects: Vec<K> = several
                .iter()
                .filter(|name| !scene.is_object(name.at.start))
                .map(|name| key(name))
                .collect();
            if subjects.is_empty() {
                several.iter().map(|name| key(name)).collect()
            } else {
                subjects
            }
        }
    }
}

/// Returns whether a name after a number is said of it.
fn is_said_after<K>(scene: &Scene<'_>, number: &Range<usize>, next: &Named<K>) -> bool {
    /// Words of a unit between a number and a preposition.
    const UNIT: usize = 3;
    let between = scene.sentence.between(number.end, next.at.start);
    if between.trim() == "(" {
        let after = &scene.sentence.folded[next.at.end..];
        return after.trim_start().starts_with(')');
    }
    if between.contains([',', ';', ':', '.', '(', ')']) {
        return false;
    }

    // *71.9 for Hobby 1*: the name of the field belongs to its value.
    let said = &scene.sentence.folded[number.end..next.at.start];
    let labels = scene.dimensions.iter();
    let labels = labels.flat_map(|dimension| field_names(&dimension.field));
    let mut labels = labels.filter_map(|label| said.trim_end().strip_suffix(&format!(" {label}")));
    let until = labels
        .next()
        .map_or(next.at.start, |rest| number.end + rest.len());

    let words = scene.words_in(number.end, until);
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let joins = words.iter().any(|word| scene.vocabulary.is("and", word));
    if joins || words.len() > UNIT || words.iter().any(|word| is_number(&word.text)) {
        return false;
    }
    (next.follows && words.is_empty()) || scene.vocabulary.ends("preposition", words)
}

/// Returns the field that a superlative is about: *the highest mean body mass*.
pub(crate) fn field_after<'s>(scene: &'s Scene<'_>, place: &Range<usize>) -> Option<&'s str> {
    let next = scene
        .fields
        .iter()
        .find(|named| named.at.start >= place.end)?;
    let is_near = scene.words_in(place.end, next.at.start).len() <= 3;
    let between = scene.sentence.between(place.end, next.at.start);
    (is_near && !between.contains([',', ';', ':', '.'])).then_some(next.key.as_str())
}
