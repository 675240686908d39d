//! Promises about answers.

use futures::StreamExt;

use super::super::report::{Outcome, ensure, same};
use super::super::samples::{check, request, response};
use super::super::suite::{Suite, answered, events};
use crate::response::{FinishReason, Response, Usage};
use crate::stream::{StreamEvent, collect};

/// Text, usage, end, model and id of a whole answer are read.
pub(super) async fn a_whole_answer_is_read(suite: &Suite) -> Outcome {
    let (server, model) = suite.serving(suite.whole(&response())).await?;
    let got = answered(model.complete(&request()).await)?;
    check(suite, &got, &response())?;
    ensure!(!suite.asked(&server)?.streamed, "a whole answer was asked for as a stream");
    Ok(())
}

/// A stream begins with its start, brings the text in pieces, ends with one finish, and makes the same answer.
pub(super) async fn a_streamed_answer_comes_in_pieces_and_is_the_same(suite: &Suite) -> Outcome {
    let (server, model) = suite.serving(suite.streamed(&response())).await?;
    let (events, error) = events(model.stream(request())).await;
    ensure!(error.is_none(), "the stream ends with {error:?}");
    ensure!(suite.asked(&server)?.streamed, "the stream was asked for as a whole answer");
    ensure!(matches!(events.first(), Some(StreamEvent::Start { .. })), "the first event is {:?}", events.first());
    ensure!(matches!(events.last(), Some(StreamEvent::Finish(_))), "the last event is {:?}", events.last());
    let count = |is: fn(&StreamEvent) -> bool| events.iter().filter(|event| is(event)).count();
    ensure!(count(|event| matches!(event, StreamEvent::Finish(_))) == 1, "more than one finish");
    ensure!(count(|event| matches!(event, StreamEvent::Start { .. })) == 1, "more than one start");
    ensure!(count(|event| matches!(event, StreamEvent::Text(_))) > 1, "the text comes as a whole");
    let got = answered(collect("m", futures::stream::iter(events).map(Ok)).await)?;
    check(suite, &got, &response())
}

/// An answer without text is an answer.
pub(super) async fn an_empty_answer_is_no_error(suite: &Suite) -> Outcome {
    let mut empty = Response::new("m-1", "").usage(Usage::new(3, 0));
    empty.id = Some("a-1".to_owned());
    for (_, got) in suite.both_ways(&request(), &empty).await? {
        check(suite, &got, &empty)?;
    }
    Ok(())
}

/// Every reason that a format can give is told apart.
pub(super) async fn the_reason_of_the_end_is_told(suite: &Suite) -> Outcome {
    for reason in [FinishReason::Stop, FinishReason::Length, FinishReason::ContentFilter] {
        let sent = response().finish(reason);
        for (_, got) in suite.both_ways(&request(), &sent).await? {
            check(suite, &got, &sent)?;
        }
    }
    Ok(())
}

/// Tokens read and written, those of the cache and those of the reasoning are told.
pub(super) async fn usage_is_told_whole_and_streamed(suite: &Suite) -> Outcome {
    let sent = response().usage(Usage::new(1_100, 50).cached(300, 200).reasoning(12));
    for (asked, got) in suite.both_ways(&request(), &sent).await? {
        same("the usage", got.usage, suite.format.says(sent.usage))?;
        ensure!(!asked.streamed || asked.counts_usage, "a stream is not asked to say what it used");
    }
    Ok(())
}

/// Reasoning comes apart from the text.
pub(super) async fn reasoning_is_shown(suite: &Suite) -> Outcome {
    let sent = suite.format.reasoned();
    for (_, got) in suite.both_ways(&request(), &sent).await? {
        check(suite, &got, &sent)?;
    }
    Ok(())
}

/// What the server sent is kept when the request says so, and only then.
pub(super) async fn the_raw_answer_is_kept_only_on_demand(suite: &Suite) -> Outcome {
    for (request, kept) in [(request(), None), (request().keep_raw(), Some(suite.format.answer(&response())))] {
        let (_server, model) = suite.serving(suite.whole(&response())).await?;
        let got = answered(model.complete(&request).await)?;
        same("the raw answer", got.raw, kept)?;
    }
    Ok(())
}
