//! How each server is started.

use std::path::{Path, PathBuf};

use research_mcp::StdioServer;

/// The folder where the servers are installed.
pub fn cache() -> PathBuf {
    let home = |name: &str, below: &str| std::env::var_os(name).map(|home| Path::new(&home).join(below));
    let given = std::env::var_os("RESEARCH_MCP_SERVERS").map(PathBuf::from);
    let usual =
        || home("XDG_CACHE_HOME", "research-mcp-servers").or_else(|| home("HOME", ".cache/research-mcp-servers"));
    let folder = given.or_else(usual).unwrap();
    assert!(folder.is_dir(), "{} is missing; start tests/mcp_real/run", folder.display());
    folder
}

fn program(path: &str) -> String {
    cache().join(path).into_os_string().into_string().unwrap()
}

fn node(name: &str) -> StdioServer {
    StdioServer::new(program(&format!("node_modules/.bin/mcp-server-{name}")))
}

fn python(name: &str) -> StdioServer {
    StdioServer::new(program(&format!("py/bin/mcp-server-{name}")))
}

pub fn everything() -> StdioServer {
    node("everything")
}

/// May read and write in this folder.
pub fn filesystem(root: &Path) -> StdioServer {
    node("filesystem").arg(root.to_str().unwrap())
}

/// Remembers in this file.
pub fn memory(file: &Path) -> StdioServer {
    node("memory").env("MEMORY_FILE_PATH", file.to_str().unwrap())
}

pub fn sequential_thinking() -> StdioServer {
    node("sequential-thinking")
}

/// May touch this repository.
pub fn git(repository: &Path) -> StdioServer {
    python("git").args(["--repository", repository.to_str().unwrap()])
}

pub fn time() -> StdioServer {
    python("time")
}

/// Fetches public addresses only, unless a flag says otherwise.
pub fn fetch(flags: &[&str]) -> StdioServer {
    python("fetch").args(flags.iter().copied())
}

/// Over the database in this file.
pub fn sqlite(database: &Path) -> StdioServer {
    StdioServer::new(program("py1/bin/mcp-server-sqlite")).args(["--db-path", database.to_str().unwrap()])
}

/// Our own server, over the strikes of the examples.
pub fn fastmcp() -> StdioServer {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("mcp_real/fastmcp_events.py");
    StdioServer::new(program("py/bin/python")).args([script.to_str().unwrap(), strikes().to_str().unwrap()])
}

/// The file of strikes.
pub fn strikes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/data/birdstrikes.csv")
}
