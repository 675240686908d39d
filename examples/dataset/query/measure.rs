//! Measures: what is computed over the values of a field, over all matching records or in each bucket.

use rusqlite::types::{Value as Cell, ValueRef};
use serde_json::{Value, json};

use super::super::data::{Dataset, Object};
use super::super::error::QueryError;
use super::super::field::{Field, FieldKind};
use super::super::store::cell_value;
use super::arguments::{self, known_members, text_member};
use super::bucket::count;

/// Name of the argument, for errors.
const ARGUMENT: &str = "measures";
/// Measures of one call.
pub(crate) const MEASURES: usize = 20;

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Sum,
    Mean,
    Median,
    Min,
    Max,
    Count,
    Distinct,
}

impl Function {
    /// All functions with the names that a query uses.
    pub(crate) const ALL: [(&str, Self); 7] = [
        ("sum", Self::Sum),
        ("mean", Self::Mean),
        ("median", Self::Median),
        ("min", Self::Min),
        ("max", Self::Max),
        ("count", Self::Count),
        ("distinct", Self::Distinct),
    ];

    /// Returns the names.
    pub(crate) fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|(name, _)| *name).collect()
    }

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, function)| *function == self).map_or("", |(name, _)| name)
    }

    /// Returns whether values of this kind can be measured so.
    fn takes(self, kind: FieldKind) -> bool {
        match self {
            Self::Count | Self::Distinct => true,
            Self::Min | Self::Max => kind.is_number() || kind == FieldKind::Date,
            // The mean of truth values is the share of true ones.
            Self::Sum | Self::Mean => kind.is_number() || kind == FieldKind::Boolean,
            Self::Median => kind.is_number(),
        }
    }
}

/// A function of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measure {
    pub(super) function: Function,
    pub(super) field: Field,
}

impl Measure {
    /// Reads a list of measures, or one.
    pub(super) fn compile_all(dataset: &Dataset, given: &Value) -> Result<Vec<Self>, QueryError> {
        let list = arguments::list(ARGUMENT, given, MEASURES)?;
        list.iter()
            .map(|one| match one {
                Value::Object(object) => {
                    known_members(ARGUMENT, object, &["function", "field"])?;
                    Self::compile(dataset, ARGUMENT, object)
                }
                other => {
                    let reason =
                        format!("holds {}; each measure is {{\"function\": …, \"field\": …}}", arguments::kind(other));
                    Err(QueryError::argument(ARGUMENT, reason))
                }
            })
            .collect()
    }

    /// Reads the members `function` and `field`.
    pub(super) fn compile(dataset: &Dataset, argument: &str, object: &Object) -> Result<Self, QueryError> {
        let name = text_member(argument, object, "function")?;
        let lower = name.trim().to_lowercase();
        let Some((_, function)) = Function::ALL.iter().find(|(known, _)| *known == lower) else {
            let reason = format!("`{name}` is no function; there are {}", Function::names().join(", "));
            return Err(QueryError::argument(argument, reason));
        };
        let field = dataset.require(text_member(argument, object, "field")?, argument)?;
        if !function.takes(field.kind) {
            let needs = match function {
                Function::Min | Function::Max => "numbers or dates",
                _ => "numbers",
            };
            let reason = format!("`{lower}` needs {needs}, and `{}` is {}", field.name, field.kind.name());
            return Err(QueryError::argument(argument, reason));
        }
        Ok(Self { function: *function, field: field.into_owned() })
    }

    /// Returns SQL for the value and for the number of values behind it.
    pub(super) fn columns(&self) -> [String; 2] {
        if self.field.place.many {
            let list = self.field.list();
            let values = format!("(SELECT json_group_array(m.value) FROM {list} AS m WHERE m.record = t0.record)");
            let behind = if self.function == Function::Count { "count" } else { "values" };
            return [self.function.name(), behind].map(|function| format!("listed('{function}', {values})"));
        }

        let column = self.field.column();
        let value = match self.function {
            Function::Sum => format!("exact_sum({column})"),
            Function::Mean => format!("avg({column})"),
            Function::Median => format!("median({column})"),
            Function::Min => format!("min({column})"),
            Function::Max => format!("max({column})"),
            Function::Count => format!("count({column})"),
            Function::Distinct => format!("count(DISTINCT {})", self.field.shown()),
        };
        [value, format!("count({column})")]
    }

    /// Returns the result from the two columns.
    fn result(&self, value: &Cell, behind: &Cell) -> Value {
        let value = match (value, self.function) {
            // An aggregate of ours that saw no record gives nothing.
            (Cell::Null, Function::Count | Function::Distinct) => 0.into(),
            _ => cell_value(FieldKind::Number, ValueRef::from(value)),
        };
        json!({
            "function": self.function.name(),
            "field": self.field.name,
            "value": value,
            "count": count(Some(behind)),
        })
    }
}

/// Returns SQL for the columns of all measures, each after a comma.
pub(super) fn columns(measures: &[Measure]) -> String {
    measures.iter().flat_map(Measure::columns).map(|column| format!(", {column}")).collect()
}

/// Returns the fields that the columns read from tables with one value a record.
pub(super) fn fields(measures: &[Measure]) -> Vec<&Field> {
    measures.iter().map(|measure| &measure.field).filter(|field| !field.place.many).collect()
}

/// Returns the results from the columns.
pub(super) fn results(measures: &[Measure], cells: &[Cell]) -> Value {
    // Over no record at all an aggregate gives no row for its group.
    let none = [Cell::Null, Cell::Integer(0)];
    let mut pairs = cells.chunks_exact(2);
    let result = |measure: &Measure| {
        let [value, behind] = pairs.next().unwrap_or(&none) else { return Value::Null };
        measure.result(value, behind)
    };
    measures.iter().map(result).collect()
}
