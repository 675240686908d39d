//! Changes of numbers, units and dates.

use super::words::{with, words};
use crate::prose::{Paragraph, pick};

const COUNTS: [&str; 12] =
    ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "twenty"];

/// Another number: of digits, or as a word.
pub fn number(sentence: &str, paragraph: &Paragraph) -> Option<String> {
    words(sentence).into_iter().find_map(|(at, word)| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let start = at + word.find(bare)?;
        if !bare.is_empty() && bare.len() < 8 && bare.bytes().all(|b| b.is_ascii_digit()) {
            let value: u64 = bare.parse().ok()?;
            let new = (value + 1 + pick(sentence, 7) as u64).to_string();
            return (!paragraph.text.contains(&new)).then(|| with(sentence, start, bare.len(), &new));
        }
        let place = COUNTS.iter().position(|count| *count == bare)?;
        let new = COUNTS[(place + 1 + pick(sentence, 5)) % COUNTS.len()];
        (!paragraph.has(new)).then(|| with(sentence, start, bare.len(), new))
    })
}

const UNITS: [(&str, &str); 22] = [
    ("seconds", "minutes"),
    ("second", "hour"),
    ("minutes", "seconds"),
    ("hours", "days"),
    ("hour", "minute"),
    ("days", "weeks"),
    ("day", "month"),
    ("years", "months"),
    ("year", "month"),
    ("months", "years"),
    ("weeks", "days"),
    ("bytes", "kilobytes"),
    ("byte", "bit"),
    ("bits", "bytes"),
    ("bit", "byte"),
    ("kilobytes", "megabytes"),
    ("MB", "GB"),
    ("KB", "MB"),
    ("ms", "s"),
    ("%", "kg"),
    ("percent", "metres"),
    ("minute", "second"),
];

/// Another unit after a number.
pub fn unit(sentence: &str, paragraph: &Paragraph) -> Option<String> {
    let is_number = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        COUNTS.contains(&word) || (!word.is_empty() && word.chars().all(|c| c.is_ascii_digit() || c == '.' || c == ','))
    };
    let all = words(sentence);
    all.windows(2).find_map(|pair| {
        let (at, word) = pair[1];
        let bare = word.trim_end_matches(['.', ',', ';', ')', ':']);
        let (_, new) = UNITS.iter().find(|(old, _)| *old == bare).filter(|_| is_number(pair[0].1))?;
        (!paragraph.has(new)).then(|| with(sentence, at, bare.len(), new))
    })
}

pub const MONTHS: [&str; 12] = [
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

/// Another date: year, month or day.
pub fn date(sentence: &str, paragraph: &Paragraph) -> Option<String> {
    let all = words(sentence);
    // 2024-03-05
    for (at, word) in &all {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let parts: Vec<&str> = bare.split('-').collect();
        let digits = parts.iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
        if parts.len() == 3 && parts[0].len() == 4 && digits {
            let day: u32 = parts[2].parse().ok()?;
            let new = format!("{}-{}-{:02}", parts[0], parts[1], day % 28 + 1);
            let start = at + word.find(bare)?;
            return (!paragraph.text.contains(&new)).then(|| with(sentence, start, bare.len(), &new));
        }
    }
    for (index, (at, word)) in all.iter().enumerate() {
        let bare = word.trim_end_matches([',', '.', ';', ')']);
        let is_month = MONTHS.iter().position(|month| *month == bare);
        let near_number =
            |other: Option<&(usize, &str)>| other.is_some_and(|(_, w)| w.starts_with(|c: char| c.is_ascii_digit()));
        if let Some(month) =
            is_month.filter(|_| near_number(all.get(index + 1)) || index > 0 && near_number(all.get(index - 1)))
        {
            let new = MONTHS[(month + 1 + pick(sentence, 10)) % 12];
            return (!paragraph.has(new)).then(|| with(sentence, *at, bare.len(), new));
        }
        // in 2024
        let is_year = bare.len() == 4
            && bare.bytes().all(|b| b.is_ascii_digit())
            && (bare.starts_with("19") || bare.starts_with("20"));
        let before = index.checked_sub(1).map_or("", |at| all[at].1);
        if is_year && ["in", "since", "until", "before", "after", "by", "from", "of"].contains(&before) {
            let new = (bare.parse::<u32>().ok()? + 1 + pick(sentence, 6) as u32).to_string();
            return (!paragraph.text.contains(&new)).then(|| with(sentence, *at, bare.len(), &new));
        }
    }
    None
}
