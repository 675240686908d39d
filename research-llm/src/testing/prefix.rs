//! Holds requests to a beginning that does not change.

use crate::message::Message;
use crate::request::Request;

/// Asserts that every request goes on from the one before it: with the same tools and the same schema, and with its messages
/// as the first ones, so that a provider's cache can serve them. Marks for the cache do not count.
///
/// Give it the requests of one conversation, such as
/// [`ScriptedModel::calls_of`](crate::testing::ScriptedModel::calls_of).
///
/// # Panics
/// If one does not, naming the request and the first message that differs.
///
/// ```should_panic
/// use research_llm::Request;
/// use research_llm::testing::assert_stable_prefix;
///
/// let at = |time| Request::new().system(format!("It is {time}.")).user("Hello");
/// assert_stable_prefix(&[at("12:00"), at("12:01")]);
/// ```
#[track_caller]
pub fn assert_stable_prefix(requests: &[Request]) {
    for (at, pair) in requests.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        let number = at + 2;
        assert!(before.tools == after.tools, "the tools of request {number} are not those of the request before it");
        assert!(before.schema == after.schema, "the schema of request {number} is not that of the request before it");
        for (place, message) in before.messages.iter().enumerate() {
            let next = after.messages.get(place);
            assert!(
                next.is_some_and(|next| is_same(message, next)),
                "request {number} does not begin with the request before it: message {place} was {message:?} and is {next:?}"
            );
        }
    }
}

fn is_same(one: &Message, other: &Message) -> bool {
    one.role == other.role && one.parts == other.parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::ToolDefinition;

    fn failure(requests: Vec<Request>) -> String {
        let failed = std::panic::catch_unwind(|| assert_stable_prefix(&requests)).unwrap_err();
        failed.downcast_ref::<String>().cloned().unwrap_or_default()
    }

    #[test]
    fn requests_that_grow_pass_whatever_their_marks() {
        let first = Request::new().system("s").message(Message::user("a").cached());
        let second = Request::new().system("s").user("a").message(Message::assistant("b").cached());
        assert_stable_prefix(&[first.clone(), first, second]);
        assert_stable_prefix(&[]);
    }

    #[test]
    fn the_first_difference_is_named() {
        let start = Request::new().system("s").user("a");
        let changed = Request::new().system("s").user("b");
        assert!(failure(vec![start.clone(), start.clone(), changed]).contains("request 3"));
        let shorter = failure(vec![start.clone(), Request::new().system("s")]);
        assert!(shorter.contains("message 1") && shorter.contains("is None"), "{shorter}");
        let tool = ToolDefinition::new("t", "", serde_json::json!({}));
        assert!(failure(vec![start.clone(), start.tool(tool)]).contains("tools of request 2"));
    }
}
