//! The reference server that fetches pages, against a web site of our own. It speaks both eras.

use research_mcp::McpErrorKind;
use serde_json::json;

use crate::web::Site;
use crate::{Eras, call, in_each_era, names, object, outcome, refusal, servers};

const CRANES: &str = "<!doctype html><html><head><title>Cranes</title><script>var hidden = 1;</script></head><body><article>\
    <h1>Cranes return to the fen</h1><p>Forty-two cranes were counted in the fen on the first morning of March, more than in any \
    year since the counting began.</p><p>They will breed <a href=\"/reeds\">among the reeds</a>.</p></article></body></html>";

const PAGES: &[(&str, &str, &str)] = &[
    ("/robots.txt", "text/plain", "User-agent: *\nDisallow: /private\n"),
    ("/cranes", "text/html; charset=utf-8", CRANES),
    ("/data", "application/json", "{\"cranes\": 42}"),
    ("/private/nest", "text/html", "<p>The nest is under the third willow.</p>"),
];

const LOCAL: &[&str] = &["--allow-private-ips"];

#[tokio::test]
async fn a_page_is_fetched_as_text_and_in_parts() {
    let site = Site::start(PAGES).await;
    in_each_era(Eras::Both, servers::fetch(LOCAL), async |hub| {
        assert_eq!(names(hub).await, ["fetch"]);
        let page = call(hub, "fetch", json!({"url": site.url("/cranes")})).await.text;
        assert!(page.contains("Forty-two cranes") && !page.contains("<p>") && !page.contains("hidden"), "{page}");
        let raw = call(hub, "fetch", json!({"url": site.url("/cranes"), "raw": true})).await.text;
        assert!(raw.contains("<h1>Cranes return to the fen</h1>"), "{raw}");
        let part = call(hub, "fetch", json!({"url": site.url("/cranes"), "raw": true, "max_length": 20})).await.text;
        assert!(part.contains("<!doctype html><html") && part.contains("start_index of 20"), "{part}");
        let rest = json!({"url": site.url("/cranes"), "raw": true, "max_length": 20, "start_index": 20});
        assert!(call(hub, "fetch", rest).await.text.contains("><head><title>Cranes"));
        assert!(call(hub, "fetch", json!({"url": site.url("/data")})).await.text.contains("\"cranes\": 42"));
    })
    .await;
}

#[tokio::test]
async fn robots_are_kept_out_and_people_are_not() {
    let site = Site::start(PAGES).await;
    in_each_era(Eras::Both, servers::fetch(LOCAL), async |hub| {
        let nest = site.url("/private/nest");
        let words = refusal(hub, "fetch", json!({ "url": nest })).await;
        assert!(words.contains("robots.txt") && words.contains("not allowed"), "{words}");
        let visits = || site.asked().iter().filter(|path| *path == "/private/nest").count();
        let before = visits();
        let [prompt] = &hub.prompts("server").await.unwrap()[..] else { panic!("one prompt") };
        assert_eq!((prompt.name.as_str(), prompt.arguments[0].required), ("fetch", true));
        let filled = hub.prompt("server", "fetch", object(json!({ "url": nest }))).await.unwrap();
        assert!(filled[0].content.as_text().unwrap().contains("third willow"), "{filled:?}");
        assert_eq!(visits(), before + 1);
    })
    .await;
    // Once in each of the two eras, by the prompt.
    assert_eq!(site.asked().iter().filter(|path| *path == "/private/nest").count(), 2);
}

#[tokio::test]
async fn pages_that_are_missing_or_unreachable_are_errors() {
    let site = Site::start(PAGES).await;
    in_each_era(Eras::Both, servers::fetch(LOCAL), async |hub| {
        assert!(refusal(hub, "fetch", json!({"url": site.url("/storks")})).await.contains("404"));
        assert!(refusal(hub, "fetch", json!({"url": "http://127.0.0.1:1/"})).await.contains("connection issue"));
        assert!(refusal(hub, "fetch", json!({"url": "cranes"})).await.contains("url"));
        assert!(refusal(hub, "fetch", json!({})).await.contains("url"));
        let unknown = outcome(hub, "get", json!({})).await.unwrap_err();
        assert_eq!(unknown.kind(), McpErrorKind::Protocol);
    })
    .await;
}

#[tokio::test]
async fn a_server_that_may_not_look_inside_asks_for_nothing() {
    let site = Site::start(PAGES).await;
    in_each_era(Eras::Both, servers::fetch(&[]), async |hub| {
        let words = refusal(hub, "fetch", json!({"url": site.url("/cranes")})).await;
        assert!(words.contains("not a public address"), "{words}");
    })
    .await;
    assert_eq!(site.asked(), Vec::<String>::new());
}
