//! Rules about the numbers of a sentence: which values they belong to, how they compare, and what
//! they measure.

pub(crate) mod parsed;
pub(crate) mod measured;
pub(crate) mod support;
pub(crate) mod pairs;
pub(crate) mod owners;
pub(crate) mod rivals;
pub(crate) mod superlative;
pub(crate) mod direction;
pub(crate) mod compare;
pub(crate) mod bounds;
pub(crate) mod measure;
pub(crate) mod negation;
