//! Tells whether a server refused the schema of a request, and what for.

use crate::error::{ErrorKind, ModelError};

/// What a server refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// This schema: it is too complex, or has a part that the server does not take.
    Schema,
    /// Any schema.
    Ability,
}

/// What an error says was refused of the schema; `None` if it is about something else.
///
/// Anthropic says `output_config: Extra inputs are not permitted` where a model or a cloud has no structured output, and
/// names the place or the complexity when it does not take a certain schema.
pub(super) fn refused(error: &ModelError) -> Option<Refused> {
    let message = match error {
        ModelError::InvalidRequest { message, .. } | ModelError::Server { message, .. } => message.to_lowercase(),
        _ => return None,
    };
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    if error.kind() == ErrorKind::ServerError && !says(&["schema", "grammar"]) {
        return None;
    }
    let is_named = says(&["output_config", "output_format", "output format", "structured output"]);
    // The effort stands in the same object.
    if says(&["effort"]) || !(is_named || says(&["schema", "grammar"])) || says(&["input_schema"]) {
        return None;
    }
    let cannot = says(&["extra inputs", "not support", "unsupported", "unknown", "unrecognized", "unexpected"]);
    let is_of_schema = message.replace("json_schema", "").contains("schema");
    Some(if is_named && cannot && !is_of_schema { Refused::Ability } else { Refused::Schema })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(message: &str) -> Option<Refused> {
        refused(&ModelError::invalid_request(message, None))
    }

    #[test]
    fn a_refused_ability_is_told_from_a_refused_schema() {
        for message in [
            "output_config: Extra inputs are not permitted",
            "output_config.format: Extra inputs are not permitted",
            "'claude-3-haiku-20240307' does not support output format.",
            "This model does not support structured outputs",
        ] {
            assert_eq!(said(message), Some(Refused::Ability), "{message}");
        }
        for message in [
            "Schema is too complex for compilation.",
            "output_config.format.schema: For 'object' type, property 'additionalProperties' is not supported",
            "The compiled grammar is too large, which would cause performance issues.",
        ] {
            assert_eq!(said(message), Some(Refused::Schema), "{message}");
        }
    }

    #[test]
    fn other_refusals_are_left_alone() {
        for message in [
            "max_tokens: 200000 > 64000",
            "This model does not support the effort parameter (output_config.effort).",
            "tools.0.custom.input_schema.type: Field required",
        ] {
            assert_eq!(said(message), None, "{message}");
        }
        assert_eq!(refused(&ModelError::server(Some(500), "Internal server error", None)), None);
        assert_eq!(refused(&ModelError::rate_limit("too many schemas", None)), None);
    }
}
