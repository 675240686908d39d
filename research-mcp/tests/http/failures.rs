//! Servers that are not there, want to know who speaks, point elsewhere, or forget the session.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use research_mcp::{HttpServer, Hub, Limits, McpErrorKind, Object, ServerState, ToolSource};
use tokio::net::TcpSocket;

use crate::support::{Reply, Server, old, says};

/// What must never be seen anywhere.
const SECRET: &str = "s3cr3t-marker";

async fn hub(server: HttpServer) -> Hub {
    hub_within(Duration::from_secs(60), server).await
}

async fn hub_within(connect: Duration, server: HttpServer) -> Hub {
    let limits = Limits::default().connect(connect);
    Hub::builder().http("web", server).limits(limits).connect().await.unwrap()
}

fn failed(hub: &Hub) -> String {
    match &hub.servers()[0].state {
        ServerState::Failed { reason, .. } => reason.clone(),
        other => panic!("{other:?}"),
    }
}

async fn until(hub: &Hub, wanted: impl Fn(&ServerState) -> bool) {
    for _ in 0..2_400 {
        if wanted(&hub.servers()[0].state) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("{hub:?}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_said_to_be_so_in_plain_words() {
    // A port that is held, so that nobody else gets it, and that nobody listens at.
    let held = TcpSocket::new_v4().unwrap();
    held.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}/mcp?key={SECRET}", held.local_addr().unwrap());
    let reason = failed(&hub(HttpServer::new(url)).await);
    assert!(reason.contains("cannot be reached") && reason.contains("refused"), "{reason}");
    for jargon in ["rmcp", "Transport [", "Client error", "worker", SECRET] {
        assert!(!reason.contains(jargon), "{reason}");
    }
}

#[tokio::test]
async fn a_server_that_wants_a_login_is_marked_so_and_never_shows_the_secret() {
    let server = Server::start(|_| {
        Reply::empty(401).with("www-authenticate", "Bearer resource_metadata=\"http://127.0.0.1/meta\"")
    })
    .await;
    let address = HttpServer::new(&server.url).bearer(SECRET).header("x-api-key", format!("{SECRET}-2"));
    assert!(!format!("{address:?}").contains(SECRET));
    let hub = hub(address).await;
    let ServerState::NeedsAuth { reason } = &hub.servers()[0].state else { panic!("{hub:?}") };
    assert!(reason.contains("401") && reason.contains("resource_metadata"), "{reason}");
    let error = hub.list_tools().await.unwrap_err();
    let call = hub.call_on("web", "echo", Object::new()).await.unwrap_err();
    assert_eq!(call.kind(), McpErrorKind::NeedsAuth);
    for shown in [format!("{hub:?}"), error.to_string(), format!("{error:?}"), call.to_string(), format!("{call:?}")] {
        assert!(!shown.contains(SECRET), "{shown}");
    }
    let sent = server.requests();
    assert_eq!(sent[0].header("authorization"), Some(&*format!("Bearer {SECRET}")));
    assert_eq!(sent[0].header("x-api-key"), Some(&*format!("{SECRET}-2")));
    assert_eq!(server.count("initialize"), 0, "nothing else is tried");
}

#[tokio::test]
async fn a_login_that_runs_out_later_is_noticed() {
    let server =
        Server::start(|request| old(request).unwrap_or_else(|| Reply::empty(401).with("www-authenticate", "Bearer")))
            .await;
    let hub = hub(HttpServer::new(&server.url)).await;
    let error = hub.call_tool("echo", Object::new()).await.unwrap_err();
    assert_eq!(error.kind(), McpErrorKind::NeedsAuth, "{error}");
    until(&hub, |state| matches!(state, ServerState::NeedsAuth { .. })).await;
    assert_eq!(server.count("initialize"), 1, "it is not tried again and again");
}

#[tokio::test]
async fn what_is_forbidden_concerns_one_call() {
    let server = Server::start(|request| {
        old(request).unwrap_or_else(|| match request.body["params"]["arguments"].get("x") {
            Some(_) => {
                Reply::empty(403).with("www-authenticate", "Bearer error=\"insufficient_scope\", scope=\"write\"")
            }
            None => request.result(says("fine")),
        })
    })
    .await;
    let hub = hub(HttpServer::new(&server.url)).await;
    let error = hub.call_tool("echo", Object::from_iter([("x".to_owned(), 1.into())])).await.unwrap_err();
    assert_eq!(error.kind(), McpErrorKind::NeedsAuth);
    assert!(error.to_string().contains("insufficient_scope"), "{error}");
    assert_eq!(hub.call_tool("echo", Object::new()).await.unwrap().text, "fine");
    assert!(hub.servers()[0].state.is_ready());
}

/// A bare machine has no certificates, and nobody shows any where TLS is not spoken.
#[test]
fn a_plain_address_is_reached_without_any_certificates() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "failures::what_is_forbidden_concerns_one_call"]);
    let output = command.env("SSL_CERT_FILE", "/dev/null").env("SSL_CERT_DIR", "/dev/null").output().unwrap();
    assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{output:?}");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Server::start(|request| old(request).unwrap()).await;
    let target = elsewhere.url.clone();
    let server = Server::start(move |_| Reply::empty(307).with("location", &target)).await;
    let reason = failed(&hub(HttpServer::new(&server.url).bearer(SECRET)).await);
    assert!(reason.contains("redirects to") && reason.contains(&elsewhere.url), "{reason}");
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn a_page_for_people_is_said_to_be_one() {
    let server = Server::start(|_| Reply::new(200, "text/html; charset=utf-8", "<h1>Hello")).await;
    let reason = failed(&hub(HttpServer::new(&server.url)).await);
    assert!(reason.contains("text/html") && reason.contains("check the address"), "{reason}");
}

#[tokio::test]
async fn a_server_that_ignores_the_probe_is_asked_in_the_old_way() {
    let server = Server::start(|request| match request.method() {
        "server/discover" => Reply::Silence,
        _ => old(request).unwrap_or_else(|| request.result(says("fine"))),
    })
    .await;
    // The probe is waited for a third of it.
    let hub = hub_within(Duration::from_secs(9), HttpServer::new(&server.url)).await;
    assert!(hub.servers()[0].state.is_ready(), "{hub:?}");
    assert_eq!(hub.call_tool("echo", Object::new()).await.unwrap().text, "fine");
}

/// A server of 2025 whose session is `session`; requests of any other get a 404.
fn with_session(session: Arc<AtomicUsize>) -> impl Fn(&crate::support::Request) -> Reply + Send + Sync + 'static {
    move |request| {
        let current = session.load(Ordering::SeqCst).to_string();
        match request.method() {
            "initialize" => old(request).unwrap().with("mcp-session-id", &current),
            "server/discover" => old(request).unwrap(),
            _ if request.header("mcp-session-id") != Some(&current) => Reply::empty(404),
            _ => old(request).unwrap_or_else(|| request.result(says("fine"))),
        }
    }
}

#[tokio::test]
async fn a_forgotten_session_is_begun_again_once() {
    let session = Arc::new(AtomicUsize::new(1));
    let server = Server::start(with_session(Arc::clone(&session))).await;
    let hub = hub(HttpServer::new(&server.url)).await;
    assert_eq!(hub.call_tool("echo", Object::new()).await.unwrap().text, "fine");
    session.store(2, Ordering::SeqCst);
    assert_eq!(hub.call_tool("echo", Object::new()).await.unwrap().text, "fine");
    assert_eq!(server.count("initialize"), 2);
}

#[tokio::test]
async fn a_session_that_is_always_forgotten_ends_the_call() {
    let server = Server::start(|request| match request.method() {
        "tools/call" => Reply::empty(404),
        "initialize" => old(request).unwrap().with("mcp-session-id", "s"),
        _ => old(request).unwrap(),
    })
    .await;
    let hub = hub(HttpServer::new(&server.url)).await;
    let error = hub.call_tool("echo", Object::new()).await.unwrap_err();
    assert!(error.to_string().contains("forgotten the session"), "{error}");
    assert_eq!((server.count("tools/call"), server.count("initialize")), (2, 2));
}
