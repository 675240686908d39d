//! Checks that every number belongs to its group, its statistic, its field or its record.

use std::ops::Range;

use crate::check::computed::binding::{Choice, bound};
use crate::check::computed::derived::{counts_groups, is_said_of_groups};
use crate::check::computed::scene::{Dimension, Kind, RECORD, Scene, Stated, is_same};
use crate::check::computed::vocabulary::Named;
use crate::check::counts::measured::Measured;
use crate::check::counts::pairs::is_binding;
use crate::check::counts::support::texts;
use crate::check::failure::Failure;
use crate::check::figure::Figure;
use crate::check::words::{spellings, time_of};
use crate::claim::{Claim, Statistic};
use crate::evidence::value::plain;

/// A value in a sentence with the statements that it may come from.
struct Shown<'s, 'c> {
    at: Range<usize>,
    text: String,
    from: Vec<&'s Stated<'c>>,
}

/// Checks every number of a sentence. Numbers of the context, which `is_free` tells, belong to
/// nothing.
///
/// # Errors
///
/// Returns the failure of the first number that belongs to another group, statistic, field or
/// record than the sentence says.
pub(crate) fn check(
    scene: &Scene<'_>,
    context: &str,
    is_free: impl Fn(&Figure) -> bool,
) -> Result<(), Failure> {
    check_dates(scene, context)?;
    let shown = shown(scene, &is_free);
    let places: Vec<Range<usize>> = shown.iter().map(|one| one.at.clone()).collect();
    for (at, one) in shown.iter().enumerate() {
        check_value(scene, one, &places, at)?;
    }
    for pair in shown.windows(2) {
        check_range(scene, &pair[0], &pair[1])?;
    }

    for figure in scene
        .sentence
        .figures
        .iter()
        .filter(|figure| !is_free(figure))
    {
        check_count(scene, figure, &places)?;
    }
    named_in_place(scene)
}

/// Returns the values of the claims in the sentence, in its order.
fn shown<'s, 'c>(scene: &'s Scene<'c>, is_free: &impl Fn(&Figure) -> bool) -> Vec<Shown<'s, 'c>> {
    let mut found: Vec<Shown<'s, 'c>> = Vec::new();
    for stated in &scene.stated {
        let Some(text) = &stated.text else { continue };
        let value = serde_json::Value::from(text.as_str());
        for name in spellings(&value) {
            let places = crate::check::words::occurrences(
                scene.sentence.text,
                &scene.sentence.folded,
                &name,
                false,
            );
            for at in places {
                let overlaps =
                    |one: &&mut Shown<'_, '_>| one.at.start < at.end && at.start < one.at.end;
                match found.iter_mut().find(overlaps) {
                    Some(known) if known.at == at => known.from.push(stated),
                    Some(_) => {}
                    None => found.push(Shown {
                        at,
                        text: text.clone(),
                        from: vec![stated],
                    }),
                }
            }
        }
    }

    let others = other_numbers(scene);
    for figure in &scene.sentence.figures {
        let is_taken = found
            .iter()
            .any(|one| one.at.start < figure.at.end && figure.at.start < one.at.end);
        let is_other = others.iter().any(|number| figure.shows(*number));
        let is_value = !figure.percent && !figure.times && !is_free(figure);
        let is_behind = is_number_of_values(scene, figure);
        if is_taken || is_other || is_behind || !is_value || scene.is_in_a_name(&figure.at) {
            continue;
        }
        let from: Vec<&Stated<'c>> = scene
            .stated
            .iter()
            .filter(|stated| stated.number.is_some_and(|number| figure.shows(number)))
            .collect();
        if !from.is_empty() {
            found.push(Shown {
                at: figure.at.clone(),
                text: figure.text.clone(),
                from,
            });
        }
    }

    found.sort_by_key(|one| one.at.start);
    found
}

/// Returns the numbers of claims that are about no statistic and no field of a record.
fn other_numbers(scene: &Scene<'_>) -> Vec<f64> {
    let mut found = Vec::new();

    for claim in scene.claims {
        match claim {
            Claim::Count { number, .. } | Claim::Total { number, .. } => {
                found.push(*number as f64);
            }
            Claim::Statistic { number, .. } | Claim::GroupStatistic { number, .. } => {
                found.push(*number);
            }
            Claim::Correlation { number, count, .. } => {
                found.extend([*number, *count as f64]);
            }
            _ => {}
        }
        if let Some(table) = claim.aggregation().and_then(|id| scene.evidence.table(id)) {
            found.push(table.total as f64);
        }
    }
    found
}

/// Checks a value: one of the statements that it may come from must be about all that the sentence
/// says of it.
fn check_value(
    scene: &Scene<'_>,
    shown: &Shown<'_, '_>,
    places: &[Range<usize>],
    at: usize,
) -> Result<(), Failure> {
    let mut from = shown.from.clone();

    // *Overall, the mean is 5,076*
    if is_overall(scene, &shown.at) {
        from.retain(|stated| stated.keys.is_empty());
        if from.is_empty() {
            return Err(wrong_pair(shown, "all records", ""));
        }
    }

    let after = scene.words_in(shown.at.end, scene.sentence.text.len());
    let is_each = scene.vocabulary.begins("each", after);
    for dimension in &scene.dimensions {
        let keys = bound(scene, &dimension.named, places, at, Choice::Subject);
        let Some(first) = keys.first() else { continue };

        // *Ada and Egon have the highest mass: 9,211 each*
        let has_it = |key: &serde_json::Value| {
            let mut own = from.iter().filter_map(|stated| key_in(stated, dimension));
            own.any(|own| is_same(key, own))
        };
        if is_each && let Some(other) = keys.iter().find(|key| !has_it(key)) {
            return Err(wrong_pair(
                shown,
                &named(scene, dimension, other),
                &dimension.field,
            ));
        }

        from.retain(|stated| match key_in(stated, dimension) {
            Some(own) => keys.iter().any(|key| is_same(key, own)),
            None => !is_bound_to_a_name(scene, dimension, &shown.at),
        });
        if from.is_empty() {
            return Err(wrong_pair(
                shown,
                &named(scene, dimension, first),
                &dimension.field,
            ));
        }
    }

    let kinds = bound(scene, &scene.statistics, places, at, Choice::Last);
    if let Some(kind) = kinds.first() {
        from.retain(|stated| is_of_kind(scene, stated, &kinds, &shown.at));
        if from.is_empty() {
            return Err(Failure::WrongComparison {
                words: format!("{:?}", kind.statistic),
                value: shown.text.clone(),
            });
        }
    }

    let fields = bound(scene, &scene.fields, places, at, Choice::Last);
    if let Some(field) = fields.first() {
        from.retain(|stated| {
            let is_own = |field: &String| field.eq_ignore_ascii_case(stated.field);
            fields.iter().any(is_own)
                || is_remark(scene, stated, &shown.at)
                || names_ranked(scene, stated, &shown.at)
        });
        if from.is_empty() {
            return Err(Failure::UnsupportedName {
                name: format!("{field}: {}", shown.text),
            });
        }
    }
    Ok(())
}

/// Checks a number of records behind a statistic: *5,076 (n = 123)*.
fn check_count(scene: &Scene<'_>, figure: &Figure, places: &[Range<usize>]) -> Result<(), Failure> {
    check_number_of_values(scene, figure)?;
    check_number_of_groups(scene, figure)?;
    let is_value = places.contains(&figure.at);
    let others = other_numbers(scene);
    let is_other = others.iter().any(|number| figure.shows(*number));
    let is_count = !figure.percent && !figure.times && !scene.is_in_a_name(&figure.at);
    if is_value || is_other || !is_count {
        return Ok(());
    }

    let shows = |stated: &&Stated<'_>| {
        let mut counts = stated.counts.iter();
        counts.any(|count| figure.shows(*count as f64))
    };
    let from: Vec<&Stated<'_>> = scene.stated.iter().filter(shows).collect();
    if from.is_empty() || from.iter().any(|stated| stated.keys.is_empty()) {
        return Ok(());
    }

    // It belongs to the value before it, unless a group is named between them.
    let before = places
        .iter()
        .rposition(|place| place.end <= figure.at.start);
    for dimension in &scene.dimensions {
        let names_between = |place: &Range<usize>| {
            let mut names = dimension.named.iter();
            names.any(|named| place.end <= named.at.start && named.at.end <= figure.at.start)
        };
        let keys = match before.filter(|at| !names_between(&places[*at])) {
            Some(at) => bound(scene, &dimension.named, places, at, Choice::Subject),
            None => {
                let mut all = places.to_vec();
                let at = all.partition_point(|place| place.start < figure.at.start);
                all.insert(at, figure.at.clone());
                bound(scene, &dimension.named, &all, at, Choice::Subject)
            }
        };
        let is_own = |stated: &&Stated<'_>| {
            key_in(stated, dimension).is_none_or(|own| keys.iter().any(|key| is_same(key, own)))
        };
        if let Some(first) = keys.first()
            && !from.iter().any(is_own)
        {
            return Err(Failure::WrongPair {
                field: dimension.field.clone(),
                value: named(scene, dimension, first),
                figure: figure.text.clone(),
            });
        }
    }
    Ok(())
}

/// Refuses another number after *n =* than that of the values behind a claim.
fn check_number_of_values(scene: &Scene<'_>, figure: &Figure) -> Result<(), Failure> {
    let is_said = is_number_of_values(scene, figure) || scene.is_scope(figure);
    let behind = scene.claims.iter().filter_map(|claim| match claim {
        Claim::Correlation { count, .. } => Some(*count),
        other => Some(Measured::of_claim(other)?.find(scene.evidence)?.count),
    });
    let behind: Vec<u64> = behind.collect();
    if !is_said || behind.is_empty() || behind.iter().any(|count| figure.shows(*count as f64)) {
        return Ok(());
    }
    Err(Failure::UnsupportedNumber {
        figure: figure.text.clone(),
    })
}

/// Refuses another number before a word for groups than that of the groups with a statistic.
fn check_number_of_groups(scene: &Scene<'_>, figure: &Figure) -> Result<(), Failure> {
    let of_groups = |claim: &Claim| matches!(claim, Claim::GroupMeasure { .. });
    let is_known = scene.claims.iter().all(of_groups) && is_said_of_groups(scene, figure);
    if !is_known || counts_groups(scene, figure) {
        return Ok(());
    }
    Err(Failure::UnsupportedNumber {
        figure: figure.text.clone(),
    })
}

/// Returns whether a number is said to be that of the values behind a statistic: *n = 123*.
fn is_number_of_values(scene: &Scene<'_>, figure: &Figure) -> bool {
    let before = scene.sentence.between(0, figure.at.start).trim_end();
    let sign = before.strip_suffix('=').unwrap_or_default().trim_end();
    let rest = sign.strip_suffix('n');
    rest.is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
}

/// Refuses a date that no claim and no context has: the parts of two dates make no third one.
fn check_dates(scene: &Scene<'_>, context: &str) -> Result<(), Failure> {
    let text = scene.sentence.text;
    let is_part = |c: char| c.is_ascii_digit() || c == '-';
    let dates = text
        .split(|c: char| !is_part(c))
        .filter(|part| is_date(part));
    let claimed: Vec<String> = scene.claims.iter().flat_map(texts).collect();

    for date in dates {
        let is_known = claimed.iter().any(|text| text.contains(date)) || context.contains(date);
        if !is_known {
            return Err(Failure::UnsupportedNumber {
                figure: date.to_owned(),
            });
        }
    }
    Ok(())
}

/// Returns whether a string has the form `2024-05` or `2024-05-17`.
fn is_date(text: &str) -> bool {
    let parts: Vec<usize> = text.split('-').map(str::len).collect();
    matches!(parts.as_slice(), [4, 2] | [4, 2, 2])
}

/// Refuses a range whose larger value comes first: *from 6,300 to 2,700*.
fn check_range(
    scene: &Scene<'_>,
    low: &Shown<'_, '_>,
    high: &Shown<'_, '_>,
) -> Result<(), Failure> {
    let between = scene.words_in(low.at.end, high.at.start);
    let joins = ["to", "and", "bis", "und", "à", "et", "a", "y", "e"];
    let is_range = between.len() <= 3
        && between
            .iter()
            .any(|word| joins.contains(&word.text.as_str()));
    let is = |shown: &Shown<'_, '_>, kind| {
        let mut from = shown.from.iter();
        from.all(|stated| stated.statistic == Some(kind))
    };
    let has_words = scene.statistics.iter().any(|named| {
        let is_end = matches!(named.key.statistic, Statistic::Min | Statistic::Max);
        is_end && named.at.end <= low.at.start
    });

    let is_turned = is(low, Statistic::Max) && is(high, Statistic::Min);
    if is_range && is_turned && !has_words {
        return Err(Failure::WrongComparison {
            words: format!("{} – {}", low.text, high.text),
            value: low.text.clone(),
        });
    }
    Ok(())
}

/// Refuses a sentence that names another group than that of its claim.
fn named_in_place(scene: &Scene<'_>) -> Result<(), Failure> {
    for dimension in scene.dimensions.iter().filter(|one| one.field != RECORD) {
        let claimed: Vec<&serde_json::Value> = scene
            .stated
            .iter()
            .filter_map(|stated| key_in(stated, dimension))
            .collect();

        let is_named = |value: &serde_json::Value| {
            dimension
                .named
                .iter()
                .any(|named| is_same(&named.key, value))
        };
        let can_be_named = |value: &&&serde_json::Value| {
            value.as_str().is_some_and(|text| text.chars().count() > 1) && time_of(value).is_none()
        };
        let is_missing = claimed
            .iter()
            .filter(can_be_named)
            .any(|value| !is_named(value));

        let other = dimension
            .named
            .iter()
            .find(|named| !claimed.iter().any(|value| is_same(value, &named.key)));
        if let Some(other) = other.filter(|_| is_missing) {
            return Err(Failure::UnclaimedValue {
                field: dimension.field.clone(),
                value: plain(&other.key),
            });
        }
    }
    Ok(())
}

/// Returns the group of a statement in a dimension.
pub(crate) fn key_in<'s>(
    stated: &'s Stated<'_>,
    dimension: &Dimension,
) -> Option<&'s serde_json::Value> {
    let mut keys = stated.keys.iter();
    let found = keys.find(|(field, _)| field.eq_ignore_ascii_case(&dimension.field));
    found.map(|(_, value)| value)
}

/// Returns whether a statement is one of these statistics. A superlative may also be about another
/// statistic that the sentence names before: *the mean is highest for Gentoo: 5,076*.
fn is_of_kind(scene: &Scene<'_>, stated: &Stated<'_>, kinds: &[Kind], at: &Range<usize>) -> bool {
    let Some(own) = stated.statistic else {
        return true;
    };
    if own == Statistic::Count || kinds.iter().any(|kind| kind.statistic == own) {
        return true;
    }

    let is_before = |named: &&Named<Kind>| named.at.end <= at.start && !named.key.is_superlative;
    let before = scene.statistics.iter().rfind(is_before);
    kinds.iter().any(|kind| kind.is_superlative)
        && before.is_some_and(|named| named.key.statistic == own)
}

/// Returns whether a number is said of all records: a word for all of them is before it, and no
/// name of a group between.
fn is_overall(scene: &Scene<'_>, at: &Range<usize>) -> bool {
    let overall = scene.find("overall");
    let Some(last) = overall.iter().rfind(|place| place.end <= at.start) else {
        return false;
    };
    let between = scene.sentence.between(last.end, at.start);
    let is_between = |from: usize, to: usize| last.end <= from && to <= at.start;
    let has_name = scene
        .dimensions
        .iter()
        .flat_map(|dimension| &dimension.named)
        .any(|named| is_between(named.at.start, named.at.end));
    let has_number = scene
        .sentence
        .figures
        .iter()
        .any(|figure| is_between(figure.at.start, figure.at.end));
    !has_name && !has_number && !between.contains([';', '.'])
}

/// Returns whether a value of a record only tells more of it: *Titanic (1997)*.
fn is_remark(scene: &Scene<'_>, stated: &Stated<'_>, at: &Range<usize>) -> bool {
    let before = scene.sentence.folded[..at.start].strip_suffix('(');
    let before = before.map(|before| before.trim_end().len());
    let mut records = scene.dimensions.iter().filter(|one| one.field == RECORD);
    stated.keys.iter().any(|(key, _)| key == RECORD)
        && records.any(|one| one.named.iter().any(|named| Some(named.at.end) == before))
}

/// Returns whether a string is what a ranked record is called, said before the field that it is
/// ranked by: *2015-03-15 has the highest precipitation: 55.9*.
fn names_ranked(scene: &Scene<'_>, stated: &Stated<'_>, at: &Range<usize>) -> bool {
    let record = stated.keys.iter().find(|(key, _)| key == RECORD);
    let record = record.and_then(|(_, value)| value.as_str());
    let is_ranked = |claim: &Claim| match claim {
        Claim::Ranked { source, field, .. } => {
            let mut named = scene.fields.iter().filter(|named| named.key == *field);
            let is_later = named.all(|named| named.at.start >= at.end);
            Some(source.as_str()) == record && field != stated.field && is_later
        }
        _ => false,
    };
    // *1984 has the highest rainfall*: a year can be a name, and other numbers cannot.
    let is_year = |number: f64| number.fract() == 0.0 && (1000.0..3000.0).contains(&number);
    stated.number.is_none_or(is_year) && scene.claims.iter().any(is_ranked)
}

/// Returns whether words of a statistic and a field only join a number to the name of a group
/// before it: *Gentoo has a mean body mass of 4,201.8*.
fn is_bound_to_a_name(scene: &Scene<'_>, dimension: &Dimension, at: &Range<usize>) -> bool {
    let before = dimension
        .named
        .iter()
        .rfind(|named| named.at.end <= at.start);
    let Some(before) = before else { return false };
    if is_binding(scene.sentence, before.at.end, at.start) {
        return true;
    }

    let between = scene.sentence.between(before.at.end, at.start);
    if between.contains([',', ';', '.', ')', ':']) {
        return false;
    }
    let mut words = scene.words_in(before.at.end, at.start).iter();
    words.all(|word| {
        let statistics = scene.statistics.iter().map(|named| &named.at);
        let mut names = statistics.chain(scene.fields.iter().map(|named| &named.at));
        let is_name = names.any(|name| name.start <= word.at.start && word.at.end <= name.end);
        let verbs = [
            "has", "have", "had", "with", "a", "is", "hat", "a", "tiene", "ha", "tem",
        ];
        is_name || verbs.contains(&word.text.as_str()) || scene.vocabulary.is("filler", word)
    })
}

/// Returns the name of a key as people write it.
fn named(scene: &Scene<'_>, dimension: &Dimension, key: &serde_json::Value) -> String {
    let place = dimension.named.iter().find(|named| named.key == *key);
    place.map_or_else(
        || plain(key),
        |named| scene.sentence.text[named.at.clone()].to_owned(),
    )
}

fn wrong_pair(shown: &Shown<'_, '_>, value: &str, field: &str) -> Failure {
    Failure::WrongPair {
        field: field.trim_start_matches('\0').to_owned(),
        value: value.to_owned(),
        figure: shown.text.clone(),
    }
}
