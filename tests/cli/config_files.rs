//! `--mcp-config`: the servers of a file, of which one has the data, others have something else, and some are dead.

use serde_json::{Value, json};

use crate::program::{ECHO, SERVER, Served, events, research};
use crate::scratch::Scratch;
use crate::table::{delimited, orders};
use crate::{QUESTION, quoted};

fn config(scratch: &Scratch, servers: Value) -> String {
    scratch.write("mcp.json", json!({ "mcpServers": servers }).to_string())
}

#[test]
fn the_tool_with_the_data_is_found_among_others_and_a_dead_server_disturbs_nobody() {
    let scratch = Scratch::new();
    let file = config(
        &scratch,
        json!({"dead": {"command": "no-such-program"}, "echo": {"command": ECHO}, "strikes": {"command": SERVER}}),
    );
    let alone = research(&["--mcp-command", &quoted(SERVER), QUESTION]);
    for tool in [&[][..], &["--tool", "strikes/analyze_events"], &["--tool", "analyze_events"]] {
        let ran = research(&[&["--mcp-config", &file][..], tool, &[QUESTION]].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), alone.stdout.as_str()), "{}", ran.stderr);
        let told = |part: &str| ran.stderr.lines().any(|line| line.starts_with("warning: ") && line.contains(part));
        assert!(told("no-such-program"), "{}", ran.stderr);
    }
}

#[test]
fn servers_of_a_file_are_started_or_reached_over_http() {
    let scratch = Scratch::new();
    let orders = scratch.write("orders.csv", delimited(&orders(90), b',', true));
    let served = Served::start(&[&orders]);
    let file = config(&scratch, json!({"echo": {"command": ECHO}, "orders": {"type": "http", "url": served.url}}));
    let ran = research(&["--mcp-config", &file, "Orders by region"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.stdout, research(&["--data", &orders, "Orders by region"]).stdout);

    let listed = research(&["--mcp-config", &file, "--list-fields"]);
    assert_eq!(listed.code, Some(0));
    assert!(listed.stdout.contains("analyze_events\n") && listed.stdout.contains("echo\n"), "{}", listed.stdout);
    let one = research(&["--mcp-config", &file, "--list-fields", "--tool", "orders/analyze_events"]);
    assert!(one.stdout.starts_with("analyze_events\n") && !one.stdout.contains("echo\n"), "{}", one.stdout);
}

#[test]
fn of_several_tools_with_data_the_user_chooses() {
    let scratch = Scratch::new();
    let orders = scratch.write("orders.csv", delimited(&orders(90), b',', true));
    let servers = json!({"strikes": {"command": SERVER}, "orders": {"command": SERVER, "args": [orders]}});
    let file = config(&scratch, servers);
    for tool in [&[][..], &["--tool", "analyze_events"]] {
        let run = events(&[&["--mcp-config", &file][..], tool].concat());
        assert_eq!((run.ran.code, &run.error()["category"]), (Some(1), &"mcp_tool_error".into()));
        for part in ["--tool", "strikes/analyze_events", "orders/analyze_events"] {
            assert!(run.message().contains(part), "{}", run.message());
        }
    }
    let chosen = research(&["--mcp-config", &file, "--tool", "orders/analyze_events", "Orders by region"]);
    assert_eq!(chosen.code, Some(0), "{}", chosen.stderr);
    assert_eq!(chosen.stdout, research(&["--data", &orders, "Orders by region"]).stdout);
    // Both may be used when the user wants that.
    let both = ["--tool", "orders/analyze_events", "--tool", "strikes/analyze_events"];
    let ran = events(&[&["--mcp-config", &file][..], &both, &["Orders by region"]].concat());
    assert_eq!(ran.ran.code, Some(0), "{}", ran.ran.stderr);
}
