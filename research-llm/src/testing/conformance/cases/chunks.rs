//! Promises about how a stream may come.

use super::super::report::Outcome;
use super::super::samples::{check, request, response};
use super::super::suite::{Suite, answered, read};
use crate::call::ToolCall;
use crate::response::Response;
use crate::testing::server::Answer;

fn sample() -> Response {
    response().tool_call(ToolCall::new("call_1", "weather", r#"{"city":"Zürich 🐝"}"#))
}

async fn reads(suite: &Suite, answers: impl IntoIterator<Item = Answer>) -> Outcome {
    let server = suite.server().await?;
    let model = suite.model(&server);
    for answer in answers {
        server.then(answer);
        let got = answered(read(&*model, &request()).await)?;
        check(suite, &got, &sample())?;
    }
    Ok(())
}

/// In pieces of every small size, and in two pieces at places all over, also within characters.
pub(super) async fn every_chunking_gives_the_same_answer(suite: &Suite) -> Outcome {
    let answer = suite.streamed(&sample());
    let length = suite.bytes(&sample()).len();
    let sizes = (1..=11).chain([64, 1_000, length]).map(|size| answer.clone().pieces_of(size));
    let halves = (1..length).step_by(13).map(|at| answer.clone().split_at(&[at]));
    reads(suite, sizes.chain(halves)).await
}

/// Lines may end with CR, LF or both.
pub(super) async fn every_kind_of_line_end_gives_the_same_answer(suite: &Suite) -> Outcome {
    let bytes = suite.bytes(&sample());
    // JSON has no bare line end, so all of them are those of the events.
    let answers = ["\n", "\r\n", "\r"].map(|end| bytes.replace('\n', end));
    reads(
        suite,
        answers.into_iter().flat_map(|bytes| [1, 2, 4_096].map(|size| Answer::events(bytes.clone()).pieces_of(size))),
    )
    .await
}

/// Comments, events and fields that a client does not know change nothing.
pub(super) async fn noise_is_passed_over(suite: &Suite) -> Outcome {
    let noise: String = suite.format.noise().concat();
    let frames = suite.format.frames(&sample());
    let bytes: String = frames.iter().flat_map(|frame| [noise.as_str(), frame.bytes.as_str()]).collect();
    reads(suite, [Answer::events(bytes)]).await
}
