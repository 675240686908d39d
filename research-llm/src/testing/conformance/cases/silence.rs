//! Promises about waiting.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::super::report::{Broken, Outcome, ensure, same};
use super::super::samples::{check, request, response};
use super::super::suite::{self, IMPATIENT, Suite, answered, failed, read};
use crate::error::ErrorKind;
use crate::model::ChatModel;
use crate::request::Request;
use crate::testing::server::{Answer, Ending, FakeServer};

/// Much shorter than the patience of any model here.
const SHORT: Duration = Duration::from_millis(250);

/// How long a model waits for what comes in time. A busy machine may need longer than a short time to bring it, so where that
/// is over too early a longer one is tried.
const GROWING: [Duration; 3] = [IMPATIENT, Duration::from_secs(4), Duration::from_secs(16)];

/// An answer that begins late is an answer.
pub(super) async fn a_slow_first_byte_is_waited_for(suite: &Suite) -> Outcome {
    let (_server, model) = suite.serving(suite.whole(&response()).delay(SHORT)).await?;
    check(suite, &answered(model.complete(&request()).await)?, &response())?;
    let (_server, model) = suite.serving(suite.streamed(&response()).delay(SHORT)).await?;
    check(suite, &answered(read(&*model, &request()).await)?, &response())
}

/// A server that takes the request and says nothing is given up.
pub(super) async fn a_server_that_stays_silent_is_given_up(suite: &Suite) -> Outcome {
    for error in suite.fails_both_ways(&Answer::silence(), Some(IMPATIENT)).await? {
        ensure!(error.kind() == ErrorKind::Timeout, "silence ends with {error:?}");
        ensure!(error.is_retryable(), "not retryable: {error:?}");
    }
    Ok(())
}

/// A stream that says no more is given up, what had arrived is kept, and the connection is closed.
pub(super) async fn a_stream_that_stalls_is_given_up_and_keeps_what_arrived(suite: &Suite) -> Outcome {
    let server = stalls(suite, |server, patience| (suite.model_with(server, patience), request())).await?;
    suite::soon("the server sees the connection close", server.until_left(0)).await
}

/// Reads a stream that stalls, with a model and a request that wait only so long; gives its server when that ends as it must.
async fn stalls(
    suite: &Suite,
    ask: impl Fn(&FakeServer, Duration) -> (Arc<dyn ChatModel>, Request),
) -> Outcome<FakeServer> {
    let (begun, text) = suite.begun(&response());
    let mut lost = Broken::new("nothing was tried");
    for patience in GROWING {
        let server = suite.server().await?;
        server.then(Answer::events(begun.clone()).ending(Ending::Stall));
        let (model, request) = ask(&server, patience);
        let error = failed(suite::soon("a stream that stalls ends", read(&*model, &request)).await?)?;
        ensure!(error.kind() == ErrorKind::Timeout, "a stall ends with {error:?}");
        let received = error.received().map(|received| received.text.as_str());
        match same("what had arrived", received, Some(text.as_str())) {
            Ok(()) => return Ok(server),
            Err(broken) => lost = broken,
        }
    }
    Err(lost)
}

/// A body that stops half-way is given up.
pub(super) async fn a_body_that_stalls_is_given_up(suite: &Suite) -> Outcome {
    let server = suite.server().await?;
    server.then(suite.whole(&response()).cut(40).ending(Ending::Stall));
    let error = failed(suite.model_with(&server, IMPATIENT).complete(&request()).await)?;
    ensure!(error.kind() == ErrorKind::Timeout, "a stall ends with {error:?}");
    Ok(())
}

/// A stream is limited in its silence, not in its length.
pub(super) async fn a_steady_stream_may_take_longer_than_a_silence(suite: &Suite) -> Outcome {
    let length = suite.bytes(&response()).len();
    for patience in GROWING {
        let server = suite.server().await?;
        // Six pieces with a quarter of the patience between them.
        server.then(suite.streamed(&response()).pieces_of(length.div_ceil(6)).pause(patience / 4));
        match read(&*suite.model_with(&server, patience), &request()).await {
            Err(error) if error.kind() == ErrorKind::Timeout => {}
            got => return check(suite, &answered(got)?, &response()),
        }
    }
    Err(Broken::new("a steady stream is given up"))
}

/// The deadline of a request ends the wait before the patience of the model does.
pub(super) async fn a_deadline_ends_the_wait(suite: &Suite) -> Outcome {
    let server = suite.server().await?;
    server.otherwise(|_| Answer::silence());
    let model = suite.model(&server);
    let soon = || request().deadline(Instant::now() + SHORT);
    let ends = "a call ends at its deadline";
    let whole = suite::soon(ends, async { model.complete(&soon()).await }).await?;
    let streamed = suite::soon(ends, async { read(&*model, &soon()).await }).await?;
    for error in [failed(whole)?, failed(streamed)?] {
        ensure!(error.kind() == ErrorKind::Timeout, "a deadline ends with {error:?}");
    }
    let late = |patience| request().deadline(Instant::now() + patience);
    stalls(suite, |server, patience| (suite.model(server), late(patience))).await.map(drop)
}
