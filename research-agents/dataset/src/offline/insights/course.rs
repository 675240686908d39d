//! Insights into a course of time: its peak, its ends, the larger half, and the months that stand
//! out every year.

use jiff::civil::Date;
use research_agents_report::claim::Statement;
use research_agents_report::text::list;

use crate::offline::say::{Group, Grouping, percent, statement};

/// Fewer intervals than this have no halves.
const HALVED: usize = 6;

/// The later half is reported if its share differs so much from its part of the time.
const UNEVEN: f64 = 0.05;

/// An interval of which the data covers less is reported as cut off.
const WHOLE: f64 = 0.9;

/// Two years of months show which months are strong.
const MONTHS_OF_TWO_YEARS: usize = 24;

/// Months that are named, and the share that they must hold: evenly spread it would be a quarter.
const STRONG_MONTHS: (usize, f64) = (3, 0.3);

const NAMES: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Returns the same without the ends of a long course, which the ends of the data may cut off.
pub(crate) fn highlights(grouping: &Grouping) -> Vec<Statement> {
    let mut found = course(grouping);
    if grouping.groups.len() >= HALVED {
        found.pop();
    }
    found
}

/// Returns which part of the first and of the last interval of a course lies between the first and
/// the last day of the data. Weeks and quarters are not examined.
pub(crate) fn covered(grouping: &Grouping, first: &str, last: &str) -> (f64, f64) {
    let ends = grouping.groups.first().zip(grouping.groups.last());
    let quarterly = |group: &Group| {
        group.label.len() == 7
            && ["-01", "-04", "-07", "-10"]
                .iter()
                .any(|m| group.label.ends_with(m))
    };
    let Some((beginning, end)) = ends.filter(|_| !grouping.groups.iter().all(quarterly)) else {
        return (1.0, 1.0);
    };
    (
        1.0 - part_until(&beginning.label, first, 1).unwrap_or(0.0),
        part_until(&end.label, last, 0).unwrap_or(1.0),
    )
}

/// Returns which part of a year or month lies before a day in it, or with it if no days are taken
/// off.
fn part_until(label: &str, day: &str, less: i16) -> Option<f64> {
    let date: Date = day.get(..10)?.parse().ok()?;
    let (until, all) = match label.len() {
        4 => (date.day_of_year(), date.days_in_year()),
        7 => (i16::from(date.day()), i16::from(date.days_in_month())),
        _ => return None,
    };
    day.starts_with(label)
        .then(|| f64::from(until - less) / f64::from(all))
}

/// Returns the interval with the most records, where no other has as many.
pub(crate) fn peak(grouping: &Grouping) -> Option<&Group> {
    let highest = highest(grouping)?;
    let is_alone = grouping
        .groups
        .iter()
        .filter(|group| group.count == highest.count)
        .count()
        == 1;
    is_alone.then_some(highest)
}

/// Returns the interval with the most records, the first of equal ones.
fn highest(grouping: &Grouping) -> Option<&Group> {
    grouping.groups.iter().reduce(|best, group| {
        if group.count > best.count {
            group
        } else {
            best
        }
    })
}

/// Returns what a course of time shows, the most important first.
pub(crate) fn course(grouping: &Grouping) -> Vec<Statement> {
    let groups = &grouping.groups;
    let Some(highest) = highest(grouping) else {
        return Vec::new();
    };
    let (name, part) = (&grouping.name, grouping.part(highest.count));
    if groups.len() == 1 {
        let text = format!("{part} fall into {} by {name}.", highest.label);
        return vec![statement(text, grouping.claims([highest]))];
    }

    let text = if peak(grouping).is_some() {
        format!("The peak by {name} is {}, with {part}.", highest.label)
    } else {
        format!(
            "The highest number by {name} is {part}, first reached in {}.",
            highest.label
        )
    };

    let mut found = vec![statement(text, grouping.claims([highest]))];
    found.extend(seasons(grouping));
    found.extend(halves(grouping));
    found.extend(ends(grouping));

    found
}

/// Returns the share of the later half, for a course with enough intervals.
fn halves(grouping: &Grouping) -> Option<Statement> {
    let groups = &grouping.groups;
    if groups.len() < HALVED || !grouping.complete {
        return None;
    }

    let half = groups.len().div_ceil(2);
    let later = &groups[half..];
    let sum: u64 = later.iter().map(|group| group.count).sum();
    let (first, last) = (later.first()?, later.last()?);

    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of records are far below 2^52"
    )]
    let share = sum as f64 / grouping.total as f64;

    #[expect(clippy::cast_precision_loss, reason = "a course has few intervals")]
    let time = |intervals: usize, at_the_end: f64| intervals as f64 - 1.0 + at_the_end;
    let (before, after) = (
        time(half, grouping.covered.0),
        time(later.len(), grouping.covered.1),
    );
    let even = after / (before + after);
    if (share - even).abs() < UNEVEN {
        return None;
    }

    let text = format!(
        "{} to {}, the last {} of {} {} by {}, hold {}.",
        first.label,
        last.label,
        later.len(),
        groups.len(),
        intervals(&first.label),
        grouping.name,
        grouping.part(sum)
    );

    Some(statement(text, grouping.claims(later)))
}

fn intervals(label: &str) -> &'static str {
    match label.len() {
        4 => "years",
        7 => "months",
        _ => "intervals",
    }
}

/// Returns the calendar months that hold most over all years.
fn seasons(grouping: &Grouping) -> Option<Statement> {
    let groups = &grouping.groups;
    if groups.len() < MONTHS_OF_TWO_YEARS || !grouping.complete {
        return None;
    }

    let month = |group: &Group| {
        let (year, month) = group.label.split_once('-')?;
        let month: usize = month.parse().ok()?;
        (year.len() == 4 && (1..=12).contains(&month)).then(|| month - 1)
    };
    let months: Vec<usize> = groups.iter().map(month).collect::<Option<_>>()?;

    let mut sums: Vec<(usize, u64)> = (0..12).map(|month| (month, 0)).collect();
    for (group, month) in groups.iter().zip(&months) {
        sums[*month].1 += group.count;
    }

    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(*sum));
    let strong = &sums[..STRONG_MONTHS.0];
    let sum: u64 = strong.iter().map(|(_, sum)| sum).sum();

    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of records are far below 2^52"
    )]
    let is_strong = sum as f64 >= STRONG_MONTHS.1 * grouping.total as f64;

    is_strong.then(|| {
        let names: Vec<&str> = strong.iter().map(|(month, _)| NAMES[*month]).collect();
        let text = format!(
            "Over all years, {} are the strongest months by {}: together they hold {}.",
            list(&names),
            grouping.name,
            grouping.part(sum)
        );
        let of_these = groups
            .iter()
            .zip(&months)
            .filter(|(_, month)| strong.iter().any(|(known, _)| known == *month));
        statement(text, grouping.claims(of_these.map(|(group, _)| group)))
    })
}

/// Returns where the course begins and ends.
fn ends(grouping: &Grouping) -> Option<Statement> {
    let (first, last) = (grouping.groups.first()?, grouping.groups.last()?);
    let text = format!(
        "The course by {} begins with {} in {} ({}) and ends with {} in {} ({}){}.",
        grouping.name,
        first.count,
        first.label,
        percent(first.count, grouping.total),
        last.count,
        last.label,
        percent(last.count, grouping.total),
        cut_off(grouping, first, last)
    );
    Some(statement(text, grouping.claims([first, last])))
}

/// Returns which of its ends the ends of the data cut off, as a part of the sentence.
fn cut_off(grouping: &Grouping, first: &Group, last: &Group) -> String {
    match (grouping.covered.0 < WHOLE, grouping.covered.1 < WHOLE) {
        (true, true) => format!(
            "; the data begins within {} and ends within {}",
            first.label, last.label
        ),
        (true, false) => format!("; the data begins within {}", first.label),
        (false, true) => format!("; the data ends within {}", last.label),
        (false, false) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::data::record::{AggregationKind, AggregationResult, Bucket};

    fn by(keys: &[String]) -> Grouping {
        Grouping::from_aggregation(&AggregationResult {
            id: "A1".into(),
            kind: AggregationKind::DateHistogram,
            field: "Day".into(),
            buckets: keys
                .iter()
                .map(|key| Bucket {
                    key: json!(key),
                    doc_count: 10,
                    buckets: vec![],
                    ..Bucket::default()
                })
                .collect(),

            total_docs: keys.len() as u64 * 10,
            source_tool: "t".into(),
            interval: None,
            filters: serde_json::Map::new(),
            ..AggregationResult::default()
        })
    }

    #[test]
    fn an_interval_that_the_data_covers_in_part_is_not_told_as_a_whole_one() {
        let mut years = by(&["2000-01-01", "2001-01-01", "2002-01-01"].map(str::to_owned));
        years.covered = covered(&years, "2000-01-03", "2002-07-25");

        assert!(
            years.covered.0 > 0.99 && (0.56..0.57).contains(&years.covered.1),
            "{:?}",
            years.covered
        );

        let said = course(&years).pop().unwrap().text;

        assert!(
            said.ends_with("and ends with 10 in 2002 (33.3 %); the data ends within 2002."),
            "{said}"
        );

        years.covered = covered(&years, "2000-11-30T12:00", "2002-12-30");
        let said = course(&years).pop().unwrap().text;

        assert!(
            said.ends_with("(33.3 %); the data begins within 2000."),
            "{said}"
        );
        assert_eq!(
            covered(&years, "1999-11-30", "2003-02-01"),
            (1.0, 1.0),
            "a filter cut the course, not the data"
        );

        let quarters = by(&["2000-01-01", "2000-04-01", "2000-07-01"].map(str::to_owned));

        assert_eq!(covered(&quarters, "2000-01-03", "2000-09-02"), (1.0, 1.0));
    }

    #[test]
    fn the_later_half_is_measured_by_the_time_that_the_data_covers() {
        let years: Vec<String> = (1990..1998).map(|year| format!("{year}-01-01")).collect();
        let mut even = by(&years);
        assert!(halves(&even).is_none());
        // As many records in less time are more than their part.
        even.covered = (1.0, 0.1);
        assert!(halves(&even).is_some());
    }
}
