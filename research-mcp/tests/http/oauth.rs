//! Signing in: with the consent of a user, as a program, with more rights later, and in vain.

use std::io;
use std::sync::{Arc, Mutex};

use research_mcp::{BoxFuture, Consent, HttpServer, Hub, McpErrorKind, OAuth, Object, ServerState, ToolSource};
use serde_json::json;

use crate::support::{Reply, Request, Server, old, says};

/// A user who says yes: goes to the page and comes back with what the server gave.
#[derive(Default)]
struct Willing(Mutex<Vec<String>>);

fn query(address: &str, name: &str) -> Option<String> {
    let (_, query) = address.split_once('?')?;
    let pair = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))?;
    Some(pair.replace('+', " ").replace("%3A", ":").replace("%2F", "/").replace("%20", " "))
}

impl Consent for Willing {
    fn redirect_uri(&self) -> String {
        "http://127.0.0.1:9/callback".to_owned()
    }

    fn ask(&self, page: String) -> BoxFuture<'_, io::Result<String>> {
        self.0.lock().unwrap().push(page.clone());
        let state = query(&page, "state").unwrap();
        Box::pin(async move { Ok(format!("{}?code=the-code&state={state}", self.redirect_uri())) })
    }
}

/// A user who never comes back.
struct Unwilling;

impl Consent for Unwilling {
    fn redirect_uri(&self) -> String {
        "http://127.0.0.1:9/callback".to_owned()
    }

    fn ask(&self, _: String) -> BoxFuture<'_, io::Result<String>> {
        Box::pin(async { Err(io::Error::other("the user closed the window")) })
    }
}

/// A server that is its own authorization server. `token-N` has the scopes that were asked for with it; calls need `write`.
async fn server() -> Server {
    let granted = Arc::new(Mutex::new(Vec::<String>::new()));
    Server::start(move |request| {
        let base = format!("http://{}", request.header("host").unwrap());
        let path = request.path.split('?').next().unwrap();
        if let Some(reply) = authorization(request, path, &base, &granted) {
            return reply;
        }
        let metadata = format!("{base}/.well-known/oauth-protected-resource");
        let token = request.header("authorization").and_then(|value| value.strip_prefix("Bearer token-"));
        let Some(scopes) = token.and_then(|number| granted.lock().unwrap().get(number.parse::<usize>().ok()?).cloned())
        else {
            let said = format!("Bearer resource_metadata=\"{metadata}\", scope=\"read\"");
            return Reply::empty(401).with("www-authenticate", &said);
        };
        old(request).unwrap_or_else(|| {
            if scopes.split(' ').any(|scope| scope == "write") {
                return request.result(says("written"));
            }
            let said =
                format!("Bearer error=\"insufficient_scope\", scope=\"write\", resource_metadata=\"{metadata}\"");
            Reply::empty(403).with("www-authenticate", &said)
        })
    })
    .await
}

fn authorization(request: &Request, path: &str, base: &str, granted: &Mutex<Vec<String>>) -> Option<Reply> {
    let form = format!("?{}", request.text);
    Some(match path {
        path if path.starts_with("/.well-known/oauth-protected-resource") => Reply::json(
            200,
            &json!({"resource": format!("{base}/mcp"), "authorization_servers": [base], "scopes_supported": ["read"]}),
        ),
        "/.well-known/oauth-authorization-server" => Reply::json(
            200,
            &json!({"issuer": base, "authorization_endpoint": format!("{base}/authorize"),
                "token_endpoint": format!("{base}/token"), "registration_endpoint": format!("{base}/register"),
                "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
                "grant_types_supported": ["authorization_code", "client_credentials"],
                "token_endpoint_auth_methods_supported": ["client_secret_post", "none"]}),
        ),
        path if path.starts_with("/.well-known/") => Reply::empty(404),
        "/register" => {
            Reply::json(201, &json!({"client_id": "registered", "redirect_uris": request.body["redirect_uris"]}))
        }
        "/token" => {
            let as_program = query(&form, "grant_type").as_deref() == Some("client_credentials");
            if as_program && query(&form, "client_secret").as_deref() != Some("s3cr3t-marker") {
                return Some(Reply::json(401, &json!({"error": "invalid_client"})));
            }
            let mut granted = granted.lock().unwrap();
            // A user grants `write` the second time they are asked.
            let scopes = if as_program || !granted.is_empty() { "read write" } else { "read" };
            granted.push(scopes.to_owned());
            let token = format!("token-{}", granted.len() - 1);
            Reply::json(
                200,
                &json!({"access_token": token, "token_type": "Bearer", "expires_in": 3600, "scope": scopes}),
            )
        }
        _ => return None,
    })
}

async fn hub(server: &Server, settings: OAuth) -> Hub {
    Hub::builder().http("web", HttpServer::new(&server.url).oauth(settings)).connect().await.unwrap()
}

#[tokio::test]
async fn a_user_consents_and_consents_again_to_more() {
    let server = server().await;
    let user = Arc::new(Willing::default());
    let consent: Arc<dyn Consent> = Arc::clone(&user) as _;
    let hub = hub(&server, OAuth::user(consent)).await;
    assert!(hub.servers()[0].state.is_ready(), "{hub:?}");
    assert_eq!(user.0.lock().unwrap().len(), 1);
    let page = user.0.lock().unwrap()[0].clone();
    assert_eq!(query(&page, "scope").as_deref(), Some("read"));
    assert_eq!(query(&page, "resource"), Some(server.url.clone()));
    assert_eq!(query(&page, "code_challenge_method").as_deref(), Some("S256"));
    assert_eq!(hub.list_tools().await.unwrap().tools.len(), 1);
    assert_eq!(hub.call_tool("echo", Object::new()).await.unwrap().text, "written");
    let pages = user.0.lock().unwrap().clone();
    assert_eq!(pages.len(), 2);
    assert!(query(&pages[1], "scope").unwrap().contains("write"), "{pages:?}");
}

#[tokio::test]
async fn a_program_signs_in_for_itself() {
    let server = server().await;
    let settings = OAuth::client_credentials("robot", "s3cr3t-marker");
    assert!(!format!("{settings:?}").contains("s3cr3t-marker"));
    let hub = hub(&server, settings).await;
    assert_eq!(hub.call_tool("echo", Object::new()).await.unwrap().text, "written");
}

#[tokio::test]
async fn a_sign_in_that_fails_leaves_the_server_marked() {
    let server = server().await;
    for (settings, words) in [
        (OAuth::client_credentials("robot", "wrong-s3cr3t"), "signing in failed"),
        (OAuth::user(Arc::new(Unwilling)), "closed the window"),
    ] {
        let hub = hub(&server, settings).await;
        let ServerState::NeedsAuth { reason } = &hub.servers()[0].state else { panic!("{hub:?}") };
        assert!(reason.contains(words) && !reason.contains("wrong-s3cr3t"), "{reason}");
        assert_eq!(hub.call_on("web", "echo", Object::new()).await.unwrap_err().kind(), McpErrorKind::NeedsAuth);
    }
}

#[tokio::test]
async fn a_server_that_names_no_usable_authorization_server_stays_marked() {
    let server = Server::start(|request| {
        let base = format!("http://{}", request.header("host").unwrap());
        match request.path.as_str() {
            "/meta" => Reply::json(
                200,
                &json!({"resource": format!("{base}/mcp"), "authorization_servers": ["http://169.254.169.254/latest"]}),
            ),
            "/mcp" => {
                let said = format!("Bearer resource_metadata=\"{base}/meta\"");
                Reply::empty(401).with("www-authenticate", &said)
            }
            _ => Reply::empty(404),
        }
    })
    .await;
    let hub = hub(&server, OAuth::client_credentials("robot", "s")).await;
    let ServerState::NeedsAuth { reason } = &hub.servers()[0].state else { panic!("{hub:?}") };
    assert!(reason.contains("none published usable metadata"), "{reason}");
    assert!(server.requests().iter().any(|request| request.path == "/meta"), "it was asked where to sign in");
}
