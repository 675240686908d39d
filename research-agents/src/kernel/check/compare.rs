//! Superlatives, comparisons and directions, held against the counts.

use std::cmp::Ordering;
use std::ops::Range;

use super::failure::Failure;
use super::said::{Group, Mention, Row, Said};
use super::words::time_of;
use crate::kernel::evidence::plain;

/// Words that say of a group that none is larger.
const LARGEST: [&str; 25] = [
    "largest group",
    "largest groups",
    "largest number",
    "largest share",
    "largest count",
    "largest part",
    "largest category",
    "biggest group",
    "biggest groups",
    "biggest share",
    "biggest number",
    "highest number",
    "highest count",
    "highest share",
    "top group",
    "peak",
    "most frequent",
    "most common",
    "most often",
    "most numerous",
    "most frequently",
    "most commonly",
    "greatest number",
    "has the most",
    "have the most",
];

/// Words that say of a group that none is smaller.
const SMALLEST: [&str; 20] = [
    "smallest group",
    "smallest groups",
    "smallest number",
    "smallest share",
    "smallest count",
    "smallest part",
    "smallest category",
    "lowest number",
    "lowest count",
    "lowest share",
    "fewest",
    "low point",
    "least frequent",
    "least common",
    "least often",
    "least numerous",
    "least frequently",
    "least commonly",
    "rarest",
    "trough",
];

/// Words before a superlative that take it back: *the second largest group*, *one of the most frequent*.
const WEAKENING: [&str; 12] =
    ["second", "third", "fourth", "fifth", "next", "among", "of", "2nd", "3rd", "4th", "almost", "nearly"];

/// Words that leave groups out of a comparison.
const EXCEPT: [&str; 14] = [
    "other than",
    "apart from",
    "except",
    "excluding",
    "besides",
    "aside from",
    "after",
    "behind",
    "without",
    "known",
    "named",
    "identified",
    "specified",
    "remaining",
];

/// Verbs of a course that rises, and of one that falls.
const RISES: [&str; 10] =
    ["rose", "rises", "risen", "increased", "increases", "grew", "grows", "grown", "climbed", "doubled"];
const FALLS: [&str; 11] = [
    "fell",
    "falls",
    "fallen",
    "decreased",
    "decreases",
    "declined",
    "declines",
    "dropped",
    "drops",
    "shrank",
    "halved",
];

/// Words before a verb of a course that deny it.
const DENYING: [&str; 5] = ["not", "never", "hardly", "neither", "no longer"];

/// No superlative, comparison or direction of the sentence may contradict the counts that it names.
pub(super) fn check(said: &Said<'_>) -> Result<(), Failure> {
    for (words, sign) in [(&LARGEST[..], Ordering::Greater), (&SMALLEST[..], Ordering::Less)] {
        for place in phrases(&said.folded, words) {
            superlative(said, &place, sign)?;
        }
    }
    for group in &said.groups {
        course(said, group)?;
        comparison(said, group)?;
        multiple(said, group)?;
    }
    Ok(())
}

/// Where one of these phrases stands as whole words, the longest of those that begin alike.
fn phrases(folded: &str, words: &[&str]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for phrase in words {
        let places = folded.match_indices(phrase).map(|(at, _)| at..at + phrase.len());
        found.extend(places.filter(|place| is_whole(folded, place)));
    }
    found.sort_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
    found.dedup_by_key(|place| place.start);
    found
}

fn is_whole(folded: &str, place: &Range<usize>) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !is_letter(folded[..place.start].chars().next_back()) && !is_letter(folded[place.end..].chars().next())
}

fn word_before(folded: &str, at: usize) -> &str {
    folded[..at].split(|c: char| !c.is_alphanumeric()).rfind(|word| !word.is_empty()).unwrap_or_default()
}

/// The place without an article before it.
fn without_article(folded: &str, at: usize) -> usize {
    let before = folded[..at].trim_end();
    before.strip_suffix("the").or_else(|| before.strip_suffix(" a")).map_or(at, str::len)
}

fn superlative(said: &Said<'_>, place: &Range<usize>, sign: Ordering) -> Result<(), Failure> {
    let folded = &said.folded;
    let start = without_article(folded, place.start);
    if WEAKENING.contains(&word_before(folded, start)) || WEAKENING.contains(&word_before(folded, place.start)) {
        return Ok(());
    }
    // *No size is more frequent than*: the comparison is not a superlative, and is looked at as one.
    let is_denied =
        DENYING.contains(&word_before(folded, start)) || DENYING.contains(&word_before(folded, place.start));
    let mut wrong = None;
    for group in &said.groups {
        let (subjects, is_plural) = subjects(said, group, place);
        let Some(first) = subjects.first() else { continue };
        let held = if is_plural { &subjects[..] } else { &subjects[..1] };
        let holds = !is_beaten(said, group, held, sign);
        if holds != is_denied {
            return Ok(());
        }
        // What is denied must be known for certain: a list of groups may be cut.
        if is_denied && !is_alone(group, held, sign) {
            return Ok(());
        }
        wrong = wrong.or_else(|| Some(failure(&said.text[place.clone()], &group.rows[first.row])));
    }
    wrong.map_or(Ok(()), Err)
}

fn failure(words: &str, row: &Row) -> Failure {
    Failure::WrongComparison { words: words.to_owned(), value: plain(&row.value) }
}

/// The values that a superlative speaks of, and whether it speaks of several.
fn subjects<'s>(said: &'s Said<'_>, group: &'s Group<'_>, place: &Range<usize>) -> (Vec<&'s Mention>, bool) {
    // *Small is the largest group*
    let start = without_article(&said.folded, place.start);
    let before = group.mentions.iter().rfind(|mention| mention.at.end <= place.start);
    let copulas = [
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "had",
        "forms",
        "makes up",
        "remains",
        "with",
        "shows",
        "is not",
        "was not",
        "is by far",
        "was by far",
        "is clearly",
        ", which",
        ", which has",
        "",
    ];
    if let Some(mention) = before.filter(|mention| mention.at.end <= start)
        && copulas.contains(&said.between(mention.at.end, start).trim())
    {
        return (vec![mention], false);
    }
    // *The largest group by size is Small*, *the largest groups are Small with 99 and Medium with 49*
    let mut after = group.mentions.iter().filter(|mention| mention.at.start >= place.end).peekable();
    let Some(first) = after.next() else { return (Vec::new(), false) };
    let between = said.between(place.end, first.at.start);
    // A point may belong to the name of a field: `Engine No. 2`.
    let is_named = |at: usize| group.names.iter().any(|name| name.contains(&(place.end + at)));
    let ends = [". ", "; ", " than ", " while ", " but "]
        .iter()
        .any(|end| between.match_indices(end).any(|(at, _)| !is_named(at)));
    if ends || between.len() > 120 {
        return (Vec::new(), false);
    }
    let is_plural =
        said.folded[place.clone()].ends_with('s') || between.split(' ').any(|word| word == "are" || word == "were");
    let mut found = vec![first];
    for next in after {
        let last = found.last().map_or(first.at.end, |mention| mention.at.end);
        if !is_list(said.between(last, next.at.start)) {
            break;
        }
        found.push(next);
    }
    (found, is_plural)
}

/// Whether what stands between two values makes them parts of one list.
fn is_list(between: &str) -> bool {
    let words = between.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let plain = ["with", "and", "of", "record", "records", "each", "at"];
    words.filter(|word| !word.starts_with(|c: char| c.is_ascii_digit())).all(|word| plain.contains(&word))
        && !between.contains([';', ':'])
}

/// Whether a group that is not among these has more (or fewer) records than one of them.
fn is_beaten(said: &Said<'_>, group: &Group<'_>, held: &[&Mention], sign: Ordering) -> bool {
    let excepts = !phrases(&said.folded, &EXCEPT).is_empty();
    let is_out = |at: usize| {
        let value = plain(&group.rows[at].value).to_lowercase();
        let unknown = ["unknown", "other", "unspecified", "n/a"].iter().any(|word| value.starts_with(word));
        excepts && (unknown || group.is_named(at))
    };
    rivals(group, held)
        .filter(|(at, _)| !is_out(*at))
        .any(|(_, rival)| held.iter().any(|mention| rival.count.cmp(&group.rows[mention.row].count) == sign))
}

/// Whether these alone are the largest (or smallest) of the groups that are known.
fn is_alone(group: &Group<'_>, held: &[&Mention], sign: Ordering) -> bool {
    sign == Ordering::Greater
        && rivals(group, held).all(|(_, rival)| held.iter().all(|mention| rival.count < group.rows[mention.row].count))
}

/// The groups with a value that are not among these.
fn rivals<'g>(group: &'g Group<'_>, held: &'g [&Mention]) -> impl Iterator<Item = (usize, &'g Row)> {
    let is_blank = |row: &Row| row.value.is_null() || plain(&row.value).is_empty();
    let rows = group.rows.iter().enumerate();
    rows.filter(move |(at, row)| !is_blank(row) && held.iter().all(|mention| mention.row != *at))
}

/// *Higher at the end than at the beginning*, *rose from 3 in 1990 to 7 in 1992*.
fn course(said: &Said<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let mut named: Vec<(String, &Row)> = Vec::new();
    for mention in &group.mentions {
        let row = &group.rows[mention.row];
        if let Some(time) = time_of(&row.value)
            && !named.iter().any(|(known, _)| *known == time)
        {
            named.push((time, row));
        }
    }
    named.sort_by(|a, b| a.0.cmp(&b.0));
    let [(beginning, first), (_, last)] = named.as_slice() else { return Ok(()) };
    if let Some(place) = phrases(&said.folded, &["begins with", "starts with", "began with", "started with"]).pop()
        && let Some(next) = group.mentions.iter().find(|mention| mention.at.start >= place.end)
        && time_of(&group.rows[next.row].value).is_some_and(|time| time != *beginning)
    {
        return Err(failure(&said.text[place], &group.rows[next.row]));
    }
    let actual = last.count.cmp(&first.count);
    let ends = phrases(&said.folded, &["higher at the end than", "more at the end than"]);
    let lower = phrases(&said.folded, &["lower at the end than", "fewer at the end than", "less at the end than"]);
    let same = phrases(&said.folded, &["the same at the end as"]);
    let verb = |places: Vec<Range<usize>>| places.into_iter().filter(|place| is_course(&said.folded, place));
    let (up, down): (Vec<_>, Vec<_>) =
        (verb(phrases(&said.folded, &RISES)).collect(), verb(phrases(&said.folded, &FALLS)).collect());
    // A course that rose and then fell has more to it than its ends.
    let told = ends.len() + lower.len() + same.len() + up.len() + down.len();
    if told != 1 {
        return Ok(());
    }
    let rising = ends.into_iter().chain(up).map(|place| (place, Ordering::Greater));
    let falling = lower.into_iter().chain(down).map(|place| (place, Ordering::Less));
    for (place, said_so) in rising.chain(falling).chain(same.into_iter().map(|place| (place, Ordering::Equal))) {
        let is_denied = DENYING.contains(&word_before(&said.folded, place.start));
        if (said_so == actual) == is_denied {
            return Err(failure(&said.text[place], last));
        }
    }
    Ok(())
}

/// Whether a verb tells of a course: *fell from 7 to 3*, and not *fell into 1990* or *fell in Ohio*.
fn is_course(folded: &str, place: &Range<usize>) -> bool {
    let rest = folded[place.end..].trim_start();
    let next = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    ["from", "to", "by", "between", "over", "since", "steadily", "sharply", "slightly", "again"].contains(&next)
}

/// *Small is more frequent than Medium*, *no size is more frequent than Small*.
fn comparison(said: &Said<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let more = [
        "more frequent than",
        "more common than",
        "more often than",
        "more records than",
        "more numerous than",
        "larger than",
    ];
    let less = [
        "less frequent than",
        "less common than",
        "less often than",
        "fewer records than",
        "less numerous than",
        "rarer than",
        "smaller than",
    ];
    for (words, sign) in [(&more[..], Ordering::Greater), (&less[..], Ordering::Less)] {
        for place in phrases(&said.folded, words) {
            let next = group.mentions.iter().find(|mention| mention.at.start >= place.end);
            let near = |mention: &&Mention| {
                matches!(said.between(place.end, mention.at.start).trim(), "" | "the" | "in" | "at")
            };
            let Some(next) = next.filter(near) else { continue };
            let clause = said.folded[..place.start].rfind([',', ';', ':', '.']).map_or(0, |at| at + 1);
            let words: Vec<&str> = said.between(clause, place.start).split_whitespace().collect();
            let none = words.first().is_some_and(|word| matches!(*word, "no" | "none"));
            if none && is_beaten(said, group, &[next], sign) {
                return Err(failure(&said.text[place], &group.rows[next.row]));
            }
            let before = group.mentions.iter().rfind(|m| clause <= m.at.start && m.at.end <= place.start);
            let denied = words.iter().any(|word| matches!(*word, "not" | "no" | "never" | "none" | "neither"));
            let plain_words =
                ["is", "are", "was", "were", "has", "have", "had", "much", "far", "clearly", "occurs", "occur"];
            let direct = |mention: &&Mention| {
                said.between(mention.at.end, place.start).split_whitespace().all(|word| plain_words.contains(&word))
            };
            if let Some(before) = before.filter(|mention| !denied && mention.row != next.row && direct(mention))
                && group.rows[before.row].count.cmp(&group.rows[next.row].count) != sign
            {
                return Err(failure(&said.text[place], &group.rows[before.row]));
            }
        }
    }
    Ok(())
}

/// *Small is 5.8 times as frequent as Large*: the ratio of the first to the second.
fn multiple(said: &Said<'_>, group: &Group<'_>) -> Result<(), Failure> {
    for figure in said.figures.iter().filter(|figure| figure.times) {
        let rest = said.between(figure.at.end, said.folded.len());
        let is_ratio = ["times as frequent as", "times as common as", "times as many as", "times as often as"]
            .iter()
            .any(|words| rest.trim_start().starts_with(words));
        let before = group.mentions.iter().rfind(|mention| mention.at.end <= figure.at.start);
        let after = group.mentions.iter().find(|mention| mention.at.start >= figure.at.end);
        let (Some(before), Some(after)) = (before, after) else { continue };
        let (one, other) = (&group.rows[before.row], &group.rows[after.row]);
        if is_ratio && other.count > 0 && !figure.shows(one.count as f64 / other.count as f64) {
            return Err(failure(&format!("{} times", figure.text), one));
        }
    }
    Ok(())
}
