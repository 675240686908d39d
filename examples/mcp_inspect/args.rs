//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  mcp_inspect --config mcp.json servers
      How each server of a configuration stands, and which protocol it speaks
  mcp_inspect --config mcp.json tools files
      The tools of one server, with those that cannot be used and why
  mcp_inspect --config mcp.json call files read_file '{\"path\": \"notes.txt\"}'
  mcp_inspect --config mcp.json --json read docs docs://index | jq .contents";

/// Looks at MCP servers: connects those of a configuration file, lists their tools, calls one, or reads a resource.
///
/// The file is the one that desktop clients use: {"mcpServers": {"name": {"command": …} or {"url": …}}}. A server that fails is part
/// of the answer; the exit code is 0 whenever the question could be answered.
#[derive(Debug, Parser)]
#[command(name = "mcp_inspect", version, after_help = EXAMPLES)]
pub struct Args {
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    pub config: PathBuf,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,

    /// How long a server may take to connect and to answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: u64,

    #[command(subcommand)]
    pub question: Question,
}

/// What is asked.
#[derive(Debug, Subcommand)]
pub enum Question {
    /// How every server stands
    Servers,
    /// The tools of all servers, or of one
    Tools {
        /// Name of the server in the file
        server: Option<String>,
    },
    /// Call a tool
    Call {
        /// Name of the server in the file
        server: String,
        /// Name of the tool, as the server spells it or as it is exposed
        tool: String,
        /// The arguments: a JSON object
        #[arg(default_value = "{}")]
        arguments: String,
    },
    /// Read a resource
    Read {
        /// Name of the server in the file
        server: String,
        /// Address of the resource
        uri: String,
    },
}
