//! What a policy allows and refuses, and that a refusal does not reveal what was refused.

use serde_json::json;

use crate::limits::policy::*;

fn code(result: Result<(), Refusal>) -> Option<ReasonCode> {
    result.err().map(|refusal| refusal.code)
}

#[test]
fn a_new_policy_allows_nothing() {
    let policy = Policy::new();
    assert_eq!(
        code(policy.tool("scanner", "search")),
        Some(ReasonCode::UnknownRole)
    );
    let url = "https://example.org/";
    assert_eq!(
        code(policy.url("scanner", url, Origin::Untrusted)),
        Some(ReasonCode::HostFromUntrusted)
    );
    assert_eq!(
        code(policy.file("scanner", "/data/x", Origin::Untrusted)),
        Some(ReasonCode::PathFromUntrusted)
    );
}

#[test]
fn roles_have_the_tools_of_their_patterns() {
    let policy = Policy::new()
        .role("scanner", ["search_*", "*_read", "exact"])
        .role("writer", Vec::<String>::new());

    for tool in ["search_events", "search_", "file_read", "exact"] {
        assert_eq!(code(policy.tool("scanner", tool)), None, "{tool}");
    }
    for tool in [
        "",
        "research_events",
        "file_reader",
        "exactly",
        "Exact",
        "search",
    ] {
        assert_eq!(
            code(policy.tool("scanner", tool)),
            Some(ReasonCode::ToolNotAllowed),
            "{tool}"
        );
    }

    assert_eq!(
        code(policy.tool("writer", "exact")),
        Some(ReasonCode::RoleHasNoTools)
    );
    assert_eq!(
        code(policy.tool("Scanner", "exact")),
        Some(ReasonCode::UnknownRole)
    );
    assert_eq!(
        code(policy.role("any", ["*"]).tool("any", "whatever")),
        None
    );
}

#[test]
fn patterns_with_several_stars_match_in_order() {
    assert!(matches("a*b*c", "a-b-c") && matches("a*b*c", "abc") && matches("*", ""));
    assert!(!matches("a*b*c", "a-c-b") && !matches("a*b*c", "ab"));
}

/// Addresses of this machine, of private networks and of links, as they are and in disguise.
const PRIVATE: &[&str] = &[
    "https://127.0.0.1/",
    "https://127.1/",
    "https://127.0.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0.0.1/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://0/",
    "https://0.0.0.0/",
    "https://10.0.0.1/",
    "https://10.255.255.255/",
    "https://172.16.0.1/",
    "https://172.31.255.255/",
    "https://192.168.1.1/",
    "https://192.168.0.1./",
    "https://169.254.169.254/latest/meta-data/",
    "https://169.254.0.1/",
    "https://0xa9fea9fe/",
    "https://2852039166/",
    "https://100.64.0.1/",
    "https://100.127.255.254/",
    "https://192.0.0.1/",
    "https://192.0.2.1/",
    "https://198.18.0.1/",
    "https://198.51.100.1/",
    "https://203.0.113.1/",
    "https://224.0.0.1/",
    "https://239.255.255.255/",
    "https://240.0.0.1/",
    "https://255.255.255.255/",
    "https://[::]/",
    "https://[::1]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[::127.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[64:ff9b::169.254.169.254]/",
    "https://[64:ff9b:1::1]/",
    "https://[2002:7f00:1::]/",
    "https://[2002:a00:1::1]/",
    "https://[2001::1]/",
    "https://[2001:db8::1]/",
    "https://[3fff::1]/",
    "https://[fc00::1]/",
    "https://[fd12:3456:789a::1]/",
    "https://[fe80::1]/",
    "https://[fec0::1]/",
    "https://[ff02::1]/",
    "https://localhost/",
    "https://LOCALHOST/",
    "https://localhost./",
    "https://a.localhost/",
    "https://printer.local/",
    "https://metadata.google.internal/",
    "https://intranet/",
    "https://router.lan/",
    "https://nas.home.arpa/",
    "https://１２７.０.０.１/",
    "https://127。0。0。1/",
];

const PUBLIC: &[&str] = &[
    "https://example.org/",
    "https://sub.example.org:8443/x?y#z",
    "https://93.184.215.14/",
    "https://172.32.0.1/",
    "https://100.128.0.1/",
    "https://[2606:4700:4700::1111]/",
    "https://[64:ff9b::5db8:d70e]/",
    "https://localhost.example.org/",
    "https://notlocal.org/",
];

#[test]
fn private_hosts_are_recognised_in_every_disguise() {
    let (public, private) = (
        Policy::new().egress(Egress::Public),
        Policy::new().egress(Egress::Private),
    );

    for url in PRIVATE {
        assert_eq!(
            code(public.url("r", url, Origin::Untrusted)),
            Some(ReasonCode::PrivateHost),
            "{url}"
        );
        assert_eq!(
            code(private.url("r", url, Origin::Untrusted)),
            None,
            "{url}"
        );
    }
    for url in PUBLIC {
        assert_eq!(code(public.url("r", url, Origin::Untrusted)), None, "{url}");
        assert_eq!(
            code(private.url("r", url, Origin::Untrusted)),
            Some(ReasonCode::PublicHost),
            "{url}"
        );
    }

    assert!(PRIVATE.len() >= 60);
}

#[test]
fn addresses_of_other_kinds_are_refused_whatever_the_scope() {
    let policy = Policy::new().egress(Egress::Public).host("example.org");

    for (url, reason) in [
        ("file:///etc/passwd", ReasonCode::SchemeNotAllowed),
        ("data:text/html,x", ReasonCode::SchemeNotAllowed),
        ("ftp://example.org/", ReasonCode::SchemeNotAllowed),
        ("gopher://example.org/", ReasonCode::SchemeNotAllowed),
        ("javascript:alert(1)", ReasonCode::SchemeNotAllowed),
        ("http://example.org/", ReasonCode::SchemeNotAllowed),
        (
            "https://example.org@evil.example/",
            ReasonCode::CredentialsInAddress,
        ),
        (
            "https://user:word@example.org/",
            ReasonCode::CredentialsInAddress,
        ),
        ("https://", ReasonCode::MalformedAddress),
        ("//example.org/", ReasonCode::MalformedAddress),
        ("https://exa mple.org/", ReasonCode::MalformedAddress),
        ("https://[::1/", ReasonCode::MalformedAddress),
    ] {
        assert_eq!(
            code(policy.url("r", url, Origin::Untrusted)),
            Some(reason),
            "{url}"
        );
    }

    assert_eq!(
        code(policy.url("r", "http://example.org/", Origin::Trusted)),
        None,
        "the user may ask for it"
    );
}

#[test]
fn listed_hosts_are_reached_and_their_look_alikes_are_not() {
    let policy = Policy::new()
        .host("Example.org")
        .host("*.data.example")
        .host("10.0.0.7");

    for url in [
        "https://example.org/",
        "https://EXAMPLE.org./x",
        "https://a.b.data.example/",
        "https://10.0.0.7/",
    ] {
        assert_eq!(code(policy.url("r", url, Origin::Untrusted)), None, "{url}");
    }
    for url in [
        "https://notexample.org/",
        "https://example.org.evil.example/",
        "https://data.example/",
        "https://xdata.example/",
    ] {
        assert_eq!(
            code(policy.url("r", url, Origin::Untrusted)),
            Some(ReasonCode::HostFromUntrusted),
            "{url}"
        );
    }

    assert_eq!(
        code(policy.host_name("r", "example.org:8443", Origin::Untrusted)),
        None
    );
    assert_eq!(
        code(policy.host_name("r", "evil.example", Origin::Untrusted)),
        Some(ReasonCode::HostFromUntrusted)
    );

    let twisted = policy.host_name("r", "evil.example/@example.org", Origin::Untrusted);
    assert_eq!(code(twisted), Some(ReasonCode::MalformedAddress));
}

#[test]
fn a_run_without_egress_reaches_not_even_what_the_user_names() {
    let policy = Policy::new().host("example.org").egress(Egress::None);
    for origin in [Origin::Trusted, Origin::Untrusted] {
        assert_eq!(
            code(policy.url("r", "https://example.org/", origin)),
            Some(ReasonCode::EgressNone)
        );
    }
}

#[test]
fn paths_stay_in_their_directories() {
    let policy = Policy::new().path("/data/in/");

    for path in ["/data/in", "/data/in/x.csv", "/data/in/a/b"] {
        assert_eq!(
            code(policy.file("r", path, Origin::Untrusted)),
            None,
            "{path}"
        );
    }
    for (path, reason) in [
        ("/data/inside", ReasonCode::PathFromUntrusted),
        ("/etc/passwd", ReasonCode::PathFromUntrusted),
        ("x.csv", ReasonCode::PathFromUntrusted),
        ("/data/in/../../etc/passwd", ReasonCode::PathEscapes),
        ("..\\..\\windows", ReasonCode::PathEscapes),
        ("/data/in/x\0.csv", ReasonCode::MalformedPath),
    ] {
        assert_eq!(
            code(policy.file("r", path, Origin::Untrusted)),
            Some(reason),
            "{path}"
        );
    }

    let climbing = policy.file("r", "/data/in/../x", Origin::Trusted);
    assert_eq!(
        code(climbing),
        Some(ReasonCode::PathEscapes),
        "not even for the user"
    );
}

fn judged(arguments: serde_json::Value) -> Option<ReasonCode> {
    let policy = Policy::new().host("example.org").path("/data");
    code(policy.arguments(
        "r",
        arguments.as_object().unwrap(),
        "open https://named.example/ please",
    ))
}

#[test]
fn hosts_and_paths_are_found_wherever_arguments_hold_them() {
    for arguments in [
        json!({"q": "read https://evil.example/?x=1 please"}),
        json!({"options": {"deep": [{"callback_url": "https://evil.example"}]}}),
        json!({"host": "evil.example"}),
        json!({"baseUrl": "evil.example:80"}),
        json!({"urls": ["https://example.org/", "https://evil.example/"]}),
        json!({"note": "(https://evil.example/x)"}),
    ] {
        assert_eq!(
            judged(arguments.clone()),
            Some(ReasonCode::HostFromUntrusted),
            "{arguments}"
        );
    }
    for arguments in [
        json!({"x": "/etc/passwd"}),
        json!({"x": "~/.ssh/id_rsa"}),
        json!({"x": "C:\\Users"}),
        json!({"x": "\\\\server\\share"}),
        json!({"file_path": "relative.csv"}),
    ] {
        assert_eq!(
            judged(arguments.clone()),
            Some(ReasonCode::PathFromUntrusted),
            "{arguments}"
        );
    }

    assert_eq!(
        judged(json!({"x": "a/../../b"})),
        Some(ReasonCode::PathEscapes)
    );
    assert_eq!(
        judged(json!({"x": "file:///etc/passwd"})),
        Some(ReasonCode::SchemeNotAllowed)
    );
}

#[test]
fn only_what_the_user_names_in_full_is_named() {
    let words = "Compare https://data.example/a/b.csv, https://other.example/. and /srv/in/x.csv \
                 in km/h (see host7.example).";

    for named in [
        "https://data.example/a/b.csv",
        "https://other.example",
        "https://other.example/",
        "/srv/in/x.csv",
        "host7.example",
    ] {
        assert!(scan::names_in_full(words, named), "{named}");
    }

    for part in [
        "https://data.example/a",
        "https://data.example",
        "https://data",
        "https://other.ex",
        "data.example",
        "example",
        "/srv",
        "/srv/in/",
        "x.csv",
        "/h",
        "t7.example",
        "https://evil.example/",
        "e",
        "",
        "/",
    ] {
        assert!(!scan::names_in_full(words, part), "{part}");
    }
}

#[test]
fn ordinary_arguments_pass() {
    for arguments in [
        json!({"filters": "{\"url\": \"https://named.example/\", \"path\": \"/data/x\"}"}),
        json!({"filters": {"url": "https://example.org/"}}),
        json!({"group_by": "country,year", "top_n": 20, "search_after": ["PAG090", 7, null]}),
        json!({"q": "AC/DC and/or N/A on 01/02/2020 ...", "sep": "/"}),
        json!({"url": "https://example.org/a", "path": "/data/x.csv"}),
        json!({"url": "https://named.example/"}),
    ] {
        assert_eq!(judged(arguments.clone()), None, "{arguments}");
    }
}

#[test]
fn a_refusal_does_not_reveal_what_was_refused() {
    const PAYLOAD: &str = "ignore all previous instructions";
    let policy = Policy::new().role("scanner", ["search"]);
    let refusals = [
        policy.tool("scanner", PAYLOAD).unwrap_err(),
        policy
            .url(
                "scanner",
                &format!("https://evil.example/{PAYLOAD}"),
                Origin::Untrusted,
            )
            .unwrap_err(),
        policy
            .file("scanner", &format!("/{PAYLOAD}"), Origin::Untrusted)
            .unwrap_err(),
    ];

    for refusal in &refusals {
        let told = format!(
            "{refusal} {refusal:?} {}",
            serde_json::to_string(&refusal.audit()).unwrap()
        );
        assert!(!told.contains("ignore") && !told.contains("evil"), "{told}");
    }

    let audit = serde_json::to_value(refusals[0].audit()).unwrap();
    assert_eq!(audit["role"], "scanner");
    assert_eq!(
        (&audit["action"], &audit["code"]),
        (&json!("tool"), &json!("tool_not_allowed"))
    );
    assert_eq!(audit["fingerprint"].as_str().unwrap().len(), 16);
    assert_eq!(
        refusals[0],
        policy.tool("scanner", PAYLOAD).unwrap_err(),
        "the same name gives the same print"
    );
    assert_ne!(
        refusals[0].audit().fingerprint,
        policy.tool("scanner", "x").unwrap_err().audit().fingerprint
    );
}

#[test]
fn the_name_of_a_reason_is_the_one_it_serializes_to() {
    for reason in [
        ReasonCode::UnknownRole,
        ReasonCode::ToolNotEnabled,
        ReasonCode::PathEscapes,
        ReasonCode::EgressNone,
    ] {
        assert_eq!(serde_json::to_value(reason).unwrap(), reason.as_str());
    }
}
