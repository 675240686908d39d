//! Reads the question of a server from a question of a run.

use research_core::Question;
use research_mcp::Elicitation;

use crate::job::calls::interactive::PAYLOAD_KEY;

/// Returns the question of a server, if an open question of a run is one. The answer to it is an
/// [`ElicitAnswer`](research_mcp::ElicitAnswer) as JSON: `{"accept": {…}}`, `{"accept": null}`
/// after the page at an address was visited, `"decline"` or `"cancel"`.
///
/// All but the server's name is the server's own text and untrusted: show which server asks, and
/// the whole of an address before anyone opens it.
#[must_use]
pub fn asked(question: &Question) -> Option<Elicitation> {
    serde_json::from_value(question.payload.get(PAYLOAD_KEY)?.clone()).ok()
}
