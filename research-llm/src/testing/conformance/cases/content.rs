//! Promises about what a provider wants handed back.

use serde_json::json;

use super::super::report::{Outcome, ensure, same};
use super::super::samples::{request, response};
use super::super::suite::Suite;
use crate::call::ToolCall;
use crate::message::{Message, Part, ProviderItem, ToolResult};
use crate::testing::wire::turns;

/// Reasoning with its signature goes from the answer into the next turn as it came, before what followed it.
pub(super) async fn what_the_provider_wants_back_is_handed_back_unchanged(suite: &Suite) -> Outcome {
    let sent = suite.format.reasoned().tool_call(ToolCall::new("call_1", "weather", r#"{"city":"Graz"}"#));
    for (_, got) in suite.both_ways(&request(), &sent).await? {
        same("what is handed back", &got.provider_items, &sent.provider_items)?;
        let next = request()
            .message(got.to_message())
            .message(Message::tools([ToolResult::new(&sent.tool_calls[0], "sunny")]));
        for (asked, _) in suite.both_ways(&next, &response()).await? {
            same("the next turn", &asked.turns, &turns(&next.messages))?;
        }
    }
    Ok(())
}

/// What only another provider understands is not sent.
pub(super) async fn the_items_of_another_provider_are_left_out(suite: &Suite) -> Outcome {
    let item = ProviderItem::new("another.provider", json!({"type": "sealed", "data": "x"}));
    let turn = Message::assistant("It is 42.");
    let foreign = Message::of(turn.role, [vec![Part::Provider(item)], turn.parts.clone()].concat());
    let asking = |turn| request().message(turn).user("Why?");
    for (asked, _) in suite.both_ways(&asking(foreign), &response()).await? {
        ensure!(asked.turns == turns(&asking(turn.clone()).messages), "another provider's item: {:?}", asked.turns);
    }
    Ok(())
}
