//! What data files and servers say cannot command the terminal, wherever it is printed.

use serde_json::json;

use crate::program::{Ran, SERVER, research};
use crate::scratch::Scratch;

/// Writes the clipboard, clears the screen in two ways, rubs out, turns the line around.
const EVIL: &str = "\u{1b}]52;c;AAAA\u{7}\u{1b}[2J\u{9b}2J\u{7f}\u{202e}";

#[track_caller]
fn is_plain(ran: &Ran) {
    let told = format!("{}{}", ran.stdout, ran.stderr);
    let obeyed = |c: char| (c.is_control() && !matches!(c, '\n' | '\t')) || c == '\u{202e}';
    assert!(told.contains("[2J") && !told.contains(obeyed), "{told:?}");
}

#[test]
fn names_and_values_of_a_data_file() {
    let scratch = Scratch::new();
    let rows = format!("id,colour,size{EVIL}\n1,red{EVIL},{EVIL}3\n2,blue,{EVIL}5\n3,red{EVIL},4\n4,blue,4\n");
    let data = scratch.write("evil.csv", rows);
    for more in
        [&["--list-fields"][..], &["--list-fields", "--json"], &["Records by colour"], &["Records by colour", "--json"]]
    {
        let ran = research(&[&["--data", &data][..], more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        is_plain(&ran);
    }
}

#[test]
fn the_last_words_of_a_server() {
    let scratch = Scratch::new();
    let data = scratch.write("good.csv", "id,colour\n1,red\n2,blue\n3,red\n");
    let evil = EVIL.replace('\u{1b}', "\\033").replace('\u{7}', "\\007");
    let servers = json!({"mcpServers": {
        "evil": {"command": "/bin/sh", "args": ["-c", format!("printf '{evil}\\n' >&2; exit 1")]},
        "good": {"command": SERVER, "args": [data]},
    }});
    let config = scratch.write("servers.json", servers.to_string());
    for more in [&["--list-fields"][..], &["Records by colour"]] {
        let ran = research(&[&["--mcp-config", &config][..], more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        is_plain(&ran);
    }
}
