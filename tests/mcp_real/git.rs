//! The reference server for repositories. It speaks both eras.

use std::path::Path;
use std::process::Command;

use research_mcp::{Hub, McpErrorKind};
use serde_json::json;
use tempfile::TempDir;

use crate::{Eras, call, in_each_era, names, outcome, refusal, servers};

const TOOLS: &[&str] = &[
    "git_add",
    "git_branch",
    "git_checkout",
    "git_commit",
    "git_create_branch",
    "git_diff",
    "git_diff_staged",
    "git_diff_unstaged",
    "git_log",
    "git_reset",
    "git_show",
    "git_status",
];

/// Runs git itself.
fn git(repository: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(repository).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A repository with one commit.
fn scratch() -> TempDir {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    git(path, &["init", "--quiet", "--initial-branch=main"]);
    for (name, value) in [("user.name", "Ada"), ("user.email", "ada@birds.example"), ("commit.gpgsign", "false")] {
        git(path, &["config", name, value]);
    }
    std::fs::write(path.join("birds.txt"), "a wren\n").unwrap();
    git(path, &["add", "."]);
    git(path, &["commit", "--quiet", "--message", "Count the wren"]);
    folder
}

/// What a tool without further arguments says.
async fn says(hub: &Hub, tool: &str, repository: &Path) -> String {
    call(hub, tool, json!({"repo_path": repository})).await.text
}

#[tokio::test]
async fn a_change_is_seen_staged_and_committed() {
    let repository = scratch();
    let path = repository.path();
    in_each_era(Eras::Both, servers::git(path), async |hub| {
        let mut listed = names(hub).await;
        listed.sort();
        assert_eq!(listed, TOOLS);

        let before = std::fs::read_to_string(path.join("birds.txt")).unwrap();
        std::fs::write(path.join("birds.txt"), before + "a gannet\n").unwrap();
        assert!(says(hub, "git_diff_unstaged", path).await.contains("+a gannet"));
        assert!(says(hub, "git_status", path).await.contains("modified:   birds.txt"));
        call(hub, "git_add", json!({"repo_path": path, "files": ["birds.txt"]})).await;
        assert!(says(hub, "git_diff_staged", path).await.contains("+a gannet"));
        call(hub, "git_commit", json!({"repo_path": path, "message": "Count the gannet"})).await;
        assert_eq!(git(path, &["log", "-1", "--format=%an: %s"]), "Ada: Count the gannet\n");
        let log = call(hub, "git_log", json!({"repo_path": path, "max_count": 1})).await.text;
        assert!(log.contains("Count the gannet") && !log.contains("Count the wren"), "{log}");
        let first = git(path, &["rev-list", "--max-parents=0", "HEAD"]);
        let shown = call(hub, "git_show", json!({"repo_path": path, "revision": first.trim()})).await.text;
        assert!(shown.contains("+a wren") && !shown.contains("gannet"), "{shown}");
    })
    .await;
}

#[tokio::test]
async fn another_repository_a_bad_revision_and_an_unknown_tool_are_refused() {
    let (repository, other) = (scratch(), scratch());
    in_each_era(Eras::Both, servers::git(repository.path()), async |hub| {
        let elsewhere = refusal(hub, "git_status", json!({"repo_path": other.path()})).await;
        assert!(elsewhere.contains("outside the allowed repository"), "{elsewhere}");
        let flag = json!({"repo_path": repository.path(), "revision": "--output=leak.txt"});
        refusal(hub, "git_show", flag).await;
        assert!(!repository.path().join("leak.txt").exists());
        let missing = refusal(hub, "git_status", json!({})).await;
        assert!(missing.contains("repo_path"), "{missing}");
        let unknown = outcome(hub, "git_push", json!({"repo_path": repository.path()})).await.unwrap_err();
        assert_eq!(unknown.kind(), McpErrorKind::Protocol);
    })
    .await;
}
