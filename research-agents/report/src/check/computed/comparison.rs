//! Checks comparisons of groups by a statistic: *Gentoo is heavier than Adelie*, *Gentoo is above
//! the mean*, *Gentoo has the highest mean, before Chinstrap*.

use std::cmp::Ordering;
use std::ops::Range;

use serde_json::Value;

use crate::check::computed::extreme::{is_alike, other, subject};
use crate::check::computed::numbers::key_in;
use crate::check::computed::scene::{Dimension, Scene, Stated, is_same};
use crate::check::counts::measured::Measured;
use crate::check::failure::Failure;
use crate::claim::Claim;
use crate::evidence::value::plain;

/// Words after a comparative that make it one of counts.
const OF_COUNTS: [&str; 6] = [
    "records",
    "frequent",
    "common",
    "often",
    "numerous",
    "frequently",
];

/// Checks every comparison of a sentence.
///
/// # Errors
///
/// Returns [`Failure::WrongComparison`] for one that the statistics contradict.
pub(crate) fn check(scene: &Scene<'_>) -> Result<(), Failure> {
    for (place, sign) in comparatives(scene) {
        if verdict(scene, &place, sign) == Some(false) {
            return Err(wrong(scene, &place));
        }
    }
    check_order(scene)
}

/// Returns whether the comparisons of a sentence hold. `None` if it has none that is known.
pub(crate) fn holds(scene: &Scene<'_>) -> Option<bool> {
    let verdicts = comparatives(scene)
        .into_iter()
        .filter_map(|(place, sign)| verdict(scene, &place, sign));
    verdicts.reduce(|all, one| all && one)
}

/// Returns the places of comparatives with their directions.
fn comparatives(scene: &Scene<'_>) -> Vec<(Range<usize>, Ordering)> {
    let kinds = [
        ("higher", Ordering::Greater),
        ("high", Ordering::Greater),
        ("lower", Ordering::Less),
        ("low", Ordering::Less),
    ];
    let found = kinds.iter().flat_map(|(meaning, sign)| {
        let places = scene.find(meaning).into_iter();
        places.map(|place| (place, *sign))
    });
    let mut found: Vec<_> = found.collect();

    // *More elevated* is one comparative, and *less elevated* another.
    let all = found.clone();
    found.retain(|(place, _)| {
        !all.iter().any(|(other, _)| {
            other.start <= place.start && place.end <= other.end && other.len() > place.len()
        })
    });
    found
}

/// How words for old and young begin, in six languages.
const AGES: &[&str] = &[
    "old", "young", "älter", "alt", "jünger", "jung", "vieux", "vieille", "âgé", "jeune", "viejo",
    "vieja", "antigu", "joven", "vecchi", "antic", "giovan", "velh", "antig", "jove",
];

/// Parts of names of fields with years in which something began.
const YEARS: &[&str] = &[
    "year",
    "founded",
    "established",
    "born",
    "birth",
    "built",
    "jahr",
    "annee",
    "année",
    "anno",
    "ano",
];

/// How words for fast and slow begin, in six languages.
const SPEEDS: &[&str] = &[
    "fast", "quick", "slow", "schnell", "langsam", "rapid", "lent", "rápid", "veloc", "veloz",
];

/// Parts of names of fields with times that something took.
const TIMES: &[&str] = &[
    "time", "duration", "second", "minute", "hours", "zeit", "dauer", "temps", "duree", "durée",
    "tiempo", "durac", "tempo", "durata",
];

/// Returns whether a comparative has the opposite sign in numbers: the older one has the lower year
/// of birth, and the faster one takes less time.
fn is_reversed(scene: &Scene<'_>, place: &Range<usize>) -> bool {
    let said = scene.sentence.text[place.clone()].to_lowercase();
    let begins = |parts: &[&str]| {
        let mut words = said.split_whitespace();
        words.any(|word| parts.iter().any(|part| word.starts_with(part)))
    };
    let measures = |parts: &[&str]| {
        let fields = scene.claims.iter().flat_map(Claim::fields);
        let mut fields = fields.map(|field| field.to_lowercase());
        fields.any(|field| parts.iter().any(|part| field.contains(part)))
    };
    begins(AGES) && measures(YEARS) || begins(SPEEDS) && measures(TIMES)
}

/// Returns whether a comparison holds. `None` if it is not known what it compares.
fn verdict(scene: &Scene<'_>, place: &Range<usize>, sign: Ordering) -> Option<bool> {
    let next = scene.words_in(place.end, scene.sentence.text.len()).first();
    if next.is_some_and(|word| OF_COUNTS.contains(&word.text.as_str())) {
        return None;
    }
    let before = scene.words_in(0, place.start);
    let clause: &[_] = &before[before.len().saturating_sub(4)..];
    let is_denied = !scene.vocabulary.find("not", clause).is_empty();

    for dimension in &scene.dimensions {
        let Some(other) = other(scene, dimension, place) else {
            continue;
        };
        // *Higher for Gentoo than for Adelie*, *Gentoo is heavier than Adelie*
        let within = dimension
            .named
            .iter()
            .find(|named| named.at.start >= place.end && named.at.end <= other.at.start);
        let own = within.or_else(|| {
            dimension
                .named
                .iter()
                .rfind(|named| named.at.end <= place.start && !scene.is_object(named.at.start))
        });
        let own = own.filter(|own| !is_same(&own.key, &other.key))?;
        let order = compared(scene, dimension, &own.key, &other.key)?;
        let sign = if is_reversed(scene, place) {
            sign.reverse()
        } else {
            sign
        };
        return Some((order == sign) != is_denied);
    }

    let order = against_all(scene, place)?;
    Some((order == sign) != is_denied)
}

/// Compares two groups by the first statistic that the claims have of both, or that the table has
/// of both.
pub(crate) fn compared(
    scene: &Scene<'_>,
    dimension: &Dimension,
    own: &Value,
    other: &Value,
) -> Option<Ordering> {
    let of = |key: &Value, stated: &Stated<'_>| {
        key_in(stated, dimension).is_some_and(|value| is_same(value, key))
    };
    let rest = |stated: &Stated<'_>| -> Vec<(String, Value)> {
        let mut keys = stated.keys.clone();
        keys.retain(|(field, _)| !field.eq_ignore_ascii_case(&dimension.field));
        keys
    };
    let owns = || scene.stated.iter().filter(|stated| of(own, stated));
    for mine in owns() {
        let mut others = scene.stated.iter().filter(|stated| of(other, stated));
        let theirs = others.find(|theirs| is_alike(mine, theirs) && rest(mine) == rest(theirs));
        if let Some(order) = theirs.and_then(|theirs| order(mine, theirs)) {
            return Some(order);
        }
    }

    // One of the groups has no claim, but the table has its value.
    let claims = scene.claims.iter().filter_map(Measured::of_claim);
    for measured in claims {
        let Some((by, _)) = measured
            .group
            .filter(|(by, _)| by.eq_ignore_ascii_case(&dimension.field))
        else {
            continue;
        };
        let number = |key: &Value| {
            let table = scene.evidence.table(measured.over)?;
            table
                .group_measure(by, key, measured.field, measured.statistic)?
                .number
        };
        if let (Some(mine), Some(theirs)) = (number(own), number(other)) {
            return mine.partial_cmp(&theirs);
        }
    }
    None
}

fn order(a: &Stated<'_>, b: &Stated<'_>) -> Option<Ordering> {
    match (a.number, b.number) {
        (Some(a), Some(b)) => a.partial_cmp(&b),
        _ => Some(a.text.as_ref()?.cmp(b.text.as_ref()?)),
    }
}

/// Compares a group with the statistic over all records: *above the mean*.
fn against_all(scene: &Scene<'_>, place: &Range<usize>) -> Option<Ordering> {
    let next = scene
        .statistics
        .iter()
        .find(|named| named.at.start >= place.end)?;
    let words = scene.words_in(place.end, next.at.start).iter();
    let mut words = words.filter(|word| {
        !(scene.vocabulary.is("filler", word)
            || scene.vocabulary.is("overall", word)
            || scene.vocabulary.is("than", word))
    });
    if words.next().is_some() {
        return None;
    }

    let statistic = next.key.statistic;
    let (field, key) = subject(scene, place)?;
    let is_subject = |stated: &&Stated<'_>| {
        let mut keys = stated.keys.iter();
        keys.any(|(own, value)| own.eq_ignore_ascii_case(&field) && is_same(value, &key))
    };
    let mut groups = scene.stated.iter().filter(is_subject);
    groups.find_map(|group| {
        let is_whole = |all: &&Stated<'_>| {
            all.keys.is_empty()
                && all.statistic == Some(statistic)
                && all.field.eq_ignore_ascii_case(group.field)
        };
        let all = scene.stated.iter().find(is_whole)?;
        order(group, all)
    })
}

/// Checks the order after a superlative: *the highest, before Chinstrap*.
fn check_order(scene: &Scene<'_>) -> Result<(), Failure> {
    let high = scene
        .find("high")
        .into_iter()
        .map(|at| (at, Ordering::Greater));
    let low = scene.find("low").into_iter().map(|at| (at, Ordering::Less));
    let mut extremes: Vec<_> = high.chain(low).collect();
    extremes.sort_by_key(|(at, _)| at.start);

    for place in scene.find("before") {
        let Some((at, sign)) = extremes.iter().rfind(|(at, _)| at.end <= place.start) else {
            continue;
        };
        for dimension in &scene.dimensions {
            let next = dimension
                .named
                .iter()
                .find(|named| named.at.start >= place.end);
            let next = next.filter(|next| {
                let mut words = scene.words_in(place.end, next.at.start).iter();
                words.all(|word| scene.vocabulary.is("filler", word))
            });
            let Some((_, own)) = subject(scene, at).filter(|(field, _)| *field == dimension.field)
            else {
                continue;
            };
            let order = next.and_then(|next| compared(scene, dimension, &own, &next.key));
            if order.is_some_and(|order| order != *sign && order != Ordering::Equal) {
                return Err(wrong(scene, &place));
            }
        }
    }
    Ok(())
}

fn wrong(scene: &Scene<'_>, place: &Range<usize>) -> Failure {
    Failure::WrongComparison {
        words: scene.sentence.text[place.clone()].to_owned(),
        value: subject(scene, place).map_or_else(String::new, |(_, key)| plain(&key)),
    }
}
