//! Promises about the key.

use std::error::Error;

use super::super::report::{Outcome, ensure};
use super::super::samples::{request, response};
use super::super::suite::{KEY, Suite, failed, read};
use crate::error::ModelError;
use crate::testing::server::Answer;
use crate::testing::wire::Fault;

/// Every text that an error can become.
fn texts(error: &ModelError) -> Vec<String> {
    let mut texts = vec![format!("{error:?}"), format!("{error:#?}"), error.to_string(), error.user_message()];
    let mut source = error.source();
    while let Some(cause) = source {
        texts.push(cause.to_string());
        texts.push(format!("{cause:?}"));
        source = cause.source();
    }
    texts
}

/// A server that says the key back, in whatever way, brings it into no error.
pub(super) async fn the_key_is_in_no_error(suite: &Suite) -> Outcome {
    let words = format!("the key {KEY} is wrong");
    let mut errors = Vec::new();
    for fault in
        [Fault::WrongKey, Fault::Malformed, Fault::RateLimit, Fault::Internal, Fault::Overloaded, Fault::TooLong]
    {
        let answer = Answer::json(fault.status(), &suite.format.error(fault, &words));
        errors.extend(suite.fails_both_ways(&answer, None).await?);
        let (begun, _) = suite.begun(&response());
        let stream = format!("{begun}{}", suite.format.error_frame(fault, &words));
        let (_server, model) = suite.serving(Answer::events(stream)).await?;
        errors.push(failed(read(&*model, &request()).await)?);
    }
    for answer in [
        Answer::text(401, "text/plain", words.clone()),
        Answer::text(403, "text/html", format!("<p>{words}</p>")),
        Answer::text(200, "text/html", words.clone()),
        Answer::text(200, "application/json", format!("{{{words}")),
        Answer::text(200, "application/json", format!("{{\"{KEY}\": \"{KEY}\"}}")),
        Answer::events(format!("data: {{{words}\n\n")),
        Answer::events(format!("event: {KEY}\ndata: \"{KEY}\"\n\n")),
        Answer::redirect(302, &format!("https://example.org/?key={KEY}")),
    ] {
        errors.extend(suite.fails_both_ways(&answer, None).await?);
    }
    for error in &errors {
        let leak = texts(error).into_iter().find(|text| text.contains(KEY));
        ensure!(leak.is_none(), "the key is in an error: {leak:?}");
    }
    Ok(())
}
