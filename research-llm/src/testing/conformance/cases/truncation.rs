//! Promises about answers that are cut off.

use std::sync::Arc;

use futures::stream::{self, StreamExt};

use super::super::report::{Outcome, ensure};
use super::super::samples::{check, dense, request};
use super::super::suite::{Suite, answered, failed, read};
use crate::error::{ErrorKind, ModelError};
use crate::model::ChatModel;
use crate::request::Request;
use crate::response::Response;
use crate::testing::server::{Answer, Ending, FakeServer};
use crate::testing::wire::Frame;

/// So many calls at once.
const AT_ONCE: usize = 8;

/// A server that cuts the stream of [`dense`] at the byte that the request names.
async fn cutting(suite: &Suite, ending: Ending) -> Outcome<(FakeServer, Arc<dyn ChatModel>)> {
    let server = suite.server().await?;
    let (format, bytes) = (Arc::clone(&suite.format), suite.bytes(&dense()));
    server.otherwise(move |received| {
        let asked = format.read(received).ok();
        let byte = asked.and_then(|asked| asked.turns.last()?.text().parse().ok());
        Answer::events(bytes.clone()).cut(byte.unwrap_or(0)).ending(ending)
    });
    let model = suite.model(&server);
    Ok((server, model))
}

async fn cut_at(model: &dyn ChatModel, byte: usize) -> Result<Response, ModelError> {
    read(model, &Request::new().user(byte.to_string()).max_output_tokens(100)).await
}

/// The text of the events that are whole in the first bytes of a stream.
fn whole_text(frames: &[Frame], bytes: usize) -> String {
    let mut end = 0;
    let whole = frames.iter().take_while(|frame| {
        end += frame.bytes.len();
        end <= bytes
    });
    whole.map(|frame| frame.text.as_str()).collect()
}

fn check_cut(suite: &Suite, frames: &[Frame], byte: usize, result: Result<Response, ModelError>) -> Outcome {
    let error = match result {
        Ok(got) => return check(suite, &got, &dense()),
        Err(error) => error,
    };
    ensure!(error.kind() == ErrorKind::Connection, "cut at byte {byte}: {error:?}");
    ensure!(error.is_retryable(), "cut at byte {byte}: not retryable: {error:?}");
    let arrived = whole_text(frames, byte);
    let kept = error.received().map(|received| received.text.as_str()).unwrap_or_default();
    // A reader may take the last event for whole without the line that ends it.
    let fits = kept.starts_with(&arrived) && dense().text.starts_with(kept);
    ensure!(fits, "cut at byte {byte}: {arrived:?} had arrived, and {kept:?} is kept");
    Ok(())
}

/// Whether the connection ends as if all were well or breaks, at whatever byte: there is an error that keeps what had
/// arrived, or the answer is whole.
pub(super) async fn a_stream_cut_at_any_byte_is_an_error_or_whole(suite: &Suite) -> Outcome {
    let frames = suite.format.frames(&dense());
    let length = suite.bytes(&dense()).len();
    for ending in [Ending::Proper, Ending::Close] {
        let (_server, model) = cutting(suite, ending).await?;
        let model = &*model;
        let cuts = stream::iter(0..length).map(|byte| async move { (byte, cut_at(model, byte).await) });
        let mut cuts = cuts.buffer_unordered(AT_ONCE);
        while let Some((byte, result)) = cuts.next().await {
            check_cut(suite, &frames, byte, result)?;
        }
    }
    let (_server, model) = cutting(suite, Ending::Proper).await?;
    check(suite, &answered(cut_at(&*model, length).await)?, &dense())
}

/// A reset may lose what is on its way, so only the error is certain.
pub(super) async fn a_reset_stream_is_an_error_or_whole(suite: &Suite) -> Outcome {
    let (_server, model) = cutting(suite, Ending::Reset).await?;
    let mut end = 0;
    for frame in suite.format.frames(&dense()) {
        match cut_at(&*model, end).await {
            Ok(got) => check(suite, &got, &dense())?,
            Err(error) => ensure!(error.kind() == ErrorKind::Connection, "reset at byte {end}: {error:?}"),
        }
        end += frame.bytes.len();
    }
    Ok(())
}

/// A whole answer that is not whole is an error: of the connection if its length was stated.
pub(super) async fn a_body_cut_at_any_byte_is_an_error(suite: &Suite) -> Outcome {
    let whole = suite.whole(&dense());
    let length = suite.format.answer(&dense()).to_string().len();
    let server = suite.server().await?;
    let model = suite.model(&server);
    for byte in 0..length {
        server.then(whole.clone().cut(byte));
        let error = failed(model.complete(&request()).await)?;
        ensure!(error.kind() == ErrorKind::Connection, "cut at byte {byte}: {error:?}");
        server.then(whole.clone().chunked().cut(byte));
        failed(model.complete(&request()).await)?;
    }
    Ok(())
}
