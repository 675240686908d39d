//! What a call used, from the fields that servers send.

use serde_json::Value;

use crate::response::Usage;

/// Reads `prompt_tokens` and `completion_tokens` of chat completions, or `input_tokens` and `output_tokens` of
/// responses, with their details; `None` if there are none of them.
pub(super) fn usage(value: &Value) -> Option<Usage> {
    let number = |pointers: &[&str]| pointers.iter().find_map(|pointer| value.pointer(pointer)?.as_u64());
    let input = number(&["/prompt_tokens", "/input_tokens"]);
    let output = number(&["/completion_tokens", "/output_tokens"]);
    if input.is_none() && output.is_none() {
        return None;
    }
    let (input, mut output) = (input.unwrap_or(0), output.unwrap_or(0));
    let reasoning = number(&["/completion_tokens_details/reasoning_tokens", "/output_tokens_details/reasoning_tokens"])
        .unwrap_or(0);
    // Some servers count the reasoning beside the answer and not in it; their sum shows it.
    let total = number(&["/total_tokens"]).unwrap_or(0);
    if reasoning > 0 && input.checked_add(output).and_then(|sum| sum.checked_add(reasoning)) == Some(total) {
        output += reasoning;
    }
    let read = number(&[
        "/prompt_tokens_details/cached_tokens",
        "/input_tokens_details/cached_tokens",
        "/prompt_cache_hit_tokens",
        "/cached_tokens",
    ]);
    let written = number(&["/prompt_tokens_details/cache_write_tokens", "/input_tokens_details/cache_write_tokens"]);
    Some(Usage::new(input, output).cached(read.unwrap_or(0), written.unwrap_or(0)).reasoning(reasoning))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_formats_and_the_manners_of_servers_are_read() {
        for (wire, expected) in [
            (json!({"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}), Usage::new(9, 4)),
            (
                json!({"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 5},
                    "completion_tokens_details": {"reasoning_tokens": 3}, "total_tokens": 13}),
                Usage::new(9, 4).cached(5, 0).reasoning(3),
            ),
            (
                json!({"prompt_tokens": 9, "completion_tokens": 4, "completion_tokens_details": {"reasoning_tokens": 30},
                    "total_tokens": 43}),
                Usage::new(9, 34).reasoning(30),
            ),
            (
                json!({"prompt_tokens": 9, "completion_tokens": 0, "prompt_cache_hit_tokens": 8}),
                Usage::new(9, 0).cached(8, 0),
            ),
            (
                json!({"input_tokens": 7, "input_tokens_details": {"cached_tokens": 2}, "output_tokens": 6,
                    "output_tokens_details": {"reasoning_tokens": 1}, "total_tokens": 13}),
                Usage::new(7, 6).cached(2, 0).reasoning(1),
            ),
        ] {
            assert_eq!(usage(&wire), Some(expected), "{wire}");
        }
        assert_eq!(usage(&json!(null)), None);
        assert_eq!(usage(&json!({})), None);
    }
}
