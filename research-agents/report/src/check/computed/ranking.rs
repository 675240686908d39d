//! Checks superlatives of records: *Ada and Egon have the highest body mass* holds only if no other
//! record stands before them in a ranking by that field.

use std::cmp::Ordering;
use std::ops::Range;

use crate::check::computed::binding::field_after;
use crate::check::computed::scene::Scene;
use crate::check::computed::vocabulary::Word;
use crate::check::words::{is_ordinary, is_quantity};
use crate::claim::Claim;
use crate::evidence::value::same_value;

/// A place in a ranking that a claim has proved.
#[derive(Clone, Copy)]
struct Ranked<'c> {
    over: &'c str,
    source: &'c str,
    place: u64,
    field: &'c str,
    highest: bool,
}

/// The records that a superlative may be about.
enum Subjects<'c> {
    /// The named ones: each with the records that have its name.
    Named(Vec<Vec<&'c str>>),
    /// None is named, so that the claims tell.
    Claimed,
}

/// Returns whether the records that a superlative is about have the place in a ranking. `None`
/// without a ranking, or if the superlative is about groups.
pub(crate) fn verdict(
    scene: &Scene<'_>,
    place: &Range<usize>,
    sign: Ordering,
    wanted: u64,
) -> Option<bool> {
    let all: Vec<Ranked<'_>> = scene.claims.iter().filter_map(ranked).collect();
    if all.is_empty() {
        return None;
    }

    // *The highest flipper length* is not proved by a ranking of the body mass.
    let field = field_after(scene, place);
    let is_meant = |one: &Ranked<'_>| {
        let is_own = field.is_none_or(|field| field.eq_ignore_ascii_case(one.field));
        one.highest == (sign == Ordering::Greater) && is_own
    };
    let ranks: Vec<Ranked<'_>> = all.into_iter().filter(is_meant).collect();
    let has_groups = scene
        .stated
        .iter()
        .any(|stated| stated.statistic.is_some() && !stated.keys.is_empty());
    if has_groups && !ranks.iter().any(|one| one.place == wanted) {
        return None;
    }

    Some(match subjects(scene, place) {
        // *The second highest* is one record, *the highest* may be several.
        Subjects::Named(names) if wanted > 1 => {
            let is_there = |one: &Ranked<'_>| one.place == wanted || is_tied(scene, one, wanted);
            names.len() == 1 && names[0].iter().any(|id| has(&ranks, id, is_there))
        }
        Subjects::Named(names) => {
            let most = names.len() as u64;
            let is_among = |one: &Ranked<'_>| one.place <= most || is_tied(scene, one, most);
            names
                .iter()
                .all(|ids| ids.iter().any(|id| has(&ranks, id, is_among)))
        }
        Subjects::Claimed if wanted > 1 => ranks.iter().any(|one| one.place == wanted),
        Subjects::Claimed => {
            let most = ranks.len() as u64;
            let is_among = |one: &Ranked<'_>| one.place <= most || is_tied(scene, one, most);
            !ranks.is_empty() && ranks.iter().all(is_among)
        }
    })
}

fn ranked(claim: &Claim) -> Option<Ranked<'_>> {
    match claim {
        Claim::Ranked {
            over,
            source,
            place,
            field,
            highest,
        } => Some(Ranked {
            over,
            source,
            place: *place,
            field,
            highest: *highest,
        }),
        _ => None,
    }
}

/// Returns whether a record has a place that fits.
fn has(ranks: &[Ranked<'_>], id: &str, fits: impl Fn(&Ranked<'_>) -> bool) -> bool {
    ranks.iter().any(|one| one.source == id && fits(one))
}

/// Returns whether a record has the same value as the one at a place of its ranking.
fn is_tied(scene: &Scene<'_>, one: &Ranked<'_>, place: u64) -> bool {
    let value = |place: u64| {
        let table = scene.evidence.table(one.over)?;
        let row = table.ranked(one.field, one.highest, place)?;
        Some(&row.value)
    };
    match (value(one.place), value(place)) {
        (Some(own), Some(other)) => same_value(own, other),
        _ => false,
    }
}

/// Returns the records that a superlative is about: those of the list of names before it in its
/// clause, else of the list after it.
fn subjects<'c>(scene: &Scene<'c>, place: &Range<usize>) -> Subjects<'c> {
    let names = record_names(scene);
    let breaks = |from: usize, to: usize| {
        let between = scene.sentence.between(from, to);
        between.contains(". ") || between.contains("; ")
    };

    let before = names.iter().rposition(|(at, _)| {
        at.end <= place.start && !breaks(at.end, place.start) && !scene.is_object(at.start)
    });
    let after = names
        .iter()
        .position(|(at, _)| at.start >= place.end && !breaks(place.end, at.start));
    let (mut first, mut last) = match (before, after) {
        (Some(at), _) | (None, Some(at)) => (at, at),
        (None, None) => return Subjects::Claimed,
    };
    let joins = |one: usize, next: usize| is_list(scene, names[one].0.end, names[next].0.start);
    if before.is_some() {
        while first > 0 && joins(first - 1, first) {
            first -= 1;
        }
    } else {
        while last + 1 < names.len() && joins(last, last + 1) {
            last += 1;
        }
    }

    // A name that only one record has says which one; another name may tell more of it.
    let run = &names[first..=last];
    let mut found: Vec<Vec<&str>> = Vec::new();
    for (_, ids) in run.iter().filter(|(_, ids)| ids.len() == 1) {
        if !found.contains(ids) {
            found.push(ids.clone());
        }
    }
    let known = found.concat();
    let others = run.iter().filter(|(_, ids)| ids.len() > 1);
    found.extend(
        others
            .filter(|(_, ids)| !ids.iter().any(|id| known.contains(id)))
            .map(|(_, ids)| ids.clone()),
    );

    Subjects::Named(found)
}

/// Returns the names of records in a sentence, each with the records of the claims that have it: by
/// their titles, by strings that the claims give them, and by their ids after the word *record*.
fn record_names<'c>(scene: &Scene<'c>) -> Vec<(Range<usize>, Vec<&'c str>)> {
    let mut found: Vec<(Range<usize>, &str)> = Vec::new();
    for claim in scene.claims {
        let (source, value) = match claim {
            Claim::Field { source, value, .. } => (source.as_str(), value.as_str()),
            Claim::Ranked { source, .. } => (source.as_str(), None),
            _ => continue,
        };
        let holder = scene.evidence.sources.get(source);
        let title = holder.map(|holder| holder.title.for_code().as_str());
        let title = title.filter(|title| !is_quantity(title) && !is_ordinary(title));
        let id = format!("record {source}");
        for name in [value, title, Some(&id)].into_iter().flatten() {
            let is_sure = !is_quantity(name) && !is_ordinary(name);
            let places = scene.places_of(name, false).into_iter();
            let places = places.filter(|at| is_sure || scene.is_so_written(at, name));
            found.extend(places.map(|at| (at, source)));
        }
    }

    // Of overlapping names the longest is meant; the same place may name several records.
    found.sort_by_key(|(at, source)| (std::cmp::Reverse(at.len()), at.start, *source));
    let mut names: Vec<(Range<usize>, Vec<&str>)> = Vec::new();
    for (at, source) in found {
        let overlaps = |other: &Range<usize>| at.start < other.end && other.start < at.end;
        match names.iter_mut().find(|(other, _)| overlaps(other)) {
            None => names.push((at, vec![source])),
            Some((other, ids)) if *other == at && !ids.contains(&source) => ids.push(source),
            Some(_) => {}
        }
    }
    names.sort_by_key(|(at, _)| at.start);
    names
}

/// Returns whether the text between two names makes them items of one list, or the second one a
/// remark on the first: *Ada (9,211), Egon (9,012) and*.
pub(crate) fn is_list(scene: &Scene<'_>, from: usize, to: usize) -> bool {
    let words = scene.words_in(from, to);
    let joining = scene.vocabulary.find("join", words);
    let is_joining = |at: usize| joining.iter().any(|place| place.contains(&at));
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    // `km²` of `(9,984,670 km²)`.
    let is_unit = |word: &Word| {
        let before = scene.sentence.between(from, word.at.start);
        let remark = before.rsplit_once('(').map(|(_, remark)| remark);
        // A unit has few words, as *km per hour*.
        let is_short = |remark: &str| remark.split(' ').count() <= 4 && !remark.contains(", ");
        remark.is_some_and(|remark| is_number(remark) && !remark.contains(')') && is_short(remark))
    };
    let mut others = words.iter().enumerate();
    others.all(|(at, word)| is_number(&word.text) || is_joining(at) || is_unit(word))
        && !scene.sentence.between(from, to).contains([';', ':'])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::check::checker::Checker;
    use crate::claim::{Claim, Statement, Statistic};
    use crate::evidence::run::Evidence;
    use crate::evidence::source::{Source, SourceRegistry};
    use crate::evidence::table::{Table, TableKind, TableMeasure, TableOrder, TableRow};
    use crate::text::untrusted::Untrusted;

    /// Names, masses and ages, the heaviest first.
    const BIRDS: [(&str, u64, u64); 5] = [
        ("Ada", 91, 3),
        ("300", 91, 5),
        ("Clementine", 84, 2),
        ("Dorothy", 77, 8),
        ("Egon", 70, 6),
    ];

    /// Rankings of five birds: `A1` by the highest mass, `A2` by the lowest age.
    fn evidence() -> Evidence {
        let mut sources = SourceRegistry::default();
        for (at, (name, mass, age)) in BIRDS.into_iter().enumerate() {
            let fields = json!({"name": name, "mass": mass, "age": age, "sex": "f"});
            sources.register(Source {
                tool: "birds".into(),
                record: format!("b{at}"),
                title: Untrusted::new(name.to_owned()),
                fields: Untrusted::new(fields.as_object().unwrap().clone()),
                ..Source::default()
            });
        }

        let row = |field: &str, value: u64, at: usize| TableRow {
            source: Some(format!("b{at}")),
            ..TableRow::new(field, value, 1)
        };
        let table = |id: &str, field: &str, highest, rows: [(u64, usize); 5]| Table {
            id: id.into(),
            kind: TableKind::Ranking,
            field: field.into(),
            total: 40,
            rows: rows.map(|(value, at)| row(field, value, at)).into(),
            order: Some(TableOrder {
                field: field.into(),
                statistic: None,
                highest,
            }),
            ..Table::default()
        };

        let by_mass = [(91, 0), (91, 1), (84, 2), (77, 3), (70, 4)];
        let by_age = [(2, 2), (3, 0), (5, 1), (6, 4), (8, 3)];
        Evidence {
            sources,
            tables: vec![
                table("A1", "mass", true, by_mass),
                table("A2", "age", false, by_age),
            ],
            ..Evidence::default()
        }
    }

    /// The claims on places of the ranking by mass, with the names and masses of the birds.
    fn heaviest(places: &[usize]) -> Vec<Claim> {
        let claims = places.iter().flat_map(|at| {
            let (name, mass, _) = BIRDS[*at];
            let field = |field: &str, value| Claim::Field {
                source: format!("b{at}"),
                field: field.into(),
                value,
            };

            let place = Claim::Ranked {
                over: "A1".into(),
                source: format!("b{at}"),
                place: *at as u64 + 1,
                field: "mass".into(),
                highest: true,
            };
            [
                place,
                field("name", json!(name)),
                field("mass", json!(mass)),
            ]
        });
        claims.collect()
    }

    fn holds(text: &str, claims: Vec<Claim>) -> bool {
        let evidence = evidence();
        let context = ["name", "mass", "age", "sex = f", "Who is the heaviest?"];
        let statement = Statement {
            text: text.into(),
            claims,
        };
        Checker::new(&evidence, context).check(&statement).is_ok()
    }

    #[test]
    fn the_first_records_are_the_highest() {
        let said = [
            ("Ada has the highest mass: 91.", &[0][..]),
            ("Ada and 300 have the highest mass: 91 each.", &[0, 1]),
            ("300 has the highest mass, as Ada has: 91.", &[0, 1]),
            (
                "Ada (91), 300 (91) and Clementine (84) have the highest mass.",
                &[0, 1, 2],
            ),
            (
                "Ada (91 g), 300 (91 g) and Clementine (84 g) have the highest mass.",
                &[0, 1, 2],
            ),
            ("The highest mass have Ada, 300 and Clementine.", &[0, 1, 2]),
            ("Ada has the highest mass where sex = f: 91.", &[0]),
            ("Clementine has the third highest mass: 84.", &[2]),
            ("The highest mass is 91.", &[0]),
            (
                "Ada has the highest mass: 91; “heaviest” is not applied (no field says it).",
                &[0],
            ),
        ];

        for (text, places) in said {
            assert!(holds(text, heaviest(places)), "{text}");
        }
    }

    #[test]
    fn a_superlative_in_a_condition_says_nothing() {
        let evidence = Evidence {
            tables: vec![Table {
                id: "A1".into(),
                caption: "tool: 105 records where highest_degree = A Levels: median age 38".into(),
                total: 105,
                kind: TableKind::Total,
                measures: vec![TableMeasure {
                    field: "age".into(),
                    statistic: Statistic::Median,
                    number: Some(38.0),
                    count: 105,
                    text: None,
                }],
                ..Table::default()
            }],
            ..Evidence::default()
        };
        let holds = |text: &str| {
            let claim = Claim::Measure {
                over: "A1".into(),
                field: "age".into(),
                statistic: Statistic::Median,
                number: 38.0,
            };
            let statement = Statement {
                text: text.into(),
                claims: vec![claim],
            };
            let context = ["age", "highest_degree", "A Levels"];
            Checker::new(&evidence, context).check(&statement).is_ok()
        };

        assert!(holds(
            "The median age is 38 over 105 records where highest_degree = A Levels."
        ));
        assert!(!holds(
            "The highest age is 38 over 105 records where highest_degree = A Levels."
        ));
        assert!(!holds(
            "The median age of the highest degree is 38 over 105 records."
        ));
    }

    #[test]
    fn other_records_are_not_the_highest() {
        let said = [
            ("Clementine has the highest mass: 84.", &[2][..]),
            ("Ada and Clementine have the highest mass.", &[0, 2]),
            ("Ada (91) and Dorothy (77) have the highest mass.", &[0, 3]),
            ("Clementine has the highest mass: 84.", &[0, 1, 2]),
            ("Ada, 300 and Dorothy have the highest mass.", &[0, 1, 2, 3]),
            ("The highest mass have Ada, 300 and Dorothy.", &[0, 1, 3]),
            (
                "Ada and Clementine have the highest mass: 91 each.",
                &[0, 1, 2],
            ),
            (
                "Ada, 300 and Clementine have the highest mass: 91 each.",
                &[0, 1, 2],
            ),
            ("Ada has the lowest mass: 91.", &[0]),
            ("Ada has the highest age: 91.", &[0]),
            ("Ada has the highest age.", &[0]),
            ("Clementine has the second highest mass: 84.", &[2]),
            ("The highest mass is 84.", &[2]),
            (
                "Dorothy has the highest mass; “heaviest” is not applied.",
                &[3],
            ),
        ];

        for (text, places) in said {
            assert!(!holds(text, heaviest(places)), "{text}");
        }
    }

    #[test]
    fn every_direction_has_its_own_ranking() {
        let youngest = |at: usize, place| {
            let field = |field: &str, value| Claim::Field {
                source: format!("b{at}"),
                field: field.into(),
                value,
            };
            vec![
                Claim::Ranked {
                    over: "A2".into(),
                    source: format!("b{at}"),
                    place,
                    field: "age".into(),
                    highest: false,
                },
                field("name", json!(BIRDS[at].0)),
                field("age", json!(BIRDS[at].2)),
            ]
        };

        assert!(holds("Clementine has the lowest age: 2.", youngest(2, 1)));
        assert!(holds("Clementine is the youngest: 2.", youngest(2, 1)));
        assert!(!holds("Clementine has the highest age: 2.", youngest(2, 1)));
        assert!(!holds("Clementine is the oldest: 2.", youngest(2, 1)));
        assert!(!holds("Ada has the lowest age: 3.", youngest(0, 2)));
        assert!(!holds("Clementine has the lowest mass.", youngest(2, 1)));
    }
}
