//! Wording: sentences with the claims that carry them, from numbers, values and groups.

pub(crate) mod grouping;
pub(crate) mod numbers;
pub(crate) mod values;

pub(crate) use crate::offline::say::grouping::{Group, Grouping};
pub(crate) use crate::offline::say::numbers::{Quantity, part, percent, ratio, records};
pub(crate) use crate::offline::say::values::{is_empty, spoken, statement};
