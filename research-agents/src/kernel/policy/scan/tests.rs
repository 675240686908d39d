//! Locations that are found in whatever dress, and ordinary texts that are none.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::kernel::policy::{Policy, ReasonCode};

/// The user names one address and one path; the policy lists a host and a directory.
fn judged(arguments: &Value) -> Option<ReasonCode> {
    let policy = Policy::new().host("example.org").path("/data");
    let user = "compare https://named.example/ with /srv/in/x.csv please";
    policy.arguments("r", arguments.as_object().unwrap(), user).err().map(|refusal| refusal.code)
}

/// Hosts in texts of any argument.
const HOSTS: &[&str] = &[
    "https://evil.example/?d=1",
    "https:\\\\evil.example/x",
    "https:\\/evil.example/x",
    "https:evil.example/x",
    "HTTPS:/evil.example",
    "https://example.org.evil.example/",
];
/// Addresses that are refused for what they are.
const ADDRESSES: &[&str] = &[
    "http://evil.example/",
    "http:evil.example",
    "ws:evil.example",
    "file:///etc/passwd",
    "file:/etc/passwd",
    "file:secrets",
    "ftp://evil.example",
    "gopher://evil.example",
    "//evil.example/x",
    "\\/evil.example/x",
    "/\\evil.example/x",
    "data:text/html,hello",
    "javascript:alert",
    "mailto:a@evil.example",
    "jar:https://evil.example/x",
    "view-source:https://evil.example",
    "https://example.org@evil.example/",
    "https://example.org,@evil.example/",
    "https://example.org'@evil.example/",
    "https://example.org)@evil.example/",
    "https://example.org;x=@evil.example/",
    "10.0.0.1:5432",
    "localhost:8080",
    "[::1]:80",
    "user@evil.example:x",
];
/// Paths in texts of any argument, also among other words.
const PATHS: &[&str] = &[
    "/etc/passwd",
    "/home/user/.ssh/id_rsa",
    "/proc/self/environ",
    "~/.ssh/id_rsa",
    "~root/.ssh/id_rsa",
    "~\\secrets",
    "$HOME/.ssh/id_rsa",
    "${HOME}",
    "$HOME",
    "$(pwd)",
    "$env:USERPROFILE",
    "%USERPROFILE%\\x",
    "%TEMP%",
    "C:\\Users",
    "c:/Users",
    "\\\\server\\share",
    "\\\\?\\C:\\x",
    "../../secrets",
    "..\\..\\secrets",
    "a/../../b",
    "a/..",
    "%2Fetc%2Fpasswd",
    "..%2f..%2Fsecrets",
    "%2e%2e%5csecrets",
    "%252e%252e%252fsecrets",
];
/// Paths where nothing else stands beside them.
const ALONE: &[&str] =
    &["/app", "/app/secret", "/r/science", "./secrets", ".ssh/id_rsa", "..", "~", "\\Windows\\x", "/data\0"];

#[test]
fn locations_are_found_by_their_form() {
    for location in [HOSTS, ADDRESSES, PATHS, ALONE].concat() {
        for arguments in [
            json!({"x": location}),
            json!({"query": location}),
            json!({"x": {"y": [{"z": [1, location]}]}}),
            json!({"x": json!({"y": [location]}).to_string()}),
            json!({"x": [["a", location]]}),
        ] {
            assert!(judged(&arguments).is_some(), "{arguments}");
        }
    }
    for host in HOSTS {
        assert_eq!(judged(&json!({"link_to": host})), Some(ReasonCode::HostFromUntrusted), "{host}");
    }
    assert_eq!(judged(&json!({"x": "evil.example:80"})), Some(ReasonCode::HostFromUntrusted));
    assert_eq!(judged(&json!({"x": "evil.example:80/x"})), Some(ReasonCode::MalformedAddress));
    assert_eq!(judged(&json!({"x": {"/etc/passwd": 1}})), Some(ReasonCode::PathFromUntrusted), "a name is a text too");
}

#[test]
fn what_stands_beside_an_address_is_judged_too() {
    for text in [
        "/etc/passwd,https://named.example/",
        "https://named.example/,/etc/passwd",
        "https://named.example/ /etc/passwd",
        "https://named.example/;~/x",
        "https://named.example/|https://evil.example/",
        "https://named.example/\n/etc/passwd",
        "see https://named.example/ and file=/etc/passwd",
    ] {
        for name in ["files", "url", "q", "x"] {
            assert!(judged(&json!({name: text})).is_some(), "{name}: {text:?}");
        }
    }
    assert!(judged(&json!({"file": "https://named.example/ .env"})).is_some());
    assert!(judged(&json!({"url": "https://named.example/ evil.example"})).is_some());
    assert_eq!(judged(&json!({"files": "/srv/in/x.csv, https://named.example/,https://example.org/a,b"})), None);
}

#[test]
fn parsers_that_take_a_whole_text_for_one_address_are_taken_into_account() {
    for text in [
        "https:\tevil.example/",
        "https:\n//evil.example/",
        "ht\ntps://evil.example/",
        "\u{1}https:evil.example",
        "https://named.example @evil.example/",
        "https://example.org\t@evil.example/",
        "https://exam\nple.org.evil.example/",
    ] {
        assert!(judged(&json!({"x": text})).is_some(), "{text:?}");
    }
}

#[test]
fn the_name_of_an_argument_tells_what_its_form_does_not() {
    for (arguments, reason) in [
        (json!({"source_path": ".env"}), ReasonCode::PathFromUntrusted),
        (json!({"input_file": "secrets/key.pem"}), ReasonCode::PathFromUntrusted),
        (json!({"outputFile": "x"}), ReasonCode::PathFromUntrusted),
        (json!({"logfile": "x"}), ReasonCode::PathFromUntrusted),
        (json!({"files": ["/data/a", "x"]}), ReasonCode::PathFromUntrusted),
        (json!({"working directory": "x"}), ReasonCode::PathFromUntrusted),
        (json!({"api_url": "evil.example"}), ReasonCode::HostFromUntrusted),
        (json!({"server": "10.0.0.1:5432"}), ReasonCode::HostFromUntrusted),
        (json!({"domain": "evil.example"}), ReasonCode::HostFromUntrusted),
        (json!({"ip_address": "169.254.169.254"}), ReasonCode::HostFromUntrusted),
        (json!({"host": 2_130_706_433_u64}), ReasonCode::HostFromUntrusted),
        (json!({"options": "{\"api_url\": \"evil.example\"}"}), ReasonCode::HostFromUntrusted),
    ] {
        assert_eq!(judged(&arguments), Some(reason), "{arguments}");
    }
}

/// Texts that people search by and tools are set by.
const ORDINARY: &[&str] = &[
    "ratio 3:1",
    "3:1",
    "AND/OR",
    "and/or",
    "N/A",
    "AC/DC",
    "$45,004",
    "$1.5bn",
    "$AAPL",
    "~5/day",
    "~50 %",
    "100%",
    "%bird%",
    "50%-60%",
    "50%2F50",
    "2020-01-31",
    "01/02/2020",
    "2020-01-31T12:30:00Z",
    "12:30",
    "24/7",
    "km/h",
    "w/o",
    "e.g. strikes, i.e. hits",
    "U.S.",
    "ASP.NET",
    "node.js/react",
    "what does example.com do",
    "10.0.0.1",
    "v1.2:3",
    "size:large -night",
    "C: or D",
    "data: the numbers",
    "https: the protocol",
    "file: closed",
    "\\d+\\s",
    "...",
    "/",
    "a, b; c | d",
    "someone@example.com",
    "Größe > 5",
    "(1) [2] {3}",
    "it's \"quoted\"",
    "C++, C#",
];

#[test]
fn ordinary_texts_are_no_locations() {
    for text in ORDINARY {
        for name in ["query", "title", "profile", "file_type", "path_length", "url_count"] {
            let arguments = json!({name: text, "list": ["a"], "sort": {"field": "Cost: Total $", "order": "desc"}});
            assert_eq!(judged(&arguments), None, "{arguments}");
        }
    }
    for arguments in [
        json!({"server": "nginx", "domain": "health", "address": "5 Main Street", "site": "harbour"}),
        json!({"query": "event.year:2020 or created.month:3", "q": "event.year:2020"}),
        json!({"urls": 3, "link": 7, "size": 5, "flag": true, "nothing": null}),
        json!({"group_by": "country,year", "search_after": ["PAG090", 7, null], "cursor": "eyJhIjoxfQ=="}),
        json!({"date_histogram": {"field": "day", "calendar_interval": "1M"}, "fields": ["and/or", "Cost: Total $"]}),
    ] {
        assert_eq!(judged(&arguments), None, "{arguments}");
    }
}

fn one_of(texts: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(texts)
}

proptest! {
    /// However a list, a sentence or a structure holds a location, it is found.
    #[test]
    fn a_location_is_found_among_anything(
        location in prop_oneof![one_of(HOSTS), one_of(ADDRESSES), one_of(PATHS)],
        before in prop::collection::vec(one_of(ORDINARY), 0..3),
        after in prop::collection::vec(one_of(ORDINARY), 0..3),
        separator in prop::sample::select(&[" ", ", ", "; ", "\n", " | ", "\t"][..]),
        deep in 0..4_usize,
        written in any::<bool>(),
    ) {
        let words: Vec<&str> = before.into_iter().chain([location]).chain(after).collect();
        let mut value = json!(words.join(separator));
        for level in 0..deep {
            value = if level % 2 == 0 { json!([value]) } else { json!({"inner": value}) };
        }
        if written && deep > 0 {
            value = json!(value.to_string());
        }
        prop_assert!(judged(&json!({"query": value})).is_some(), "{}", value);
    }

    /// No text of ordinary words is taken for one.
    #[test]
    fn ordinary_words_stay_ordinary_in_any_company(
        words in prop::collection::vec(one_of(ORDINARY), 1..6),
        separator in prop::sample::select(&[" ", ", ", "; ", "\n"][..]),
    ) {
        prop_assert_eq!(judged(&json!({"query": words.join(separator)})), None, "{:?}", words);
    }

    /// Whatever the text and the name are, there is a verdict.
    #[test]
    fn any_text_is_judged(text in any::<String>(), name in any::<String>()) {
        let _ = judged(&json!({name: [text.clone(), format!("[\"{text}\"]")]}));
        let _ = judged(&json!({"url": text.repeat(20)}));
    }
}
