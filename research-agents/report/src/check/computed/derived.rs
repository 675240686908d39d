//! Numbers that follow from claims on statistics: differences, ratios and shares of two, and the
//! number of groups that have one.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::check::computed::scene::{Scene, Stated};
use crate::check::counts::measured::Measured;
use crate::check::figure::Figure;
use crate::claim::{Basis, Claim, Statistic};
use crate::evidence::table::TableRow;

/// Maximum distance of a word for a difference from its number, in words.
const NEAR: usize = 6;

/// Returns whether a number is a difference, ratio or share of two statistics of the claims, the
/// number of groups, or that of the fields that are not named, and the sentence says so.
pub(crate) fn explains(scene: &Scene<'_>, figure: &Figure) -> bool {
    counts_groups(scene, figure)
        || counts_fields(scene, figure)
        || follows(scene, figure)
        || is_between_counts(scene, figure)
        || is_between_fields(scene, figure)
}

/// Returns whether a number is the difference of one statistic of two fields over all records: *the
/// difference is 20: the sum of wins is 50 and the sum of losses is 30*.
fn is_between_fields(scene: &Scene<'_>, figure: &Figure) -> bool {
    if figure.percent || figure.times || !says_difference(scene, figure) {
        return false;
    }
    let whole = |stated: &&Stated<'_>| stated.keys.is_empty() && stated.statistic.is_some();
    let all: Vec<&Stated<'_>> = scene.stated.iter().filter(whole).collect();

    all.iter().any(|one| {
        let others = all
            .iter()
            .filter(|other| other.field != one.field && other.statistic == one.statistic);
        let pairs = others.filter_map(|other| Some((one.number?, other.number?)));
        let mut apart = pairs.map(|(one, other)| one - other);
        apart.any(|apart| apart > 0.0 && figure.shows(apart))
    })
}

/// Returns whether a number is the difference of the numbers of records of two groups: *the
/// difference is 555: the number of records is 709 for male and 154 for female*.
fn is_between_counts(scene: &Scene<'_>, figure: &Figure) -> bool {
    if figure.percent || figure.times || !says_difference(scene, figure) {
        return false;
    }
    let counts = scene.claims.iter().filter_map(|claim| match claim {
        Claim::Count {
            over,
            field,
            number,
            ..
        } => Some((over, field, *number)),
        _ => None,
    });
    let counts: Vec<(&Basis, &String, u64)> = counts.collect();

    counts.iter().any(|(over, field, one)| {
        let mut others = counts
            .iter()
            .filter(|other| other.0 == *over && other.1 == *field);
        others.any(|(.., other)| one > other && figure.shows((one - other) as f64))
    })
}

/// Returns whether a number is that of the fields of the records that a list of fields leaves out:
/// *their fields are species, sex and 6 more*.
fn counts_fields(scene: &Scene<'_>, figure: &Figure) -> bool {
    /// Records whose fields are taken for those of all.
    const READ: usize = 50;
    let after = scene.words_in(figure.at.end, scene.sentence.text.len());
    let is_rest = after.len() == 1 && scene.vocabulary.is("further", &after[0]);
    if !is_rest || figure.percent || figure.times {
        return false;
    }

    let mut fields = BTreeSet::new();
    for source in scene.evidence.sources.iter().take(READ) {
        add_fields("", source.fields.for_code(), &mut fields);
    }
    let is_named = |field: &&String| !scene.places_of(field, false).is_empty();
    let named = fields.iter().filter(is_named).count();
    named > 0 && figure.shows((fields.len() - named) as f64)
}

/// Adds the names of fields, those of nested ones with the names of their parents.
fn add_fields(parent: &str, members: &Map<String, Value>, found: &mut BTreeSet<String>) {
    for (name, value) in members {
        let name = format!("{parent} {name}").replace('.', " ");
        match value {
            Value::Object(members) => add_fields(&name, members, found),
            _ => {
                found.insert(name);
            }
        }
    }
}

/// Returns whether a number is the number of groups that have a count or the statistic of a claim:
/// *of the 12 groups, Gentoo has the highest mean*.
pub(crate) fn counts_groups(scene: &Scene<'_>, figure: &Figure) -> bool {
    let mut groups = scene
        .claims
        .iter()
        .filter_map(|claim| number_of_groups(scene, claim));
    is_said_of_groups(scene, figure) && groups.any(|number| figure.shows(number as f64))
}

/// Returns whether a number stands before a word for groups.
pub(crate) fn is_said_of_groups(scene: &Scene<'_>, figure: &Figure) -> bool {
    let after = scene.words_in(figure.at.end, scene.sentence.text.len());
    scene.vocabulary.begins("groups", after) && !figure.percent && !figure.times
}

/// Returns how many groups of the complete table of a claim have what it is about.
fn number_of_groups(scene: &Scene<'_>, claim: &Claim) -> Option<usize> {
    let table = scene.evidence.table(claim.aggregation()?)?;
    let (by, measured) = match claim {
        Claim::Count { field, .. } => (field.as_str(), None),
        other => {
            let measured = Measured::of_claim(other)?;
            (measured.group?.0, Some(measured))
        }
    };
    let has_value = |row: &&TableRow| {
        let measure = measured.map(|one| row.measure(one.field, one.statistic));
        let is_known = measure.is_none_or(|measure| {
            measure.is_some_and(|one| one.number.is_some() || one.text.is_some())
        });
        !row.value.is_null() && is_known
    };
    let groups = table.rows_of(by).filter(has_value).count();
    table.is_complete(by).then_some(groups)
}

/// Returns whether a number is a difference, a ratio or a share of two statistics of the claims.
fn follows(scene: &Scene<'_>, figure: &Figure) -> bool {
    pairs(scene).any(|(a, b)| {
        let (Some(x), Some(y)) = (a.number, b.number) else {
            return false;
        };
        if figure.times {
            return y != 0.0 && figure.shows(x / y);
        }
        if figure.percent {
            let change =
                y != 0.0 && says_difference(scene, figure) && figure.shows(100.0 * (x - y) / y);
            return change || is_share(scene, a, b, figure);
        }
        says_difference(scene, figure) && figure.shows(x - y)
    })
}

/// Returns every ordered pair of statements on the same field and statistic.
fn pairs<'s, 'c>(scene: &'s Scene<'c>) -> impl Iterator<Item = (&'s Stated<'c>, &'s Stated<'c>)> {
    let alike = |a: &Stated<'_>, b: &Stated<'_>| {
        a.claim != b.claim && a.field.eq_ignore_ascii_case(b.field) && a.statistic == b.statistic
    };
    let all = scene.stated.iter();
    all.flat_map(move |a| {
        let others = scene.stated.iter().filter(move |b| alike(a, b));
        others.map(move |b| (a, b))
    })
}

/// Returns whether a number is the share of a group's sum in the sum over all records, which has no
/// negative part.
fn is_share(scene: &Scene<'_>, part: &Stated<'_>, whole: &Stated<'_>, figure: &Figure) -> bool {
    let (Some(x), Some(y)) = (part.number, whole.number) else {
        return false;
    };
    let is_whole = whole.keys.is_empty() && !part.keys.is_empty();
    let is_sum = part.statistic == Some(Statistic::Sum);

    let rows = scene
        .claims
        .get(whole.claim)
        .and_then(|claim| claim.aggregation());
    let table = rows.and_then(|id| scene.evidence.table(id));
    let has_negative = table.is_some_and(|table| {
        let sums = table
            .rows
            .iter()
            .filter_map(|row| row.measure(part.field, Statistic::Sum));
        sums.filter_map(|measure| measure.number)
            .any(|sum| sum < 0.0)
    });

    is_whole && is_sum && y > 0.0 && !has_negative && figure.shows(100.0 * x / y)
}

/// Returns whether a word for a difference is near a number.
fn says_difference(scene: &Scene<'_>, figure: &Figure) -> bool {
    scene.find("difference").iter().any(|place| {
        let between = if place.end <= figure.at.start {
            scene.words_in(place.end, figure.at.start)
        } else {
            scene.words_in(figure.at.end, place.start)
        };
        between.len() <= NEAR
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::check::checker::Checker;
    use crate::claim::{Claim, Statement, Statistic};
    use crate::evidence::run::Evidence;
    use crate::evidence::source::Source;
    use crate::evidence::table::{Table, TableMeasure, TableRow};
    use crate::text::untrusted::Untrusted;

    /// Mean votes by the winner of a district, where the candidates are fields too.
    const GROUPS: [(&str, f64, u64); 3] = [
        ("Joly", 5_320.5, 2),
        ("Bergeron", 1_716.4, 4),
        ("Coderre", 1.6, 9),
    ];

    fn holds(text: &str, groups: &[usize]) -> bool {
        let rows = GROUPS.map(|(name, mean, count)| TableRow {
            measures: vec![
                TableMeasure::new("Joly", Statistic::Mean, mean, count),
                TableMeasure::new("Bergeron", Statistic::Mean, 3.0 * mean, count),
            ],
            ..TableRow::new("winner", name, count)
        });
        let empty = TableRow::new("winner", json!(null), 5);
        let table = Table {
            id: "A1".into(),
            field: "winner".into(),
            total: 20,
            rows: rows.into_iter().chain([empty]).collect(),
            ..Table::default()
        };
        let evidence = Evidence {
            tables: vec![table],
            ..Evidence::default()
        };

        let claims = groups.iter().map(|at| Claim::GroupMeasure {
            over: "A1".into(),
            by: "winner".into(),
            value: json!(GROUPS[*at].0),
            field: "Joly".into(),
            statistic: Statistic::Mean,
            number: GROUPS[*at].1,
        });
        let statement = Statement {
            text: text.into(),
            claims: claims.collect(),
        };
        Checker::new(&evidence, ["winner", "Joly", "Bergeron"])
            .check(&statement)
            .is_ok()
    }

    #[test]
    fn the_number_of_groups_with_a_value_is_known() {
        assert!(holds(
            "Of the 3 groups, Coderre has the lowest mean Joly: 1.6.",
            &[2]
        ));
        for wrong in [
            "Of the 4 groups, Coderre has the lowest mean Joly: 1.6.",
            "Of the 2 groups, Coderre has the lowest mean Joly: 1.6.",
            "Of the 3 groups, Bergeron has the lowest mean Joly: 1,716.4.",
            "Coderre has the lowest mean Joly: 3.",
        ] {
            assert!(!holds(wrong, &[1, 2]), "{wrong}");
        }
    }

    #[test]
    fn the_fields_that_a_list_leaves_out_are_counted() {
        let fields = json!({"order": {"id": 1, "no.": 2}, "buyer": "Ada", "day": 3, "cost": 4});
        let mut evidence = Evidence::default();
        evidence.sources.register(Source {
            tool: "t".into(),
            record: "1".into(),
            fields: Untrusted::new(fields.as_object().unwrap().clone()),
            ..Source::default()
        });
        let checker = Checker::new(&evidence, []);
        let holds = |text: &str| {
            let claims = Vec::new();
            let text = text.into();
            checker.check_loose(&Statement { text, claims }).is_ok()
        };

        assert!(holds(
            "Their fields are order id, order no, buyer and 2 more."
        ));
        assert!(!holds(
            "Their fields are order id, order no, buyer and 3 more."
        ));
        assert!(!holds("Their fields are order id, buyer and 2 more."));
        assert!(!holds(
            "Their fields are order id, order no, buyer and 2 more records."
        ));
    }

    #[test]
    fn a_group_may_have_the_name_of_a_field() {
        let said = "Joly has the highest mean Joly: 5,320.5 (n = 2), before Bergeron 1,716.4 and \
                    Coderre 1.6.";
        assert!(holds(said, &[0, 1, 2]));
        for (from, to) in [
            ("(n = 2)", "(n = 4)"),
            ("mean Joly", "mean Bergeron"),
            ("Bergeron 1,716.4", "Bergeron 1.6"),
            ("Joly has", "Bergeron has"),
            ("before Bergeron", "before Coderre"),
        ] {
            let wrong = said.replacen(from, to, 1);
            assert!(!holds(&wrong, &[0, 1, 2]), "{wrong}");
        }
    }
}
