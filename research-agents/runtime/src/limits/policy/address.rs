//! Tells hosts of the public network from private ones.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::Host;

/// Parent names of private hosts: those of RFC 6761, RFC 6762, RFC 8375 and RFC 9476, and common
/// names of local networks.
const PRIVATE_NAMES: &[&str] = &[
    "localhost",
    "local",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "private",
    "home.arpa",
    "test",
    "invalid",
    "alt",
];

/// Returns `true` if an IP address belongs to the public network. Loopback, private, shared,
/// link-local, multicast, documentation and benchmark addresses do not, nor do IPv6 addresses that
/// embed one of them.
///
/// The ranges are those of the special-purpose address registries of IANA.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let shared = a == 100 && (64..128).contains(&b);
    let protocol = (a, b, c) == (192, 0, 0) || (a, b, c) == (192, 88, 99);
    let benchmark = a == 198 && (18..20).contains(&b);
    !(a == 0
        || a >= 240
        || shared
        || protocol
        || benchmark
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let s = address.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match s {
        // Embedded IPv4 addresses: mapped and compatible, the translation prefixes, and 6to4.
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] => is_public_v4(v4(high, low)),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => is_public_v4(v4(high, low)),
        [0x64, 0xff9b, 1, ..] => false,
        [0x2002, high, low, ..] => is_public_v4(v4(high, low)),
        // Teredo, benchmarks, ORCHID and the rest of 2001::/23, and documentation.
        [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => false,
        [0x3fff, second, ..] if second < 0x1000 => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

/// Returns `true` if a host is public by its address, or as far as its name can show that.
///
/// ```
/// use research_agents_runtime::limits::policy::is_public_host;
/// use url::Host;
///
/// assert!(is_public_host(&Host::Domain("docs.rs")));
/// assert!(!is_public_host(&Host::Domain("printer.local")));
/// assert!(!is_public_host(&Host::Ipv4([127, 0, 0, 1].into())));
/// ```
pub fn is_public_host(host: &Host<&str>) -> bool {
    match host {
        Host::Ipv4(address) => is_public_v4(*address),
        Host::Ipv6(address) => is_public_v6(*address),
        Host::Domain(name) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            let is_below = |parent: &&str| {
                name.strip_suffix(*parent)
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            };
            name.contains('.') && !PRIVATE_NAMES.iter().any(is_below)
        }
    }
}
