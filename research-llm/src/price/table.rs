//! A table of prices: which model costs what, since when, and who says so.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::money::Usd;
use super::token_price::Price;
use crate::error::ModelError;
use crate::model::ModelInfo;
use crate::response::Usage;

/// Prices of models, with the date they were looked up.
///
/// [`standard`](Self::standard) is a snapshot of public list prices: no discounts, no taxes, and older every day. Load your
/// own with [`from_json`](Self::from_json), or put it over the snapshot with [`with`](Self::with). A model that no entry
/// names has no price, which is not the same as a price of zero.
///
/// ```
/// use research_llm::Usage;
/// use research_llm::price::{PriceTable, Usd};
///
/// let own = PriceTable::from_json(
///     r#"{
///         "as_of": "2026-11-01",
///         "prices": [{"provider": "acme", "model": "writer-*", "input": 0.5, "output": 2, "source": "our contract"}]
///     }"#,
/// )?;
/// assert_eq!(own.cost("acme", "writer-2", Usage::new(1_000_000, 0)), Some(Usd::cents(50)));
/// assert_eq!(own.cost("acme", "painter", Usage::new(1, 1)), None);
///
/// let both = PriceTable::standard().clone().with(own);
/// assert!(both.price("openai", "gpt-5-mini").is_some());
/// assert!(both.price("acme", "writer-2").is_some());
/// # Ok::<(), research_llm::ModelError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PriceTable {
    /// The date of the prices, as year-month-day.
    pub as_of: String,
    /// What should be known about them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The prices. Of two entries that fit a model equally well, the later one counts.
    pub prices: Vec<PriceEntry>,
}

/// The price of a model or of a family of models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PriceEntry {
    /// The provider, as in [`ModelInfo::provider`]; `*` stands for any text.
    pub provider: String,
    /// The model, as in [`ModelInfo::name`]; `*` stands for any text. A name without `*` also names its dated versions, such
    /// as `-20251001`, `-2025-08-07` and `-latest`.
    pub model: String,
    /// What it charges.
    #[serde(flatten)]
    pub price: Price,
    /// Where the price was read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// What should be known about this price.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

impl PriceEntry {
    /// The price of a model, or of the models that a pattern names.
    pub fn new(provider: impl Into<String>, model: impl Into<String>, price: Price) -> Self {
        Self { provider: provider.into(), model: model.into(), price, source: String::new(), note: String::new() }
    }
}

static STANDARD: LazyLock<PriceTable> =
    LazyLock::new(|| PriceTable::from_json(include_str!("prices.json")).unwrap_or_default());

impl PriceTable {
    /// The snapshot of public list prices that is part of this crate.
    #[must_use]
    pub fn standard() -> &'static Self {
        &STANDARD
    }

    /// Reads a table.
    ///
    /// # Errors
    /// [`ModelError::InvalidRequest`] naming the place of the first part that is no price.
    pub fn from_json(text: &str) -> Result<Self, ModelError> {
        serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(text)).map_err(|error| {
            let path = error.path().to_string();
            ModelError::invalid_request(
                format!("the table of prices does not fit at `{path}`: {}", error.inner()),
                Some(std::sync::Arc::new(error.into_inner())),
            )
        })
    }

    /// Adds a price, which counts before the ones that are there and fit equally well.
    #[must_use]
    pub fn entry(mut self, entry: PriceEntry) -> Self {
        self.prices.push(entry);
        self
    }

    /// Puts another table over this one, and takes its date and note.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.as_of = other.as_of;
        self.note = other.note;
        self.prices.extend(other.prices);
        self
    }

    /// The price of a model: of the entries that name it, the most precise one.
    #[must_use]
    pub fn price(&self, provider: &str, model: &str) -> Option<Price> {
        let fit = |entry: &PriceEntry| Some((precision(&entry.provider, provider)?, version(&entry.model, model)?));
        let fitting = self.prices.iter().filter_map(|entry| Some((fit(entry)?, entry.price)));
        // `max_by_key` takes the last of equals, which is the entry added last.
        fitting.max_by_key(|(fit, _)| *fit).map(|(_, price)| price)
    }

    /// The price of a model as it describes itself.
    #[must_use]
    pub fn price_of(&self, info: &ModelInfo) -> Option<Price> {
        self.price(&info.provider, &info.name)
    }

    /// What one call of a model cost; `None` if the table does not know the model.
    #[must_use]
    pub fn cost(&self, provider: &str, model: &str, usage: Usage) -> Option<Usd> {
        self.price(provider, model).map(|price| price.cost(usage))
    }
}

/// How precisely a pattern names a text: all of it, or so many of its bytes; `None` if it does not.
fn precision(pattern: &str, text: &str) -> Option<usize> {
    if pattern == text {
        return Some(usize::MAX);
    }
    matches(pattern, text).then(|| pattern.len() - pattern.matches('*').count())
}

/// The same for the name of a model, which may carry a date.
fn version(pattern: &str, name: &str) -> Option<usize> {
    let dated = || {
        let version = name.strip_prefix(pattern)?.strip_prefix('-')?;
        let digits = version.bytes().filter(u8::is_ascii_digit).count();
        let is_date = digits == 8 && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        (is_date || version == "latest").then_some(usize::MAX - 1)
    };
    precision(pattern, name).or_else(dated)
}

/// Whether a text is of a pattern in which `*` stands for any text.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(rest) = parts.next().and_then(|start| text.strip_prefix(start)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((end, middle)) = parts.split_last() else { return rest.is_empty() };
    let rest = middle.iter().try_fold(rest, |rest, part| rest.find(part).map(|at| &rest[at + part.len()..]));
    rest.is_some_and(|rest| rest.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(entries: &[(&str, &str, u64)]) -> PriceTable {
        entries.iter().fold(PriceTable::default(), |table, (provider, model, dollars)| {
            table.entry(PriceEntry::new(*provider, *model, Price::new(Usd::dollars(*dollars), Usd::ZERO)))
        })
    }

    fn dollars(table: &PriceTable, model: &str) -> Option<u64> {
        table.price("p", model).map(|price| price.input.nanos() / 1_000_000_000)
    }

    #[test]
    fn the_most_precise_entry_counts_and_then_the_last() {
        let table = table(&[("p", "*", 1), ("p", "m-*", 2), ("p", "m-large-*", 3), ("p", "m-large", 4), ("p", "*", 5)]);
        for (model, expected) in [
            ("other", 5),
            ("m-small", 2),
            ("m-large-x", 3),
            ("m-large", 4),
            ("m-large-20260101", 4),
            ("m-large-latest", 4),
        ] {
            assert_eq!(dollars(&table, model), Some(expected), "{model}");
        }
        assert_eq!(table.price("q", "m-large"), None);
    }

    #[test]
    fn a_name_names_its_dated_versions_and_no_other_model() {
        let table = table(&[("p", "gpt-5", 1)]);
        assert_eq!(dollars(&table, "gpt-5-2025-08-07"), Some(1));
        for other in ["gpt-5-mini", "gpt-5-2", "gpt-5.6", "gpt-50", "gpt-", "gpt-5-mini-2025-08-07"] {
            assert_eq!(dollars(&table, other), None, "{other}");
        }
    }

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text, fits) in [
            ("*", "", true),
            ("a*c", "abc", true),
            ("a*c", "ac", true),
            ("a*c", "a", false),
            ("a*a", "a", false),
            ("*b*", "abc", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("abc", "abcd", false),
        ] {
            assert_eq!(matches(pattern, text), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn the_standard_table_is_readable_dated_and_sourced() {
        let table = PriceTable::standard();
        assert!(table.as_of.len() == 10 && table.prices.len() > 20, "{}", table.as_of);
        for entry in &table.prices {
            assert!(!entry.source.is_empty(), "{} has no source", entry.model);
            let Price { input, output, cache_read, .. } = entry.price;
            assert!(output >= input && cache_read.is_none_or(|read| read <= input), "{}", entry.model);
            assert!((input == Usd::ZERO) == (entry.model == "*"), "{} is free", entry.model);
        }
        assert_eq!(table.price("url", "anything"), None, "a server given by its address may cost anything");
        assert_eq!(table.price("offline", "offline"), Some(Price::free()));
    }

    #[test]
    fn a_table_that_does_not_fit_names_the_place() {
        for (price, place) in [("-1", "prices[0]"), ("\"x\"", "prices[0]"), ("1e300", "prices[0]")] {
            let json =
                format!(r#"{{"as_of":"d","prices":[{{"provider":"p","model":"m","input":{price},"output":1}}]}}"#);
            let error = PriceTable::from_json(&json).unwrap_err().to_string();
            assert!(error.contains(place), "{error}");
        }
    }

    #[test]
    fn a_table_round_trips_as_json() {
        let table = PriceTable::standard();
        assert_eq!(&PriceTable::from_json(&serde_json::to_string(table).unwrap()).unwrap(), table);
    }
}
