//! Who may ask over HTTP, read strictly: what could be understood in two ways is refused.

use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderName, StatusCode, header};

/// Why a request is not answered.
pub(super) type Refused = (StatusCode, &'static str);

/// Checks that a request says once and plainly for whom it is and where it comes from. The names themselves are checked against the
/// lists later.
pub(super) fn admitted(request: &Parts) -> Result<(), Refused> {
    let host = only(&request.headers, header::HOST)?.ok_or((StatusCode::BAD_REQUEST, "a request needs a Host"))?;
    let host = plain(host).ok_or((StatusCode::BAD_REQUEST, "the Host is not a name with a port"))?;
    only(&request.headers, header::ORIGIN)?;
    if request.headers.contains_key(header::TRANSFER_ENCODING) && request.headers.contains_key(header::CONTENT_LENGTH) {
        return Err((StatusCode::BAD_REQUEST, "the length of the body is told in two ways"));
    }

    // A request in absolute form names the host in its first line too.
    match request.uri.authority() {
        Some(target) if plain(target.as_str()).is_none_or(|target| !is_same(&target, &host)) => {
            Err((StatusCode::FORBIDDEN, "the request is for another host than its Host"))
        }
        _ => Ok(()),
    }
}

/// Returns the value of a header that may be there once.
fn only(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, Refused> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err((StatusCode::BAD_REQUEST, "a header is there twice"));
    }
    value.to_str().map(Some).map_err(|_| (StatusCode::BAD_REQUEST, "a header is not plain text"))
}

/// Returns a host with or without a port; nothing for one with a user.
fn plain(authority: &str) -> Option<Authority> {
    let authority: Authority = authority.parse().ok()?;
    let rest = authority.as_str().strip_prefix(authority.host())?;
    let is_plain = rest.is_empty() || rest.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    (is_plain && !authority.host().is_empty()).then_some(authority)
}

fn is_same(one: &Authority, other: &Authority) -> bool {
    let port = |authority: &Authority| authority.port_u16().unwrap_or(80);
    one.host().eq_ignore_ascii_case(other.host()) && port(one) == port(other)
}
