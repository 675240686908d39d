//! What a course of time shows: its peak, its ends, which half of it is heavier, and the months that come out every year.

use super::super::say::{Group, Grouping, percent, statement};
use super::super::text::list;
use crate::kernel::claim::Statement;

/// Fewer intervals than this have no halves.
const HALVED: usize = 6;

/// The later half is told when its share differs so much from its part of the time.
const UNEVEN: f64 = 0.05;

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

/// The same without the ends of a long course, which may be cut off by the ends of the data.
pub(in super::super) fn highlights(grouping: &Grouping) -> Vec<Statement> {
    let mut found = course(grouping);
    if grouping.groups.len() >= HALVED {
        found.pop();
    }
    found
}

/// The interval with the most records, where no other has as many.
pub(in super::super) fn peak(grouping: &Grouping) -> Option<&Group> {
    let highest = highest(grouping)?;
    let is_alone = grouping.groups.iter().filter(|group| group.count == highest.count).count() == 1;
    is_alone.then_some(highest)
}

/// The interval with the most records, the first of equal ones.
fn highest(grouping: &Grouping) -> Option<&Group> {
    grouping.groups.iter().reduce(|best, group| if group.count > best.count { group } else { best })
}

/// What a course of time shows, the most important first.
pub(in super::super) fn course(grouping: &Grouping) -> Vec<Statement> {
    let groups = &grouping.groups;
    let Some(highest) = highest(grouping) else { return Vec::new() };
    let (name, part) = (&grouping.name, grouping.part(highest.count));
    if groups.len() == 1 {
        let text = format!("{part} fall into {} by {name}.", highest.label);
        return vec![statement(text, grouping.claims([highest]))];
    }
    let text = if peak(grouping).is_some() {
        format!("The peak by {name} is {}, with {part}.", highest.label)
    } else {
        format!("The highest number by {name} is {part}, first reached in {}.", highest.label)
    };
    let mut found = vec![statement(text, grouping.claims([highest]))];
    found.extend(seasons(grouping));
    found.extend(halves(grouping));
    found.extend(ends(grouping));
    found
}

/// The part of the later half, of a course that has intervals enough.
fn halves(grouping: &Grouping) -> Option<Statement> {
    let groups = &grouping.groups;
    if groups.len() < HALVED || !grouping.complete {
        return None;
    }
    let half = groups.len().div_ceil(2);
    let later = &groups[half..];
    let sum: u64 = later.iter().map(|group| group.count).sum();
    let (first, last) = (later.first()?, later.last()?);
    #[expect(clippy::cast_precision_loss, reason = "counts of records are far below 2^52")]
    let (share, even) = (sum as f64 / grouping.total as f64, later.len() as f64 / groups.len() as f64);
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

/// The calendar months that hold most over all years.
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
    #[expect(clippy::cast_precision_loss, reason = "counts of records are far below 2^52")]
    let is_strong = sum as f64 >= STRONG_MONTHS.1 * grouping.total as f64;
    is_strong.then(|| {
        let names: Vec<&str> = strong.iter().map(|(month, _)| NAMES[*month]).collect();
        let text = format!(
            "Over all years, {} are the strongest months by {}: together they hold {}.",
            list(&names),
            grouping.name,
            grouping.part(sum)
        );
        let of_these = groups.iter().zip(&months).filter(|(_, month)| strong.iter().any(|(known, _)| known == *month));
        statement(text, grouping.claims(of_these.map(|(group, _)| group)))
    })
}

/// Where the course begins and ends.
fn ends(grouping: &Grouping) -> Option<Statement> {
    let (first, last) = (grouping.groups.first()?, grouping.groups.last()?);
    let text = format!(
        "The course by {} begins with {} in {} ({}) and ends with {} in {} ({}).",
        grouping.name,
        first.count,
        first.label,
        percent(first.count, grouping.total),
        last.count,
        last.label,
        percent(last.count, grouping.total)
    );
    Some(statement(text, grouping.claims([first, last])))
}
