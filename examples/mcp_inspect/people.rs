//! An answer as people read it.

use std::fmt::Write as _;

use console::style;

use research_examples::cli::plain;

use super::answer::{Answer, Call, Listed, Read, Server};

/// The answer as text that ends with a line end. What servers say is cleaned of control characters.
pub fn text(answer: &Answer) -> String {
    match answer {
        Answer::Servers { servers } => self::servers(servers),
        Answer::Tools { tools, servers } => self::tools(tools, servers),
        Answer::Call(call) => self::call(call),
        Answer::Read(read) => self::read(read),
    }
}

fn servers(servers: &[Server]) -> String {
    if servers.is_empty() {
        return "The configuration names no servers.\n".to_owned();
    }
    let width = servers.iter().map(|server| console::measure_text_width(&server.name)).max().unwrap_or(0);
    let mut text = String::new();
    for server in servers {
        let state = match server.state {
            "ready" => style(server.state).green(),
            "disabled" => style(server.state).dim(),
            _ => style(server.state).red(),
        };
        let facts = match (&server.protocol, server.tools, &server.error) {
            (Some(protocol), Some(tools), _) => {
                let name =
                    server.implementation.as_deref().map(|name| format!("{}, ", clean(name))).unwrap_or_default();
                format!("{name}MCP {protocol}, {tools} tools")
            }
            (_, _, Some(error)) => clean(error),
            (Some(protocol), None, None) => format!("MCP {protocol}"),
            (None, _, None) => String::new(),
        };
        let name = console::pad_str(&server.name, width, console::Alignment::Left, None);
        let state = console::pad_str(&state.to_string(), 10, console::Alignment::Left, None).into_owned();
        let _ = writeln!(text, "{name}  {state}  {facts}");
    }
    text
}

fn tools(tools: &[Listed], servers: &[Server]) -> String {
    let mut text = String::new();
    for server in servers {
        let _ = writeln!(text, "{} ({})", style(&server.name).bold(), server.state);
        if let Some(error) = &server.error {
            let _ = writeln!(text, "  {}", style(clean(error)).red());
        }
        for tool in tools.iter().filter(|tool| tool.server == server.name) {
            let name = tool.exposed_name.as_deref().unwrap_or(&tool.name);
            let _ = match &tool.quarantined {
                Some(reason) => {
                    writeln!(text, "  {}  {}", clean(name), style(format!("not usable: {}", clean(reason))).red())
                }
                None => {
                    let said = tool.description.lines().next().unwrap_or_default();
                    writeln!(text, "  {}  {}", clean(name), style(clean(said)).dim())
                }
            };
        }
    }
    text
}

fn call(call: &Call) -> String {
    let mut text = String::new();
    if let Some(error) = &call.error {
        let _ = writeln!(text, "{} {}", style(format!("{}:", error.kind)).red(), clean_lines(&error.message));
    } else if let Some(structured) = &call.structured {
        let _ = writeln!(text, "{}", plain(&serde_json::to_string_pretty(structured).unwrap_or_default()));
    } else {
        let _ = writeln!(text, "{}", clean_lines(&call.text));
    }
    let _ = writeln!(text, "{}", style(format!("{} ms", call.ms)).dim());
    text
}

fn read(read: &Read) -> String {
    let mut text = String::new();
    if let Some(error) = &read.error {
        let _ = writeln!(text, "{} {}", style(format!("{}:", error.kind)).red(), clean_lines(&error.message));
    }
    for content in &read.contents {
        let kind = content.media_type.as_deref().unwrap_or("no media type");
        let _ = writeln!(text, "{}", style(format!("{} ({kind})", clean(&content.uri))).dim());
        let _ = match (&content.text, &content.blob) {
            (Some(said), _) => writeln!(text, "{}", clean_lines(said)),
            (None, Some(blob)) => writeln!(text, "{} characters of base 64", blob.len()),
            (None, None) => writeln!(text, "nothing"),
        };
    }
    text
}

/// One line without what could steer the terminal or deceive its reader.
fn clean(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain(&line).trim().to_owned()
}

/// Lines without what could steer the terminal or deceive its reader.
fn clean_lines(text: &str) -> String {
    plain(text).trim_end().to_owned()
}
