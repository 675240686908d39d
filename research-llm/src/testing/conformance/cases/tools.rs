//! Promises about tools.

use serde_json::json;

use super::super::report::{Outcome, ensure, same};
use super::super::samples::{check, check_calls, request, response};
use super::super::suite::Suite;
use crate::call::{ToolCall, ToolChoice, ToolDefinition};
use crate::message::{Message, Part, ToolResult};
use crate::request::Request;
use crate::response::{Response, Usage};
use crate::testing::wire::turns;

/// What a tool says that fails.
const FAILURE: &str = "the station is closed";

fn weather() -> ToolDefinition {
    let parameters = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    ToolDefinition::new("weather", "Tells the weather of a city.", parameters)
}

fn clock() -> ToolDefinition {
    ToolDefinition::new("clock-2_a", "Tells the time.", json!({"type": "object", "properties": {}}))
}

fn with_tools() -> Request {
    request().tool(weather()).tool(clock())
}

fn calling(calls: &[(&str, &str, &str)]) -> Response {
    let mut response = Response::new("m-1", "Let me see.").usage(Usage::new(9, 9));
    response.id = Some("a-1".to_owned());
    calls
        .iter()
        .fold(response, |response, (id, name, arguments)| response.tool_call(ToolCall::new(*id, *name, *arguments)))
}

/// Names, descriptions and schemas of tools arrive; a call comes back with its id and arguments.
pub(super) async fn tools_are_offered_and_a_call_is_read(suite: &Suite) -> Outcome {
    let sent = calling(&[("call_1", "weather", r#"{"city":"Zürich 🐝","days":[1,2.5,null]}"#)]);
    for (asked, got) in suite.both_ways(&with_tools(), &sent).await? {
        check(suite, &got, &sent)?;
        for (tool, wanted) in asked.tools.iter().zip([weather(), clock()]) {
            same("the name of a tool", &tool.name, &wanted.name)?;
            same("the description of a tool", &tool.description, &wanted.description)?;
            let (got, wanted) = (&tool.parameters["properties"], &wanted.parameters["properties"]);
            same("the arguments of a tool", got, wanted)?;
        }
        same("the number of tools", asked.tools.len(), 2)?;
    }
    Ok(())
}

/// Several calls of one answer keep their ids and arguments, also when their pieces are woven into each other.
pub(super) async fn parallel_calls_are_kept_apart(suite: &Suite) -> Outcome {
    let sent = calling(&[
        ("call_1", "weather", r#"{"city":"Graz"}"#),
        ("call_2", "weather", r#"{"city":"a much longer name than that of the other city"}"#),
        ("call_3", "clock-2_a", r#"{"zone":"CET"}"#),
    ]);
    for (asked, got) in suite.both_ways(&with_tools().parallel_tool_calls(true), &sent).await? {
        check(suite, &got, &sent)?;
        ensure!(asked.parallel_tool_calls != Some(false), "several calls at once are forbidden");
    }
    for (asked, _) in suite.both_ways(&with_tools().parallel_tool_calls(false), &response()).await? {
        same("whether several calls at once are allowed", asked.parallel_tool_calls, Some(false))?;
    }
    Ok(())
}

/// A call of a tool that takes nothing has arguments that can be read.
pub(super) async fn a_call_without_arguments_is_an_empty_object(suite: &Suite) -> Outcome {
    let sent = calling(&[("call_1", "clock-2_a", "{}")]);
    for (_, got) in suite.both_ways(&with_tools(), &sent).await? {
        check_calls(&got, &sent)?;
    }
    Ok(())
}

/// Auto, none, required and a certain tool.
pub(super) async fn the_tool_choice_is_sent(suite: &Suite) -> Outcome {
    let choices = [ToolChoice::Auto, ToolChoice::None, ToolChoice::Required, ToolChoice::Tool("weather".to_owned())];
    for choice in choices {
        for (asked, _) in suite.both_ways(&with_tools().tool_choice(choice.clone()), &response()).await? {
            same("the tool choice", &asked.tool_choice, &choice)?;
        }
    }
    Ok(())
}

/// In the next turn every result stands with its call, in the order in which they were said.
pub(super) async fn results_go_back_to_their_calls(suite: &Suite) -> Outcome {
    let first = calling(&[("call_1", "weather", r#"{"city":"Graz"}"#), ("call_2", "clock-2_a", "{}")]);
    let results =
        [ToolResult::new(&first.tool_calls[0], "sunny ☀"), ToolResult::new(&first.tool_calls[1], "{\"hour\": 12}")];
    let second = calling(&[("call_3", "weather", r#"{"city":"Wien"}"#)]);
    let failure = ToolResult::new(&second.tool_calls[0], FAILURE).error();
    let request = with_tools()
        .message(first.to_message())
        .message(Message::tools(results))
        .message(second.to_message())
        .message(Message::tools([failure]))
        .user("And now?");
    for (asked, _) in suite.both_ways(&request, &response()).await? {
        same("the conversation", without_marks(asked.turns), without_marks(turns(&request.messages)))?;
    }
    Ok(())
}

/// A format may have no way to say that a tool failed, so that this is said in words before its own; those still arrive.
fn without_marks(mut messages: Vec<Message>) -> Vec<Message> {
    let results = messages.iter_mut().flat_map(|message| &mut message.parts).filter_map(|part| match part {
        Part::ToolResult(result) => Some(result),
        _ => None,
    });
    for result in results {
        result.is_error = false;
        if let Some(at) = result.content.find(FAILURE) {
            result.content.drain(..at);
        }
    }
    messages
}
