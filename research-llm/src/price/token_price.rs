//! What a model charges for its tokens.

use serde::{Deserialize, Serialize};

use super::money;
use super::money::Usd;
use crate::response::Usage;

/// What a model charges, in US dollars per million tokens.
///
/// A missing price of cache reads or cache writes is the price of other input.
///
/// ```
/// use research_llm::Usage;
/// use research_llm::price::{Price, Usd};
///
/// let price = Price::new(Usd::dollars(3), Usd::dollars(15)).cache_read(Usd::cents(30));
/// // 800 tokens at 3 dollars, 200 from the cache at 30 cents, 100 written at 15 dollars, each per million.
/// assert_eq!(price.cost(Usage::new(1_000, 100).cached(200, 0)).to_string(), "$0.00396");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Price {
    /// For a million tokens read.
    #[serde(with = "money::decimal")]
    pub input: Usd,
    /// For a million tokens written, those of the reasoning included.
    #[serde(with = "money::decimal")]
    pub output: Usd,
    /// For a million tokens read from the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "money::optional_decimal")]
    pub cache_read: Option<Usd>,
    /// For a million tokens written to the provider's cache; of several kinds, those kept for the shortest time.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "money::optional_decimal")]
    pub cache_write: Option<Usd>,
    /// What a call costs whose input is long, where that is another price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long: Option<LongPrice>,
}

/// What a call costs, all its tokens, when its input is longer than a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LongPrice {
    /// The price holds for more input tokens than these.
    pub above: u64,
    /// For a million tokens read.
    #[serde(with = "money::decimal")]
    pub input: Usd,
    /// For a million tokens written.
    #[serde(with = "money::decimal")]
    pub output: Usd,
    /// For a million tokens read from the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "money::optional_decimal")]
    pub cache_read: Option<Usd>,
    /// For a million tokens written to the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "money::optional_decimal")]
    pub cache_write: Option<Usd>,
}

/// The four prices that hold for one call.
#[derive(Clone, Copy)]
struct Rates {
    input: Usd,
    output: Usd,
    cache_read: Usd,
    cache_write: Usd,
}

impl Price {
    /// A price for a million tokens read and a million written.
    #[must_use]
    pub const fn new(input: Usd, output: Usd) -> Self {
        Self { input, output, cache_read: None, cache_write: None, long: None }
    }

    /// No price at all, for a model that runs on one's own machine.
    #[must_use]
    pub const fn free() -> Self {
        Self::new(Usd::ZERO, Usd::ZERO)
    }

    /// Sets the price of a million tokens read from the cache.
    #[must_use]
    pub const fn cache_read(mut self, price: Usd) -> Self {
        self.cache_read = Some(price);
        self
    }

    /// Sets the price of a million tokens written to the cache.
    #[must_use]
    pub const fn cache_write(mut self, price: Usd) -> Self {
        self.cache_write = Some(price);
        self
    }

    /// What one call cost, rounded up to a whole billionth of a dollar.
    ///
    /// Long input has its own price, so the usage must be that of one call and not a sum.
    #[must_use]
    pub fn cost(&self, usage: Usage) -> Usd {
        let rates = self.rates(usage.input_tokens);
        let cached = usage.cache_read_tokens.saturating_add(usage.cache_write_tokens);
        for_millions([
            (usage.input_tokens.saturating_sub(cached), rates.input),
            (usage.cache_read_tokens, rates.cache_read),
            (usage.cache_write_tokens, rates.cache_write),
            (usage.output_tokens, rates.output),
        ])
    }

    /// What a call of so many tokens costs at most, whatever the cache does.
    #[must_use]
    pub fn at_most(&self, input_tokens: u64, output_tokens: u64) -> Usd {
        let rates = self.rates(input_tokens);
        let dearest = rates.input.max(rates.cache_read).max(rates.cache_write);
        for_millions([(input_tokens, dearest), (output_tokens, rates.output), (0, Usd::ZERO), (0, Usd::ZERO)])
    }

    fn rates(&self, input_tokens: u64) -> Rates {
        let rates = |input, output, cache_read: Option<Usd>, cache_write: Option<Usd>| Rates {
            input,
            output,
            cache_read: cache_read.unwrap_or(input),
            cache_write: cache_write.unwrap_or(input),
        };
        match self.long {
            Some(long) if input_tokens > long.above => {
                rates(long.input, long.output, long.cache_read, long.cache_write)
            }
            _ => rates(self.input, self.output, self.cache_read, self.cache_write),
        }
    }
}

/// Tokens times prices per million, added exactly and rounded up once.
fn for_millions(parts: [(u64, Usd); 4]) -> Usd {
    // Four products of 64-bit numbers could pass 128 bits only together, which the saturating sum keeps right.
    let sum = parts.iter().fold(0_u128, |sum, (tokens, price)| {
        sum.saturating_add(u128::from(*tokens).saturating_mul(u128::from(price.nanos())))
    });
    Usd::from_nanos(u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price() -> Price {
        let mut price =
            Price::new(Usd::dollars(1), Usd::dollars(10)).cache_read(Usd::cents(10)).cache_write(Usd::cents(125));
        price.long = Some(LongPrice {
            above: 1_000,
            input: Usd::dollars(2),
            output: Usd::dollars(20),
            cache_read: None,
            cache_write: None,
        });
        price
    }

    #[test]
    fn every_kind_of_token_has_its_price() {
        // 500 − 100 − 200 plain, 100 read, 200 written to the cache, 3 output.
        let cost = price().cost(Usage::new(500, 3).cached(100, 200));
        assert_eq!(cost.nanos(), 200 * 1_000 + 100 * 100 + 200 * 1_250 + 3 * 10_000);
    }

    #[test]
    fn long_input_changes_the_price_of_the_whole_call() {
        assert_eq!(price().cost(Usage::new(1_000, 1)), Usd::from_nanos(1_000 * 1_000 + 10_000));
        assert_eq!(price().cost(Usage::new(1_001, 1)), Usd::from_nanos(1_001 * 2_000 + 20_000));
    }

    #[test]
    fn costs_are_rounded_up_once() {
        let tiny = Price::new(Usd::from_nanos(1), Usd::from_nanos(1));
        assert_eq!(tiny.cost(Usage::new(1, 1)), Usd::from_nanos(1));
        assert_eq!(tiny.cost(Usage::new(500_000, 500_001)), Usd::from_nanos(2));
        assert_eq!(tiny.cost(Usage::default()), Usd::ZERO);
    }

    #[test]
    fn the_most_a_call_can_cost_bounds_every_use_of_the_cache() {
        for (read, written) in [(0, 0), (900, 0), (0, 900), (300, 600)] {
            assert!(price().cost(Usage::new(900, 50).cached(read, written)) <= price().at_most(900, 50));
        }
    }

    #[test]
    fn nothing_overflows() {
        let usage = Usage::new(u64::MAX, u64::MAX).cached(u64::MAX, u64::MAX);
        assert_eq!(Price::new(Usd::from_nanos(u64::MAX), Usd::from_nanos(u64::MAX)).cost(usage).nanos(), u64::MAX);
    }
}
