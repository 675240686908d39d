//! Facts in addition to the answer: what goes together, what differs by group, and what the
//! quantities amount to.

pub(crate) mod measures;
pub(crate) mod quantities;
pub(crate) mod together;
pub(crate) mod totals;

pub(crate) use crate::offline::synthesize::facts::measures::differing;
pub(crate) use crate::offline::synthesize::facts::quantities::{middle, missing, quantity, sum};
pub(crate) use crate::offline::synthesize::facts::together::{crossed, gap, together};
pub(crate) use crate::offline::synthesize::facts::totals::{tail, total};
