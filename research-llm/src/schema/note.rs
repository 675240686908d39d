//! Limits that a dialect cannot express, as words in the description.

use serde_json::{Map, Value};

/// Sentences for the keywords that had to go.
#[derive(Default)]
pub(super) struct Notes(Vec<String>);

impl Notes {
    /// Says a keyword in words.
    pub(super) fn add(&mut self, keyword: &str, value: &Value) {
        let sentence = match keyword {
            "maxLength" => format!("At most {value} characters."),
            "minLength" => format!("At least {value} characters."),
            "maxItems" => format!("At most {value} items."),
            "minItems" => format!("At least {value} items."),
            "maxProperties" => format!("At most {value} entries."),
            "minProperties" => format!("At least {value} entries."),
            "minimum" => format!("Not below {value}."),
            "maximum" => format!("Not above {value}."),
            "exclusiveMinimum" => format!("Above {value}."),
            "exclusiveMaximum" => format!("Below {value}."),
            "multipleOf" => format!("A multiple of {value}."),
            "pattern" => format!("Matches the regular expression {value}."),
            "format" => format!("Of the format {value}."),
            "default" => format!("By default {value}."),
            "examples" => format!("Examples: {value}."),
            "uniqueItems" if value == &Value::Bool(true) => "No two items are alike.".to_owned(),
            "uniqueItems" => return,
            _ => format!("JSON schema keyword {keyword}: {value}."),
        };
        self.0.push(sentence);
    }

    /// Says something else.
    pub(super) fn say(&mut self, sentence: impl Into<String>) {
        self.0.push(sentence.into());
    }

    /// Writes the sentences after what the description of a schema says already.
    pub(super) fn write(self, schema: &mut Map<String, Value>) {
        if self.0.is_empty() {
            return;
        }
        let mut text = match schema.get("description") {
            Some(Value::String(text)) => text.trim_end().to_owned(),
            _ => String::new(),
        };
        if !text.is_empty() {
            if !text.ends_with(['.', '!', '?', ':']) {
                text.push('.');
            }
            text.push(' ');
        }
        text.push_str(&self.0.join(" "));
        schema.insert("description".to_owned(), Value::String(text));
    }
}
