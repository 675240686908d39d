//! Replaces a model's spelling of field names by the tool's.

use std::collections::HashSet;

use serde_json::Value;

use crate::data::filters::filters_of;
use crate::data::record::Object;

/// Fields that a tool can filter and group by.
pub(crate) struct Spelling<'a> {
    fields: Vec<&'a str>,
}

impl<'a> Spelling<'a> {
    /// Creates the spelling of a tool's fields; nothing is changed if they are not known.
    pub(crate) fn new(fields: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            fields: fields.into_iter().collect(),
        }
    }

    /// Returns the one field that differs from this name only in case, spaces and signs.
    pub(crate) fn field_for(&self, name: &str) -> Option<&'a str> {
        let wanted = letters(name);
        let mut alike = self.fields.iter().filter(|field| letters(field) == wanted);
        let found = alike.next()?;
        (alike.all(|field| field == found)
            && *found != name
            && !wanted.is_empty()
            && !self.fields.contains(&name))
        .then_some(*found)
    }

    /// Corrects `filters` and `group_by`, and returns the names that were changed, with their new
    /// spelling.
    pub(crate) fn correct(&self, arguments: &mut Object) -> Vec<(String, String)> {
        let mut changed = Vec::new();
        let filters = filters_of(arguments);
        if filters.keys().any(|name| self.field_for(name).is_some()) {
            let taken: HashSet<String> = filters.keys().cloned().collect();
            let corrected: Object = filters
                .into_iter()
                .map(|(name, condition)| {
                    match self
                        .field_for(&name)
                        .filter(|field| !taken.contains(*field))
                    {
                        Some(field) => {
                            changed.push((name, field.to_owned()));
                            (field.to_owned(), condition)
                        }
                        None => (name, condition),
                    }
                })
                .collect();
            arguments.insert(
                "filters".to_owned(),
                Value::Object(corrected).to_string().into(),
            );
        }

        let fields = match arguments.get("group_by") {
            Some(Value::String(text)) => {
                text.split(',').map(str::trim).map(str::to_owned).collect()
            }
            Some(Value::Array(names)) => names
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            _ => Vec::new(),
        };

        if fields.iter().any(|name| self.field_for(name).is_some()) {
            let corrected: Vec<String> = fields
                .into_iter()
                .map(|name| match self.field_for(&name) {
                    Some(field) => {
                        changed.push((name, field.to_owned()));
                        field.to_owned()
                    }
                    None => name,
                })
                .collect();
            arguments.insert("group_by".to_owned(), corrected.join(",").into());
        }

        changed
    }
}

fn letters(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const FIELDS: [&str; 4] = ["Phase of flight", "Wildlife Size", "cost $", "Cost"];

    fn corrected(arguments: Value) -> (Value, usize) {
        let mut arguments = arguments.as_object().unwrap().clone();
        let changed = Spelling::new(FIELDS).correct(&mut arguments);
        (Value::Object(arguments), changed.len())
    }

    #[test]
    fn names_that_differ_in_case_spaces_and_signs_are_spelled_as_the_tool_does() {
        let given = json!({
            "filters": "{\"phase_of_flight\":\"Climb\"}",
            "group_by": "wildlifeSize, Phase of flight"
        });
        let wanted = json!({
            "filters": "{\"Phase of flight\":\"Climb\"}",
            "group_by": "Wildlife Size,Phase of flight"
        });
        assert_eq!(corrected(given), (wanted, 2));
        let list = json!({"group_by": ["wildlife_size"], "filters": {"WILDLIFE SIZE": ["Large"]}});
        let wanted =
            json!({"group_by": "Wildlife Size", "filters": "{\"Wildlife Size\":[\"Large\"]}"});
        assert_eq!(corrected(list), (wanted, 2));
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        for arguments in [
            json!({"filters": "{\"species\":\"owl\"}", "group_by": "Phase of flight"}),
            // Two fields are alike: which one is meant is not known.
            json!({"group_by": "COST"}),
            json!({"filters": "no JSON", "group_by": 7}),
            json!({"filters": {"phase_of_flight": "a", "Phase of flight": "b"}}),
            json!({}),
        ] {
            let (kept, changed) = corrected(arguments.clone());
            assert_eq!(changed, 0, "{arguments}");
            if arguments.get("filters").is_none_or(Value::is_string) {
                assert_eq!(kept, arguments);
            }
        }
    }
}
