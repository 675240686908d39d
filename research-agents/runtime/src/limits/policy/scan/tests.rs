//! Locations are found in every notation, and ordinary texts are not mistaken for them.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::limits::policy::Policy;
use crate::limits::policy::refusal::ReasonCode;

/// Judges arguments where the user names one URL and one path, and the policy lists a host and a
/// directory.
fn judged(arguments: &Value) -> Option<ReasonCode> {
    let policy = Policy::new().host("example.org").path("/data");
    let user = "compare https://named.example/ with /srv/in/x.csv please";
    policy
        .arguments("r", arguments.as_object().unwrap(), user)
        .err()
        .map(|refusal| refusal.code)
}

/// URLs that are refused for their host, in any argument.
const HOSTS: &[&str] = &[
    "https://evil.example/?d=1",
    "https:\\\\evil.example/x",
    "https:\\/evil.example/x",
    "https:evil.example/x",
    "HTTPS:/evil.example",
    "https://example.org.evil.example/",
];
/// URLs and endpoints that are refused for any reason, in any argument.
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
/// Paths in any argument, even among other words.
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
/// Paths if no other words are next to them.
const ALONE: &[&str] = &[
    "/app",
    "/app/secret",
    "/r/science",
    "./secrets",
    ".ssh/id_rsa",
    "..",
    "~",
    "\\Windows\\x",
    "/data\0",
];

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
        assert_eq!(
            judged(&json!({"link_to": host})),
            Some(ReasonCode::HostFromUntrusted),
            "{host}"
        );
    }

    assert_eq!(
        judged(&json!({"x": "evil.example:80"})),
        Some(ReasonCode::HostFromUntrusted)
    );
    assert_eq!(
        judged(&json!({"x": "evil.example:80/x"})),
        Some(ReasonCode::MalformedAddress)
    );
    assert_eq!(
        judged(&json!({"x": {"/etc/passwd": 1}})),
        Some(ReasonCode::PathFromUntrusted),
        "a name is a text too"
    );
}

#[test]
fn the_words_next_to_a_url_are_judged_too() {
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
    assert_eq!(
        judged(&json!({"files": "/srv/in/x.csv, https://named.example/,https://example.org/a,b"})),
        None
    );
}

#[test]
fn parsers_that_read_a_whole_text_as_one_url_are_considered() {
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
fn the_name_of_an_argument_decides_where_its_form_does_not() {
    for arguments in [
        json!({"source_path": ".env"}),
        json!({"input_file": "secrets/key.pem"}),
        json!({"outputFile": "x"}),
        json!({"logfile": "x"}),
        json!({"files": ["/data/a", "x"]}),
        json!({"working directory": "x"}),
    ] {
        assert_eq!(
            judged(&arguments),
            Some(ReasonCode::PathFromUntrusted),
            "{arguments}"
        );
    }

    for arguments in [
        json!({"api_url": "evil.example"}),
        json!({"server": "10.0.0.1:5432"}),
        json!({"domain": "evil.example"}),
        json!({"ip_address": "169.254.169.254"}),
        json!({"host": 2_130_706_433_u64}),
        json!({"options": "{\"api_url\": \"evil.example\"}"}),
    ] {
        assert_eq!(
            judged(&arguments),
            Some(ReasonCode::HostFromUntrusted),
            "{arguments}"
        );
    }
}

/// Ordinary search texts and settings of tools.
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
fn ordinary_texts_are_not_locations() {
    for text in ORDINARY {
        for name in [
            "query",
            "title",
            "profile",
            "file_type",
            "path_length",
            "url_count",
        ] {
            let sort = json!({"field": "Cost: Total $", "order": "desc"});
            let arguments = json!({name: text, "list": ["a"], "sort": sort});
            assert_eq!(judged(&arguments), None, "{arguments}");
        }
    }

    for arguments in [
        json!({"server": "nginx", "domain": "health"}),
        json!({"address": "5 Main Street", "site": "harbour"}),
        json!({"query": "event.year:2020 or created.month:3", "q": "event.year:2020"}),
        json!({"urls": 3, "link": 7, "size": 5, "flag": true, "nothing": null}),
        json!({"group_by": "country,year", "search_after": ["PAG090", 7, null]}),
        json!({"cursor": "eyJhIjoxfQ=="}),
        json!({"date_histogram": {"field": "day", "calendar_interval": "1M"}}),
        json!({"fields": ["and/or", "Cost: Total $"]}),
    ] {
        assert_eq!(judged(&arguments), None, "{arguments}");
    }
}

fn one_of(texts: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(texts)
}

proptest! {
    /// A location is found in every list, sentence and structure.
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

    /// Ordinary texts are not mistaken for locations in any combination.
    #[test]
    fn ordinary_texts_stay_ordinary_in_any_combination(
        words in prop::collection::vec(one_of(ORDINARY), 1..6),
        separator in prop::sample::select(&[" ", ", ", "; ", "\n"][..]),
    ) {
        prop_assert_eq!(judged(&json!({"query": words.join(separator)})), None, "{:?}", words);
    }

    /// Every text and every name is judged without a panic.
    #[test]
    fn any_text_is_judged(text in any::<String>(), name in any::<String>()) {
        let _ = judged(&json!({name: [text.clone(), format!("[\"{text}\"]")]}));
        let _ = judged(&json!({"url": text.repeat(20)}));
    }
}
