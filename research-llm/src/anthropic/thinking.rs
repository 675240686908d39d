//! From the effort of a request to what its model wants to hear of thinking.

use serde_json::{Value, json};

use super::quirks::{Quirks, Thinking};
use crate::request::Effort;

/// The smallest budget that the API takes, in tokens.
const MIN_BUDGET: u32 = 1_024;

/// What a request says of thinking.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Plan {
    /// The field `thinking`.
    pub(super) thinking: Option<Value>,
    /// The field `output_config.effort`.
    pub(super) effort: Option<&'static str>,
}

impl Plan {
    /// What to say for an effort. The budget of a model that wants one is at most three quarters of what it may answer,
    /// and there is none where a tool call is forced, because such a model refuses the two together.
    pub(super) fn new(effort: Option<Effort>, quirks: &Quirks, max_tokens: u32, forced_tool: bool) -> Self {
        let Some(effort) = effort else { return Self::default() };
        let off = effort == Effort::Minimal;
        let thinking = match quirks.thinking {
            Thinking::Budget if !off && !forced_tool => budget(effort, max_tokens),
            // The text of the reasoning is left out by the younger models unless it is asked for.
            Thinking::OptIn | Thinking::OptOut | Thinking::Always if !off => {
                Some(json!({"type": "adaptive", "display": "summarized"}))
            }
            Thinking::OptOut => Some(json!({"type": "disabled"})),
            _ => None,
        };
        Self { thinking, effort: quirks.effort.then(|| name(effort)) }
    }

    /// Whether the model is asked to think, which fixes how it draws its tokens.
    pub(super) fn thinks(&self) -> bool {
        self.thinking.as_ref().is_some_and(|thinking| thinking["type"] != "disabled")
    }
}

fn name(effort: Effort) -> &'static str {
    match effort {
        Effort::Minimal | Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
    }
}

/// The upper figure is where Anthropic's page on extended thinking says to begin with hard tasks.
fn budget(effort: Effort, max_tokens: u32) -> Option<Value> {
    let wanted = match effort {
        Effort::Minimal | Effort::Low => 2_048,
        Effort::Medium => 8_000,
        Effort::High => 16_000,
    };
    let tokens = wanted.min(max_tokens - max_tokens / 4);
    (MIN_BUDGET..max_tokens).contains(&tokens).then(|| json!({"type": "enabled", "budget_tokens": tokens}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(model: &str, effort: Effort) -> Plan {
        Plan::new(Some(effort), &Quirks::of_model(model), 21_333, false)
    }

    #[test]
    fn each_generation_hears_of_thinking_in_its_own_words() {
        let adaptive = Some(json!({"type": "adaptive", "display": "summarized"}));
        for model in ["claude-opus-4-6", "claude-sonnet-5", "claude-fable-5"] {
            assert_eq!(plan(model, Effort::Medium), Plan { thinking: adaptive.clone(), effort: Some("medium") });
        }
        let budgeted = Some(json!({"type": "enabled", "budget_tokens": 16_000}));
        assert_eq!(plan("claude-haiku-4-5", Effort::High), Plan { thinking: budgeted.clone(), effort: None });
        assert_eq!(plan("claude-opus-4-5", Effort::High), Plan { thinking: budgeted, effort: Some("high") });
        assert_eq!(plan("claude-3-haiku", Effort::High), Plan::default());
    }

    #[test]
    fn the_least_effort_switches_thinking_off_where_it_can_be() {
        let off = Some(json!({"type": "disabled"}));
        assert_eq!(plan("claude-opus-5", Effort::Minimal), Plan { thinking: off, effort: Some("low") });
        assert_eq!(plan("claude-fable-5", Effort::Minimal), Plan { thinking: None, effort: Some("low") });
        assert_eq!(plan("claude-opus-4-8", Effort::Minimal), Plan { thinking: None, effort: Some("low") });
        assert_eq!(plan("claude-haiku-4-5", Effort::Minimal), Plan::default());
    }

    #[test]
    fn a_budget_leaves_room_for_the_answer_or_is_left_out() {
        let quirks = Quirks::of_model("claude-haiku-4-5");
        let budget = |max_tokens, forced| {
            Plan::new(Some(Effort::High), &quirks, max_tokens, forced).thinking.map(|t| t["budget_tokens"].clone())
        };
        assert_eq!(budget(4_000, false), Some(json!(3_000)));
        assert_eq!(budget(1_200, false), None);
        assert_eq!(budget(4_000, true), None);
    }
}
