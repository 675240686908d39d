//! The fake server does what it is told, and sees what its clients do.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use std::io::ErrorKind;
use std::time::Duration;

use research_llm::testing::{Answer, Ending, FakeServer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const REQUEST: &[u8] = b"POST /v1 HTTP/1.1\r\nX-A: b\r\ncontent-length: 7\r\n\r\n{\"a\":1}";

async fn ask(server: &FakeServer) -> TcpStream {
    let mut client = TcpStream::connect(server.address()).await.unwrap();
    client.write_all(REQUEST).await.unwrap();
    client
}

async fn rest(client: &mut TcpStream) -> String {
    let mut text = String::new();
    client.read_to_string(&mut text).await.unwrap();
    text
}

#[tokio::test]
async fn requests_are_recorded_and_answered_in_order_on_one_connection() {
    let server = FakeServer::start().await.unwrap();
    server.then(Answer::text(200, "text/plain", "one"));
    server.then(Answer::events("two").ending(Ending::Close));
    let mut client = TcpStream::connect(server.address()).await.unwrap();
    // Both at once, and torn in the middle of the second.
    let both = [REQUEST, REQUEST].concat();
    client.write_all(&both[..both.len() - 10]).await.unwrap();
    server.until_received(1).await;
    client.write_all(&both[both.len() - 10..]).await.unwrap();
    let text = rest(&mut client).await;
    assert!(text.contains("content-length: 3\r\n\r\noneHTTP/1.1 200"), "{text}");
    assert!(text.ends_with("chunked\r\n\r\n3\r\ntwo\r\n"), "{text}");
    let received = server.received();
    assert_eq!(received.len(), 2);
    assert_eq!((received[1].method.as_str(), received[1].header("x-a")), ("POST", Some("b")));
    assert_eq!(received[1].json().unwrap()["a"], 1);
    assert!(!received[0].left && !received[1].left);
}

#[tokio::test]
async fn a_client_that_leaves_early_is_seen_during_silence_and_pauses() {
    let server = FakeServer::start().await.unwrap();
    server.then(Answer::silence());
    server.then(Answer::events("abc").pieces_of(1).pause(Duration::from_secs(600)));
    for number in 0..2 {
        let client = ask(&server).await;
        server.until_received(number + 1).await;
        assert!(!server.received()[number].left);
        drop(client);
        server.until_left(number).await;
    }
}

#[tokio::test]
async fn a_reset_is_an_error_and_a_close_is_an_end() {
    let server = FakeServer::start().await.unwrap();
    server.then(Answer::text(200, "text/plain", "whole").ending(Ending::Reset).delay(Duration::from_millis(20)));
    let error = ask(&server).await.read_to_end(&mut Vec::new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    server.then(Answer::text(200, "text/plain", "whole").cut(2));
    assert!(rest(&mut ask(&server).await).await.ends_with("content-length: 5\r\n\r\nwh"));
    server.then(Answer::raw("no HTTP"));
    assert_eq!(rest(&mut ask(&server).await).await, "no HTTP");
}

#[tokio::test]
async fn answers_can_be_computed_and_what_is_not_prepared_is_an_error() {
    let server = FakeServer::start().await.unwrap();
    let mut client = ask(&server).await;
    let mut head = [0; 12];
    client.read_exact(&mut head).await.unwrap();
    assert_eq!(&head, b"HTTP/1.1 501");
    server.otherwise(|request| Answer::text(200, "text/plain", request.path.clone()).cut(3).ending(Ending::Close));
    server.then(Answer::raw("first"));
    assert_eq!(rest(&mut ask(&server).await).await, "first");
    assert!(rest(&mut ask(&server).await).await.ends_with("/v1"));
}

#[tokio::test]
async fn dropping_the_server_closes_its_connections() {
    let server = FakeServer::start().await.unwrap();
    server.then(Answer::silence());
    let mut client = ask(&server).await;
    server.until_received(1).await;
    drop(server);
    assert!(matches!(client.read(&mut [0; 8]).await, Ok(0) | Err(_)));
}
