//! Facts that tasks contain: the data tools with their fields, the sub-agents, and what the user
//! fixed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::filters::operation::{IN_DAYS, Operation};
use crate::data::record::Object;

/// Type of a field, as the tool's schema declares it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// Free text or a category.
    #[default]
    Text,
    /// A number.
    Number,
    /// A calendar date or date-time.
    Date,
    /// True or false.
    Boolean,
}

/// A field that a tool can filter or group by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldFacts {
    /// Name as the tool spells it.
    pub name: String,
    /// Its type.
    pub kind: FieldKind,
    /// All its values, when the schema lists them; empty otherwise.
    #[serde(default)]
    pub values: Vec<Value>,
    /// Smallest and largest value, when the schema gives them (numbers, or dates as text).
    #[serde(default)]
    pub range: Option<(Value, Value)>,
    /// Number of distinct values, when the schema gives it.
    #[serde(default)]
    pub distinct: Option<u64>,
    /// Number of records without a value, when the schema gives it.
    #[serde(default)]
    pub missing: Option<u64>,
    /// Number of all records, when the schema gives it.
    #[serde(default)]
    pub records: Option<u64>,
    /// What the tool computes of it and another such field of its type, as a field that is called
    /// `a − b`.
    #[serde(default)]
    pub operations: Vec<Operation>,
    /// Whether the tool can leave out the records whose text has certain words.
    #[serde(default)]
    pub can_lack: bool,
}

impl FieldFacts {
    /// Returns the number of records that the facts tell, or else the least that there are: the
    /// distinct values and the records without one. A field of lists has more values than there
    /// are records.
    pub(crate) fn known_records(&self) -> Option<u64> {
        let least = self
            .distinct
            .map(|distinct| distinct + self.missing.unwrap_or_default());
        self.records.or(least)
    }

    /// Returns the facts on the field that is computed of two others, of dates in days; `None` if
    /// the tool computes none. Its smallest and largest value are not known.
    pub(crate) fn computed(from: &Self, operation: Operation, other: &Self) -> Option<Self> {
        let can = |field: &Self| field.operations.contains(&operation);
        let is_alike = from.kind == other.kind && from.name != other.name;
        let unit = match from.kind {
            FieldKind::Number => "",
            FieldKind::Date if operation == Operation::Minus => IN_DAYS,
            _ => return None,
        };
        (can(from) && can(other) && is_alike).then(|| Self {
            name: format!("{}{}{}{unit}", from.name, operation.sign(), other.name),
            kind: FieldKind::Number,
            records: from.records,
            ..Self::default()
        })
    }

    /// Returns the facts on the field of a name among fields and those computed of them.
    pub(crate) fn named(name: &str, fields: &[Self]) -> Option<Self> {
        let known = |name: &str| fields.iter().find(|field| field.name == name);
        known(name).cloned().or_else(|| {
            let (from, operation, other) = Operation::split(name)?;
            let other = known(other).or_else(|| known(other.strip_suffix(IN_DAYS)?))?;
            Self::computed(known(from)?, operation, other)
        })
    }
}

/// A data tool as the planner sees it. `fields` is empty when the schema does not describe them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolFacts {
    /// Name that a plan uses.
    pub name: String,
    /// The server's own words, untrusted.
    pub description: String,
    /// Names of the arguments it takes, such as `filters`, `group_by`, `page_size`.
    pub arguments: Vec<String>,
    /// What can be filtered and grouped by.
    pub fields: Vec<FieldFacts>,
    /// Which of the arguments `measures`, `correlations`, `order_by`, `sort`, `search`, `lookup`
    /// and `fields` it takes as plans write them.
    #[serde(default)]
    pub capabilities: Vec<String>,
}

impl ToolFacts {
    /// Returns whether the tool takes one of these arguments as plans write it.
    pub fn can(&self, argument: &str) -> bool {
        self.capabilities.iter().any(|known| known == argument)
    }
}

/// A sub-agent as the planner sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentFacts {
    /// Registered name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// When to use it.
    pub use_when: String,
    /// How long it takes, in words.
    pub speed: String,
    /// What it costs, in words.
    pub cost: String,
    /// JSON schema of its arguments.
    pub input_schema: Value,
}

/// Filters and grouping that the user fixed; they override any plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueryOverrides {
    /// Filters by field, in the tool's spelling.
    #[serde(default)]
    pub filters: Option<Object>,
    /// Fields to group by, in the tool's spelling.
    #[serde(default)]
    pub group_by: Option<Vec<String>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, kind: FieldKind) -> FieldFacts {
        FieldFacts {
            name: name.to_owned(),
            kind,
            operations: Operation::ALL.to_vec(),
            ..FieldFacts::default()
        }
    }

    #[test]
    fn computed_fields_have_the_names_of_two() {
        let fields = [
            field("close", FieldKind::Number),
            field("open", FieldKind::Number),
            field("from", FieldKind::Date),
            field("to", FieldKind::Date),
            field("text", FieldKind::Text),
            FieldFacts {
                operations: Vec::new(),
                ..field("other", FieldKind::Number)
            },
        ];
        for name in [
            "close − open",
            "close + open",
            "close ÷ open",
            "to − from in days",
            "open",
        ] {
            let found = FieldFacts::named(name, &fields).unwrap();
            assert_eq!((found.name.as_str(), found.kind), (name, FieldKind::Number));
        }
        // Days are counted whether that is said or not.
        let days = FieldFacts::named("to − from", &fields).unwrap();
        assert_eq!(days.name, "to − from in days");

        for name in [
            "close - open",
            "close − text",
            "close − from",
            "close − other",
            "close − close",
            "to ÷ from",
            "close / open",
        ] {
            assert_eq!(FieldFacts::named(name, &fields), None, "{name}");
        }
    }
}
