//! Limits of a budget, and their form on a command line.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use research_llm::price::Usd;
use serde::{Deserialize, Serialize};

/// Limits of a run, each finite.
///
/// ```
/// use std::time::Duration;
/// use research_agents_runtime::limits::BudgetLimits;
///
/// let limits: BudgetLimits = "tokens=200000,calls=50,time=20m,usd=0.50".parse()?;
///
/// assert_eq!((limits.tokens, limits.calls), (200_000, 50));
/// assert_eq!(limits.time, Duration::from_secs(1_200));
/// assert_eq!(limits.to_string(), "200000 tokens, 50 calls, 20m, $0.50");
/// # Ok::<(), research_agents_runtime::limits::BudgetSyntax>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BudgetLimits {
    /// Maximum number of tokens, input and output together. Defaults to 1,000,000: a language model
    /// reads three hundred long records with them.
    pub tokens: u64,
    /// Maximum number of requests to the model and calls of tools together. Defaults to 1,000:
    /// enough to read three hundred records one by one.
    pub calls: u64,
    /// Maximum time from the start to the report. Defaults to 20 minutes.
    pub time: Duration,
    /// Maximum cost in US dollars. Defaults to `None`, which means
    /// [`DEFAULT_USD`](Self::DEFAULT_USD) if the price of the model is known.
    pub usd: Option<Usd>,
}

impl Default for BudgetLimits {
    fn default() -> Self {
        Self {
            tokens: 1_000_000,
            calls: 1_000,
            time: Duration::from_secs(1_200),
            usd: None,
        }
    }
}

impl BudgetLimits {
    /// Default maximum cost of a run.
    pub const DEFAULT_USD: Usd = Usd::dollars(5);

    /// Sets the maximum number of tokens.
    #[must_use]
    pub fn tokens(mut self, tokens: u64) -> Self {
        self.tokens = tokens;
        self
    }

    /// Sets the maximum number of calls.
    #[must_use]
    pub fn calls(mut self, calls: u64) -> Self {
        self.calls = calls;
        self
    }

    /// Sets the maximum time.
    #[must_use]
    pub fn time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Sets the maximum cost.
    #[must_use]
    pub fn usd(mut self, usd: Usd) -> Self {
        self.usd = Some(usd);
        self
    }

    /// Returns the maximum cost, explicit or default.
    pub fn money(&self) -> Usd {
        self.usd.unwrap_or(Self::DEFAULT_USD)
    }

    /// Returns what is wrong if a limit is out of its range. A limit of zero allows nothing.
    pub fn problem(&self) -> Option<&'static str> {
        match self {
            Self { tokens: 0, .. } => Some("allows no token"),
            Self { calls: 0, .. } => Some("allows no call"),
            Self {
                time: Duration::ZERO,
                ..
            } => Some("allows no time"),
            Self { time, .. } if *time > LONGEST => Some("allows more than 30 days"),
            _ => None,
        }
    }

    pub(crate) fn time_in_words(&self) -> String {
        let seconds = self.time.as_secs();
        let parts = [
            (seconds / 3_600, "h"),
            (seconds / 60 % 60, "m"),
            (seconds % 60, "s"),
        ];
        let millis = (u64::from(self.time.subsec_millis()), "ms");
        let parts = parts
            .into_iter()
            .chain([millis])
            .filter(|(number, _)| *number > 0);
        parts
            .map(|(number, unit)| format!("{number}{unit}"))
            .collect()
    }
}

/// The longest time limit. Deadlines beyond it may leave the range of a clock.
const LONGEST: Duration = Duration::from_secs(30 * 86_400);

impl fmt::Display for BudgetLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} tokens, {} calls, {}",
            self.tokens,
            self.calls,
            self.time_in_words()
        )?;
        self.usd.map_or(Ok(()), |usd| write!(f, ", {usd}"))
    }
}

/// The error of a string that is not a list of limits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}; write limits such as tokens=200000,calls=50,time=20m,usd=0.50")]
pub struct BudgetSyntax {
    problem: String,
}

impl FromStr for BudgetLimits {
    type Err = BudgetSyntax;

    /// Reads `tokens=…,calls=…,time=…,usd=…` in any order; what is not named keeps its default.
    fn from_str(text: &str) -> Result<Self, BudgetSyntax> {
        let wrong = |problem: String| BudgetSyntax { problem };
        let mut limits = Self::default();
        let mut named: Vec<&str> = Vec::new();

        for part in text.split(',').map(str::trim) {
            let (name, value) = part
                .split_once('=')
                .ok_or_else(|| wrong(format!("`{part}` is no limit")))?;
            let (name, value) = (name.trim(), value.trim());
            if named.contains(&name) {
                return Err(wrong(format!("`{name}` is there twice")));
            }
            named.push(name);

            let number = || {
                value
                    .replace('_', "")
                    .parse()
                    .map_err(|_| wrong(format!("`{value}` is no number of {name}")))
            };
            match name {
                "tokens" => limits.tokens = number()?,
                "calls" => limits.calls = number()?,
                "time" => {
                    limits.time =
                        span(value).ok_or_else(|| wrong(format!("`{value}` is no span of time")))?
                }
                "usd" => {
                    let usd = value
                        .parse()
                        .map_err(|_| wrong(format!("`{value}` is no amount of US dollars")))?;
                    limits.usd = Some(usd);
                }
                _ => return Err(wrong(format!("`{name}` is not limited"))),
            }
        }

        match limits.problem() {
            Some(problem) => Err(wrong(format!("`{text}` {problem}"))),
            None => Ok(limits),
        }
    }
}

/// Parses a time span such as `90s`, `20m` or `1h30m`. A number without a unit is not a time span.
fn span(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut sum = Duration::ZERO;

    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: u64 = rest[..digits].parse().ok()?;
        let letters = rest[digits..]
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(rest.len() - digits);
        let unit = match &rest[digits..digits + letters] {
            "ms" => Duration::from_millis(1),
            "s" => Duration::from_secs(1),
            "m" => Duration::from_secs(60),
            "h" => Duration::from_secs(3_600),
            _ => return None,
        };
        sum = sum.checked_add(unit.checked_mul(u32::try_from(number).ok()?)?)?;
        rest = &rest[digits + letters..];
    }

    Some(sum)
}
