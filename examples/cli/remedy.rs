//! What a person can do about an error of a model.

use research_llm::{ErrorKind, ModelError};

/// What can be done, in one sentence; nothing where only waiting or reading the message helps.
#[must_use]
pub fn remedy(error: &ModelError) -> Option<&'static str> {
    match error.kind() {
        ErrorKind::TokenLimit => Some("Ask about less at a time, or use a model with a larger context."),
        ErrorKind::RateLimit => Some("Wait a little, or ask the provider for a higher limit."),
        ErrorKind::Connection => Some("Check that the server runs and that the address is right."),
        ErrorKind::Timeout => Some("The server may be busy; try again, or use a smaller model."),
        ErrorKind::Authentication => {
            Some("Set the key in the environment variable of the provider, and check that it is valid.")
        }
        ErrorKind::ServerError => Some("Try again in a moment."),
        ErrorKind::InvalidOutput => Some("Try again, or use an abler model."),
        ErrorKind::Budget => Some("Allow more, or ask for less."),
        ErrorKind::Unsupported => Some("Use another model for this."),
        _ => None,
    }
}
