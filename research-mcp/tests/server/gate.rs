//! Who may ask over HTTP, and what is refused before it is read.

use research_mcp::server::{HttpListen, RunningServer, ServeError, ServerTool, ToolReply, ToolServer};
use serde_json::json;

use crate::watched;
use crate::wire::{initialize, post, send};

fn server() -> ToolServer {
    let tool = ServerTool::new("t", "A tool.", json!({"type": "object"}), |_| async { Ok(ToolReply::text("done")) });
    ToolServer::builder("gate", "1").tool(tool).build().unwrap()
}

async fn running(listen: HttpListen) -> RunningServer {
    server().serve_http(listen).await.unwrap()
}

#[tokio::test]
async fn a_wrong_host_or_origin_is_forbidden() {
    let running = running(HttpListen::loopback(0).allow_host("mcp.example").allow_origin("https://page.example")).await;
    let address = running.address();
    let own = format!("http://localhost:{}", address.port());
    let other_port = format!("http://localhost:{}", address.port().wrapping_add(1));
    for (header, value, status) in [
        ("host", "evil.example", 403),
        ("host", "127.0.0.1.evil.example", 403),
        ("host", "localhost", 200),
        ("host", "[::1]:7", 200),
        ("host", "mcp.example:8080", 200),
        ("origin", "http://evil.example", 403),
        ("origin", "null", 403),
        ("origin", "https://page.example.evil.example", 403),
        ("origin", other_port.as_str(), 403),
        ("origin", own.as_str(), 200),
        ("origin", "https://page.example", 200),
    ] {
        let answer = watched(post(address, &[(header, value)], &initialize())).await;
        assert_eq!(answer.status, status, "{header}: {value}: {answer:?}");
    }
    running.shutdown().await;
}

#[tokio::test]
async fn a_request_that_can_be_understood_in_two_ways_is_refused() {
    let running = running(HttpListen::loopback(0)).await;
    let address = running.address();
    let (own, page) = (address.to_string(), format!("http://{address}"));
    let body = initialize().to_string();
    let status = async |path: &str, headers: &[(&str, &str)]| {
        let kinds = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        let headers: Vec<(&str, &str)> = kinds.into_iter().chain(headers.iter().copied()).collect();
        watched(send(address, "POST", path, &headers, body.as_bytes())).await.status
    };

    let twice = [("host", own.as_str()), ("host", "evil.example")];
    for headers in [twice, [twice[1], twice[0]], [twice[0], twice[0]]] {
        assert_eq!(status("/mcp", &headers).await, 400, "{headers:?}");
    }
    let origins = [("origin", page.as_str()), ("origin", "http://evil.example")];
    for headers in [origins, [origins[1], origins[0]]] {
        assert_eq!(status("/mcp", &headers).await, 400, "{headers:?}");
    }
    for host in
        ["evil@127.0.0.1", "evil.example@localhost:80", "user:word@127.0.0.1:80", "127.0.0.1:", "127.0.0.1:99999", ""]
    {
        assert_eq!(status("/mcp", &[("host", host)]).await, 400, "{host}");
    }

    for target in ["http://evil.example/mcp", "http://evil@127.0.0.1/mcp", "http://localhost:1/mcp"] {
        assert_eq!(status(target, &[("host", &own)]).await, 403, "{target}");
    }
    assert_eq!(status(&format!("http://{own}/mcp"), &[("host", &own)]).await, 200);
    assert_eq!(status("http://evil.example/mcp", &[("host", "evil.example")]).await, 403);
    running.shutdown().await;
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let running = running(HttpListen::loopback(0).body_bytes(10_000)).await;
    let message = |size: usize| json!({"jsonrpc": "2.0", "id": 0, "method": "ping", "params": {"x": "x".repeat(size)}});
    let refused = watched(post(running.address(), &[], &message(20_000))).await;
    assert_eq!(refused.status, 413, "{refused:?}");
    let answer = watched(post(running.address(), &[], &initialize())).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    running.shutdown().await;
}

#[tokio::test]
async fn only_its_path_is_served() {
    let running = running(HttpListen::loopback(0).path("tools")).await;
    assert!(running.url().ends_with("/tools"), "{}", running.url());
    let answer = watched(post(running.address(), &[], &initialize())).await;
    assert_eq!((answer.status, answer.body.contains("/tools")), (404, true), "{answer:?}");
    let answer = watched(send(running.address(), "PUT", "/tools", &[], b"")).await;
    assert_eq!(answer.status, 405, "{answer:?}");
    running.shutdown().await;
}

#[tokio::test]
async fn a_token_is_asked_for_when_there_is_one() {
    let running = running(HttpListen::loopback(0).bearer("open sesame")).await;
    for (authorization, status) in [
        (None, 401),
        (Some("Bearer open"), 401),
        (Some("Basic open sesame"), 401),
        (Some("open sesame"), 401),
        (Some("Bearer open sesame"), 200),
        (Some("bearer open sesame"), 200),
    ] {
        let headers: Vec<(&str, &str)> = authorization.into_iter().map(|value| ("authorization", value)).collect();
        let answer = watched(post(running.address(), &headers, &initialize())).await;
        assert_eq!(answer.status, status, "{authorization:?}: {answer:?}");
        assert_eq!(answer.header("www-authenticate"), (status == 401).then_some("Bearer"), "{answer:?}");
    }
    assert!(!format!("{:?}", HttpListen::loopback(0).bearer("sesame")).contains("sesame"));
    running.shutdown().await;
}

#[tokio::test]
async fn an_address_for_others_is_refused_with_a_remedy() {
    let everywhere = || HttpListen::on("0.0.0.0:0".parse().unwrap());
    for listen in [everywhere(), everywhere().allow_remote(), everywhere().bearer("token")] {
        let error = server().serve_http(listen).await.unwrap_err();
        assert!(matches!(error, ServeError::Exposed { .. }), "{error:?}");
        let text = error.to_string();
        assert!(text.contains("127.0.0.1") && text.contains("allow_remote") && text.contains("bearer"), "{text}");
    }
    let running = running(everywhere().allow_remote().bearer("token")).await;
    running.shutdown().await;
}

#[tokio::test]
async fn a_port_that_is_taken_is_named() {
    let running = running(HttpListen::loopback(0)).await;
    let error = server().serve_http(HttpListen::on(running.address())).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&running.address().to_string()) && text.contains("another port"), "{text}");
    running.shutdown().await;
}
