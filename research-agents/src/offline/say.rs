//! Sentences with the claims that carry them, and how numbers and groups are written.

use serde_json::Value;

use super::lexicon;
use crate::dataset::record::{AggregationKind, AggregationResult, Bucket};
use crate::kernel::claim::{Basis, Claim, Statement};
use crate::kernel::evidence::plain;

/// A sentence on the claims given.
pub(super) fn statement(text: String, claims: Vec<Claim>) -> Statement {
    Statement { text, claims }
}

/// A share in per cent with one decimal; `0.0 %` of nothing.
pub(super) fn percent(part: u64, total: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "counts of records are far below 2^52")]
    let share = if total == 0 { 0.0 } else { 100.0 * part as f64 / total as f64 };
    format!("{share:.1} %")
}

/// A number in prose: whole numbers plain, others with two decimals, or two digits that tell where that is more; from five digits
/// before the point on they stand in groups of three.
pub(super) fn figure(value: f64) -> String {
    grouped(&digits(value))
}

fn grouped(written: &str) -> String {
    let (sign, number) = written.split_at(usize::from(written.starts_with('-')));
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    if whole.len() < 5 {
        return written.to_owned();
    }
    let (first, groups) = whole.split_at((whole.len() + 2) % 3 + 1);
    let mut text = format!("{sign}{first}");
    for at in (0..groups.len()).step_by(3) {
        text.push(',');
        text.push_str(&groups[at..at + 3]);
    }
    text + rest
}

fn digits(value: f64) -> String {
    if value.fract() == 0.0 {
        // A negative zero is zero.
        format!("{}", value + 0.0)
    } else {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 2 to 300")]
        let decimals = (1.0 - value.abs().log10().floor()).clamp(2.0, 300.0) as usize;
        let rounded = format!("{value:.decimals$}");
        rounded.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

/// A quantity as it is spoken of: a sign of money at the end of its name goes to its amounts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quantity<'f> {
    /// What it is called.
    pub(super) name: &'f str,
    sign: &'f str,
}

impl<'f> Quantity<'f> {
    /// Reads the name of a field.
    pub(super) fn of(field: &'f str) -> Self {
        let plain = Self { name: field, sign: "" };
        let inner = field.strip_suffix(')').unwrap_or(field);
        let Some(sign) = ["$", "€", "£"].into_iter().find(|sign| inner.ends_with(sign)) else { return plain };
        let before = &inner[..inner.len() - sign.len()];
        let name = if inner.len() < field.len() { before.strip_suffix('(') } else { Some(before) };
        match name.map(str::trim_end) {
            Some(name) if name.ends_with(char::is_alphanumeric) => Self { name, sign },
            _ => plain,
        }
    }

    /// An amount with its sign.
    pub(super) fn amount(self, value: f64) -> String {
        let minus = if value < 0.0 { "-" } else { "" };
        if self.sign.is_empty() { figure(value) } else { format!("{minus}{}{}", self.sign, figure(value.abs())) }
    }
}

/// `1 record`, `2 records`.
pub(super) fn records(number: u64) -> String {
    if number == 1 { "1 record".to_owned() } else { format!("{number} records") }
}

/// A value in prose. In quotation marks stands what could be taken for words or signs of the sentence.
pub(super) fn spoken(value: &Value) -> String {
    let text = plain(value);
    if value.is_string() && blends_in(&text) { format!("“{text}”") } else { text }
}

/// *None* and *other*, a single point, a sentence, an enumeration: none of them tells where it ends. What has quotation marks
/// of its own stays as it is.
fn blends_in(text: &str) -> bool {
    if text.is_empty() || text.contains(['“', '”', '„', '«', '»', '"', '`']) {
        return false;
    }
    let is_word = text.len() > 1 && lexicon::is_weak_value(&text.to_lowercase());
    let goes_on = text.ends_with(['.', '!', '?']) || [", ", "; ", ": "].iter().any(|sign| text.contains(sign));
    is_word || goes_on || !text.contains(char::is_alphanumeric)
}

/// Whether a value stands for an empty cell.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

/// One group of an aggregation, with the claim that it is so large.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The group's name in prose.
    pub(super) label: String,
    /// Records in it.
    pub(super) count: u64,
    /// The count as a claim.
    pub(super) claim: Claim,
    /// It holds the records without a value.
    pub(super) missing: bool,
}

/// An aggregation as it can be spoken of: what it groups by, its total, and its groups.
#[derive(Clone, Debug)]
pub(super) struct Grouping {
    /// The field, or several joined by `, `.
    pub(super) name: String,
    /// Records that match.
    pub(super) total: u64,
    /// The total as a claim.
    pub(super) total_claim: Claim,
    /// Groups of records with a value: the largest first, or in the order of time.
    pub(super) groups: Vec<Group>,
    /// The group of records without one.
    pub(super) missing: Option<Group>,
    /// The groups account for every record.
    pub(super) complete: bool,
    /// The groups are intervals of time.
    pub(super) course: bool,
    /// Of these: which part of the first and of the last one the data covers, 0 to 1; 1 where that is not known.
    pub(super) covered: (f64, f64),
}

impl Grouping {
    /// Reads an aggregation. Of nested groups the outer ones are read.
    pub(super) fn of(aggregation: &AggregationResult) -> Self {
        let over = Basis::Aggregation(aggregation.id.clone());
        let nested = aggregation.buckets.iter().any(|bucket| !bucket.buckets.is_empty());
        let field = if nested {
            aggregation.field.split(',').next().unwrap_or_default().trim().to_owned()
        } else {
            aggregation.field.clone()
        };
        Self::new(over, &field, &aggregation.buckets, aggregation.total_docs, aggregation.kind)
    }

    /// Reads the groups inside the groups of a nested aggregation, as pairs.
    pub(super) fn inner(aggregation: &AggregationResult) -> Option<Self> {
        let pairs: Vec<Bucket> = aggregation
            .buckets
            .iter()
            .flat_map(|outer| {
                outer.buckets.iter().map(|inner| Bucket {
                    key: Value::Array(vec![outer.key.clone(), inner.key.clone()]),
                    doc_count: inner.doc_count,
                    buckets: Vec::new(),
                })
            })
            .collect();
        let fields: Vec<&str> = aggregation.field.split(',').map(str::trim).take(2).collect();
        let over = Basis::Aggregation(aggregation.id.clone());
        (!pairs.is_empty())
            .then(|| Self::new(over, &fields.join(","), &pairs, aggregation.total_docs, AggregationKind::GroupBy))
    }

    fn new(over: Basis, field: &str, buckets: &[Bucket], total: u64, kind: AggregationKind) -> Self {
        let course = kind == AggregationKind::DateHistogram;
        let keys: Vec<String> = buckets.iter().map(|bucket| plain(&bucket.key)).collect();
        let cut = if course { common_cut(&keys) } else { 0 };
        let mut groups: Vec<Group> = buckets
            .iter()
            .zip(&keys)
            .map(|(bucket, key)| Group {
                label: if course { key[..key.len() - cut].to_owned() } else { spoken(&bucket.key) },
                count: bucket.doc_count,
                claim: Claim::Count {
                    over: over.clone(),
                    field: field.to_owned(),
                    value: bucket.key.clone(),
                    number: bucket.doc_count,
                },
                missing: is_empty(&bucket.key),
            })
            .collect();
        let complete = crate::kernel::evidence::sum_of(groups.iter().map(|group| group.count)) == total;
        let missing = groups.iter().position(|group| group.missing).map(|at| groups.remove(at));
        if course {
            groups.sort_by(|a, b| a.label.cmp(&b.label));
        } else {
            let name = |group: &Group| group.label.trim_start_matches('“').to_owned();
            groups.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| name(a).cmp(&name(b))));
        }
        Self {
            name: field.split(',').map(str::trim).collect::<Vec<_>>().join(" and "),
            total,
            total_claim: Claim::Total { over, number: total },
            groups,
            missing,
            complete,
            course,
            covered: (1.0, 1.0),
        }
    }

    /// Whether its groups are those by two fields or more.
    pub(super) fn has_pairs(&self) -> bool {
        self.groups.first().is_some_and(|group| matches!(&group.claim, Claim::Count { value: Value::Array(_), .. }))
    }

    /// How its name goes on: `Size is`, `Size and State are`.
    pub(super) fn verb(&self) -> &'static str {
        if self.has_pairs() { "are" } else { "is" }
    }

    /// Whether the first group holds most records, or is larger than the second by more than the toss of a coin would make it:
    /// by two standard deviations of the difference between equal parts.
    pub(super) fn has_clear_lead(&self) -> bool {
        let counts = |at: usize| self.groups.get(at).map_or(0, |group| group.count);
        let (first, second) = (counts(0), counts(1));
        let lead = first.saturating_sub(second);
        first > 1 && (2 * first > self.total || lead * lead >= 4 * (first + second))
    }

    /// `Small in 99 (60.0 %)`.
    pub(super) fn shown(&self, group: &Group) -> String {
        format!("{} in {} ({})", group.label, group.count, percent(group.count, self.total))
    }

    /// `99 of 165 records (60.0 %)`.
    pub(super) fn part(&self, number: u64) -> String {
        format!("{number} of {} ({})", records(self.total), percent(number, self.total))
    }

    /// The claims of some groups and of the total.
    pub(super) fn claims<'g>(&self, groups: impl IntoIterator<Item = &'g Group>) -> Vec<Claim> {
        groups.into_iter().map(|group| group.claim.clone()).chain([self.total_claim.clone()]).collect()
    }
}

/// How many bytes every key of a course of time can lose at its end: the time of day, then the first day or month.
fn common_cut(keys: &[String]) -> usize {
    let mut cut = 0;
    if let Some(time) = keys.first().and_then(|key| key.find('T')) {
        let tail = &keys[0][time..];
        if keys.iter().all(|key| key.ends_with(tail)) {
            cut = tail.len();
        }
    }
    for tail in ["-01", "-01"] {
        let all = keys.len() > 1
            && keys.iter().all(|key| key[..key.len() - cut].len() > 4 && key[..key.len() - cut].ends_with(tail));
        if all {
            cut += tail.len();
        }
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn shares_have_one_decimal() {
        assert_eq!(percent(99, 165), "60.0 %");
        assert_eq!(percent(1, 3), "33.3 %");
        assert_eq!(percent(0, 0), "0.0 %");
    }

    #[test]
    fn figures_have_no_idle_decimals() {
        assert_eq!([figure(120.0), figure(1.5), figure(0.333), figure(-2.0)], ["120", "1.5", "0.33", "-2"]);
    }

    #[test]
    fn large_figures_stand_in_groups_of_three() {
        let figures = [9999.0, 10_000.0, 170_306.0, 1_234_567.891, -45_004.0, -123.5].map(figure);
        assert_eq!(figures, ["9999", "10,000", "170,306", "1,234,567.89", "-45,004", "-123.5"]);
    }

    #[test]
    fn a_sign_of_money_goes_from_the_name_to_the_amount() {
        for (field, name) in [("Cost Total $", "Cost Total"), ("Price ($)", "Price"), ("$ paid", "$ paid"), ("$", "$")]
        {
            assert_eq!(Quantity::of(field).name, name, "{field}");
        }
        assert_eq!(Quantity::of("Cost Total $").amount(170_306.0), "$170,306");
        assert_eq!(Quantity::of("Price (€)").amount(-2.5), "-€2.5");
        assert_eq!(Quantity::of("Speed").amount(2.5), "2.5");
    }

    #[test]
    fn values_that_blend_into_the_sentence_stand_in_quotation_marks() {
        let spoken = |text: &str| spoken(&json!(text));
        for text in ["None", "other", ".", "-", "Small ship, old", "It broke.", "yes"] {
            assert_eq!(spoken(text), format!("“{text}”"));
        }
        for text in ["Unknown bird - small", "B-737", "St. Louis", "He said “no”.", "1990", "東京"] {
            assert_eq!(spoken(text), text);
        }
        assert_eq!(super::spoken(&json!(true)), "true");
        assert_eq!(super::spoken(&json!(["None", "."])), "None / .");
    }

    #[test]
    fn keys_of_a_course_are_as_short_as_their_interval() {
        let cut = |keys: &[&str]| {
            let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
            let cut = common_cut(&keys);
            keys[0][..keys[0].len() - cut].to_owned()
        };
        assert_eq!(cut(&["1990-01-01", "1991-01-01"]), "1990");
        assert_eq!(cut(&["1990-01-01T00:00:00Z", "1990-02-01T00:00:00Z"]), "1990-01");
        assert_eq!(cut(&["1990-01-01", "1990-01-08"]), "1990-01-01");
        assert_eq!(cut(&["1990", "1991"]), "1990");
    }

    #[test]
    fn a_lead_is_clear_where_it_is_no_toss_of_a_coin() {
        let lead = |counts: &[u64]| {
            let bucket = |(at, count): (usize, &u64)| Bucket { key: json!(at), doc_count: *count, buckets: vec![] };
            let aggregation = AggregationResult {
                id: "A1".into(),
                kind: AggregationKind::GroupBy,
                field: "a".into(),
                buckets: counts.iter().enumerate().map(bucket).collect(),
                total_docs: counts.iter().sum(),
                source_tool: "t".into(),
                interval: None,
                filters: serde_json::Map::new(),
            };
            Grouping::of(&aggregation).has_clear_lead()
        };
        assert!(lead(&[68, 43, 11, 43]) && lead(&[142, 17, 6]) && lead(&[60, 40, 20]));
        assert!(!lead(&[145, 141, 6]) && !lead(&[124, 100, 68]) && !lead(&[1]) && !lead(&[1, 1]));
    }

    #[test]
    fn nested_groups_are_read_as_pairs() {
        let inner = |key: &str, doc_count| Bucket { key: json!(key), doc_count, buckets: vec![] };
        let aggregation = AggregationResult {
            id: "A1".into(),
            kind: AggregationKind::GroupBy,
            field: "a,b".into(),
            interval: None,
            buckets: vec![Bucket { key: json!("x"), doc_count: 5, buckets: vec![inner("p", 3), inner("q", 2)] }],
            total_docs: 5,
            source_tool: "t".into(),
            filters: serde_json::Map::new(),
        };
        let outer = Grouping::of(&aggregation);
        assert_eq!((outer.name.as_str(), outer.groups.len(), outer.complete), ("a", 1, true));
        let pairs = Grouping::inner(&aggregation).unwrap();
        assert_eq!(pairs.groups[0].label, "x / p");
        assert!(
            matches!(&pairs.groups[0].claim, Claim::Count { field, value, .. } if field == "a,b" && *value == json!(["x", "p"]))
        );
    }
}
