//! Promises about failures that the server reports, and about a server that is not there.

use std::time::{Duration, SystemTime};

use super::super::report::{Outcome, ensure, same};
use super::super::samples::{request, response};
use super::super::suite::{Suite, failed, read};
use crate::error::{ErrorKind, ModelError};
use crate::testing::server::Answer;
use crate::testing::wire::Fault;

fn check_kind(what: &str, errors: &[ModelError], kind: ErrorKind) -> Outcome {
    errors.iter().try_for_each(|error| {
        ensure!(error.kind() == kind, "{what}: the error is {error:?} instead of a {kind}");
        Ok(())
    })
}

/// Seconds, milliseconds and a date, with a 429 and with a 503.
pub(super) async fn a_rate_limit_says_when_to_come_back(suite: &Suite) -> Outcome {
    let hour = Duration::from_secs(3_600);
    let (soon, past) = (SystemTime::now() + hour, SystemTime::now() - hour);
    let exactly = |time: Duration| time..=time;
    let second = Duration::from_secs(1);
    let cases = [
        (vec![("retry-after", "7".to_owned())], Some(exactly(second * 7))),
        (vec![("retry-after-ms", "1500".to_owned())], Some(exactly(Duration::from_millis(1_500)))),
        (
            vec![("retry-after", "2".to_owned()), ("retry-after-ms", "1500".to_owned())],
            Some(exactly(Duration::from_millis(1_500))),
        ),
        // A date has whole seconds, and the call takes time.
        (vec![("retry-after", date(soon))], Some(hour - 600 * second..=hour + second)),
        (vec![("retry-after", date(past))], Some(exactly(Duration::ZERO))),
        (vec![], None),
        (vec![("retry-after", "soon, I hope".to_owned())], None),
    ];
    for (headers, wanted) in cases {
        for (fault, kind) in [(Fault::RateLimit, ErrorKind::RateLimit), (Fault::Overloaded, ErrorKind::ServerError)] {
            let answer = headers.iter().fold(suite.failing(fault), |answer, (name, value)| answer.header(name, value));
            let errors = suite.fails_both_ways(&answer, None).await?;
            check_kind("a status with Retry-After", &errors, kind)?;
            for error in errors {
                let told = error.retry_after();
                let fits = match (&wanted, told) {
                    (Some(range), Some(told)) => range.contains(&told),
                    // A moment that has passed may as well be no moment.
                    (Some(range), None) => range.end().is_zero(),
                    (None, told) => told.is_none(),
                };
                ensure!(fits, "{headers:?} is told as {told:?} instead of {wanted:?}");
                ensure!(error.is_retryable(), "not retryable: {error:?}");
            }
        }
    }
    Ok(())
}

/// A date in the form of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
fn date(at: SystemTime) -> String {
    let seconds = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    // From days to a date of the Gregorian calendar, by eras of 400 years of 146,097 days that begin in March
    // (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days).
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let calendar_month = if month < 10 { month + 3 } else { month - 9 };
    let calendar_year = era * 400 + year + u64::from(calendar_month <= 2);
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    // The epoch was a Thursday.
    let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    let (weekday, month) = (weekdays[(days % 7) as usize], months[calendar_month as usize - 1]);
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{weekday}, {day_of_month:02} {month} {calendar_year} {hour:02}:{minute:02}:{second:02} GMT")
}

/// 500, 502 with a page of a proxy, 503 without a word, 504 and 529.
pub(super) async fn a_failure_of_the_provider_is_retryable(suite: &Suite) -> Outcome {
    let answers = [
        (500, suite.failing(Fault::Internal)),
        (502, Answer::text(502, "text/html", "<html><title>502 Bad Gateway</title><h1>nginx</h1></html>")),
        (503, Answer::text(503, "text/plain", "")),
        (529, suite.failing(Fault::Overloaded)),
    ];
    for (status, answer) in answers {
        let errors = suite.fails_both_ways(&answer, None).await?;
        check_kind(&format!("status {status}"), &errors, ErrorKind::ServerError)?;
        for error in errors {
            ensure!(error.is_retryable(), "status {status} is not retryable: {error:?}");
            let told = matches!(&error, ModelError::Server { status: Some(told), .. } if *told == status);
            ensure!(told, "status {status} is not told: {error:?}");
        }
    }
    // A gateway that gave up waiting may be called a failure of the server or a time limit.
    for error in suite.fails_both_ways(&Answer::text(504, "application/json", "{not json"), None).await? {
        let fits = matches!(error.kind(), ErrorKind::ServerError | ErrorKind::Timeout) && error.is_retryable();
        ensure!(fits, "status 504 ends with {error:?}");
    }
    Ok(())
}

/// A wrong key and a malformed request stay wrong.
pub(super) async fn a_refusal_is_not_retryable(suite: &Suite) -> Outcome {
    for (fault, kind) in [(Fault::WrongKey, ErrorKind::Authentication), (Fault::Malformed, ErrorKind::InvalidRequest)] {
        let errors = suite.fails_both_ways(&suite.failing(fault), None).await?;
        check_kind("a refusal", &errors, kind)?;
        ensure!(!errors.iter().any(ModelError::is_retryable), "a refusal is retryable: {errors:?}");
    }
    Ok(())
}

/// The limit of the model and the size of the request are read from what the provider says.
pub(super) async fn a_request_that_is_too_long_is_told_apart(suite: &Suite) -> Outcome {
    for error in suite.fails_both_ways(&suite.failing(Fault::TooLong), None).await? {
        check_kind("a request that is too long", std::slice::from_ref(&error), ErrorKind::TokenLimit)?;
        let ModelError::TokenLimit { limit, requested, .. } = error else { continue };
        same("the limit", limit, Some(8_192))?;
        same("the size of the request", requested, Some(9_001))?;
    }
    Ok(())
}

/// An error within a stream is typed like one before it, and what had arrived is kept.
pub(super) async fn a_failure_within_a_stream_keeps_what_arrived(suite: &Suite) -> Outcome {
    let (begun, text) = suite.begun(&response());
    let faults = [
        (Fault::Overloaded, ErrorKind::ServerError),
        (Fault::RateLimit, ErrorKind::RateLimit),
        (Fault::Internal, ErrorKind::ServerError),
    ];
    for (fault, kind) in faults {
        let failure = suite.format.error_frame(fault, "the details");
        let (_server, model) = suite.serving(Answer::events(format!("{begun}{failure}"))).await?;
        let error = failed(read(&*model, &request()).await)?;
        check_kind("an error within a stream", std::slice::from_ref(&error), kind)?;
        same("what had arrived", error.received().map(|received| received.text.as_str()), Some(text.as_str()))?;
        let (_server, model) = suite.serving(Answer::events(failure)).await?;
        let error = failed(read(&*model, &request()).await)?;
        check_kind("an error at the beginning of a stream", std::slice::from_ref(&error), kind)?;
    }
    Ok(())
}

/// A refused connection may work later.
pub(super) async fn a_server_that_is_not_there_is_a_connection_error(suite: &Suite) -> Outcome {
    let (_port, model) = suite.deserted()?;
    let errors = [failed(model.complete(&request()).await)?, failed(read(&*model, &request()).await)?];
    check_kind("a refused connection", &errors, ErrorKind::Connection)?;
    ensure!(errors.iter().all(ModelError::is_retryable), "not retryable: {errors:?}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_the_form_of_http() {
        let at = |seconds| date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(at(0), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(at(1_709_164_800), "Thu, 29 Feb 2024 00:00:00 GMT");
        assert_eq!(at(1_735_689_599), "Tue, 31 Dec 2024 23:59:59 GMT");
    }
}
