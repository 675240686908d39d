//! `--mcp-config`: the servers of a file, of which one has the data, others have something else, and some are dead.

use serde_json::{Value, json};

use crate::program::{ECHO, SERVER, Served, events, research};
use crate::quoted;
use crate::scratch::Scratch;
use crate::table::{delimited, orders};

const QUESTION: &str = "Orders by region";
/// Another small file: reading the shipped one takes a slow machine longer than a server among several is waited for.
const BIRDS: &str =
    "id,bird,size,state\nB1,gull,Small,Ohio\nB2,heron,Large,Texas\nB3,kestrel,Small,Ohio\nB4,gull,Large,Utah\n";

fn config(scratch: &Scratch, servers: Value) -> String {
    scratch.write("mcp.json", json!({ "mcpServers": servers }).to_string())
}

#[test]
fn the_tool_with_the_data_is_found_among_others_and_a_dead_server_disturbs_nobody() {
    let scratch = Scratch::new();
    let orders = scratch.write("orders.csv", delimited(&orders(90), b',', true));
    let alone = research(&["--mcp-command", &format!("{} {}", quoted(SERVER), quoted(&orders)), QUESTION]);
    let servers = json!({
        "dead": {"command": "no-such-program"},
        "echo": {"command": ECHO},
        "orders": {"command": SERVER, "args": [orders]},
    });
    let file = config(&scratch, servers);
    for tool in [&[][..], &["--tool", "orders/analyze_events"], &["--tool", "analyze_events"]] {
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
    let ran = research(&["--mcp-config", &file, QUESTION]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.stdout, research(&["--data", &orders, QUESTION]).stdout);

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
    let birds = scratch.write("birds.csv", BIRDS);
    let servers =
        json!({"birds": {"command": SERVER, "args": [birds]}, "orders": {"command": SERVER, "args": [orders]}});
    let file = config(&scratch, servers);
    for tool in [&[][..], &["--tool", "analyze_events"]] {
        let run = events(&[&["--mcp-config", &file][..], tool].concat());
        assert_eq!((run.ran.code, &run.error()["category"]), (Some(1), &"mcp_tool_error".into()));
        for part in ["--tool", "birds/analyze_events", "orders/analyze_events"] {
            assert!(run.message().contains(part), "{}", run.message());
        }
    }
    let chosen = research(&["--mcp-config", &file, "--tool", "orders/analyze_events", QUESTION]);
    assert_eq!(chosen.code, Some(0), "{}", chosen.stderr);
    assert_eq!(chosen.stdout, research(&["--data", &orders, QUESTION]).stdout);
    // Both may be used when the user wants that.
    let both = ["--tool", "orders/analyze_events", "--tool", "birds/analyze_events"];
    let ran = events(&[&["--mcp-config", &file][..], &both, &[QUESTION]].concat());
    assert_eq!(ran.ran.code, Some(0), "{}", ran.ran.stderr);
}

#[test]
#[cfg(unix)]
fn a_server_that_takes_long_to_start_is_not_passed_over_for_one_that_is_fast() {
    let scratch = Scratch::new();
    let orders = scratch.write("orders.csv", delimited(&orders(90), b',', true));
    let birds = scratch.write("birds.csv", BIRDS);
    // Longer than a hub of its own accord waits for one more server: as it connects, and as it lists the tools.
    let slow = format!("sleep 21; exec {} {}", quoted(SERVER), quoted(&orders));
    let servers = json!({
        "birds": {"command": SERVER, "args": [birds]},
        "orders": {"command": "sh", "args": ["-c", slow], "policy": {"connectTimeout": 500}},
    });
    let run = events(&["--mcp-config", &config(&scratch, servers), QUESTION]);
    assert_eq!(run.ran.code, Some(1), "{}", run.ran.stderr);
    assert!(run.message().contains("orders/analyze_events"), "{}", run.message());
}
