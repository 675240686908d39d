//! Fields that a tool computes of two others, and their names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What ends the name of the difference of two dates.
pub(crate) const IN_DAYS: &str = " in days";

/// What a tool computes of two fields, as a field under both names with a sign between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// The difference: `a − b`, of two dates `a − b in days`.
    Minus,
    /// The sum: `a + b`.
    Plus,
    /// The ratio: `a ÷ b`.
    Over,
}

impl Operation {
    pub(crate) const ALL: [Self; 3] = [Self::Minus, Self::Plus, Self::Over];

    /// Returns the sign between the two names: no hyphen and no slash, which names of fields may
    /// have themselves.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Minus => " − ",
            Self::Plus => " + ",
            Self::Over => " ÷ ",
        }
    }

    /// Returns the regular expression by which a schema says that names may have the sign.
    pub(crate) fn pattern(self) -> String {
        self.sign().replace('+', "\\+")
    }

    /// Returns the two fields and the operation of a name that has a sign. The second may end in
    /// [`IN_DAYS`].
    pub(crate) fn split(name: &str) -> Option<(&str, Self, &str)> {
        Self::ALL.into_iter().find_map(|operation| {
            let (first, second) = name.split_once(operation.sign())?;
            Some((first, operation, second))
        })
    }
}
