//! Promises about waiting.

use std::time::Duration;

use tokio::time::Instant;

use super::report::{Outcome, ensure, same};
use super::samples::{check, request, response};
use super::suite::{self, IMPATIENT, Suite, answered, failed, read};
use crate::error::ErrorKind;
use crate::testing::{Answer, Ending};

/// Much shorter than the patience of any model here.
const SHORT: Duration = Duration::from_millis(250);

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
    let (begun, text) = suite.begun(&response());
    let server = suite.server().await?;
    server.then(Answer::events(begun).ending(Ending::Stall));
    let model = suite.model_with(&server, IMPATIENT);
    let error = failed(read(&*model, &request()).await)?;
    ensure!(error.kind() == ErrorKind::Timeout, "a stall ends with {error:?}");
    same("what had arrived", error.received().map(|received| received.text.as_str()), Some(text.as_str()))?;
    suite::soon("the server sees the connection close", server.until_left(0)).await
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
    let server = suite.server().await?;
    let length = suite.bytes(&response()).len();
    let pieces = u32::try_from(IMPATIENT.as_millis() / SHORT.as_millis()).unwrap_or(1) + 2;
    server.then(suite.streamed(&response()).pieces_of(length.div_ceil(pieces as usize)).pause(SHORT));
    let got = answered(read(&*suite.model_with(&server, IMPATIENT), &request()).await)?;
    check(suite, &got, &response())
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
    let (begun, text) = suite.begun(&response());
    let (_server, model) = suite.serving(Answer::events(begun).ending(Ending::Stall)).await?;
    let late = request().deadline(Instant::now() + IMPATIENT);
    let error = failed(suite::soon(ends, read(&*model, &late)).await?)?;
    ensure!(error.kind() == ErrorKind::Timeout, "a deadline ends with {error:?}");
    same("what had arrived", error.received().map(|received| received.text.as_str()), Some(text.as_str()))
}
