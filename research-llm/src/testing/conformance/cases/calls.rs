//! Promises about the life of a call.

use std::sync::Arc;

use futures::StreamExt;
use futures::future::join_all;

use super::super::report::{Broken, Outcome, ensure, same};
use super::super::samples::{request, response};
use super::super::suite::{Suite, answered, read, soon};
use crate::request::Request;
use crate::response::Response;
use crate::stream::StreamEvent;
use crate::testing::server::{Answer, Ending};

/// A stream is lazy.
pub(super) async fn a_stream_that_is_not_polled_sends_nothing(suite: &Suite) -> Outcome {
    let (server, model) = suite.serving(suite.whole(&response())).await?;
    drop(model.stream(request()));
    // Another call gives what should not happen the time to happen.
    answered(model.complete(&request()).await)?;
    same("the number of requests", server.received().len(), 1)
}

/// Dropping the future of a call closes its connection, so that the server stops working.
pub(super) async fn a_dropped_call_closes_the_connection(suite: &Suite) -> Outcome {
    let (server, model) = suite.serving(Answer::silence()).await?;
    let request = request();
    tokio::select! {
        answer = model.complete(&request) => {
            return Err(Broken::new(format!("a silent server is answered for: {answer:?}")));
        }
        arrived = soon("the request arrives", server.until_received(1)) => arrived?,
    }
    soon("the server sees the connection close", server.until_left(0)).await
}

/// Dropping a stream after its first pieces closes its connection. The pieces come as soon as they are sent.
pub(super) async fn a_dropped_stream_closes_the_connection(suite: &Suite) -> Outcome {
    let (begun, _) = suite.begun(&response());
    let (server, model) = suite.serving(Answer::events(begun).ending(Ending::Stall)).await?;
    let mut stream = model.stream(request());
    let first = soon("a text comes while the stream goes on", async {
        while let Some(event) = stream.next().await {
            if matches!(event, Ok(StreamEvent::Text(_)) | Err(_)) {
                return Some(event);
            }
        }
        None
    });
    let first = first.await?;
    ensure!(matches!(first, Some(Ok(_))), "no text but {first:?}");
    drop(stream);
    soon("the server sees the connection close", server.until_left(0)).await
}

/// Of many calls at once each gets its own answer.
pub(super) async fn calls_at_once_do_not_mix(suite: &Suite) -> Outcome {
    let server = suite.server().await?;
    server.otherwise({
        let format = Arc::clone(&suite.format);
        move |received| match format.read(received) {
            Err(problem) => Answer::text(400, "text/plain", problem.to_string()),
            Ok(asked) => {
                let said = asked.turns.last().map(|turn| turn.text()).unwrap_or_default();
                let response = Response::new("m-1", said);
                match asked.streamed {
                    true => Answer::events(
                        format.frames(&response).into_iter().map(|frame| frame.bytes).collect::<String>(),
                    ),
                    false => Answer::json(200, &format.answer(&response)),
                }
            }
        }
    });
    let model = suite.model(&server);
    let calls = (0..16).map(|number| {
        let model = Arc::clone(&model);
        async move {
            let word = format!("number {number}");
            let request = Request::new().user(word.as_str()).max_output_tokens(100);
            let got = if number % 2 == 0 { model.complete(&request).await } else { read(&*model, &request).await };
            same("the answer", answered(got)?.text, word)
        }
    });
    join_all(calls).await.into_iter().collect()
}
