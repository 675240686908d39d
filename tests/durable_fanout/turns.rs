//! Turns of chance from a seed that is printed, so that a failure can be tried again.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Numbers by SplitMix64 (Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators*, OOPSLA 2014).
pub struct Turns(u64);

impl Turns {
    /// A seed of its own for each test and each run, or the one of the variable `DURABLE_SEED`.
    pub fn new(test: &str) -> Self {
        let given = std::env::var("DURABLE_SEED").ok().map(|seed| seed.parse().unwrap());
        let seed = given.unwrap_or_else(|| RandomState::new().hash_one(test));
        println!("{test}: DURABLE_SEED={seed}");
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but not, `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Less than so many milliseconds, to the microsecond.
    pub fn pause(&mut self, end_ms: u64) -> Duration {
        Duration::from_micros(self.below(end_ms * 1_000))
    }
}

/// How many rounds are played: `DURABLE_ROUNDS`, or this many.
pub fn rounds(default: u32) -> u32 {
    std::env::var("DURABLE_ROUNDS").map_or(default, |rounds| rounds.parse().unwrap())
}
