//! Pages that are slow, endless, too large, of a wrong type or charset: bounded, and typed.

use std::time::Duration;

use research_agents_sources::fetch::{FetchError, FetchLimits, Fetcher, Page};

use crate::servers::{Reply, Server, html, not_found, redirect, response};
use crate::ssrf::fetcher;

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

async fn fetched(
    limits: FetchLimits,
    reply: impl Fn(&str) -> Reply + Send + Sync + 'static,
) -> Result<Page, FetchError> {
    let server = Server::start(reply).await;
    let fetcher = fetcher().limits(limits.pace(Duration::ZERO));
    let fetcher = fetcher.allow_host(format!("localhost:{}", server.port).parse().unwrap()).build().unwrap();
    fetcher.fetch(&server.url("/page")).await
}

fn limits() -> FetchLimits {
    FetchLimits::default().time(Duration::from_millis(800)).size(100_000)
}

#[tokio::test]
async fn slow_silent_and_endless_pages_end_in_time() {
    let slow = fetched(limits(), |_| Reply::Slow(HEAD.to_vec())).await.unwrap_err();
    assert!(matches!(slow, FetchError::TooSlow { .. }), "{slow}");
    let slow_head = fetched(limits(), |_| Reply::Slow(b"HTTP/1.1 200 OK\r\nx-a: ".to_vec())).await.unwrap_err();
    assert!(matches!(slow_head, FetchError::TooSlow { .. }), "{slow_head}");
    let silent = fetched(limits(), |_| Reply::Silent).await.unwrap_err();
    assert!(matches!(silent, FetchError::TooSlow { .. }), "{silent}");
    let endless = fetched(limits(), |_| Reply::Endless(HEAD.to_vec(), vec![b'a'; 1_000])).await.unwrap_err();
    assert_eq!(endless, FetchError::TooLarge { limit: 100_000 });
    let header = fetched(limits(), |_| Reply::Endless(b"HTTP/1.1 200 OK\r\n".to_vec(), b"x-a: b\r\n".to_vec())).await;
    assert!(matches!(header, Err(FetchError::Connection { .. } | FetchError::TooSlow { .. })), "{header:?}");
}

#[tokio::test]
async fn a_page_that_unpacks_to_too_much_is_cut_off() {
    let bomb = gzip(&vec![b'a'; 50_000_000]);
    assert!(bomb.len() < 100_000);
    let headers = [("content-type", "text/html"), ("content-encoding", "gzip")];
    let reply = response("200 OK", &headers, &bomb);
    let error = fetched(limits().time(Duration::from_secs(5)), move |_| reply.clone()).await.unwrap_err();
    assert_eq!(error, FetchError::TooLarge { limit: 100_000 });

    let good = response("200 OK", &headers, &gzip(b"<p>The pump leaks.</p>"));
    let page = fetched(limits(), move |_| good.clone()).await.unwrap();
    assert_eq!(page.document.text.for_code(), "The pump leaks.");

    let damaged = response("200 OK", &headers, b"\x1f\x8b\x08not gzip");
    let error = fetched(limits(), move |_| damaged.clone()).await.unwrap_err();
    assert!(matches!(error, FetchError::Connection { .. }), "{error}");
    let brotli = response("200 OK", &[("content-type", "text/html"), ("content-encoding", "br")], b"x");
    let error = fetched(limits(), move |_| brotli.clone()).await.unwrap_err();
    assert_eq!(error, FetchError::ContentEncoding { encoding: "br".to_string() });
    let huge = response("200 OK", &[("content-type", "text/html")], &vec![b'a'; 200_000]);
    let error = fetched(limits(), move |_| huge.clone()).await.unwrap_err();
    assert_eq!(error, FetchError::TooLarge { limit: 100_000 });
}

#[tokio::test]
async fn only_pages_of_a_known_type_are_read() {
    for (media_type, body, is_read) in [
        ("text/html", b"<p>text".as_slice(), true),
        ("text/plain", b"text", true),
        ("application/xhtml+xml", b"<html><body>text</body></html>", true),
        ("", b"<!doctype html><p>text", true),
        ("application/octet-stream", b"\x00\x01\x02", false),
        ("image/png", b"\x89PNG\r\n\x1a\n\x00", false),
        ("text/html", b"\x00\x01\x02\x03", false),
        ("video/mp4", b"text", false),
        ("application/zip", b"PK\x03\x04", false),
    ] {
        let reply = response("200 OK", &[("content-type", media_type)], body);
        let result = fetched(limits(), move |_| reply.clone()).await;
        match result {
            Ok(page) => assert!(is_read && page.document.text.for_code() == "text", "{media_type}"),
            Err(FetchError::ContentType { .. }) => assert!(!is_read, "{media_type}"),
            Err(error) => panic!("{media_type}: {error}"),
        }
    }
}

#[tokio::test]
async fn a_wrong_charset_does_not_spoil_the_text() {
    let text = "Größe der Pumpe: 40 Liter für jede Minute.";
    let latin = encoding_rs::WINDOWS_1252.encode(text).0.into_owned();
    for (charset, body) in [
        ("text/plain; charset=utf-8", text.as_bytes().to_vec()),
        ("text/plain; charset=iso-8859-1", text.as_bytes().to_vec()),
        ("text/plain; charset=iso-8859-1", latin.clone()),
        ("text/plain; charset=\"windows-1252\"", latin.clone()),
        ("text/plain; charset=nonsense", text.as_bytes().to_vec()),
        ("text/plain", latin),
    ] {
        let reply = response("200 OK", &[("content-type", charset)], &body);
        let page = fetched(limits(), move |_| reply.clone()).await.unwrap();
        assert_eq!(page.document.text.for_code(), text, "{charset}");
    }
}

#[tokio::test]
async fn redirects_are_followed_up_to_three() {
    let served = |most: usize| {
        move |path: &str| {
            let number: usize = path.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0);
            if number == most { html("<p>end") } else { redirect(&format!("/page{}", number + 1)) }
        }
    };
    assert_eq!(fetched(limits(), served(3)).await.unwrap().redirects, 3);
    assert_eq!(fetched(limits(), served(4)).await.unwrap_err(), FetchError::Redirects { limit: 3 });
    let circle = fetched(limits(), |_| redirect("/page")).await.unwrap_err();
    assert_eq!(circle, FetchError::Redirects { limit: 3 });
}

#[tokio::test]
async fn statuses_say_what_to_do() {
    for (status, words, is_transient) in [
        ("404 Not Found", "no such page", false),
        ("403 Forbidden", "does not let", false),
        ("503 Busy", "later", true),
    ] {
        let reply = response(status, &[("content-type", "text/html")], b"<p>x");
        let error = fetched(limits(), move |_| reply.clone()).await.unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(error.is_transient(), is_transient);
    }
    let reply = response("429 Too Many", &[("retry-after", "7")], b"");
    let error = fetched(limits(), move |_| reply.clone()).await.unwrap_err();
    assert_eq!(error, FetchError::Status { status: 429, retry_after: Some(Duration::from_secs(7)) });
}

async fn with_robots(reply: Reply) -> (Server, Fetcher) {
    let server = Server::start(move |path| if path == "/robots.txt" { reply.clone() } else { html("<p>page") }).await;
    let fetcher = Fetcher::builder()
        .limits(FetchLimits::default().pace(Duration::ZERO).time(Duration::from_secs(5)))
        .allow_host(format!("localhost:{}", server.port).parse().unwrap())
        .build()
        .unwrap();
    (server, fetcher)
}

#[tokio::test]
async fn robots_files_are_obeyed() {
    let rules = "User-agent: *\nDisallow: /private\n\nUser-agent: research-agents\nDisallow: /secret\n";
    let (server, fetcher) = with_robots(response("200 OK", &[], rules.as_bytes())).await;
    assert!(fetcher.fetch(&server.url("/page")).await.is_ok());
    assert_eq!(fetcher.fetch(&server.url("/secret/a")).await.unwrap_err(), FetchError::Robots);
    assert!(fetcher.fetch(&server.url("/private")).await.is_ok());
    let asked = server.requests().iter().filter(|request| request.starts_with("GET /robots.txt")).count();
    assert_eq!(asked, 1);

    let (server, fetcher) = with_robots(not_found()).await;
    assert!(fetcher.fetch(&server.url("/page")).await.is_ok());
    let (server, fetcher) = with_robots(response("500 Broken", &[], b"")).await;
    let error = fetcher.fetch(&server.url("/page")).await.unwrap_err();
    assert!(matches!(error, FetchError::RobotsUnread { .. }), "{error}");
}

#[tokio::test]
async fn requests_to_one_host_are_spaced() {
    let server = Server::start(|_| html("<p>page")).await;
    let an_hour = Duration::from_secs(3600);
    let fetcher = fetcher()
        .limits(FetchLimits::default().pace(an_hour).time(an_hour))
        .allow_host(format!("localhost:{}", server.port).parse().unwrap())
        .build()
        .unwrap();
    let url = server.url("/page");

    assert!(fetcher.fetch(&url).await.is_ok());
    // However long it is waited for, the second request is not sent before its turn.
    let second = tokio::time::timeout(Duration::from_millis(300), fetcher.fetch(&url)).await;

    assert!(second.is_err());
    assert_eq!(server.requests().len(), 1);
}
