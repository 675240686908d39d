//! The question in a message that says other things before it.

use research_agents_report::text::{content_stems, sentences};

/// Minimum number of content words of a question that is understood without what is said before it.
const ENOUGH: usize = 3;

/// Returns the part of a message that asks: its last sentence with a question mark, with those
/// before it as long as it has less than three content words. The whole message without one.
pub(crate) fn asking_part(message: &str) -> &str {
    let spans = sentences(message);
    let is_question = |at: &usize| message[spans[*at].clone()].trim_end().ends_with('?');
    let Some(last) = (0..spans.len()).rev().find(is_question) else {
        return message;
    };

    let end = spans[last].end;
    let mut first = last;
    while first > 0 && content_stems(&message[spans[first].start..end]).len() < ENOUGH {
        first -= 1;
    }
    message[spans[first].start..end].trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_before_a_question_is_left_out() {
        let asked = "How long does the cache keep a page?";
        assert_eq!(asking_part(asked), asked);
        let told = format!("We moved to a new server. It is slow. {asked} Thanks!");
        assert_eq!(asking_part(&told), asked);
        assert_eq!(asking_part("The log grows. Why?"), "The log grows. Why?");
        assert_eq!(asking_part("page size"), "page size");
    }
}
