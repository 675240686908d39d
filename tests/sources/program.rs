//! The example `search_sources`, as a user starts it.

use std::process::{Command, Output};

use crate::servers::{Server, html, json, not_found};

async fn run(arguments: Vec<String>) -> Output {
    let program = move || Command::new(env!("CARGO_BIN_EXE_search_sources")).args(arguments).output().unwrap();
    tokio::task::spawn_blocking(program).await.unwrap()
}

fn said(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

/// A page, and a search service that names it.
async fn services() -> (Server, Server) {
    let site = Server::start(|path| match path {
        "/pump" => html("<title>Pumps</title><p>The seal of the pump is worn."),
        _ => not_found(),
    })
    .await;
    let page = site.url("/pump");
    let service = Server::start(move |_| {
        let result = serde_json::json!({"url": page, "title": "Pumps", "content": "The seal is worn."});
        json(&serde_json::json!({"results": [result], "unresponsive_engines": []}).to_string())
    })
    .await;
    (site, service)
}

#[tokio::test]
async fn a_private_page_is_fetched_only_from_a_host_that_is_allowed() {
    let (site, service) = services().await;
    let arguments = || vec!["worn seals".to_string(), "--searxng".into(), service.url(""), "--fetch".into()];

    let refused = run(arguments()).await;
    let (out, _) = said(&refused);
    assert!(!refused.status.success() && out.contains("not fetched: ") && !out.contains("SHA-256"), "{out}");
    assert_eq!(site.connections(), 0);

    let allowed = [arguments(), vec!["--allow-host".into(), format!("localhost:{}", site.port)]].concat();
    let fetched = run(allowed).await;
    let (out, errors) = said(&fetched);
    assert!(fetched.status.success(), "{errors}");
    assert!(out.contains("fetched: ") && out.contains("The seal of the pump is worn."), "{out}");
}

#[tokio::test]
async fn a_folder_is_searched_within_the_budget() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("pump.md"), "# Pumps\n\nThe seal is worn.").unwrap();
    std::fs::write(folder.path().join("photo.bin"), [0, 1]).unwrap();
    let corpus = format!("manuals={}", folder.path().display());
    let arguments = ["worn seals", "--corpus", &corpus, "--fetch"].map(String::from).to_vec();

    let (out, errors) = said(&run(arguments.clone()).await);
    assert!(out.starts_with("manuals: 1 hits, 0 more\n- Pumps (pump.md)"), "{out}");
    assert!(errors.contains("not read: photo.bin") && errors.contains("search_manuals: 1 hit in"), "{errors}");

    let limited = run([arguments, vec!["--budget".into(), "calls=1".into()]].concat()).await;
    assert!(!limited.status.success());
    assert!(said(&limited).0.contains("not fetched: "), "{:?}", said(&limited));
}
