//! Addresses that must not be opened: none gets through, by name, by number, by redirect or by changing its address.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use research_agents_sources::fetch::{FetchError, FetchLimits, Fetcher, FetcherBuilder, Guard, Resolve};

use crate::servers::{Server, html, not_found, redirect};

/// Addresses and why they are refused.
const REFUSED: &[(&str, &str)] = &[
    ("https://127.0.0.1/", "private_host"),
    ("https://127.1/", "private_host"),
    ("https://127.0.1/", "private_host"),
    ("https://0/", "private_host"),
    ("https://0.0.0.0/", "private_host"),
    ("https://2130706433/", "private_host"),
    ("https://017700000001/", "private_host"),
    ("https://0x7f000001/", "private_host"),
    ("https://0x7f.1/", "private_host"),
    ("https://0177.0.0.1/", "private_host"),
    ("https://0X7F.0x0.0.1/", "private_host"),
    ("https://127.0.0.1./", "private_host"),
    ("https://127.255.255.254/", "private_host"),
    ("https://１２７.０.０.１/", "private_host"),
    ("https://①②⑦.⓪.⓪.①/", "private_host"),
    ("https://127。0。0。1/", "private_host"),
    ("https://%31%32%37.0.0.1/", "private_host"),
    ("https://10.0.0.1/", "private_host"),
    ("https://172.16.0.1/", "private_host"),
    ("https://172.31.255.255/", "private_host"),
    ("https://192.168.1.1/", "private_host"),
    ("https://169.254.169.254/latest/meta-data/", "private_host"),
    ("https://0xa9fea9fe/", "private_host"),
    ("https://2852039166/", "private_host"),
    ("https://100.64.0.1/", "private_host"),
    ("https://100.100.100.200/", "private_host"),
    ("https://192.0.0.192/", "private_host"),
    ("https://192.0.2.1/", "private_host"),
    ("https://198.18.0.1/", "private_host"),
    ("https://203.0.113.7/", "private_host"),
    ("https://224.0.0.1/", "private_host"),
    ("https://240.0.0.1/", "private_host"),
    ("https://255.255.255.255/", "private_host"),
    ("https://[::1]/", "private_host"),
    ("https://[::]/", "private_host"),
    ("https://[0:0:0:0:0:0:0:1]/", "private_host"),
    ("https://[::ffff:127.0.0.1]/", "private_host"),
    ("https://[::ffff:7f00:1]/", "private_host"),
    ("https://[::ffff:169.254.169.254]/", "private_host"),
    ("https://[::127.0.0.1]/", "private_host"),
    ("https://[64:ff9b::7f00:1]/", "private_host"),
    ("https://[64:ff9b::10.0.0.1]/", "private_host"),
    ("https://[64:ff9b:1::1]/", "private_host"),
    ("https://[2002:7f00:1::]/", "private_host"),
    ("https://[2002:a00:1::1]/", "private_host"),
    ("https://[2001:0:53aa:64c::1]/", "private_host"),
    ("https://[fc00::1]/", "private_host"),
    ("https://[fd00:ec2::254]/", "private_host"),
    ("https://[fe80::1]/", "private_host"),
    ("https://[ff02::1]/", "private_host"),
    ("https://[2001:db8::1]/", "private_host"),
    ("https://localhost/", "private_host"),
    ("https://LOCALHOST/", "private_host"),
    ("https://localhost./", "private_host"),
    ("https://ｌｏｃａｌｈｏｓｔ/", "private_host"),
    ("https://api.localhost/", "private_host"),
    ("https://metadata.google.internal/", "private_host"),
    ("https://printer.local/", "private_host"),
    ("https://router.lan/", "private_host"),
    ("https://intranet/", "private_host"),
    ("https://nas.home.arpa/", "private_host"),
    ("https://wiki.corp/", "private_host"),
    ("http://example.org/", "scheme"),
    ("http://127.0.0.1/", "scheme"),
    ("ftp://example.org/", "scheme"),
    ("file:///etc/passwd", "scheme"),
    ("file://localhost/etc/passwd", "scheme"),
    ("data:text/html,hello", "scheme"),
    ("javascript:alert(1)", "scheme"),
    ("gopher://example.org:70/1", "scheme"),
    ("dict://example.org:11211/", "scheme"),
    ("ws://example.org/", "scheme"),
    ("https://example.org:22/", "port"),
    ("https://example.org:8443/", "port"),
    ("https://example.org:80/", "port"),
    ("https://user@example.org/", "credentials"),
    ("https://user:pass@example.org/", "credentials"),
    ("https://example.org@127.0.0.1/", "credentials"),
    ("https://@example.org/", "credentials"),
    ("https://134744072/", "odd_host"),
    ("https://0x08080808/", "odd_host"),
    ("https://8.2056/", "odd_host"),
    ("https:///", "malformed"),
    ("https://", "malformed"),
    ("//example.org/", "malformed"),
    ("example.org", "malformed"),
    ("https://exa mple.org/", "malformed"),
    ("https://example.org/\r\nhost: evil", "malformed"),
    ("https://[::1", "malformed"),
    ("https://1.2.3.4.5/", "malformed"),
    ("https://256.256.256.256/", "malformed"),
    ("", "malformed"),
];

fn reason(error: FetchError) -> &'static str {
    match error {
        FetchError::Refused { reason } => reason.code(),
        other => panic!("{other}"),
    }
}

/// A fetcher that asks for robots files only where a test wants it, and without pauses.
pub fn fetcher() -> FetcherBuilder {
    Fetcher::builder()
        .obey_robots(false)
        .limits(FetchLimits::default().pace(Duration::ZERO).time(Duration::from_secs(5)))
}

#[tokio::test]
async fn no_refused_address_is_opened() {
    assert!(REFUSED.len() >= 60);
    let fetcher = fetcher().build().unwrap();
    let mut wrong = Vec::new();
    for (address, expected) in REFUSED {
        match fetcher.fetch(address).await {
            Err(FetchError::Refused { reason }) if reason.code() == *expected => {}
            other => wrong.push(format!("{address}: {other:?}, not {expected}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn public_addresses_may_be_opened() {
    for address in [
        "https://example.org/a?b#c",
        "https://EXAMPLE.org:443/",
        "https://example.org./",
        "https://8.8.8.8/",
        "https://[2606:4700::1111]/",
        "https://münchen.de/",
        "https://notlocalhost.org/",
        "https://example.org/@user",
        "https://example.org/?q=a@b",
    ] {
        assert!(Guard::default().check(address).is_ok(), "{address}: {:?}", Guard::default().check(address));
    }
}

#[tokio::test]
async fn no_redirect_leads_to_a_refused_address() {
    // The target of every redirect would answer.
    let secret = Server::start(|_| html("<p>secret</p>")).await;
    let mut targets: Vec<String> = REFUSED
        .iter()
        .map(|(address, _)| (*address).to_string())
        .filter(|address| address.contains("://") && !address.contains(['\r', '\n']) && !address.ends_with("//"))
        .collect();
    targets.push(format!("http://127.0.0.1:{}/", secret.port));
    targets.push(format!("http://[::1]:{}/", secret.port));
    targets.push(format!("//127.0.0.1:{}/", secret.port));
    targets.push(format!("http://localhost:{}@127.0.0.1:{}/", secret.port, secret.port));
    targets.push(format!("http:\\\\127.0.0.1:{}/", secret.port));
    targets.push(format!("https://localhost:{}/", secret.port));

    let served = targets.clone();
    let server = Server::start(move |path| {
        let index: usize = path.trim_start_matches('/').parse().unwrap();
        redirect(&served[index])
    })
    .await;
    let fetcher = fetcher().allow_host(format!("localhost:{}", server.port).parse().unwrap()).build().unwrap();

    for (index, target) in targets.iter().enumerate() {
        let result = fetcher.fetch(&server.url(&format!("/{index}"))).await;
        assert!(matches!(result, Err(FetchError::Refused { .. })), "{target}: {result:?}");
    }
    assert_eq!(secret.connections(), 0);
}

/// A resolver whose names have these addresses, one list after the other.
struct Names {
    answers: Vec<Vec<IpAddr>>,
    asked: AtomicUsize,
}

impl Names {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let answers = answers.iter().map(|list| list.iter().map(|ip| ip.parse().unwrap()).collect()).collect();
        Arc::new(Self { answers, asked: AtomicUsize::new(0) })
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
        let at = self.asked.fetch_add(1, Ordering::SeqCst);
        let addresses = self.answers[at.min(self.answers.len() - 1)].clone();
        Box::pin(async move { Ok(addresses) })
    }
}

#[tokio::test]
async fn a_name_with_a_private_address_is_not_opened() {
    for addresses in [
        &["127.0.0.1"][..],
        &["8.8.8.8", "127.0.0.1"],
        &["10.0.0.1"],
        &["::1"],
        &["::ffff:127.0.0.1"],
        &["64:ff9b::7f00:1"],
        &["2002:7f00:1::"],
        &["169.254.169.254"],
        &["fd00::1"],
        &["0.0.0.0"],
    ] {
        let names = Names::new(&[addresses]);
        let fetcher = fetcher().resolver(Arc::clone(&names) as Arc<dyn Resolve>).build().unwrap();
        let error = fetcher.fetch("https://rebind.example.org/").await.unwrap_err();
        assert_eq!(reason(error), "private_host", "{addresses:?}");
        assert_eq!(names.asked.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn a_name_that_changes_its_address_gains_nothing() {
    // Private at each look-up that leads to a connection: the robots file and the page are checked separately.
    let names = Names::new(&[&["127.0.0.1"], &["10.0.0.1"], &["::1"]]);
    let fetcher = Fetcher::builder().resolver(Arc::clone(&names) as Arc<dyn Resolve>).build().unwrap();
    for _ in 0..3 {
        let error = fetcher.fetch("https://rebind.example.org/").await.unwrap_err();
        assert_eq!(reason(error), "private_host");
    }

    // One look-up for each connection, whose address is the one that the connection goes to.
    let server = Server::start(|path| if path == "/robots.txt" { not_found() } else { html("<p>page</p>") }).await;
    let names = Names::new(&[&["127.0.0.1"]]);
    let fetcher = Fetcher::builder()
        .limits(FetchLimits::default().pace(Duration::ZERO))
        .allow_host(format!("site.example.org:{}", server.port).parse().unwrap())
        .resolver(Arc::clone(&names) as Arc<dyn Resolve>)
        .build()
        .unwrap();
    let page = fetcher.fetch(&format!("http://site.example.org:{}/", server.port)).await.unwrap();
    assert_eq!(page.document.text.for_code(), "page");
    assert_eq!((names.asked.load(Ordering::SeqCst), server.connections()), (2, 2));
}

#[tokio::test]
async fn an_allowed_host_is_allowed_on_its_port_only() {
    let server = Server::start(|_| html("<p>page</p>")).await;
    let other = Server::start(|_| html("<p>other</p>")).await;
    let fetcher = fetcher().allow_host(format!("localhost:{}", server.port).parse().unwrap()).build().unwrap();

    assert!(fetcher.fetch(&server.url("/")).await.is_ok());
    assert!(fetcher.fetch(&other.url("/")).await.is_err());
    assert!(fetcher.fetch(&format!("http://127.0.0.1:{}/", server.port)).await.is_err());
    assert_eq!(other.connections(), 0);
    for text in ["localhost", "localhost:", "localhost:x", "localhost:70000", "a@b:1", "b:1/x", ":1", "[::1]"] {
        assert!(text.parse::<research_agents_sources::fetch::AllowedHost>().is_err(), "{text}");
    }
}
