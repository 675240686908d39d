//! The reference server for files. It speaks MCP 2025-11-25 and before.

use std::sync::Arc;

use research_mcp::{CallOptions, Content, DirectoryArtifacts, Hub, Lifecycle, McpErrorKind, Overflow, ToolSource};
use serde_json::json;
use tempfile::TempDir;

use crate::processes::Mark;
use crate::{Eras, call, connected, in_each_era, names, object, refusal, servers, watched};

const TOOLS: &[&str] = &[
    "create_directory",
    "directory_tree",
    "edit_file",
    "get_file_info",
    "list_allowed_directories",
    "list_directory",
    "list_directory_with_sizes",
    "move_file",
    "read_file",
    "read_media_file",
    "read_multiple_files",
    "read_text_file",
    "search_files",
    "write_file",
];

/// The smallest picture there is.
const PNG: &[u8] =
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89";

#[tokio::test]
async fn files_are_written_edited_found_and_read() {
    let root = TempDir::new().unwrap();
    let path = |name: &str| root.path().canonicalize().unwrap().join(name).into_os_string().into_string().unwrap();
    in_each_era(Eras::OnlyOld, servers::filesystem(root.path()), async |hub| {
        let mut names = names(hub).await;
        names.sort();
        assert_eq!(names, TOOLS);

        let (notes, folder) = (path("notes.txt"), path("folder"));
        call(hub, "write_file", json!({"path": notes, "content": "a wren\na gull\n"})).await;
        assert_eq!(std::fs::read_to_string(&notes).unwrap(), "a wren\na gull\n");
        let edit = json!({"path": notes, "edits": [{"oldText": "gull", "newText": "gannet"}]});
        assert!(call(hub, "edit_file", edit).await.text.contains("+a gannet"));
        let read = call(hub, "read_text_file", json!({"path": notes})).await;
        assert_eq!(read.text, "a wren\na gannet\n");
        assert_eq!(read.structured, Some(json!({"content": "a wren\na gannet\n"})));
        assert_eq!(call(hub, "read_text_file", json!({"path": notes, "head": 1})).await.text, "a wren");

        call(hub, "create_directory", json!({"path": folder})).await;
        call(hub, "move_file", json!({"source": notes, "destination": format!("{folder}/old.txt")})).await;
        assert_eq!(call(hub, "list_directory", json!({"path": path("")})).await.text, "[DIR] folder");
        let found = call(hub, "search_files", json!({"path": path(""), "pattern": "**/*.txt"})).await;
        assert_eq!(found.text.trim(), format!("{folder}/old.txt"));

        std::fs::write(path("dot.png"), PNG).unwrap();
        let picture = call(hub, "read_media_file", json!({"path": path("dot.png")})).await;
        let is_png = |block: &Content| matches!(block, Content::Image { media_type, data, .. } if media_type == "image/png" && data.starts_with("iVBORw0KGgo"));
        assert!(picture.content.iter().any(is_png), "{:?}", picture.content);

        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::remove_file(path("dot.png")).unwrap();
    })
    .await;
}

#[tokio::test]
async fn what_lies_outside_the_root_or_is_missing_is_refused() {
    let root = TempDir::new().unwrap();
    let outside = TempDir::new().unwrap();
    let secret = outside.path().join("secret.txt");
    std::fs::write(&secret, "secret").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&secret, root.path().join("link.txt")).unwrap();
    in_each_era(Eras::OnlyOld, servers::filesystem(root.path()), async |hub| {
        let above =
            format!("{}/../{}/secret.txt", root.path().display(), outside.path().file_name().unwrap().display());
        for path in [secret.to_str().unwrap().to_owned(), above, format!("{}/link.txt", root.path().display())] {
            let words = refusal(hub, "read_text_file", json!({"path": path})).await;
            assert!(words.contains("Access denied"), "{path}: {words}");
        }
        let missing = root.path().join("missing.txt");
        assert!(refusal(hub, "read_text_file", json!({"path": missing})).await.contains("ENOENT"));
        assert!(refusal(hub, "read_text_file", json!({"path": 5})).await.contains("Invalid arguments"));
        let resources = hub.resources("server").await;
        assert!(resources.as_ref().is_ok_and(Vec::is_empty), "a server without resources has none: {resources:?}");
    })
    .await;
}

#[tokio::test]
async fn a_file_beyond_the_limit_is_an_error_or_is_kept_as_an_artifact() {
    watched(async {
        let (root, kept) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let large = root.path().join("large.txt");
        let text = format!("begin{}end", "x".repeat(300_000));
        std::fs::write(&large, &text).unwrap();
        let (server, mark) = Mark::on(servers::filesystem(root.path()));
        let store = Arc::new(DirectoryArtifacts::new(kept.path()).unwrap());
        let hub = connected(Hub::builder().stdio("server", server).artifacts(store), Lifecycle::Auto).await;
        hub.list_tools().await.unwrap();
        let arguments = || object(json!({"path": large}));
        let small = CallOptions::new().result_bytes(10_000);
        let error = hub.call_with("read_text_file", arguments(), &small).await.unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::TooLarge);
        let cut = hub.call_with("read_text_file", arguments(), &small.overflow(Overflow::Keep)).await.unwrap();
        assert!(cut.text.len() <= 11_000 && cut.text.contains("begin") && cut.text.contains("end"), "{}", cut.text);
        let artifact = cut.artifact.unwrap();
        let whole = std::fs::read_to_string(kept.path().join(format!("{}.json", artifact.id))).unwrap();
        assert!(whole.contains(&text), "{} bytes", whole.len());
        hub.close().await;
        mark.gone().await;
    })
    .await;
}
