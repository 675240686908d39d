//! Promises about answers that are none.

use super::super::report::{Outcome, ensure, same};
use super::super::samples::{request, response};
use super::super::suite::{Suite, failed, read};
use crate::error::ErrorKind;
use crate::testing::server::{Answer, Ending};

/// What is not HTTP, not JSON, or JSON of another shape.
pub(super) async fn garbage_is_no_answer(suite: &Suite) -> Outcome {
    for bytes in [&b"\x00\xff\xfe what is this\r\n\r\n"[..], b"", b"HTTP/1.1 abc\r\n\r\n"] {
        for error in suite.fails_both_ways(&Answer::raw(bytes), None).await? {
            let fits = matches!(error.kind(), ErrorKind::Connection | ErrorKind::InvalidResponse);
            ensure!(fits, "{bytes:?} ends with {error:?}");
        }
    }
    for body in ["", "{"] {
        // What is no more than a beginning may have been cut off.
        let (_server, model) = suite.serving(Answer::text(200, "application/json", body)).await?;
        let error = failed(model.complete(&request()).await)?;
        let fits = matches!(error.kind(), ErrorKind::Connection | ErrorKind::InvalidResponse);
        ensure!(fits, "the body {body:?} ends with {error:?}");
    }
    for body in ["{{{", "[]", "null", "{}", "\"text\"", "42", "{\"choices\":[],\"content\":{},\"output\":7}"] {
        let (_server, model) = suite.serving(Answer::text(200, "application/json", body)).await?;
        let error = failed(model.complete(&request()).await)?;
        ensure!(error.kind() == ErrorKind::InvalidResponse, "the body {body:?} ends with {error:?}");
    }
    let (_server, model) = suite.serving(Answer::events("data: {{{\n\n")).await?;
    let error = failed(read(&*model, &request()).await)?;
    ensure!(error.kind() == ErrorKind::InvalidResponse, "a stream that is no JSON ends with {error:?}");
    // An event of a shape that nobody knows may be passed over, but it is no answer.
    for body in ["data: 42\n\n", "data: {}\n\n", "event: message\n\n", "{\"a\":1}"] {
        let (_server, model) = suite.serving(Answer::events(body)).await?;
        let error = failed(read(&*model, &request()).await)?;
        let fits = matches!(error.kind(), ErrorKind::Connection | ErrorKind::InvalidResponse);
        ensure!(fits, "the stream {body:?} ends with {error:?}");
    }
    Ok(())
}

/// An event that cannot be read ends the stream, whatever comes after it.
pub(super) async fn garbage_within_a_stream_keeps_what_arrived(suite: &Suite) -> Outcome {
    let (begun, text) = suite.begun(&response());
    let rest = suite.bytes(&response()).split_off(begun.len());
    for garbage in ["data: {\"type\":\"content_block_delta\",\n\n", "data: \u{0}\u{1f41d}\n\n"] {
        let (_server, model) = suite.serving(Answer::events(format!("{begun}{garbage}{rest}"))).await?;
        let error = failed(read(&*model, &request()).await)?;
        ensure!(error.kind() == ErrorKind::InvalidResponse, "garbage within a stream ends with {error:?}");
        same("what had arrived", error.received().map(|received| received.text.as_str()), Some(text.as_str()))?;
    }
    let (_server, model) = suite.serving(Answer::events(begun).split_at(&[1]).ending(Ending::Reset)).await?;
    failed(read(&*model, &request()).await)?;
    Ok(())
}

/// A page with status 200, as portals and proxies send it.
pub(super) async fn a_page_of_another_kind_is_no_answer(suite: &Suite) -> Outcome {
    let page = Answer::text(200, "text/html; charset=utf-8", "<html><body>Please log in.</body></html>");
    for error in suite.fails_both_ways(&page, None).await? {
        ensure!(error.kind() == ErrorKind::InvalidResponse, "a page ends with {error:?}");
        ensure!(error.received().is_none(), "something of a page is taken for an answer: {error:?}");
    }
    let page = suite.whole(&response()).header("content-type", "text/html");
    for error in suite.fails_both_ways(&page, None).await? {
        ensure!(error.kind() == ErrorKind::InvalidResponse, "an answer called a page ends with {error:?}");
    }
    Ok(())
}

/// Request and key stay with the server that they were meant for.
pub(super) async fn a_redirect_is_not_followed(suite: &Suite) -> Outcome {
    let elsewhere = suite.server().await?;
    for status in [301, 302, 303, 307, 308] {
        let redirect = Answer::redirect(status, &format!("{}/v1/elsewhere", elsewhere.url()));
        for error in suite.fails_both_ways(&redirect, None).await? {
            ensure!(error.kind() == ErrorKind::InvalidResponse, "status {status} ends with {error:?}");
        }
    }
    let count = elsewhere.received().len();
    ensure!(count == 0, "{count} requests went where a redirect pointed");
    Ok(())
}
