//! A schema as words, for models without a schema mode.

use crate::message::{Message, Part, Role};
use crate::request::Request;

/// The request with its schema as an instruction at the end of the last message, when that is the user's, or else as a
/// message of its own. A request without a schema stays as it is.
///
/// ```
/// use research_llm::{OutputSchema, Request};
/// use research_llm::schema::into_prompt;
///
/// let request = Request::new().user("How many legs has a spider?").schema(OutputSchema::of::<u8>());
/// let prompt = into_prompt(&request);
/// assert!(prompt.schema.is_none());
/// assert!(prompt.messages[0].text().contains(r#""maximum":255"#));
/// ```
#[must_use]
pub fn into_prompt(request: &Request) -> Request {
    let mut request = request.clone();
    let Some(output) = request.schema.take() else { return request };
    let mut schema = output.schema;
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("$schema");
    }
    let instruction = format!(
        "Answer with JSON alone, without a code fence and without any words before or after it. The JSON is one value \
         that fits this JSON schema, named {}:\n{schema}",
        output.name
    );
    match request.messages.last_mut() {
        Some(last) if last.role == Role::User => last.parts.push(Part::text(format!("\n\n{instruction}"))),
        _ => request.messages.push(Message::user(instruction)),
    }
    request
}
